"""Rows, targets and groups of a support vector machine under a budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...kernels.gradient import add_up, group_squares, pull_squares
from ...kernels.margins import best_intercept, curvatures, dual_value, losses
from ...types import Floats, Ints
from .groups import Groups

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
        The group of each column, ascending: columns of a group are side by side.
    n_groups : int
        How many there are.
    loss : int
        By its number.
    epsilon : float
        Errors up to it cost nothing, where numbers are predicted.
    columns : int array (columns,), optional
        Where each is in the table that they come from; by default in the same place.
    """

    X: Any
    targets: Floats
    weights: Floats
    group_of: Ints
    n_groups: int
    loss: int
    epsilon: float = 0.0
    columns: Ints | None = None

    @classmethod
    def of_table(
        cls, table: Any, targets: Floats, weights: Floats, groups: Groups, loss: int,
        epsilon: float = 0.0,
    ) -> Machine:  # fmt: skip
        """Of an array or CSR matrix, whose columns are put in the order of their groups.

        Within a group sparse columns are in the order of their lengths, as loops over columns of
        the same length are quicker.
        """
        group_of = groups.of_columns
        if sparse.issparse(table):
            lengths = np.bincount(table.indices, minlength=table.shape[1])
            order = np.lexsort((lengths, group_of))
            X = _reordered(table, order).tocsc()
        else:
            order = np.argsort(group_of, kind="stable")
            X = table if (order[1:] > order[:-1]).all() else table[:, order]
        return cls(
            X.astype(np.float64, copy=False), targets, weights, group_of[order],
            len(groups.items), loss, epsilon, order,
        )  # fmt: skip

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
            places = _unsigned(self.X.indices), _unsigned(self.X.indptr)
            return np.empty((0, 0)), self.X.data, *places
        none = np.empty(0, dtype=np.uint32)
        return np.ascontiguousarray(self.X.T), np.empty(0), none, none

    @cached_property
    def sizes(self) -> Ints:
        """Columns of each group."""
        return np.bincount(self.group_of, minlength=self.n_groups)

    @cached_property
    def firsts(self) -> Ints:
        """The first column of each group, and the end."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @cached_property
    def groups(self) -> Ints:
        """All of them."""
        return np.arange(self.n_groups)

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

    def squares(self, w: Floats, groups: Ints | None = None) -> Floats:
        """The squared length of each group of coefficients (outputs, columns); 0 for others."""
        found = np.zeros(self.n_groups)
        group_squares(self.groups if groups is None else groups, self.firsts, w, found)
        return found

    def sums(self, w: Floats, groups: Ints | None = None) -> Floats:
        """What the columns times coefficients add up to (outputs, rows)."""
        if not sparse.issparse(self.X):
            return np.asarray(w @ self.X.T)
        found = np.empty((self.n_outputs, self.X.shape[0]))
        dense, values, rows, starts = self.cells
        groups = self.groups if groups is None else groups
        add_up(dense, values, rows, starts, groups, self.firsts, w, found)
        return found

    def pulls(self, alpha: Floats) -> Floats:
        """What slopes of rows mean for the columns (outputs, columns)."""
        if sparse.issparse(self.X):
            return np.stack([self.X.T @ own for own in alpha])
        return np.asarray(alpha @ self.X)

    def worth(self, alpha: Floats, groups: Ints | None = None) -> Floats:
        """The squared length of each group of pulls; 0 for other groups."""
        if not sparse.issparse(self.X):
            return self.squares(self.pulls(alpha), groups)
        found = np.zeros(self.n_groups)
        groups = self.groups if groups is None else groups
        dense, values, rows, starts = self.cells
        pull_squares(dense, values, rows, starts, groups, self.firsts, alpha, found)
        return found

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

    def dual(self, alpha: Floats) -> tuple[float, float]:
        """What slopes prove: a part that grows as they do, less one that grows as their squares."""
        total = np.zeros(2)
        for y, a in zip(self.targets, alpha, strict=True):
            total += dual_value(self.loss, y, a, self.weights, self.epsilon)
        return float(total[0]), float(total[1])

    def with_weights(self, weights: Floats) -> Machine:
        """The same, where errors cost something else."""
        return replace(self, weights=weights)

    def of_rows(self, rows: Ints) -> Machine:
        """Some of the rows."""
        return replace(
            self, X=self.X[rows], targets=self.targets[:, rows], weights=self.weights[rows]
        )

    def in_table(self, columns: Ints) -> Ints:
        """Where columns are in the table that they come from."""
        return columns if self.columns is None else self.columns[columns]

    def columns_of(self, groups: Ints) -> Ints:
        """The columns of some groups, in their order."""
        taken = np.zeros(self.n_groups, dtype=bool)
        taken[groups] = True
        return np.flatnonzero(np.repeat(taken, self.sizes))

    def of_groups(self, groups: Ints) -> Machine:
        """Some of the groups, in their order and numbered anew; the table is copied."""
        columns = self.columns_of(groups)
        part = replace(
            self, X=self.X[:, columns], n_groups=len(groups), columns=self.in_table(columns),
            group_of=np.repeat(np.arange(len(groups)), self.sizes[groups]),
        )  # fmt: skip
        part.__dict__["scales"] = self.scales[groups]  # known already
        return part


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


def _reordered(table: Any, order: Ints) -> Any:
    """A CSR matrix with its columns in another order; in a row they need not be ascending."""
    place = np.empty(len(order), dtype=table.indices.dtype)
    place[order] = np.arange(len(order))
    return sparse.csr_matrix((table.data, place[table.indices], table.indptr), table.shape)


def _unsigned(positions: Ints) -> NDArray[Any]:
    """The same numbers, of which kernels need not ask whether they count from the end."""
    return positions.view(f"u{positions.dtype.itemsize}")
