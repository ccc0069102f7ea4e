"""Checks of the parameters that all boosters share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from ...data.columns import Columns
from ...data.validation import check_budget, check_budgets, check_choice
from ...kernels import n_threads as all_threads
from .rules import RULES

#: What two bytes can number, missing values left aside.
MOST_BINS = 65_535


def check_booster(booster: Any) -> None:
    """Refuse parameters that no training can follow."""
    check_choice("rule", booster.rule, tuple(RULES))
    check_choice("unaffordable", booster.unaffordable, ("skip", "stop"))
    for name in ("tau", "switch"):
        value = getattr(booster, name)
        if not (np.isreal(value) and 0 <= value < math.inf):
            raise ValueError(f"{name} is {value!r}; expected a finite number >= 0.")
    for name, least, most in (("n_rounds", 1, math.inf), ("max_bins", 2, MOST_BINS)):
        value = getattr(booster, name)
        if not isinstance(value, int | np.integer) or not least <= value <= most:
            limit = f" and <= {most}" if most < math.inf else ""
            raise ValueError(f"{name} is {value!r}; expected a whole number >= {least}{limit}.")
    check_random_state(booster.random_state)
    n_threads(booster.n_jobs)


def check_categories(columns: Columns) -> None:
    """Refuse a column with more categories than bins can number."""
    for column, categories in enumerate(columns.categories):
        if categories is not None and len(categories) > MOST_BINS:
            raise ValueError(
                f"Column {columns.name(column)!r} has {len(categories)} categories; "
                f"expected at most {MOST_BINS}. Is it an identifier? Leave it out."
            )


def budgets_of(booster: Any) -> list[float]:
    """The budgets to train for, ascending."""
    if booster.budget is None or np.ndim(booster.budget) == 0:
        return [float(check_budget(booster.budget))]
    budgets: list[float] = np.unique(check_budgets(booster.budget)).tolist()
    # a run that stops is a prefix of the run with more money: one training is all
    return budgets[-1:] if booster.unaffordable == "stop" else budgets


def n_threads(n_jobs: int | None) -> int:
    """How many threads a fit may use."""
    return all_threads() if n_jobs is None else int(effective_n_jobs(n_jobs))


def seed_of(booster: Any) -> int:
    """A number drawn from ``random_state``."""
    return int(check_random_state(booster.random_state).randint(2**31 - 1))
