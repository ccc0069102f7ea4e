"""Adapters that let the cost meter treat models of all libraries alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from ...costs.costs import Costs
from ...costs.ledger import within
from ...kernels.decision_paths import price_columns_read
from ...learners.at_budget import AtBudget
from ...runtime.predictor import Predictor, as_predictor
from ...types import Flags, Floats
from . import catboost, lightgbm, sklearn_models, xgboost
from .column_use import ColumnUse, as_array, refuse, refuse_rounds
from .sklearn_compositions import answering_model

#: Flags and leaf numbers held at a time: larger blocks of rows take memory and save calls.
_CELLS = 2**24

_LIBRARIES: dict[str | None, ModuleType] = {
    "lightgbm": lightgbm,
    "xgboost": xgboost,
    "catboost": catboost,
}


class MeteredModel(ABC):
    """A fitted model, and what it spends under prices that are bound to its columns."""

    model: Any

    @property
    def kind(self) -> str:
        """The name of the model's class, for messages."""
        return type(self.model).__name__

    @property
    @abstractmethod
    def names(self) -> list[str] | None:
        """Names of the columns it was fitted on, if it keeps them."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Number of columns it was fitted on."""

    @abstractmethod
    def items(self, costs: Costs) -> list[int]:
        """Return the items that some row may pay for."""

    @abstractmethod
    def spend(self, X: Any, costs: Costs) -> Floats:
        """Return what each row pays."""


