"""One plan of each kind, written by hand: no learning, small but not trivial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scrimp.costs.costs import Costs
from scrimp.costs.price_list import Item
from scrimp.data.columns import Columns
from scrimp.data.target import Target
from scrimp.plans import (
    AdditivePlan,
    Block,
    BlocksPlan,
    CalibratedPlan,
    CascadePlan,
    DrawnGamPlan,
    EnsemblePlan,
    GamPlan,
    LinearPrefixes,
    MenuPlan,
    Nodes,
    PrefixPlan,
    RoutedPlan,
    SampledPlan,
    StepFunctions,
    StumpTable,
    SubsetWeights,
    TermTable,
    TreeTable,
)
from scrimp.plans.components.calibrators import PowerCalibrators
from scrimp.plans.components.network_table import NetworkTable
from scrimp.plans.components.subset_models import SubsetModels
from scrimp.plans.contract import Plan, StageTable
from scrimp.plans.priced_plan import PricedPlan
from scrimp.runtime.predictor import Predictor

from .refits import linear, refits, singles, subset, subset_of_trees, with_fallback

NAMES = ("age", "pulse", "chol", "sugar", "ecg", "scan")
AGE, PULSE, CHOL, SUGAR, ECG, SCAN = range(6)


def clinic(age: float = 0.5) -> Costs:
    """Two tests share a blood draw, two columns come together, and the scan requires others."""
    return Costs.from_items(
        [
            Item("age", age, ("age",)),
            Item("draw", 2.1, ()),
            Item("ward", 1.0, ("pulse", "ecg")),
            Item("chol", 5.17, ("chol",), ("draw",)),
            Item("sugar", 3.1, ("sugar",), ("draw",)),
            Item("scan", 40.0, ("scan",), ("ward", "chol")),
            Item("compute", 0.25, ()),
        ]
    ).bind(len(NAMES), NAMES)


def table(n: int = 9, seed: int = 0, missing: bool = True) -> np.ndarray:
    """Rows with a few gaps."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, len(NAMES)))
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X


def stages(costs: Costs, *groups: tuple[int, ...], headroom: bool = False) -> StageTable:
    """A stage for each group of columns, with the items that bring them."""
    items = tuple(tuple(sorted({costs.item_of[c] for c in group})) for group in groups)
    dearest = max(costs.price_of(needs) for needs in items)
    return StageTable(items, (dearest,) * len(items) if headroom else ())


def stumps(columns: list[int], outputs: int = 1, seed: int = 1) -> StumpTable:
    """Thresholds and a few intervals, with votes of any sign."""
    rng = np.random.default_rng(seed)
    n = len(columns)
    low = np.where(rng.random(n) < 0.3, -0.4, -np.inf)
    votes = rng.normal(size=(3, n, outputs)).round(2)
    return StumpTable(np.array(columns), low, rng.normal(size=n).round(1), *votes)


def additive(costs: Costs, columns: Any = None, outputs: int = 1, **options: Any) -> Plan[Any]:
    """Stumps that come back to columns already bought."""
    columns = columns or [CHOL, AGE, CHOL, PULSE, SUGAR, SCAN, ECG, AGE, SCAN]
    table = stumps(columns, outputs)
    prior = np.linspace(0.3, -0.2, outputs)
    return AdditivePlan(stages(costs, *((c,) for c in columns)), table, prior, **options)


def gam(costs: Costs, outputs: int = 1, **options: Any) -> Plan[Any]:
    """Functions of six columns, two of which come with one item; all but one tell something."""
    table = stumps([CHOL, AGE, CHOL, PULSE, SUGAR, SCAN, ECG, AGE, SCAN], outputs)
    functions = StepFunctions.from_stumps(table)
    functions = functions.lowered(functions.missing / 2)
    items = [costs.item_of[c] for c in functions.column.tolist()]
    order = list(dict.fromkeys(items))
    rng = np.random.default_rng(8)
    factors = rng.normal(size=(2, 6, 12))
    hessian = factors @ factors.transpose(0, 2, 1)
    gradient = np.einsum("mcd,d->mc", hessian, rng.normal(size=6)) * 20
    gradient[:, 3] = 0.0
    weights = SubsetWeights(
        hessian, gradient, 0.5, 9000.0, 0.4, [0.0, 0.05, 0.3],
        rng.normal(size=(3, outputs)), [1.0, 1.4, 0.7],
    )  # fmt: skip
    stages_ = StageTable(tuple((item,) for item in order))
    return GamPlan(stages_, functions, [order.index(i) for i in items], weights, **options)


