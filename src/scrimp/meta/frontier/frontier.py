"""The frontier: for each budget the best of many models, selected by cross-validation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.target import Target
from ...data.training_rows import numeric_target, read_rows
from ...data.validation import check_several
from ...learners.base import BudgetedClassifier, BudgetedRegressor
from .base import FrontierBase
from .training_target import TrainingTarget


class FrontierClassifier(BudgetedClassifier, FrontierBase):
    """For each budget the best of many models, selected by cross-validation.

    What to buy is searched: items in the order of what they add to quick boosted trees per
    price, and item sets from several such orders for each budget. Base learners are trained on
    these sets, beside learners of scrimp that select items themselves. The best at each budget,
    by nested cross-validation on the training rows alone, becomes an entry of a menu.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices; by default those of the candidates that have some, which must then be the same.
    budgets : array of numbers >= 0, optional
        Budgets to train for; by default 13 from a hundredth of all prices to all of them. If
        some columns are free, 0 is always one more.
    candidates : "auto", sequence, or mapping from names to estimators
        Names of base learners (``linear``, ``boosted``, ``kernel``, ``forest``, ``histogram``,
        and ``lightgbm``, which needs ``pip install 'scrimp[lightgbm]'``), of boosting rules
        (``smoothed``, ``edge`` and so on), ``boosting`` and ``trees`` (boosted stumps and trees
        that select items as `BudgetedBoostingClassifier` does), ``tree`` (a
        `BudgetedTreeClassifier`), ``routed``, ``routed-linear``, ``routed-forest`` and
        ``routed-kernel`` (base learners on trees of item sets, as in `RoutedClassifier`),
        ``svm`` (support vector machines that select items as `BudgetedSVC` does; by default only
        if there are more than 1,000 columns), or estimators: one of scikit-learn is trained on
        the item sets that are searched, one of scrimp keeps its plan.
    cv : int, splitter of scikit-learn, or iterable of (train, test) positions, optional
        Folds; by default 5, twice up to 400 rows, 3 from 2,000 rows on, and a quarter held out
        from 10,000 on; up to 400 rows of more than 1,000 columns 3, twice.
    max_seconds : float, optional
        About how long it may take. The folds that are complete by then count.
    n_jobs : int, optional
        Threads; by default all cores.
    random_state : int
        Seed of folds and models.
    scoring : str, callable or None
        What candidates are selected by: None is the Brier score, a proper scoring rule. Of the
        scorers of scikit-learn, ``"accuracy"``, ``"neg_log_loss"`` and ``"neg_brier_score"``
        are means over rows, and so is ``"neg_error_cost"``, minus the cost of errors. Others
        (``"roc_auc"``, ``"f1"``) and callables ``scorer(estimator, X, y)``, to which X are the
        numbers of the rows, are jackknifed for their standard errors.
    error_cost, class_weight, verbose
        As in `BudgetedBoostingClassifier`.
    positive : label, optional
        The class that a scorer of one class counts, such as f1 or average_precision; by default
        1 if there is such a class, else the last of the two.

    Attributes
    ----------
    chosen_ : list of Chosen
        The entries of the menu that budgets use, from cheap to expensive.
    spare_ : list of Chosen
        The entries that no budget uses, because a better one costs no more: they serve where
        items of that one cannot be had, or their own are owned.
    entries_ : list of Chosen
        All entries, from the worst to the best.
    prior_ : Chosen
        The same figures for the prior, which buys nothing.
    n_tested_ : int
        The number of held-out rows that the figures rest on.
    budgets_ : float array (budgets,)
        The budgets that it was trained for, ascending.
    losses_ : dict of float arrays (budgets,)
        The out-of-fold share of mistakes of each candidate. For the best of many it is biased
        downwards; the figures in `chosen_` are corrected for that.
    left_early_ : dict of float arrays (budgets,)
        The same for candidates that were eliminated because they improved nothing, on the
        folds in which they took part.
    failures_ : dict
        Candidates that could not be trained, and why.
    seconds_ : dict
        The time that each candidate and the search have taken.
    plan_ : PricedPlan
        The menu.

    Notes
    -----
    By default candidates are compared by the Brier score of their probabilities after a
    temperature is fitted, which needs fewer rows than the share of mistakes to tell two models
    apart. By the one-standard-error rule, the simplest candidate within one standard error of
    the best over all budgets is used at every budget where no other is better by a standard
    error; on up to 1,000 rows it is the best over all budgets. Estimators that you give are
    simple to complex in the order in which you name them.
    What is not better than the prior by half a standard error, or not better than a cheaper entry,
    is left out.
    Probabilities are calibrated by a temperature, fitted to the out-of-fold predictions. When
    interrupted, or when there is no time for a final training on all rows, the models of the
    last complete fold are used.

    Examples
    --------
    >>> from scrimp import FrontierClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = FrontierClassifier(heart.costs, budgets=[5, 105], candidates=["boosted"], cv=3)
    >>> model = model.fit(heart.X, heart.y)
    >>> [entry.budget for entry in model.chosen_]
    [5.0, 105.0]
    """

    def __init__(
        self,
        costs: Any = None,
        budgets: Any = None,
        candidates: Any = "auto",
        cv: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        scoring: Any = None,
        error_cost: Any = None,
        class_weight: Any = None,
        verbose: int | None = None,
        positive: Any = None,
    ) -> None:
        super().__init__(
            costs, budgets, candidates, cv, max_seconds, n_jobs, random_state, scoring, verbose
        )
        self.error_cost = error_cost
        self.class_weight = class_weight
        self.positive = positive

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn what to buy, and which model to use, at each budget.

        Parameters
        ----------
        X : array, data frame or sparse matrix (rows, columns)
            Numbers, or text for categories in a frame; NaN is missing. Of the default
            candidates ``svm`` takes sparse rows.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            Weights of the rows.
        groups : array (rows,), optional
            Rows that belong together, such as the visits of a patient: those of a group are
            all in one fold. Passed on to a splitter, such as `GroupKFold`.
        """
        rows = read_rows(self, X, y, sample_weight, accept_sparse=True, classes=True)
        self._learn(X, rows, groups)
        return self

    def _training_target(
        self, y: NDArray[Any], weights: NDArray[Any]
    ) -> tuple[TrainingTarget, NDArray[Any]]:
        classes, codes = np.unique(y, return_inverse=True)
        check_several(classes)
        return TrainingTarget(codes.astype(np.float64), weights, len(classes)), classes

    def _target(self, classes: NDArray[Any]) -> Target:
        return self._class_target(classes, kind="shares")