@dataclass(frozen=True, eq=False)
class ExternalModel(MeteredModel):
    """A model of another library, charged for the columns that it reads.

    Parameters
    ----------
    model : fitted model
        Of LightGBM, XGBoost, CatBoost or scikit-learn.
    num_iteration : int, optional
        Rounds of boosting that are charged; those that it predicts with by default.
    """

    model: Any
    num_iteration: int | None = None

    @cached_property
    def use(self) -> ColumnUse:
        """The columns that its predictions read."""
        return column_use_of(self.model, self.num_iteration)

    @cached_property
    def names(self) -> list[str] | None:
        """Names of the columns it was fitted on."""
        return column_names(self.model)

    @property
    def n_columns(self) -> int:
        """Number of columns it was fitted on."""
        return self.use.n_columns

    def items(self, costs: Costs) -> list[int]:
        """Return the items of all columns that it may read."""
        columns = np.flatnonzero(self.use.for_any_row()).tolist()
        return sorted({costs.item_of[column] for column in columns})

    def spend(self, X: Any, costs: Costs) -> Floats:
        """Return the price of the columns that each row reads."""
        reads = [self.use.per_row(block) for block in self._blocks(as_array(X))]
        return np.concatenate([_price(flags, costs) for flags in reads] or [np.zeros(0)])

    def _blocks(self, X: Any) -> Iterator[Any]:
        n, step = _num_samples(X), max(_CELLS // max(self.use.width, 1), 1)
        for start in range(0, n, step):
            yield X if step >= n else _safe_indexing(X, slice(start, min(start + step, n)))


def _price(reads: Flags, costs: Costs) -> Floats:
    """Return the price per row of the columns read and of all that these require."""
    sizes = [len(closure) for closure in costs.closures]
    spent: Floats = price_columns_read(
        reads,
        np.array(costs.item_of, dtype=np.int64),
        np.cumsum([0, *sizes]),
        np.array([item for closure in costs.closures for item in closure], dtype=np.int64),
        np.array(costs.prices, dtype=np.float64),
    )
    return spent


@dataclass(frozen=True, eq=False)
class BudgetedModel(MeteredModel):
    """A model of scrimp, whose ledger says what each row pays.

    Parameters
    ----------
    model : fitted estimator of scrimp, AtBudget or Predictor
        The model that predicts.
    transformer : Pipeline, optional
        The steps that make its columns.
    """

    model: Any
    transformer: Any = None

    @cached_property
    def predictor(self) -> Predictor:
        """The plan that is followed."""
        return as_predictor(self.model._fitted if isinstance(self.model, AtBudget) else self.model)

    @property
    def names(self) -> list[str] | None:
        """Names of the columns that it, or its transformer, was fitted on."""
        if self.transformer is not None:
            return column_names(self.transformer)
        names = self.predictor.columns.names
        return None if names is None else list(names)

    @property
    def n_columns(self) -> int:
        """Number of columns that it, or its transformer, was fitted on."""
        if self.transformer is not None:
            return int(self.transformer.n_features_in_)
        return len(self.predictor.columns)

    def items(self, costs: Costs) -> list[int]:
        """Return the items of the plan that fit in the budget, each by itself."""
        fitted = self._fitted_costs(costs)
        budget = self.model.budget if isinstance(self.model, AtBudget) else None
        affordable = [
            item
            for item in self.predictor.plan.items
            if budget is None or within(fitted.price_of([item]), budget)
        ]
        return [item for item in affordable if item < costs.n_items]  # others are made from these

    def spend(self, X: Any, costs: Costs) -> Floats:
        """Return what each row pays."""
        self._fitted_costs(costs)
        columns = X if self.transformer is None else self.transformer.transform(X)
        return np.asarray(self.model.spend(columns), dtype=np.float64)

    def _fitted_costs(self, costs: Costs) -> Costs:
        """Return the prices that the model was fitted with; the meter's must equal them."""
        costs = costs if self.transformer is None else costs.through(self.transformer)
        fitted = self.predictor.costs
        if (costs.prices, costs.columns, costs.requires) != (
            fitted.prices,
            fitted.columns,
            fitted.requires,
        ):
            raise ValueError(
                f"The {self.kind} was fitted with other prices ({fitted.n_items} items, "
                f"{fitted.total:g} together) than the meter's ({costs.n_items} items, "
                f"{costs.total:g} together), and what it buys depends on them. Give the meter the "
                "same prices, or fit with those of the meter."
            )
        return fitted


def metered_model_of(model: Any, num_iteration: int | None) -> MeteredModel:
    """Return the adapter of a fitted model."""
    last_step, transformer = answering_model(model), None
    if isinstance(last_step, Pipeline):
        check_is_fitted(last_step)
        transformer = last_step[:-1] if len(last_step.steps) > 1 else None
        last_step = answering_model(last_step.steps[-1][1])
    budgeted = isinstance(last_step, AtBudget | Predictor) or hasattr(type(last_step), "predictor_")
    if not budgeted:
        return ExternalModel(model, num_iteration)
    refuse_rounds(last_step, num_iteration)
    return BudgetedModel(last_step, transformer)


def column_use_of(model: Any, num_iteration: int | None = None) -> ColumnUse:
    """Return the column use of a fitted model; a TypeError for one that is not supported."""
    model = answering_model(model)
    library = library_of(model)
    if library in _LIBRARIES:
        _check_model(model)
        use: ColumnUse = _LIBRARIES[library].column_use_of(model, num_iteration)
        return use
    if library == "sklearn":
        return sklearn_models.column_use_of(model, num_iteration, column_use_of)
    refuse(model)


def column_names(model: Any) -> list[str] | None:
    """Return the names of the columns that a model was fitted on, if it keeps them."""
    library = library_of(model)
    if library in _LIBRARIES:
        _check_model(model)
        names = _LIBRARIES[library].column_names(model)
        return None if names is None else list(names)
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return [str(name) for name in names]
    inner_model = answering_model(model)
    return None if inner_model is model else column_names(inner_model)


def library_of(model: Any) -> str | None:
    """Return the library that a model, or a class it is derived from, comes from."""
    packages = [base.__module__.split(".")[0] for base in type(model).__mro__]
    return next((name for name in packages if name in (*_LIBRARIES, "sklearn")), None)


def _check_model(model: Any) -> None:
    """Refuse datasets and other objects of a library that are not models."""
    if not hasattr(model, "predict") or type(model).__name__ == "CVBooster":
        refuse(model)
