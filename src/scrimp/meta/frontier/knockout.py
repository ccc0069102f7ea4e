"""The fallback of a frontier's menu: boosted trees of rows without some of their items."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from ...costs.item_sets import Items
from ...learners.boosting.knockout import KnockoutOptions, fallback_of, kept_items
from ...plans import Fallback
from ...plans.components.models import Model
from ...types import Floats, Ints
from .boosted_models import boosted
from .design import Design
from .problem import SEARCH_SAMPLE, Problem, TrainingSet
from .set_scorer import SetScorer

#: More copies of few rows meet more of the ways in which items may be lacking.
OPTIONS = KnockoutOptions(max_copies=12)
#: Where time is short, a rough fallback is better than none: without one, a failure is the prior.
QUICK = KnockoutOptions(max_rows=2_000, max_copies=1, max_test_rows=400)
#: As rough a one for many items, where there are no more than two classes.
WIDE = replace(QUICK, max_items=500)


def options_for(problem: Problem, entries: Sequence[set[int]], is_short: bool) -> KnockoutOptions:
    """Return how a fallback is trained: roughly where time is short or items are many."""
    many = len(set().union(*entries)) > OPTIONS.max_items
    if many and problem.target.n_classes <= 2:
        return WIDE
    return QUICK if is_short else OPTIONS


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
    if problem.is_sparse:
        return None
    rng = np.random.default_rng(problem.seed)
    is_test = problem.target.folds(round(1 / options.test_part), rng) == 0
    models = _Models(problem, pool, options)
    return fallback_of(problem.costs, entries, models, is_test, problem.target.prior, options)


@dataclass(frozen=True, eq=False)
class _Models:
    """Boosted trees on a problem; see `KnockoutModels`."""

    problem: Problem
    pool: Executor | None
    options: KnockoutOptions

    def train(self, rows: Ints, entries: Sequence[set[int]], items: Items) -> Model | None:
        """Return boosted trees of rows without some items."""
        problem, options = self.problem, self.options
        rng = np.random.default_rng([problem.seed, len(rows)])
        n_copies = int(np.clip(options.max_rows // len(rows), 1, options.max_copies))
        # stratified: the answers where little is known are the frequencies of classes
        some = rows[problem.target.subset(rows).folds(-(-len(rows) // options.max_rows), rng) == 0]
        copies = np.tile(some, n_copies)
        X = problem.X[copies].astype(np.float64)
        X[:, np.isin(problem.costs.owners, items, invert=True)] = np.nan
        keeps = kept_items(problem.costs, entries, len(copies), rng, options)
        X[~keeps[:, problem.costs.owners]] = np.nan
        masked = replace(problem, X=X, target=problem.target.subset(copies))
        design = Design.of(X, problem.columns, problem.costs)
        # all copies of a row are in one fold
        fold_of = np.tile(problem.target.subset(some).folds(SEARCH_SAMPLE.n_folds, rng), n_copies)
        coarse = design.subset(np.arange(len(copies)), SEARCH_SAMPLE.max_bins)
        scorer = SetScorer(
            coarse, masked.target, SEARCH_SAMPLE.n_folds, rng, self.pool, fold_of=fold_of
        )  # fmt: skip
        if not len(design.columns(items)):
            return None
        training = TrainingSet(masked, np.arange(len(copies)), (design, scorer))
        return boosted(training, items).trimmed()

    def loss(self, model: Model | None, rows: Ints, kept: set[int]) -> float:
        """Return the mean Brier score, or squared error, on rows with only some items."""
        target = self.problem.target.subset(rows)
        scores = target.row_brier_scores(self._answers(model, rows, kept)[None])[0]
        return float(np.average(scores, weights=target.weights))

    def losses_towards(
        self, model: Model | None, rows: Ints, kept: set[int], weights: Sequence[float]
    ) -> list[float]:
        """Return mean log losses, or squared errors, between the prior and the model."""
        target, prior = self.problem.target.subset(rows), self.problem.target.prior
        far = self._answers(model, rows, kept) - prior
        losses = (target.row_log_losses(prior + weight * far) for weight in weights)
        return [float(np.average(each, weights=target.weights)) for each in losses]

    def _answers(self, model: Model | None, rows: Ints, kept: set[int]) -> Floats:
        """Return the answers of a model on rows with only some items."""
        problem = self.problem
        if model is None or not kept:
            return np.tile(problem.target.prior, (len(rows), 1))
        lacking = np.isin(problem.costs.owners, list(kept), invert=True)
        X = np.where(lacking, np.nan, problem.X[rows].astype(np.float64))
        return model.scores(X, np.arange(len(X)))
