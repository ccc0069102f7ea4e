"""How a method of scrimp's stands against its peers on each problem."""

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
        Results, one a seed, by the name of the method.
    """

    name: str
    results: dict[str, list[Result]]

    @property
    def any(self) -> Result:
        """One of the results, for what all share."""
        return next(iter(self.results.values()))[0]

    def errors(self, method: str) -> np.ndarray:
        """The error at each budget."""
        return np.mean([own.errors for own in self.results[method]], axis=0)

    def areas(self, method: str) -> list[np.ndarray]:
        """Areas of the test rows, one array a seed."""
        return [row_areas(own.row_losses, np.array(own.budgets)) for own in self.results[method]]

    def area(self, method: str) -> float:
        """The mean error over the logarithm of the budget."""
        return float(np.mean([own.mean() for own in self.areas(method)]))

    def seconds(self, method: str) -> float:
        """Of the processor, for training with one seed."""
        return float(np.mean([own.cpu_seconds for own in self.results[method]]))

    def gap(self, first: str, second: str) -> Gap:
        """The difference of two areas on the same rows."""
        groups = [
            None if own.groups is None else np.array(own.groups) for own in self.results[first]
        ]
        return gap(self.areas(first), self.areas(second), groups)


@dataclass(frozen=True)
class Standing:
    """Ours against one peer on a problem.

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
        """Win, tie or loss."""
        if self.p >= LEVEL:
            return "tie"
        return "win" if self.gap.value < 0 else "loss"


def curves_of(results: Sequence[Result], methods: Sequence[Method]) -> list[Curves]:
    """Results by problem; a method counts where it has all seeds that the problem has."""
    found = []
    for name in dict.fromkeys(own.problem for own in results):
        own = [result for result in results if result.problem == name]
        seeds = {result.seed for result in own}
        by_method = {
            method.name: [result for result in own if result.method == method.name]
            for method in methods
        }
        whole = {name: kept for name, kept in by_method.items() if len(kept) == len(seeds)}
        if whole:
            found.append(Curves(name, whole))
    return found


def against_best(curves: Sequence[Curves], ours: str, peers: Sequence[str]) -> list[Standing]:
    """Ours against the peer that turns out best on each problem."""
    return _standings(
        curves,
        ours,
        [min((p for p in peers if p in c.results), key=c.area, default="") for c in curves],
    )


def against(curves: Sequence[Curves], ours: str, peer: str) -> list[Standing]:
    """Ours against one peer on each problem that both have."""
    return _standings(curves, ours, [peer if peer in c.results else "" for c in curves])


def _standings(curves: Sequence[Curves], ours: str, peers: Sequence[str]) -> list[Standing]:
    pairs = [(c, peer) for c, peer in zip(curves, peers, strict=True) if peer and ours in c.results]
    gaps = [c.gap(ours, peer) for c, peer in pairs]
    adjusted = holm([own.p for own in gaps])
    return [
        Standing(c.name, peer, c.area(ours) / c.area(peer), own, p)
        for (c, peer), own, p in zip(pairs, gaps, adjusted, strict=True)
    ]
