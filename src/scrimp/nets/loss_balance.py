r"""Weights of the losses of several exits, or of several tasks, that are trained together.

Hu, "Anytime Prediction and Learning for the Balance between Computation and Accuracy", PhD thesis,
Carnegie Mellon University 2019, chapter 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..data.validation import check_choice, check_number, check_whole, is_number
from ..types import Floats

#: The schemes; see `LossBalance`.
SCHEMES = (
    "adaloss", "const", "linear", "half-end", "opt", "scale-once", "gradient-norm", "minimax",
)  # fmt: skip
#: The weight of the first exit under ``linear``.
_FIRST_LINEAR = 0.25


class LossBalance:
    r"""Weights of the losses of several exits: :math:`B_i` of the sum :math:`\sum_i B_i\ell_i`.

    It needs no deep-learning library: call it with the losses of a step as numbers, and multiply
    the losses by what it returns. Weights are not to be differentiated.

    Parameters
    ----------
    n_losses : int
        Exits, or tasks.
    scheme : str
        ``adaloss``: :math:`B_i=(1-\gamma)\min_j m_j/m_i+\gamma`, where m is an exponential moving
        average of the losses, so that all weighted losses are about equal: it minimises the
        geometric mean of the expected losses. ``const``: 1. ``linear``: from 0.25 to 1.
        ``half-end``: half of the weight for the last, the other half spread evenly. ``opt``: 1 for
        one loss, 0 for the others. ``scale-once``: as ``adaloss``, but set once, from the averages
        after `warm_up` steps (Chen and Koltun 2017). ``gradient-norm``: as ``adaloss`` with the
        norms of gradients in place of the losses; these are given to each call. ``minimax``:
        multiplicative weights on the relative excess of each loss over that of an expert, which
        lower the largest excess.
    gamma : float
        The part of ``const`` in the mixture, from 0 to 1.
    momentum : float
        Of the moving average, from 0 to below 1.
    every : int
        Steps between two renewals of the weights; the average moves at each step.
    lower_bounds : float or array (losses,)
        The infimum of each loss, which is subtracted: log-likelihoods can be negative.
    floor : float
        The least average, in parts of the first one. A loss that reaches 0 would else leave all
        other weights at `gamma`.
    exit : int
        Of ``opt``: the loss that counts; the last by default.
    warm_up : int
        Of ``scale-once``: steps before the weights are set; they are 1 until then.
    experts : array (losses,), optional
        Of ``minimax``: what each loss is when it is trained for alone.
    rate : float
        Of ``minimax``: the step of the logarithms of the weights.
    normalise : bool
        Whether weights are divided by their mean. Their sum is else between about
        :math:`\gamma L` and L for ``adaloss``, and L for ``const``, so that the steps of an
        optimiser differ in size.

    Attributes
    ----------
    weights : float array (losses,)
        As they are now.
    averages : float array (losses,) or None
        The moving average of the losses, less their lower bounds; None before the first step.

    References
    ----------
    Hu, Dey, Hebert, Bagnell. Learning Anytime Predictions in Neural Networks via Adaptive Loss
    Balancing. AAAI 2019. Chen, Koltun. Photographic Image Synthesis with Cascaded Refinement
    Networks. ICCV 2017.

    Examples
    --------
    >>> balance = LossBalance(3, momentum=0.0, gamma=0.0)
    >>> balance([4.0, 2.0, 1.0]).tolist()
    [0.25, 0.5, 1.0]
    >>> LossBalance(3, "half-end")([1.0, 1.0, 1.0]).tolist()
    [0.75, 0.75, 1.5]
    """

    def __init__(
        self, n_losses: int, scheme: str = "adaloss", *, gamma: float = 0.05,
        momentum: float = 0.9, every: int = 1, lower_bounds: ArrayLike = 0.0, floor: float = 1e-3,
        exit: int | None = None, warm_up: int = 100, experts: ArrayLike | None = None,
        rate: float = 0.1, normalise: bool = False,
    ) -> None:  # fmt: skip
        check_choice("scheme", scheme, SCHEMES)
        check_whole("n_losses", n_losses, 1)
        check_number("gamma", gamma, 0.0, 1.0)
        if not is_number(momentum) or not 0.0 <= momentum < 1.0:
            raise ValueError(f"momentum is {momentum!r}; expected a number >= 0 and below 1.")
        check_number("floor", floor, 0.0, 1.0)
        check_number("rate", rate, 0.0)
        check_whole("every", every, 1)
        check_whole("warm_up", warm_up, 1)
        self.n_losses, self.scheme, self.gamma, self.momentum = n_losses, scheme, gamma, momentum
        self.every, self.floor, self.warm_up = every, floor, warm_up
        self.rate, self.normalise = rate, normalise
        self.lower_bounds = np.broadcast_to(np.asarray(lower_bounds, float), (n_losses,))
        self.exit = _check_exit(exit, n_losses)
        self.experts = _check_experts(experts, n_losses, scheme)
        self.n_steps = 0
        self.averages: Floats | None = None
        self._first: Floats | None = None
        self._logs = np.zeros(n_losses)
        self._weights = self._fixed()

    @property
    def weights(self) -> Floats:
        """The weights as they are now."""
        weights = self._weights
        return weights / weights.mean() if self.normalise else weights.copy()

    def __call__(
        self, losses: Sequence[Any] | Floats, gradient_norms: ArrayLike | None = None
    ) -> Floats:
        """Note the losses of a step, and return the weights for it.

        Parameters
        ----------
        losses : sequence of numbers (losses,)
            Of a mini-batch. Tensors of one number, with a method ``item``, are read by it.
        gradient_norms : array (losses,), optional
            Of ``gradient-norm``: the norm of the gradient of each loss.

        Returns
        -------
        weights : float array (losses,)

        Raises
        ------
        ValueError
            If a loss is not finite, or below its lower bound.
        """
        values = np.array(
            [float(getattr(loss, "item", lambda loss=loss: loss)()) for loss in losses]
        )
        if values.shape != (self.n_losses,):
            raise ValueError(f"{len(values)} losses were given; expected {self.n_losses}.")
        if not np.isfinite(values).all():
            raise ValueError(f"loss {np.flatnonzero(~np.isfinite(values))[0]} is not finite.")
        self._note(self._measured(values, gradient_norms))
        if (self.n_steps - 1) % self.every == 0:
            self._renew()
        return self.weights

    def _measured(self, values: Floats, gradient_norms: ArrayLike | None) -> Floats:
        """Return what is averaged: losses above their bounds, or norms of gradients."""
        if self.scheme == "gradient-norm":
            if gradient_norms is None:
                raise ValueError("the scheme 'gradient-norm' needs gradient_norms in each call.")
            norms = np.asarray(gradient_norms, dtype=float)
            if norms.shape != (self.n_losses,) or not (norms >= 0).all():
                raise ValueError(f"gradient_norms must be {self.n_losses} numbers >= 0.")
            return norms
        above = values - self.lower_bounds
        if (above < 0).any():
            number = int(np.flatnonzero(above < 0)[0])
            raise ValueError(
                f"loss {number} is {values[number]:g}, below its lower bound of "
                f"{self.lower_bounds[number]:g}; give lower_bounds."
            )
        return np.asarray(above)

    def _note(self, measured: Floats) -> None:
        """Move the averages; the first step starts them."""
        self.n_steps += 1
        if self.averages is None or self._first is None:
            self.averages, self._first = measured.copy(), measured.copy()
        else:
            self.averages = self.momentum * self.averages + (1 - self.momentum) * measured

    def _fixed(self) -> Floats:
        """Return the weights of a scheme that does not look at losses, and of others 1 each."""
        n, weights = self.n_losses, np.ones(self.n_losses)
        if self.scheme == "linear" and n > 1:
            return np.linspace(_FIRST_LINEAR, 1.0, n)
        if self.scheme == "half-end" and n > 1:
            weights[:] = n / 2 / (n - 1)
            weights[-1] = n / 2
        if self.scheme == "opt":
            weights[:] = np.arange(n) == self.exit
        return weights

    def _renew(self) -> None:
        """Set the weights by the averages."""
        if self.scheme in ("adaloss", "gradient-norm"):
            self._weights = self._inverse()
        elif self.scheme == "scale-once" and self.n_steps <= self.warm_up:
            self._weights = self._inverse() if self.n_steps == self.warm_up else self._weights
        elif self.scheme == "minimax":
            excess = (self._averages() - self.experts) / np.maximum(self.experts, 1e-12)
            self._logs += self.rate * (excess - excess.mean())
            self._logs -= self._logs.max()
            self._weights = np.maximum(np.exp(self._logs), self.gamma)

    def _inverse(self) -> Floats:
        """Return the mixture of 1 and of weights that make all weighted averages equal."""
        averages = self._averages()
        return np.asarray((1.0 - self.gamma) * averages.min() / averages + self.gamma)

    def _averages(self) -> Floats:
        """Return the averages, not below their floors."""
        if self.averages is None or self._first is None:
            raise ValueError("there were no losses yet.")
        return np.maximum(self.averages, np.maximum(self.floor * self._first, 1e-300))

    def state(self) -> dict[str, Any]:
        """Return all that changes, as JSON can hold it: `restore` goes on from it."""
        return {
            "n_steps": self.n_steps,
            "weights": self._weights.tolist(),
            "logs": self._logs.tolist(),
            "averages": None if self.averages is None else self.averages.tolist(),
            "first": None if self._first is None else self._first.tolist(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a `state`."""
        self.n_steps = int(state["n_steps"])
        self._weights, self._logs = np.array(state["weights"]), np.array(state["logs"])
        self.averages = None if state["averages"] is None else np.array(state["averages"])
        self._first = None if state["first"] is None else np.array(state["first"])


def _check_exit(exit_: int | None, n: int) -> int:
    number = n - 1 if exit_ is None else exit_
    if not isinstance(number, int | np.integer) or not -n <= number < n:
        raise ValueError(f"exit is {exit_!r}; expected the number of one of {n} losses.")
    return int(number) % n


def _check_experts(experts: ArrayLike | None, n: int, scheme: str) -> Floats:
    if scheme == "minimax" and experts is None:
        raise ValueError(
            "the scheme 'minimax' needs experts: what each loss is when it is trained for alone."
        )
    values = np.zeros(n) if experts is None else np.asarray(experts, dtype=float)
    if values.shape != (n,) or not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(f"experts must be {n} finite numbers >= 0.")
    return values
