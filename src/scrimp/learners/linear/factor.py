"""The Cholesky factor of a correlation matrix, grown by one chosen group of columns at a time.

Choosing a group is a step of pivoted Cholesky elimination. What is left of the matrix is the
Schur complement on the columns not chosen: their correlations once all that was chosen has
been explained away. So what each group would still explain is known exactly without a refit.
Chosen columns are gathered in panels, and only whole panels are subtracted from the matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from ...kernels.groups import block_gains, guarded_cholesky, shrink_blocks, squeeze
from ...types import Floats, Ints

#: Columns of a panel: more make fewer, larger matrix products but delay the shrinking.
_PANEL = 128
#: A column of which less than this is left, of 1, depends on those chosen before.
FLOOR = 1e-10

_gemm, _trsm = get_blas_funcs(("gemm", "trsm"), dtype=np.float64)
(_trtri,) = get_lapack_funcs(("trtri",), dtype=np.float64)


class GroupFactor:
    """The groups chosen so far, what they explain, and the Schur complement on the others.

    Parameters
    ----------
    matrix : float array (columns, columns)
        Symmetric and positive; it is overwritten.
    response : float array (columns, responses)
        Correlations with the responses.
    groups : sequence of int arrays
        The columns of each group; no column is in two.

    Attributes
    ----------
    left : bool array (groups,)
        Groups that are not chosen.
    order : list of int
        Groups chosen.
    columns : list of int
        Their columns.
    dropped : list of int
        Columns chosen that depend on those chosen before; their coefficient is 0.
    """

    def __init__(self, matrix: Floats, response: Floats, groups: Sequence[Ints]) -> None:
        n = len(matrix)
        self.groups = [np.asarray(group, dtype=np.intp) for group in groups]
        self.left = np.ones(len(groups), dtype=bool)
        self.order: list[int] = []
        self.columns: list[int] = []
        self.dropped: list[int] = []
        self._matrix = np.ascontiguousarray(matrix)
        self._residual = response.astype(np.float64)
        self._size = np.array([len(group) for group in self.groups], dtype=np.intp)
        self._first = np.concatenate([[0], np.cumsum(self._size)[:-1]]).astype(np.intp)
        self._start = np.concatenate([[0], np.cumsum(self._size**2)[:-1]]).astype(np.intp)
        self._all = np.concatenate(self.groups) if groups else np.empty(0, dtype=np.intp)
        self._blocks = np.concatenate(
            [self._matrix[np.ix_(group, group)].ravel() for group in self.groups]
        )
        self._first_blocks = self._blocks.copy()
        self._active = np.arange(n)  # the columns that the matrix still has
        self._place = np.arange(n)  # and where they are in it
        self._width = _PANEL + int(self._size.max(initial=0))
        self._panel, self._filled = np.empty((self._width, n)), 0
        # factor and scores of what is chosen; memory is taken up only as it is written
        self._factor = np.zeros((n, n))
        self._scores = np.zeros((n, response.shape[1]))

    def gains(self, residual: Floats | None = None) -> Floats:
        """Return what each group left would explain in addition: half the fall of the loss.

        Of another residual (columns x responses), if that is given.
        """
        residual = self._residual if residual is None else residual[self._active]
        return self._explained_by(self._blocks, residual)

    def whitened(self) -> Floats:
        """Return the same by each group's correlations alone, as if nothing was chosen."""
        return self._explained_by(self._first_blocks, self._residual)

    def _explained_by(self, blocks: Floats, residual: Floats) -> Floats:
        gains = np.zeros(len(self.groups))
        if self.left.any():
            block_gains(
                blocks, self._start, self._size, self._first, self._place[self._all],
                self.left, residual, FLOOR, gains,
            )  # fmt: skip
        return gains

    def squares(self) -> Floats:
        """Return the squared correlation of each column with the residual, group by group."""
        # a column that is chosen has no place, and its value does not count
        return np.asarray((self._residual[self._place[self._all]] ** 2).sum(axis=1))

    def over_groups(self, reduction: np.ufunc, values: Floats) -> Floats:
        """Reduce the values of each group's columns to one."""
        return np.asarray(reduction.reduceat(values, self._first))

    def take(self, group: int) -> float:
        """Choose a group, and return what it explains."""
        rows = self._place[self.groups[group]]
        new, lower, dropped = self._eliminate(rows)
        part = _solve_lower(lower, self._residual[rows])
        part[dropped] = 0.0
        begin, n_new = len(self.columns), len(rows)
        self._panel[self._filled : self._filled + n_new] = new
        self._filled += n_new
        self._factor[begin : begin + n_new, self._active] = new
        # on the diagonal of a dropped column is 1, so that the factor has an inverse
        self._factor[np.arange(begin, begin + n_new), self.groups[group]] = np.diag(lower)
        self._scores[begin : begin + n_new] = part
        self._residual -= new.T @ part
        self.left[group] = False
        self.order.append(group)
        self.columns.extend(self.groups[group].tolist())
        self.dropped.extend(self.groups[group][dropped].tolist())
        if self.left.any():
            place = self._place[self._all]
            shrink_blocks(self._blocks, self._start, self._size, self._first, place, self.left, new)
            if self._filled >= _PANEL:
                self._flush()
        return float(0.5 * (part**2).sum())

    def _eliminate(self, rows: Ints) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return new columns of the factor (new x places), their triangle, which are dropped."""
        new = self._matrix[rows]
        if self._filled:
            panel = self._panel[: self._filled]
            new = _gemm(-1.0, panel.T, panel[:, rows], beta=1.0, c=new.T, overwrite_c=1).T
        lower = np.zeros((len(rows), len(rows)))
        dropped = np.zeros(len(rows), dtype=bool)
        guarded_cholesky(np.ascontiguousarray(new[:, rows]), FLOOR, lower, dropped)
        new = _trsm(1.0, lower, new.T, side=1, lower=1, trans_a=1, overwrite_b=1).T
        new[dropped] = 0.0
        return new, lower, dropped

    def _flush(self) -> None:
        """Subtract the panel from the matrix, and leave out what is chosen."""
        chosen = np.zeros(len(self._place), dtype=bool)
        chosen[self.columns] = True
        keep = np.flatnonzero(~chosen[self._active])
        squeeze(self._matrix, keep)
        matrix = self._matrix.reshape(-1)[: len(keep) ** 2].reshape(len(keep), len(keep))
        panel = np.ascontiguousarray(self._panel[: self._filled, keep])
        self._matrix = _gemm(
            -1.0, panel.T, panel.T, beta=1.0, c=matrix.T, trans_b=1, overwrite_c=1
        ).T
        self._active = self._active[keep]
        self._residual = self._residual[keep]
        self._place[:] = -1
        self._place[self._active] = np.arange(len(keep))
        self._panel, self._filled = np.empty((self._width, len(keep))), 0

    def coefficients(self) -> list[Floats]:
        """Return the coefficients of each prefix of what is chosen (columns so far x responses)."""
        n = len(self.columns)
        if n == 0:
            return []
        # rows of the factor are its columns: it is upper triangular here
        upper = np.asfortranarray(self._factor[:n, self.columns])
        inverse, failed = _trtri(upper, lower=0, overwrite_c=1)
        assert failed == 0, "a factor has no 0 on its diagonal"
        now = np.zeros((n, self._scores.shape[1]))
        prefixes, begin = [], 0
        for group in self.order:
            end = begin + int(self._size[group])
            now[:end] += inverse[:end, begin:end] @ self._scores[begin:end]
            prefixes.append(now[:end].copy())
            begin = end
        return prefixes


def _solve_lower(lower: Floats, right: Floats) -> Floats:
    return np.asarray(_trsm(1.0, lower, right, lower=1))


def _largest_square(factor: GroupFactor) -> Floats:
    """Return the squared largest correlation of one column with the residual, per group."""
    return factor.over_groups(np.maximum, factor.squares())


def _squared_norm(factor: GroupFactor) -> Floats:
    """Return the squared norm of the gradient, per group."""
    return factor.over_groups(np.add, factor.squares())


#: What each group that is not chosen yet is worth, to be divided by its price (Hu 2019, ch. 3).
CRITERIA: dict[str, Callable[[GroupFactor], Floats]] = {
    "forward": GroupFactor.gains,
    "omp": GroupFactor.whitened,
    "single": _largest_square,
    "no-whiten": _squared_norm,
}
