"""Losses of generalised linear models: phi(eta) - y eta, and what they leave unexplained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp, softmax, xlogy

from ...kernels.softmax import softmax_rows
from ...types import Floats

#: Largest linear predictor of a count: exp of more is beyond any count, and sums overflow.
_MAX_ETA = 300.0


@dataclass(frozen=True)
class Family:
    """A loss of linear predictors eta (rows x outputs).

    Parameters
    ----------
    phi : function
        One number per row.
    mean : function
        Its gradient (rows x outputs), the expected response.
    link : function
        Predictors of given expected responses.
    curvature_of : function
        Second derivatives of phi (rows x outputs x outputs).
    saturated : function
        The least loss of each entry of Y.
    phi_and_mean : function, optional
        Both at once, where that takes less than one after the other.
    """

    phi: Callable[[Floats], Floats]
    mean: Callable[[Floats], Floats]
    link: Callable[[Floats], Floats]
    curvature_of: Callable[[Floats], Floats]
    saturated: Callable[[Floats], Floats] = np.zeros_like
    phi_and_mean: Callable[[Floats], tuple[Floats, Floats]] | None = None

    def value_and_mean(self, eta: Floats) -> tuple[Floats, Floats]:
        """Return phi (rows,) and the expected responses (rows x outputs), a new array."""
        return self.phi_and_mean(eta) if self.phi_and_mean else (self.phi(eta), self.mean(eta))

    def curvature(self, eta: Floats, weight: Floats) -> Floats:
        """Return weighted second derivatives (rows x outputs x outputs)."""
        return self.curvature_of(eta) * weight[:, None, None]

    def saturated_loss(self, Y: Floats, weight: Floats) -> float:
        """Return the loss of predicting each row by itself."""
        return float(weight @ self.saturated(Y).sum(axis=1))


def _log_odds(p: Floats) -> Floats:
    return np.log(p) - np.log1p(-p)


def _centred_logs(p: Floats) -> Floats:
    logs: Floats = np.log(p)
    return np.asarray(logs - logs.mean())


def _of_logistic(eta: Floats) -> Floats:
    p = expit(eta)
    return np.asarray(p * (1.0 - p))[:, :, None]


def _of_multinomial(eta: Floats) -> Floats:
    p = softmax(eta, axis=1)
    return np.asarray(p[:, :, None] * np.eye(p.shape[1]) - p[:, :, None] * p[:, None, :])


def _log_partition(eta: Floats) -> tuple[Floats, Floats]:
    """Return the logarithms of the sums of exponentials, and the softmax."""
    p, log_totals = np.empty_like(eta), np.empty(len(eta))
    softmax_rows(eta, p, log_totals)
    return log_totals, p


def _of_poisson(eta: Floats) -> Floats:
    return np.asarray(np.exp(np.minimum(eta, _MAX_ETA)))[:, :, None]


FAMILIES = {
    "logistic": Family(
        lambda eta: np.logaddexp(0.0, eta).sum(axis=1),
        lambda eta: np.asarray(expit(eta)),
        _log_odds,
        _of_logistic,
    ),
    "multinomial": Family(
        lambda eta: np.asarray(logsumexp(eta, axis=1)),
        lambda eta: np.asarray(softmax(eta, axis=1)),
        _centred_logs,
        _of_multinomial,
        phi_and_mean=_log_partition,
    ),
    "poisson": Family(
        lambda eta: np.exp(np.minimum(eta, _MAX_ETA)).sum(axis=1),
        lambda eta: np.exp(np.minimum(eta, _MAX_ETA)),
        np.log,
        _of_poisson,
        lambda Y: Y - xlogy(Y, Y),
    ),
}
