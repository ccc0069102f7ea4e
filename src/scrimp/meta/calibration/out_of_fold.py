"""Out-of-fold predictions of a classifier at several budgets, and the rows that they are for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from ...data.folds import Splits, given_splits, repeated_splits
from ...data.training_rows import TrainingRows, seed_from
from ...plans.priced_plan import PricedPlan
from ...types import Floats, Ints
from ..cross_validation import evaluate_folds
from .budget_fractions import Purchases, same_for_all

TASK = "calibration"


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows with a positive weight, as the inner estimators take them.

    Parameters
    ----------
    X : table
        These rows as they were given; arrays are checked.
    rows : TrainingRows
        Targets, weights and positions.
    classes : array
        Class labels, sorted.
    codes : int array (rows,)
        The class of each row, as a position in `classes`.
    """

    X: Any
    rows: TrainingRows
    classes: NDArray[Any]
    codes: Ints

    @classmethod
    def of(cls, X: Any, given: TrainingRows) -> LabelledRows:
        """Select the rows with a positive weight; each class must have two of them."""
        rows = given.of_positive_weight()
        classes, codes = rows.labelled()
        counts = np.bincount(codes)
        if counts.min() < 2:
            rare = classes[counts.argmin()]
            raise ValueError(
                f"The class {rare!r} has one row only, so that it cannot be both learnt and "
                "tested. Give two rows of each class at least."
            )
        return cls(rows.of_given(X), rows, classes, codes)

    @property
    def mean_one(self) -> Floats:
        """Weights with mean 1."""
        weights = self.rows.weights_or_ones
        return np.asarray(weights / weights.mean())

    def fit(self, estimator: Any, index: Ints | None = None) -> Any:
        """Return an estimator fitted on some of the rows, by default on all."""
        index = np.arange(len(self.codes)) if index is None else index
        weights = self.rows.weights
        options = {} if weights is None else {"sample_weight": weights[index]}
        return estimator.fit(_safe_indexing(self.X, index), self.rows.y[index], **options)

    def splits(self, cv: Any, X: Any, y: NDArray[Any], random_state: Any) -> Splits:
        """Return folds of these rows; folds that test none of them are left out.

        Parameters
        ----------
        cv : int, splitter or iterable of (train, test)
            An int is a number of stratified folds, fewer where a class has fewer rows.
        X, y : table and array
            All rows as given, which splitters and positions refer to.
        random_state : int, RandomState or None
            Seed of stratified folds.
        """
        if isinstance(cv, int | np.integer):
            if cv < 2:
                raise ValueError(f"cv is {cv}; expected a number of folds >= 2, or a splitter.")
            n_folds = min(int(cv), int(np.bincount(self.codes).min()))
            seed = seed_from(random_state)
            splits = repeated_splits(self.X, self.rows.y, n_folds, 1, seed, stratified=True)
        else:
            kept = np.arange(len(y)) if self.rows.kept is None else self.rows.kept
            splits = given_splits(cv, X, y, kept)
        for train, _ in splits:
            if len(np.unique(self.codes[train])) < len(self.classes):
                raise ValueError("cv leaves a fold without a class. Use stratified folds.")
        return splits


def oof_log_probabilities(
    rows: LabelledRows, splits: Splits, unfitted: Callable[[], Any], fractions: Floats,
    final: PricedPlan,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return out-of-fold log-probabilities and the mean spend at fractions of the full price.

    Parameters
    ----------
    rows : LabelledRows
        Rows to train and to test on.
    splits : list of (train, test)
        Folds of these rows.
    unfitted : callable
        Returns a new clone of the estimator.
    fractions : float array (fractions,)
        Budgets as fractions of the full price.
    final : PricedPlan
        The plan of the model that was fitted on all rows.

    Returns
    -------
    log_probabilities : float array (rows, fractions, classes)
        NaN for a row that no fold tests.
    spent : float array (fractions,)
        The mean part of the full price that was spent at each fraction.
    """
    same = same_for_all(final, fractions)
    shape = len(rows.codes), len(fractions)
    logs, spent = np.full((*shape, len(rows.classes)), np.nan), np.full(shape, np.nan)

    def test_clone(train: Ints, test: Ints) -> None:
        model = rows.fit(unfitted(), train)
        X = _safe_indexing(rows.X, test)
        if same is None:
            scores, spent[test] = _at_fractions(model, X, test, fractions)
        else:
            scores, spent[test] = _with_items(model, X, same), same.fractions
        logs[test] = model.target_.log_probabilities(scores)

    evaluate_folds(TASK, splits, test_clone)
    tested = np.isfinite(spent[:, 0])
    return logs, np.average(spent[tested], axis=0, weights=rows.mean_one[tested])


def _at_fractions(model: Any, X: Any, keys: Ints, fractions: Floats) -> tuple[Floats, Floats]:
    """Return scores at fractions of a model's full price, and the part of it that was spent."""
    price = model.plan_.price
    # the keys make the random draws of a row independent of the fold it is in
    sweep = model.sweep(X, fractions * price, keys=keys)
    return sweep.scores, sweep.spent / price if price > 0 else np.ones_like(sweep.spent)


def _with_items(model: Any, X: Any, same: Purchases) -> Floats:
    """Return scores (rows, sets, outputs) of a model that is given exactly these items."""
    n = X.shape[0]
    scores = [model.sweep(X, [0.0], owned=same.as_frame(items, n)).scores for items in same.items]
    return np.concatenate(scores, axis=1)
