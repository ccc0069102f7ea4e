"""Calibrated probabilities for any classifier on a budget, cross-fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, validate_data

from ...costs.costs import Costs
from ...data.columns import as_frame
from ...data.target import Target
from ...data.validation import FLOAT_DTYPES, check_choice, check_several
from ...learners.base import BudgetedClassifier, kept_positions
from ...plans import CalibratedPlan
from ...plans.priced_plan import PricedPlan
from ...runtime.events import Progress, emit
from ...types import Floats, Ints
from .fitting import METHODS, Labelled, constant_map, prior_of
from .knots import Purchases, check_fractions, price_fractions, same_for_all

TASK = "calibration"
#: Knots nearer than this are one.
_NEAR = 1e-6


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows with a positive weight; classes as positions in `classes`.

    `kept` says where they are among the rows as given.
    """

    X: Any
    y: NDArray[Any]
    weight: Floats | None
    classes: NDArray[Any]
    codes: Ints
    kept: Ints

    @property
    def mean_one(self) -> Floats:
        """Weights with mean 1."""
        if self.weight is None:
            return np.ones(len(self.y))
        return np.asarray(self.weight / self.weight.mean())

    def fit(self, estimator: Any, rows: Ints | None = None) -> Any:
        """An estimator fitted on some of the rows."""
        if rows is None:
            rows = np.arange(len(self.y))
        weights = {} if self.weight is None else {"sample_weight": self.weight[rows]}
        return estimator.fit(_safe_indexing(self.X, rows), self.y[rows], **weights)


