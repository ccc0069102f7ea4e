"""Orders of feature groups side by side (Hu et al. 2016): what one trial of `hu2016` runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from scrimp.costs.costs import Costs
from scrimp.evaluation.anytime import ndcg_scorer, oracle_order, stopping_cost, timeliness
from scrimp.learners.linear import GroupLassoRegressor, SequencedRegressor
from scrimp.types import Floats, Ints

from ..prices import draw_prices
from ..trials import Record, Setting
from .data import Grouped
from .refits import Rows, forward_by_refits, omp_by_refits

#: The ridge that the thesis chose for Yahoo's set.
RIDGE = 1e-5
#: Where curves are kept: parts of the stopping cost.
GRID = np.linspace(0.0, 1.0, 51)
#: Parts of all explained variance where a plateau may begin.
ALPHAS = (0.95, 0.96, 0.97, 0.98, 0.99)
#: It begins where the next hundredth takes more than this part of all prices.
DEAR = 0.2
#: Penalties on the path of the group lasso.
PENALTIES = 50
#: Training rows with which the way by refits is timed.
REFITTED = 2000

Quality = Callable[[Floats], float] | None


@dataclass(frozen=True, eq=False)
class Halves:
    """Training rows, test rows, and how predictions of the latter are scored."""

    X: NDArray[np.float32]
    y: Floats
    X_test: NDArray[np.float32]
    y_test: Floats
    quality: Quality


def halve(data: Grouped, rng: np.random.Generator) -> Halves:
    """Return a random half of the rows, or queries, for training and the rest for testing."""
    unit = np.arange(len(data.y)) if data.query is None else data.query
    units = rng.permutation(np.unique(unit))
    known = np.isin(unit, units[: len(units) // 2])
    return Halves(data.X[known], data.y[known], data.X[~known], data.y[~known],
                  _quality(data, ~known))  # fmt: skip


def _quality(data: Grouped, test: NDArray[np.bool_]) -> Quality:
    """Return NDCG@5 where rows are ranked, accuracy where the response is a sign, else None."""
    targets = data.y[test]
    if data.query is not None:
        scorer, rows = ndcg_scorer(data.query[test]), np.arange(len(targets))
        return lambda answers: scorer(SimpleNamespace(predict=answers.__getitem__), rows, targets)
    if set(np.unique(targets)) == {-1.0, 1.0}:
        return lambda answers: float((np.where(answers > 0, 1.0, -1.0) == targets).mean())
    return None


def plateau(spent: Floats, explained: Floats, total: float) -> float:
    """Return the part of all explained where the plateau begins; 1 if none does (Sec. 3.5.2)."""
    for alpha in ALPHAS:
        here, next_ = (stopping_cost(spent, explained, a) for a in (alpha, min(alpha + 0.01, 1.0)))
        if next_ - here > DEAR * total:
            return alpha
    return 1.0


class Curve:
    """The price of each prefix of a fitted order, and what it explains of test rows."""

    def __init__(self, model: SequencedRegressor, costs: Costs, part: Halves) -> None:
        items = [costs.names.index(name) for name in model.sequence_]
        prefixes = [items[:k] for k in range(len(items) + 1)]
        budgets = [model.plan_.costs.price_of(prefix) for prefix in prefixes]
        self.spent: Floats = np.array([costs.price_of(prefix) for prefix in prefixes])
        self.answers = model.sweep(part.X_test, budgets).labels()
        risk = ((self.answers - part.y_test[:, None]) ** 2).mean(axis=0)
        self.explained: Floats = 1.0 - risk / risk[0]

    def within(self, budget: float) -> Floats:
        """Return the answers of the longest prefix that a budget pays for."""
        answers: Floats = self.answers[:, np.searchsorted(self.spent, budget, side="right") - 1]
        return answers


def trial(data: Grouped, setting: Setting, rng: np.random.Generator) -> Record:
    """Compare all orders on the same test rows, for one division and one price list."""
    part = halve(data, rng)
    prices = draw_prices(data.n_groups, rng)
    costs, equal = (
        Costs.per_group(data.groups, p.tolist()) for p in (prices, np.ones_like(prices))
    )
    SequencedRegressor(costs, alpha=RIDGE).fit(part.X[:50], part.y[:50])  # kernels are compiled
    models, seconds = {}, {}
    for name, criterion in (("CS-G-FR", "forward"), ("CS-G-OMP", "omp"), ("Single", "single"),
                            ("No-Whiten", "no-whiten"), ("G-OMP", "omp")):  # fmt: skip
        model_costs = equal if name == "G-OMP" else costs
        models[name], seconds[name] = _timed(
            SequencedRegressor(model_costs, criterion=criterion, alpha=RIDGE), part
        )
    models["Sparse"], seconds["Sparse"] = _timed(
        GroupLassoRegressor(costs, alpha=RIDGE, n_penalties=PENALTIES), part
    )
    seconds |= _seconds_by_refits(part, data.groups, prices)
    omp, curves = models["CS-G-OMP"], {n: Curve(m, costs, part) for n, m in models.items()}
    alpha = plateau(curves["CS-G-OMP"].spent, omp.explained_, costs.total)
    until = stopping_cost(curves["CS-G-OMP"].spent, omp.explained_, alpha)
    return {
        "alpha": alpha,
        "until": until / costs.total,
        "seconds": seconds,
        "training": {
            name: timeliness(curves[name].spent, model.explained_, until)
            for name, model in models.items()
        },
        **_measured(curves, until, part.quality),
    }


def _measured(curves: dict[str, Curve], until: float, quality: Quality) -> Record:
    """Return timeliness, curves up to the stopping cost, and the quality there."""
    lines = {name: (curve.spent, curve.explained) for name, curve in curves.items()}
    for name in ("FR", "OMP"):
        lines[f"Oracle-{name}"] = oracle_order(*lines[f"CS-G-{name}"])
    record: Record = {
        "timeliness": {name: timeliness(*line, until) for name, line in lines.items()},
        "explained": {
            name: values[np.searchsorted(spent, GRID * until + 1e-9, side="right") - 1].tolist()
            for name, (spent, values) in lines.items()
        },
    }
    if quality is not None:
        record["quality"] = {name: quality(curve.within(until)) for name, curve in curves.items()}
        record["quality_by_all"] = quality(curves["CS-G-FR"].answers[:, -1])
    return record


def _timed(model: Any, part: Halves) -> tuple[Any, Record]:
    """Return a fitted model and the CPU seconds for its sums over rows and for its order."""
    with threadpool_limits(1):
        start = process_time()
        model.partial_fit(part.X, part.y)
        summed = process_time()
        _ = model.sequence_
    return model, {"sums": summed - start, "order": process_time() - summed}


def _seconds_by_refits(part: Halves, groups: NDArray[Any], prices: Floats) -> Record:
    group_columns: list[Ints] = [np.flatnonzero(groups == name) for name in np.unique(groups)]
    rows = Rows.of(part.X[:REFITTED], part.y[:REFITTED], group_columns, prices, RIDGE)
    seconds = {}
    for name, way in (("FR by refits", forward_by_refits), ("OMP by refits", omp_by_refits)):
        with threadpool_limits(1):
            start = process_time()
            way(rows)
            seconds[name] = {"order": process_time() - start}
    return seconds
