"""What the streaming boosters share: parameters, the stream, the plan, and measured theory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from ...costs.costs import Costs, as_costs
from ...costs.shopper import warn_if_nothing_is_affordable
from ...data.target import Target
from ...data.training_rows import TrainingRows, as_seed, read_rows, refuse_large_weights
from ...data.validation import check_budget, check_choice
from ...plans.contract import StageTable
from ...plans.ensemble import EnsemblePlan
from ...plans.priced_plan import PricedPlan
from ...runtime.events import Progress, emit
from ...runtime.time_limit import is_time_over
from ...types import Floats
from ..base import BudgetedEstimator
from ..boosting.rules import RULES
from .bounds import StreamBounds, bounds_of
from .drift import DriftDetector
from .learner_kinds import as_kind
from .learner_members import members_of
from .losses import StreamLoss
from .online_tree import TreeKind, TreeSettings
from .parameter_checks import check_range, check_whole
from .purchases import Market
from .stream import Stream
from .stream_booster import StreamBooster, default_combine
from .stream_rows import InputMoments
from .weak_learner import LearnerContext, LearnerKind

#: How the steps of learners are chosen.
STEPS = ("inverse", "theorem")
#: How an answer is made of the partial sums: names of `combine`, and those of plans.
COMBINE = {"sum": "add", "average": "average", "weighted": "weighted", "momentum": "momentum"}
#: Rows that a training should see at least, by passes over them if there are fewer.
N_ENOUGH = 5_000
#: Passes over few rows, at most.
MAX_PASSES = 20
#: Rows between the beginnings of two learners.
JOIN_AFTER = 100
#: Rows that `fit` gives to the stream at a time.
_CHUNK = 5_000


class StreamingBooster(BudgetedEstimator):
    """Base of the streaming boosters."""

    costs: Any
    budget: Any
    rule: str
    loss: str
    learner: Any
    combine: str
    iterate: str
    n_learners: int
    max_depth: int
    step: Any
    learning_rate: float
    edge: float
    ridge: float
    radius: float | None
    batch_size: int
    max_bins: int
    memory: float
    drift: str | None
    shuffle: bool
    random_state: Any
    n_passes: int | None
    _plan: PricedPlan | None
    _takes_missing = True

    def _check_params(self) -> None:
        check_choice("rule", self.rule, tuple(RULES))
        if self.drift is not None:
            check_choice("drift", self.drift, ("reset",))
        check_choice("combine", self.combine, ("auto", *COMBINE))
        check_choice("iterate", self.iterate, ("last", "average"))
        if isinstance(self.step, str):
            check_choice("step", self.step, STEPS)
        check_range("learning_rate", self.learning_rate, 0.0, np.inf, open_low=True)
        check_range("edge", self.edge, 0.0, 1.0, open_low=True)
        check_range("ridge", self.ridge, 0.0, np.inf)
        check_range("memory", self.memory, 1.0, np.inf)
        for name, low, high in (
            ("n_learners", 1, 10_000), ("max_depth", 1, 12), ("batch_size", 1, 100_000),
            ("max_bins", 2, 255),
        ):  # fmt: skip
            check_whole(name, getattr(self, name), low, high)
        if self.n_passes is not None:
            check_whole("n_passes", self.n_passes, 1, 10_000)
        if self.radius is not None:
            check_range("radius", self.radius, 0.0, np.inf, open_low=True)
        check_budget(self.budget)

    def _read(self, X: Any, y: Any, sample_weight: Any, reset: bool, **options: Any) -> Any:
        """Return the rows, validated; the columns are learnt from the first."""
        rows = read_rows(self, X, y, sample_weight, reset=reset, rescale_weights=False, **options)
        refuse_large_weights(rows.weights, "where rows are added to others,")
        if reset:
            self.columns_ = rows.columns
        elif self.columns_.ranges is not None:
            self.columns_ = rows.columns.with_ranges(rows.table)
        return rows

    def _begin(self, target: Target, loss: StreamLoss, n_outputs: int, evidence: float) -> None:
        """Make a new stream."""
        columns, limit = self.columns_, float(check_budget(self.budget))
        costs = as_costs(self.costs, len(columns), columns.names)
        warn_if_nothing_is_affordable(costs, [limit])
        settings = TreeSettings(
            int(self.max_depth), int(self.max_bins), float(self.memory), evidence=evidence,
            averages=self.iterate == "average",
        )  # fmt: skip
        self._kind: LearnerKind = as_kind(self.learner, settings)
        self._check_combination(loss)
        moments = InputMoments(columns, self._kind.pooled)
        rng = np.random.default_rng(as_seed(self.random_state))
        context = LearnerContext(len(columns), n_outputs, moments, rng)
        learners = [self._kind.make(context) for _ in range(self.n_learners)]
        booster = StreamBooster(
            loss, learners, self._steps(loss), np.zeros(n_outputs),
            np.inf if self.radius is None else float(self.radius), JOIN_AFTER,
            COMBINE.get(self.combine),
        )  # fmt: skip
        buys_all = self.costs is None and limit >= costs.total
        market = None
        if not buys_all:
            unnamed = replace(costs, column_names=None)  # rows reach it as arrays
            market = Market(unnamed, limit, self.rule, target.is_number)
        self.target_, self._costs, self._plan = target, costs, None
        self._stream = Stream(
            booster, market, columns.is_categorical(), int(self.batch_size), int(self.max_bins),
            None if isinstance(self._kind, TreeKind) else moments,
            None if self.drift is None else DriftDetector(),
        )  # fmt: skip

    def _check_combination(self, loss: StreamLoss) -> None:
        """Refuse parameters that do not go together."""
        if self.iterate == "average" and not self._kind.averages:
            raise ValueError(
                f"iterate is 'average', but the mean of the hypotheses of the learner "
                f"{self._kind.name!r} is none of its kind. Use iterate='last'."
            )
        if self.combine == "sum" and self.radius is not None and not loss.is_smooth:
            raise ValueError(
                f"radius is {self.radius} and combine is 'sum', whose partial sums a plan does not "
                "project. Use combine='average', or radius=None."
            )

    def _steps(self, loss: StreamLoss) -> Floats:
        """Return the step of each learner."""
        number = np.arange(1, self.n_learners + 1)
        if not isinstance(self.step, str):
            steps = np.asarray(self.step, dtype=np.float64)
            if steps.ndim > 1 or steps.size not in (1, self.n_learners) or not (steps > 0).all():
                raise ValueError(
                    f"step is {self.step!r}; expected {STEPS}, a number > 0 or one per learner."
                )
            return np.broadcast_to(steps, number.shape).copy()
        if not loss.is_smooth:
            # 1 / (lambda i) of Thm 5.5.2 where there is a ridge, else a step that needs none
            if not loss.ridge:
                return np.asarray(1.0 / np.sqrt(number))
            divisors = (number + 1) / 2 if self.combine == "weighted" else number
            return np.asarray(1.0 / (2.0 * loss.ridge * divisors))
        smoothness = loss.smoothness(self._score_bound)
        if self.step == "theorem":
            return np.full(len(number), self.edge / (smoothness * (8.0 - 4.0 * self.edge)))
        return np.full(len(number), self.learning_rate / smoothness)

    @property
    def _score_bound(self) -> float:
        return 3.0 if self.radius is None else float(self.radius)

    def _passes(self, n_rows: int) -> int:
        if self.n_passes is not None:
            return int(self.n_passes)
        return int(np.clip(-(-N_ENOUGH // n_rows), 1, MAX_PASSES))

    def _learn_passes(
        self, rows: TrainingRows, y: Floats, labels: Floats, n_passes: int, alone: bool
    ) -> None:
        """Feed the rows so many times; if they are `alone`, to the last, in the order of a fit."""
        weights, n = rows.weights_or_ones, len(rows)
        done, total = 0, n * n_passes
        rng = np.random.default_rng(as_seed(self.random_state))
        for _ in range(n_passes):
            order = rng.permutation(n) if alone and self.shuffle else np.arange(n)
            for start in range(0, n, _CHUNK):
                part = order[start : start + _CHUNK]
                self._stream.add(rows.table[part], y[part], labels[part], weights[part])
                done += len(part)
                emit(Progress("rows", done, total))
                if is_time_over():
                    break
        self._plan = None
        if alone:
            self._stream.flush()
            self._plan = self.plan_

    @property
    def plan_(self) -> PricedPlan:
        """What is bought, in order: a copy of what was learnt so far."""
        if not hasattr(self, "_stream"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        if self._plan is None:
            self._plan = PricedPlan(self._ensemble(self._costs), self._costs)
        return self._plan

    @plan_.setter
    def plan_(self, plan: PricedPlan) -> None:
        self._plan = plan

    def _ensemble(self, costs: Costs) -> EnsemblePlan:
        """Return the plan of the learners that have grown; the others are part of its base.

        A learner was taught what all before it leave, so that the sum ends where one of them
        cannot be paid for or has failed: beyond it the answers might be worse than the prior.
        """
        booster, moments = self._stream.booster, self._stream.moments
        table, base = members_of(
            self._kind, booster, (moments or InputMoments(self.columns_)).inputs(),
            costs.n_columns, self.iterate == "average",
        )  # fmt: skip
        owners = costs.owners
        items = tuple(tuple(np.unique(owners[list(reads)]).tolist()) for reads in table.reads)
        radius = np.inf if booster.loss.is_smooth else booster.radius
        return EnsemblePlan(StageTable(items), table, base, "stop", booster.combine, radius)

    def _replan(self, costs: Costs) -> None:
        """Follow the new prices from now on; what was learnt stays."""
        self._costs, self._plan = costs, None

    @property
    def edges_(self) -> Floats:
        """The edge of each learner so far: the share of its target that its answer explains."""
        return self._stream.booster.record.edges

    @property
    def n_rows_(self) -> int:
        """Rows that were learnt from so far."""
        return self._stream.n_rows

    @property
    def n_drifts_(self) -> int:
        """How often the stream has changed."""
        detector = self._stream.detector
        return 0 if detector is None else detector.n_alarms

    @property
    def n_projected_(self) -> int:
        """Rows on which the projection changed a partial sum."""
        return self._stream.booster.record.n_projected

    @property
    def n_clipped_(self) -> int:
        """Rows with a gradient that was not finite or very large, which was clipped."""
        return self._stream.booster.record.n_clipped

    def bounds(self, loss_bound: float = 1.0) -> StreamBounds:
        """Return what the theorems say of the regret, with the least edge that was measured.

        Parameters
        ----------
        loss_bound : float
            The largest loss, B in Thm 5.5.1.
        """
        booster = self._stream.booster
        bound = self._score_bound
        if booster.combine != default_combine(booster.loss):
            convexity, smoothness = booster.loss.convexity(bound), booster.loss.smoothness(bound)
            edge = float(np.min(booster.record.edges, initial=1.0))
            reason = f"the theorems are not about combine={self.combine!r}"
            return StreamBounds(edge, convexity, smoothness, reason=reason)
        return bounds_of(
            booster.loss.convexity(bound), booster.loss.smoothness(bound), booster.record.edges,
            booster.steps, float(loss_bound), booster.loss.is_smooth, booster.record.n_projected,
        )  # fmt: skip
