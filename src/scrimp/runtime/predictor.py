"""The Predictor: a fitted plan and all that following it needs; what a model file holds."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, column_or_1d

from ..costs.costs import Costs
from ..costs.ledger import within
from ..data.columns import Columns, as_frame
from ..data.folds import group_numbers
from ..data.target import Target
from ..data.validation import FLOAT_DTYPES, check_budget, check_budgets
from ..plans.priced_plan import PricedPlan
from ..types import Flags, Floats
from .absent_columns import refuse_absent, warn_of_absent
from .confidence_path import ConfidencePath, Outcome
from .confidence_threshold import StopCalibration, StopGoal, chosen_threshold
from .exit_rules import answer_with_exits
from .item_masks import failed_items, owned_items
from .ranking_exits import RankingCalibration, RankingGoal, ScorePath, chosen_exits
from .replay import replay, replay_rows
from .session import Session
from .shared_history import answer_all, shared_histories
from .stopping import Recording, Seen, StopRule
from .sweep import Sweep

#: Cells of a sparse table that are written out at a time.
_DENSE_CELLS = 2**24


@dataclass(frozen=True, eq=False)
class Predictor:
    """A fitted plan with all that is needed to follow it: what a model file holds.

    It takes arrays, data frames and sparse matrices of any format. A frame is matched by name;
    if the model was fitted on an array, which has none, by position, with a warning.

    Parameters
    ----------
    plan : PricedPlan
        Stages and prices.
    columns : Columns
        Names and categories of the columns.
    target : Target
        What the scores mean.
    info : dict
        Where the plan came from, for people: the learner's name and parameters, and the
        cross-validated loss of the entries of a frontier.
    """

    plan: PricedPlan
    columns: Columns
    target: Target
    info: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Check that the parts speak of the same columns and outputs."""
        if len(self.columns) != self.plan.costs.n_columns:
            raise ValueError("columns and costs differ in the number of columns.")
        if self.target.n_outputs != self.plan.n_outputs:
            raise ValueError("plan and target differ in the number of outputs.")

    @property
    def costs(self) -> Costs:
        """Items and prices."""
        return self.plan.costs

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels."""
        return self.target.classes

    def reprice(self, costs: Any) -> Predictor:
        """Return the model at new prices of the same items. See `BudgetedEstimator.reprice`."""
        return replace(self, plan=self.plan.repriced(costs))

    def calibrate_stop(
        self, X: Any, y: Any, goal: StopGoal, budget: Any = None
    ) -> tuple[Predictor, StopCalibration]:
        """Return the model with a threshold for ``stop="confident"``, and what that does.

        Parameters
        ----------
        X, y : table and array
            Rows that the model was not trained on.
        goal : StopGoal
            What the threshold is to reach.
        budget : float, optional
            The budget of the predictions.
        """
        classes, y = self.target.classes, np.asarray(y)
        if self.target.is_number:
            raise TypeError(
                "These goals are about classes, and a regression has none. Of a ranking, give the "
                "queries."
            )
        truth = np.searchsorted(classes, y).clip(max=len(classes) - 1)
        if not (classes[truth] == y).all():
            strange = y[classes[truth] != y][0]
            raise ValueError(f"y holds {strange!r}, which is no class of the model.")

        seen, scores, spend = self._recorded(X, budget)
        full = Outcome(1.0, truth, self.target.decided(scores), spend)
        path = ConfidencePath.of(seen, self.target, full)
        reached = chosen_threshold(goal, path, classes)
        if reached.levels is None:
            return self.with_confidence(reached.confidence), reached
        exits = np.array(reached.levels)
        return replace(self, target=replace(self.target, confidence=None, exits=exits)), reached

    def calibrate_ranking_stop(
        self, X: Any, y: Any, queries: Any, goal: RankingGoal, budget: Any = None
    ) -> tuple[Predictor, RankingCalibration]:
        """Return the ranker with early exits for ``stop="confident"``, and what these do.

        Parameters
        ----------
        X, y : table and array
            Rows of queries that the model was not trained on, and their relevance.
        queries : array (rows,)
            The query of each row.
        goal : RankingGoal
            The loss of NDCG that the exits may cause.
        budget : float, optional
            The budget of the predictions.
        """
        if not self.target.is_number or self.target.n_outputs > 1:
            raise TypeError("Early exits of rankings are for models that predict one number.")
        seen, scores, spend = self._recorded(X, budget)
        relevance = column_or_1d(np.asarray(y, dtype=np.float64))
        query_of = group_numbers(queries, len(relevance), "queries")
        path = ScorePath.of(seen, scores[:, 0], spend)
        exits, reached = chosen_exits(goal, path, relevance, query_of)
        return replace(self, target=replace(self.target, exits=exits)), reached

    def _recorded(self, X: Any, budget: Any) -> tuple[list[Seen], Floats, Floats]:
        """Return what was seen before each purchase, and scores and spend after all of them."""
        recording = Recording()
        scores, spend = self.answer(X.toarray() if issparse(X) else X, budget, stop=recording)
        return recording.seen, scores, spend

    def with_confidence(self, confidence: float) -> Predictor:
        """Return the model with a threshold for ``stop="confident"``, whatever it does."""
        return replace(self, target=replace(self.target, confidence=confidence, exits=None))

    def answer(
        self, X: Any, budget: Any = None, *, owned: Any = None, failed: Any = None,
        keys: Any = None, stop: str | StopRule | None = None,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """Return scores (rows x outputs) and spend (rows) at one budget, or one per row."""
        if owned is None and failed is None and keys is None:
            at_exits = answer_with_exits(self.plan, self.columns, self.target, X, budget, stop)
            if at_exits is not None:
                return at_exits
        if issparse(X) and not self.plan.accepts_sparse:
            budgets = check_budget(budget, X.shape[0])
            parts = [
                self.answer(
                    block, budgets[rows] if budgets.ndim else budget, stop=stop, **options
                )
                for rows, block, options in self._dense_blocks(X, owned, failed, keys)
            ]  # fmt: skip
            scores, spent = zip(*parts, strict=True)
            return np.concatenate(scores), np.concatenate(spent)
        table, absent = self._table(X, budget, owned)
        n = table.shape[0]
        budgets = check_budget(budget, n)
        keys = None if keys is None else _as_keys(keys, n)
        largest = float(budgets.max(initial=0.0))
        if owned is None and largest > 0 and not within(self.plan.least_budget, largest):
            warnings.warn(self.plan.why_nothing_fits(largest), UserWarning, stacklevel=3)
        alike = n > 0 and budgets.ndim == 0 and owned is None and failed is None and not absent
        if alike and stop in (None, "none"):
            histories = shared_histories(self.plan, float(budgets))
            if histories is not None:
                answers = answer_all(self.plan, histories, table)
                return answers[:, 0], np.full(n, histories.spent[0])
        return replay_rows(
            self.plan, self.target, table, np.broadcast_to(budgets, n), keys=keys, stop=stop,
            **self._masks(n, owned, failed, absent),
        )  # fmt: skip

    def _masks(self, n: int, owned: Any, failed: Any, absent: list[int]) -> dict[str, Flags | None]:
        """Return what n rows own and cannot have, also because a frame lacks columns of it."""
        costs, columns = self.plan.costs, self.columns
        lacking = failed_items(failed, n, costs, columns)
        if absent:
            without = np.isin(np.arange(costs.n_items), costs.owners[absent])
            lacking = np.tile(without, (n, 1)) if lacking is None else lacking | without
        return {"owned": owned_items(owned, n, costs, columns), "failed": lacking}

    def predict(self, X: Any, budget: Any = None, **options: Any) -> NDArray[Any]:
        """Return labels or values. See `BudgetedEstimator.predict`."""
        return self.target.labels(self.answer(X, budget, **options)[0])

    def predict_proba(self, X: Any, budget: Any = None, **options: Any) -> Floats:
        """Return class probabilities."""
        return self.target.probabilities(self.answer(X, budget, **options)[0])

    def decision_function(self, X: Any, budget: Any = None, **options: Any) -> Floats:
        """Return scores in scikit-learn's shape."""
        return self.target.decisions(self.answer(X, budget, **options)[0])

    def spend(self, X: Any, budget: Any = None, **options: Any) -> Floats:
        """Return what each row pays."""
        return self.answer(X, budget, **options)[1]

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, budget: Any = None, **options: Any
    ) -> float:
        """Return the accuracy, or explained variance (R^2) for a regression."""
        from sklearn.metrics import accuracy_score, r2_score

        metric = r2_score if self.target.is_number else accuracy_score
        return float(metric(y, self.predict(X, budget, **options), sample_weight=sample_weight))

    def sweep(
        self, X: Any, budgets: Any, *, owned: Any = None, failed: Any = None, keys: Any = None,
        stop: str | None = None,
    ) -> Sweep:  # fmt: skip
        """Return answers and spend at many budgets, in one pass."""
        asked = check_budgets(budgets)
        if issparse(X) and not self.plan.accepts_sparse:
            sweeps = [
                self.sweep(block, asked, stop=stop, **options)
                for _, block, options in self._dense_blocks(X, owned, failed, keys)
            ]
            spent = np.concatenate([part.spent for part in sweeps])
            return Sweep(asked, spent, np.concatenate([s.scores for s in sweeps]), self.target)
        table, absent = self._table(X, asked, owned)
        n = table.shape[0]
        distinct, position = np.unique(asked, return_inverse=True)
        alike = owned is None and failed is None and not absent and stop in (None, "none")
        keys = None if keys is None else _as_keys(keys, n)
        histories = shared_histories(self.plan, *distinct.tolist()) if alike else None
        if histories is not None:
            spent = np.broadcast_to(histories.spent, (n, len(distinct)))
            scores = answer_all(self.plan, histories, table)
            sweep = Sweep(distinct, spent, scores, self.target, histories.run_of)
        else:
            sweep = replay(
                self.plan, self.target, table, distinct, stop=stop, keys=keys,
                **self._masks(n, owned, failed, absent),
            )  # fmt: skip
        if np.array_equal(asked, distinct):
            return sweep
        run_of = position if sweep.run_of is None else sweep.run_of[position]
        return Sweep(asked, sweep.spent[:, position], sweep.answers, self.target, run_of)

    def session(
        self,
        budget: float | None = None,
        *,
        key: int = 0,
        known: Mapping[str, Any] | None = None,
        owned: Iterable[str] = (),
        failed: Iterable[str] = (),
        stop: str | None = None,
    ) -> Session:
        """Return a session for one row. See `scrimp.runtime.session.Session`."""
        limit = float(check_budget(budget))
        return Session(
            self.plan, self.columns, self.target,
            budget=limit, key=key, known=known, owned=owned, failed=failed, stop=stop,
        )  # fmt: skip

    def _dense_blocks(
        self, X: Any, owned: Any, failed: Any, keys: Any
    ) -> Iterator[tuple[slice, Any, dict[str, Any]]]:
        """Yield blocks of rows of a sparse X as arrays, with their masks and keys."""
        X, (n, d) = X.tocsr(), X.shape
        keys = np.arange(n) if keys is None else np.asarray(keys)
        step = max(_DENSE_CELLS // max(d, 1), 1)
        for start in range(0, max(n, 1), step):
            rows = slice(start, min(start + step, n))
            masks = {
                name: mask[rows] if np.ndim(mask) == 2 else mask
                for name, mask in (("owned", owned), ("failed", failed))
            }
            yield rows, X[rows].toarray(), masks | {"keys": keys[rows]}

    def _table(self, X: Any, budgets: Any, owned: Any) -> tuple[Any, list[int]]:
        """Return X as numbers, columns in the order of training, and the columns that it lacks.

        A frame may lack columns that are not bought at these budgets, and, with a warning, others
        if the plan answers without them. Where items are owned, more of the others may be bought:
        every column that the model reads then counts as bought.
        """
        frame = as_frame(X)
        if frame is not None:
            self._warn_if_matched_by_position(frame)
            absent = self.columns.absent(X)
            if absent:
                limits = check_budgets(np.inf if budgets is None or owned is not None else budgets)
                judge = warn_of_absent if self.plan.plan.answers_without else refuse_absent
                judge(self.plan, absent, limits)
            return self.columns.encode(X, self.plan.columns_read.tolist(), absent), absent
        self.columns.refuse_arrays_for_categories()
        if not (type(X) is np.ndarray and X.dtype in FLOAT_DTYPES and X.ndim == 2 and len(X)):
            X = check_array(
                X, dtype=FLOAT_DTYPES, ensure_all_finite=False, accept_sparse="csr",
                ensure_min_samples=0,
            )  # fmt: skip
        return self.columns.check_array(X), []

    def _warn_if_matched_by_position(self, frame: Any) -> None:
        """Warn of a frame whose names the model does not know, as scikit-learn does."""
        expected = [self.columns.name(column) for column in range(len(self.columns))]
        if self.columns.names is None and [str(name) for name in frame.columns] != expected:
            warnings.warn(
                "X has feature names, but the model was fitted without feature names: its "
                "columns are taken by their position.",
                UserWarning,
                stacklevel=5,
            )


def _as_keys(keys: Any, n: int) -> NDArray[np.uint64]:
    values = np.asarray(keys)
    if values.shape != (n,) or values.dtype.kind not in "iu":
        raise ValueError(f"keys must be {n} whole numbers, one per row.")
    return values.astype(np.uint64)


def as_predictor(model: Any) -> Predictor:
    """Return the Predictor of a fitted estimator, or the model itself if it is one."""
    if isinstance(model, Predictor):
        return model
    if not hasattr(type(model), "predictor_"):
        raise TypeError(
            f"model is a {type(model).__name__}; expected a fitted scrimp estimator or a "
            "Predictor. Take the last step out of a pipeline, and the model out of at_budget."
        )
    predictor: Predictor = model.predictor_
    return predictor
