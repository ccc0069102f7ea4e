"""One model per prefix of an order of purchases: the component that prefix plans answer with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...data.validation import float_array, int_array
from ...types import Arrays, Floats, Ints
from .models import Model, models_from_parts, models_to_parts


class PrefixModels(Protocol):
    """The models of a prefix plan, and its answer where nothing is bought.

    Attributes
    ----------
    kind : str
        The name of a plan with these models in model files.
    prior : float array (outputs,)
        The answer where nothing is bought.
    reads : tuple of sequences of int
        The columns that are looked at first after each stage.
    accepts_missing, accepts_sparse : bool
        As in `scrimp.plans.contract.Plan`.
    """

    kind: ClassVar[str]
    prior: Floats
    reads: tuple[Sequence[int] | Ints, ...]
    accepts_missing: bool
    accepts_sparse: bool

    def __len__(self) -> int:
        """Return the number of stages."""

    def scores(self, length: int, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the answers on ``X[rows]`` of the model of the first `length` >= 1 stages."""

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return all there is to the models: a small JSON header, and arrays."""

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> Self:
        """Return the models of stored `parts`; refuse arrays that do not fit."""


class ModelSequence:
    """A model of any kind per prefix.

    Parameters
    ----------
    models : sequence of Model
        One per stage.
    prior : float array (outputs,)
        The answer where nothing is bought.
    """

    kind: ClassVar[str] = "refits"

    def __init__(self, models: Sequence[Model], prior: ArrayLike) -> None:
        self.models = tuple(models)
        self.prior = float_array("prior", prior)
        if not np.isfinite(self.prior).all() or not len(self.prior):
            raise ValueError("prior must hold at least one number, all finite.")
        if any(model.n_outputs != len(self.prior) for model in self.models):
            raise ValueError("prior and models must have the same number of outputs.")
        self.reads: tuple[Sequence[int] | Ints, ...] = tuple(model.columns for model in self.models)
        self.accepts_missing = all(model.accepts_missing for model in self.models)
        self.accepts_sparse = all(model.takes_sparse for model in self.models)

    def __len__(self) -> int:
        return len(self.models)

    def scores(self, length: int, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the answers of a prefix's model."""
        return self.models[length - 1].scores(X, rows)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return all there is to the models."""
        headers, arrays = models_to_parts(self.models)
        return {"models": headers}, {"prior": self.prior} | arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> ModelSequence:
        """Return the models of stored `parts`."""
        return cls(models_from_parts(header["models"], arrays), arrays["prior"])


class LinearPrefixes:
    """A linear model per prefix, in the compact form of one array of coefficients.

    Parameters
    ----------
    columns : int array
        The columns of all stages, in the order bought.
    counts : int array (stages,)
        How many columns are known after each stage.
    intercepts : float array (stages + 1, outputs)
        One per prefix; the first is the prior.
    coefficients : float array (sum of counts, outputs)
        The models of the prefixes, one after the other.
    fill : float array, optional
        What a missing value of each of `columns` counts as; without it there may be none.
    """

    kind: ClassVar[str] = "prefix"
    accepts_sparse = False

    def __init__(
        self,
        columns: ArrayLike,
        counts: ArrayLike,
        intercepts: ArrayLike,
        coefficients: ArrayLike,
        fill: ArrayLike = (),
    ) -> None:
        self.columns = int_array("columns", columns)
        self.counts = int_array("counts", counts)
        self.intercepts = float_array("intercepts", intercepts, 2)
        self.coefficients = float_array("coefficients", coefficients, 2)
        self.fill = float_array("fill", fill)
        self.accepts_missing = len(self.fill) > 0
        self._check()
        self.prior = self.intercepts[0]
        self._ends = np.concatenate([[0], np.cumsum(self.counts)])
        order = self.columns.tolist()
        bounds = pairwise([0, *self.counts.tolist()])
        self.reads: tuple[Sequence[int] | Ints, ...] = tuple(tuple(order[a:b]) for a, b in bounds)

    def _check(self) -> None:
        counts = [0, *self.counts.tolist()]  # Python's numbers: differences cannot overflow
        if sorted(counts) != counts:
            raise ValueError("counts must hold one ascending number a stage.")
        if counts[-1] != len(self.columns):
            raise ValueError("the last count must be the number of columns.")
        if len(self.intercepts) != len(self.counts) + 1:
            raise ValueError("intercepts must be (stages + 1 x outputs).")
        if self.coefficients.shape != (self.counts.sum(), self.intercepts.shape[1]):
            raise ValueError("coefficients must be (sum of counts x outputs).")
        if len(self.fill) not in (0, len(self.columns)) or not np.isfinite(self.fill).all():
            raise ValueError("fill must hold one finite number a column.")

    def __len__(self) -> int:
        return len(self.counts)

    def scores(self, length: int, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the answers of a prefix's model."""
        from ...kernels.prefixes import add_terms

        scores = np.tile(self.intercepts[length], (len(rows), 1))
        columns = self.columns[: self.counts[length - 1]]
        coefficients = self.coefficients[self._ends[length - 1] : self._ends[length]]
        add_terms(scores, X, rows, columns, coefficients, self.fill[: len(columns)])
        return scores

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return all there is to the models."""
        arrays = {
            "columns": self.columns,
            "counts": self.counts,
            "intercepts": self.intercepts,
            "coefficients": self.coefficients,
        }
        return {}, arrays | ({"fill": self.fill} if len(self.fill) else {})

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> LinearPrefixes:
        """Return the models of stored `parts`."""
        columns, counts = arrays["columns"], arrays["counts"]
        models = arrays["intercepts"], arrays["coefficients"]
        return cls(columns, counts, *models, arrays.get("fill", ()))
