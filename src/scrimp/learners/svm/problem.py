r"""The training problem without its budget: table, targets, weights, loss and column groups.

The objective is Eq. (1) of Wang, Zhu and Chi (2018),

.. math:: \min\ \tfrac12\sum_m \|w_m\|^2/d_m + \sum_i C_i\,\ell(y_i, f_i),\quad f = Xw + b,

summed over outputs (one per class against the rest). In this package w and b are coefficients and
intercepts, z = Xw the scores without intercepts, alpha the dual variables (outputs, rows), and
X'alpha, the negative gradient of the loss in w, is called the gradient.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...kernels.proximal_gradient import (
    linear_scores,
    squared_gradient_norms,
    squared_group_norms,
)
from ...kernels.svm_losses import best_intercept, curvatures, dual_terms, losses
from ...types import Floats, Ints
from .groups import Groups

#: The losses by name, as the kernels number them.
LOSSES = {
    "hinge": 0,
    "squared_hinge": 1,
    "epsilon_insensitive": 2,
    "squared_epsilon_insensitive": 3,
}
#: Losses that are not differentiable everywhere, which are smoothed while they are minimised.
NONSMOOTH = (0, 2)
#: Power of the mean squared column length in the step scales: 1 would equalise columns that have
#: about the same curvature, 0 would ignore their lengths.
_SCALE_POWER = 0.4
#: Lower limit of the mean squared column length, relative to a typical one, so that steps along
#: very short columns stay finite.
_MIN_LENGTH = 1e-4


class Losses(NamedTuple):
    """The total loss and its derivative at some scores.

    Parameters
    ----------
    smoothed, exact : float
        The smoothed and the exact loss; equal for smooth losses.
    alpha : float array (outputs, rows)
        Dual variables: minus the derivative of the smoothed loss.
    """

    smoothed: float
    exact: float
    alpha: Floats


@dataclass(frozen=True, eq=False)
class SVMProblem:
    """A linear support vector machine to be trained, without its budget.

    Parameters
    ----------
    X : float array or CSC matrix (rows, columns)
        The table.
    targets : float array (outputs, rows)
        -1 and 1 per class against the rest, or the response.
    weights : float array (rows,)
        C times the weight of the row.
    group_of : int array (columns,)
        The group of each column, ascending: the columns of a group are adjacent.
    n_groups : int
        The number of groups.
    loss : int
        One of the values of `LOSSES`.
    epsilon : float
        Half the width of the insensitive zone of regression losses.
    columns : int array (columns,), optional
        The position of each column in the original table; by default the same.
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
    def from_table(
        cls, table: Any, targets: Floats, weights: Floats, groups: Groups, loss: int,
        epsilon: float = 0.0,
    ) -> SVMProblem:  # fmt: skip
        """Make the problem of an array or CSR matrix, with its columns sorted by group.

        Sparse columns of a group are sorted by their number of non-zeros, as loops over columns of
        equal length are faster.
        """
        group_of = groups.of_columns
        if sparse.issparse(table):
            lengths = np.bincount(table.indices, minlength=table.shape[1])
            order = np.lexsort((lengths, group_of))
            X = _reorder_columns(table, order).tocsc()
        else:
            order = np.argsort(group_of, kind="stable")
            X = table if (order[1:] > order[:-1]).all() else table[:, order]
        return cls(
            X.astype(np.float64, copy=False), targets, weights, group_of[order],
            len(groups.items), loss, epsilon, order,
        )  # fmt: skip

    @property
    def n_outputs(self) -> int:
        """The number of linear models that share the columns."""
        return len(self.targets)

    @property
    def is_nonsmooth(self) -> bool:
        """Whether the loss has a point without a derivative."""
        return self.loss in NONSMOOTH

    @property
    def n_stored(self) -> int:
        """The number of stored values of the table."""
        return int(self.X.nnz if sparse.issparse(self.X) else self.X.size)

    @cached_property
    def column_arrays(self) -> tuple[Any, Any, Any, Any]:
        """The table as kernels take it: dense columns, or CSC; the other one is empty."""
        if sparse.issparse(self.X):
            positions = _unsigned(self.X.indices), _unsigned(self.X.indptr)
            return np.empty((0, 0)), self.X.data, *positions
        empty = np.empty(0, dtype=np.uint32)
        return np.ascontiguousarray(self.X.T), np.empty(0), empty, empty

    @cached_property
    def group_sizes(self) -> Ints:
        """The number of columns per group."""
        return np.bincount(self.group_of, minlength=self.n_groups)

    @cached_property
    def group_starts(self) -> Ints:
        """The first column of each group, and the number of columns at the end."""
        return np.concatenate([[0], np.cumsum(self.group_sizes)])

    @cached_property
    def groups(self) -> Ints:
        """The numbers of all groups."""
        return np.arange(self.n_groups)

    @cached_property
    def step_scales(self) -> Floats:
        """Relative curvature per group, from the mean squared length of its columns, damped."""
        if sparse.issparse(self.X):
            ends = np.concatenate([[0.0], np.cumsum(self.X.data**2)])[self.X.indptr]
            squares = np.diff(ends)
        else:
            squares = np.einsum("ij,ij->j", self.X, self.X)
        means = np.bincount(self.group_of, squares, self.n_groups) / np.maximum(self.group_sizes, 1)
        typical = float(means[means > 0].mean()) if means.any() else 1.0
        return np.asarray(np.maximum(means / typical, _MIN_LENGTH) ** _SCALE_POWER)

    def zeros(self) -> Floats:
        """Return zero coefficients (outputs, columns)."""
        return np.zeros((self.n_outputs, self.X.shape[1]))

    def squared_norms(self, w: Floats, groups: Ints | None = None) -> Floats:
        """Return the squared norm of the coefficients of each group; 0 outside `groups`."""
        squares = np.zeros(self.n_groups)
        groups = self.groups if groups is None else groups
        squared_group_norms(groups, self.group_starts, w, squares)
        return squares

    def scores(self, w: Floats, groups: Ints | None = None) -> Floats:
        """Return X w (outputs, rows), the scores without intercepts."""
        if not sparse.issparse(self.X):
            return np.asarray(w @ self.X.T)
        z = np.empty((self.n_outputs, self.X.shape[0]))
        groups = self.groups if groups is None else groups
        columns, data, indices, indptr = self.column_arrays
        linear_scores(columns, data, indices, indptr, groups, self.group_starts, w, z)
        return z

    def gradients(self, alpha: Floats) -> Floats:
        """Return X' alpha (outputs, columns), the negative gradient of the loss in w."""
        if sparse.issparse(self.X):
            return np.stack([self.X.T @ row for row in alpha])
        return np.asarray(alpha @ self.X)

    def squared_gradient_norms(self, alpha: Floats, groups: Ints | None = None) -> Floats:
        """Return the squared gradient norm ||X_m' alpha||^2 of each group; 0 outside `groups`."""
        if not sparse.issparse(self.X):
            return self.squared_norms(self.gradients(alpha), groups)
        squares = np.zeros(self.n_groups)
        groups = self.groups if groups is None else groups
        columns, data, indices, indptr = self.column_arrays
        squared_gradient_norms(
            columns, data, indices, indptr, groups, self.group_starts, alpha, squares
        )
        return squares

    def best_intercepts(self, z: Floats, b: Floats, smoothing: float) -> Floats:
        """Return the intercepts of the least smoothed loss at scores z, starting from b."""
        return np.array([
            best_intercept(self.loss, y, row, float(b_k), self.weights, self.epsilon, smoothing)
            for y, row, b_k in zip(self.targets, z, b, strict=True)
        ])  # fmt: skip

    def losses(self, z: Floats, b: Floats, smoothing: float) -> Losses:
        """Return the losses and dual variables at scores z + b."""
        alpha = np.empty_like(z)
        total = np.zeros(2)
        for row, y, z_k, b_k in zip(alpha, self.targets, z, b, strict=True):
            total += losses(
                self.loss, y, z_k, float(b_k), self.weights, self.epsilon, smoothing, row
            )
        return Losses(float(total[0]), float(total[1]), alpha)

    def curvatures(self, z: Floats, b: Floats, smoothing: float) -> Floats:
        """Return the second derivatives of the smoothed losses (outputs, rows)."""
        curvature = np.empty_like(z)
        for row, y, z_k, b_k in zip(curvature, self.targets, z, b, strict=True):
            curvatures(self.loss, y, z_k, float(b_k), self.weights, self.epsilon, smoothing, row)
        return curvature

    def dual_terms(self, alpha: Floats) -> tuple[float, float]:
        """Return the linear and the quadratic term of S(alpha) = linear - quadratic (Eq. 15)."""
        total = np.zeros(2)
        for y, row in zip(self.targets, alpha, strict=True):
            total += dual_terms(self.loss, y, row, self.weights, self.epsilon)
        return float(total[0]), float(total[1])

    def with_weights(self, weights: Floats) -> SVMProblem:
        """Return the same problem with other row weights."""
        return replace(self, weights=weights)

    def take_rows(self, rows: Ints) -> SVMProblem:
        """Return the problem of some of the rows."""
        return replace(
            self, X=self.X[rows], targets=self.targets[:, rows], weights=self.weights[rows]
        )

    def take_groups(self, groups: Ints) -> SVMProblem:
        """Return the problem of some groups, renumbered in their order; the table is copied."""
        columns = self.columns_of(groups)
        part = replace(
            self, X=self.X[:, columns], n_groups=len(groups), columns=self.table_columns(columns),
            group_of=np.repeat(np.arange(len(groups)), self.group_sizes[groups]),
        )  # fmt: skip
        part.__dict__["step_scales"] = self.step_scales[groups]  # relative to the whole table
        return part

    def table_columns(self, columns: Ints) -> Ints:
        """Return the positions of columns in the original table."""
        return columns if self.columns is None else self.columns[columns]

    def columns_of(self, groups: Ints) -> Ints:
        """Return the columns of some groups, ascending."""
        taken = np.zeros(self.n_groups, dtype=bool)
        taken[groups] = True
        return np.flatnonzero(np.repeat(taken, self.group_sizes))


