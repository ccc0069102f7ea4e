"""What every estimator shares: prediction on a budget, sweeps, sessions."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from ..costs.costs import Costs
from ..costs.repricing import at_new_prices
from ..data.columns import Columns, as_frame, learn_columns
from ..data.target import Target
from ..data.validation import FLOAT_DTYPES, check_budget
from ..plans.priced_plan import PricedPlan
from ..runtime.predictor import Predictor
from ..runtime.session import Session
from ..runtime.sweep import Sweep
from ..types import Floats


class BudgetedEstimator(BaseEstimator):
    """Base of all learners: `fit` sets `plan_`, `columns_` and `target_`; the rest is here."""

    plan_: PricedPlan
    columns_: Columns
    target_: Target
    #: Codes of categories that are to be used, where a part of a larger table is learnt from.
    _known_columns: Columns | None = None

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
            ``certain`` buys nothing more once no purchase still to come could change the
            label: the labels are the same, the probabilities need not be.
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
        """A session for one row: ask, tell, read. See `scrimp.runtime.session.Session`."""
        return self.predictor_.session(budget, **options)

    def reprice(self, costs: Any) -> Self:
        """The fitted model at new prices of the same items, without training it again.

        What was learnt stays: votes, models, trees. What follows from prices is made anew:
        chances of draws, which entry of a menu a budget pays for, and the sequence of a
        `SequencedRegressor`, whose sums are kept. Where the order is part of what was learnt
        it stays, and only the prices change; a training with the new prices may then find a
        better one. No row spends more than its budget at the new prices.

        Parameters
        ----------
        costs : Costs, mapping or array
            The same items, with the same columns and requirements, in any order; prices by
            the name of the item; or one price an item.

        Returns
        -------
        estimator
            A new one; this one is as it was.

        Raises
        ------
        ValueError
            If the items are not those of the model.

        Examples
        --------
        >>> from scrimp import BudgetedBoostingClassifier
        >>> from scrimp.datasets import load_heart
        >>> heart = load_heart()
        >>> model = BudgetedBoostingClassifier(heart.costs, n_rounds=20).fit(heart.X, heart.y)
        >>> dearer = model.reprice([1.1 * price for price in heart.costs.prices])
        >>> round(dearer.plan_.price / model.plan_.price, 2)
        1.1
        """
        check_is_fitted(self, "plan_")
        other = copy.copy(self)
        priced = at_new_prices(self.plan_.costs, costs)
        other.set_params(costs=priced)
        other._replan(priced)
        return other

    def _replan(self, costs: Costs) -> None:
        """Follow the new prices; the parameters have them already."""
        self.plan_ = self.plan_.repriced(costs)

    def _at_the_door(self, X: Any) -> tuple[Predictor, Any]:
        """The predictor, and X once it has passed scikit-learn's checks."""
        predictor = self.predictor_
        if as_frame(X) is None:
            predictor.columns.refuse_arrays_for_categories()
            X = validate_data(
                self, X, reset=False, dtype=FLOAT_DTYPES, ensure_all_finite=False,
                accept_sparse="csr" if get_tags(self).input_tags.sparse else False,
            )  # fmt: skip
        return predictor, X

    def _learn_table(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any], Columns]:
        """X as numbers, without a copy where it is an array of them; y; and the columns of X."""
        if as_frame(X) is None:
            table, y = validate_data(self, X, y, dtype=FLOAT_DTYPES, ensure_all_finite=False)
            return table, y, learn_columns(table)
        columns = self._known_columns or learn_columns(X)
        y = validate_data(self, X="no_validation", y=y)
        validate_data(self, X, skip_check_array=True)
        table = columns.encode(X)
        check_consistent_length(table, y)
        if len(table) == 0:
            raise ValueError("X has 0 rows; a minimum of 1 is required.")
        return table, y, columns


class BudgetedClassifier(ClassifierMixin, BudgetedEstimator):
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
        predictor, X = self._at_the_door(X)
        return predictor.score(X, y, sample_weight, budget=budget)


class BudgetedRegressor(RegressorMixin, BudgetedEstimator):
    """Base of regressors on a budget."""

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, budget: Any = None) -> float:
        """Explained variance (R^2) at a budget."""
        predictor, X = self._at_the_door(X)
        return predictor.score(X, y, sample_weight, budget=budget)


class AtBudget(BaseEstimator):
    """A fitted model at one budget, with scikit-learn's plain methods. See `at_budget`."""

    def __init__(self, model: Any, budget: float | None = None, stop: str | None = None) -> None:
        self.model = model
        self.budget = budget
        self.stop = stop

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit a clone of the model."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.model_ = clone(self.model).fit(X, y, **weights)
        return self

    @property
    def _fitted(self) -> Any:
        return getattr(self, "model_", self.model)

    def __getattr__(self, name: str) -> Any:
        """What the model learnt: classes_, n_features_in_, feature_names_in_, plan_, ..."""
        if name.endswith("_") and not name.startswith("_") and name != "model_":
            return getattr(self._fitted, name)
        raise AttributeError(f"AtBudget has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        """Fitted when the model is."""
        if isinstance(self._fitted, Predictor):
            return True
        try:
            check_is_fitted(self._fitted)
        except NotFittedError:
            return False
        return True

    def __sklearn_tags__(self) -> Any:
        """Tags of the model: a classifier stays a classifier."""
        if not isinstance(self.model, Predictor):
            return get_tags(self.model)
        regression = self.model.target.is_number
        return get_tags(BudgetedRegressor() if regression else BudgetedClassifier())

    @property
    def _options(self) -> dict[str, Any]:
        return {"budget": self.budget} | ({} if self.stop is None else {"stop": self.stop})

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict at the budget."""
        return np.asarray(self._fitted.predict(X, **self._options))

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities at the budget."""
        return np.asarray(self._fitted.predict_proba(X, **self._options))

    def decision_function(self, X: Any) -> Floats:
        """Scores at the budget."""
        return np.asarray(self._fitted.decision_function(X, **self._options))

    def spend(self, X: Any) -> Floats:
        """What each row pays."""
        return np.asarray(self._fitted.spend(X, **self._options))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy at the budget, or explained variance (R^2) of a regression."""
        metric = accuracy_score if is_classifier(self) else r2_score
        return float(metric(y, self.predict(X), sample_weight=sample_weight))


def at_budget(model: Any, budget: float | None, stop: str | None = None) -> AtBudget:
    """The model with plain ``predict(X)`` at one budget, for meta-estimators and scorers.

    >>> from scrimp import BudgetedBoostingClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = BudgetedBoostingClassifier(heart.costs, n_rounds=50).fit(heart.X, heart.y)
    >>> round(float(at_budget(model, 4.0).score(heart.X, heart.y)), 2)
    0.71
    """
    check_budget(budget)
    return AtBudget(model, budget, stop)


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON can hold them; anything else by its type."""
    return {name: _plain_value(value) for name, value in params.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic) and value.size <= 100:
        value = value.tolist()
    if isinstance(value, list | tuple) and len(value) <= 100:
        return [_plain_value(entry) for entry in value]
    simple = isinstance(value, bool | int | float | str | None) and value == value
    return value if simple else f"<{type(value).__name__}>"
