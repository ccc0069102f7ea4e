"""How a comparison comes to its advice."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .advice import Advice, Rival
from .curve import Point

if TYPE_CHECKING:
    from .comparison import Comparison

#: A saving below this part of the spend is not worth a word.
_SAVING = 0.05


def advise(
    comparison: Comparison, budget: float | None = None, error_cost: float | None = None
) -> Advice:
    """See `Comparison.recommend`."""
    _check(comparison, error_cost)
    if error_cost is not None:
        return _by_cost(comparison, error_cost, budget)
    if budget is not None:
        name, points = _best_at(comparison, budget)
        return _advice(comparison, name, points, budget=budget)
    return _knee(comparison)


def _check(comparison: Comparison, error_cost: float | None) -> None:
    if error_cost is None:
        return
    if not (math.isfinite(error_cost) and error_cost >= 0):
        raise ValueError(f"error_cost is {error_cost}; expected a finite number >= 0.")
    if comparison.scoring != "accuracy":
        raise ValueError(
            f"error_cost is the price of a wrong answer, and {comparison.scoring} does not count "
            "wrong answers."
        )


def _best_at(comparison: Comparison, budget: float) -> tuple[str, dict[str, Point]]:
    """The best method at a budget; of equals the one that spends less."""
    points = {name: comparison.at(name, budget) for name in comparison.names}
    best = max(points, key=lambda name: (points[name].quality, -points[name].spent))
    return best, points


def _knee(comparison: Comparison) -> Advice:
    """The least budget at which some method is within one standard error of the best."""
    tops = [(*_best_at(comparison, budget), budget) for budget in comparison.budgets.tolist()]
    best, points, budget = max(tops, key=lambda top: (top[1][top[0]].quality, -top[2]))
    error = comparison.standard_error(best, budget)
    floor = points[best].quality - error
    name, near, least = next(top for top in tops if top[1][top[0]].quality >= floor)
    reference = None if least == budget else (best, points[best])
    return _advice(comparison, name, near, best=reference, error=error)


def _by_cost(comparison: Comparison, error_cost: float, budget: float | None) -> Advice:
    """The least spend and cost of errors; each method at its own best budget."""
    limit = comparison.at(comparison.names[0], math.inf if budget is None else budget).budget
    points = {}
    for name, curve in comparison.curves().items():
        within = [curve.at(b) for b in curve.budgets.tolist() if b <= limit]
        points[name] = min(within, key=lambda p: p.spent + error_cost * (1.0 - p.quality))
    best = min(points, key=lambda n: points[n].spent + error_cost * (1.0 - points[n].quality))
    return _advice(comparison, best, points, budget=budget, error_cost=error_cost)


def _advice(
    comparison: Comparison, name: str, points: Mapping[str, Point], *,
    budget: float | None = None, error_cost: float | None = None,
    best: tuple[str, Point] | None = None, error: float | None = None,
) -> Advice:  # fmt: skip
    own = (name, points[name].budget)
    rivals = [
        Rival(other, point, comparison.difference(own, (other, point.budget), error_cost))
        for other, point in points.items() if other != name
    ]  # fmt: skip
    rivals.sort(key=lambda rival: rival.difference.value)
    free = comparison.budgets[0] == 0
    asked = budget is not None and error_cost is None
    error = comparison.standard_error(*own) if error is None else error
    return Advice(
        name, points[name], tuple(rivals),
        comparison.at(name, 0.0) if free else None,
        comparison.difference(own, (name, 0.0), error_cost) if free else None,
        _cheaper(comparison, name, points[name], error) if asked else None,
        _dearer(comparison, own, points[name]) if asked else None,
        best, error, budget, error_cost, comparison.scoring, comparison.some_free,
    )  # fmt: skip


def _cheaper(comparison: Comparison, name: str, point: Point, error: float) -> Point | None:
    """The least budget that buys anything and is within one standard error."""
    curve = comparison.curve(name)
    for budget in curve.budgets[curve.budgets < point.budget].tolist():
        less = curve.at(budget)
        saves = 0 < less.spent < (1.0 - _SAVING) * point.spent
        if saves and less.quality >= point.quality - error:
            return less
    return None


def _dearer(comparison: Comparison, own: tuple[str, float], point: Point) -> Rival | None:
    """The least larger budget at which the best method is better by more than chance."""
    budgets = comparison.budgets
    for budget in budgets[budgets > point.budget].tolist():
        name, points = _best_at(comparison, budget)
        gap = comparison.difference(own, (name, budget))
        if gap.high < 0:
            return Rival(name, points[name], gap)
    return None
