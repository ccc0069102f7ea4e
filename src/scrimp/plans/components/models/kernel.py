"""Support vector machines with a Gaussian kernel."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....data.preparation import Preparation
from ....data.validation import float_array
from ....types import Arrays, Flags, Floats, Ints
from .model import PreparedModel


class KernelModel(PreparedModel):
    """A weighted sum of Gaussian kernels centred at training points.

    Parameters
    ----------
    preparation : Preparation
        The preparation of the columns.
    centers : float array (points, prepared columns)
        The centres of the kernels, such as support vectors.
    weights : float array (points, sums)
        The weight of each kernel in each sum.
    gamma : float array (1,)
        The inverse width of the kernels.
    base : float array (sums,)
        The intercepts.
    link : str
        The link from sums to answers.
    """

    kind: ClassVar[str] = "kernel"

    def __init__(
        self,
        preparation: Preparation,
        centers: ArrayLike,
        weights: ArrayLike,
        gamma: ArrayLike,
        base: ArrayLike,
        link: str,
    ) -> None:
        super().__init__(preparation, float_array("base", base), link)
        self.centers = float_array("centers", centers, 2)
        self.weights = float_array("weights", weights, 2)
        self.gamma = float_array("gamma", gamma)
        if self.centers.shape[1] != len(preparation.source):
            raise ValueError("centers must be (points x prepared columns).")
        if self.weights.shape != (len(self.centers), len(self.base)):
            raise ValueError("weights must be (points x sums).")
        if self.gamma.shape != (1,) or not self.gamma[0] >= 0:
            raise ValueError("gamma must be one number >= 0.")
        if not all(np.isfinite(part).all() for part in (self.centers, self.weights, self.gamma)):
            raise ValueError("centers, weights and gamma must be finite.")

    def add(self, sums: Floats, X: NDArray[Any], rows: Ints) -> None:
        """Add the weighted kernels to the sums; numbers are prepared, categories looked up."""
        from ....kernels.model_scores import add_rbf_terms

        numbers, gamma = self._numbers.table(X, rows), self.gamma[0]
        add_rbf_terms(sums, numbers, self._number_centers, X, rows, *self._categories, gamma)

    @property
    def work(self) -> int:
        """The number of exponentials, each of which takes about as long as a vote."""
        return len(self.centers)

    @cached_property
    def _is_number(self) -> Flags:
        """Which prepared columns are not made from a category."""
        return np.isnan(self.preparation.code)

    @cached_property
    def _numbers(self) -> Preparation:
        """The preparation of the columns that are not made from a category."""
        return self.preparation.taken(np.flatnonzero(self._is_number))

    @cached_property
    def _number_centers(self) -> Floats:
        """The coordinates of the centers in these columns (columns x centers)."""
        return np.ascontiguousarray(self.centers[:, self._is_number].T)

    @cached_property
    def _categories(self) -> tuple[Ints, Ints, Floats, Floats, Floats]:
        """Columns with categories, these, and their squared distances, as `add_rbf_terms` has it.

        Of a table with one row per category, and per other and per missing value, the prepared
        columns are the coordinates of these.
        """
        coded = np.flatnonzero(~self._is_number)
        sources = np.unique(self.preparation.source[coded])
        codes, squares, sizes = [np.empty(0)], [np.empty((0, len(self.centers)))], [0]
        for source in sources.tolist():
            made = coded[self.preparation.source[coded] == source]
            known = np.unique(self.preparation.code[made])
            values = np.concatenate([known, [known[-1] + 1.0, np.nan]])
            table = np.zeros((len(values), source + 1))
            table[:, source] = values
            prepared = self.preparation.taken(made).table(table, np.arange(len(values)))
            differences = prepared[:, None, :] - self.centers[None, :, made]
            codes.append(values)
            squares.append((differences**2).sum(axis=2))
            sizes.append(len(values))
        weights = np.ascontiguousarray(self.weights.T)
        ends = np.cumsum(sizes, dtype=np.int64)
        return sources, ends, np.concatenate(codes), np.concatenate(squares), weights

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the model."""
        names = ("base", "centers", "weights", "gamma")
        arrays = {name: getattr(self, name) for name in names}
        return {"link": self.link}, arrays | self.preparation.arrays()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> KernelModel:
        """Return the model of stored `parts`."""
        centers, weights = arrays["centers"], arrays["weights"]
        rest = (arrays["gamma"], arrays["base"], header["link"])
        return cls(Preparation.from_arrays(arrays), centers, weights, *rest)
