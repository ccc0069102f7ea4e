"""Comparison of a method of scrimp's with its peers on each problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.study.measuring import Gap, gap, holm, row_areas
from benchmarks.study.methods import Method
from benchmarks.study.results import Result

LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Curves:
    """All results on one problem; means are over seeds.

    Parameters
    ----------
    name : str
        The problem.
    results : dict
        Results, one per seed, by the name of the method.
    """

    name: str
    results: dict[str, list[Result]]

    @property
    def any(self) -> Result:
        """Return one of the results, for what all share."""
        return next(iter(self.results.values()))[0]

    def errors(self, method: str) -> np.ndarray:
        """Return the error at each budget."""
        return np.mean([result.errors for result in self.results[method]], axis=0)

    def areas(self, method: str) -> list[np.ndarray]:
        """Return the areas of the test rows, one array per seed."""
        return [
            row_areas(result.row_losses, np.array(result.budgets))
            for result in self.results[method]
        ]

    def area(self, method: str) -> float:
        """Return the mean error over the logarithm of the budget."""
        return float(np.mean([areas.mean() for areas in self.areas(method)]))

    def seconds(self, method: str) -> float:
        """Return the CPU seconds of training with one seed."""
        return float(np.mean([result.cpu_seconds for result in self.results[method]]))

    def gap(self, first: str, second: str) -> Gap:
        """Return the difference of two areas on the same rows."""
        groups = [
            None if result.groups is None else np.array(result.groups)
            for result in self.results[first]
        ]
        return gap(self.areas(first), self.areas(second), groups)


@dataclass(frozen=True)
class Standing:
    """The comparison with one peer on a problem.

    Parameters
    ----------
    problem, peer : str
        Names.
    ratio : float
        Our area over the peer's.
    gap : Gap
        Their difference.
    p : float
        Its p-value after Holm's correction over the problems.
    """

    problem: str
    peer: str
    ratio: float
    gap: Gap
    p: float

    @property
    def outcome(self) -> str:
        """Return "win", "tie" or "loss"."""
        if self.p >= LEVEL:
            return "tie"
        return "win" if self.gap.value < 0 else "loss"


def curves_of(results: Sequence[Result], methods: Sequence[Method]) -> list[Curves]:
    """Return results by problem; a method counts where it has all seeds of the problem."""
    curves = []
    for name in dict.fromkeys(result.problem for result in results):
        on_problem = [result for result in results if result.problem == name]
        seeds = {result.seed for result in on_problem}
        by_method = {
            method.name: [result for result in on_problem if result.method == method.name]
            for method in methods
        }
        whole = {name: kept for name, kept in by_method.items() if len(kept) == len(seeds)}
        if whole:
            curves.append(Curves(name, whole))
    return curves


def against_best(curves: Sequence[Curves], ours: str, peers: Sequence[str]) -> list[Standing]:
    """Compare with the best peer of each problem."""
    return _standings(
        curves,
        ours,
        [min((p for p in peers if p in c.results), key=c.area, default="") for c in curves],
    )


def against(curves: Sequence[Curves], ours: str, peer: str) -> list[Standing]:
    """Compare with one peer on each problem that both have."""
    return _standings(curves, ours, [peer if peer in c.results else "" for c in curves])


def _standings(curves: Sequence[Curves], ours: str, peers: Sequence[str]) -> list[Standing]:
    pairs = [(c, peer) for c, peer in zip(curves, peers, strict=True) if peer and ours in c.results]
    gaps = [c.gap(ours, peer) for c, peer in pairs]
    adjusted = holm([difference.p for difference in gaps])
    return [
        Standing(c.name, peer, c.area(ours) / c.area(peer), difference, p)
        for (c, peer), difference, p in zip(pairs, gaps, adjusted, strict=True)
    ]
