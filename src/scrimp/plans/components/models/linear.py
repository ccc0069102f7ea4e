"""Linear models."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....data.preparation import Preparation
from ....data.validation import float_array
from ....types import Arrays, Floats, Ints
from .model import PreparedModel

#: Terms, with their preparation, that take as long as the vote of a tree.
_TERMS_PER_VOTE = 8


class LinearModel(PreparedModel):
    """A linear model of prepared columns.

    Parameters
    ----------
    preparation : Preparation
        The preparation of the columns.
    weights : float array (prepared columns, sums)
        The coefficients.
    base : float array (sums,)
        The intercepts.
    link : str
        The link from sums to answers.
    accepts_missing : bool, optional
        False where even a missing category is refused; by default as the preparation has it.
    """

    kind: ClassVar[str] = "linear"

    def __init__(
        self,
        preparation: Preparation,
        weights: ArrayLike,
        base: ArrayLike,
        link: str,
        accepts_missing: bool = True,
    ) -> None:
        super().__init__(preparation, float_array("base", base), link)
        self.accepts_missing = self.accepts_missing and bool(accepts_missing)
        self.weights = float_array("weights", weights, 2)
        if self.weights.shape != (len(preparation.source), len(self.base)):
            raise ValueError("weights must be (prepared columns x sums).")
        if not np.isfinite(self.weights).all():
            raise ValueError("weights must be finite.")
        self.takes_sparse = preparation.is_plain

    def add(self, sums: Floats, X: NDArray[Any], rows: Ints) -> None:
        """Add the terms to the sums."""
        from ....kernels.model_scores import add_linear_terms

        X, rows = self.prepared(X, rows)
        add_linear_terms(sums, X, rows, self.inputs, self.weights, np.empty(0))

    @property
    def work(self) -> int:
        """A few terms take as long as a vote."""
        return self.weights.size // _TERMS_PER_VOTE

    def add_sparse(self, sums: Floats, X: Any) -> None:
        """Add the terms of sparse rows to the sums."""
        weights = np.zeros((X.shape[1], self.weights.shape[1]))
        np.add.at(weights, self.preparation.source, self.weights)
        sums += X @ weights

    def trimmed(self) -> LinearModel:
        """Return the model without the columns whose coefficients are all 0."""
        used = np.flatnonzero(self.weights.any(axis=1))
        if len(used) == len(self.weights):
            return self
        accepts_missing, preparation = self.accepts_missing, self.preparation.taken(used)
        return LinearModel(preparation, self.weights[used], self.base, self.link, accepts_missing)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the model."""
        refuses = self.preparation.fills and not self.accepts_missing
        header = {"link": self.link} | ({"accepts_missing": False} if refuses else {})
        return header, {
            "base": self.base, "weights": self.weights, **self.preparation.arrays()
        }  # fmt: skip

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> LinearModel:
        """Return the model of stored `parts`."""
        preparation = Preparation.from_arrays(arrays)
        accepts_missing = header.get("accepts_missing", True)
        return cls(preparation, arrays["weights"], arrays["base"], header["link"], accepts_missing)
