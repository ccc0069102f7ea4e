"""Calibration maps from log-probabilities to calibrated ones, one map per grid point.

A calibration map gives each class a weight that rises with the log-probability of that class;
the calibrated probabilities are the weights over their sum.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ...data.validation import float_array, int_array
from ...types import Arrays, Floats


class Calibrators(Protocol):
    """The calibration maps of a calibrated plan, one per grid point.

    Attributes
    ----------
    kind : str
        The name of the family of maps in model files.
    """

    kind: ClassVar[str]

    def __len__(self) -> int:
        """Return the number of grid points."""

    @property
    def n_classes(self) -> int:
        """The number of classes."""

    def inputs(self, logs: Floats) -> Floats:
        """Return the inputs of the maps (rows x classes) for log-probabilities."""

    def log_weights(self, point: int, inputs: Floats) -> Floats:
        """Return the log-weights (rows x classes) at a grid point.

        The weight of a class rises with the input of that class and depends on no other.
        """

    def arrays(self) -> Arrays:
        """Return the maps as arrays, for storage."""

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the maps of stored `arrays`; raise ValueError if they do not fit."""


class PowerCalibrators:
    """Weights q^slope e^shift of a probability q: Platt, vector and temperature scaling.

    Parameters
    ----------
    slope : float array (grid points, classes)
        Exponents >= 0.
    shift : float array (grid points, classes)
        Logarithms of factors.
    """

    kind: ClassVar[str] = "power"

    def __init__(self, slope: ArrayLike, shift: ArrayLike) -> None:
        self.slope, self.shift = float_array("slope", slope, 2), float_array("shift", shift, 2)
        if self.slope.shape != self.shift.shape or not self.slope.size:
            raise ValueError("slope and shift must be (grid points x classes), not empty.")
        if not (np.isfinite(self.slope) & (self.slope >= 0) & np.isfinite(self.shift)).all():
            raise ValueError("slope and shift must be finite, and slope >= 0.")

    def __len__(self) -> int:
        return len(self.slope)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.slope.shape[1])

    def inputs(self, logs: Floats) -> Floats:
        """Return the log-probabilities themselves."""
        return logs

    def log_weights(self, point: int, inputs: Floats) -> Floats:
        """Return linear functions of the log-probabilities."""
        return np.asarray(inputs * self.slope[point] + self.shift[point])

    def arrays(self) -> Arrays:
        """Return slopes and shifts, for storage."""
        return {"slope": self.slope, "shift": self.shift}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> PowerCalibrators:
        """Return the maps of stored `arrays`."""
        return cls(arrays["slope"], arrays["shift"])


class IsotonicCalibrators:
    """Weights that are piecewise linear and non-decreasing in the log-odds of a class.

    Parameters
    ----------
    curves : sequence of sequences of pairs of float arrays
        For each grid point and class: ascending log-odds, and non-decreasing weights > 0.
    """

    kind: ClassVar[str] = "isotonic"

    def __init__(self, curves: list[list[tuple[Any, Any]]]) -> None:
        self._curves = [
            [(float_array("odds", x), float_array("weight", y)) for x, y in classes]
            for classes in curves
        ]
        if not curves or not curves[0] or len({len(classes) for classes in curves}) > 1:
            raise ValueError("isotonic maps need one curve per grid point and class.")
        for x, y in (curve for classes in self._curves for curve in classes):
            if not len(x) or x.shape != y.shape or not np.isfinite(x).all():
                raise ValueError("a curve needs as many finite odds as weights, one at least.")
            if (np.diff(x) <= 0).any() or (np.diff(y) < 0).any() or not 0 < y[0] <= y[-1] <= 1:
                raise ValueError("the odds of a curve must rise; its weights must not fall.")

    def __len__(self) -> int:
        return len(self._curves)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self._curves[0])

    def inputs(self, logs: Floats) -> Floats:
        """Return the log-odds of each class against all others."""
        return class_odds(logs)

    def log_weights(self, point: int, inputs: Floats) -> Floats:
        """Return the logarithms of the curves at the log-odds."""
        values = [np.interp(inputs[:, k], *curve) for k, curve in enumerate(self._curves[point])]
        return np.log(np.stack(values, axis=1))

    def arrays(self) -> Arrays:
        """Return the concatenated curves, for storage."""
        flat = [curve for classes in self._curves for curve in classes]
        sizes = np.array([len(x) for x, _ in flat], dtype=np.int64)
        return {
            "odds": np.concatenate([x for x, _ in flat]),
            "weight": np.concatenate([y for _, y in flat]),
            "sizes": sizes.reshape(len(self), self.n_classes),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> IsotonicCalibrators:
        """Return the maps of stored `arrays`."""
        sizes = int_array("sizes", arrays["sizes"], 2)
        flat = sizes.ravel().tolist()
        odds, weight = arrays["odds"], arrays["weight"]
        if min(flat, default=0) < 0 or not sum(flat) == len(odds) == len(weight):
            raise ValueError("sizes do not add up to odds and weight.")
        parts = [(odds[a:b], weight[a:b]) for a, b in pairwise(np.cumsum([0, *flat]).tolist())]
        k = sizes.shape[1]
        return cls([parts[start : start + k] for start in range(0, len(parts), k)] if k else [])


def class_odds(logs: Floats) -> Floats:
    """Return the log-odds of each class against all others (rows x classes)."""
    if logs.shape[1] == 2:
        return np.asarray(logs - logs[:, ::-1])
    others = [logsumexp(np.delete(logs, k, axis=1), axis=1) for k in range(logs.shape[1])]
    return np.asarray(logs - np.stack(others, axis=1))


#: The families of maps that a model file may name.
CALIBRATORS: dict[str, type[PowerCalibrators] | type[IsotonicCalibrators]] = {
    family.kind: family for family in (PowerCalibrators, IsotonicCalibrators)
}


def swap_each_column(table: NDArray[Any], replacement: NDArray[Any]) -> list[NDArray[Any]]:
    """Return one copy of a table per column, with that column taken from `replacement`."""
    tables = [table.copy() for _ in range(table.shape[1])]
    for k, copied in enumerate(tables):
        copied[:, k] = replacement[:, k]
    return tables
