"""The prices and budgets of a problem."""

from __future__ import annotations

import zlib

import numpy as np

from benchmarks.study.problems import Problem
from scrimp import Costs

#: Budgets as parts of the price of everything: 1% to 64%, two steps for each doubling.
GRID = 0.01 * 2.0 ** (np.arange(13) / 2.0)


def generator(name: str, seed: int, what: str) -> np.random.Generator:
    """Return a generator that depends on the problem, the seed and the use only."""
    return np.random.default_rng([seed, zlib.crc32(f"{what} {name}".encode())])


def costs_of(problem: Problem, seed: int) -> Costs:
    """Return real prices where there are any, else one uniform on [0, 2] per raw column."""
    names = problem.X.columns
    if problem.costs is not None:
        return problem.costs
    if problem.budgets is not None:
        return Costs.per_feature(dict.fromkeys(names, 1.0))
    drawn = generator(problem.name, seed, "prices").uniform(0.0, 2.0, len(names))
    return Costs.per_feature(dict(zip(names, drawn.tolist(), strict=True)))


def budgets_of(problem: Problem, costs: Costs) -> np.ndarray:
    """Return the budgets in money."""
    if problem.budgets is not None:
        return np.asarray(problem.budgets, dtype=np.float64)
    return GRID * costs.total
