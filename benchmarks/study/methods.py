"""The methods of the study: a new one is one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.study import frontier
from benchmarks.study.peers import boosters, catboost_penalty, cegb, l1, sequential
from benchmarks.study.problems import Problem
from benchmarks.study.splits import Part
from benchmarks.study.tuning import Trained


@dataclass(frozen=True)
class Method:
    """A way to learn for budgets.

    Parameters
    ----------
    name : str
        As on the command line.
    title : str
        As in tables and pictures.
    about : str
        What it is and what is tuned.
    seconds : float
        How long its tuning may take on one problem.
    train : callable
        Learns on a Part.
    recipe : mapping
        The settings that its results depend on.
    reason_against : callable
        Returns why it is not tried on a problem; empty where it is.
    ours : bool
        Whether it is scrimp's, and so no peer.
    """

    name: str
    title: str
    about: str
    seconds: float
    train: Callable[[Part], Trained]
    recipe: Mapping[str, Any] = field(default_factory=dict)
    reason_against: Callable[[Problem], str] = lambda problem: ""
    ours: bool = False


METHODS = {
    method.name: method
    for method in (
        Method(
            "frontier", "Frontier", "scrimp's Frontier, fitted once for all budgets", 120.0,
            frontier.train, frontier.RECIPE, frontier.reason_against, ours=True,
        ),
        Method(
            "smoothed", "smoothed", "scrimp's boosted stumps, rule `smoothed`, rounds 25 to 400",
            20.0, boosters.smoothed, boosters.RECIPE, ours=True,
        ),
        Method(
            "cegb", "LightGBM CEGB",
            "LightGBM with coupled cost penalties: 19 tradeoffs, 4, 8 or 31 leaves, 25 to 400 "
            "trees (10 to 100 rounds for many classes), categories native or one-hot, rate 0.1",
            100.0, cegb.train, cegb.RECIPE,
        ),
        Method(
            "catboost", "CatBoost penalties",
            "CatBoost with penalties on the first use of a column: 8 coefficients, depth 3 or 6, "
            "25 to 200 trees (10 to 50 rounds for many classes), rate 0.1",
            40.0, catboost_penalty.train, catboost_penalty.RECIPE,
        ),
        Method(
            "l1", "L1 path",
            "the path of a cost-weighted L1 penalty, 25 steps, and a logistic or ridge regression "
            "fitted again on what it picks",
            30.0, l1.train, l1.RECIPE,
        ),
        Method(
            "sequential", "forward + HistGB",
            "forward selection by cross-validation (scikit-learn's SequentialFeatureSelector), "
            "blind to prices, filled to the budget, and HistGradientBoosting",
            50.0, sequential.train, sequential.RECIPE, sequential.reason_against,
        ),
        Method(
            "adaboost", "AdaBoost, stopped",
            "AdaBoost on stumps (gradient boosting for numbers), blind to prices, stopped at the "
            "budget; rounds 25 to 400",
            20.0, boosters.adaboost, boosters.RECIPE,
        ),
    )
}  # fmt: skip