class CalibratedClassifier(BudgetedClassifier):
    r"""A classifier on a budget whose probabilities mean what they say, at every budget.

    A model that is right at one budget may be far too sure at another. Clones are trained on
    parts of the rows and asked about the rows left out, at several fractions of the full
    price. The answers at each fraction, and what is true of these rows, give a map to
    calibrated probabilities, a *knot*. The final model is trained on all rows; it buys what
    `estimator` buys, and reads its answers through the map of what it knows (see
    `scrimp.plans.CalibratedPlan`).

    Parameters
    ----------
    estimator : scrimp classifier
        Not fitted.
    method : {"sigmoid", "isotonic", "temperature"}
        ``sigmoid``: for two classes Platt's sigmoid of the log-odds, with his smoothed
        targets; for more, a slope and a shift of each class's log-probability (vector
        scaling), with a ridge towards leaving it as it is. ``isotonic``: a curve that
        does not fall, for each class, normalised; for many rows. ``temperature``: one slope
        and no shift, which leaves every label as it is.
    cv : int, splitter of scikit-learn, or iterable of (train, test) positions
        Folds of the rows; an int is a number of stratified folds, fewer where a class has
        fewer rows. Splitters and positions are of the rows as given, those of weight 0 among
        them, which then have no part in a fold.
    fractions : array, optional
        Where to put knots: budgets as fractions of the full price, from 0 to 1. By default at
        up to forty of the steps in which the model buys, more of them early.
    costs : Costs, array, mapping or None
        Prices; None leaves those of `estimator`.
    random_state : int, RandomState or None
        Of the folds.

    Attributes
    ----------
    estimator_ : scrimp classifier
        Fitted on all rows.
    knots_ : float array (knots,)
        The part of the full price that was known at each map, on average.
    plan_ : PricedPlan
        The plan of `estimator_`, calibrated.

    Notes
    -----
    A clone would often buy other columns than the final model does for the same money. Where
    the model buys the same for all rows and uses all that it has (boosted stumps that skip what
    is too dear), clones are asked with just the items that the final model would have; others
    are asked at the same fraction of their own price.

    The label is the class of the largest calibrated probability, and may differ from that of
    `estimator_`, other than with ``temperature``. ``stop="certain"`` keeps the calibrated
    label. A fraction at which all rows get the same answer has no map of its own and uses its
    neighbour's. Without money and without free items the answer is the frequency of the
    classes in training.

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
    >>> booster = BudgetedBoostingClassifier(heart.costs)
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
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.fractions = fractions
        self.costs = costs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the model, and fit its maps to rows that its clones have not seen.

        Parameters
        ----------
        X, y
            As the estimator takes them.
        sample_weight : array (rows,), optional
            Weights of the rows in the training and in the maps; 0 leaves a row out.
        """
        check_choice("method", self.method, tuple(METHODS))
        _check_estimator(self.estimator)
        fractions = None if self.fractions is None else check_fractions(self.fractions)
        X, y = self._checked(X, y)
        rows = _rows(X, y, sample_weight)
        splits = self._splits(X, y, rows)
        model = rows.fit(self._unfitted())
        if fractions is None:
            fractions = price_fractions(model.plan_)
        logs, known = self._out_of_fold(rows, splits, fractions, model.plan_)
        self._adopt(model, rows, logs, known)
        return self

    def _unfitted(self) -> Any:
        model = clone(self.estimator)
        return model if self.costs is None else model.set_params(costs=self.costs)

    def _checked(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        """X and y, once they have passed scikit-learn's checks."""
        if as_frame(X) is None:
            X, y = validate_data(
                self, X, y, dtype=FLOAT_DTYPES, ensure_all_finite=False,
                accept_sparse="csr" if get_tags(self).input_tags.sparse else False,
            )  # fmt: skip
        else:
            y = validate_data(self, X="no_validation", y=y)
            validate_data(self, X, skip_check_array=True)
            check_consistent_length(X, y)
        check_classification_targets(y)
        return X, y

    def _splits(self, X: Any, y: NDArray[Any], rows: _Rows) -> list[tuple[Ints, Ints]]:
        """Folds of the rows that count; those that test none of them are left out."""
        cv = self.cv
        if isinstance(cv, int | np.integer):
            splits = self._stratified(int(cv), rows)
        else:
            given = cv.split(X, y) if hasattr(cv, "split") else cv
            splits = [s for s in kept_positions(given, rows.kept, len(y)) if len(s[1])]
        if not splits:
            raise ValueError("cv tests no row with a positive weight. Give other folds.")
        for train, _ in splits:
            if len(np.unique(rows.codes[train])) < len(rows.classes):
                raise ValueError("cv leaves a fold without a class. Use stratified folds.")
        return splits

    def _stratified(self, cv: int, rows: _Rows) -> list[tuple[Ints, Ints]]:
        if cv < 2:
            raise ValueError(f"cv is {cv}; expected a number of folds >= 2, or a splitter.")
        n = min(cv, int(np.bincount(rows.codes).min()))
        chance = check_random_state(self.random_state)
        folds = StratifiedKFold(n, shuffle=True, random_state=chance.randint(2**31 - 1))
        return list(folds.split(rows.X, rows.y))

    def _out_of_fold(
        self, rows: _Rows, splits: list[tuple[Ints, Ints]], fractions: Floats, final: PricedPlan
    ) -> tuple[Floats, Floats]:
        """Log-probabilities (rows x fractions x classes), and how much was known (fractions).

        A row that no fold tests has none: NaN.
        """
        same = same_for_all(final, fractions)
        shape = len(rows.y), len(fractions)
        logs, known = np.full((*shape, len(rows.classes)), np.nan), np.full(shape, np.nan)
        emit(Progress(TASK, 0, len(splits)))
        for done, (train, test) in enumerate(splits, start=1):
            model = rows.fit(self._unfitted(), train)
            X = _safe_indexing(rows.X, test)
            if same is None:
                scores, known[test] = _at_fractions(model, X, test, fractions)
            else:
                scores, known[test] = _with_items(model, X, same), same.fractions
            logs[test] = model.target_.log_probabilities(scores)
            emit(Progress(TASK, done, len(splits)))
        tested = np.isfinite(known[:, 0])
        return logs, np.average(known[tested], axis=0, weights=rows.mean_one[tested])

    def _adopt(self, model: Any, rows: _Rows, logs: Floats, known: Floats) -> None:
        """Become the calibrated model."""
        prior = prior_of(rows.codes, rows.mean_one, len(rows.classes))
        tested = np.isfinite(logs[:, 0, 0])
        knots: dict[float, Labelled] = {}
        for number in np.argsort(known, kind="stable").tolist():
            own = Labelled(logs[tested, number], rows.codes[tested], rows.mean_one[tested])
            if not own.is_flat and all(abs(known[number] - at) > _NEAR for at in knots):
                knots[float(np.round(known[number], 9))] = own
        maps = METHODS[self.method](list(knots.values())) if knots else constant_map(prior)
        self.knots_ = np.array(list(knots) or [1.0])
        self.estimator_, self.columns_ = model, model.columns_
        inner = model.plan_
        plan = CalibratedPlan(inner.plan, model.target_, self.knots_, maps, prior)
        self.plan_ = PricedPlan(plan, inner.costs)
        self.target_ = Target("shares", rows.classes)

    def _replan(self, costs: Costs) -> None:
        """The model within and its calibrated plan."""
        self.estimator_ = self.estimator_.reprice(costs)
        plan = cast(CalibratedPlan, self.plan_.plan)
        self.plan_ = PricedPlan(plan.around(self.estimator_.plan_.plan), costs)

    def __sklearn_tags__(self) -> Any:
        """The input that the estimator takes."""
        tags = super().__sklearn_tags__()
        theirs = get_tags(self.estimator).input_tags
        tags.input_tags.allow_nan, tags.input_tags.sparse = theirs.allow_nan, theirs.sparse
        return tags


def _rows(X: Any, y: NDArray[Any], sample_weight: Any) -> _Rows:
    """What there is to learn from."""
    weight, kept = None, np.arange(len(y))
    if sample_weight is not None:
        weight = _check_sample_weight(sample_weight, y[:, None], ensure_non_negative=True)
        kept = np.flatnonzero(weight > 0)
        X, y, weight = _safe_indexing(X, kept), y[kept], weight[kept]
    classes, codes = np.unique(y, return_inverse=True)
    _check_classes(classes, codes)
    return _Rows(X, y, weight, classes, codes, kept)


def _at_fractions(model: Any, X: Any, keys: Ints, fractions: Floats) -> tuple[Floats, Floats]:
    """Scores at fractions of a model's own price, and the part of it that was spent."""
    price = model.plan_.price
    # a row's own draws depend on the row, not on the fold it is in
    sweep = model.sweep(X, fractions * price, keys=keys)
    return sweep.scores, sweep.spent / price if price > 0 else np.ones_like(sweep.spent)


def _with_items(model: Any, X: Any, same: Purchases) -> Floats:
    """Scores (rows x sets x outputs) of a model that has just these items."""
    n = X.shape[0]
    answers = [model.sweep(X, [0.0], owned=same.as_frame(items, n)).scores for items in same.items]
    return np.concatenate(answers, axis=1)


def _check_estimator(estimator: Any) -> None:
    if not isinstance(estimator, BudgetedClassifier):
        raise TypeError(
            f"estimator is a {type(estimator).__name__}; expected a scrimp classifier. For others "
            "use sklearn.calibration.CalibratedClassifierCV."
        )


def _check_classes(classes: NDArray[Any], codes: Ints) -> None:
    check_several(classes)
    counts = np.bincount(codes)
    if counts.min() < 2:
        rare = classes[counts.argmin()]
        raise ValueError(
            f"The class {rare!r} has one row only, so that it cannot be both learnt and tested. "
            "Give two rows of each class at least."
        )
