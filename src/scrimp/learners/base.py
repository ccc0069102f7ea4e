"""What every estimator shares: prediction on a budget, sweeps, sessions."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ..costs.costs import Costs
from ..costs.repricing import at_new_prices
from ..data.columns import Columns, as_frame
from ..data.error_costs import cost_matrix
from ..data.target import Target
from ..data.validation import FLOAT_DTYPES
from ..plans.priced_plan import PricedPlan
from ..runtime.confidence_threshold import StopGoal
from ..runtime.events import Handler
from ..runtime.predictor import Predictor
from ..runtime.ranking_exits import RankingGoal
from ..runtime.session import Session
from ..runtime.sweep import Sweep
from ..types import Floats
from .fit_context import check_callbacks, in_fit_context

#: Methods that train, each in the context of `in_fit_context`.
_TRAINING_METHODS = ("fit", "fit_chunks")
#: Where the predictor of a plan is kept.
_PREDICTOR = "predictor"


class BudgetedEstimator(BaseEstimator):
    """Base of all learners: `fit` sets `plan_`, `columns_` and `target_`; the rest is here.

    Each `fit` keeps to `max_seconds`, shows its progress as `verbose` says, and sets `in_time_`:
    whether it came to its end.
    """

    plan_: PricedPlan
    columns_: Columns
    target_: Target
    in_time_: bool
    max_seconds: float | None = None
    verbose: int | None = None
    _callbacks: tuple[Handler, ...] = ()
    #: Whether X may hold missing values without a parameter `missing`, and whether be sparse.
    _takes_missing: bool = False
    _takes_sparse: bool = False
    #: Codes of categories that are to be used, where a part of a larger table is learnt from.
    _known_columns: Columns | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        """Put the training methods of a class into their context, once."""
        super().__init_subclass__(**options)
        for name in _TRAINING_METHODS:
            if name in vars(cls):
                setattr(cls, name, in_fit_context(vars(cls)[name]))

    def set_callbacks(self, *callbacks: Handler) -> Self:
        """Have functions called with each progress event of a training; none removes them.

        Clones have the same callbacks. They are no parameters, and no part of files.

        Parameters
        ----------
        *callbacks : callables
            Functions of one argument, a `scrimp.runtime.events.Progress`. What they raise ends
            the training.

        Returns
        -------
        estimator
            This one.

        Examples
        --------
        >>> from scrimp import SequencedRegressor
        >>> from sklearn.datasets import load_diabetes
        >>> steps = []
        >>> model = SequencedRegressor().set_callbacks(lambda event: steps.append(event.done))
        >>> model = model.fit(*load_diabetes(return_X_y=True))
        >>> steps[-1]
        10
        """
        self._callbacks = check_callbacks(callbacks)
        return self

    def __sklearn_clone__(self) -> Self:
        """Return a clone with the same callbacks, as in scikit-learn."""
        copied: Self = super().__sklearn_clone__()
        return copied.set_callbacks(*self._callbacks) if self._callbacks else copied

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the callbacks: another process could not call them."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_callbacks"}

    @property
    def predictor_(self) -> Predictor:
        """The fitted plan with all that is needed to follow it; made once per plan."""
        if not hasattr(self, "plan_"):
            check_is_fitted(self, "plan_")
        cache, columns, target = self.plan_.cache, self.columns_, self.target_
        predictor: Predictor | None = cache.get(_PREDICTOR)
        if predictor is None or predictor.columns is not columns or predictor.target is not target:
            predictor = cache[_PREDICTOR] = Predictor(self.plan_, columns, target, self._info())
        return predictor

    def _info(self) -> dict[str, Any]:
        """Return what a model file tells people of the learner."""
        params = {name: _plain(value) for name, value in self.get_params(deep=False).items()}
        params.pop("verbose", None)  # says nothing of the model
        return {"learner": type(self).__name__, "params": params, **self._number_info()}

    def _number_info(self) -> dict[str, Any]:
        """Return the range of each number that the plan reads, and which are only 0 or 1."""
        columns: Columns = self.columns_
        known = columns.ranges
        if known is None:
            return {}
        read = self.plan_.columns_read
        has_range = np.isfinite(known.low) & np.isfinite(known.high) & ~columns.is_categorical()
        numbers = read[has_range[read]]
        ranges = np.column_stack([known.low, known.high])[numbers].tolist()
        names = [columns.name(column) for column in numbers.tolist()]
        binary = [columns.name(column) for column in numbers[known.binary[numbers]].tolist()]
        return {"ranges": dict(zip(names, ranges, strict=True)), "binary": binary}

    def predict(
        self, X: Any, budget: Any = None, *, owned: Any = None, failed: Any = None,
        keys: Any = None, stop: str | None = None,
    ) -> NDArray[Any]:  # fmt: skip
        """Predict, spending no more than the budget on any row.

        A classifier with an `error_cost` returns the class of least expected cost, others the
        most probable one.

        Parameters
        ----------
        X : array or data frame
            Columns that are not bought are not looked at. A frame is matched by name.
        budget : float or array (rows,), optional
            The most that each row may spend; None buys all the model was trained for.
        owned : list of str, bool array or data frame, optional
            What rows have already, free: names of columns or items, of all rows; or a mask over
            columns or items, for all rows or per row, as an array or as a frame that names them.
        failed : list of str, bool array or data frame, optional
            What cannot be had, as for `owned`. It is not paid for, and the model goes on without
            it as far as it can.
        keys : int array (rows,), optional
            Keys of the rows, for plans that draw at random.
        stop : {None, "certain", "confident"}
            ``certain`` buys nothing more once no purchase still to come could change the
            label: the labels are the same, the probabilities need not be.
        """
        return self.predictor_.predict(
            self._validated(X), budget, owned=owned, failed=failed, keys=keys, stop=stop
        )

    def spend(
        self, X: Any, budget: Any = None, *, owned: Any = None, failed: Any = None,
        keys: Any = None, stop: str | None = None,
    ) -> Floats:  # fmt: skip
        """What `predict` with the same arguments pays for each row."""
        return self.predictor_.spend(
            self._validated(X), budget, owned=owned, failed=failed, keys=keys, stop=stop
        )

    def sweep(
        self, X: Any, budgets: Any, *, owned: Any = None, failed: Any = None, keys: Any = None,
        stop: str | None = None,
    ) -> Sweep:  # fmt: skip
        """Answers and spend at many budgets, in one pass."""
        return self.predictor_.sweep(
            self._validated(X), budgets, owned=owned, failed=failed, keys=keys, stop=stop
        )

    def session(self, budget: float | None = None, **options: Any) -> Session:
        """A session for one row: ask, tell, read. See `scrimp.runtime.session.Session`."""
        return self.predictor_.session(budget, **options)

    def reprice(self, costs: Any) -> Self:
        """Return the fitted model at new prices of the same items, without training it again.

        What was learnt stays: votes, models, trees. What follows from prices is made again:
        chances of draws, which entry of a menu a budget pays for, and the sequence of a
        `SequencedRegressor`, whose sums are kept. Where the order is part of what was learnt
        it stays, and only the prices change; a training with the new prices may then find a
        better one. No row spends more than its budget at the new prices.

        Parameters
        ----------
        costs : Costs, mapping or array
            The same items, with the same columns and requirements, in any order; prices by
            the name of the item; or one price per item.

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
        >>> repriced = model.reprice([1.1 * price for price in heart.costs.prices])
        >>> round(repriced.plan_.price / model.plan_.price, 2)
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

    def _validated(self, X: Any) -> Any:
        """Return X once it has passed scikit-learn's checks; frames are matched by name later."""
        if as_frame(X) is not None:
            return X
        self.columns_.refuse_arrays_for_categories()
        return validate_data(
            self, X, reset=False, dtype=FLOAT_DTYPES, ensure_all_finite=False,
            accept_sparse="csr" if get_tags(self).input_tags.sparse else False,
            ensure_min_samples=0,
        )  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        """Say whether X may hold missing values, and whether it may be sparse."""
        tags = super().__sklearn_tags__()
        fills = getattr(self, "missing", "error") != "error"
        tags.input_tags.allow_nan = self._takes_missing or fills
        tags.input_tags.sparse = self._takes_sparse
        return tags


