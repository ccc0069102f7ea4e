"""The models of prefix plans: one per prefix of an order of purchases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from ...data.preparation import Preparation
from ...data.validation import float_array, int_array
from ...types import Arrays, Floats, Ints
from .linear_reader import LinearReader
from .models import LinearModel, Model, models_from_parts, models_to_parts
from .readers import Reader


class PrefixModels(Protocol):
    """The models of a prefix plan, and its answer before any purchase.

    Attributes
    ----------
    kind : str
        The name of a plan with these models in model files.
    prior : float array (outputs,)
        The answer before any purchase.
    reads : tuple of sequences of int
        The columns that each stage adds.
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

    def reader(self, length: int) -> Reader:
        """Return the model of the first `length` stages; the prior for none."""

    def linear_terms(self) -> tuple[Preparation, list[int]]:
        """Return the prepared columns of all stages in order, and how many are known after each.

        Raises
        ------
        ValueError
            If the models are not linear in these columns.
        """

    def coefficients_of(self, length: int) -> tuple[Floats, Floats]:
        """Return intercept and coefficients (columns, outputs) of a prefix, if it is linear."""

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the models as a small JSON header and arrays, for storage."""

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> Self:
        """Return the models of stored `parts`; raise ValueError if they do not fit."""


class ModelSequence:
    """A model of any kind per prefix.

    Parameters
    ----------
    models : sequence of Model
        One per stage.
    prior : float array (outputs,)
        The answer before any purchase.
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

    def reader(self, length: int) -> Reader:
        """Return a prefix's model, or the prior."""
        if length == 0:
            return lambda X, rows: np.tile(self.prior, (len(rows), 1))
        return self.models[length - 1].scores

    def linear_terms(self) -> tuple[Preparation, list[int]]:
        """Return the columns of the last model, and the number of columns of each model."""
        linear = [model for model in self.models if isinstance(model, LinearModel)]
        if len(linear) < len(self.models) or not linear or linear[-1].link != "identity":
            raise ValueError("models of any set of columns need a linear model per stage.")
        return linear[-1].preparation, [len(model.weights) for model in linear]

    def coefficients_of(self, length: int) -> tuple[Floats, Floats]:
        """Return intercept and coefficients of a prefix's model."""
        model = self.models[length - 1]
        assert isinstance(model, LinearModel), "others have no models of sets"
        return model.base, model.weights

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the models."""
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
        The number of columns known after each stage.
    intercepts : float array (stages + 1, outputs)
        One per prefix; the first is the prior.
    coefficients : float array (sum of counts, outputs)
        The concatenated coefficients of the prefixes' models.
    fill : float array, optional
        The replacement of missing values of each of `columns`; without it they are refused.
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
            raise ValueError("counts must hold one ascending number per stage.")
        if counts[-1] != len(self.columns):
            raise ValueError("the last count must be the number of columns.")
        if len(self.intercepts) != len(self.counts) + 1:
            raise ValueError("intercepts must be (stages + 1 x outputs).")
        if self.coefficients.shape != (self.counts.sum(), self.intercepts.shape[1]):
            raise ValueError("coefficients must be (sum of counts x outputs).")
        if len(self.fill) not in (0, len(self.columns)) or not np.isfinite(self.fill).all():
            raise ValueError("fill must hold one finite number per column.")

    def __len__(self) -> int:
        return len(self.counts)

    def reader(self, length: int) -> Reader:
        """Return a prefix's model, which for none has only an intercept."""
        base, weights = self.coefficients_of(length)
        n = len(weights)
        return LinearReader(self.columns[:n], weights, base, self.fill[:n])

    def linear_terms(self) -> tuple[Preparation, list[int]]:
        """Return the columns in the order bought, and the number known after each stage."""
        plain = Preparation.plain(self.columns)
        filled = replace(plain, fill=self.fill) if len(self.fill) else plain
        return filled, self.counts.tolist()

    def coefficients_of(self, length: int) -> tuple[Floats, Floats]:
        """Return intercept and coefficients of a prefix's model."""
        rows = slice(self._ends[max(length - 1, 0)], self._ends[length])
        return self.intercepts[length], self.coefficients[rows]

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the models."""
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
