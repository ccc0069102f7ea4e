"""CascadeClassifier: cheap models answer the sure rows, and the others go on."""

from __future__ import annotations

import warnings
from typing import Any, Self, cast

import numpy as np
from sklearn.base import is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier

from ...costs.costs import Costs
from ...costs.shopper import warn_of_prior
from ...data.columns import as_frame
from ...data.training_rows import read_rows, seed_from
from ...data.validation import check_budget, check_choice
from ...learners.base import BudgetedClassifier
from ...learners.purchase_order import check_order, learn_order, refit_costs
from ...plans import CascadePlan, PrefixPlan
from ...plans.contract import Plan
from ...plans.priced_plan import PricedPlan
from ...runtime.confidence_threshold import StopGoal
from ...runtime.replay import replay_rows
from ...runtime.time_limit import time_share
from ...types import Floats, Ints
from ..refit.encode import ENCODINGS
from .gates import GateTraining, default_gate
from .held_out import (
    HeldOutAnswers,
    check_cv,
    followed,
    held_out_answers,
    splits_for,
    useful_stages,
)
from .stages import Stage, affordable_stages, given_stages, prefix_stages
from .thresholds import HeldOut, calibration_of, chosen_thresholds
from .training import CascadeProblem

#: The increase of errors that is allowed where no goal is given, if the rows can certify it.
DEFAULT_INCREASE = 0.01
#: How many times the average budget the model may spend on the training rows without a warning.
OVERSPEND = 1.05
#: The part of the time that learning the order of default stages may take.
ORDER_SHARE = 1 / 4


