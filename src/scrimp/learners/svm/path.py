"""A machine for each of several budgets, each found from the one before."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .groups import Groups
from .machine import Machine
from .relaxation import Relaxation, Relaxed
from .rounding import Rounding
from .trained import Trained


@dataclass(frozen=True, eq=False)
class Solved:
    """What was found for a budget.

    Parameters
    ----------
    budget : float
        The most that may be spent.
    relaxed : Relaxed
        With groups bought in part.
    trained : Trained
        With groups bought in full.
    least : float
        What no set within the budget can be below.
    trainings, nodes : int
        Machines trained to find the set, and nodes of branch and bound.
    """

    budget: float
    relaxed: Relaxed
    trained: Trained
    least: float
    trainings: int
    nodes: int

    @property
    def distance(self) -> float:
        """How far it is above what is proven, as a part of its objective."""
        objective = self.trained.objective
        return max(objective - self.least, 0.0) / max(abs(objective), 1e-300)


def proven(found: Sequence[Solved]) -> list[Solved]:
    """The same for ascending budgets, with what larger ones prove: less money buys no better."""
    least, after = -math.inf, []
    for solved in reversed(found):
        least = max(least, solved.least)
        after.append(replace(solved, least=least))
    return after[::-1]


def solve_path(
    machine: Machine, groups: Groups, budgets: Sequence[float], tol: float, max_iter: int,
    max_nodes: int | None = None,
) -> Iterator[Solved]:  # fmt: skip
    """For ascending budgets."""
    relaxation = Relaxation(machine, groups.prices, tol, max_iter)
    rounding = Rounding(machine, groups, max_iter, max_nodes)
    relaxed: Relaxed | None = None
    trained: Trained | None = None
    for budget in budgets:
        money = groups.money(budget)
        relaxed = relaxation.solve(money, relaxed)
        before = rounding.trainings, rounding.nodes
        trained = rounding.best(relaxed, budget, trained)
        counts = rounding.trainings - before[0], rounding.nodes - before[1]
        yield Solved(budget, relaxed, trained, rounding.least, *counts)