def drawn(costs: Costs, headroom: bool = False, **options: Any) -> Plan[Any]:
    """The purchases of `gam` in an order that is drawn; one comes before all others."""
    parts: Any = gam(costs, outputs=3 if headroom else 1)
    items = parts.stages.items
    chance = np.arange(len(items)) / max(sum(range(len(items))), 1)
    rooms = (max(map(costs.price_of, items)),) * len(items) if headroom else ()
    return DrawnGamPlan(
        StageTable(items, rooms), parts.functions, parts.stage_of, parts.weights,
        "stop" if headroom else "skip", chance, **options,
    )  # fmt: skip


def sampled(costs: Costs, headroom: bool = False, **options: Any) -> Plan[Any]:
    """One stump is always evaluated, the others are drawn."""
    columns = [AGE, CHOL, PULSE, SUGAR, SCAN, ECG, CHOL]
    chance = [0.0, 0.3, 0.2, 0.2, 0.1, 0.1, 0.1]
    table = stages(costs, *((c,) for c in columns), headroom=headroom)
    return SampledPlan(table, stumps(columns), chance, [0.3], max_draws=12, **options)


def trees() -> TreeTable:
    """Four trees: one that is a leaf, and one that does not vote where a value is missing."""
    column = [AGE, -1, CHOL, -1, -1, -1, PULSE, SUGAR, -1, -1, -1, SCAN, -1, -1]
    left = [1, -1, 3, -1, -1, -1, 7, 8, -1, -1, -1, 12, -1, -1]
    right = [2, -1, 4, -1, -1, -1, 10, 9, -1, -1, -1, 13, -1, -1]
    missing = [2, -1, 3, -1, -1, -1, 10, 8, -1, -1, -1, -1, -1, -1]
    value = np.random.default_rng(6).normal(size=(14, 1)).round(2)
    cut = np.linspace(-0.5, 0.5, 14)
    return TreeTable(*map(np.array, ([0, 5, 6, 11], column, cut, left, right, missing, value)))


def drawn_trees(costs: Costs, **options: Any) -> Plan[Any]:
    """Trees that share columns and fees; the one without a test is always evaluated."""
    table = trees()
    options = {"max_draws": 12} | options
    chance, prior = [0.3, 0.0, 0.5, 0.2], table.value[5]
    return SampledPlan(stages_of(costs, table), table, chance, prior, **options)


def drawn_terms(costs: Costs) -> Plan[Any]:
    """A linear model of three classes with a constant."""
    rng = np.random.default_rng(7)
    columns = [SUGAR, AGE, -1, SCAN, CHOL, PULSE]
    table = TermTable(np.array(columns), rng.normal(size=6), rng.normal(size=(6, 3)))
    return SampledPlan(
        stages_of(costs, table), table, [0.3, 0.2, 0.0, 0.1, 0.3, 0.1], table.weight[2],
        max_draws=12, affordable=True,
    )  # fmt: skip


def stages_of(costs: Costs, members: TreeTable | TermTable) -> StageTable:
    """The items of all columns that a member reads."""
    return stages(costs, *members.reads)


def prefix(costs: Costs, subsets: bool = False) -> Plan[Any]:
    """Four prefixes, the second of which adds two columns; with models of other sets or without."""
    order = [(SUGAR,), (AGE, PULSE), (CHOL,), (SCAN,)]
    columns = [c for group in order for c in group]
    counts = np.cumsum([len(group) for group in order])
    rng = np.random.default_rng(2)
    intercepts = rng.normal(size=(len(order) + 1, 1))
    coefficients = rng.normal(size=(counts.sum(), 1))
    models = LinearPrefixes(columns, counts, intercepts, coefficients)
    if not subsets:
        return PrefixPlan(stages(costs, *order), models)
    roots = rng.normal(size=(8, len(columns)))
    objective = SubsetModels(
        roots.T @ roots, *rng.normal(size=(2, len(columns), 1)), rng.normal(size=1)
    )
    return PrefixPlan(stages(costs, *order), models, objective)


