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
    """Gaussian bells around points of the training, added up.

    Parameters
    ----------
    preparation : Preparation
        What is done to the columns first.
    centers : float array (points, prepared columns)
        The points.
    weights : float array (points, sums)
        The heights of their bells.
    gamma : float array (1,)
        How narrow the bells are.
    base : float array (sums,)
        Intercepts.
    link : str
        What makes answers of the sums.
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
        if not all(np.isfinite(own).all() for own in (self.centers, self.weights, self.gamma)):
            raise ValueError("centers, weights and gamma must be finite.")

    def add(self, sums: Floats, X: NDArray[Any], rows: Ints) -> None:
        """Add up the bells."""
        from ....kernels.model_scores import add_rbf_terms

        add_rbf_terms(sums, X, rows, self.inputs, self.centers, self.weights, self.gamma[0])

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """All there is to it."""
        names = ("base", "centers", "weights", "gamma")
        own = {name: getattr(self, name) for name in names}
        return {"link": self.link}, own | self.preparation.arrays()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> KernelModel:
        """The inverse of `parts`."""
        centers, weights = arrays["centers"], arrays["weights"]
        rest = (arrays["gamma"], arrays["base"], header["link"])
        return cls(Preparation.from_arrays(arrays), centers, weights, *rest)
