"""Linear models of any set of purchases, solved from one quadratic objective."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...data.validation import float_array
from ...types import Arrays, Floats, Ints

#: The most coefficients whose products are kept: 2,000 take 32 MB in memory and in model files.
MAX_COEFFICIENTS = 2000
#: A column of which less than this is left, of 1, depends on those before it.
_FLOOR = 1e-10
_STORED, _PRIOR = "subset_", "prior_subset_"
_NAMES = ("matrix", "response", "shift", "middle")


class SubsetModels:
    r"""The linear models of all sets of columns: minimisers of one quadratic objective.

    With the intercept at its optimum :math:`b = m - s^\top w`, the objective of the coefficients
    is :math:`\frac12 w^\top G w - r^\top w`. Its minimum over the coefficients of a set S of
    columns, all others being 0, is :math:`w_S = G_{SS}^{-1} r_S`. For least squares this is
    exactly the regression on S. A column that those before it determine has the coefficient 0.

    Another loss has such an objective near one model only. There may be two then: one made at
    the longest model and one made at the prior. The share of what all columns explain, by the
    second, that a set explains tells how the two are mixed.

    Parameters
    ----------
    matrix : float array (d * q, d * q)
        G, symmetric and positive semidefinite, for d columns. q is 1 if the outputs share the
        matrix, and otherwise the number of outputs, which vary fastest.
    response : float array (d * q, outputs / q)
        r, the linear term.
    shift : float array (d * q, q)
        s, the effect of each coefficient on the intercept; for least squares the means.
    middle : float array (outputs,)
        m, the intercept without columns.
    at_prior : arrays, optional
        The same four of the objective that was made at the prior.
    """

    def __init__(
        self,
        matrix: ArrayLike,
        response: ArrayLike,
        shift: ArrayLike,
        middle: ArrayLike,
        *at_prior: ArrayLike,
    ) -> None:
        self.matrix = float_array("matrix", matrix, 2)
        self.response = float_array("response", response, 2)
        self.shift = float_array("shift", shift, 2)
        self.middle = float_array("middle", middle)
        self.at_prior = SubsetModels(*at_prior) if at_prior else None
        self._check()

    def _check(self) -> None:
        size, joint = self.shift.shape
        if self.matrix.shape != (size, size) or not joint or size % joint:
            raise ValueError("matrix must be (coefficients x coefficients) of the columns.")
        if self.response.shape != (size, len(self.middle) // joint) or len(self.middle) % joint:
            raise ValueError("response must be (coefficients x outputs that share the matrix).")
        if not all(np.isfinite(array).all() for array in self.arrays().values()):
            raise ValueError("the objective of sets of columns must be finite.")
        if self.matrix.diagonal().min(initial=0.0) < 0.0:
            raise ValueError("matrix must be positive semidefinite.")
        if self.at_prior is not None and self.at_prior.shift.shape != self.shift.shape:
            raise ValueError("the objectives at the prior and beyond must have the same columns.")

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.matrix) // int(self.shift.shape[1])

    def solve(self, columns: Ints) -> tuple[Floats, Floats]:
        """Return the intercept (outputs,) and the coefficients (columns, outputs) of a set."""
        return _solution(*self._near(columns))

    def gain(self, columns: Ints, count: int) -> tuple[Floats, Floats]:
        """Return how intercept and coefficients change from the first columns to all of them.

        Parameters
        ----------
        columns : int array
            All columns of a set.
        count : int
            Columns of a smaller set, whose coefficients are then changed.
        """
        matrix, response, shift, middle = self._near(columns)
        intercept, coefficients = _solution(matrix, response, shift, middle)
        first = count * shift.shape[1]
        before, less = _solution(matrix[:first, :first], response[:first], shift[:first], middle)
        coefficients[:count] -= less
        return intercept - before, coefficients

    def _near(self, columns: Ints) -> tuple[Floats, ...]:
        """Return the objective of a set: that of all columns and that of the prior, mixed."""
        objective = self._restricted(columns)
        if self.at_prior is None:
            return objective
        total = self.at_prior._explained_by_all
        share = min(self.at_prior.explained(columns) / total, 1.0) if total > 0 else 0.0
        parts = zip(objective, self.at_prior._restricted(columns), strict=True)
        return tuple(share * mine + (1.0 - share) * its for mine, its in parts)

    def explained(self, columns: Ints) -> float:
        """Return how far a set lowers the objective."""
        matrix, response, _, _ = self._restricted(columns)
        return float((response * _minimum(matrix, response)).sum())

    @cached_property
    def _explained_by_all(self) -> float:
        return self.explained(np.arange(self.n_columns))

    def _restricted(self, columns: Ints) -> tuple[Floats, ...]:
        """Return matrix, response, shift and middle of the coefficients of columns."""
        joint = self.shift.shape[1]
        chosen = (columns[:, None] * joint + np.arange(joint)).ravel()
        matrix = self.matrix[np.ix_(chosen, chosen)]
        return matrix, self.response[chosen], self.shift[chosen], self.middle

    def _own(self) -> Arrays:
        return {name: getattr(self, name) for name in _NAMES}

    def arrays(self) -> Arrays:
        """Return the objective as arrays, for storage."""
        stored = {_STORED + name: array for name, array in self._own().items()}
        if self.at_prior is not None:
            stored |= {_PRIOR + name: array for name, array in self.at_prior._own().items()}
        return stored

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> SubsetModels | None:
        """Return the models of stored `arrays`; None if there are none."""
        names = [
            prefix + name
            for prefix in (_STORED, _PRIOR)
            for name in _NAMES
            if prefix + name in arrays
        ]
        return cls(*(arrays[name] for name in names)) if names else None


def _solution(
    matrix: Floats, response: Floats, shift: Floats, middle: Floats
) -> tuple[Floats, Floats]:
    """Return the intercept (outputs,) and the coefficients (columns, outputs) of an objective."""
    coefficients = _minimum(matrix, response)
    intercept = middle - (shift.T @ coefficients).ravel()
    return intercept, coefficients.reshape(len(matrix) // shift.shape[1], -1)


def _minimum(matrix: Floats, response: Floats) -> Floats:
    """Return the coefficients that minimise an objective, whatever the units of its columns."""
    spread = np.sqrt(matrix.diagonal())
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)[:, None]
    return np.asarray(scale * _solve_guarded(matrix * scale * scale.T, response * scale))


def _solve_guarded(matrix: Floats, response: Floats) -> Floats:
    """Return the solution with coefficients of 0 for columns that those before them determine."""
    from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular

    from ...kernels.groups import guarded_cholesky

    try:
        lower = cholesky(matrix, lower=True)
        if lower.diagonal().min(initial=1.0) ** 2 > _FLOOR:
            return np.asarray(cho_solve((lower, True), response))
    except LinAlgError:
        pass
    lower, dropped = np.zeros_like(matrix), np.zeros(len(matrix), dtype=bool)
    guarded_cholesky(matrix, _FLOOR, lower, dropped)
    # the factor of the columns kept, which is that of the matrix without the others
    lower, kept = lower[np.ix_(~dropped, ~dropped)], np.zeros_like(response)
    half = solve_triangular(lower, response[~dropped], lower=True)
    kept[~dropped] = solve_triangular(lower, half, lower=True, trans=1)
    return kept
