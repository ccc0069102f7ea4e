"""Linear models."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....data.preparation import Preparation
from ....data.validation import float_array
from ....types import Arrays, Floats, Ints
from .model import PreparedModel


class LinearModel(PreparedModel):
    """Prepared columns times their weights, added up.

    Parameters
    ----------
    preparation : Preparation
        What is done to the columns first.
    weights : float array (prepared columns, sums)
        Coefficients.
    base : float array (sums,)
        Intercepts.
    link : str
        What makes answers of the sums.
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
        """Add up the terms."""
        from ....kernels.prefixes import add_terms

        add_terms(sums, X, rows, self.inputs, self.weights, np.empty(0))

    def add_sparse(self, sums: Floats, X: Any) -> None:
        """The same of sparse rows."""
        weights = np.zeros((X.shape[1], self.weights.shape[1]))
        np.add.at(weights, self.preparation.source, self.weights)
        sums += X @ weights

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """All there is to it."""
        refuses = self.preparation.fills and not self.accepts_missing
        header = {"link": self.link} | ({"accepts_missing": False} if refuses else {})
        return header, {
            "base": self.base, "weights": self.weights, **self.preparation.arrays()
        }  # fmt: skip

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> LinearModel:
        """The inverse of `parts`."""
        preparation = Preparation.from_arrays(arrays)
        accepts_missing = header.get("accepts_missing", True)
        return cls(preparation, arrays["weights"], arrays["base"], header["link"], accepts_missing)
