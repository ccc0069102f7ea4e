"""One model for whatever items are there, learnt from rows of which some items were knocked out.

It is the fallback of a menu: where an item of an entry cannot be had, or items are owned that
complete no entry, it answers from what there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...costs.costs import Costs
from ...costs.item_sets import Items
from ...plans import Fallback, SubsetPlan
from ...plans.components.models import Model
from ...types import Flags, Floats, Ints

#: How far an answer may be moved from the prior to the model's.
WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
#: Parts of the test rows, by which the standard error of a loss is estimated.
N_PARTS = 8
#: Answers from single items that are computed, at most, if that is more than the test rows.
MAX_ALONE = 40_000


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
        Rows that losses are estimated on, at most; of more than 100 items accordingly fewer.
    """

    max_items: int = 100
    max_rows: int = 24_000
    max_copies: int = 4
    rates: tuple[float, ...] = (0.1, 0.3, 0.6)
    any_subset: float = 0.25
    test_part: float = 0.25
    max_test_rows: int = 800


class KnockoutModels(Protocol):
    """Trains models on rows without some items, and measures them."""

    def train(self, rows: Ints, entries: Sequence[set[int]], items: Items) -> Model | None:
        """Return a model of copies of some rows; None if it has no column to split."""

    def loss(self, model: Model | None, rows: Ints, kept: set[int]) -> float:
        """Return the mean loss on some rows of which only some items are there."""

    def losses_towards(
        self, model: Model | None, rows: Ints, kept: set[int], weights: Sequence[float]
    ) -> list[float]:
        """Return the mean losses of answers so far of the way from the prior to the model's."""


def fallback_of(
    costs: Costs,
    entries: Sequence[set[int]],
    models: KnockoutModels,
    is_test: Flags,
    prior: Floats,
    options: KnockoutOptions,
) -> Fallback | None:
    """Return the fallback of a menu, or None if there are too many items or nothing to learn.

    Parameters
    ----------
    costs : Costs
        Prices.
    entries : sequence of sets of int
        The items of each entry, from the worst to the best; the first, the prior, has none.
    models : KnockoutModels
        Trains and measures.
    is_test : bool array (rows,)
        The rows on which the loss without an item is estimated.
    prior : float array (outputs,)
        The answer without any item.
    options : KnockoutOptions
        How many items and rows are used.
    """
    items = with_columns(costs, range(costs.n_items))
    if len(items) > options.max_items:
        items = with_columns(costs, [item for entry in entries for item in sorted(entry)])
    if not items or len(items) > options.max_items:
        return None
    n_tests = options.max_test_rows * 100 // max(len(items), 100)
    tests = np.flatnonzero(is_test)[:n_tests]
    trial = models.train(np.flatnonzero(~is_test), entries, items)
    losses, added = _losses(costs, models, trial, tests, entries, items)
    model = models.train(np.arange(len(is_test)), entries, items)
    if model is None:
        return None
    reads = _reads(costs, model, items)
    kept = [position for position, columns in enumerate(reads) if columns]
    more = np.flatnonzero(is_test)[: max(len(tests), MAX_ALONE // len(items))]
    weights = np.array([_weight_alone(costs, models, trial, more, items[i]) for i in kept])
    plan = SubsetPlan([items[i] for i in kept], [reads[i] for i in kept], model, prior, weights)
    return Fallback(plan, losses, added[:, kept])


def _weight_alone(
    costs: Costs, models: KnockoutModels, model: Model | None, tests: Ints, item: int
) -> float:
    """Return how far answers from one item are best moved from the prior to the model's.

    Boosted trees that have learnt from all sets of items are too sure where only an item is there
    that tells little. Of the ways whose loss is within one standard error of the least it is the
    shortest.
    """
    alone, parts = set(costs.closure([item])), np.array_split(tests, min(N_PARTS, len(tests)))
    losses = np.array([models.losses_towards(model, part, alone, WEIGHTS) for part in parts])
    excess = losses - losses[:, [losses.mean(axis=0).argmin()]]
    error = excess.std(axis=0) / np.sqrt(len(parts))
    return WEIGHTS[int(np.argmax(excess.mean(axis=0) <= error))]


def with_columns(costs: Costs, items: Iterable[int]) -> Items:
    """Return the items that bring columns, with all they require, ancestors first."""
    return tuple(item for item in costs.closure(items) if costs.columns[item])


def kept_items(
    costs: Costs, entries: Sequence[set[int]], n: int, rng: np.random.Generator,
    options: KnockoutOptions,
) -> Flags:  # fmt: skip
    """Return the items that each of n rows keeps (rows, items)."""
    is_bought = np.zeros((len(entries), costs.n_items), dtype=bool)
    for entry, items in enumerate(entries):
        is_bought[entry, list(costs.closure(items))] = True
    chance = rng.random((n, costs.n_items))
    keeps = is_bought[rng.integers(1, len(entries), size=n)]
    keeps &= chance >= rng.choice(options.rates, size=(n, 1))
    anything = rng.random(n) < options.any_subset
    keeps[anything] = (chance < rng.random((n, 1)))[anything]
    lacking = np.zeros_like(keeps)
    for item, closure in enumerate(costs.closures):  # an item is lost with what it requires
        lacking[:, item] = (~keeps[:, closure]).any(axis=1)
    return ~lacking


def _losses(
    costs: Costs, models: KnockoutModels, model: Model | None, tests: Ints,
    entries: Sequence[set[int]], items: Items,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return the loss of each entry on test rows, and what it grows by without each item.

    Where several items are lacking, their losses are added. Without all of them an entry is the
    prior, so that together they add no more than what it is better than the prior by.
    """
    closures = [set(costs.closure(entry)) for entry in entries]
    losses = np.minimum.accumulate([models.loss(model, tests, kept) for kept in closures])
    added = np.zeros((len(entries), len(items)))
    for entry, (bought, closure) in enumerate(zip(entries, closures, strict=True)):
        for position, item in enumerate(items):
            if item in bought:
                rest = {other for other in closure if item not in costs.closures[other]}
                added[entry, position] = max(models.loss(model, tests, rest) - losses[entry], 0.0)
        added[entry] *= min(1.0, (losses[0] - losses[entry]) / max(added[entry].sum(), 1e-300))
    return losses, added


def _reads(costs: Costs, model: Model, items: Items) -> list[list[int]]:
    """Return the columns of each item that the model reads."""
    read = set(model.columns.tolist())
    return [[column for column in costs.columns[item] if column in read] for item in items]
