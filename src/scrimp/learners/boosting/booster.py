"""What boosting classifiers and regressors share: parameters, one run per budget, their plan."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from ...costs.costs import Costs, as_costs
from ...costs.shopper import Shopper, warn_of_prior
from ...data.columns import Columns
from ...data.validation import check_budget, check_budgets, check_choice
from ...kernels import n_threads
from ...plans import AdditivePlan, MenuPlan, StumpTable
from ...plans.contract import StageTable
from ...plans.priced_plan import PricedPlan
from ...types import Floats
from ..base import BudgetedEstimator
from .binned import Stump
from .rules import RULES, PricedRule

#: The most bins that two bytes can number, beside the one of missing values.
MAX_BINS = 65_535
#: What votes of stumps (stumps,) add to the scores, before they are weighed (stumps x outputs).
Coding = Callable[[Floats], Floats]


@dataclass
class Run:
    """One training at one budget.

    Parameters
    ----------
    shopper : Shopper
        What has been bought.
    label : str
        Names the run in progress events.
    rounds : list of (Stump, float)
        The stumps chosen so far, with their weights.
    """

    shopper: Shopper
    label: str = "fit"
    rounds: list[tuple[Stump, float]] = field(default_factory=list)


class Booster(BudgetedEstimator):
    """Base of boosters; subclasses open a search and boost."""

    costs: Any
    budget: Any
    rule: str
    n_rounds: int
    unaffordable: str
    max_bins: int
    tau: float
    switch: float
    n_jobs: int | None
    random_state: Any

    def _open_search(self, rows: Any) -> Any:
        """Return the search for stumps, a context manager, on training rows."""
        raise NotImplementedError

    def _boost(self, search: Any, rule: PricedRule, run: Run, rows: Any) -> None:
        """Add rounds to a run until its budget, the rounds or the stumps end."""
        raise NotImplementedError

    def _adopt(self, runs: list[Run], rows: Any, costs: Costs) -> None:
        """Become the model of the rounds done so far."""
        raise NotImplementedError

    def _fit_runs(self, rows: Any, columns: Columns, n_classes: int = 2) -> list[Run]:
        """Train a run per budget, and become their model; if interrupted, of the rounds done."""
        costs = as_costs(self.costs, len(columns), columns.names)
        runs = [Run(Shopper(costs, budget)) for budget in self._budgets()]
        try:
            with self._open_search(rows) as search:
                for number, run in enumerate(runs, start=1):
                    if len(runs) > 1:
                        run.label = f"fit {number}/{len(runs)}"
                    if number > 1:
                        search.restart()
                    rule = PricedRule(
                        run.shopper, self.rule, self.unaffordable == "skip", self.tau,
                        self.switch, n_classes,
                    )  # fmt: skip
                    self._boost(search, rule, run, rows)
        except KeyboardInterrupt:
            if any(run.rounds for run in runs):
                self._adopt(runs, rows, costs)
                self.columns_ = columns
            raise
        self._adopt(runs, rows, costs)
        self.columns_ = columns
        return runs

    def _budgets(self) -> list[float]:
        """Return the budgets to train for, ascending."""
        if self.budget is None or np.ndim(self.budget) == 0:
            return [float(check_budget(self.budget))]
        budgets: list[float] = np.unique(check_budgets(self.budget)).tolist()
        # a run that stops is a prefix of the run with more money: one training is all
        return budgets[-1:] if self.unaffordable == "stop" else budgets

    def _n_threads(self) -> int:
        return n_threads() if self.n_jobs is None else int(effective_n_jobs(self.n_jobs))

    def _check_params(self) -> None:
        """Refuse parameters that no training can follow."""
        check_choice("rule", self.rule, tuple(RULES))
        check_choice("unaffordable", self.unaffordable, ("skip", "stop"))
        for name in ("tau", "switch"):
            value = getattr(self, name)
            if not (np.isreal(value) and 0 <= value < math.inf):
                raise ValueError(f"{name} is {value!r}; expected a finite number >= 0.")
        for name, lowest, highest in (("n_rounds", 1, math.inf), ("max_bins", 2, MAX_BINS)):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or not lowest <= value <= highest:
                limit = f" and <= {highest}" if highest < math.inf else ""
                raise ValueError(
                    f"{name} is {value!r}; expected a whole number >= {lowest}{limit}."
                )
        check_random_state(self.random_state)
        self._n_threads()

    def __sklearn_tags__(self) -> Any:
        """Missing values are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def check_categories(columns: Columns) -> None:
    """Refuse a column with more categories than bins can number."""
    for column, categories in enumerate(columns.categories):
        if categories is not None and len(categories) > MAX_BINS:
            raise ValueError(
                f"Column {columns.name(column)!r} has {len(categories)} categories; "
                f"expected at most {MAX_BINS}. Is it an identifier? Leave it out."
            )


def warn_if_nothing_is_bought(run: Run) -> None:
    """Warn, from `fit`, that a run has no round."""
    reason = "No column has an edge, or the first choice is too dear"
    ledger = run.shopper.ledger
    warn_of_prior(ledger.costs, ledger.budgets[0], otherwise=reason, stacklevel=4)


def last_edges(runs: list[Run]) -> Floats:
    """Return the edges, when they were chosen, of the stumps of the last run that has rounds."""
    rounds = next((run.rounds for run in reversed(runs) if run.rounds), [])
    return np.array([stump.edge for stump, _ in rounds])


def as_number(votes: Floats) -> Floats:
    """Return the votes themselves, as one output."""
    return votes.reshape(-1, 1)


def class_coding(n_classes: int) -> Coding:
    """Return one output per class, so that what a vote adds sums to zero.

    The class voted for gets 1 and each other one -1/(K-1). A vote of -1 abstains.
    """
    codes = (n_classes * np.eye(n_classes) - 1.0) / (n_classes - 1)
    with_none = np.vstack([codes, np.zeros(n_classes)])
    return lambda votes: with_none[votes.astype(np.intp)]


def additive_plan(
    runs: list[Run],
    costs: Costs,
    prior: float | Floats,
    refusal: str,
    base: float = 0.0,
    coding: Coding = as_number,
) -> PricedPlan:
    """Return one additive plan, or a menu of them; runs without a round are left out."""
    kept = [run for run in runs if run.rounds] or runs[-1:]
    priors = np.atleast_1d(np.asarray(prior, dtype=np.float64))
    bases = np.full_like(priors, base)
    entries = []
    for run in kept:
        stages = StageTable(tuple((costs.item_of[stump.column],) for stump, _ in run.rounds))
        entries.append(AdditivePlan(stages, _stump_table(run, coding), priors, bases, refusal))
    return PricedPlan(entries[0] if len(entries) == 1 else MenuPlan(entries), costs)


def _stump_table(run: Run, coding: Coding) -> StumpTable:
    stumps = [stump for stump, _ in run.rounds]
    alpha = np.array([alpha for _, alpha in run.rounds]).reshape(-1, 1)
    low, high, *sides = (
        np.array([getattr(stump, name) for stump in stumps], dtype=np.float64)
        for name in ("low", "high", "inside", "outside", "missing")
    )
    columns = np.array([stump.column for stump in stumps], dtype=np.int64)
    return StumpTable(columns, low, high, *(coding(votes) * alpha for votes in sides))
