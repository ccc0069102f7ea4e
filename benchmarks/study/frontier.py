"""scrimp's Frontier: the best model for each budget."""

from __future__ import annotations

import scrimp
from benchmarks.study.peers.boosters import within
from benchmarks.study.problems import Problem
from benchmarks.study.splits import Part
from benchmarks.study.tuning import Trained

RECIPE: dict[str, object] = {}


def reason_against(problem: Problem) -> str:
    """Return why it is not tried; empty if it is."""
    is_there = hasattr(scrimp, "FrontierClassifier")
    return "" if is_there else "this version of scrimp has no Frontier"


def train(part: Part) -> Trained:
    """Fit once, for all budgets, on the inner folds that all methods use.

    Where rows are many it uses the first folds only, as many as by default.
    """
    from scrimp import FrontierClassifier, FrontierRegressor
    from scrimp.meta.frontier.folds import default_folds

    n_tested = default_folds(len(part.train)).n_tested
    is_regression = part.problem.task == "regression"
    model = (FrontierRegressor if is_regression else FrontierClassifier)(
        part.costs,
        budgets=part.budgets.tolist(),
        cv=part.inner_positions()[:n_tested],
        max_seconds=part.seconds,
        n_jobs=2,
        random_state=part.seed,
    )
    model.fit(part.problem.X[part.train], part.problem.y[part.train])
    return Trained([within(part, model, float(budget)) for budget in part.budgets])
