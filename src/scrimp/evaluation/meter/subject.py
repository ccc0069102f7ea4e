"""What is metered: a model of another library, or one of scrimp."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from ...costs.costs import Costs
from ...costs.ledger import within
from ...kernels.reads import price_reads
from ...learners.base import AtBudget
from ...runtime.predictor import Predictor, as_predictor
from ...types import Flags, Floats
from .asking import as_asked, refuse_rounds
from .composed import inner
from .lookup import column_names, reader_of
from .readers import Reader

#: Flags and leaves that are kept at a time.
_CELLS = 2**24


class Subject(ABC):
    """A fitted model, and what it spends under prices that are bound to its columns."""

    model: Any

    @property
    def kind(self) -> str:
        """What to call it."""
        return type(self.model).__name__

    @property
    @abstractmethod
    def names(self) -> list[str] | None:
        """Names of the columns it was fitted on, if it keeps them."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """How many columns it was fitted on."""

    @abstractmethod
    def items(self, costs: Costs) -> list[int]:
        """The items that some row may pay for."""

    @abstractmethod
    def spend(self, X: Any, costs: Costs) -> Floats:
        """What each row pays."""


@dataclass(frozen=True, eq=False)
class Foreign(Subject):
    """A model that is charged for what it reads.

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
    def reader(self) -> Reader:
        """What tells what it reads."""
        return reader_of(self.model, self.num_iteration)

    @cached_property
    def names(self) -> list[str] | None:
        """Names of the columns it was fitted on."""
        return column_names(self.model)

    @property
    def n_columns(self) -> int:
        """How many columns it was fitted on."""
        return self.reader.n_columns

    def items(self, costs: Costs) -> list[int]:
        """The items of all columns that it may read."""
        read = np.flatnonzero(self.reader.anywhere()).tolist()
        return sorted({costs.item_of[column] for column in read})

    def spend(self, X: Any, costs: Costs) -> Floats:
        """The price of what each row reads."""
        blocks = [self.reader.on_rows(block) for block in self._blocks(as_asked(X))]
        return np.concatenate([_priced(reads, costs) for reads in blocks] or [np.zeros(0)])

    def _blocks(self, X: Any) -> Iterator[Any]:
        n, step = _num_samples(X), max(_CELLS // max(self.reader.width, 1), 1)
        for start in range(0, n, step):
            yield X if step >= n else _safe_indexing(X, slice(start, min(start + step, n)))


def _priced(reads: Flags, costs: Costs) -> Floats:
    """The price of the columns that rows read, with all that these require."""
    sizes = [len(needs) for needs in costs.closures]
    spent: Floats = price_reads(
        reads,
        np.array(costs.item_of, dtype=np.int64),
        np.cumsum([0, *sizes]),
        np.array([item for needs in costs.closures for item in needs], dtype=np.int64),
        np.array(costs.prices, dtype=np.float64),
    )
    return spent


@dataclass(frozen=True, eq=False)
class Budgeted(Subject):
    """A model of scrimp: its own ledger tells what each row pays.

    Parameters
    ----------
    model : fitted estimator of scrimp, AtBudget or Predictor
        What answers.
    before : Pipeline, optional
        What makes its columns.
    """

    model: Any
    before: Any = None

    @cached_property
    def predictor(self) -> Predictor:
        """The plan that is followed."""
        return as_predictor(self.model._fitted if isinstance(self.model, AtBudget) else self.model)

    @property
    def names(self) -> list[str] | None:
        """Names of the columns that it, or what comes before it, was fitted on."""
        if self.before is not None:
            return column_names(self.before)
        names = self.predictor.columns.names
        return None if names is None else list(names)

    @property
    def n_columns(self) -> int:
        """How many columns it, or what comes before it, was fitted on."""
        if self.before is not None:
            return int(self.before.n_features_in_)
        return len(self.predictor.columns)

    def items(self, costs: Costs) -> list[int]:
        """The items of the plan that fit in the budget, each by itself."""
        own = self._own_prices(costs)
        budget = self.model.budget if isinstance(self.model, AtBudget) else None
        fit = [
            item
            for item in self.predictor.plan.items
            if budget is None or within(own.price_of([item]), budget)
        ]
        return [item for item in fit if item < costs.n_items]  # others are made from these

    def spend(self, X: Any, costs: Costs) -> Floats:
        """What each row pays."""
        self._own_prices(costs)
        given = X if self.before is None else self.before.transform(X)
        return np.asarray(self.model.spend(given), dtype=np.float64)

    def _own_prices(self, costs: Costs) -> Costs:
        """The prices of the columns that the model is given; they must be its own."""
        costs = costs if self.before is None else costs.through(self.before)
        own = self.predictor.costs
        if (costs.prices, costs.columns, costs.requires) != (own.prices, own.columns, own.requires):
            raise ValueError(
                f"The {self.kind} was fitted with other prices ({own.n_items} items, "
                f"{own.total:g} together) than the meter's ({costs.n_items} items, "
                f"{costs.total:g} together), and what it buys depends on them. Give the meter the "
                "same prices, or fit with those of the meter."
            )
        return own


def subject_of(model: Any, num_iteration: int | None) -> Subject:
    """What is to be metered, by the kind of model."""
    within_it, before = inner(model), None
    if isinstance(within_it, Pipeline):
        check_is_fitted(within_it)
        before = within_it[:-1] if len(within_it.steps) > 1 else None
        within_it = inner(within_it.steps[-1][1])
    ours = isinstance(within_it, AtBudget | Predictor) or hasattr(type(within_it), "predictor_")
    if not ours:
        return Foreign(model, num_iteration)
    refuse_rounds(within_it, num_iteration)
    return Budgeted(within_it, before)
