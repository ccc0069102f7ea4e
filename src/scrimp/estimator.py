"""What every estimator shares: prediction on a budget, sweeps, sessions."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from .columns import Columns, as_frame, learn_columns
from .costs import Costs
from .ledger import within
from .plan import Floats, Ints, PricedPlan
from .replay import Sweep, replay
from .session import Session
from .target import Target
from .validation import check_budget, check_budgets

_FLOATS = (np.float64, np.float32)


@dataclass(frozen=True, eq=False)
class Predictor:
    """A fitted plan with all that is needed to follow it: what a model file holds.

    Parameters
    ----------
    plan : PricedPlan
        Stages and prices.
    columns : Columns
        Names and categories of the columns.
    target : Target
        What the scores mean.
    info : dict
        Where the plan came from, for people: the learner's name and parameters.
    """

    plan: PricedPlan
    columns: Columns
    target: Target
    info: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Check that the parts speak of the same columns and outputs."""
        if len(self.columns) != self.plan.costs.n_columns:
            raise ValueError("columns and costs differ in the number of columns.")
        if self.target.n_outputs != self.plan.plan.n_outputs:
            raise ValueError("plan and target differ in the number of outputs.")

    @property
    def costs(self) -> Costs:
        """Items and prices."""
        return self.plan.costs

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels."""
        return self.target.classes

    def answer(
        self, X: Any, budget: Any = None, *, owned: Any = None, keys: Any = None,
        stop: str | None = None,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """Scores (rows x outputs) and spend (rows) at one budget, or one a row."""
        table = self._table(X)
        budgets = check_budget(budget, len(table))
        self._warn_if_nothing_fits(budgets, owned)
        distinct, budget_of = np.unique(budgets, return_inverse=True)
        scores, spent = replay(
            self.plan, self.target, table, distinct,
            budget_of=np.broadcast_to(budget_of.reshape(-1), len(table)),
            keys=_as_keys(keys, len(table)), owned=self._owned(owned, len(table)), stop=stop,
        )  # fmt: skip
        return scores[:, 0], spent[:, 0]

    def predict(self, X: Any, budget: Any = None, **options: Any) -> NDArray[Any]:
        """Labels or values. See `BudgetedEstimator.predict`."""
        return self.target.labels(self.answer(X, budget, **options)[0])

    def predict_proba(self, X: Any, budget: Any = None, **options: Any) -> Floats:
        """Class probabilities."""
        return self.target.probabilities(self.answer(X, budget, **options)[0])

    def decision_function(self, X: Any, budget: Any = None, **options: Any) -> Floats:
        """Scores in scikit-learn's shape."""
        return self.target.decisions(self.answer(X, budget, **options)[0])

    def spend(self, X: Any, budget: Any = None, **options: Any) -> Floats:
        """What each row pays."""
        return self.answer(X, budget, **options)[1]

    def sweep(
        self, X: Any, budgets: Any, *, owned: Any = None, keys: Any = None, stop: str | None = None
    ) -> Sweep:
        """Answers and spend at many budgets, in one pass."""
        table = self._table(X)
        asked = check_budgets(budgets)
        distinct, position = np.unique(asked, return_inverse=True)
        scores, spent = replay(
            self.plan, self.target, table, distinct,
            keys=_as_keys(keys, len(table)), owned=self._owned(owned, len(table)), stop=stop,
        )  # fmt: skip
        if not np.array_equal(asked, distinct):
            scores, spent = scores[:, position], spent[:, position]
        return Sweep(asked, spent, scores, self.target)

    def session(
        self,
        budget: float | None = None,
        *,
        key: int = 0,
        known: Mapping[str, Any] | None = None,
        owned: Iterable[str] = (),
        stop: str | None = None,
    ) -> Session:
        """A session for one row. See `scrimp.session.Session`."""
        limit = float(check_budget(budget))
        return Session(
            self.plan, self.columns, self.target,
            budget=limit, key=key, known=known, owned=owned, stop=stop,
        )  # fmt: skip

    def _table(self, X: Any) -> NDArray[Any]:
        if as_frame(X) is not None:
            return self.columns.encode(X, only=self.plan.plan.columns_read().tolist())
        array = check_array(X, dtype=_FLOATS, ensure_all_finite=False)
        return self.columns.encode(array)

    def _owned(self, owned: Any, n: int) -> NDArray[np.bool_] | None:
        """A mask over items (rows x items), ancestors included, from one over items or columns."""
        if owned is None:
            return None
        mask = np.asarray(owned)
        costs = self.costs
        if mask.dtype != bool or mask.ndim not in (1, 2):
            raise ValueError("owned must be a boolean mask over columns or items, for all rows or a row.")
        mask = np.broadcast_to(mask, (n, mask.shape[-1])) if mask.ndim == 1 else mask
        if len(mask) != n or mask.shape[1] not in (costs.n_columns, costs.n_items):
            raise ValueError(
                f"owned has the shape {mask.shape}; expected {n} rows and as many columns as "
                f"X ({costs.n_columns}) or the price list's items ({costs.n_items})."
            )
        if mask.shape[1] == costs.n_columns:
            mask = np.stack(
                [mask[:, own].all(axis=1) if own else np.zeros(n, bool) for own in costs.columns],
                axis=1,
            )
        full = np.zeros((n, costs.n_items), dtype=bool)
        for item, closure in enumerate(costs.closures):
            full[:, closure] |= mask[:, [item]]
        return full

    def _warn_if_nothing_fits(self, budgets: Floats, owned: Any) -> None:
        largest, plan = budgets.max(initial=0.0), self.plan
        if owned is not None or not plan.needs or largest == 0:
            return
        least, first = min((plan.costs.price_of(needs), needs[-1]) for needs in plan.needs)
        if not within(least, largest):
            warnings.warn(
                f"The cheapest purchase, {plan.costs.names[first]!r}, costs {least:g} but the "
                f"budget is {largest:g}, so nothing is bought and the answer is the prior. "
                "Raise the budget or call predict(X) without one.",
                UserWarning,
                stacklevel=4,
            )


