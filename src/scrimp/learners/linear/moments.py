"""Means and scatter of columns and responses, summed over rows: all that a linear fit needs.

Sums over rows add up, so data may come in chunks of any size and from several places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import get_blas_funcs

from ...types import Floats

#: Cells of a block of rows: what fits in a cache.
_BLOCK_CELLS = 1_000_000
#: With many columns a block has more, up to so many rows: each goes with one pass over the
#: scatter matrix.
_MAX_BLOCK_ROWS = 4096


class Moments:
    """Weight, means and scatter of the columns of X and Y side by side.

    The scatter of a block of rows is taken around the block's own means, and blocks are put
    together by the formula of Chan, Golub and LeVeque (1983); so large means do no harm.

    Parameters
    ----------
    n_columns, n_responses : int
        Columns of X and of Y.

    Examples
    --------
    >>> rows = Moments(2, 1).add(np.array([[1.0, 2.0], [3.0, 2.0]]), np.array([[0.0], [4.0]]))
    >>> rows.mean.tolist(), rows.scatter[2, 0].item()
    ([2.0, 2.0, 2.0], 4.0)
    """

    def __init__(self, n_columns: int, n_responses: int) -> None:
        size = n_columns + n_responses
        self.n_columns = n_columns
        self.n_responses = n_responses
        self.n_rows = 0
        self.weight = 0.0
        self.mean = np.zeros(size)
        #: Sum of w (z - mean) (z - mean)^T; only the lower triangle counts.
        self.scatter = np.zeros((size, size), order="F")

    def add(self, X: Any, Y: NDArray[Any], weight: Floats | None = None) -> Moments:
        """Add rows, block by block; all finite."""
        size = len(self.mean)
        step = max(_BLOCK_CELLS // size, min(size // 2, _MAX_BLOCK_ROWS), 1)
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            part = None if weight is None else weight[rows]
            if sparse.issparse(X):
                self._add_sparse(X[rows], Y[rows], part)
            else:
                self._add_dense(X[rows], Y[rows], part)
        return self

    def taken(self, columns: Sequence[int]) -> Moments:
        """Return the sums of some columns of X, in a given order, and of all responses."""
        d, chosen = self.n_columns, np.array(columns, dtype=np.intp)
        places = np.concatenate([chosen, np.arange(d, d + self.n_responses)])
        part = Moments(len(chosen), self.n_responses)
        part.n_rows, part.weight, part.mean = self.n_rows, self.weight, self.mean[places]
        lower = np.maximum.outer(places, places), np.minimum.outer(places, places)
        part.scatter = np.asfortranarray(self.scatter[lower])
        return part

    def _add_dense(self, X: NDArray[Any], Y: NDArray[Any], weight: Floats | None) -> None:
        total = float(len(X)) if weight is None else float(weight.sum())
        block, d = np.empty((len(X), len(self.mean)), dtype=X.dtype), self.n_columns
        mean = np.concatenate([_means(X, weight, total), _means(Y, weight, total)])
        np.subtract(X, mean[:d].astype(X.dtype), out=block[:, :d])
        block[:, d:] = Y - mean[d:]  # then rounded as X is: far from 0 that would lose all
        if weight is not None:
            block *= np.sqrt(weight).astype(block.dtype)[:, None]
        syrk = get_blas_funcs("syrk", dtype=block.dtype)
        self._join(len(X), total, mean, syrk(1.0, block.T, lower=1))

    def _add_sparse(self, X: Any, Y: NDArray[Any], weight: Floats | None) -> None:
        """Add sparse rows: the scatter is that around 0, less that of the means."""
        total = float(X.shape[0]) if weight is None else float(weight.sum())
        middle = _means(Y, weight, total)
        block = sparse.hstack([X.astype(np.float64), sparse.csr_array(Y - middle)], format="csr")
        heavy = block if weight is None else sparse.diags_array(weight) @ block
        mean = np.asarray(heavy.sum(axis=0)).ravel() / total if total else np.zeros(block.shape[1])
        scatter = np.asarray((block.T @ heavy).todense())
        scatter -= total * np.outer(mean, mean)
        mean[self.n_columns :] += middle
        self._join(X.shape[0], total, mean, scatter)

    def _join(self, n_rows: int, weight: float, mean: Floats, scatter: NDArray[Any]) -> None:
        """Add rows by their own means and scatter."""
        if weight == 0.0:
            self.n_rows += n_rows
            return
        apart, both = mean - self.mean, self.weight + weight
        if self.weight:
            syr = get_blas_funcs("syr", dtype=np.float64)
            scatter = np.asfortranarray(scatter, dtype=np.float64)
            scatter = syr(self.weight * weight / both, apart, lower=1, a=scatter, overwrite_a=1)
        mean = self.mean + apart * (weight / both)
        # nothing can come between these lines but an interrupt at the worst moment
        self.scatter += scatter
        self.n_rows, self.weight, self.mean = self.n_rows + n_rows, both, mean


def _means(block: NDArray[Any], weight: Floats | None, total: float) -> Floats:
    if weight is None:
        return np.asarray(block.mean(axis=0, dtype=np.float64))
    if total == 0.0:
        return np.zeros(block.shape[1])
    first = block[0]  # around a row, so that the mean of a constant is that constant
    apart = np.einsum("i,ij->j", weight, block - first, dtype=np.float64) / total
    return np.asarray(first + apart)