def one_against_rest(codes: NDArray[Any], n_classes: int) -> Floats:
    """Return 1 and -1 (outputs, rows): each class against the rest; one output for two classes.

    >>> one_against_rest(np.array([0, 1]), 2).tolist()
    [[-1.0, 1.0]]
    """
    positive = np.arange(1, 2) if n_classes == 2 else np.arange(n_classes)
    return np.where(codes == positive[:, None], 1.0, -1.0)


def zero_constant_columns(X: Any) -> Any:
    """Return an array or CSR matrix with constant columns set to 0: the intercept covers them."""
    low, high = X.min(axis=0), X.max(axis=0)
    if sparse.issparse(X):
        low, high = low.toarray().ravel(), high.toarray().ravel()
    constant = (low == high) & (low != 0)
    if not constant.any():
        return X
    if sparse.issparse(X):
        return (X @ sparse.diags(np.where(constant, 0.0, 1.0))).tocsr()
    return np.where(constant, 0.0, X)


def _reorder_columns(table: Any, order: Ints) -> Any:
    """Return a CSR matrix with its columns in another order; indices of a row stay unsorted."""
    position = np.empty(len(order), dtype=table.indices.dtype)
    position[order] = np.arange(len(order))
    return sparse.csr_matrix((table.data, position[table.indices], table.indptr), table.shape)


def _unsigned(positions: Ints) -> NDArray[Any]:
    """Return the same integers as unsigned, so that kernels skip the test for negative indices."""
    return positions.view(f"u{positions.dtype.itemsize}")
