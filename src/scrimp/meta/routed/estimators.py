"""Trees of models: buy a core, route by it, and buy a set per region."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.target import Target
from ...data.training_rows import numeric_target, read_rows
from ...data.validation import check_several
from ...learners.base import BudgetedClassifier, BudgetedRegressor
from ..frontier.training_target import TrainingTarget
from .base import RoutedBase


class RoutedClassifier(BudgetedClassifier, RoutedBase):
    """A tree of models: what a row has shown decides which items are bought next.

    All rows buy a core. A shallow tree on it routes each row to a region, where the rest of the
    budget buys the items that pay there, and a model of the region answers. Regions may be
    routed again. A core is judged by what is bought after routing, so that an item is found that
    alone tells nothing and only says what to buy. No path costs more than the budget.

    The whole search is cross-validated. At each budget the best set for all rows stays, unless
    routing is better by one standard error.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices; by default each column costs 1.
    budget : float, sequence of floats or None
        The most that a row may spend. With several the plan is a menu over them. With one there
        are sets for smaller budgets too, which are not routed as a rule. By default there are
        five, from a twentieth of all prices to all of them.
    max_levels : int
        How often a row is routed, from 1 to 3.
    learners : "auto" or sequence of str
        Base learners of the sets and regions: ``linear``, ``boosted``, ``forest``, ``kernel``.
        By default all of them compete, with their means; kernels on up to 20,000 rows.
    cv : int, splitter of scikit-learn, or iterable of (train, test) positions, optional
        Folds, as in `FrontierClassifier`.
    max_seconds : float, optional
        About how long it may take. The folds that are complete by then count.
    n_jobs : int, optional
        Threads; by default all cores.
    random_state : int
        Seed of folds and models.
    error_cost, class_weight, verbose
        As in `BudgetedBoostingClassifier`.

    Attributes
    ----------
    routed_ : list of bool
        Whether each entry of `chosen_` routes its rows.
    chosen_, spare_, entries_, prior_, n_tested_, budgets_, losses_, left_early_
        As in `FrontierClassifier`; candidates that route are called ``routed``.
    failures_, seconds_, plan_
        As in `FrontierClassifier`.

    Notes
    -----
    With n rows, d items and R regions, screening tries each item as a core, and takes
    O(n d) for each of some ten tests, O(n d^2) in all; then the sets of the regions of two cores
    are searched as `FrontierClassifier` searches sets. At most 6,000 rows take part in the search
    of a region, and all rows in the training of its model.

    References
    ----------
    Xu, Kusner, Weinberger, Chen. Cost-sensitive tree of classifiers. ICML 2013: a tree of linear
    models that minimises one relaxed objective of loss and expected cost. Here sets are searched
    within a hard budget instead.

    Examples
    --------
    Which of two columns tells the class depends on the first, which alone tells nothing.

    >>> import numpy as np
    >>> from scrimp import RoutedClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1200, 5))
    >>> y = (np.where(X[:, 0] > 0, X[:, 1], X[:, 2]) > 0).astype(int)
    >>> model = RoutedClassifier(budget=2.0, learners=["boosted"]).fit(X[:600], y[:600])
    >>> model.score(X[600:], y[600:]) > 0.95
    True
    """

    def __init__(
        self,
        costs: Any = None,
        budget: Any = None,
        max_levels: int = 3,
        learners: Any = "auto",
        cv: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        error_cost: Any = None,
        class_weight: Any = None,
        verbose: int | None = None,
    ) -> None:
        super().__init__(
            costs, budget, max_levels, learners, cv, max_seconds, n_jobs, random_state, verbose
        )
        self.error_cost = error_cost
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn what to buy at first, how to route, and what to buy then.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, or text for categories in a frame; NaN is missing.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            Weights of the rows; a weight of 0 leaves the row out.
        groups : array (rows,), optional
            Rows that belong together: those of a group are all in one fold.
        """
        self._learn(X, read_rows(self, X, y, sample_weight, classes=True), groups)
        return self

    def _training_target(
        self, y: NDArray[Any], weights: NDArray[Any]
    ) -> tuple[TrainingTarget, NDArray[Any]]:
        classes, codes = np.unique(y, return_inverse=True)
        check_several(classes)
        return TrainingTarget(codes.astype(np.float64), weights, len(classes)), classes

    def _target(self, classes: NDArray[Any]) -> Target:
        return self._class_target(classes, kind="shares")


class RoutedRegressor(BudgetedRegressor, RoutedBase):
    """A tree of models: what a row has shown decides which items are bought next.

    As `RoutedClassifier`, by the squared error.

    Parameters
    ----------
    costs, budget, max_levels, learners, cv, max_seconds, n_jobs, random_state, verbose
        As in `RoutedClassifier`.

    Attributes
    ----------
    routed_, chosen_, spare_, entries_, prior_, n_tested_, budgets_, left_early_
        As in `RoutedClassifier`.
    losses_ : dict of float arrays (budgets,)
        The out-of-fold mean squared error of each candidate.
    failures_, seconds_, plan_
        As in `RoutedClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from scrimp import RoutedRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1200, 5))
    >>> y = np.where(X[:, 0] > 0, X[:, 1], X[:, 2])
    >>> model = RoutedRegressor(budget=2.0, learners=["boosted"]).fit(X[:600], y[:600])
    >>> model.score(X[600:], y[600:]) > 0.9
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn what to buy at first, how to route, and what to buy then.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, or text for categories in a frame; NaN is missing.
        y : array (rows,)
            Numbers.
        sample_weight : array (rows,), optional
            Weights of the rows; a weight of 0 leaves the row out.
        groups : array (rows,), optional
            Rows that belong together: those of a group are all in one fold.
        """
        rows = read_rows(self, X, y, sample_weight)
        rows = replace(rows, y=numeric_target(rows.y, "RoutedClassifier"))
        self._learn(X, rows, groups)
        return self

    def _training_target(
        self, y: NDArray[Any], weights: NDArray[Any]
    ) -> tuple[TrainingTarget, NDArray[Any]]:
        return TrainingTarget(y, weights, 0), np.array([])

    def _target(self, classes: NDArray[Any]) -> Target:
        return Target("regression", classes)