def _as_keys(keys: Any, n: int) -> NDArray[np.uint64] | None:
    if keys is None:
        return None
    values = np.asarray(keys)
    if values.shape != (n,) or values.dtype.kind not in "iu":
        raise ValueError(f"keys must be {n} whole numbers, one a row.")
    return values.astype(np.uint64)


class BudgetedEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of all learners: `fit` sets `plan_`, `columns_` and `target_`; the rest is here."""

    plan_: PricedPlan
    columns_: Columns
    target_: Target

    @property
    def predictor_(self) -> Predictor:
        """The fitted plan with all that is needed to follow it."""
        check_is_fitted(self, "plan_")
        info = {"learner": type(self).__name__, "params": _plain(self.get_params(deep=False))}
        return Predictor(self.plan_, self.columns_, self.target_, info)

    def predict(
        self, X: Any, budget: Any = None, *, owned: Any = None, keys: Any = None,
        stop: str | None = None,
    ) -> NDArray[Any]:  # fmt: skip
        """Predict, spending no more than the budget on any row.

        Parameters
        ----------
        X : array or data frame
            Columns that are not bought are not looked at. A frame is matched by name.
        budget : float or array (rows,), optional
            The most that each row may spend; None buys all the model was trained for.
        owned : bool array, optional
            What rows have already, free: a mask over columns or items, for all rows or a row.
        keys : int array (rows,), optional
            Keys of the rows, for plans that draw at random.
        stop : {None, "certain"}
            ``certain`` buys nothing more once that could not change the label.
        """
        predictor, X = self._at_the_door(X)
        return predictor.predict(X, budget, owned=owned, keys=keys, stop=stop)

    def spend(
        self, X: Any, budget: Any = None, *, owned: Any = None, keys: Any = None,
        stop: str | None = None,
    ) -> Floats:  # fmt: skip
        """What `predict` with the same arguments pays for each row."""
        predictor, X = self._at_the_door(X)
        return predictor.spend(X, budget, owned=owned, keys=keys, stop=stop)

    def sweep(
        self, X: Any, budgets: Any, *, owned: Any = None, keys: Any = None, stop: str | None = None
    ) -> Sweep:
        """Answers and spend at many budgets, in one pass."""
        predictor, X = self._at_the_door(X)
        return predictor.sweep(X, budgets, owned=owned, keys=keys, stop=stop)

    def session(self, budget: float | None = None, **options: Any) -> Session:
        """A session for one row: ask, tell, read. See `scrimp.session.Session`."""
        return self.predictor_.session(budget, **options)

    def _at_the_door(self, X: Any) -> tuple[Predictor, Any]:
        """The predictor, and X once it has passed scikit-learn's checks."""
        predictor = self.predictor_
        if as_frame(X) is None:
            X = validate_data(self, X, reset=False, dtype=_FLOATS, ensure_all_finite=False)
        return predictor, X

    def _learn_table(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Learn the columns; X as numbers, without a copy where it is an array of them, and y."""
        if as_frame(X) is None:
            table, y = validate_data(self, X, y, dtype=_FLOATS, ensure_all_finite=False)
            self.columns_ = learn_columns(table)
            return table, y
        self.columns_ = learn_columns(X)
        validate_data(self, X, skip_check_array=True)
        y = validate_data(self, X="no_validation", y=y)
        table = self.columns_.encode(X)
        check_consistent_length(table, y)
        if len(table) == 0:
            raise ValueError("X has 0 rows; a minimum of 1 is required.")
        return table, y


class BudgetedClassifier(ClassifierMixin, BudgetedEstimator):  # type: ignore[misc]
    """Base of classifiers on a budget."""

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels, sorted."""
        check_is_fitted(self, "plan_")
        return self.target_.classes

    def predict_proba(
        self, X: Any, budget: Any = None, *, owned: Any = None, keys: Any = None,
        stop: str | None = None,
    ) -> Floats:  # fmt: skip
        """Class probabilities. Arguments as in `predict`."""
        predictor, X = self._at_the_door(X)
        return predictor.predict_proba(X, budget, owned=owned, keys=keys, stop=stop)

    def decision_function(
        self, X: Any, budget: Any = None, *, owned: Any = None, keys: Any = None,
        stop: str | None = None,
    ) -> Floats:  # fmt: skip
        """Scores. Arguments as in `predict`."""
        predictor, X = self._at_the_door(X)
        return predictor.decision_function(X, budget, owned=owned, keys=keys, stop=stop)

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, budget: Any = None) -> float:
        """Accuracy at a budget."""
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(y, self.predict(X, budget), sample_weight=sample_weight))


