"""Comparison of methods on the same folds, with paired differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..types import Floats
from .advice import Advice, Difference, advise
from .bootstrap import including
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
        The scorer's value and the mean spend per row.
    quality_samples, spent_samples : float arrays (resamples, methods, repeats, budgets)
        The same on resampled rows; all methods have the same resamples.
    scoring : str
        The scorer's name.
    best : float
        Its best value.
    task : {"classification", "regression"}
        What is predicted.
    n_rows, n_folds : int
        Rows tested in each repeat, and folds that are complete.
    left_out : mapping
        Methods without a result, and why.
    remarks : tuple of str
        Sentences on rows and folds that differ from what was asked for.
    finished : bool
        False if it was interrupted.
    in_time : bool
        False if the time was up before all repeats were done.
    seconds : float
        The time it took.
    level : float
        The level of the intervals.
    some_free : bool
        Whether some columns are free, so that a budget of 0 buys them.
    planned_folds : int, optional
        The folds that were to be done, where these are more than `n_folds`.
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
    planned_folds: int | None = None

    def __repr__(self) -> str:
        n, low, high = len(self.budgets), *map(money, self.budgets[[0, -1]].tolist())
        budgets = f"{n} budgets from {low} to {high}" if n > 1 else f"a budget of {low}"
        best = f"; best: {self.ranked()[0]}" if len(self.names) > 1 else ""
        return f"Comparison({', '.join(self.names)}; {self.n_rows:,} rows; {budgets}{best})"

    def ranked(self, budget: float | None = None) -> list[str]:
        """Return the names of the methods, best first; of equals the one that spends less.

        Parameters
        ----------
        budget : float, optional
            Where to compare; by default by the mean quality over all budgets.
        """
        wide = budget is None and len(self.budgets) > 1

        def worth(name: str) -> tuple[float, float]:
            curve = self.curve(name)
            point = curve.at(float(self.budgets[-1]) if budget is None else budget)
            return curve.area() if wide else point.quality, -point.spent

        return sorted(self.names, key=worth, reverse=True)

    @property
    def n_repeats(self) -> int:
        """The number of divisions of the rows into folds."""
        return int(self.quality.shape[1])

    def curve(self, name: str) -> Curve:
        """Return the curve of a method: the mean of its repeats, and of their intervals."""
        return self._curves[self._position(name)]

    def curves(self) -> dict[str, Curve]:
        """Return all curves, by the name of the method."""
        return dict(zip(self.names, self._curves, strict=True))

    @cached_property
    def _curves(self) -> list[Curve]:
        quality, spent = self.quality.mean(axis=1), self.spent.mean(axis=1)
        intervals = [self._interval(self.quality_samples[:, m]) for m in range(len(self.names))]
        return [
            Curve(
                self.budgets, paid, value, *including(value, low, high, self.scoring),
                self.scoring, self.best, self.level,
            )
            for paid, value, (low, high) in zip(spent, quality, intervals, strict=True)
        ]  # fmt: skip

    def at(self, name: str, budget: float) -> Point:
        """Return a method's point at the largest evaluated budget that is within a budget."""
        return self.curve(name).at(budget)

    def standard_error(self, name: str, budget: float) -> float:
        """Return the standard error of a method's quality at a budget, over rows."""
        m, b = self._position(name), self._budget(budget)
        return float(np.nanstd(self.quality_samples[:, m, :, b], axis=0).mean())

    def difference(
        self, one: tuple[str, float], other: tuple[str, float], error_cost: float | None = None
    ) -> Difference:
        """Return the paired difference of two methods, each at a budget, on the same rows.

        Parameters
        ----------
        one, other : (name, budget)
            The two that are compared.
        error_cost : float, optional
            Compare the mean of spend + error_cost * error instead; less is better, and a
            positive difference means that `one` costs less.
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
        """Return which method to take, and at which budget.

        Parameters
        ----------
        budget : float, optional
            The limit per prediction: the method with the best quality there.
        error_cost : float, optional
            The cost of an error of 1: the method and budget with the smallest mean spend
            plus cost of errors; `budget` is then a limit. So it is in a comparison that was
            given the costs of errors, which needs no other.

        Without either, the smallest budget at which a method is within one standard error of
        the best of all.
        """
        return advise(self, budget, error_cost)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary per method and budget, for tables and JSON."""
        return [
            {"method": name, **row} for name, curve in self.curves().items()
            for row in curve.to_rows()
        ]  # fmt: skip

    def _interval(self, samples: Floats) -> tuple[Floats, Floats]:
        """Return the mean over repeats of the intervals: repeats are not new rows."""
        tail = (1.0 - self.level) / 2.0
        quantile = np.nanquantile if np.isnan(samples).any() else np.quantile  # the latter is fast
        low, high = quantile(samples, [tail, 1.0 - tail], axis=0).mean(axis=1)
        return low, high

    def _position(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(f"There is no method {name!r} here, only {', '.join(self.names)}.")
        return self.names.index(name)

    def _budget(self, budget: float) -> int:
        """Return the position of the largest budget that is within this one."""
        point = self.curve(self.names[0]).at(budget)
        return int(np.searchsorted(self.budgets, point.budget))