class FrontierRegressor(BudgetedRegressor, FrontierBase):
    """For each budget the best of many models, selected by cross-validation.

    Parameters
    ----------
    costs, budgets, candidates, cv, max_seconds, n_jobs, random_state, verbose
        As in `FrontierClassifier`.
    scoring : str, callable or None
        What candidates are selected by: None is the squared error, which ``"r2"`` and
        ``"neg_mean_squared_error"`` are too; others as in `FrontierClassifier`.

    Attributes
    ----------
    budgets_, chosen_, spare_, entries_, prior_, n_tested_, failures_, seconds_, plan_
        As in `FrontierClassifier`.
    losses_ : dict of float arrays (budgets,)
        The out-of-fold mean squared error of each candidate.
    left_early_ : dict of float arrays (budgets,)
        The same for candidates that were eliminated.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn what to buy, and which model to use, at each budget.

        Parameters
        ----------
        X : array, data frame or sparse matrix (rows, columns)
            Numbers, or text for categories in a frame; NaN is missing. Of the default
            candidates ``svm`` takes sparse rows.
        y : array (rows,)
            Numbers.
        sample_weight : array (rows,), optional
            Weights of the rows.
        groups : array (rows,), optional
            Rows that belong together, such as the visits of a patient: those of a group are
            all in one fold. Passed on to a splitter, such as `GroupKFold`.
        """
        rows = read_rows(self, X, y, sample_weight, accept_sparse=True)
        rows = replace(rows, y=numeric_target(rows.y, "FrontierClassifier"))
        self._learn(X, rows, groups)
        return self

    def _training_target(
        self, y: NDArray[Any], weights: NDArray[Any]
    ) -> tuple[TrainingTarget, NDArray[Any]]:
        return TrainingTarget(y, weights, 0), np.array([])

    def _target(self, classes: NDArray[Any]) -> Target:
        return Target("regression", classes)
