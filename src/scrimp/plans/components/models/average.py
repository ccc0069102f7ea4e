"""Weighted means of the answers of other models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....data.validation import distinct, float_array
from ....types import Arrays, Floats, Ints
from .model import Model


class AverageModel(Model):
    """The weighted mean of the answers of several models.

    Parameters
    ----------
    members : sequence of Model
        Models with the same number of outputs.
    weights : float array (members,)
        The weight of each member: finite and >= 0, not all 0.
    """

    kind: ClassVar[str] = "average"

    def __init__(self, members: Sequence[Model], weights: ArrayLike) -> None:
        self.members = tuple(members)
        self.weights = float_array("weights", weights)
        if len(self.weights) != len(self.members) or not self.members:
            raise ValueError("an average needs at least one member, and one weight per member.")
        total = self.weights.sum()
        if not (self.weights >= 0).all() or not (np.isfinite(total) and total > 0):
            raise ValueError("weights must be finite and >= 0, and not all 0.")
        if len({member.n_outputs for member in self.members}) > 1:
            raise ValueError("the members of an average must have the same number of outputs.")
        self.n_outputs = self.members[0].n_outputs
        self.columns = distinct(np.concatenate([member.columns for member in self.members]))
        self.accepts_missing = all(member.accepts_missing for member in self.members)

    def scores(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the weighted mean of the members' answers."""
        sums = np.zeros((len(rows), self.n_outputs))
        for member, weight in zip(self.members, self.weights.tolist(), strict=True):
            sums += weight * member.scores(X, rows)
        mean: Floats = sums / self.weights.sum()
        return mean

    def trimmed(self) -> AverageModel:
        """Return the mean of the trimmed members."""
        return AverageModel([member.trimmed() for member in self.members], self.weights)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the model."""
        from . import models_to_parts

        headers, arrays = models_to_parts(self.members)
        return {"members": headers}, {"weights": self.weights} | arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> AverageModel:
        """Return the model of stored `parts`."""
        from . import models_from_parts

        return cls(models_from_parts(header["members"], arrays), arrays["weights"])
