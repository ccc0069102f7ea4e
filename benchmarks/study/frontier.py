"""scrimp's Frontier: the best model for each budget."""

from __future__ import annotations

import scrimp
from benchmarks.study.peers.boosters import within
from benchmarks.study.problems import Problem
from benchmarks.study.splits import Part
from benchmarks.study.tuning import Trained

RECIPE: dict[str, object] = {}


def reason_against(problem: Problem) -> str:
    """Why it is not tried, if it is not."""
    found = hasattr(scrimp, "FrontierClassifier")
    return "" if found else "this version of scrimp has no Frontier"


def train(part: Part) -> Trained:
    """Fit once, for all budgets, on the inner folds that all methods have.

    Where rows are many it looks at the first folds only, as many as it has by default.
    """
    from scrimp import FrontierClassifier, FrontierRegressor
    from scrimp.meta.frontier.frontier import default_folds

    folds, _ = default_folds(len(part.train))
    number = part.problem.task == "regression"
    model = (FrontierRegressor if number else FrontierClassifier)(
        part.costs,
        budgets=part.budgets.tolist(),
        cv=part.inner_positions()[:folds],
        max_seconds=part.seconds,
        n_jobs=2,
        random_state=part.seed,
    )
    model.fit(part.problem.X[part.train], part.problem.y[part.train])
    return Trained([within(part, model, float(budget)) for budget in part.budgets])
