"""Models of prefixes, written by hand: one of each kind that is arrays."""

from __future__ import annotations

import numpy as np

from scrimp.costs.costs import Costs
from scrimp.plans import (
    Fallback,
    MenuPlan,
    ModelSequence,
    PrefixPlan,
    SubsetPlan,
    TreeTable,
)
from scrimp.plans.components.models import (
    AverageModel,
    KernelModel,
    LinearModel,
    Preparation,
    TreesModel,
)
from scrimp.plans.contract import StageTable
from scrimp.types import Floats
from tests.plans.random_trees import random_trees

AGE, PULSE, CHOL, SUGAR = range(4)


def prepared(columns: list[int], fill: bool = True) -> Preparation:
    """Columns with a fill, a center and a scale of their own."""
    n = len(columns)
    gaps = np.linspace(-0.4, 0.3, n) if fill else np.full(n, np.nan)
    return Preparation(
        np.array(columns), np.full(n, np.nan), gaps, np.linspace(0.1, -0.2, n), np.full(n, 1.5)
    )


def tree() -> TreeTable:
    """Two tests, the second of which sends missing values right."""
    return TreeTable(
        np.array([0]),
        np.array([0, -1, 1, -1, -1]),
        np.array([0.2, 0.0, -0.3, 0.0, 0.0]),
        np.array([1, -1, 3, -1, -1]),
        np.array([2, -1, 4, -1, -1]),
        np.array([1, -1, 4, -1, -1]),
        np.array([[0.0], [0.7], [0.0], [-1.1], [0.4]]),
    )


def trees(columns: list[int]) -> TreesModel:
    return TreesModel(Preparation.plain(columns), tree(), [0.1], "logistic")


def linear(columns: list[int]) -> LinearModel:
    weights = np.linspace(-1.0, 1.2, 2 * len(columns)).reshape(-1, 2)
    return LinearModel(prepared(columns), weights, [0.3, -0.1], "softmax")


def kernel(columns: list[int]) -> KernelModel:
    centers = np.sin(np.arange(3.0 * len(columns))).reshape(3, -1)
    return KernelModel(prepared(columns), centers, [[1.0], [-2.0], [0.5]], [0.7], [0.2], "logistic")


def refits(costs: Costs) -> PrefixPlan:
    """Four prefixes, each with a model of another kind."""
    order = [(SUGAR,), (AGE, PULSE), (CHOL,)]
    items = tuple(tuple(sorted({costs.item_of[c] for c in group})) for group in order)
    models = [
        linear([SUGAR]),
        trees([AGE, SUGAR]),
        AverageModel([kernel([PULSE, CHOL]), linear([AGE, CHOL]), trees([CHOL, AGE])], [1, 0, 2]),
    ]
    return PrefixPlan(StageTable(items), ModelSequence(models, [0.6, 0.4]))


def singles(costs: Costs) -> list[PrefixPlan]:
    """One model on one set of items each, dearer from one to the next."""
    sets = [[AGE], [SUGAR, AGE], [CHOL, PULSE]]
    models = [linear([AGE]), trees([AGE, SUGAR]), kernel([PULSE, CHOL])]
    return [
        PrefixPlan.single(sorted({costs.item_of[c] for c in own}), model, [0.6, 0.4])
        for own, model in zip(sets, models, strict=True)
    ]


def subset(costs: Costs, weights: Floats | None = None) -> SubsetPlan:
    """A tree and a linear model of four columns, whichever of them are there."""
    model = AverageModel([trees([AGE, PULSE, CHOL]), linear([PULSE, CHOL, SUGAR])], [1.0, 2.0])
    reads: dict[int, list[int]] = {}
    for column in model.columns.tolist():
        reads.setdefault(costs.item_of[column], []).append(column)
    weights = None if weights is None else weights[: len(reads)]
    return SubsetPlan(list(reads), list(reads.values()), model, [0.6, 0.4], weights)


def subset_of_trees(costs: Costs, outputs: int = 1) -> SubsetPlan:
    """Trees without a link, whose sums can be bounded; the order is not that of the columns."""
    trees = random_trees(5, 8, 4, depth=3, outputs=outputs, abstains=False)
    model = TreesModel(Preparation.plain(range(4)), trees, np.linspace(0.2, 0, outputs), "identity")
    order = [CHOL, PULSE, AGE, SUGAR]
    return SubsetPlan(
        [costs.item_of[c] for c in order], [[c] for c in order], model, np.linspace(0.3, 0, outputs)
    )


def with_fallback(costs: Costs) -> MenuPlan:
    """A menu whose entries go on without items that cannot be had."""
    entries = [PrefixPlan.constant([0.6, 0.4]), *singles(costs)]
    fallback = subset(costs, np.array([0.0, 0.5, 0.25, 1.0]))
    losses = np.linspace(0.5, 0.1, len(entries))
    added = np.random.default_rng(0).uniform(0, 0.2, size=(len(entries), len(fallback.stages)))
    bought = [{i for items in entry.stages.items for i in items} for entry in entries]
    for entry, items in enumerate(bought):
        added[entry, [item not in items for (item,) in fallback.stages.items]] = 0.0
    return MenuPlan(entries, Fallback(fallback, losses, added))
