"""Cross-validated sweeps and curves, from out-of-fold predictions at all budgets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing

from ..data.folds import Splits, given_splits, repeated_splits
from ..data.validation import check_labels
from ..meta.cross_validation import evaluate_folds
from ..runtime.sweep import Sweep
from ..types import Floats, Ints
from .curve import Curve

TASK = "cross-validation"


def cross_sweep(
    estimator: Any,
    X: Any,
    y: Any,
    budgets: Any,
    *,
    cv: Any = 10,
    n_repeats: int = 1,
    random_state: Any = 0,
    stop: str | None = None,
) -> tuple[Sweep, NDArray[Any]]:
    """Return out-of-fold predictions at many budgets.

    For each fold a clone of the estimator is fitted on the other rows and swept over the
    rows of the fold.

    Parameters
    ----------
    estimator : scrimp estimator
        Not fitted.
    X : array or data frame (rows, columns)
        Rows.
    y : array (rows,)
        The target.
    budgets : array of numbers >= 0
        Budgets to predict at.
    cv : int, splitter or iterable of (train, test)
        An int is a number of folds, stratified for a classifier.
    n_repeats : int
        The number of divisions of the rows into folds; only for an int `cv`.
    random_state : int, RandomState or None
        Seed of the folds.
    stop : {None, "certain", "confident"}
        Whether to stop buying once the label is certain.

    Returns
    -------
    sweep : Sweep
        All rows in the order of X, then all rows again for each further repeat. (Rows that
        a splitter tests more or less often than others come in the order of X as well, as
        often as they were tested.)
    y : array
        The targets of these rows.

    Notes
    -----
    Repeats are not new rows: resampling all of them as if they were makes an interval too
    narrow. `cross_curve` avoids that.

    Examples
    --------
    >>> from scrimp import BudgetedBoostingClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = BudgetedBoostingClassifier(heart.costs, n_rounds=10)
    >>> sweep, y = cross_sweep(model, heart.X, heart.y, [0.0, 4.0], cv=5)
    >>> round(float((sweep.labels()[:, 1] == y).mean()), 1)
    0.8
    """
    y = np.asarray(y)
    splits = _splits(estimator, X, y, cv, n_repeats, random_state)

    def sweep_fold(train: Ints, test: Ints) -> Sweep:
        model = clone(estimator).fit(_safe_indexing(X, train), y[train])
        # the keys make the random draws of a row independent of the fold it is in
        sweep: Sweep = model.sweep(_safe_indexing(X, test), budgets, keys=test, stop=stop)
        return sweep

    parts = evaluate_folds(TASK, splits, sweep_fold)
    rows = np.concatenate([test for _, test in splits])
    order = np.lexsort((rows, _times_before(rows)))
    return stacked_sweep(parts, order), y[rows[order]]


def cross_curve(
    estimator: Any,
    X: Any,
    y: Any,
    budgets: Any,
    *,
    cv: int = 10,
    n_repeats: int = 1,
    random_state: Any = 0,
    stop: str | None = None,
    **options: Any,
) -> Curve:
    """Return the cross-validated quality against cost.

    The curve is the mean of the curves of the repeats, with the mean of their intervals:
    dividing the same rows again makes the estimate steadier, but adds no rows.

    Parameters
    ----------
    estimator, X, y, budgets, n_repeats, random_state, stop
        As in `cross_sweep`.
    cv : int
        Number of folds.
    **options
        As in `Curve.from_sweep`.

    Examples
    --------
    >>> from scrimp import BudgetedBoostingClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = BudgetedBoostingClassifier(heart.costs, n_rounds=10)
    >>> curve = cross_curve(model, heart.X, heart.y, [0.0, 4.0], cv=5, n_repeats=2)
    >>> round(curve.at(4.0).quality, 1)
    0.8
    """
    if not isinstance(cv, int | np.integer):
        raise TypeError(f"cv is a {type(cv).__name__}; expected a number of folds.")
    sweep, targets = cross_sweep(
        estimator, X, y, budgets, cv=cv, n_repeats=n_repeats, random_state=random_state, stop=stop
    )
    n = len(targets) // n_repeats
    curves = [
        Curve.from_sweep(
            _rows(sweep, slice(r * n, (r + 1) * n)), targets[r * n : (r + 1) * n], **options
        )
        for r in range(n_repeats)
    ]

    def mean(field: str) -> Floats:
        return np.asarray(np.mean([getattr(curve, field) for curve in curves], axis=0))

    first, spent, quality, low, high = curves[0], *map(mean, ("spent", "quality", "low", "high"))
    confusion = None if first.confusion is None else mean("confusion")
    return Curve(
        first.budgets, spent, quality, low, high, first.name, first.best, first.level, confusion,
        first.classes,
    )  # fmt: skip


def _splits(
    estimator: Any, X: Any, y: NDArray[Any], cv: Any, n_repeats: int, random_state: Any
) -> Splits:
    """Return stratified or plain folds for an int, else those that the user gives."""
    stratified = is_classifier(estimator)
    if stratified:
        check_labels(y)
    if isinstance(cv, int | np.integer):
        return repeated_splits(X, y, int(cv), n_repeats, random_state, stratified)
    if n_repeats != 1:
        raise ValueError(
            f"n_repeats is {n_repeats}, but cv is a {type(cv).__name__}, which has its own "
            "folds. Give cv as a number of folds, or leave n_repeats out."
        )
    splits = given_splits(cv, X, y)
    if not splits:
        raise ValueError("cv gives no folds; expected at least one pair of train and test rows.")
    return splits


def _times_before(rows: Ints) -> Ints:
    """Return for each entry how often the same row came before it."""
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    first = np.searchsorted(ordered, ordered)
    times = np.empty(len(rows), dtype=np.int64)
    times[order] = np.arange(len(rows)) - first
    return times


def stacked_sweep(parts: list[Sweep], order: Ints) -> Sweep:
    """Return the sweeps of several folds as one, with the rows in a given order."""
    target = parts[0].target
    if any(not np.array_equal(part.target.classes, target.classes) for part in parts):
        raise ValueError(
            "The folds differ in the classes of their training rows. "
            "Use fewer folds, or leave out classes with very few rows."
        )
    spent = np.concatenate([part.spent for part in parts])[order]
    scores = np.concatenate([part.scores for part in parts])[order]
    return Sweep(parts[0].budgets, spent, scores, target)


def _rows(sweep: Sweep, chosen: slice) -> Sweep:
    return Sweep(sweep.budgets, sweep.spent[chosen], sweep.scores[chosen], sweep.target)
