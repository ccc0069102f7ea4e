"""The question that Huang, Powers and Reyzin (2015) leave open: weak learners that are trees.

Trees of depth 1 to 5 under each rule, on the paper's datasets and divisions, and GreedyMiser (Xu,
Weinberger and Chapelle, ICML 2012), which takes prices from the gain of a split.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from scrimp.learners.boosting import BudgetedBoostingClassifier

from ..experiment import Study
from ..features import Binary
from ..trials import Division, Record, Setting, divide
from .boosted_trees_report import DEPTHS, GREEDY_MISER, RULES, STACKED_DEPTHS, fill
from .published import SETTINGS

#: As in the paper's other experiments.
BUDGETS = np.arange(2.0, 41.0, 2.0)
ROUNDS = 500
#: GreedyMiser's trees have this depth.
GREEDY_MISER_DEPTH = 4
#: The smallest training set has 100 rows.
MIN_SAMPLES_LEAF = 5


def trial(data: Binary, setting: Setting, rng: np.random.Generator) -> Record:
    """Return errors at every budget and seconds of training, by method, with random prices."""
    part = divide(data, setting, rng)
    prices = np.asarray(rng.uniform(0.0, 2.0, size=data.X.shape[1]))
    errors: dict[str, list[float]] = {}
    seconds: dict[str, float] = {}
    for method, options in _methods().items():
        if options["max_depth"] > 1:
            options["min_samples_leaf"] = MIN_SAMPLES_LEAF
        model = BudgetedBoostingClassifier(
            prices, budget=float(BUDGETS[-1]), n_rounds=ROUNDS, n_jobs=1, random_state=0, **options
        )
        began = time.perf_counter()
        model.fit(part.X, part.y)
        seconds[method] = time.perf_counter() - began
        errors[method] = _errors(model, part)
    return {"error": errors, "seconds": seconds}


def _methods() -> dict[str, dict[str, Any]]:
    """Return the options of every method."""
    vote = {"combine": "vote", "loss": "exponential", "unaffordable": "stop"}
    methods: dict[str, dict[str, Any]] = {
        f"{name} {depth}": vote | {"rule": rule, "max_depth": depth}
        for name, rule in RULES.items()
        for depth in DEPTHS
    }
    for name, penalty in GREEDY_MISER.items():
        methods[name] = vote | {
            "rule": "penalty", "penalty": penalty, "max_depth": GREEDY_MISER_DEPTH,
            "loss": "logistic",
        }  # fmt: skip
    for depth in STACKED_DEPTHS:
        methods[f"per prefix {depth}"] = {"rule": "smoothed", "max_depth": depth}
    return methods


def _errors(model: BudgetedBoostingClassifier, part: Division) -> list[float]:
    return part.errors(model.sweep(part.X_test, BUDGETS).labels())


CHAPTER = Study(
    paper="huang2015",
    chapter="boosted_trees",
    title="Huang, Powers and Reyzin 2015: what if the weak learners are trees",
    reference="An open question of: Yi Huang, Brian Powers, Lev Reyzin. Training-Time "
    "Optimization of a Budgeted Booster. IJCAI 2015.",
    settings=SETTINGS,
    quick=dict.fromkeys(SETTINGS, 6),
    trial=trial,
    recipe=[1, BUDGETS.tolist(), ROUNDS, MIN_SAMPLES_LEAF, list(_methods())],
    notes=(
        "Data, divisions and random prices are those of the paper's other experiments; budgets "
        "go up to 40.",
        "BT, Greedy, Smoothed, SpeedBoost and Hybrid are the rules edge, greedy, smoothed, "
        "speedboost and hybrid; the number is the depth of the trees. Depth 1 is the paper's "
        "booster. Deeper trees are grown on the exponential loss, with a rate of 0.1 and at least "
        f"{MIN_SAMPLES_LEAF} rows per leaf. All are one training of {ROUNDS} rounds for a budget "
        "of 40: a vote that a smaller budget cuts off at the first tree it cannot pay for.",
        "per prefix: the default of scrimp. The order of purchases is taken from the training "
        "under Smoothed, and an ensemble is trained for each of several prefixes of it (for "
        "depth 1: the columns are weighted for each).",
        f"GreedyMiser: trees of depth {GREEDY_MISER_DEPTH}; the gain of a split, as mean loss, is "
        "lowered by the penalty times the price of what is not bought yet.",
    ),
    fill=lambda page, results: fill(page, results, BUDGETS),
)
