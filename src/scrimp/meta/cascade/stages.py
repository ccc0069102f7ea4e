"""The stages of a cascade as a user gives them: estimators, and the columns of each."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from ...costs.costs import Costs
from ...costs.ledger import within
from ...data.columns import Columns
from ...learners.purchase_order import ends_of
from ...types import Ints
from ..refit.grid import chosen_prefixes

#: Names that an error lists, where a column or an item is unknown.
_MAX_NAMED = 20


@dataclass(frozen=True, eq=False)
class Stage:
    """One model of a cascade, before training.

    Parameters
    ----------
    estimator : classifier
        Not fitted.
    items : tuple of int
        What is bought for it; empty for an estimator of scrimp, which chooses.
    columns : int array
        The columns that it reads.
    name : str
        What messages call it.
    """

    estimator: Any
    items: tuple[int, ...]
    columns: Ints
    name: str

    @property
    def is_learner(self) -> bool:
        """Whether it is an estimator of scrimp, which buys by itself."""
        return hasattr(type(self.estimator), "predictor_")


def given_stages(estimators: Sequence[Any], columns: Columns, costs: Costs) -> list[Stage]:
    """Return the stages of a list of estimators, each alone or in a pair with its columns.

    Parameters
    ----------
    estimators : sequence
        A classifier, which reads all columns; a pair of a classifier and its columns, by name or
        by position, or the names of items; or an estimator of scrimp.
    columns : Columns
        Those of the table.
    costs : Costs
        The items.
    """
    if not len(estimators):
        raise ValueError("estimators is empty; expected one classifier at least.")
    return [_stage(number, entry, columns, costs) for number, entry in enumerate(estimators)]


def affordable_stages(stages: Sequence[Stage], costs: Costs, budget: float) -> list[Stage]:
    """Return the stages that a row can come to within a budget; warn of the others."""
    kept: list[Stage] = []
    bought: set[int] = set()
    for stage in stages:
        price = costs.price_of(bought.union(stage.items))
        if within(price, budget):
            kept.append(stage)
            bought.update(stage.items)
            continue
        warnings.warn(
            f"After {stage.name} a row would have paid {price:g}, but the budget is {budget:g}: "
            "the stage is left out. Raise the budget, or give the stage fewer columns.",
            UserWarning,
            stacklevel=6,
        )
    return kept


def prefix_stages(
    estimator: Any, groups: list[list[int]], costs: Costs, n_stages: int
) -> list[Stage]:
    """Return one estimator on several prefixes of an order of purchases, the last on all of it.

    Parameters
    ----------
    estimator : classifier
        What is fitted on each prefix.
    groups : list of lists of int
        Items in the order bought, those together that are paid for at once.
    costs : Costs
        The items.
    n_stages : int
        The number of prefixes, if there are as many purchases.
    """
    ends = ends_of(groups)
    sequence = [item for group in groups for item in group]
    prices = [costs.price_of(sequence[:end]) for end in ends]
    stages = []
    for place in chosen_prefixes(n_stages, ends, prices):
        items = sequence[: ends[place]]
        read = np.sort(np.array([c for i in items for c in costs.columns[i]], dtype=np.int64))
        name = f"{type(estimator).__name__} on the first {len(items)} items"
        stages.append(Stage(estimator, tuple(items), read, name))
    return stages


def _stage(number: int, entry: Any, columns: Columns, costs: Costs) -> Stage:
    """Return one stage as given; raise an error that names it."""
    pair = isinstance(entry, tuple | list)
    if pair and len(entry) != 2:
        raise ValueError(
            f"Stage {number + 1} has {len(entry)} parts; expected an estimator, or a pair of an "
            "estimator and its columns."
        )
    estimator, named = entry if pair else (entry, None)
    if not (hasattr(estimator, "fit") and is_classifier(estimator)):
        kind = type(estimator).__name__
        raise TypeError(f"Stage {number + 1} is a {kind}; expected a classifier.")
    name = f"stage {number + 1} ({type(estimator).__name__})"
    if hasattr(type(estimator), "predictor_"):
        if named is not None:
            raise ValueError(
                f"Columns are given for {name}, which chooses what it buys. Leave them out, and "
                "give it a budget instead."
            )
        return Stage(estimator, (), np.arange(len(columns)), name)
    read = np.arange(len(columns)) if named is None else _columns_of(name, named, columns, costs)
    return Stage(estimator, tuple(dict.fromkeys(costs.owners[read].tolist())), read, name)


def _columns_of(name: str, named: Any, columns: Columns, costs: Costs) -> Ints:
    """Return the positions of columns, given by name, position, or the name of their item."""
    entries = [named] if isinstance(named, str | int | np.integer) else list(named)
    known = {columns.name(column): (column,) for column in range(len(columns))}
    by_name = dict(zip(costs.names, costs.columns, strict=True)) | known
    found: list[int] = []
    for entry in entries:
        is_number = isinstance(entry, int | np.integer) and not isinstance(entry, bool)
        if is_number and 0 <= int(entry) < len(columns):
            found.append(int(entry))
        elif isinstance(entry, str) and entry in by_name:
            found.extend(by_name[entry])
        else:
            raise ValueError(
                f"{name[0].upper()}{name[1:]} reads {entry!r}, which the table lacks; expected "
                f"positions below {len(columns)} or some of {list(by_name)[:_MAX_NAMED]}."
            )
    if not found:
        raise ValueError(f"{name[0].upper()}{name[1:]} has no columns; expected one at least.")
    return np.unique(np.array(found, dtype=np.int64))
