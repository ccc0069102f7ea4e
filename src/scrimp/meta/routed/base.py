"""What the routed classifier and regressor share: candidates, budgets, and the race."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...costs.costs import Costs
from ...costs.ledger import within
from ...costs.shopper import cheapest_item
from ...data.folds import Splits
from ...data.validation import check_budgets, check_whole
from ..frontier.base import FrontierBase
from ..frontier.candidates import candidates_of
from ..frontier.menu import in_use
from ..frontier.problem import Problem
from ..frontier.racing import Race
from ..frontier.routed_candidate import ROUTED

#: Parts of a budget for which the fixed sets are trained too, so that smaller budgets have
#: answers: more parts follow the budget closer, and take longer.
PARTS = (0.15, 0.3, 0.5, 0.7)
#: Parts of the price of everything that are the budgets by default.
DEFAULT_PARTS = (0.05, 0.1, 0.2, 0.4, 1.0)
#: Rows up to which kernel ridge regression takes part.
MAX_KERNEL_ROWS = 20_000


class RoutedBase(FrontierBase):
    """The base of the routed classifier and regressor."""

    #: Selected by the Brier score or the squared error.
    scoring: Any = None

    def __init__(
        self,
        costs: Any = None,
        budget: Any = None,
        max_levels: int = 3,
        learners: Any = "auto",
        cv: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.max_levels = max_levels
        self.learners = learners
        self.cv = cv
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def candidates(self) -> Any:
        """The estimators that may bring prices: none."""
        return "auto"

    @property
    def routed_(self) -> list[bool]:
        """Whether each entry of `chosen_` routes its rows."""
        check_is_fitted(self, "plan_")
        plans = self.plan_.plan.outline.entries[1:]
        pairs = zip(plans, in_use(self.entries_), strict=True)
        return [plan.outline.order == "routed" for plan, is_used in pairs if is_used]

    def __sklearn_tags__(self) -> Any:
        """Tags of missing values; sparse tables are not taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    def _budgets(self, costs: Costs) -> tuple[float, ...]:
        """Return the budgets to train for: those given, and parts of a single one."""
        if self.budget is None:
            budgets = [part * costs.total for part in DEFAULT_PARTS]
        elif np.ndim(self.budget):
            budgets = np.unique(check_budgets(self.budget)).tolist()
        else:
            (largest,) = check_budgets([self.budget]).tolist()
            most = min(largest, costs.total) if costs.total else largest
            budgets = [*(part * most for part in PARTS), largest]
            lowest, _ = cheapest_item(costs)
            budgets = [b for b in budgets[:-1] if within(lowest, b)] + [largest]
        return self._with_free(costs, sorted(set(budgets)))

    def _race(
        self, problem: Problem, splits: Splits, pool: ThreadPoolExecutor, max_seconds: float
    ) -> Race:
        """Return the race of fixed and routed sets: routed ones must be better by one error."""
        check_whole("max_levels", self.max_levels, 1, 3)
        candidates = candidates_of(self._names(problem), problem)
        return Race(
            problem, candidates, splits, pool, max_seconds,
            max_levels=self.max_levels, default_errors=1.0,
        )  # fmt: skip

    def _names(self, problem: Problem) -> list[str]:
        """Return the names of base learners, and of the same on routes, simple ones first."""
        by_learner = {learner: name for name, learner in ROUTED.items()}
        names = list(by_learner) if self.learners == "auto" else list(self.learners)
        unknown = [name for name in names if name not in by_learner]
        if unknown or not names:
            raise ValueError(
                f"learners is {self.learners!r}; expected 'auto' or some of {list(by_learner)}."
            )
        if self.learners == "auto" and len(problem.X) > MAX_KERNEL_ROWS:
            names.remove("kernel")
        return [*names, *(by_learner[name] for name in names)]
