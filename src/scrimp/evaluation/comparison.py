"""Comparison of methods: the same folds for all, and differences on the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..types import Floats
from .advice import Advice, Difference, advise
from .curve import Curve, Point
from .formatting import money


@dataclass(frozen=True, eq=False)
class Comparison:
    """Quality of several methods against cost, on the same rows and resamples of rows.

    Made by `compare`.

    Parameters
    ----------
    names : tuple of str
        Methods.
    budgets : float array (budgets,)
        Ascending and distinct.
    quality, spent : float arrays (methods, repeats, budgets)
        The scorer's value and the mean spend of a row.
    quality_samples, spent_samples : float arrays (resamples, methods, repeats, budgets)
        The same on resampled rows; all methods see the same resamples.
    scoring : str
        The scorer's name.
    best : float
        Its best value.
    task : {"classification", "regression"}
        What is predicted.
    n_rows, n_folds : int
        Rows tested in each repeat, and folds.
    left_out : mapping
        Methods without a result, and why.
    remarks : tuple of str
        What was done about rows and folds.
    finished : bool
        False if it was interrupted.
    in_time : bool
        False if the time was up before all repeats were done.
    seconds : float
        How long it took.
    level : float
        Of the intervals.
    some_free : bool
        Whether some columns are free, so that a budget of 0 buys them.
    """

    names: tuple[str, ...]
    budgets: Floats
    quality: Floats
    spent: Floats
    quality_samples: Floats
    spent_samples: Floats
    scoring: str
    best: float
    task: str
    n_rows: int
    n_folds: int
    left_out: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    finished: bool = True
    in_time: bool = True
    seconds: float = 0.0
    level: float = 0.95
    some_free: bool = False

    def __repr__(self) -> str:
        n, low, high = len(self.budgets), *map(money, self.budgets[[0, -1]].tolist())
        budgets = f"{n} budgets from {low} to {high}" if n > 1 else f"a budget of {low}"
        best = f"; best: {self.ranked()[0]}" if len(self.names) > 1 else ""
        return f"Comparison({', '.join(self.names)}; {self.n_rows:,} rows; {budgets}{best})"

    def ranked(self, budget: float | None = None) -> list[str]:
        """Names of the methods, best first; of equals the one that spends less.

        Parameters
        ----------
        budget : float, optional
            By default the mean quality over all budgets counts.
        """
        wide = budget is None and len(self.budgets) > 1

        def worth(name: str) -> tuple[float, float]:
            curve = self.curve(name)
            point = curve.at(float(self.budgets[-1]) if budget is None else budget)
            return curve.area() if wide else point.quality, -point.spent

        return sorted(self.names, key=worth, reverse=True)

    @property
    def n_repeats(self) -> int:
        """How often the rows were divided anew."""
        return int(self.quality.shape[1])

    def curve(self, name: str) -> Curve:
        """The curve of a method: the mean of its repeats, and of their intervals."""
        return self._curves[self._position(name)]

    def curves(self) -> dict[str, Curve]:
        """All curves, by the method's name."""
        return dict(zip(self.names, self._curves, strict=True))

    @cached_property
    def _curves(self) -> list[Curve]:
        quality, spent = self.quality.mean(axis=1), self.spent.mean(axis=1)
        intervals = [self._interval(self.quality_samples[:, m]) for m in range(len(self.names))]
        return [
            Curve(self.budgets, own_spent, own, low, high, self.scoring, self.best, self.level)
            for own_spent, own, (low, high) in zip(spent, quality, intervals, strict=True)
        ]

    def at(self, name: str, budget: float) -> Point:
        """A method at the largest evaluated budget that is within a budget."""
        return self.curve(name).at(budget)

    def standard_error(self, name: str, budget: float) -> float:
        """Of the quality of a method at a budget, over rows."""
        m, b = self._position(name), self._budget(budget)
        return float(np.nanstd(self.quality_samples[:, m, :, b], axis=0).mean())

    def difference(
        self, one: tuple[str, float], other: tuple[str, float], error_cost: float | None = None
    ) -> Difference:
        """How much better one method at a budget is than another at its own, on the same rows.

        Parameters
        ----------
        one, other : (name, budget)
            What is compared.
        error_cost : float, optional
            Compare the mean of spend + error_cost * error instead; less is better, and a
            positive difference says that `one` costs less.
        """
        places = [(self._position(name), self._budget(budget)) for name, budget in (one, other)]
        (m, b), (n, c) = places
        value, samples = self.quality, self.quality_samples
        if error_cost is not None:
            value = -self.spent + error_cost * value
            samples = -self.spent_samples + error_cost * samples
        low, high = self._interval(samples[:, m, :, b] - samples[:, n, :, c])
        return Difference(float((value[m, :, b] - value[n, :, c]).mean()), float(low), float(high))

    def recommend(self, budget: float | None = None, error_cost: float | None = None) -> Advice:
        """Which method to take, and at which budget.

        Parameters
        ----------
        budget : float, optional
            The most that a prediction may spend: the method with the best quality there.
        error_cost : float, optional
            What an error of 1 costs: the method and budget with the least mean spend plus
            cost of errors; `budget` is then a limit.

        Without either, the least budget at which a method is within one standard error of
        the best of all.
        """
        return advise(self, budget, error_cost)

    def to_rows(self) -> list[dict[str, Any]]:
        """One dictionary for each method and budget, for tables and JSON."""
        return [
            {"method": name, **row} for name, curve in self.curves().items()
            for row in curve.to_rows()
        ]  # fmt: skip

    def _interval(self, samples: Floats) -> tuple[Floats, Floats]:
        """Mean over repeats of the intervals: repeats are not new rows."""
        tail = (1.0 - self.level) / 2.0
        quantile = np.nanquantile if np.isnan(samples).any() else np.quantile  # the latter is fast
        low, high = quantile(samples, [tail, 1.0 - tail], axis=0).mean(axis=1)
        return low, high

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(f"There is no method {name!r} here, only {', '.join(self.names)}.")
        return self.names.index(name)

    def _budget(self, budget: float) -> int:
        """The largest budget that is within this one."""
        point = self.curve(self.names[0]).at(budget)
        return int(np.searchsorted(self.budgets, point.budget))