class CascadeClassifier(BudgetedClassifier):
    """A cascade: a cheap model answers the rows that it is sure of, and the others go on.

    Each stage is a classifier on some columns, which are bought for it. After a stage a row
    leaves with that stage's answer if its score is as high as the threshold of the stage: its
    largest class probability, or the score of a gate. Otherwise it pays for the columns of the
    next stage. Thresholds are chosen on rows that the models were not trained on: for an average
    spend, or for an allowed increase of the share of errors.

    Fitting costs ``cv + 1`` fits of each estimator; with learned gates about
    ``4 (cv + 1)`` fits of the last one and ``7 (cv + 1)`` of the others and of the gates.

    Parameters
    ----------
    estimators : list, classifier or None
        The stages, from the cheapest to the dearest. Each is a pair of a classifier and its
        columns, by name or by position, or the names of items; a classifier alone, which reads
        all columns; or a classifier of scrimp, which buys what it wants. Stages may share
        columns, which are paid for once. One classifier instead of a list is fitted on
        `n_stages` prefixes of an order of purchases; None is `HistGradientBoostingClassifier`.
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price per column or prices by column name. None is 1 for each
        column.
    budget : float or None
        The most that a prediction may spend; None is no limit. Stages beyond it are left out.
    average_budget : float or None
        The mean spend of rows that thresholds are chosen for; kept on new rows like those of
        the training with a probability of about 1 - `delta`.
    max_increase : float or None
        The largest share of rows that leaving early may turn from right to wrong, which bounds
        the loss of accuracy; kept with a probability of 1 - `delta`. One of the two goals at
        most is given. Without any it is 0.01, if the rows can certify it; if they cannot, no row
        leaves early.
    delta : float
        The probability with which a goal may be missed on new rows.
    gate : {"confidence", "learned"} or classifier
        What is compared with thresholds: the largest class probability of the stage, or the
        score of a gate that learns which rows need the dearer stages: ``learned`` is a small
        `HistGradientBoostingClassifier`.
    imitate : bool
        Whether the stages before the last learn the probabilities of the dearer ones, on rows
        that the gate keeps; for learned gates.
    order : str, list, estimator or None
        In which order items are bought where there is no list of stages: as in
        `RefitClassifier`.
    n_stages : int
        The number of stages where there is no list of them.
    encode : {"auto", "standard", "ordinal"}
        How columns become numbers: as in `RefitClassifier`.
    cv : int or float
        How rows are held out: a number of folds, whose out-of-fold predictions choose the
        thresholds, and all rows train the models; or a share of the rows, which are held out of
        the training altogether. What is promised holds exactly for a share, and about for folds.
    random_state : int, RandomState or None
        For the order, the folds, and estimators whose own is None.
    error_cost, class_weight, max_seconds, verbose
        As in `BudgetedBoostingClassifier`.

    Attributes
    ----------
    stages_ : list of str
        Descriptions of the stages.
    stage_prices_ : float array
        What a row has paid at most after each stage.
    calibration_ : CascadeCalibration
        The thresholds, and what they do to the held-out rows.
    plan_ : PricedPlan
        What is bought, in order.

    Notes
    -----
    The budget of a prediction stays as hard as it is: a stage that it cannot pay for is passed
    over, and the last complete stage answers. So does a stage of which an item has failed. A row
    that owns all items of a stage begins there. A stage that predicts held-out rows no better
    than the class frequencies, or clearly worse than a stage before it, is left out with a
    warning.

    References
    ----------
    Viola and Jones, "Rapid object detection using a boosted cascade of simple features", 2001.
    Nan and Saligrama, "Adaptive Classification for Prediction Under a Budget", NIPS 2017.

    Examples
    --------
    >>> from scrimp import CascadeClassifier
    >>> from scrimp.datasets import load_heart
    >>> from sklearn.linear_model import LogisticRegression
    >>> heart = load_heart()
    >>> stages = [
    ...     (LogisticRegression(max_iter=500), ["age", "sex", "cp"]),
    ...     LogisticRegression(max_iter=500),
    ... ]
    >>> model = CascadeClassifier(stages, heart.costs, average_budget=300.0, random_state=0)
    >>> model = model.fit(heart.X, heart.y)
    >>> bool(model.spend(heart.X).mean() < 320)
    True
    """

    _takes_missing = True  # they are filled where an estimator does not take them

    def __init__(
        self,
        estimators: Any = None,
        costs: Any = None,
        budget: float | None = None,
        average_budget: float | None = None,
        max_increase: float | None = None,
        delta: float = 0.05,
        gate: Any = "confidence",
        imitate: bool = False,
        order: Any = None,
        n_stages: int = 3,
        encode: str = "auto",
        cv: Any = 3,
        random_state: Any = None,
        error_cost: Any = None,
        class_weight: Any = None,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.costs = costs
        self.budget = budget
        self.average_budget = average_budget
        self.max_increase = max_increase
        self.delta = delta
        self.gate = gate
        self.imitate = imitate
        self.order = order
        self.n_stages = n_stages
        self.encode = encode
        self.cv = cv
        self.random_state = random_state
        self.error_cost = error_cost
        self.class_weight = class_weight
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the stages, and choose the thresholds on held-out rows.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, with NaN for missing; a frame may hold text and categories too.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            For estimators that take it; thresholds count rows. A weight of 0 leaves the row out.
        """
        self._check_params()
        rows = read_rows(self, X, y, sample_weight, classes=True).of_positive_weight()
        classes, _ = rows.labelled()
        seed = seed_from(self.random_state)
        X = rows.table if as_frame(X) is None else rows.of_given(X)
        costs = refit_costs(self.costs, self.order, rows.columns)
        target = self._class_target(classes, kind="shares")
        problem = CascadeProblem(X, rows, costs, target, [], self.encode, seed)
        self.columns_, self.target_ = rows.columns, target
        stages = self._stages(problem)
        if not stages:
            warn_of_prior(costs, float(check_budget(self.budget)), otherwise="No stage is left")
        self._learn(problem.with_stages(stages))
        return self

    def calibrate_thresholds(
        self, X: Any, y: Any, *, average_budget: float | None = None,
        max_increase: float | None = None, delta: float = 0.05,
    ) -> Self:  # fmt: skip
        """Choose the thresholds again, on rows that the model was not trained on.

        Parameters
        ----------
        X, y : table and array
            Held-out rows. What is promised holds for new rows like these.
        average_budget, max_increase, delta
            As in the constructor; exactly one of the first two is given.

        Returns
        -------
        estimator
            This one; ``calibration_`` tells what the thresholds do on the held-out rows.
        """
        goal = StopGoal(max_increase, None, average_budget, None, delta)
        table, _ = self.predictor_._table(self._validated(X), None, None)
        truth = np.searchsorted(self.classes_, np.asarray(y)).clip(max=len(self.classes_) - 1)
        if not (self.classes_[truth] == np.asarray(y)).all():
            raise ValueError("y holds labels that are no classes of the model.")
        cascade = cast(CascadePlan, self.plan_.plan)
        answers = followed(cascade, self.plan_.costs, self.target_, table, truth)
        held_out = answers.judged(self.target_)
        self._adopt(held_out, chosen_thresholds(held_out, goal, 0))
        return self

    def _check_params(self) -> None:
        check_budget(self.budget)
        check_order(self.order)
        check_choice("encode", self.encode, ENCODINGS)
        check_cv(self.cv)
        if isinstance(self.gate, str):
            check_choice("gate", self.gate, ("confidence", "learned"))
        elif not is_classifier(self.gate):
            raise TypeError(
                f"gate is {self.gate!r}; expected 'confidence', 'learned' or a classifier."
            )
        if self.imitate and isinstance(self.gate, str) and self.gate == "confidence":
            raise ValueError(
                "imitate=True is for learned gates, and gate is 'confidence'. Give gate='learned'."
            )
        if isinstance(self.n_stages, bool) or not isinstance(self.n_stages, int | np.integer):
            raise ValueError(f"n_stages is {self.n_stages!r}; expected a whole number >= 1.")
        if self.n_stages < 1:
            raise ValueError(f"n_stages is {self.n_stages}; expected a whole number >= 1.")
        self._goal()

    def _goal(self) -> StopGoal:
        """Return what the thresholds are to reach."""
        increase = self.max_increase
        if increase is None and self.average_budget is None:
            increase = DEFAULT_INCREASE
        return StopGoal(increase, None, self.average_budget, None, self.delta)

    def _stages(self, problem: CascadeProblem) -> list[Stage]:
        """Return the stages that the budget can pay for."""
        rows, costs, given = problem.rows, problem.costs, self.estimators
        budget = float(check_budget(self.budget))
        if isinstance(given, list | tuple):
            return affordable_stages(given_stages(given, rows.columns, costs), costs, budget)
        estimator = HistGradientBoostingClassifier() if given is None else given
        if not (hasattr(estimator, "fit") and is_classifier(estimator)):
            kind = type(estimator).__name__
            raise TypeError(f"estimators is a {kind}; expected a classifier, or a list of them.")
        if hasattr(type(estimator), "predictor_"):
            return given_stages([estimator], rows.columns, costs)
        with time_share(ORDER_SHARE):
            groups = learn_order(self.order, problem.X, rows, costs, budget, problem.seed, False)
        return prefix_stages(estimator, groups, costs, int(self.n_stages))

    def _learn(self, problem: CascadeProblem, plans: list[Plan[Any]] | None = None) -> None:
        """Fit the stages, leave out useless ones, and choose the thresholds on held-out rows.

        Parameters
        ----------
        problem : CascadeProblem
            Rows and stages.
        plans : list of Plan, optional
            The plans of the stages, if they are fitted already.
        """
        splits, index = splits_for(problem, self.cv)
        if not problem.stages:
            self._become(CascadePlan([PrefixPlan.constant(problem.prior(index))], []), problem)
            return
        plans = problem.fit(index, in_time=True) if plans is None else plans
        problem = problem.with_stages(problem.stages[: len(plans)])
        answers = held_out_answers(problem, splits, self._cascade)
        kept = useful_stages(problem, answers, warn=isinstance(self.estimators, list | tuple))
        if len(kept) < len(plans):
            fewer = problem.with_stages([problem.stages[stage] for stage in kept])
            self._learn(fewer, [plans[stage] for stage in kept])
            return
        self._become(self._cascade(problem, index, plans), problem)
        self._choose(answers, problem.seed, problem.rows.table)

    def _cascade(
        self, problem: CascadeProblem, index: Ints, plans: list[Plan[Any]] | None = None
    ) -> CascadePlan:
        """Return a cascade trained on some rows, of which no row leaves early."""
        plans = problem.fit(index) if plans is None else plans
        is_confidence = isinstance(self.gate, str) and self.gate == "confidence"
        if is_confidence or len(plans) == 1:
            return CascadePlan(plans, np.full(len(plans) - 1, np.inf))
        gate = default_gate() if isinstance(self.gate, str) else self.gate
        return GateTraining(gate, self.imitate, self.average_budget).cascade(problem, index, plans)

    def _become(self, cascade: CascadePlan, problem: CascadeProblem) -> None:
        self.stages_ = [stage.name for stage in problem.stages]
        self.plan_ = PricedPlan(cascade, problem.costs)
        self._price_stages()

    def _choose(self, answers: HeldOutAnswers | None, seed: int, table: Any) -> None:
        """Choose the thresholds that reach the goal; none if none is given and none is reached."""
        cascade = cast(CascadePlan, self.plan_.plan)
        n_cuts = len(cascade.entries) - 1
        if answers is None:
            self._refuse_goals_without_rows()
            return
        held_out, goal = answers.judged(self.target_), self._goal()
        try:
            thresholds = chosen_thresholds(held_out, goal, seed)
        except ValueError:
            if self.max_increase is not None or self.average_budget is not None:
                raise
            thresholds = np.full(n_cuts, np.inf)
        self._adopt(held_out, thresholds)
        self._warn_of_overspend(table)

    def _warn_of_overspend(self, table: Any) -> None:
        """Warn if the model spends clearly more than the models of the folds did."""
        cap = self.average_budget
        if cap is None or not len(table):
            return
        n = len(table)
        _, spent = replay_rows(self.plan_, self.target_, table, np.full(n, np.inf))
        if spent.mean() > OVERSPEND * cap:
            warnings.warn(
                f"The models of the folds keep to the average budget of {cap:g}, but the model of "
                f"all rows spends {spent.mean():.4g} on them, as it is less sure. Hold rows out "
                "instead, cv=0.3, or call calibrate_thresholds with other rows.",
                UserWarning,
                stacklevel=6,
            )

    def _adopt(self, held_out: HeldOut, thresholds: Floats) -> None:
        """Follow thresholds, and note what they do to held-out rows."""
        cascade = cast(CascadePlan, self.plan_.plan)
        thresholds = np.where(np.isnan(held_out.scores).all(axis=0), np.inf, thresholds)
        self.calibration_ = calibration_of(held_out, thresholds)
        self.plan_ = PricedPlan(cascade.with_thresholds(thresholds), self.plan_.costs)

    def _refuse_goals_without_rows(self) -> None:
        if self.max_increase is not None or self.average_budget is not None:
            raise ValueError(
                "There are too few rows of some class to hold any out, so that no goal can be "
                "reached. Leave average_budget and max_increase out, or give more rows."
            )

    def _price_stages(self) -> None:
        costs, bought = self.plan_.costs, set[int]()
        prices = []
        for entry in cast(CascadePlan, self.plan_.plan).entries:
            bought |= {item for items in entry.stages.items for item in items}
            prices.append(costs.price_of(bought))
        self.stage_prices_ = np.array(prices)

    def _replan(self, costs: Costs) -> None:
        """Follow new prices, and price the stages again."""
        super()._replan(costs)
        self._price_stages()
