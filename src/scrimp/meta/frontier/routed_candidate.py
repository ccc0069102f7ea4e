"""Base learners on the regions of routes: candidates whose purchases follow the row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ...costs.item_sets import Items
from ...plans.components.models import Model
from ...types import Flags
from .base_learners import BASE_LEARNERS
from .candidate import Candidate
from .problem import SEARCH_SAMPLE, TrainingSet
from .routing.region_scorer import RegionScorer, learning_rows, region_target
from .routing.route import Region, Route, region_numbers, regions_of
from .routing.search import class_factor
from .trained import Trained
from .trained_routes import TrainedRoutes

#: The base learner of each routed candidate.
ROUTED = {
    "routed": "boosted",
    "routed-linear": "linear",
    "routed-forest": "forest",
    "routed-kernel": "kernel",
}
#: A region with fewer rows, times a quarter of the number of classes, learns from others too.
ENOUGH_ROWS = 3_000


@dataclass(frozen=True)
class RoutedCandidate(Candidate):
    """A base learner on each region of the routes that were searched.

    Parameters
    ----------
    name : str
        Its name in results, one of `ROUTED`.
    """

    name: str
    wants_routes: ClassVar[bool] = True

    @property
    def slow_classes(self) -> bool:
        """Whether its time grows with the number of classes."""
        return BASE_LEARNERS[ROUTED[self.name]].slow_classes

    def train(self, rows: TrainingSet) -> Trained:
        """Train one model per region; where regions of several budgets are the same, once."""
        known: dict[tuple[bytes, Items], Model | None] = {}
        models = [self._models(rows, route, known) for route in rows.routes]
        return TrainedRoutes(rows.without_table(), list(rows.routes), models)

    def _models(
        self, rows: TrainingSet, route: Route, known: dict[tuple[bytes, Items], Model | None]
    ) -> list[Model | None]:
        """Return the models of the regions of a route."""
        if isinstance(route, Region):
            return [self._unrouted(rows, route.items)]
        numbers, models = region_numbers(route, rows.problem.X[rows.index]), []
        for number, region in enumerate(regions_of(route)):
            inside = numbers == number
            key = inside.tobytes(), region.items
            if key not in known:
                known[key] = region_model(rows, inside, region.items, ROUTED[self.name])
            models.append(known[key])
        return models

    def _unrouted(self, rows: TrainingSet, items: Items) -> Model | None:
        """Return the model of a set that all rows buy, which may be trained already."""
        learner = ROUTED[self.name]
        fitted = rows.fitted.setdefault(learner, {})
        if items not in fitted:
            fitted[items] = BASE_LEARNERS[learner].fit_sets(rows, [items])[0]
        return fitted[items]


def region_model(rows: TrainingSet, inside: Flags, items: Items, learner: str) -> Model | None:
    """Return a model of the rows of a region; None if there is no column to learn from."""
    rng = np.random.default_rng([rows.problem.seed, int(inside.sum())])
    enough = int(ENOUGH_ROWS * class_factor(rows.target))
    learns = np.flatnonzero(learning_rows(inside, enough, rng))
    flags, target = inside[learns], rows.target.subset(learns)
    design = rows.design.subset(learns, rows.design.max_bins)
    coarse = design.subset(np.arange(len(learns)), SEARCH_SAMPLE.max_bins)
    scorer = RegionScorer(
        coarse, target, flags, np.ones(len(learns), dtype=bool), SEARCH_SAMPLE.n_folds, rng,
        rows.scorer.pool,
    )  # fmt: skip
    problem = replace(
        rows.problem,
        X=rows.problem.X[rows.index[learns]],
        labels=rows.problem.labels[rows.index[learns]],
        target=region_target(target, flags),
    )
    region = TrainingSet(problem, np.arange(len(learns)), (design, scorer))
    return BASE_LEARNERS[learner].fit_sets(region, [items])[0]
