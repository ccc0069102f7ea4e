"""What the frontier's classifier and regressor share: reading rows, racing, and the menu."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse

from ...costs.costs import Costs
from ...costs.item_sets import ItemSets
from ...costs.ledger import within
from ...costs.shopper import cheapest_item, warn_of_prior
from ...data.folds import Splits, group_numbers
from ...data.linear_design import columns_not_finite, not_finite
from ...data.target import Target
from ...data.training_rows import TrainingRows, as_seed
from ...data.validation import check_budgets
from ...kernels.threads import n_threads
from ...learners.base import BudgetedEstimator
from ...plans.priced_plan import PricedPlan
from ...runtime.time_limit import current_limit, no_time_limit
from .candidate_costs import frontier_costs
from .candidates import candidates_of, take_sparse
from .folds import race_splits
from .menu import Chosen, in_use, make_menu, standard_error
from .problem import Problem
from .racing import Race, listed
from .selection_loss import selection_loss
from .trained import Trained
from .training_target import TrainingTarget

#: The smallest budget by default, as a part of the price of everything.
MIN_BUDGET_PART = 0.01
#: Held-out rows below which a warning says that the reported losses are not to be relied on.
FEW_TESTED = 100
#: The number of budgets by default: more follow the frontier closer, and take longer.
N_BUDGETS = 13


class FrontierBase(BudgetedEstimator):
    """The base of the frontier's classifier and regressor."""

    def __init__(
        self,
        costs: Any = None,
        budgets: Any = None,
        candidates: Any = "auto",
        cv: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        scoring: Any = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.budgets = budgets
        self.candidates = candidates
        self.cv = cv
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.scoring = scoring
        self.verbose = verbose

    def _info(self) -> dict[str, Any]:
        """Return also the cross-validated losses of the prior and of each entry of the menu."""
        shown = ["candidate", "loss", "standard_error", "selection_loss"]
        if self.scoring is None:
            shown.append("brier")
        chosen = [{name: getattr(one, name) for name in shown} for one in self.entries_]
        prior = {name: getattr(self.prior_, name) for name in shown}
        return super()._info() | {"chosen": chosen, "prior": prior}

    def __sklearn_tags__(self) -> Any:
        """Tags of missing values, and of sparse tables if the candidates take them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = take_sparse(self.candidates)
        return tags

    def _learn(self, X: Any, given: TrainingRows, groups: Any = None) -> None:
        """Race the candidates and set the fitted attributes to the menu of the winners."""
        if sparse.issparse(given.table):
            invalid = columns_not_finite(given.table)
            if invalid:
                raise not_finite(invalid, given.columns)
        rows, columns = given.of_positive_weight(), given.columns
        weights = rows.weights_or_ones
        if len(rows) < 2:
            raise ValueError("There is one sample (row) to learn from; expected 2 or more.")
        target, classes = self._training_target(rows.y, weights / weights.mean())
        costs = frontier_costs(self.costs, self.candidates, columns)
        n_jobs = self._n_jobs()
        problem = Problem(
            rows.of_given(X), rows.y, classes, columns, rows.table, target, costs,
            self._budgets(costs), as_seed(self.random_state), n_jobs,
        )  # fmt: skip
        kept = np.arange(len(given)) if rows.kept is None else rows.kept
        numbers = None if groups is None else group_numbers(groups, len(given))
        splits = race_splits(
            self.cv, problem.target, given.table, given.y, kept, problem.seed, numbers
        )
        limit = current_limit()
        with no_time_limit(), ThreadPoolExecutor(n_jobs) as pool:  # a race keeps to its time
            race = self._race(problem, splits, pool, limit.seconds_left())
            try:
                race.run()
                models, names = race.final_models()
            except KeyboardInterrupt:
                if race.scores:
                    race.validation.max_seconds = 0.0  # nothing more is trained
                    self._adopt(race, dict(race.models), race.winners())
                raise
            self._adopt(race, models, names)
        if race.validation.n_complete < len(race.validation.splits):
            limit.hit()

    def _training_target(
        self, y: NDArray[Any], weights: NDArray[Any]
    ) -> tuple[TrainingTarget, NDArray[Any]]:
        """Return the training target of rows, and the class labels."""
        raise NotImplementedError

    def _target(self, classes: NDArray[Any]) -> Target:
        """Return the meaning of the menu's scores."""
        raise NotImplementedError

    def _n_jobs(self) -> int:
        return n_threads() if self.n_jobs is None else effective_n_jobs(self.n_jobs)

    def _race(
        self, problem: Problem, splits: Splits, pool: ThreadPoolExecutor, max_seconds: float
    ) -> Race:
        """Return the race of the candidates."""
        target, positive = self._target(problem.classes), getattr(self, "positive", None)
        loss = selection_loss(self.scoring, target, positive)
        candidates = candidates_of(self.candidates, problem)
        return Race(problem, candidates, splits, pool, max_seconds, loss)

    def _budgets(self, costs: Costs) -> tuple[float, ...]:
        """Return the budgets to train for, ascending; 0 is among them if some columns are free."""
        if self.budgets is not None:
            budgets = np.unique(check_budgets(self.budgets)).tolist()
            _warn_of_small(costs, budgets)
        else:
            parts = np.geomspace(MIN_BUDGET_PART, 1.0, N_BUDGETS)
            budgets = (parts * costs.total).tolist() if costs.total else [0.0]
        return self._with_free(costs, budgets)

    def _with_free(self, costs: Costs, budgets: list[float]) -> tuple[float, ...]:
        """Return ascending budgets; 0 is the first of them if some columns are free."""
        if budgets[0] > 0 and any(costs.columns[item] for item in ItemSets(costs).free):
            budgets.insert(0, 0.0)
        return tuple(budgets)

    def _adopt(
        self, race: Race, models: Mapping[str, Trained], names: Sequence[str | None]
    ) -> None:
        """Set the fitted attributes to the menu of the winners, and warn of what is lacking."""
        self.budgets_ = np.array(race.problem.budgets)
        self.losses_ = {name: losses.mean(axis=1) for name, losses in race.losses().items()}
        self.left_early_ = dict(race.eliminated)
        self.failures_ = dict(race.validation.failures)
        self.seconds_ = dict(race.validation.seconds)
        if race.untested:
            limit = f"max_seconds={self.max_seconds:.3g}" if self.max_seconds else "The time"
            text = (
                f"{limit} was over before all candidates were tested: "
                f"{', '.join(race.untested)} took no part. Give more time, or fewer candidates."
            )
            warnings.warn(text, UserWarning, stacklevel=5)
        if self.failures_:
            text = f"Candidates that failed were left out. {listed(self.failures_)}"
            warnings.warn(text, UserWarning, stacklevel=5)
        problem = race.problem
        self._report_prior(race)
        plan, entries = make_menu(race, models, names)
        self._report_entries(entries)
        self.plan_ = PricedPlan(plan, problem.costs)
        self.columns_, self.target_ = problem.columns, self._target(problem.classes)

    def _report_prior(self, race: Race) -> None:
        """Set the figures of the prior; warn if all figures rest on few rows."""
        oof = race.out_of_fold()
        loss, selected = float(oof.prior_losses.mean()), float(oof.prior_selection.mean())
        error = standard_error(oof.prior_losses)
        self.prior_ = Chosen(0.0, 0.0, "prior", loss, error, selected)
        self.n_tested_ = len(oof.prior_losses)
        if self.n_tested_ < FEW_TESTED:
            text = (
                f"The losses in chosen_ rest on {self.n_tested_} rows that were held out, and may "
                "be far off: see standard_error. Give more rows, or more time with max_seconds."
            )
            warnings.warn(text, UserWarning, stacklevel=6)

    def _replan(self, costs: Costs) -> None:
        """Set the prices of the menu and of its entries."""
        super()._replan(costs)
        entries = self.plan_.plan.outline.entries[1:]
        prices = [PricedPlan(entry, costs).price for entry in entries]
        priced = zip(self.entries_, prices, strict=True)
        self._report_entries([replace(one, budget=price, price=price) for one, price in priced])

    def _report_entries(self, entries: list[Chosen]) -> None:
        """Set the entries of the menu, those that budgets use and those that they do not."""
        self.entries_, used = entries, in_use(entries)
        self.chosen_ = [one for one, is_used in zip(entries, used, strict=True) if is_used]
        self.spare_ = [one for one, is_used in zip(entries, used, strict=True) if not is_used]


def _warn_of_small(costs: Costs, budgets: Sequence[float]) -> None:
    """Warn if some budgets other than 0 pay for nothing."""
    lowest, _ = cheapest_item(costs)
    small = [budget for budget in budgets if budget > 0 and not within(lowest, budget)]
    if small:
        where = " there" if within(lowest, budgets[-1]) else ""
        warn_of_prior(costs, small[-1], where=where, stacklevel=7)
