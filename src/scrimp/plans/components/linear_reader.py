"""Readers of linear models, which are joined in one pass over the columns of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...kernels.threads import run_over_rows
from ...types import Floats, Ints
from .readers import JointReader

#: Terms of linear models that take as long as a vote of a stump, the measure of threads' work.
_TERMS_PER_VOTE = 2


@dataclass(frozen=True, eq=False)
class LinearReader:
    """A linear model.

    Parameters
    ----------
    columns : int array (terms,)
        The columns.
    weights : float array (terms, outputs)
        Their coefficients.
    base : float array (outputs,)
        The intercepts.
    fill : float array (terms,), or of length 0
        Replaces values that are not finite; if empty, there are none.
    """

    kind: ClassVar[str] = "linear"

    columns: Ints
    weights: Floats
    base: Floats
    fill: Floats

    def __call__(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the sums of the terms (rows x outputs)."""
        from ...kernels.model_scores import add_linear_terms

        scores = np.tile(self.base, (len(rows), 1))
        add_linear_terms(scores, X, rows, self.columns, self.weights, self.fill)
        return scores

    @property
    def terms(self) -> list[tuple[int, float | None]]:
        """The column and the fill, if there is one, of each term."""
        columns = self.columns.tolist()
        return list(zip(columns, self.fill.tolist() or [None] * len(columns), strict=True))

    @classmethod
    def joined(cls, readers: Sequence[LinearReader]) -> JointReader:
        """Return the sums of all models: one list of terms, of which each has the first few."""
        from ...kernels.model_scores import write_nested_linear_scores

        base = np.array([reader.base for reader in readers])
        position: dict[tuple[int, float | None], int] = {}
        for reader in sorted(readers, key=lambda reader: len(reader.columns)):
            for term in reader.terms:
                position.setdefault(term, len(position))
        weights, counts = np.zeros((*base.shape, len(position))), []
        for number, reader in enumerate(readers):
            places = [position[term] for term in reader.terms]
            weights[number][:, places] = reader.weights.T
            counts.append(max(places, default=-1) + 1)
        columns = np.array([column for column, _ in position], dtype=np.int64)
        fill = np.array([value for _, value in position], dtype=np.float64)  # None becomes NaN
        last = np.array(counts, dtype=np.int64)

        def read(X: NDArray[Any], rows: Ints) -> Floats:
            scores = np.empty((len(rows), *base.shape))

            def write(a: int, b: int) -> None:
                write_nested_linear_scores(
                    scores[a:b], X, rows[a:b], columns, weights, last, base, fill
                )

            n_terms = int(last.sum()) * base.shape[1]
            run_over_rows(write, len(rows), len(rows) * n_terms // _TERMS_PER_VOTE)
            return scores

        return read
