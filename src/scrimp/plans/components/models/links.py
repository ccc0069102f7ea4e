"""Link functions from sums to answers: class probabilities or predictions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit, softmax

from ....data.target import finite_exp
from ....data.validation import check_choice
from ....types import Floats


def _identity(sums: Floats) -> Floats:
    return sums


def _logistic(sums: Floats) -> Floats:
    """Return the probabilities of two classes from the log-odds of the second."""
    second = expit(sums[:, 0])
    return np.stack([1.0 - second, second], axis=1)


def _softmax(sums: Floats) -> Floats:
    probabilities: Floats = softmax(sums, axis=1)
    return probabilities


def _one_against_rest(sums: Floats) -> Floats:
    """Return the probability of each class against the others, scaled to sum to 1."""
    probabilities = expit(sums)
    total = probabilities.sum(axis=1, keepdims=True)
    even = np.full_like(probabilities, 1.0 / max(probabilities.shape[1], 1))
    divided: Floats = np.divide(probabilities, total, out=even, where=total > 0)
    return divided


def _exponential(sums: Floats) -> Floats:
    return finite_exp(sums)


LINKS: dict[str, Callable[[Floats], Floats]] = {
    "identity": _identity,
    "logistic": _logistic,
    "softmax": _softmax,
    "one-against-rest": _one_against_rest,
    "exponential": _exponential,
}


def outputs_of(link: str, n_sums: int) -> int:
    """Return the number of outputs of a link; raise ValueError if it is unknown or does not fit."""
    check_choice("link", link, tuple(LINKS))
    if n_sums < 1 or (link == "logistic" and n_sums != 1):
        raise ValueError(f"a {link} link cannot have {n_sums} sums.")
    return 2 if link == "logistic" else n_sums
