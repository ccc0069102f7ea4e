"""Maps from the log-probabilities of a plan to calibrated ones, one map a knot.

A map gives each class a weight that rises with the class's own log-probability, and the
calibrated probabilities are the weights over their sum.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ...data.validation import float_array, int_array
from ...types import Arrays, Floats


class Maps(Protocol):
    """What a calibrated plan reads its scores through.

    Attributes
    ----------
    kind : str
        Its name in model files.
    """

    kind: ClassVar[str]

    def __len__(self) -> int:
        """How many there are."""

    @property
    def n_classes(self) -> int:
        """How many classes they weigh."""

    def inputs(self, logs: Floats) -> Floats:
        """What the maps look at (rows x classes), from log-probabilities."""

    def log_weights(self, knot: int, inputs: Floats) -> Floats:
        """Logarithms of the weights (rows x classes); each rises with its own input alone."""

    def arrays(self) -> Arrays:
        """All there is to them, for storage."""

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """The inverse of `arrays`; refuses what does not fit."""


class PowerMaps:
    """Weights q^slope e^shift of a probability q: Platt's sigmoid, vector and temperature scaling.

    Parameters
    ----------
    slope : float array (knots, classes)
        >= 0.
    shift : float array (knots, classes)
        On the scale of logarithms.
    """

    kind: ClassVar[str] = "power"

    def __init__(self, slope: ArrayLike, shift: ArrayLike) -> None:
        self.slope, self.shift = float_array("slope", slope, 2), float_array("shift", shift, 2)
        if self.slope.shape != self.shift.shape or not self.slope.size:
            raise ValueError("slope and shift must be (knots x classes), with one knot at least.")
        if not (np.isfinite(self.slope) & (self.slope >= 0) & np.isfinite(self.shift)).all():
            raise ValueError("slope and shift must be finite, and slope >= 0.")

    def __len__(self) -> int:
        return len(self.slope)

    @property
    def n_classes(self) -> int:
        """How many classes they weigh."""
        return int(self.slope.shape[1])

    def inputs(self, logs: Floats) -> Floats:
        """The log-probabilities themselves."""
        return logs

    def log_weights(self, knot: int, inputs: Floats) -> Floats:
        """Straight lines."""
        return np.asarray(inputs * self.slope[knot] + self.shift[knot])

    def arrays(self) -> Arrays:
        """The table as arrays, for storage."""
        return {"slope": self.slope, "shift": self.shift}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> PowerMaps:
        """The inverse of `arrays`."""
        return cls(arrays["slope"], arrays["shift"])


class IsotonicMaps:
    """Weights that rise in steps with the log-odds of a class, with straight lines between.

    Parameters
    ----------
    curves : sequence of sequences of pairs of float arrays
        For each knot and class: ascending log-odds, and weights > 0 that do not fall.
    """

    kind: ClassVar[str] = "isotonic"

    def __init__(self, curves: list[list[tuple[Any, Any]]]) -> None:
        self._curves = [
            [(float_array("odds", x), float_array("weight", y)) for x, y in knot] for knot in curves
        ]
        if not curves or not curves[0] or len({len(knot) for knot in curves}) > 1:
            raise ValueError("isotonic maps need one curve a knot and class.")
        for x, y in (curve for knot in self._curves for curve in knot):
            if not len(x) or x.shape != y.shape or not np.isfinite(x).all():
                raise ValueError("a curve needs as many finite odds as weights, one at least.")
            if (np.diff(x) <= 0).any() or (np.diff(y) < 0).any() or not 0 < y[0] <= y[-1] <= 1:
                raise ValueError("the odds of a curve must rise; its weights must not fall.")

    def __len__(self) -> int:
        return len(self._curves)

    @property
    def n_classes(self) -> int:
        """How many classes they weigh."""
        return len(self._curves[0])

    def inputs(self, logs: Floats) -> Floats:
        """The log-odds of each class against all others."""
        return class_odds(logs)

    def log_weights(self, knot: int, inputs: Floats) -> Floats:
        """Where the curves are."""
        values = [np.interp(inputs[:, k], *curve) for k, curve in enumerate(self._curves[knot])]
        return np.log(np.stack(values, axis=1))

    def arrays(self) -> Arrays:
        """The curves one after the other, for storage."""
        flat = [curve for knot in self._curves for curve in knot]
        sizes = np.array([len(x) for x, _ in flat], dtype=np.int64)
        return {
            "odds": np.concatenate([x for x, _ in flat]),
            "weight": np.concatenate([y for _, y in flat]),
            "sizes": sizes.reshape(len(self), self.n_classes),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> IsotonicMaps:
        """The inverse of `arrays`."""
        sizes = int_array("sizes", arrays["sizes"], 2)
        flat = sizes.ravel().tolist()
        odds, weight = arrays["odds"], arrays["weight"]
        if min(flat, default=0) < 0 or not sum(flat) == len(odds) == len(weight):
            raise ValueError("sizes do not add up to odds and weight.")
        parts = [(odds[a:b], weight[a:b]) for a, b in pairwise(np.cumsum([0, *flat]).tolist())]
        k = sizes.shape[1]
        return cls([parts[start : start + k] for start in range(0, len(parts), k)] if k else [])


def class_odds(logs: Floats) -> Floats:
    """The log-odds of each class against all others (rows x classes), from log-probabilities."""
    if logs.shape[1] == 2:
        return np.asarray(logs - logs[:, ::-1])
    others = [logsumexp(np.delete(logs, k, axis=1), axis=1) for k in range(logs.shape[1])]
    return np.asarray(logs - np.stack(others, axis=1))


#: What a model file may name.
MAPS: dict[str, type[PowerMaps] | type[IsotonicMaps]] = {
    maps.kind: maps for maps in (PowerMaps, IsotonicMaps)
}


def own_and_others(own: NDArray[Any], others: NDArray[Any]) -> list[NDArray[Any]]:
    """For each column: a table where it is as in `own`, and all else as in `others`."""
    tables = [others.copy() for _ in range(own.shape[1])]
    for k, table in enumerate(tables):
        table[:, k] = own[:, k]
    return tables
