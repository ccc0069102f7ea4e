"""The fallback of a frontier's menu: boosted trees that have learnt from rows without some items.

Items are knocked out of copies of the training rows at random, so that one model answers from
whatever part of an entry is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from ...costs.costs import Costs
from ...costs.item_sets import Items
from ...plans import Fallback, SubsetPlan
from ...plans.components.models import Model
from ...types import Flags, Floats, Ints
from .base_learners import boosted
from .design import Design
from .problem import SEARCH_SAMPLE, Problem, TrainingSet
from .set_scorer import SetScorer


@dataclass(frozen=True)
class KnockoutOptions:
    """How rows without some items are drawn, and how the loss without an item is estimated.

    Parameters
    ----------
    max_items : int
        Items that the model learns from, at most: all, or else those of the entries. If these
        are more too, there is no fallback.
    max_rows : int
        Rows, at most: of larger tables some are drawn, of smaller ones there are copies.
    max_copies : int
        Copies of each row, at most.
    rates : tuple of float
        Probabilities, one of which is drawn per row, that an item of its entry is knocked out.
    any_subset : float
        The part of rows that keep a random subset of all items instead of a part of an entry.
    test_part : float
        The part of the rows that losses are estimated on.
    max_test_rows : int
        Rows that losses are estimated on, at most.
    """

    max_items: int = 100
    max_rows: int = 24_000
    max_copies: int = 4
    rates: tuple[float, ...] = (0.1, 0.3, 0.6)
    any_subset: float = 0.25
    test_part: float = 0.25
    max_test_rows: int = 800


OPTIONS = KnockoutOptions()
#: Where time is short, a rough fallback is better than none: without one, a failure is the prior.
QUICK = KnockoutOptions(max_rows=2_000, max_copies=1, max_test_rows=400)


def train_fallback(
    problem: Problem,
    entries: Sequence[set[int]],
    pool: Executor | None,
    options: KnockoutOptions = OPTIONS,
) -> Fallback | None:
    """Return the fallback of a menu, or None if there is nothing that can fail.

    Parameters
    ----------
    problem : Problem
        The table.
    entries : sequence of sets of int
        The items of each entry, from the worst to the best; the first, the prior, has none.
    pool : Executor, optional
        Threads.
    options : KnockoutOptions
        How rows are drawn, and how many.
    """
    costs, rng = problem.costs, np.random.default_rng(problem.seed)
    if problem.is_sparse:
        return None
    items = _with_columns(costs, range(costs.n_items))
    if len(items) > options.max_items:
        items = _with_columns(costs, [item for entry in entries for item in sorted(entry)])
    if len(items) > options.max_items:
        return None
    is_test = problem.target.folds(round(1 / options.test_part), rng) == 0
    tests = np.flatnonzero(is_test)[: options.max_test_rows]
    trial = _trained(problem, np.flatnonzero(~is_test), entries, items, pool, options)
    losses, added = _losses(problem, trial, tests, entries, items)
    model = _trained(problem, np.arange(len(is_test)), entries, items, pool, options)
    if model is None:
        return None
    reads = _reads(costs, model, items)
    kept = [position for position, columns in enumerate(reads) if columns]
    plan = SubsetPlan(
        [items[i] for i in kept], [reads[i] for i in kept], model, problem.target.prior
    )
    return Fallback(plan, losses, added[:, kept])


def _with_columns(costs: Costs, items: Iterable[int]) -> Items:
    """Return the items that bring columns, with all they require, ancestors first."""
    return tuple(item for item in costs.closure(items) if costs.columns[item])


def _trained(
    problem: Problem, index: Ints, entries: Sequence[set[int]], items: Items,
    pool: Executor | None, options: KnockoutOptions,
) -> Model | None:  # fmt: skip
    """Return boosted trees of rows without some items; None if they have no column to split."""
    rng = np.random.default_rng([problem.seed, len(index)])
    n_copies = int(np.clip(options.max_rows // len(index), 1, options.max_copies))
    some = np.sort(rng.permutation(index)[: options.max_rows])
    rows = np.tile(some, n_copies)
    X = problem.X[rows].astype(np.float64)
    X[:, np.isin(problem.costs.owners, items, invert=True)] = np.nan
    keeps = _kept_items(problem.costs, entries, len(rows), rng)
    X[~keeps[:, problem.costs.owners]] = np.nan
    masked = replace(problem, X=X, target=problem.target.subset(rows))
    design = Design.of(X, problem.columns, problem.costs)
    # all copies of a row are in one fold
    fold_of = np.tile(problem.target.subset(some).folds(SEARCH_SAMPLE.n_folds, rng), n_copies)
    coarse = design.subset(np.arange(len(rows)), SEARCH_SAMPLE.max_bins)
    scorer = SetScorer(
        coarse, masked.target, SEARCH_SAMPLE.n_folds, rng, pool, fold_of=fold_of
    )  # fmt: skip
    if not len(design.columns(items)):
        return None
    training = TrainingSet(masked, np.arange(len(rows)), (design, scorer))
    return boosted(training, items).trimmed()


def _kept_items(
    costs: Costs, entries: Sequence[set[int]], n: int, rng: np.random.Generator
) -> Flags:
    """Return the items that each of n rows keeps (rows, items)."""
    is_bought = np.zeros((len(entries), costs.n_items), dtype=bool)
    for entry, items in enumerate(entries):
        is_bought[entry, list(costs.closure(items))] = True
    chance = rng.random((n, costs.n_items))
    keeps = is_bought[rng.integers(1, len(entries), size=n)]
    keeps &= chance >= rng.choice(OPTIONS.rates, size=(n, 1))
    anything = rng.random(n) < OPTIONS.any_subset
    keeps[anything] = (chance < rng.random((n, 1)))[anything]
    lacking = np.zeros_like(keeps)
    for item, closure in enumerate(costs.closures):  # an item is lost with what it requires
        lacking[:, item] = (~keeps[:, closure]).any(axis=1)
    return ~lacking


def _losses(
    problem: Problem, model: Model | None, tests: Ints, entries: Sequence[set[int]], items: Items
) -> tuple[Floats, Floats]:
    """Return the loss of each entry on test rows, and what it grows by without each item."""
    costs, target = problem.costs, problem.target.subset(tests)
    X = problem.X[tests].astype(np.float64)

    def loss(kept: set[int]) -> float:
        lacking = np.isin(costs.owners, list(kept), invert=True)
        scores = np.tile(problem.target.prior, (1, len(X), 1))
        if model is not None and kept:
            scores = model.scores(np.where(lacking, np.nan, X), np.arange(len(X)))[None]
        return float(np.average(target.row_brier_scores(scores)[0], weights=target.weights))

    losses = np.minimum.accumulate([loss(set(costs.closure(entry))) for entry in entries])
    added = np.zeros((len(entries), len(items)))
    for entry, bought in enumerate(entries):
        closure = set(costs.closure(bought))
        for position, item in enumerate(items):
            if item in bought:
                rest = {other for other in closure if item not in costs.closures[other]}
                added[entry, position] = max(loss(rest) - losses[entry], 0.0)
    return losses, added


def _reads(costs: Costs, model: Model, items: Items) -> list[list[int]]:
    """Return the columns of each item that the model reads."""
    read = set(model.columns.tolist())
    return [[column for column in costs.columns[item] if column in read] for item in items]
