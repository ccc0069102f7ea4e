"""Rows, targets and groups of a support vector machine under a budget."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..kernels.margins import best_intercept, dual_value, losses
from ..plan import Floats, Ints

#: The losses by name, as the kernels number them.
LOSSES = {
    "hinge": 0,
    "squared_hinge": 1,
    "epsilon_insensitive": 2,
    "squared_epsilon_insensitive": 3,
}
#: Those with a kink, which is rounded off while they are minimised.
KINKED = (0, 2)


@dataclass(frozen=True, eq=False)
class Machine:
    """The problem without its budget: min 1/2 sum |w_m|^2 / d_m + sum of losses.

    Parameters
    ----------
    X : float array or CSR matrix (rows, columns)
        Rows.
    targets : float array (rows, outputs)
        -1 and 1 for each class against the rest, or the response.
    weights : float array (rows,)
        What an error costs: C times the weight of the row.
    group_of : int array (columns,)
        The group of each column.
    n_groups : int
        How many there are.
    loss : int
        By its number.
    epsilon : float
        Errors up to it cost nothing, where numbers are predicted.
    """

    X: Any
    targets: Floats
    weights: Floats
    group_of: Ints
    n_groups: int
    loss: int
    epsilon: float = 0.0

    @cached_property
    def transposed(self) -> Any:
        """The columns as rows."""
        return self.X.T.tocsr() if sparse.issparse(self.X) else self.X.T

    @property
    def n_outputs(self) -> int:
        """Machines side by side, on the same columns."""
        return int(self.targets.shape[1])

    def norms(self, values: Floats) -> Floats:
        """The length of each group of values (columns, outputs)."""
        squares = np.einsum("ij,ij->i", values, values)
        return np.sqrt(np.bincount(self.group_of, squares, self.n_groups))

    def sums(self, coefficients: Floats) -> Floats:
        """What the columns add up to (rows, outputs)."""
        return np.asarray(self.X @ coefficients)

    def pulls(self, alpha: Floats) -> Floats:
        """What slopes of rows mean for the columns (columns, outputs)."""
        return np.asarray(self.transposed @ alpha)

    def intercepts(self, sums: Floats, intercepts: Floats, width: float) -> Floats:
        """The best ones, from given ones on."""
        return np.array([
            best_intercept(self.loss, y, s, float(b), self.weights, self.epsilon, width)
            for y, s, b in zip(self._columns(self.targets), self._columns(sums), intercepts,
                               strict=True)
        ])  # fmt: skip

    def losses(self, sums: Floats, intercepts: Floats, width: float) -> tuple[float, float, Floats]:
        """The loss rounded off, the loss as it is, and the slopes of rows (rows, outputs)."""
        alpha = np.empty((self.n_outputs, len(self.weights)))
        total = np.zeros(2)
        for own, y, s, b in zip(
            alpha, self._columns(self.targets), self._columns(sums), intercepts, strict=True
        ):
            total += losses(self.loss, y, s, float(b), self.weights, self.epsilon, width, own)
        return float(total[0]), float(total[1]), np.ascontiguousarray(alpha.T)

    def dual(self, alpha: Floats) -> float:
        """What the slopes prove, before half the squared norm is taken off."""
        return float(sum(
            dual_value(self.loss, y, a, self.weights, self.epsilon)
            for y, a in zip(self._columns(self.targets), self._columns(alpha), strict=True)
        ))  # fmt: skip

    def at(self, columns: NDArray[np.intp]) -> Machine:
        """The same with some of the columns."""
        group_of = self.group_of[columns]
        return Machine(
            self.X[:, columns], self.targets, self.weights, group_of, self.n_groups, self.loss,
            self.epsilon,
        )  # fmt: skip

    @staticmethod
    def _columns(values: Floats) -> Floats:
        return np.ascontiguousarray(values.T)
