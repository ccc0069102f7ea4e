"""Rows, targets and groups of a support vector machine under a budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..kernels.margins import best_intercept, curvatures, dual_value, losses
from ..plan import Floats, Ints

#: The losses by name, as the kernels number them.
LOSSES = {
    "hinge": 0,
    "squared_hinge": 1,
    "epsilon_insensitive": 2,
    "squared_epsilon_insensitive": 3,
}
#: Steps along long columns are shorter, by this power of their squared length, down to a least one.
_POWER, _LEAST_SCALE = 0.4, 1e-4
#: Those with a kink, which is rounded off while they are minimised.
KINKED = (0, 2)


@dataclass(frozen=True, eq=False)
class Machine:
    """The problem without its budget: min 1/2 sum |w_m|^2 / d_m + sum of losses.

    Parameters
    ----------
    X : float array or CSC matrix (rows, columns)
        Rows.
    targets : float array (outputs, rows)
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

    @property
    def n_outputs(self) -> int:
        """Machines side by side, on the same columns."""
        return len(self.targets)

    @property
    def is_kinked(self) -> bool:
        """Whether the loss has a kink."""
        return self.loss in KINKED

    @property
    def n_cells(self) -> int:
        """Values that are stored."""
        return int(self.X.nnz if sparse.issparse(self.X) else self.X.size)

    @cached_property
    def cells(self) -> tuple[Any, ...]:
        """The table as kernels take it: columns as rows of an array, or CSC; one is empty."""
        if sparse.issparse(self.X):
            return np.empty((0, 0)), self.X.data, self.X.indices, self.X.indptr
        none = np.empty(0, dtype=np.int32)
        return np.ascontiguousarray(self.X.T), np.empty(0), none, none

    @cached_property
    def sizes(self) -> Ints:
        """Columns of each group."""
        return np.bincount(self.group_of, minlength=self.n_groups)

    @cached_property
    def scales(self) -> Floats:
        """The mean squared length of the columns of each group, less different than it is."""
        if sparse.issparse(self.X):
            ends = np.concatenate([[0.0], np.cumsum(self.X.data**2)])[self.X.indptr]
            squares = np.diff(ends)
        else:
            squares = np.einsum("ij,ij->j", self.X, self.X)
        means = np.bincount(self.group_of, squares, self.n_groups) / np.maximum(self.sizes, 1)
        typical = float(means[means > 0].mean()) if means.any() else 1.0
        return np.asarray(np.maximum(means / typical, _LEAST_SCALE) ** _POWER)

    def zeros(self) -> Floats:
        """Coefficients (outputs, columns) of nothing bought."""
        return np.zeros((self.n_outputs, self.X.shape[1]))

    def norms(self, values: Floats) -> Floats:
        """The length of each group of values (outputs, columns)."""
        squares = values[0] ** 2 if len(values) == 1 else np.einsum("ij,ij->j", values, values)
        return np.sqrt(np.bincount(self.group_of, squares, self.n_groups))

    def sums(self, coefficients: Floats) -> Floats:
        """What the columns add up to (outputs, rows)."""
        return _each(self.X, coefficients)

    def pulls(self, alpha: Floats) -> Floats:
        """What slopes of rows mean for the columns (outputs, columns)."""
        return _each(self.X.T, alpha)

    def intercepts(self, sums: Floats, intercepts: Floats, width: float) -> Floats:
        """The best ones, from given ones on."""
        return np.array([
            best_intercept(self.loss, y, s, float(b), self.weights, self.epsilon, width)
            for y, s, b in zip(self.targets, sums, intercepts, strict=True)
        ])  # fmt: skip

    def losses(self, sums: Floats, intercepts: Floats, width: float) -> tuple[float, float, Floats]:
        """The loss rounded off, the loss as it is, and the slopes of rows (outputs, rows)."""
        alpha = np.empty_like(sums)
        total = np.zeros(2)
        for own, y, s, b in zip(alpha, self.targets, sums, intercepts, strict=True):
            total += losses(self.loss, y, s, float(b), self.weights, self.epsilon, width, own)
        return float(total[0]), float(total[1]), alpha

    def curvatures(self, sums: Floats, intercepts: Floats, width: float) -> Floats:
        """The second derivatives of the losses rounded off (outputs, rows)."""
        found = np.empty_like(sums)
        for own, y, s, b in zip(found, self.targets, sums, intercepts, strict=True):
            curvatures(self.loss, y, s, float(b), self.weights, self.epsilon, width, own)
        return found

    def dual(self, alpha: Floats) -> float:
        """What the slopes prove, before half the squared norm is taken off."""
        return float(sum(
            dual_value(self.loss, y, a, self.weights, self.epsilon)
            for y, a in zip(self.targets, alpha, strict=True)
        ))  # fmt: skip

    def with_weights(self, weights: Floats) -> Machine:
        """The same, where errors cost something else."""
        return replace(self, weights=weights)

    def of_rows(self, rows: Ints) -> Machine:
        """Some of the rows."""
        return replace(
            self, X=self.X[rows], targets=self.targets[:, rows], weights=self.weights[rows]
        )

    def of_groups(self, groups: NDArray[np.bool_]) -> tuple[Ints, Machine]:
        """Some of the groups, numbered anew, and where their columns are."""
        columns = np.flatnonzero(groups[self.group_of])
        number = np.cumsum(groups) - 1
        part = replace(
            self, X=self.X[:, columns], group_of=number[self.group_of[columns]],
            n_groups=int(groups.sum()),
        )  # fmt: skip
        part.__dict__["scales"] = self.scales[groups]  # known already
        return columns, part


def without_constants(X: Any) -> Any:
    """An array or CSR matrix with 0 for constant columns, which the intercept stands for."""
    low, high = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    constant = (low == high) & (low != 0)
    if not constant.any():
        return X
    if sparse.issparse(X):
        return (X @ sparse.diags(np.where(constant, 0.0, 1.0))).tocsr()
    return np.where(constant, 0.0, X)


def _each(X: Any, vectors: Floats) -> Floats:
    """X times each of several vectors."""
    if sparse.issparse(X):
        return np.stack([X @ vector for vector in vectors])
    return np.asarray(vectors @ X.T)
