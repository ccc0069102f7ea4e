"""Calibrated probabilities for any classifier on a budget, by cross-fitting."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from ...costs.costs import Costs
from ...data.columns import as_frame
from ...data.training_rows import read_rows
from ...data.validation import check_choice
from ...learners.base import BudgetedClassifier
from ...plans import CalibratedPlan
from ...plans.priced_plan import PricedPlan
from ...runtime.time_limit import time_share
from ...types import Floats
from .budget_fractions import MIN_GAP, check_fractions, price_fractions
from .calibrators import METHODS, Labelled, constant_calibrator, prior_of
from .out_of_fold import LabelledRows, oof_log_probabilities


class CalibratedClassifier(BudgetedClassifier):
    r"""A classifier on a budget with calibrated probabilities at every budget.

    A model that is calibrated at one budget may be far overconfident at another. Clones are
    trained on parts of the rows and predict the rows left out, at several fractions of the full
    price. A calibrator is fitted to the out-of-fold predictions at each fraction. The final
    model is trained on all rows; it buys what `estimator` buys, and its probabilities pass
    through the calibrator that belongs to what it has bought (see
    `scrimp.plans.CalibratedPlan`).

    Parameters
    ----------
    estimator : scrimp classifier
        Not fitted.
    method : {"sigmoid", "isotonic", "temperature"}
        ``sigmoid``: for two classes Platt's sigmoid of the log-odds, with his smoothed
        targets; for more, a slope and a shift of each class's log-probability (vector
        scaling), with a ridge penalty towards the identity. ``isotonic``: a non-decreasing
        curve for each class, normalised; for many rows. ``temperature``: one slope and no
        shift, which keeps every label.
    cv : int, splitter of scikit-learn, or iterable of (train, test) positions
        Folds of the rows; an int is a number of stratified folds, fewer where a class has
        fewer rows. Splitters and positions refer to the rows as given, including those of
        weight 0, which then have no part in a fold.
    fractions : array, optional
        The calibration grid: budgets as fractions of the full price, from 0 to 1. By default
        up to forty of the steps in which the model buys, more of them early.
    costs : Costs, array, mapping or None
        Prices; None keeps those of `estimator`.
    random_state : int, RandomState or None
        Seed of the folds.
    error_cost : mapping, array (classes, classes), float or None
        What errors cost, as in `BudgetedBoostingClassifier`; None keeps those of `estimator`.
    max_seconds : float or None
        About how long all trainings may take together: each has its share of what is left. The
        folds done by then calibrate, of which the first is always done. None is no limit.
    verbose : int or None
        As in `BudgetedBoostingClassifier`.

    Attributes
    ----------
    estimator_ : scrimp classifier
        Fitted on all rows.
    knots_ : float array (calibrators,)
        The mean part of the full price that was bought when each calibrator was fitted.
    plan_ : PricedPlan
        The plan of `estimator_`, calibrated.

    Notes
    -----
    A clone would often buy other columns than the final model does for the same money. Where
    the model buys the same for all rows and uses all that it has (boosted stumps that skip what
    is too expensive), clones are given exactly the items that the final model would have;
    others predict at the same fraction of their own price.

    The label is the class of the largest calibrated probability or, given `error_cost`, of the
    least expected cost. It may differ from that of `estimator_`, except with ``temperature``
    where all errors cost the same. ``stop="certain"`` keeps the calibrated label. A fraction at
    which all rows get the same prediction has no calibrator and uses that of its neighbour.
    Without money and without free items the prediction is the frequency of the classes in
    training. Class weights of `estimator` count in its training only: the calibration brings
    the probabilities back to the rows as they are.

    References
    ----------
    Platt. Probabilistic outputs for support vector machines. 1999. Zadrozny, Elkan.
    Transforming classifier scores into accurate multiclass probability estimates. KDD 2002.
    Guo, Pleiss, Sun, Weinberger. On Calibration of Modern Neural Networks. ICML 2017.

    Examples
    --------
    >>> from sklearn.metrics import log_loss
    >>> from scrimp import BudgetedBoostingClassifier, CalibratedClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> booster = BudgetedBoostingClassifier(heart.costs, combine="vote")
    >>> plain = booster.fit(heart.X[:200], heart.y[:200])
    >>> model = CalibratedClassifier(booster, random_state=0).fit(heart.X[:200], heart.y[:200])
    >>> X, y = heart.X[200:], heart.y[200:]
    >>> round(log_loss(y, plain.predict_proba(X, budget=30.0)), 1)
    1.8
    >>> round(log_loss(y, model.predict_proba(X, budget=30.0)), 1)
    0.6
    """

    def __init__(
        self,
        estimator: Any,
        method: str = "sigmoid",
        cv: Any = 5,
        fractions: Any = None,
        costs: Any = None,
        random_state: Any = None,
        error_cost: Any = None,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.fractions = fractions
        self.costs = costs
        self.random_state = random_state
        self.error_cost = error_cost
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the model, and fit its calibrators to out-of-fold predictions of its clones.

        Parameters
        ----------
        X, y
            As the estimator takes them.
        sample_weight : array (rows,), optional
            Weights of the rows in the training and in the calibration; 0 leaves a row out.
        """
        check_choice("method", self.method, tuple(METHODS))
        _check_estimator(self.estimator)
        fractions = None if self.fractions is None else check_fractions(self.fractions)
        takes_sparse = get_tags(self).input_tags.sparse
        given = read_rows(self, X, y, sample_weight, accept_sparse=takes_sparse, classes=True)
        X = given.table if as_frame(X) is None else X
        rows = LabelledRows.of(X, given)
        splits = rows.splits(self.cv, X, given.y, self.random_state)
        with time_share(1.0 / (len(splits) + 1)):
            model = rows.fit(self._unfitted())
        if fractions is None:
            fractions = price_fractions(model.plan_)
        logs, spent = oof_log_probabilities(rows, splits, self._unfitted, fractions, model.plan_)
        self._calibrate(model, rows, logs, spent)
        return self

    def _unfitted(self) -> Any:
        model = clone(self.estimator)
        return model if self.costs is None else model.set_params(costs=self.costs)

    def _calibrate(self, model: Any, rows: LabelledRows, logs: Floats, spent: Floats) -> None:
        """Fit the calibrators and set the fitted attributes."""
        prior = prior_of(rows.codes, rows.mean_one, len(rows.classes))
        tested = np.isfinite(logs[:, 0, 0])
        grid: dict[float, Labelled] = {}
        for number in np.argsort(spent, kind="stable").tolist():
            labelled = Labelled(logs[tested, number], rows.codes[tested], rows.mean_one[tested])
            is_new = all(abs(spent[number] - other) > MIN_GAP for other in grid)
            if is_new and not labelled.is_flat:
                grid[float(np.round(spent[number], 9))] = labelled
        calibrators = (
            METHODS[self.method](list(grid.values())) if grid else constant_calibrator(prior)
        )
        self.knots_ = np.array(list(grid) or [1.0])
        self.estimator_, self.columns_ = model, model.columns_
        inner = model.plan_
        plan = CalibratedPlan(inner.plan, model.target_, self.knots_, calibrators, prior)
        self.plan_ = PricedPlan(plan, inner.costs)
        self.target_ = self._class_target(rows.classes, kind="shares")
        if self.error_cost is None and model.target_.error_costs is not None:
            self.target_ = replace(self.target_, error_costs=model.target_.error_costs)

    def _replan(self, costs: Costs) -> None:
        """Move the inner model and its calibrated plan to new prices."""
        self.estimator_ = self.estimator_.reprice(costs)
        plan = cast(CalibratedPlan, self.plan_.plan)
        self.plan_ = PricedPlan(plan.around(self.estimator_.plan_.plan), costs)

    def __sklearn_tags__(self) -> Any:
        """Tags of the input that the inner estimator takes."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.allow_nan, tags.input_tags.sparse = inner.allow_nan, inner.sparse
        return tags


def _check_estimator(estimator: Any) -> None:
    if not isinstance(estimator, BudgetedClassifier):
        raise TypeError(
            f"estimator is a {type(estimator).__name__}; expected a scrimp classifier. For others "
            "use sklearn.calibration.CalibratedClassifierCV."
        )
