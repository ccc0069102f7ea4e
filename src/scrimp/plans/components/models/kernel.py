"""Support vector machines with a Gaussian kernel."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....data.preparation import Preparation
from ....data.validation import float_array
from ....types import Arrays, Floats, Ints
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
        """Add the weighted kernels to the sums."""
        from ....kernels.model_scores import add_rbf_terms

        add_rbf_terms(sums, X, rows, self.inputs, self.centers, self.weights, self.gamma[0])

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
