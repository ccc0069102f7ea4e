"""Routed candidates after one training, and their plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.target import Target
from ...plans import Nodes, RoutedPlan
from ...plans.components.models import Model
from ...plans.contract import Plan, StageTable
from ...types import Floats, Ints
from .problem import TrainingSet
from .routing.route import Branch, Region, Route, region_numbers
from .trained import Trained, mean_model, one_model_plan


@dataclass(frozen=True, eq=False)
class TrainedRoutes(Trained):
    """One route per budget, with a model for each of its regions."""

    fold: TrainingSet
    routes: list[Route]
    models: list[list[Model | None]]

    def predictions(self, rows: Ints) -> Floats:
        """Return the predictions of the model of each row's region; without one, the prior."""
        X = np.ascontiguousarray(self.fold.problem.X[rows])
        predictions = np.tile(self.fold.target.prior, (len(self.routes), len(X), 1))
        for budget, (route, models) in enumerate(zip(self.routes, self.models, strict=True)):
            numbers = region_numbers(route, X)
            for number, model in enumerate(models):
                inside = np.flatnonzero(numbers == number)
                if model is not None and len(inside):
                    predictions[budget, inside] = model.scores(X, inside)
        return predictions

    def plan(self, budget: int) -> tuple[Plan[Any], Target]:
        """Return a plan that routes rows, and buys the set of their region as a whole."""
        route, models = self.routes[budget], self.models[budget]
        if isinstance(route, Region):
            return one_model_plan(models[0], self.fold)
        target = self.fold.target
        kind = "shares" if target.n_classes else "regression"
        return route_plan(route, models, self.fold), Target(kind, np.arange(target.n_classes))

    def mean_with(self, others: Sequence[Trained]) -> Trained | None:
        """Return the mean with models on the same routes, None if others have other routes."""
        members = [self, *(part for part in others if isinstance(part, TrainedRoutes))]
        if len(members) <= len(others) or any(part.routes != self.routes for part in members):
            return None
        models = [
            [mean_model(region) for region in zip(*of_budget, strict=True)]
            for of_budget in zip(*(part.models for part in members), strict=True)
        ]
        return TrainedRoutes(self.fold, self.routes, models)


def route_plan(route: Route, models: Sequence[Model | None], rows: TrainingSet) -> RoutedPlan:
    """Return the plan of a route; nodes before a purchase answer as the prior of their rows.

    Parameters
    ----------
    route : Route
        Tests and item sets.
    models : sequence of Model or None
        The model of each region.
    rows : TrainingSet
        The rows that it was learnt from.
    """
    nodes = _NodeLists(rows, iter(models))
    nodes.add(route, np.arange(len(rows.index)))
    return nodes.plan()


class _NodeLists:
    """The nodes of a growing plan, parents before children."""

    def __init__(self, rows: TrainingSet, models: Iterator[Model | None]) -> None:
        self._rows, self._coming = rows, models
        self._X = rows.problem.X[rows.index]
        self._links: list[list[float]] = []  # column, low, high, inside, outside, missing
        self._values: list[Floats] = []
        self._items: list[tuple[int, ...]] = []
        self._models: dict[int, Model] = {}

    def add(self, route: Route, rows: Ints) -> int:
        """Add a route and all that follows; return the number of its first node."""
        node, target = len(self._links), self._rows.target
        self._values.append(target.subset(rows).prior if len(rows) else target.prior)
        self._links.append([-1, 0.0, 0.0, -1, -1, -1])
        self._items.append(())
        if isinstance(route, Branch):
            self._add_branch(node, route, rows)
            return node
        model = next(self._coming)
        trimmed = None if model is None else model.trimmed()
        if trimmed is not None and len(trimmed.columns):
            self._models[node] = trimmed
            self._items[node] = tuple(np.unique(self._owners[trimmed.columns]).tolist())
        return node

    @property
    def _owners(self) -> Ints:
        return self._rows.problem.costs.owners

    def _add_branch(self, node: int, branch: Branch, rows: Ints) -> None:
        test = branch.test
        is_inside = test.inside(self._X[rows])
        inside = self.add(branch.inside, rows[is_inside])
        outside = self.add(branch.outside, rows[~is_inside])
        missing = inside if test.missing_inside else outside
        self._links[node] = [test.column, test.low, test.high, inside, outside, missing]
        self._items[node] = (int(self._owners[test.column]),)

    def plan(self) -> RoutedPlan:
        """Return the plan of all nodes that were added."""
        column, low, high, inside, outside, missing = np.array(self._links).T
        inside, outside, missing = (part.astype(np.int64) for part in (inside, outside, missing))
        nodes = Nodes(
            column=column.astype(np.int64), low=low, high=high, inside=inside, outside=outside,
            missing=missing, refused=np.full(len(column), -1), value=np.array(self._values),
        )  # fmt: skip
        return RoutedPlan(StageTable(tuple(self._items)), nodes, self._models)
