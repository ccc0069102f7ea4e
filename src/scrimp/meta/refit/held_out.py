"""Which prefixes of an order deserve a model, by their losses on rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from ...data.encoding import Encoding
from ...data.folds import splits_of, spread_folds
from ...data.training_rows import TrainingRows
from ...runtime.time_limit import time_share
from ...types import Floats
from ..cross_validation import clearly_better
from .prefix_models import fit_each

#: Folds of the rows.
N_FOLDS = 3
#: Rows with which nothing can be told from rows held out.
MIN_ROWS = 10
#: Rows from which on one fold is enough to tell a model from a better one.
ONE_FOLD_ROWS = 10_000
#: A prefix is worse than a shorter one if its loss is larger by so many standard errors of the
#: paired difference: a smaller one leaves out more models that are as good.
MIN_ERRORS = 1.0
#: The part of the time that the tests may take.
TIME_SHARE = 0.5


def worthwhile_prefixes(
    estimator: Any, rows: TrainingRows, encodings: Sequence[Encoding], prior: Floats, seed: int,
    n_jobs: int | None, memory: Any,
) -> list[int]:  # fmt: skip
    """Return the positions of the prefixes that beat the prior and are no worse than shorter ones.

    The losses are squared errors, or Brier scores; of classifiers without probabilities these
    count errors. The last prefix is compared with the prior alone, since with all columns the
    estimator is wanted for itself. A prefix that cannot be tested is among them.

    Parameters
    ----------
    estimator : estimator
        What is refitted.
    rows : TrainingRows
        All rows.
    encodings : sequence of Encoding
        The columns of each prefix.
    prior : float array (outputs,)
        The shares of the classes, or the mean.
    seed : int
        Draws the folds.
    n_jobs, memory
        As in `RefitClassifier`.
    """
    if len(rows) < MIN_ROWS:
        return list(range(len(encodings)))
    classes = np.unique(rows.y) if is_classifier(estimator) else None
    fold_of = spread_folds(rows.y, N_FOLDS, np.random.default_rng(seed), classes is not None)
    splits = splits_of(fold_of, 1 if len(rows) > ONE_FOLD_ROWS else N_FOLDS)
    if classes is not None and not hasattr(estimator, "predict_proba"):
        prior = np.eye(len(classes))[prior.argmax()]  # labels are compared with the common one
    losses: list[list[Floats]] = [[] for _ in encodings]
    with time_share(TIME_SHARE):
        for train, test in splits:
            tested = rows.taken(test)
            for outcome in fit_each(estimator, rows.taken(train), encodings, n_jobs, memory):
                if outcome.estimator is not None:
                    table = encodings[outcome.number].table(tested.table)
                    predictions = _predictions(outcome.estimator, table, classes)
                    losses[outcome.number].append(_losses(predictions, tested, classes))
    of_prior = [_losses(prior, rows.taken(test), classes) for _, test in splits]
    return _no_worse(
        [np.concatenate(parts) if len(parts) == len(splits) else None for parts in losses],
        np.concatenate(of_prior),
    )


def _no_worse(losses: Sequence[Floats | None], prior: Floats) -> list[int]:
    kept: list[int] = []
    shorter: list[Floats] = []
    for position, loss in enumerate(losses):
        if loss is None:
            kept.append(position)
            continue
        is_last = position == len(losses) - 1
        is_worse = not is_last and any(clearly_better(other, loss, MIN_ERRORS) for other in shorter)
        if loss.mean() < prior.mean() and not is_worse:
            kept.append(position)
            shorter.append(loss)
    return kept


def _predictions(model: Any, table: Floats, classes: NDArray[Any] | None) -> Floats:
    """Return numbers, or probabilities of all classes; 1 for the label where there are none."""
    if classes is None:
        return np.asarray(model.predict(table), dtype=np.float64).reshape(len(table), 1)
    predictions = np.zeros((len(table), len(classes)))
    if hasattr(model, "predict_proba"):
        predictions[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(table)
    else:
        labels = np.searchsorted(classes, model.predict(table))
        predictions[np.arange(len(table)), labels] = 1.0
    return predictions


def _losses(predictions: Floats, rows: TrainingRows, classes: NDArray[Any] | None) -> Floats:
    """Return the weighted squared error of each row; its sum over the classes."""
    truth = rows.y[:, None] if classes is None else rows.y[:, None] == classes
    return np.asarray(((predictions - truth) ** 2).sum(axis=1) * rows.weights_or_ones)
