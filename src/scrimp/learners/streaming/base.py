"""What the streaming boosters share: parameters, the stream, the plan, and measured theory."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...costs.costs import Costs
from ...costs.shopper import warn_if_nothing_is_affordable
from ...data.columns import Columns, as_frame
from ...data.dict_rows import encode_dicts, frame_of_dicts, is_dict_rows, with_new_categories
from ...data.target import Target
from ...data.training_rows import TrainingRows, as_seed, read_rows, refuse_large_weights
from ...data.validation import check_budget
from ...plans.priced_plan import PricedPlan
from ...runtime.events import Progress, emit
from ...runtime.time_limit import is_time_over
from ...types import Floats
from ..base import BudgetedEstimator
from .block_schedule import BlockSchedule
from .bounds import StreamBounds, bounds_of
from .drift import DriftDetector
from .learner_kinds import as_kind
from .learner_members import ensemble_plan
from .losses import StreamLoss
from .online_tree import TreeKind, TreeSettings
from .purchases import Market, bound_costs
from .stream import Stream
from .stream_booster import StreamBooster, default_combine
from .stream_parameters import COMBINE, check_combination, check_parameters, learner_steps
from .stream_rows import InputMoments
from .weak_learner import LearnerContext, LearnerKind

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
    block_size: int | None
    max_bins: int
    memory: float
    drift: str | None
    shuffle: bool
    random_state: Any
    n_passes: int | None
    n_features_in_: int
    _plan: PricedPlan | None
    _stream: Stream
    _takes_missing = True

    def _check_params(self) -> None:
        check_parameters(self)

    def _read(self, X: Any, y: Any, sample_weight: Any, reset: bool, **options: Any) -> Any:
        """Return the rows, validated; the columns are learnt from the first."""
        if is_dict_rows(X):
            rows = self._read_dicts(X, y, sample_weight, reset, **options)
        else:
            if not reset and as_frame(X) is not None:
                self._know(with_new_categories(self.columns_, X))
            rows = read_rows(
                self, X, y, sample_weight, reset=reset, rescale_weights=False, **options
            )
        refuse_large_weights(rows.weights, "where rows are added to others,")
        if reset:
            self.columns_, self._has_dict_rows = rows.columns, is_dict_rows(X)
            self._name_columns(rows.columns)
        elif len(rows.columns) == len(self.columns_):
            self._take_columns(rows)
        return rows

    def _read_dicts(
        self, X: Any, y: Any, sample_weight: Any, reset: bool, **options: Any
    ) -> TrainingRows:
        """Return rows that are dicts, with the columns of earlier rows and those that are new."""
        columns, table = encode_dicts(X, None if reset else self.columns_)
        y = [y] if np.ndim(y) == 0 else y
        if sample_weight is not None and np.ndim(sample_weight) == 0:
            sample_weight = [sample_weight]
        rows = read_rows(  # a copy, as rows that are refused must leave no trace
            copy.copy(self), table, y, sample_weight, rescale_weights=False,
            ensure_min_features=0, **options,
        )  # fmt: skip
        return replace(rows, columns=columns)

    def _take_columns(self, rows: TrainingRows) -> None:
        """Let the stream know columns and values that came with new rows."""
        columns, known = rows.columns, self.columns_
        if len(columns) > len(known):
            self._refuse_new_pixels(columns)
            costs = bound_costs(self.costs, columns, all_known=False)
            self._stream.grow(columns, self._market(costs))
            self._costs = costs
            self._name_columns(columns)
        else:
            self._know(columns)
        ranges = known.ranges if columns.ranges is None else columns.ranges
        columns = replace(columns, ranges=ranges)
        self.columns_ = columns if ranges is None else columns.with_ranges(rows.table)

    def _refuse_new_pixels(self, columns: Columns) -> None:
        if self._kind.sees_image:
            raise ValueError(
                f"X has the new columns {list(columns.names or ())[len(self.columns_) :][:5]}, and "
                f"the learner {self._kind.name!r} sees an image, whose pixels are those of the "
                "first rows. Give all columns from the first row on, or take another learner."
            )

    def _know(self, columns: Columns) -> None:
        """Take columns whose categories may be more than before."""
        if self._stream.moments is not None and columns.categories != self.columns_.categories:
            self._stream.grow(columns, self._stream.market)
        self.columns_ = columns

    def _name_columns(self, columns: Columns) -> None:
        """Remember the columns of dicts, as scikit-learn does those of tables."""
        if self._has_dict_rows or len(columns) != self.n_features_in_:
            self.n_features_in_ = len(columns)
            self.feature_names_in_ = np.array(columns.names, dtype=object)

    def _market(self, costs: Costs) -> Market | None:
        """Return what may be bought; None if everything is."""
        limit = float(check_budget(self.budget))
        if self.costs is None and limit >= costs.total:
            return None
        unnamed = replace(costs, column_names=None)  # rows reach it as arrays
        return Market(unnamed, limit, self.rule, self.target_.is_number)

    def _validated(self, X: Any) -> Any:
        """Return X once it has passed scikit-learn's checks; dicts become a frame."""
        if is_dict_rows(X):
            return frame_of_dicts(X, self.columns_)
        return super()._validated(X)

    def _begin(self, target: Target, loss: StreamLoss, n_outputs: int, evidence: float) -> None:
        """Make a new stream."""
        columns, self._evidence, self.target_ = self.columns_, evidence, target
        costs = bound_costs(self.costs, columns, all_known=not self._has_dict_rows)
        if len(columns):
            warn_if_nothing_is_affordable(costs, [float(check_budget(self.budget))])
        self._set_kind(evidence)
        check_combination(self, self._kind, loss)
        context = self._learner_context(n_outputs)
        learners = [self._kind.make(context) for _ in range(self.n_learners)]
        booster = StreamBooster(
            loss, learners, learner_steps(self, loss, self._score_bound), np.zeros(n_outputs),
            np.inf if self.radius is None else float(self.radius), JOIN_AFTER,
            None if self.block_size is None else BlockSchedule(self.n_learners, self.block_size),
            COMBINE.get(self.combine),
        )  # fmt: skip
        self._costs, self._plan = costs, None
        self._stream = Stream(
            booster, self._market(costs), columns.is_categorical(), int(self.batch_size),
            int(self.max_bins), None if isinstance(self._kind, TreeKind) else context.moments,
            None if self.drift is None else DriftDetector(),
        )  # fmt: skip

    def _set_kind(self, evidence: float) -> None:
        """Set the kind of weak learners; `evidence` as in `TreeSettings`."""
        settings = TreeSettings(
            int(self.max_depth), int(self.max_bins), float(self.memory), evidence=evidence,
            averages=self.iterate == "average",
        )  # fmt: skip
        self._kind: LearnerKind = as_kind(self.learner, settings)

    def _learner_context(self, n_outputs: int) -> LearnerContext:
        """Return what new weak learners are made from."""
        rng = np.random.default_rng(as_seed(self.random_state))
        moments = InputMoments(self.columns_, self._kind.sees_image)
        return LearnerContext(
            len(self.columns_), n_outputs, moments, rng, averages=self.iterate == "average"
        )

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
        n_known = len(self._stream.categorical) if self._stream.n_seen else 0
        if len(rows.columns) > len(self.columns_):
            self._take_columns(rows)
        if n_known or self._has_dict_rows:
            self._stream.expect(rows.table[:, n_known:])
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
        check_is_fitted(self, "_stream")
        if self._plan is None:
            inputs = (self._stream.moments or InputMoments(self.columns_)).inputs()
            plan = ensemble_plan(
                self._kind, self._stream.booster, inputs, self._costs, self.iterate == "average"
            )
            self._plan = PricedPlan(plan, self._costs)
        return self._plan

    @plan_.setter
    def plan_(self, plan: PricedPlan) -> None:
        self._plan = plan

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
        booster, bound = self._stream.booster, self._score_bound
        reason = ""
        if booster.combine != default_combine(booster.loss):
            reason = f"the theorems are not about combine={self.combine!r}"
        return bounds_of(
            booster.loss.convexity(bound), booster.loss.smoothness(bound), booster.record.edges,
            booster.steps, float(loss_bound), booster.loss.is_smooth, booster.record.n_projected,
            reason,
        )  # fmt: skip