class BudgetedRegressor(RegressorMixin, BudgetedEstimator):  # type: ignore[misc]
    """Base of regressors on a budget."""

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, budget: Any = None) -> float:
        """Explained variance (R^2) at a budget."""
        from sklearn.metrics import r2_score

        return float(r2_score(y, self.predict(X, budget), sample_weight=sample_weight))


class AtBudget(BaseEstimator):  # type: ignore[misc]
    """A fitted model at one budget, with scikit-learn's plain methods. See `at_budget`."""

    def __init__(self, model: Any, budget: float | None = None, stop: str | None = None) -> None:
        self.model = model
        self.budget = budget
        self.stop = stop

    def fit(self, X: Any, y: Any = None, **options: Any) -> Self:
        """Fit a clone of the model."""
        from sklearn.base import clone

        self.model_ = clone(self.model).fit(X, y, **options)
        return self

    @property
    def _fitted(self) -> Any:
        return getattr(self, "model_", self.model)

    def __sklearn_is_fitted__(self) -> bool:
        """Fitted when the model is."""
        return hasattr(self._fitted, "plan_") or isinstance(self._fitted, Predictor)

    def __sklearn_tags__(self) -> Any:
        """Tags of the model: a classifier stays a classifier."""
        tags = getattr(self.model, "__sklearn_tags__", super().__sklearn_tags__)()
        return tags

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels of the model."""
        classes: NDArray[Any] = self._fitted.classes_
        return classes

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict at the budget."""
        return np.asarray(self._fitted.predict(X, self.budget, stop=self.stop))

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities at the budget."""
        return np.asarray(self._fitted.predict_proba(X, self.budget, stop=self.stop))

    def decision_function(self, X: Any) -> Floats:
        """Scores at the budget."""
        return np.asarray(self._fitted.decision_function(X, self.budget, stop=self.stop))

    def score(self, X: Any, y: Any) -> float:
        """The model's score at the budget."""
        return float(self._fitted.score(X, y, budget=self.budget))


def at_budget(model: Any, budget: float | None, stop: str | None = None) -> AtBudget:
    """The model with plain ``predict(X)`` at one budget, for meta-estimators and scorers.

    >>> from scrimp import BudgetedBoostingClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = BudgetedBoostingClassifier(heart.costs, n_rounds=50).fit(heart.X, heart.y)
    >>> round(float(at_budget(model, 4.0).score(heart.X, heart.y)), 2)
    0.78
    """
    check_budget(budget)
    return AtBudget(model, budget, stop)


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON can hold them; anything else by its type."""
    plain = (bool, int, float, str, type(None))
    return {k: v if isinstance(v, plain) else f"<{type(v).__name__}>" for k, v in params.items()}


__all__ = [
    "AtBudget",
    "BudgetedClassifier",
    "BudgetedEstimator",
    "BudgetedRegressor",
    "Ints",
    "Predictor",
    "at_budget",
]
