"""What boosting classifiers and regressors share: parameters, one run per budget, their plan."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...costs.costs import Costs, as_costs
from ...costs.ledger import within
from ...costs.shopper import Shopper, warn_of_prior
from ...data.columns import Columns
from ...data.validation import check_budget, check_budgets, check_choice, check_whole
from ...kernels.threads import n_threads
from ...plans import AdditivePlan, MenuPlan, StepFunctions, StumpTable
from ...plans.contract import StageTable
from ...plans.priced_plan import PricedPlan
from ...runtime.time_limit import is_time_over, time_share
from ...types import Floats, Ints
from ..base import BudgetedEstimator
from .binned_search import Stump
from .rules import RULES, PricedRule
from .stacking import pooled, stacked_plan
from .tree_fit import check_tree_params

#: The most bins that two bytes can number, beside the one of missing values.
MAX_BINS = 65_535
#: Folds of the trainings whose stumps are weighted on rows that they have not seen.
N_FOLDS = 5
#: Rows per round from which a training's own rows serve: two numbers are fitted in a round.
ROWS_PER_ROUND = 40
#: The most values of functions on held-out rows that are held at a time: it bounds the memory.
MAX_CELLS = 20_000_000
#: The same on rows of the training, of which some will do.
MAX_TRAINING_CELLS = 600_000
#: The part of what a run spends that a second one is trained for: of 1/4, 1/16, 1/64 and all of
#: them, 1/16 alone had nearly all of the gain, and more than 1/8.
THRIFTY_SHARE = 1 / 16
#: What votes of stumps (stumps,) add to the scores, before they are weighed (stumps x outputs).
Coding = Callable[[Floats], Floats]


@dataclass
class Run:
    """One training at one budget.

    Parameters
    ----------
    shopper : Shopper
        What has been bought.
    n_rounds : int
        The most rounds; where the time was over, those that were begun.
    label : str
        Names the run in progress events.
    thrifty : Run, optional
        A run for a part of what this one spends, whose functions are stacked beside those of
        this one.
    rounds : list of (Stump, float)
        The stumps chosen so far, with their weights.
    """

    shopper: Shopper
    n_rounds: int
    label: str = "fit"
    thrifty: Run | None = None
    rounds: list[tuple[Stump, float]] = field(default_factory=list)

    def new_thrifty(self) -> Run:
        """Return a run for a part of what this one has spent, to be trained beside it.

        A run for much money may hardly use what is cheap, or use it for what other columns leave
        over. The thrifty one learns functions of cheap columns that do without the others.
        """
        budget = THRIFTY_SHARE * self.shopper.spent
        label = f"{self.label}, cheap columns"
        self.thrifty = Run(Shopper(self.shopper.costs, budget), self.n_rounds, label)
        return self.thrifty

    @property
    def parts(self) -> list[Run]:
        """Itself, and the thrifty run beside it if that has learnt anything."""
        return [self, self.thrifty] if self.thrifty and self.thrifty.rounds else [self]

    def columns(self) -> list[int]:
        """Return the columns of both, or of itself where the budget does not pay for both."""
        ledger = self.shopper.ledger
        items = set().union(*(part.shopper.ledger.owned for part in self.parts))
        if not within(ledger.costs.price_of(items), ledger.budgets[0]):
            items = ledger.owned
        return [column for item in items for column in ledger.costs.columns[item]]


class Booster(BudgetedEstimator):
    """Base of boosters; subclasses open a search and boost."""

    _takes_missing = True
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
    combine: str

    def _open_search(self, rows: Any) -> Any:
        """Return the search for stumps, a context manager, on training rows."""
        raise NotImplementedError

    def _boost(self, search: Any, rule: PricedRule, run: Run, rows: Any) -> None:
        """Add rounds to a run until its budget, the rounds or the stumps end."""
        raise NotImplementedError

    def _adopt(
        self, runs: list[Run], rows: Any, costs: Costs, stacked: PricedPlan | None = None
    ) -> None:
        """Become the stacked model of runs, or their vote; all have rounds, or one has none."""
        raise NotImplementedError

    def _fit_runs(self, rows: Any, columns: Columns, n_classes: int = 2) -> list[Run]:
        """Train a run per budget, and become their model; if interrupted, of the rounds done."""
        costs = as_costs(self.costs, len(columns), columns.names)
        runs = [Run(Shopper(costs, budget), self.n_rounds) for budget in self._budgets()]
        stacked, is_stacked = None, self.combine == "stacked"
        has_folds = is_stacked and len(rows.table) < ROWS_PER_ROUND * self.n_rounds
        try:
            # the rest of the time is for the trainings on folds
            with time_share(1.0 / (1 + N_FOLDS) if has_folds else 1.0):
                self._train(runs, rows, n_classes, thrifty=is_stacked)
            if is_stacked:
                stacked = self._stack(runs_to_keep(runs), rows, costs, n_classes)
        except KeyboardInterrupt:
            if any(run.rounds for run in runs):
                self._adopt(runs_to_keep(runs), rows, costs)
                self.columns_ = columns
            raise
        self._adopt(runs_to_keep(runs), rows, costs, stacked)
        self.columns_ = columns
        return runs

    def _train(
        self, runs: list[Run], rows: Any, n_classes: int, what: str = "fit", thrifty: bool = False
    ) -> None:
        """Add rounds to the runs, on some rows; on request train a thrifty one beside each."""
        with self._open_search(rows) as search:
            for number, run in enumerate(runs, start=1):
                run.label = what if len(runs) == 1 else f"{what} {number}/{len(runs)}"
                if number > 1:
                    search.restart()
                with time_share(1.0 / (len(runs) - number + 1)):
                    self._boost(search, self._rule_of(run, n_classes), run, rows)
                    if thrifty and run.n_rounds == self.n_rounds:  # there is time
                        search.restart()
                        other = run.new_thrifty()
                        self._boost(search, self._rule_of(other, n_classes), other, rows)

    def _rule_of(self, run: Run, n_classes: int) -> PricedRule:
        """Return the rule that decides what a run buys."""
        skips = self.unaffordable == "skip"
        return PricedRule(run.shopper, self.rule, skips, self.tau, self.switch, n_classes)

    def _stack(self, runs: list[Run], rows: Any, costs: Costs, n_classes: int) -> PricedPlan:
        """Return the plan whose columns are weighted for any set of them."""
        parts = [part for run in runs for part in run.parts]
        functions = [_column_functions(part, rows) for part in parts]
        sample, values = self._values_on_others(parts, functions, rows, costs, n_classes)
        outcome, learned = rows.taken(sample).outcome(), zip(functions, values, strict=True)
        entries = []
        for run in runs:
            both = list(itertools.islice(learned, len(run.parts)))
            joined, Z = pooled(both, run.columns(), outcome)
            entries.append(stacked_plan(joined, costs, Z, outcome, self.unaffordable))
        return PricedPlan(entries[0] if len(entries) == 1 else MenuPlan(entries), costs)

    def _values_on_others(
        self, runs: list[Run], functions: list[StepFunctions], rows: Any, costs: Costs,
        n_classes: int,
    ) -> tuple[Ints, list[Floats]]:  # fmt: skip
        """Return rows, and values of each run's functions on them, as if not trained on them.

        With few rows the values come from trainings without the rows: one for each fold. With
        many rows per round the stumps hardly follow single rows, and their own values serve.
        """
        n, cells = len(rows.table), max(1, *(part.missing.size for part in functions))
        is_few = n < ROWS_PER_ROUND * max(len(run.rounds) for run in runs)
        folds = rows.folds(N_FOLDS) if is_few else []
        if not folds or is_time_over():
            sample = _spread_rows(n, MAX_TRAINING_CELLS // cells)
            return sample, [part.on(rows.table, sample) for part in functions]
        values = [np.zeros((n, len(part), part.n_outputs)) for part in functions]
        tested: list[Ints] = []
        for number, (train, test) in enumerate(folds, start=1):
            if tested and is_time_over():
                break
            budgets = [run.shopper.ledger.budgets[0] for run in runs]
            others = [
                Run(Shopper(costs, budget), run.n_rounds)
                for budget, run in zip(budgets, runs, strict=True)
            ]
            part = rows.taken(train)
            with time_share(1.0 / (len(folds) - number + 1)):
                self._train(others, part, n_classes, f"stack {number}/{len(folds)}")
            tested.append(test)
            for run, final, out in zip(others, functions, values, strict=True):
                other = _column_functions(run, part)
                _, at, from_ = np.intersect1d(final.column, other.column, return_indices=True)
                out[np.ix_(test, at)] = other.on(rows.table, test)[:, from_]
        held_out = np.sort(np.concatenate(tested))
        sample = held_out[_spread_rows(len(held_out), MAX_CELLS // cells)]
        return sample, [out[sample] for out in values]

    def _budgets(self) -> list[float]:
        """Return the budgets to train for, ascending."""
        if self.budget is None or np.ndim(self.budget) == 0:
            return [float(check_budget(self.budget))]
        budgets: list[float] = np.unique(check_budgets(self.budget)).tolist()
        # a run that stops is a prefix of the run with more money: one training is all
        return budgets[-1:] if self.unaffordable == "stop" else budgets

    def _check_params(self) -> None:
        """Refuse parameters that no training can follow."""
        check_choice("rule", self.rule, (*RULES, "penalty"))
        check_tree_params(self)
        check_choice("unaffordable", self.unaffordable, ("skip", "stop"))
        check_choice("combine", self.combine, ("stacked", "vote"))
        for name in ("tau", "switch"):
            value = getattr(self, name)
            if not (np.isreal(value) and 0 <= value < math.inf):
                raise ValueError(f"{name} is {value!r}; expected a finite number >= 0.")
        check_whole("n_rounds", self.n_rounds, 1)
        check_whole("max_bins", self.max_bins, 2, MAX_BINS)
        check_random_state(self.random_state)
        n_threads(self.n_jobs)


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
    warn_of_prior(ledger.costs, ledger.budgets[0], otherwise=reason, stacklevel=5)


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


def runs_to_keep(runs: list[Run]) -> list[Run]:
    """Return the runs that have a round, or the last."""
    return [run for run in runs if run.rounds] or runs[-1:]


def _spread_rows(n: int, most: int) -> Ints:
    """Return at most so many of n rows, evenly spread."""
    return np.arange(0, n, max(-(-n // max(most, 1)), 1))


def _column_functions(run: Run, rows: Any) -> StepFunctions:
    """Return the functions of the columns that a run uses, centred on its training rows."""
    coding, scale = rows.coding()
    functions = StepFunctions.from_stumps(_stump_table(run, coding), scale)
    if not run.rounds:
        return functions
    sample = _spread_rows(len(rows.table), MAX_TRAINING_CELLS // functions.missing.size)
    weights = None if rows.weights is None else rows.weights[sample]
    means = np.average(functions.on(rows.table, sample), axis=0, weights=weights)
    return functions.lowered(means)


def additive_plan(
    runs: list[Run],
    costs: Costs,
    prior: float | Floats,
    refusal: str,
    base: float = 0.0,
    coding: Coding = as_number,
) -> PricedPlan:
    """Return one additive plan, or a menu of them."""
    priors = np.atleast_1d(np.asarray(prior, dtype=np.float64))
    bases = np.full_like(priors, base)
    entries = []
    for run in runs:
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