def routed(costs: Costs) -> Plan[Any]:
    """A tree with ways round two of its tests, and three classes."""
    tests = [AGE, CHOL, SUGAR, SCAN, PULSE, -1, -1, -1, -1]
    value = np.random.default_rng(3).normal(size=(len(tests), 3))
    value[2] = value[0]  # where a row comes that could buy nothing: still the prior
    nodes = Nodes(
        column=np.array(tests),
        low=np.array([-np.inf, -0.5, -np.inf, -np.inf, -np.inf] + [0.0] * 4),
        high=np.array([0.2, 0.9, 0.0, 0.3, -0.1] + [0.0] * 4),
        inside=np.array([1, 3, 4, 5, 6, -1, -1, -1, -1]),
        outside=np.array([2, 5, 7, 6, 8, -1, -1, -1, -1]),
        missing=np.array([2, 2, 7, 7, 8, -1, -1, -1, -1]),
        refused=np.array([2, 4, -1, 8, -1, -1, -1, -1, -1]),
        value=value,
    )
    items = tuple((costs.item_of[c],) if c >= 0 else () for c in tests)
    return RoutedPlan(StageTable(items), nodes)


def routed_models(costs: Costs) -> Plan[Any]:
    """Two tests, with a model in two of the three leaves."""
    nodes = Nodes(
        column=np.array([AGE, SUGAR, -1, -1, -1]),
        low=np.full(5, -np.inf),
        high=np.array([0.1, -0.2, 0.0, 0.0, 0.0]),
        inside=np.array([2, 3, -1, -1, -1]),
        outside=np.array([1, 4, -1, -1, -1]),
        missing=np.array([1, 3, -1, -1, -1]),
        refused=np.full(5, -1),
        value=np.array([[0.5, 0.5], [0.4, 0.6], [0.7, 0.3], [0.2, 0.8], [0.6, 0.4]]),
    )
    models = {2: linear([AGE, CHOL]), 3: linear([AGE, PULSE, SUGAR])}
    columns = [[AGE], [SUGAR], [AGE, CHOL], [AGE, PULSE, SUGAR], []]
    items = tuple(tuple(costs.item_of[c] for c in part) for part in columns)
    return RoutedPlan(StageTable(items), nodes, models)


def menu(costs: Costs) -> Plan[Any]:
    """Three sums, each with more columns than the one before, but not all of its columns."""
    choices = ([AGE, PULSE], [CHOL, AGE, CHOL], [SUGAR, CHOL, PULSE, SCAN, ECG, AGE])
    return MenuPlan([additive(costs, columns, outputs=3) for columns in choices])


def mixed(costs: Costs) -> Plan[Any]:
    """A menu of several kinds."""
    return MenuPlan([additive(costs, [AGE, PULSE]), sampled(costs), prefix(costs), blocks(costs)])


def blocks(costs: Costs) -> Plan[Any]:
    """Three blocks: columns, columns with compute, and compute alone; two have exits."""
    rng = np.random.default_rng(4)

    def block(columns: list[int], before: int, after: int, exit_: bool) -> Block:
        way_out = (rng.normal(size=(after, 1)), rng.normal(size=1)) if exit_ else None
        shapes = ((before, after), (len(columns), after), after)
        return Block(
            np.array(columns, dtype=int), *map(rng.normal, [0] * 3, [1] * 3, shapes), way_out
        )

    compute = tuple(i for i, own in enumerate(costs.columns) if not own)
    columns = stages(costs, (SUGAR, ECG), (CHOL,)).items
    table = StageTable((columns[0], columns[1] + compute, compute))
    steps = [block([SUGAR, ECG], 0, 3, True), block([CHOL], 3, 2, False), block([], 2, 2, True)]
    return BlocksPlan(table, steps, [0.3])


def calibrated(costs: Costs) -> Plan[Any]:
    """Three maps of three classes, which move the lines between labels."""
    maps = PowerCalibrators(
        np.linspace(0.3, 1.5, 9).reshape(3, 3), np.sin(np.arange(9.0)).reshape(3, 3)
    )
    target = Target("multiclass", np.arange(3))
    inner = additive(costs, outputs=3)
    return CalibratedPlan(inner, target, [0.1, 0.4, 1.0], maps, [0.2, 0.3, 0.5])


def cascade(costs: Costs) -> Plan[Any]:
    """Models of one set each, with a gate after the first and confidence after the second."""
    entries = singles(costs)
    gate = entries[0].models.models[0]
    return CascadePlan(entries, [0.6, 0.7][: len(entries) - 1], [gate, None][: len(entries) - 1])


