"""The training of a cascade on some of the rows: a plan per stage, and gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ...costs.costs import Costs
from ...data.encoding import Encoding
from ...data.target import Target
from ...data.training_rows import TrainingRows, seeded
from ...plans import CalibratedPlan, CascadePlan, PrefixPlan
from ...plans.components.calibrators import PowerCalibrators
from ...plans.components.models import Model
from ...plans.contract import Plan
from ...plans.from_sklearn import array_model
from ...plans.priced_plan import PricedPlan
from ...runtime.events import Progress, emit
from ...runtime.replay import replay_rows
from ...runtime.time_limit import is_time_over
from ...types import Floats, Ints
from ..refit.encode import encoder_for, native_columns
from ..refit.missing import takes_missing
from ..refit.prefix_models import fit_one, without_needless_weights
from .stages import Stage

TASK = "cascade"


@dataclass(frozen=True, eq=False)
class CascadeProblem:
    """Rows and stages that cascades are trained for.

    Parameters
    ----------
    X : table
        The rows as given, for estimators of scrimp.
    rows : TrainingRows
        The same rows as numbers.
    costs : Costs
        The items.
    target : Target
        The classes; its scores are probabilities.
    stages : list of Stage
        From the first to the last.
    encode : str
        As in `scrimp.RefitClassifier`.
    seed : int
        For estimators whose random_state is None.
    """

    X: Any
    rows: TrainingRows
    costs: Costs
    target: Target
    stages: Sequence[Stage]
    encode: str
    seed: int

    @cached_property
    def codes(self) -> Ints:
        """The position of each row's class."""
        return np.searchsorted(self.target.classes, self.rows.y)

    def prior(self, index: Ints) -> Floats:
        """Return the class frequencies of some rows."""
        weights = self.rows.weights_or_ones[index]
        shares = np.bincount(self.codes[index], weights, len(self.target.classes))
        return np.asarray(shares / shares.sum())

    def with_stages(self, stages: Sequence[Stage]) -> CascadeProblem:
        """Return the same rows with other stages."""
        return replace(self, stages=stages)

    def fit(self, index: Ints, *, in_time: bool = False) -> list[Plan[Any]]:
        """Return a plan per stage, trained on some of the rows.

        With `in_time` no stage but the first is begun when the time is over.
        """
        plans: list[Plan[Any]] = []
        for number, stage in enumerate(self.stages):
            if in_time and plans and is_time_over():
                break
            emit(Progress(TASK, number, len(self.stages), stage.name))
            plans.append(self.entry(stage, index))
        return plans

    def entry(self, stage: Stage, index: Ints) -> Plan[Any]:
        """Return the plan of one stage, which answers with probabilities."""
        if stage.is_learner:
            return self._learner_plan(stage, index)
        model = self.model(stage, self.rows.taken(index), len(self.target.classes))
        return PrefixPlan.single(stage.items, model, self.prior(index))

    def model(
        self, stage: Stage, rows: TrainingRows, n_classes: int, estimator: Any = None
    ) -> Model:
        """Return the model of a stage's estimator, or of another one on the same columns."""
        estimator = seeded(stage.estimator if estimator is None else estimator, self.seed)
        encoding, filled = self.encoding(stage, estimator)
        rows = without_needless_weights(rows.without_equal_weights(), estimator)
        outcome = fit_one(estimator, rows, encoding)
        if outcome.estimator is None:
            raise ValueError(f"{stage.name} could not be fitted: {outcome.error}")
        preparation = encoding.preparation
        return array_model(
            outcome.estimator, preparation=preparation, n_classes=n_classes, missing=not filled
        )

    def encoding(self, stage: Stage, estimator: Any) -> tuple[Encoding, bool]:
        """Return how a stage's columns are encoded, and whether missing values are filled."""
        rows = self.rows
        fill = not takes_missing(estimator, rows, self.encode)
        native = native_columns(estimator, rows.columns, self.encode)
        encoding = encoder_for(self.encode, fill).fit(rows.table, rows.columns, native)
        return encoding.of(stage.columns), fill

    def _learner_plan(self, stage: Stage, index: Ints) -> Plan[Any]:
        """Return the plan of an estimator of scrimp, with probabilities for scores."""
        model = seeded(clone(stage.estimator), self.seed).set_params(costs=self.costs)
        model._known_columns = self.rows.columns
        weights = self.rows.weights
        options = {} if weights is None else {"sample_weight": weights[index]}
        model.fit(_safe_indexing(self.X, index), self.rows.y[index], **options)
        plan: Plan[Any] = model.plan_.plan
        if model.target_.kind == "shares":
            return plan
        n = len(self.target.classes)
        identity = PowerCalibrators(np.ones((1, n)), np.zeros((1, n)))
        return CalibratedPlan(plan, model.target_, [1.0], identity, self.prior(index))


def follow_in_full(
    plans: Sequence[Plan[Any]], costs: Costs, target: Target, table: Any
) -> tuple[Floats, Floats]:
    """Return the answers (rows, stages, classes) after each stage, and the spend (rows, stages).

    No row leaves before the last stage.

    Parameters
    ----------
    plans : sequence of Plan
        The plan of each stage.
    costs : Costs
        The items.
    target : Target
        The classes.
    table : array (rows, columns)
        The rows.
    """
    n, answers, spends = len(table), [], []
    for last in range(1, len(plans) + 1):
        cascade = CascadePlan(plans[:last], np.full(last - 1, np.inf))
        scores, spent = replay_rows(PricedPlan(cascade, costs), target, table, np.full(n, np.inf))
        answers.append(scores)
        spends.append(spent)
    return np.stack(answers, axis=1), np.stack(spends, axis=1)