class BudgetedClassifier(ClassifierMixin, BudgetedEstimator):
    """Base of classifiers on a budget.

    All of them have the parameter `error_cost`. It decides between the classes at prediction
    time and leaves the training and the probabilities as they are: a threshold on
    probabilities is optimal for any costs, while weights in the training would have to be
    undone in the probabilities (Elkan 2001).
    """

    error_cost: Any = None

    def _class_target(
        self, classes: NDArray[Any], scale: float = 1.0, kind: str | None = None
    ) -> Target:
        """Return the target of these classes, which decides by `error_cost`."""
        kind = kind or ("binary" if len(classes) == 2 else "multiclass")
        costs = None if self.error_cost is None else cost_matrix(self.error_cost, classes)
        return Target(kind, classes, scale, costs)

    def calibrate_stop(
        self, X: Any, y: Any, *, max_increase: float | None = None,
        max_error: float | None = None, average_budget: float | None = None,
        error_cost: Any = None, delta: float = 0.05, budget: Any = None,
    ) -> Self:  # fmt: skip
        """Set the threshold of ``stop="confident"`` on rows that the model was not trained on.

        A row then stops buying when its predicted class is as probable as the threshold says.
        Exactly one goal is given.

        Parameters
        ----------
        X, y : table and array
            Held-out rows. What is promised holds for new rows like these.
        max_increase : float, optional
            The largest share of rows that the stop may turn from right to wrong; kept with a
            probability of at least 1 - `delta`.
        max_error : float, optional
            The largest share of wrong answers, kept with the same probability.
        average_budget : float, optional
            The largest mean spend: easy rows stop early, so that hard ones may go on. The budget
            of each row stays as hard as it is.
        error_cost : float, mapping or array, optional
            What errors cost, as in the constructor: spend plus cost of errors becomes least. There
            are then thresholds by spend: a row goes on while the expected gain of what it would
            buy exceeds the price.
        delta : float
            The probability with which a limit may be exceeded.
        budget : float, optional
            The budget of the predictions.

        Returns
        -------
        estimator
            This one; ``stop_calibration_`` tells what the threshold does on the held-out rows.

        Examples
        --------
        >>> from scrimp import SequencedClassifier
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = SequencedClassifier().fit(X[:300], y[:300])
        >>> model = model.calibrate_stop(X[300:], y[300:], max_increase=0.03)
        >>> model.stop_calibration_.spend < 0.5 * model.stop_calibration_.full_spend
        True
        """
        goal = StopGoal(max_increase, max_error, average_budget, error_cost, delta)
        predictor, self.stop_calibration_ = self.predictor_.calibrate_stop(
            self._validated(X), y, goal, budget
        )
        self.target_ = predictor.target
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels, sorted."""
        check_is_fitted(self, "plan_")
        return self.target_.classes

    def predict_proba(
        self, X: Any, budget: Any = None, *, owned: Any = None, failed: Any = None,
        keys: Any = None, stop: str | None = None,
    ) -> Floats:  # fmt: skip
        """Class probabilities. Arguments as in `predict`."""
        return self.predictor_.predict_proba(
            self._validated(X), budget, owned=owned, failed=failed, keys=keys, stop=stop
        )

    def decision_function(
        self, X: Any, budget: Any = None, *, owned: Any = None, failed: Any = None,
        keys: Any = None, stop: str | None = None,
    ) -> Floats:  # fmt: skip
        """Scores. Arguments as in `predict`."""
        return self.predictor_.decision_function(
            self._validated(X), budget, owned=owned, failed=failed, keys=keys, stop=stop
        )

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, budget: Any = None) -> float:
        """Accuracy at a budget."""
        return self.predictor_.score(self._validated(X), y, sample_weight, budget=budget)


class BudgetedRegressor(RegressorMixin, BudgetedEstimator):
    """Base of regressors on a budget."""

    def calibrate_stop(
        self, X: Any, y: Any, *, queries: Any, max_loss: float = 0.002, k: int = 10,
        delta: float = 0.05, budget: Any = None,
    ) -> Self:  # fmt: skip
        """Set early exits of a ranker, ``stop="confident"``, on queries it was not trained on.

        A row then buys nothing more when its score, for what it has spent, is so low that it will
        not be among the first `k` of its query. What a row buys depends on no other row.

        Parameters
        ----------
        X, y : table and array
            Rows of held-out queries, and their relevance. What is promised holds for new queries
            like these.
        queries : array (rows,)
            The query of each row.
        max_loss : float
            The largest fall of the mean NDCG at `k` over queries; kept with a probability of about
            1 - `delta`.
        k : int
            The ranks that count.
        delta : float
            The probability with which the limit may be exceeded.
        budget : float, optional
            The budget of the predictions.

        Returns
        -------
        estimator
            This one; ``stop_calibration_`` tells what the exits do to the held-out queries.

        Examples
        --------
        >>> from scrimp import SequencedRegressor
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(4000, 5))
        >>> relevance = np.clip(np.round(X @ [1.0, 0.8, 0.6, 0.4, 0.2]), 0, 4)
        >>> queries = np.repeat(np.arange(80), 50)
        >>> model = SequencedRegressor().fit(X[:2000], relevance[:2000])
        >>> model = model.calibrate_stop(
        ...     X[2000:], relevance[2000:], queries=queries[2000:], max_loss=0.01
        ... )
        >>> model.stop_calibration_.spend < 0.7 * model.stop_calibration_.full_spend
        True
        """
        goal = RankingGoal(max_loss, k, delta)
        predictor, self.stop_calibration_ = self.predictor_.calibrate_ranking_stop(
            self._validated(X), y, queries, goal, budget
        )
        self.target_ = predictor.target
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, budget: Any = None) -> float:
        """Explained variance (R^2) at a budget."""
        return self.predictor_.score(self._validated(X), y, sample_weight, budget=budget)


def _plain(value: Any) -> Any:
    """Return a parameter as JSON can hold it; anything else by its type."""
    if isinstance(value, np.ndarray | np.generic) and value.size <= 100:
        value = value.tolist()
    if isinstance(value, list | tuple) and len(value) <= 100:
        return [_plain(entry) for entry in value]
    simple = isinstance(value, bool | int | float | str | None) and value == value
    return value if simple else f"<{type(value).__name__}>"
