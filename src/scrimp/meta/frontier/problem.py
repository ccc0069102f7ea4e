"""The table with prices that a frontier is fitted on, and the rows of one training."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...costs.costs import Costs
from ...costs.item_sets import Items
from ...data.columns import Columns
from ...plans.components.models import Model
from ...types import Ints
from .design import ROWS_PER_BIN, Design
from .routing.route import Route
from .set_scorer import SetScorer
from .training_target import TrainingTarget


@dataclass(frozen=True)
class SearchSample:
    """The rows that item sets are searched with.

    Parameters
    ----------
    max_rows : int
        Rows, at most; more hardly change which sets are best. Many classes, which take longer,
        have fewer.
    min_rows : int
        Rows that many classes still have.
    max_bins : int
        Bins per column, at most: coarse ones find the same sets faster.
    n_folds : int
        Folds of the inner cross-validation.
    """

    max_rows: int = 12_000
    min_rows: int = 3_000
    max_bins: int = 48
    n_folds: int = 3


SEARCH_SAMPLE = SearchSample()


@dataclass(frozen=True, eq=False)
class Problem:
    """A table with prices, before any division of its rows.

    Parameters
    ----------
    source : array or data frame
        The table as it was given.
    labels : array (rows,)
        The responses as they were given.
    classes : array
        Class labels, sorted; empty for a regression.
    columns : Columns
        Names and codes of the columns.
    X : float array or CSR matrix (rows, columns)
        Numbers and codes of categories; NaN where a value is missing.
    target : TrainingTarget
        The training target.
    costs : Costs
        Prices.
    budgets : tuple of float
        Ascending.
    seed : int
        Seed of everything random.
    n_jobs : int
        Threads.
    """

    source: Any
    labels: NDArray[Any]
    classes: NDArray[Any]
    columns: Columns
    X: Any
    target: TrainingTarget
    costs: Costs
    budgets: tuple[float, ...]
    seed: int
    n_jobs: int = 1

    @property
    def is_sparse(self) -> bool:
        """Whether the table is sparse."""
        return bool(sparse.issparse(self.X))


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """The rows of one training, prepared, and the item sets to buy.

    Parameters
    ----------
    problem : Problem
        The whole table.
    index : int array
        The rows to train on.
    dense : (Design, SetScorer), optional
        The prepared columns, and the cross-validation of item sets on these rows or on some of
        them; None if the table is sparse.
    sets : dict of lists of item sets
        One set per budget, found with ``trees`` and with ``linear`` models; empty if no
        candidate is trained on them.
    routes : list of routes
        One per budget; empty if no candidate is trained on them.
    fitted : dict of dicts of models
        The models on item sets that are trained already, by the name of the base learner.
    """

    problem: Problem
    index: Ints
    dense: tuple[Design, SetScorer] | None = None
    sets: dict[str, list[Items]] = field(default_factory=dict)
    routes: list[Route] = field(default_factory=list)
    fitted: dict[str, dict[Items, Model | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem, index: Ints, pool: Executor | None) -> TrainingSet:
        """Prepare some rows of a problem, without item sets."""
        if problem.is_sparse:
            return cls(problem, index)
        target, sample = problem.target.subset(index), SEARCH_SAMPLE
        class_factor = max(target.n_classes / 4, 1)  # gradients have one value per class
        rows_per_bin = ROWS_PER_BIN * (2 if class_factor > 1 else 1)
        design = Design.of(problem.X[index], problem.columns, problem.costs, rows_per_bin)
        rng = np.random.default_rng([problem.seed, len(index)])
        n_rows = max(int(sample.max_rows / class_factor), sample.min_rows)
        some = np.flatnonzero(target.folds(-(-len(index) // n_rows), rng) == 0)
        coarse = design.subset(some, sample.max_bins)
        scorer = SetScorer(coarse, target.subset(some), sample.n_folds, rng, pool)
        return cls(problem, index, (design, scorer))

    def without_table(self) -> TrainingSet:
        """Return the same rows without prepared columns, which take much memory."""
        return TrainingSet(self.problem, self.index)

    @property
    def design(self) -> Design:
        """The prepared columns."""
        return self._dense[0]

    @property
    def scorer(self) -> SetScorer:
        """The cross-validation of item sets."""
        return self._dense[1]

    @property
    def _dense(self) -> tuple[Design, SetScorer]:
        if self.dense is None:
            raise TypeError("X is sparse, and this candidate takes arrays.")
        return self.dense

    @cached_property
    def target(self) -> TrainingTarget:
        """The training target of these rows."""
        return self.problem.target.subset(self.index)

    @property
    def labels(self) -> NDArray[Any]:
        """The responses of these rows as they were given, or numbers."""
        y, classes = self.target.y, self.problem.classes
        return classes[y.astype(np.intp)] if len(classes) else y
