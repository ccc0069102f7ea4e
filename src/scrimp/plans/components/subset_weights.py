"""The weights of functions in a sum, for any set of functions at hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ...data.validation import float_array, int_array
from ...types import Arrays, Flags, Floats, Ints

#: Sets whose weights are kept, at most.
_MAX_CACHED = 4096
#: The largest penalty, total and share: their squares are finite.
_LARGEST = 1e150


@dataclass(frozen=True, eq=False)
class SubsetWeights:
    r"""Quadratic models of the loss, minimised over the weights of the functions at hand.

    With :math:`z_c` the centred functions, :math:`H` the Hessian and :math:`g` the negative
    gradient of the loss, over all functions, the weights of a set S minimise

    .. math:: \tfrac12 w^\top H_{SS} w - g_S^\top w + \tfrac\lambda2 \sum_c (w_c - \bar w)^2

    where :math:`\bar w` is free: functions that the loss says little about keep a common
    weight. The result is multiplied by :math:`\max(0, 1 - 2d/Q)`, with :math:`Q = g^\top w`
    and d the degrees of freedom: a set that explains no more than chance would answers with
    the prior (James and Stein).

    A quadratic model holds near the weights where it was made. There is one of the prior and one
    of the weights of all functions; the share of the loss that a set explains by the first tells
    how the two are mixed, and interpolates intercept and scale. Sets that were tried on rows have
    the intercept and the weights that were found for them.

    Parameters
    ----------
    hessian : float array (2, functions, functions)
        The Hessian of the loss at the prior, and with all functions.
    gradient : float array (2, functions)
        The negative gradient at the weights 0 of both models.
    penalty : float
        The penalty :math:`\lambda` on weights that differ from each other.
    total : float
        The loss that there is to explain.
    full_share : float
        The share of it that all functions explain by the model of the prior.
    shares : float array (knots,)
        Shares that are explained, ascending; the first is 0.
    intercepts : float array (knots, outputs)
        The constant of the sum at each share; the first is the prior.
    scales : float array (knots,)
        The factor of the weights at each share.
    tried : int array (sets, functions)
        1 for the functions of each set that was tried on rows.
    tried_intercepts : float array (sets, outputs)
        The constants of these sets.
    tried_weights : float array (sets, functions)
        The weights of these sets.
    """

    hessian: Floats
    gradient: Floats
    penalty: float
    total: float
    full_share: float
    shares: Floats
    intercepts: Floats
    scales: Floats
    tried: Ints = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    tried_intercepts: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    tried_weights: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    _tried: dict[bytes, tuple[Floats, Floats]] = field(default_factory=dict, init=False)
    _cache: dict[bytes, tuple[Floats, Floats]] = field(default_factory=dict, init=False)

    #: A slight penalty on the common weight, so that it is always determined.
    common_penalty: ClassVar[float] = 0.01

    def __post_init__(self) -> None:
        """Convert the arrays and check their shapes."""
        for name, ndim in _NDIM.items():
            object.__setattr__(self, name, float_array(name, getattr(self, name), ndim))
        n, knots = self.n_functions, len(self.shares)
        if self.hessian.shape != (2, n, n) or len(self.gradient) != 2:
            raise ValueError(
                "hessian must be (2 x functions x functions), gradient (2 x functions)."
            )
        if not knots or len(self.intercepts) != knots or self.scales.shape != (knots,):
            raise ValueError("intercepts and scales must hold one entry per share.")
        if self.shares[0] != 0 or (np.diff(self.shares) <= 0).any():
            raise ValueError("shares must be ascending from 0.")
        if not (
            0 <= self.penalty <= _LARGEST
            and 0 < self.total <= _LARGEST
            and 0 <= self.full_share <= _LARGEST
        ):
            raise ValueError(
                "the penalty and the full share must be >= 0, the total > 0, and all "
                f"<= {_LARGEST:g}."
            )
        object.__setattr__(self, "tried", int_array("tried", self.tried, 2))
        sets = len(self.tried)
        shapes = (sets, n), (sets, self.intercepts.shape[1]), (sets, n)
        if sets and shapes != tuple(getattr(self, name).shape for name in _TRIED):
            raise ValueError("tried sets must have functions, an intercept and weights each.")
        if not all(np.isfinite(getattr(self, name)).all() for name in _NDIM):
            raise ValueError("weights must be finite.")
        answers = zip(self.tried_intercepts, self.tried_weights, strict=True)
        self._tried.update(
            (functions.astype(bool).tobytes(), answer)
            for functions, answer in zip(self.tried, answers, strict=True)
        )

    @property
    def n_functions(self) -> int:
        """The number of functions."""
        return int(self.gradient.shape[1])

    @property
    def prior(self) -> Floats:
        """The answer without any function."""
        prior: Floats = self.intercepts[0]
        return prior

    def of(self, at_hand: Flags) -> tuple[Floats, Floats]:
        """Return the intercept (outputs,) and the weights (functions,) of the functions at hand."""
        key = at_hand.tobytes()
        if key in self._tried:
            return self._tried[key]
        if key in self._cache:
            return self._cache[key]
        weights, factor, share = self._shrunk(at_hand)
        if share > 0 and self.full_share > 0:
            weights = self.minimise(at_hand, min(share / self.full_share, 1.0))[0]
        weights *= factor * np.interp(share, self.shares, self.scales)
        intercept = [np.interp(share, self.shares, column) for column in self.intercepts.T]
        if len(self._cache) >= _MAX_CACHED:
            self._cache.clear()
        return self._cache.setdefault(key, (np.array(intercept), weights))

    def explained_share(self, at_hand: Flags) -> float:
        """Return the share of the loss that a set explains beyond chance, by the prior's model."""
        return self._shrunk(at_hand)[2]

    def _shrunk(self, at_hand: Flags) -> tuple[Floats, float, float]:
        """Return weights by the prior's model, the factor to shrink them, and the share explained.

        The factor depends on what they explain with so many degrees of freedom.
        """
        weights, explained, freedom = self.minimise(at_hand)
        factor = max(0.0, 1.0 - 2.0 * freedom / explained) if explained > 0 else 0.0
        return weights, factor, factor * explained / self.total

    def minimise(self, at_hand: Flags, mixed: float = 0.0) -> tuple[Floats, float, float]:
        """Return the weights of a mixture of the models, what they explain, and their freedom."""
        weights = np.zeros(self.n_functions)
        chosen = np.flatnonzero(at_hand & (np.diagonal(self.hessian[0]) > 0))
        n = len(chosen)
        if not n:
            return weights, 0.0, 0.0
        parts = np.ix_(chosen, chosen)
        hessian = (1.0 - mixed) * self.hessian[0][parts] + mixed * self.hessian[1][parts]
        gradient = ((1.0 - mixed) * self.gradient[0] + mixed * self.gradient[1])[chosen]
        # the penalty on weights that differ, where the common weight is at its best
        common = self.penalty**2 / (self.penalty * n + self.common_penalty)
        penalties = self.penalty * np.eye(n) - common
        slight = 1e-9 * np.diag(np.diagonal(self.hessian[0])[chosen])
        factor = cho_factor(hessian + penalties + slight)
        weights[chosen] = cho_solve(factor, gradient)
        freedom = float(np.trace(cho_solve(factor, hessian)))
        return weights, float(gradient @ weights[chosen]), freedom

    def arrays(self) -> Arrays:
        """Return the model as arrays, for storage."""
        model = {name: getattr(self, name) for name in (*_NDIM, "tried")}
        if not len(self.tried):
            model = {name: array for name, array in model.items() if name not in _TRIED}
        return model | {"scalars": np.array([self.penalty, self.total, self.full_share])}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> SubsetWeights:
        """Return the model of stored `arrays`."""
        scalars = float_array("scalars", arrays["scalars"])
        if scalars.shape != (3,):
            raise ValueError("scalars must hold the penalty, the total and the full share.")
        penalty, total, full_share = scalars.tolist()
        return cls(
            penalty=penalty, total=total, full_share=full_share,
            **{name: arrays[name] for name in (*_NDIM, "tried") if name in arrays},
        )  # fmt: skip


#: The arrays of a model, and their dimensions.
_NDIM = {
    "hessian": 3, "gradient": 2, "shares": 1, "intercepts": 2, "scales": 1,
    "tried_intercepts": 2, "tried_weights": 2,
}  # fmt: skip
#: What is known of the sets that were tried; files of before have none.
_TRIED = ("tried", "tried_intercepts", "tried_weights")