def cascade_of_kinds(costs: Costs) -> Plan[Any]:
    """A tree, a calibrated sum, and a tree again, which buy stage by stage."""
    first = routed(costs)
    return CascadePlan([first, calibrated(costs), menu(costs)], [0.5, 0.55])


def ensemble(costs: Costs, **options: Any) -> Plan[Any]:
    """A sum of trees in order."""
    table = trees().taken(np.array([0, 2, 3]))
    return EnsemblePlan(stages_of(costs, table), table, [0.2], **options)


def ensemble_of_networks(costs: Costs) -> Plan[Any]:
    """A sum of two networks on some of the columns."""
    rng, n = np.random.default_rng(5), len(NAMES)
    mask = np.zeros((2, n), dtype=int)
    mask[0, [SUGAR, AGE]] = mask[1, [CHOL, AGE, ECG]] = 1
    shapes = (2, n, 3), (2, 3), (2, 3, 1)
    table = NetworkTable(
        np.arange(n), np.full(n, -1), rng.normal(size=n), np.full(n, 2.0), mask,
        rng.normal(size=(2, 1)), np.array([0]), *(rng.normal(size=shape) for shape in shapes),
    )  # fmt: skip
    return EnsemblePlan(stages_of(costs, table), table, [0.2])


KINDS: dict[str, Callable[[Costs], Plan[Any]]] = {
    "additive": additive,
    "additive-stop": lambda costs: additive(costs, outputs=3, refusal="stop"),
    "additive-mean": lambda costs: additive(costs, aggregate="average", radius=0.7),
    "gam": gam,
    "gam-stop": lambda costs: gam(costs, outputs=3, refusal="stop"),
    "drawn": drawn,
    "drawn-stop": lambda costs: drawn(costs, headroom=True),
    "sampled": sampled,
    "sampled-stop": lambda costs: sampled(costs, headroom=True, refusal="stop"),
    "sampled-affordable": lambda costs: sampled(costs, affordable=True),
    "sampled-trees": lambda costs: drawn_trees(costs, affordable=True),
    "sampled-trees-stop": lambda costs: drawn_trees(costs, refusal="stop"),
    "sampled-terms": drawn_terms,
    "prefix": prefix,
    "prefix-subsets": lambda costs: prefix(costs, subsets=True),
    "routed": routed,
    "routed-models": routed_models,
    "menu": menu,
    "menu-mixed": mixed,
    "menu-sampled": lambda costs: MenuPlan(
        [additive(costs, [AGE, PULSE]), sampled(costs, affordable=True), blocks(costs)]
    ),
    "blocks": blocks,
    "ensemble": ensemble,
    "ensemble-stop": lambda costs: ensemble(costs, refusal="stop"),
    "ensemble-mean": lambda costs: ensemble(costs, aggregate="average", radius=0.7),
    "ensemble-weighted": lambda costs: ensemble(costs, aggregate="weighted", radius=0.7),
    "ensemble-momentum": lambda costs: ensemble(costs, refusal="stop", aggregate="momentum"),
    "ensemble-networks": ensemble_of_networks,
    "calibrated": calibrated,
    "cascade": cascade,
    "cascade-kinds": cascade_of_kinds,
    "refits": refits,
    "subset": subset,
    "subset-trees": lambda costs: subset_of_trees(costs, outputs=3),
    "menu-fallback": with_fallback,
    "menu-refits": lambda costs: MenuPlan(singles(costs)),
    "menu-trees": lambda costs: MenuPlan([PrefixPlan.constant([-0.1]), subset_of_trees(costs)]),
}
#: Kinds that can tell when nothing more can change the label.
CERTAIN = (
    "additive",
    "additive-stop",
    "gam",
    "gam-stop",
    "drawn",
    "drawn-stop",
    "menu",
    "calibrated",
    "subset-trees",
    "menu-trees",
)


def predictor(kind: str, costs: Costs) -> Predictor:
    """A hand-written plan with all that is needed to follow it."""
    return wrap(KINDS[kind](costs), costs)


def wrap(plan: Plan[Any], costs: Costs) -> Predictor:
    """Any plan as a predictor over the columns of the clinic."""
    n = plan.n_outputs
    target = Target("binary" if n == 1 else "multiclass", np.arange(max(n, 2)))
    columns = Columns(NAMES, (None,) * len(NAMES))
    return Predictor(PricedPlan(plan, costs), columns, target, {})
