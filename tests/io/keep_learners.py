"""Keep a model file of each learner as it is today: ``python -m tests.io.keep_learners``.

The files in ``old/learners`` are written once. Run this only for a learner that is new, and name
it on the command line: what is there already must never be written again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

import scrimp
from scrimp.datasets import load_heart
from scrimp.learners.streaming import Convolution, RandomFeatures

LEARNERS = Path(__file__).parent / "old" / "learners"
EXPECTED = LEARNERS / "expected.json"

#: Prices of the columns of `table`; the last two come together, and one needs another.
COSTS = scrimp.Costs.from_items(
    [
        scrimp.Item("a", 1.0, (0,)),
        scrimp.Item("b", 2.5, (1,)),
        scrimp.Item("c", 0.1, (2,), ("a",)),
        scrimp.Item("d", 4.0, (3, 4)),
    ]
)
TABLE_BUDGETS = [0.0, 0.1, 1.0, 1.1, 3.6, 5.0, 7.6, 100.0]
HEART_BUDGETS = [0.0, 1.0, 4.0, 20.0, 105.0, 200.0, 400.0]


def table(n: int = 60) -> np.ndarray:
    """Rows of five numbers, made without a random generator that may change."""
    return np.sin(np.arange(1.0, 5 * n + 1) ** 2).reshape(n, 5)


def target(X: np.ndarray) -> np.ndarray:
    """A number per row that depends on all columns."""
    return 2 * X[:, 0] - X[:, 1] + X[:, 2] * X[:, 3] + 0.5 * X[:, 4]


def two(X: np.ndarray) -> np.ndarray:
    """One of two names per row."""
    return np.where(target(X) > 0, "yes", "no")


def three(X: np.ndarray) -> np.ndarray:
    """One of three classes per row."""
    return np.digitize(target(X), [-0.7, 0.7])


def counts(X: np.ndarray) -> np.ndarray:
    """A count per row."""
    return np.floor(np.exp(target(X) / 2))


def on_table(name: str, labels: Callable[[np.ndarray], np.ndarray], **params: Any) -> Any:
    """Return a learner fitted on the table of numbers."""
    X = table()
    return getattr(scrimp, name)(costs=COSTS, **params).fit(X, labels(X))


def routed() -> Any:
    """Return a tree of models of rows that need other columns if the first is positive."""
    X = table(900)
    model = scrimp.RoutedRegressor(COSTS, [5.0], learners=["linear"], cv=2)
    return model.fit(X, np.where(X[:, 0] > 0, X[:, 1], X[:, 3] - X[:, 4]))


def on_heart(name: str, **params: Any) -> Any:
    """Return a learner fitted on the heart data: a frame with categories and missing values."""
    heart = load_heart()
    return getattr(scrimp, name)(costs=heart.costs, **params).fit(heart.X, heart.y)


def calibrated() -> Any:
    """Return boosting with probabilities calibrated on held-out folds."""
    booster = scrimp.BudgetedBoostingClassifier(n_rounds=6, random_state=0)
    return on_table("CalibratedClassifier", two, estimator=booster, cv=3, random_state=0)


def streaming_convolution() -> Any:
    """Return convolutions of images of one row, which are the columns of the table."""
    kind = Convolution(image_shape=(1, 5), channels=2, side=1, stride=1)
    return on_table("StreamingBoostingRegressor", target, n_learners=2, learner=kind)


def stop_by_spend() -> Any:
    """Return a model with thresholds of confident stops by spend."""
    X = table()
    return on_table("SequencedClassifier", three).calibrate_stop(X, three(X), error_cost=3.0)


#: How each model was made, by the name of its file. Those of the heart data begin with "heart".
MODELS: dict[str, Callable[[], Any]] = {
    "heart-boosting": lambda: on_heart(
        "BudgetedBoostingClassifier", n_rounds=12, budget=110.0, random_state=0
    ),
    "heart-boosting-budgets": lambda: on_heart(
        "BudgetedBoostingClassifier", n_rounds=8, budget=[3.0, 20.0, 200.0], random_state=0
    ),
    "boosting-three": lambda: on_table(
        "BudgetedBoostingClassifier", three, loss="samme", n_rounds=10, rule="edge", random_state=0
    ),
    "boosting-three-budgets": lambda: on_table(
        "BudgetedBoostingClassifier",
        three,
        loss="samme",
        n_rounds=6,
        budget=[1.1, 3.6, 7.6],
        random_state=0,
    ),
    "stumps-three": lambda: on_table(
        "BudgetedBoostingClassifier", three, n_rounds=10, budget=7.6, random_state=0
    ),
    "boosting-three-error-cost": lambda: on_table(
        "BudgetedBoostingClassifier",
        three,
        loss="samme",
        n_rounds=10,
        error_cost={"0->1": 5, "0->2": 20, "1": 2, "2->0": 1, "2->1": 0.5},
        random_state=0,
    ),
    "boosting-regressor": lambda: on_table(
        "BudgetedBoostingRegressor", target, n_rounds=20, random_state=0
    ),
    "boosting-regressor-budgets": lambda: on_table(
        "BudgetedBoostingRegressor", target, n_rounds=10, budget=[1.1, 7.6], random_state=0
    ),
    "heart-trees": lambda: on_heart(
        "BudgetedBoostingClassifier", max_depth=3, n_rounds=10, budget=110.0, random_state=0
    ),
    "trees-three": lambda: on_table(
        "BudgetedBoostingClassifier",
        three,
        max_depth=2,
        n_rounds=8,
        min_samples_leaf=3,
        combine="vote",
        early_stopping=False,
        random_state=0,
    ),
    "trees-poisson": lambda: on_table(
        "BudgetedBoostingRegressor",
        counts,
        max_depth=2,
        loss="poisson",
        n_rounds=8,
        min_samples_leaf=3,
        random_state=0,
    ),
    "heart-sampled-cost-aware": lambda: on_heart(
        "SampledBoostingClassifier", n_rounds=15, max_draws=60, random_state=0, combine="vote"
    ),
    "sampled-cost-aware-paper": lambda: on_table(
        "SampledBoostingClassifier",
        two,
        n_rounds=15,
        bound="paper",
        max_draws=60,
        random_state=0,
        combine="vote",
    ),
    "sampled-uniform": lambda: on_table(
        "SampledBoostingClassifier",
        two,
        n_rounds=15,
        sampling="uniform",
        max_draws=60,
        random_state=0,
        combine="vote",
    ),
    "sampled-top": lambda: on_table(
        "SampledBoostingClassifier",
        two,
        n_rounds=15,
        sampling="top",
        random_state=0,
        combine="vote",
    ),
    "heart-sampled-stacked": lambda: on_heart(
        "SampledBoostingClassifier", n_rounds=15, random_state=0
    ),
    "sampled-stacked-paper": lambda: on_table(
        "SampledBoostingClassifier", three, n_rounds=15, bound="paper", random_state=0
    ),
    "sampled-stacked-top": lambda: on_table(
        "SampledBoostingClassifier", two, n_rounds=15, sampling="top", random_state=0
    ),
    "tree": lambda: on_table(
        "BudgetedTreeClassifier",
        three,
        max_depth=4,
        min_samples_leaf=3,
        random_state=0,
        rule="price-blind",
    ),
    "heart-tree": lambda: on_heart(
        "BudgetedTreeClassifier",
        max_depth=4,
        min_samples_leaf=5,
        budget=150.0,
        random_state=0,
        rule="price-blind",
    ),
    "tree-priced": lambda: on_table(
        "BudgetedTreeClassifier", three, max_depth=4, min_samples_leaf=3, random_state=0
    ),
    "heart-tree-average": lambda: on_heart(
        "BudgetedTreeClassifier", budget=150.0, average_budget=50.0, random_state=0
    ),
    "tree-regressor": lambda: on_table(
        "BudgetedTreeRegressor", target, min_samples_leaf=3, random_state=0
    ),
    "heart-streaming": lambda: on_heart(
        "StreamingBoostingClassifier", n_learners=4, max_depth=3, budget=110.0
    ),
    "streaming-absolute": lambda: on_table(
        "StreamingBoostingRegressor", target, loss="absolute", n_learners=3, max_depth=2, radius=2.0
    ),
    "heart-streaming-network": lambda: on_heart(
        "StreamingBoostingClassifier", n_learners=3, budget=110.0, learner="network"
    ),
    "streaming-linear-three": lambda: on_table(
        "StreamingBoostingClassifier", three, n_learners=3, budget=5.0, learner="linear"
    ),
    "streaming-random-features": lambda: on_table(
        "StreamingBoostingRegressor", target, n_learners=2, learner=RandomFeatures(n_features=8)
    ),
    "streaming-convolution": streaming_convolution,
    "sequenced-stop-by-spend": stop_by_spend,
    "sequenced-regressor": lambda: on_table("SequencedRegressor", target),
    "sequenced-regressor-doubling": lambda: on_table("SequencedRegressor", target, doubling=True),
    "sequenced-classifier": lambda: on_table("SequencedClassifier", three),
    "sequenced-poisson": lambda: on_table("SequencedPoissonRegressor", counts),
    "group-lasso": lambda: on_table("GroupLassoRegressor", target, n_penalties=40),
    "svc": lambda: on_table("BudgetedSVC", two, budget=5.0),
    "svc-three": lambda: on_table("BudgetedSVC", three, budget=5.0),
    "svr": lambda: on_table("BudgetedSVR", target, budget=[1.1, 5.0, 7.6]),
    "refit-boosting": lambda: on_table(
        "RefitClassifier",
        two,
        estimator=GradientBoostingClassifier(n_estimators=3, max_depth=2),
        random_state=0,
    ),
    "refit-forest": lambda: on_table(
        "RefitClassifier",
        three,
        estimator=RandomForestClassifier(3, max_leaf_nodes=6),
        random_state=0,
    ),
    "refit-linear": lambda: on_table(
        "RefitClassifier", three, estimator=LogisticRegression(), random_state=0
    ),
    "refit-regressor": lambda: on_table(
        "RefitRegressor",
        target,
        estimator=DecisionTreeRegressor(max_leaf_nodes=8),
        random_state=0,
    ),
    "heart-refit-linear": lambda: on_heart(
        "RefitClassifier", estimator=LogisticRegression(max_iter=2000), random_state=0
    ),
    "heart-refit-forest": lambda: on_heart(
        "RefitClassifier",
        estimator=RandomForestClassifier(3, max_leaf_nodes=6),
        grid=[4.0, 110.0, 320.0],
        random_state=0,
    ),
    "frontier-classifier": lambda: on_table(
        "FrontierClassifier",
        two,
        budgets=[1.1, 3.6, 7.6],
        candidates=["smoothed", "svm", "kernel"],
        cv=2,
    ),
    "frontier-regressor": lambda: on_table(
        "FrontierRegressor", target, budgets=[1.1, 7.6], candidates=["linear", "smoothed"], cv=2
    ),
    "calibrated": calibrated,
    "cascade": lambda: on_table(
        "CascadeClassifier",
        three,
        estimators=[(LogisticRegression(), [0]), (LogisticRegression(), ["a", "b", "c"])],
        average_budget=2.5,
        random_state=0,
    ),
    "cascade-gates": lambda: on_table(
        "CascadeClassifier",
        two,
        estimators=[(LogisticRegression(), [0]), LogisticRegression()],
        gate=LogisticRegression(),
        average_budget=5.0,
        random_state=0,
    ),
    "routed": routed,
}


def answers(name: str, model: Any) -> dict[str, Any]:
    """Return the scores and the spend of a model on a few rows at several budgets."""
    if name.startswith("heart"):
        sweep = model.sweep(load_heart().X[::60], HEART_BUDGETS)
    else:
        sweep = model.sweep(table(70)[60::2], TABLE_BUDGETS)
    return {
        "scores": sweep.scores.tolist(),
        "spent": sweep.spent.tolist(),
        "labels": sweep.labels().tolist(),
    }


def keep(names: list[str]) -> None:
    """Write the files of these learners, and the answers they must always give."""
    LEARNERS.mkdir(parents=True, exist_ok=True)
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    for name in names:
        if name in expected:
            raise SystemExit(f"{name} is kept already; its file must never be written again.")
        model = MODELS[name]()
        scrimp.save(model, LEARNERS / f"{name}.model")
        expected[name] = answers(name, model)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(expected[name])}" for name in expected)
    EXPECTED.write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    keep(sys.argv[1:] or list(MODELS))
