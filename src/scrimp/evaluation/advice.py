"""Advice: which method to take at which budget, and how certain that is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .advice_text import AdviceText
from .curve import Point
from .error_cost import ERROR_COST

if TYPE_CHECKING:
    from .comparison import Comparison

#: A cheaper budget is named only if it saves more than this part of the spend.
_MIN_SAVING = 0.05


@dataclass(frozen=True)
class Difference:
    """How much better one method is than another on the same rows, with its interval."""

    value: float
    low: float
    high: float

    def __neg__(self) -> Difference:
        return Difference(-self.value, -self.high, -self.low)

    @property
    def is_nothing(self) -> bool:
        """Whether the two do not differ on any resample of the rows."""
        return self.value == self.low == self.high == 0

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Rival:
    """Another method than the one advised; `difference` is positive if it is worse."""

    method: str
    point: Point
    difference: Difference


@dataclass(frozen=True)
class Advice:
    """Which method to take.

    Parameters
    ----------
    method : str
        Its name.
    point : Point
        The budget to train for, with quality and spend there.
    rivals : tuple of Rival
        The other methods, best first; at the same budget or, given an error cost, each at
        its own best.
    guess : Point or None
        The prior, for which nothing is bought, if a budget of 0 was evaluated.
    gain : Difference or None
        Of the advice over the prior; of costs, given an error cost.
    cheaper : Point or None
        The same method at the smallest budget within one standard error.
    dearer : Rival or None
        The smallest larger budget at which the best method is clearly better, if a budget was
        given.
    best : (str, Point) or None
        The best of all, where the advice is the smallest budget near it.
    standard_error : float
        Of the quality advised; where `best` is given, of that.
    budget, error_cost : float or None
        As given to `Comparison.recommend`.
    scoring : str
        The scorer's name.
    some_free : bool
        Whether some columns are free, and part of the prior.
    """

    method: str
    point: Point
    rivals: tuple[Rival, ...]
    guess: Point | None
    gain: Difference | None
    cheaper: Point | None
    dearer: Rival | None
    best: tuple[str, Point] | None
    standard_error: float
    budget: float | None
    error_cost: float | None
    scoring: str
    some_free: bool = False

    @property
    def is_doubtful(self) -> bool:
        """Whether what is bought may be no better than the prior."""
        return not self.buys_nothing and self.gain is not None and not self.gain.low > 0

    @property
    def buys_nothing(self) -> bool:
        """Whether the advice is to spend nothing."""
        return self.point.spent == 0

    @property
    def counts_errors(self) -> bool:
        """Whether the advice minimises the spend plus the cost of errors."""
        return self.error_cost is not None or self.scoring == ERROR_COST

    def cost_in_all(self, point: Point) -> float:
        """Return the spend plus the cost of errors, per row."""
        if self.scoring == ERROR_COST:
            return point.spent - point.quality
        return point.spent + (self.error_cost or 0.0) * (1.0 - point.quality)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return the advice in words, one line per paragraph."""
        return AdviceText(self).lines()


def advise(
    comparison: Comparison, budget: float | None = None, error_cost: float | None = None
) -> Advice:
    """Return the advice of a comparison; see `Comparison.recommend`."""
    _check(comparison, error_cost)
    if error_cost is not None or comparison.scoring == ERROR_COST:
        return _by_total_cost(comparison, error_cost, budget)
    if budget is not None:
        name, points = _best_at(comparison, budget)
        return _advice(comparison, name, points, budget=budget)
    return _by_one_standard_error(comparison)


def _check(comparison: Comparison, error_cost: float | None) -> None:
    if error_cost is None:
        return
    if not (math.isfinite(error_cost) and error_cost >= 0):
        raise ValueError(f"error_cost is {error_cost}; expected a finite number >= 0.")
    if comparison.scoring == ERROR_COST:
        raise ValueError("The comparison has costs of errors already. Leave error_cost out.")
    if comparison.scoring != "accuracy":
        raise ValueError(
            f"error_cost is the price of a wrong answer, and {comparison.scoring} does not count "
            "wrong answers."
        )


