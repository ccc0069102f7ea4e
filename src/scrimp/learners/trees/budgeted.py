"""A decision tree that pays for the tests on each row's own path."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.tree import DecisionTreeClassifier

from ...costs.costs import as_costs
from ...costs.shopper import warn_of_prior
from ...data.encoding import Encoder
from ...data.folds import Splits, given_splits
from ...data.preparation import Preparation
from ...data.training_rows import TrainingRows, as_seed, read_rows
from ...data.validation import check_budget
from ...plans.priced_plan import PricedPlan
from ...types import Floats, Ints
from ..base import BudgetedClassifier
from .pruning import cross_validated_alpha
from .routed_tree import routed_plan


class BudgetedTreeClassifier(BudgetedClassifier):
    """A pruned decision tree whose rows pay only for the tests on their own path.

    The tree is scikit-learn's `DecisionTreeClassifier`, which does not look at prices: the
    baseline that learners with an eye on prices are compared with. A row buys the test at
    its node, each item once, and goes on; where the next test is too dear it stops and is
    given the class frequencies of the node that it has come to.

    Growing costs O(columns x rows x log(rows) x depth), and with ``prune="cv"`` as much
    again for each fold.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price per column, prices by column name, or 1 for each column.
    budget : float or None
        The most that any path may cost: a node whose test would exceed it becomes a leaf.
        None is no limit.
    max_depth : int or None
        The most tests on a path.
    min_samples_leaf : int or float
        The fewest rows in a leaf, or the least share of them.
    prune : {"cv"}, float or None
        How much is pruned, as scikit-learn's ``ccp_alpha``: the number that has the best
        accuracy in a cross-validation, a number as it is, or None for no pruning.
    cv : int, splitter or iterable of (train, test)
        The folds for ``prune="cv"``; a number of stratified ones, any splitter of
        scikit-learn, or positions of rows as given to `fit`.
    random_state : int, RandomState or None
        Decides between equally good tests, and draws the folds.
    error_cost, class_weight, max_seconds, verbose
        As in `BudgetedBoostingClassifier`. The tree is grown, and the first fold pruned by,
        whatever the time.

    Attributes
    ----------
    plan_ : PricedPlan
        The tree with its prices; ``plan_.summary()`` lists what it may buy.
    tree_ : DecisionTreeClassifier
        As scikit-learn grew and pruned it, before the budget. Its labels are positions in
        ``classes_``, its features columns of X, or one a category.
    ccp_alpha_ : float
        How much was pruned.

    Notes
    -----
    A probability is a frequency with one row more of each class, where weights count as
    rows: weights that add up to 1 make for cautious probabilities. Weights of which the
    largest is beyond 2**200, or below 2**-200, are first brought to between 1 and 2. A column
    of categories is tested for being one of them or not. A missing value goes where those of
    the training went, or with the most rows where there were none.

    References
    ----------
    Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. 1984.
    As a baseline on a budget: Reyzin. Boosting on a Budget: Sampling for Feature-Efficient
    Prediction. ICML 2011; Huang, Powers, Reyzin. Training-Time Optimization of a Budgeted
    Booster. IJCAI 2015.

    Examples
    --------
    >>> from scrimp import BudgetedTreeClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = BudgetedTreeClassifier(heart.costs, random_state=0).fit(heart.X, heart.y)
    >>> float(model.spend(heart.X, budget=10.0).max()) <= 10.0
    True
    >>> round(model.score(heart.X, heart.y), 2)
    0.85
    """

    _takes_missing = True

    def __init__(
        self,
        costs: Any = None,
        budget: float | None = None,
        max_depth: int | None = None,
        min_samples_leaf: float = 1,
        prune: Any = "cv",
        cv: Any = 5,
        random_state: Any = None,
        error_cost: Any = None,
        class_weight: Any = None,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.prune = prune
        self.cv = cv
        self.random_state = random_state
        self.error_cost = error_cost
        self.class_weight = class_weight
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, prune it, and price its paths.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, with NaN for missing; a frame may hold categories too.
        y : array (rows,)
            Two or more classes.
        sample_weight : array (rows,), optional
            A weight of 0 leaves the row out.
        """
        _check_prune(self.prune)
        budget = float(check_budget(self.budget))
        given = read_rows(self, X, y, sample_weight, classes=True)
        rows, columns = given.of_positive_weight(), given.columns
        classes, codes = rows.labelled()
        costs = as_costs(self.costs, len(columns), columns.names)
        encoder = Encoder(of_all_categories=True, never_empty=True)
        preparation = encoder.fit(rows.table, columns).preparation
        table = with_missing_indicators(preparation, rows.table)
        seed = as_seed(self.random_state)
        splits = self._splits(given, rows, seed) if self.prune == "cv" else []
        self.tree_ = self._grow(table, codes, rows.weights_or_ones, splits, seed)
        self.ccp_alpha_ = float(self.tree_.ccp_alpha)
        plan = routed_plan(self.tree_.tree_, preparation, costs, budget)
        self.plan_ = PricedPlan(plan, costs)
        self.columns_ = columns
        self.target_ = self._class_target(classes)
        if len(plan.stages) < min(2, self.tree_.tree_.node_count):
            first = costs.item_of[preparation.source[self.tree_.tree_.feature[0]]]
            warn_of_prior(costs, budget, first_item=first, stacklevel=4)
        return self

    def _splits(self, given: TrainingRows, rows: TrainingRows, seed: int) -> Splits:
        """Return the folds of the rows of positive weight."""
        if isinstance(self.cv, int | np.integer):
            folds = StratifiedKFold(int(self.cv), shuffle=True, random_state=seed)
            return list(folds.split(rows.table, rows.y))
        splitter = check_cv(self.cv, given.y, classifier=True)
        return given_splits(splitter, given.table, given.y, rows.kept)

    def _grow(
        self, X: NDArray[Any], y: Ints, weight: Floats, splits: Splits, seed: int
    ) -> DecisionTreeClassifier:
        """Return the tree, pruned as `prune` says."""
        tree = DecisionTreeClassifier(
            max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf, random_state=seed
        )
        alpha = 0.0 if self.prune is None else self.prune
        if alpha == "cv":
            alpha = cross_validated_alpha(tree, X, y, weight, splits)
        return tree.set_params(ccp_alpha=float(alpha)).fit(X, y, sample_weight=weight)


def with_missing_indicators(preparation: Preparation, table: NDArray[Any]) -> NDArray[Any]:
    """Return the prepared columns, with NaN where a category is missing.

    A table without categories is not copied.
    """
    coded = ~np.isnan(preparation.code)
    if not coded.any():
        return table
    with np.errstate(over="ignore"):  # scikit-learn refuses what float32 cannot hold
        wide = preparation.table(table, np.arange(len(table))).astype(np.float32)
    missing = np.isnan(table[:, preparation.source]) & coded
    wide[missing] = np.nan
    return wide


def _check_prune(prune: Any) -> None:
    number = isinstance(prune, Real) and not isinstance(prune, bool | np.bool_)
    if prune is None or (isinstance(prune, str) and prune == "cv"):
        return
    if not number or not (math.isfinite(prune) and prune >= 0):
        raise ValueError(f"prune is {prune!r}; expected 'cv', a finite number >= 0, or None.")
