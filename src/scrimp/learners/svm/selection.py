"""Which C suits each budget, by cross-validation along the path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...runtime.events import Progress, emit
from ...types import Floats, Ints
from .groups import Groups
from .machine import Machine
from .path import solve_path
from .trained import Trained


def mistakes(machine: Machine, trained: Trained, rows: Ints, is_number: bool) -> Floats:
    """Of held out rows of a machine: squared errors, or whether the label is wrong."""
    part = machine.X[rows][:, trained.columns]
    sums = np.stack([np.asarray(part @ w) for w in trained.point.w])
    sums += trained.point.b[:, None]
    truth = machine.targets[:, rows]
    if is_number:
        return np.asarray(((sums - truth) ** 2).mean(axis=0))
    if len(truth) == 1:
        return np.asarray((sums[0] > 0) != (truth[0] > 0), dtype=np.float64)
    return np.asarray(sums.argmax(axis=0) != truth.argmax(axis=0), dtype=np.float64)


def cross_validated(
    machine: Machine, groups: Groups, budgets: Sequence[float], Cs: Sequence[float],
    splits: Sequence[tuple[Ints, Ints]], tol: float, max_iter: int, is_number: bool,
) -> Floats:  # fmt: skip
    """The mean mistake of each C at each budget (Cs, budgets), each row counted by its weight."""
    total = np.zeros((len(Cs), len(budgets)))
    weight = sum(machine.weights[test].sum() for _, test in splits)
    done = 0
    for train, test in splits:
        part = machine.of_rows(train)
        for number, C in enumerate(Cs):
            own = part.with_weights(C * part.weights)
            for place, solved in enumerate(solve_path(own, groups, budgets, tol, max_iter, 0)):
                wrong = mistakes(machine, solved.trained, test, is_number)
                total[number, place] += machine.weights[test] @ wrong
            done += 1
            emit(Progress("C", done, len(splits) * len(Cs), f"C {C:g}"))
    return total / max(float(weight), 1e-300)


def choose(scores: Floats, Cs: Sequence[float]) -> list[float]:
    """For each budget the C of the least mistake; of equals the smallest."""
    order = np.argsort(np.asarray(Cs, dtype=np.float64), kind="stable")
    return [float(Cs[order[column[order].argmin()]]) for column in scores.T]


def as_list(C: Any) -> list[float]:
    """One or several."""
    return [float(own) for own in np.atleast_1d(C)]
