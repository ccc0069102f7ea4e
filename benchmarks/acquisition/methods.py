"""The methods: every learner of scrimp that buys features, LightGBM's CEGB, and a fixed order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import scrimp
from benchmarks.study.methods import METHODS as STUDIED
from benchmarks.study.methods import Method
from benchmarks.study.peers.boosters import within
from benchmarks.study.splits import Part
from benchmarks.study.tuning import Trained


def _learner(name: str, **params: Any) -> Callable[[Part], Trained]:
    """Return a function that fits a learner once, and asks it at all budgets."""

    def train(part: Part) -> Trained:
        options = dict(params)
        if options.pop("for_budgets", False):
            options["budget"] = part.budgets.tolist()
        elif "budget" in getattr(scrimp, name)().get_params():
            options["budget"] = float(part.budgets[-1])
        model = getattr(scrimp, name)(costs=part.costs, random_state=part.seed, **options)
        model.fit(part.problem.X[part.train], part.problem.y[part.train])
        return Trained([within(part, model, float(budget)) for budget in part.budgets])

    return train


def _linear(part: Part) -> Trained:
    model = scrimp.SequencedClassifier(part.costs, criterion="forward", missing="mean")
    table = part.problem.X[part.train]
    model.fit(table, part.problem.y[part.train])
    return Trained([within(part, model, float(budget)) for budget in part.budgets])


def _ours(name: str, title: str, about: str, train: Any, **recipe: Any) -> Method:
    return Method(name, title, about, 60.0, train, recipe, ours=True)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        STUDIED["frontier"],
        _ours(
            "trees", "boosted trees", "boosted trees of depth 5, one ensemble per budget",
            _learner("BudgetedBoostingClassifier", max_depth=5, for_budgets=True), depth=5,
        ),
        _ours(
            "stumps", "boosted stumps", "boosted stumps, one per budget",
            _learner("BudgetedBoostingClassifier", for_budgets=True),
        ),
        _ours(
            "tree", "tree", "one tree whose rows pay for their own paths",
            _learner("BudgetedTreeClassifier"),
        ),
        _ours("linear", "linear", "logistic regression in one order of purchases", _linear),
        _ours(
            "refit", "refit", "a fixed order with HistGradientBoosting on its prefixes",
            _learner("RefitClassifier"),
        ),
        _ours(
            "cascade", "cascade",
            "prefixes of a fixed order in 6 stages, at most 1 row in 100 turned wrong",
            _learner("CascadeClassifier", n_stages=6, cv=0.2), n_stages=6,
        ),
        replace(STUDIED["cegb"], seconds=60.0),
        replace(STUDIED["sequential"], seconds=60.0),
    )
}  # fmt: skip