def _best_at(comparison: Comparison, budget: float) -> tuple[str, dict[str, Point]]:
    """Return the best method at a budget; of equals the one that spends less."""
    points = {name: comparison.at(name, budget) for name in comparison.names}
    best = max(points, key=lambda name: (points[name].quality, -points[name].spent))
    return best, points


def _by_one_standard_error(comparison: Comparison) -> Advice:
    """Return the advice of the one-standard-error rule: the smallest budget near the best."""
    tops = [(*_best_at(comparison, budget), budget) for budget in comparison.budgets.tolist()]
    best, points, budget = max(tops, key=lambda top: (top[1][top[0]].quality, -top[2]))
    error = comparison.standard_error(best, budget)
    floor = points[best].quality - error
    name, near, smallest = next(top for top in tops if top[1][top[0]].quality >= floor)
    reference = None if smallest == budget else (best, points[best])
    return _advice(comparison, name, near, best=reference, error=error)


def _unit_cost(comparison: Comparison, error_cost: float | None) -> float | None:
    """Return what one unit of quality is worth in money; None if it has no price."""
    return 1.0 if comparison.scoring == ERROR_COST else error_cost


def _by_total_cost(
    comparison: Comparison, error_cost: float | None, budget: float | None
) -> Advice:
    """Return the method of the lowest spend plus cost of errors, each at its best budget."""
    unit = _unit_cost(comparison, error_cost) or 0.0

    def total(point: Point) -> float:
        return point.spent + unit * (comparison.best - point.quality)

    limit = comparison.at(comparison.names[0], math.inf if budget is None else budget).budget
    points = {}
    for name, curve in comparison.curves().items():
        within = [curve.at(b) for b in curve.budgets.tolist() if b <= limit]
        points[name] = min(within, key=total)
    best = min(points, key=lambda name: total(points[name]))
    return _advice(comparison, best, points, budget=budget, error_cost=error_cost)


def _advice(
    comparison: Comparison, name: str, points: Mapping[str, Point], *,
    budget: float | None = None, error_cost: float | None = None,
    best: tuple[str, Point] | None = None, error: float | None = None,
) -> Advice:  # fmt: skip
    advised = (name, points[name].budget)
    unit = _unit_cost(comparison, error_cost)
    rivals = [
        Rival(other, point, comparison.difference(advised, (other, point.budget), unit))
        for other, point in points.items() if other != name
    ]  # fmt: skip
    rivals.sort(key=lambda rival: rival.difference.value)
    free = comparison.budgets[0] == 0
    at_budget = budget is not None and unit is None
    error = comparison.standard_error(*advised) if error is None else error
    return Advice(
        name, points[name], tuple(rivals),
        comparison.at(name, 0.0) if free else None,
        comparison.difference(advised, (name, 0.0), unit) if free else None,
        _cheaper(comparison, name, points[name], error) if at_budget else None,
        _dearer(comparison, advised, points[name]) if at_budget else None,
        best, error, budget, error_cost, comparison.scoring, comparison.some_free,
    )  # fmt: skip


def _cheaper(comparison: Comparison, name: str, point: Point, error: float) -> Point | None:
    """Return the smallest budget that buys anything and is within one standard error."""
    curve = comparison.curve(name)
    for budget in curve.budgets[curve.budgets < point.budget].tolist():
        less = curve.at(budget)
        saves = 0 < less.spent < (1.0 - _MIN_SAVING) * point.spent
        if saves and less.quality >= point.quality - error:
            return less
    return None


def _dearer(comparison: Comparison, advised: tuple[str, float], point: Point) -> Rival | None:
    """Return the smallest larger budget at which the best method is clearly better."""
    budgets = comparison.budgets
    for budget in budgets[budgets > point.budget].tolist():
        name, points = _best_at(comparison, budget)
        gap = comparison.difference(advised, (name, budget))
        if gap.high < 0:
            return Rival(name, points[name], gap)
    return None
