"""Problems for the contract: any costs over the clinic's columns, and budgets that matter."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from numba import config

from scrimp.checks.cases import budgets_for, items_of
from scrimp.costs.costs import Costs
from scrimp.runtime.predictor import Predictor

from .handmade import NAMES, clinic, table

quick = settings(
    max_examples=2 if config.DISABLE_JIT else 15,  # kernels as plain Python take long
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def any_costs() -> st.SearchStrategy[Costs]:
    fixed = st.sampled_from([clinic(), clinic(age=0.0)])
    return st.one_of(fixed, items_of(len(NAMES), NAMES))


@st.composite
def problems(draw: st.DrawFn) -> tuple[Costs, list[float]]:
    costs = draw(any_costs())
    return costs, draw(st.lists(budgets_for(costs), min_size=1, max_size=4))


@st.composite
def owned_masks(draw: st.DrawFn, costs: Costs, n: int) -> np.ndarray:
    """What rows own, with all that it requires."""
    mask = np.zeros((n, costs.n_items), dtype=bool)
    sets = st.sets(st.integers(0, costs.n_items - 1), max_size=3)
    for row, items in enumerate(draw(st.lists(sets, min_size=n, max_size=n))):
        mask[row, list(costs.closure(items))] = True
    return mask


def rows_for(model: Predictor, n: int = 6) -> np.ndarray:
    """Rows with gaps, where the plan accepts them."""
    return table(n, missing=model.plan.plan.accepts_missing)
