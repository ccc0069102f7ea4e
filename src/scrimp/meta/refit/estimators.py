"""RefitClassifier and RefitRegressor: the model you trust, on a budget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ...data.target import Target
from ...data.training_rows import numeric_target, read_rows
from ...learners.base import BudgetedClassifier, BudgetedRegressor
from .base import RefitBase


class RefitClassifier(BudgetedClassifier, RefitBase):
    """Any classifier on a budget: columns bought in one order, a refit for each prefix of it.

    The order is that in which another model buys. After each purchase the answer is that of
    a clone of your estimator, fitted on just the columns bought so far; without a purchase it
    is the class frequencies. Where a whole order is bought without a limit, the last model is
    your own estimator on all columns.

    Fitting costs as much as the order and about 64 fits of the estimator, 32 on large tables; 16
    without `validate`.

    Parameters
    ----------
    estimator : classifier, optional
        What is refitted: any classifier of scikit-learn's kind. None is
        `HistGradientBoostingClassifier`.
    order : str, list, estimator or None
        In which order items are bought. A rule of `BudgetedBoostingClassifier`
        (``"smoothed"``, which None is, ``"greedy"``, ``"edge"``, ``"speedboost"``,
        ``"hybrid"``) or ``"linear"`` (`SequencedClassifier`): what the rule does not want
        comes last, the cheapest first. A list of items by name or number, or an estimator of
        scrimp, fitted or not: just their items. What costs nothing more is always taken at once.
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price per column or prices by column name. None takes those of
        `order` if it has any, else 1 for each column.
    budget : float or None
        The most that a prediction may spend; None is no limit.
    grid : {"auto"}, int or list
        Which prefixes get a model. ``auto``: each of up to 16 purchases; of more the first
        ones, then ever fewer, and the last. A number: so many. A list of whole numbers: after
        so many items; a list of floats: what each of these budgets pays for. Nothing is
        bought that no model reads.
    encode : {"auto", "standard", "ordinal"}
        How columns become numbers. ``auto``: a category becomes flags (of a
        `HistGradientBoostingClassifier` it is a category), and missing values become the median
        where the estimator does not take them. ``standard`` also brings numbers to mean 0 and
        variance 1. ``ordinal`` takes categories by their number, in the order of their names.
    n_jobs : int, optional
        Fits at a time; None is one.
    memory : str or joblib.Memory, optional
        Where fits are cached, so that the same fit is not done twice.
    random_state : int, RandomState or None
        For the order, and for the estimator where its own is None.
    error_cost, class_weight
        As in `BudgetedBoostingClassifier`; class weights need an estimator that takes
        `sample_weight`.
    max_seconds : float or None
        About how long the training may take, a third of it for the order at most: the prefixes
        fitted by then are the model. None is no limit.
    verbose : int or None
        As in `BudgetedBoostingClassifier`.
    validate : bool or None
        Whether each prefix is tested on rows held out, in three folds, or in one of more than
        10,000 rows. A prefix that is not better there than the prior, or worse than a shorter
        prefix by a standard error, has no model, and its items are bought with the next one that
        has; the last prefix is compared with the prior alone. Without it each prefix of the
        grid has its model, however bad; None is without it where a grid is given.

    Attributes
    ----------
    sequence_ : list of str
        The items in the order bought; fees come with what requires them.
    models_ : list
        The fitted estimators, one a prefix, the shortest first.
    prefix_lengths_ : int array
        How many of `sequence_` each of them has.
    prefix_prices_ : float array
        What these cost.
    plan_ : PricedPlan
        What is bought, in order.

    Notes
    -----
    Trees, forests, boosted trees, linear models, support vector machines with a Gaussian
    kernel, and means and pipelines of these become arrays: their predictions are fast and
    they can be saved. Others are asked as they are, and files keep them through skops
    (``pip install 'scrimp[skops]'``).

    A fit that fails is named in a warning and left out, and so is one whose answers for a few
    rows of the training cannot be used. If it is interrupted, the models fitted so far stand,
    and the interruption is raised again.

    Examples
    --------
    >>> from scrimp import RefitClassifier
    >>> from scrimp.datasets import load_heart
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> heart = load_heart()
    >>> forest = RandomForestClassifier(50, min_samples_leaf=5, random_state=0)
    >>> model = RefitClassifier(forest, costs=heart.costs, grid=4).fit(heart.X, heart.y)
    >>> model.sequence_[:3]
    ['cp', 'sex', 'age']
    >>> float(model.spend(heart.X, budget=30.0).max()) <= 30.0
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        order: Any = None,
        costs: Any = None,
        budget: float | None = None,
        grid: Any = "auto",
        encode: str = "auto",
        n_jobs: int | None = None,
        memory: Any = None,
        random_state: Any = None,
        error_cost: Any = None,
        class_weight: Any = None,
        max_seconds: float | None = None,
        verbose: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__(
            estimator, order, costs, budget, grid, encode, n_jobs, memory, random_state,
            max_seconds, verbose, validate,
        )  # fmt: skip
        self.error_cost = error_cost
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the order, and fit the estimator on each prefix of it.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, with NaN for missing; a frame may hold text and categories too.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            For estimators that take it; others take equal weights only. A weight of 0 leaves
            the row out.
        """
        self._check_params()
        rows = read_rows(self, X, y, sample_weight, classes=True).of_positive_weight()
        classes, labels = rows.labelled()
        shares = np.bincount(labels, rows.without_equal_weights().weights)
        prior = shares / shares.sum()
        self._learn(X, rows, prior, self._class_target(classes, kind="shares"))
        return self

    def _estimator_or_default(self) -> Any:
        if self.estimator is None:
            return HistGradientBoostingClassifier()
        if not is_classifier(self.estimator):
            raise TypeError(
                f"estimator is a {type(self.estimator).__name__}; expected a classifier. "
                "Use RefitRegressor for numbers."
            )
        return self.estimator


class RefitRegressor(BudgetedRegressor, RefitBase):
    """Any regressor on a budget: columns bought in one order, a refit for each prefix of it.

    As `RefitClassifier`; without a purchase the answer is the mean.

    Parameters
    ----------
    estimator : regressor, optional
        What is refitted. None is `HistGradientBoostingRegressor`.
    order, costs, budget, grid, encode, n_jobs, memory, random_state, max_seconds, verbose, validate
        As in `RefitClassifier`; ``"linear"`` is `SequencedRegressor`.

    Attributes
    ----------
    sequence_, models_, prefix_lengths_, prefix_prices_, plan_
        As in `RefitClassifier`.

    Examples
    --------
    >>> from scrimp import RefitRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.svm import SVR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RefitRegressor(SVR(C=100.0), encode="standard", random_state=0).fit(X, y)
    >>> round(model.score(X, y, budget=3.0), 2)
    0.48
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the order, and fit the estimator on each prefix of it.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, with NaN for missing; a frame may hold text and categories too.
        y : array (rows,)
            Numbers.
        sample_weight : array (rows,), optional
            For estimators that take it; others take equal weights only. A weight of 0 leaves
            the row out.
        """
        self._check_params()
        rows = read_rows(self, X, y, sample_weight).of_positive_weight()
        rows = replace(rows, y=numeric_target(rows.y, "RefitClassifier")).without_equal_weights()
        prior = np.array([np.average(rows.y, weights=rows.weights)])
        self._learn(X, rows, prior, Target("regression", np.array([])))
        return self

    def _estimator_or_default(self) -> Any:
        if self.estimator is None:
            return HistGradientBoostingRegressor()
        if not is_regressor(self.estimator):
            raise TypeError(
                f"estimator is a {type(self.estimator).__name__}; expected a regressor. "
                "Use RefitClassifier for classes."
            )
        return self.estimator
