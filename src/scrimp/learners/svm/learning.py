"""What both estimators share: budgets, the path, and the menu it becomes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ...costs.costs import Costs, as_costs
from ...costs.ledger import within
from ...data.columns import Columns
from ...data.numeric_rows import check_missing, columns_not_finite, fill_values, filled, not_finite
from ...data.target import Target
from ...data.validation import check_budgets
from ...plans import MenuPlan, PrefixPlan
from ...plans.components.models import LinearModel, Preparation
from ...plans.contract import Plan
from ...plans.priced_plan import PricedPlan
from ...runtime.events import Progress, emit
from ...types import Floats, Ints
from ..base import BudgetedClassifier, BudgetedEstimator, BudgetedRegressor, kept_positions
from .groups import Groups
from .machine import LOSSES, Machine, without_constants
from .path import Solved, proven, solve_path
from .selection import as_list, choose, cross_validated
from .standardisation import Standardisation
from .unscaled import warn_if_unscaled


class BudgetedMachine(BudgetedEstimator):
    """What both share."""

    costs: Any
    budget: Any
    C: Any
    loss: str
    uniform: bool
    scale: bool
    missing: Any
    cv: Any
    tol: float
    max_iter: int
    max_nodes: int | None

    def _check_params(self) -> None:
        several = np.atleast_1d(np.asarray(self.C, dtype=object))
        if several.ndim > 1 or not several.size or not all(_is_positive(C) for C in several):
            raise ValueError(f"C is {self.C!r}; expected a finite number > 0, or a list of them.")
        if not _is_positive(self.tol):
            raise ValueError(f"tol is {self.tol!r}; expected a number > 0.")
        if not _is_whole(self.max_iter, 1):
            raise ValueError(f"max_iter is {self.max_iter!r}; expected a whole number >= 1.")
        if self.max_nodes is not None and not _is_whole(self.max_nodes, 0):
            raise ValueError(
                f"max_nodes is {self.max_nodes!r}; expected None or a whole number >= 0."
            )
        if self.budget is not None:
            check_budgets(self.budget)
        check_missing(self.missing)

    def _splits(self, y: NDArray[Any], weight: Floats | None) -> list[tuple[Ints, Ints]]:
        """Folds of the rows that count, where several C are given."""
        if len(as_list(self.C)) < 2:
            return []
        classes = isinstance(self, BudgetedClassifier)
        splits = list(check_cv(self.cv, y, classifier=classes).split(np.zeros((len(y), 1)), y))
        kept = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0)
        return kept_positions(splits, kept, len(y))

    def _learn(
        self, table: Any, columns: Columns, target: Target, targets: Floats, weights: Floats,
        splits: list[tuple[Ints, Ints]], epsilon: float,
    ) -> None:  # fmt: skip
        """Solve for each budget and become the menu of what was found."""
        costs = as_costs(self.costs, len(columns), columns.names)
        fill = fill_values(table, self.missing)
        table = filled(table, fill)
        lost = columns_not_finite(table)
        if lost:
            raise not_finite(lost, columns)
        table = without_constants(table)
        standardisation = (
            Standardisation.of(table, weights)
            if self.scale
            else Standardisation.none(table.shape[1])
        )
        table = standardisation.apply(table) if self.scale else table
        warn_if_unscaled(table, columns)
        groups = Groups(costs, bool(self.uniform))
        # numbers far from 0 would be rounded; the intercept is free
        middle = float(np.median(targets)) if isinstance(self, BudgetedRegressor) else 0.0
        machine = Machine.of_table(
            table, targets - middle, weights, groups, LOSSES[self.loss], epsilon
        )
        budgets = self._budgets(costs)
        _warn_if_nothing_fits(groups, budgets)
        found: list[Solved] = []
        # products are small, and slower in several threads, much so where cores are busy
        with threadpool_limits(1, "blas"):
            chosen = dict(zip(budgets, self._chosen(machine, groups, budgets, splits), strict=True))
            try:
                self._solve(machine, groups, chosen, found)
            finally:
                if found:  # also if interrupted
                    self.columns_, self.target_ = columns, target
                    self._become(found, chosen, machine, costs, fill, middle, standardisation)
        self._warn_of_gaps()

    def _budgets(self, costs: Costs) -> list[float]:
        """Ascending; no limit is the price of everything."""
        total = costs.total
        given = [total] if self.budget is None else check_budgets(self.budget)
        return [float(budget) for budget in np.unique(np.minimum(given, total))]

    def _chosen(
        self, machine: Machine, groups: Groups, budgets: list[float],
        splits: list[tuple[Ints, Ints]],
    ) -> list[float]:  # fmt: skip
        """C for each budget."""
        Cs = as_list(self.C)
        if len(Cs) < 2:
            return Cs * len(budgets)
        self.cv_errors_ = cross_validated(
            machine,
            groups,
            budgets,
            Cs,
            splits,
            self.tol,
            self.max_iter,
            isinstance(self, BudgetedRegressor),
        )
        return choose(self.cv_errors_, Cs)

    def _solve(
        self, machine: Machine, groups: Groups, chosen: dict[float, float], found: list[Solved]
    ) -> None:
        """Each C for its own budgets, from small to large."""
        for C in dict.fromkeys(chosen.values()):
            own = [budget for budget, other in chosen.items() if other == C]
            scaled = machine.with_weights(C * machine.weights)
            for solved in self._path(scaled, groups, own):
                found.append(solved)
                note = f"budget {solved.budget:g}, gap {solved.relaxed.gap:.1g}"
                emit(Progress("fit", len(found), len(chosen), note))

    def _path(self, machine: Machine, groups: Groups, budgets: list[float]) -> Iterator[Solved]:
        return solve_path(machine, groups, budgets, self.tol, self.max_iter, self.max_nodes)

    def _become(
        self, found: list[Solved], chosen: dict[float, float], machine: Machine, costs: Costs,
        fill: Floats | None, middle: float, standardisation: Standardisation,
    ) -> None:  # fmt: skip
        of_each_C = [
            proven([solved for solved in found if chosen[solved.budget] == C])
            for C in dict.fromkeys(chosen.values())
        ]
        found = sorted(chain(*of_each_C), key=lambda solved: solved.budget)
        relaxed = [solved.relaxed for solved in found]
        shares = np.stack([own.shares for own in relaxed])
        self.budgets_ = np.array([solved.budget for solved in found])
        self.C_ = np.array([chosen[solved.budget] for solved in found])
        self.gap_ = np.array([own.gap for own in relaxed])
        self.bound_ = np.array([solved.distance for solved in found])
        self.objective_ = np.array([solved.trained.objective for solved in found])
        self.relaxed_objective_ = np.array([own.objective for own in relaxed])
        self.least_objective_ = np.array([solved.least for solved in found])
        self.history_ = [np.array(own.history) for own in relaxed]
        self.shares_ = shares
        self.share_counts_ = np.stack(
            [(shares == 0).sum(1), ((shares > 0) & (shares < 1)).sum(1), (shares == 1).sum(1)], 1
        )
        self.n_steps_ = np.array([own.steps for own in relaxed])
        self.n_trainings_ = np.array([solved.trainings for solved in found])
        self.n_nodes_ = np.array([solved.nodes for solved in found])
        self.n_iter_ = int(self.n_steps_.max(initial=1))
        last = found[-1].trained
        columns, w = last.in_table(machine)
        w, b = standardisation.undo(columns, w, last.point.b + middle)
        self.coef_ = machine.zeros()
        self.coef_[:, columns] = w
        self.intercept_ = b
        menu = _menu(found, machine, costs, fill, middle, standardisation)
        self.plan_ = PricedPlan(menu, costs)
        self._price_entries()

    def _price_entries(self) -> None:
        plan, costs = self.plan_.plan, self.plan_.costs
        entries = plan.outline.entries or (plan,)
        sets = [[i for items in own.stages.items for i in items] for own in entries]
        self.items_ = [[costs.names[i] for i in costs.closure(items)] for items in sets]
        self.prices_ = np.array([costs.price_of(items) for items in sets])

    def _replan(self, costs: Costs) -> None:
        """The menu, and what its entries cost."""
        super()._replan(costs)
        self._price_entries()

    def _warn_of_gaps(self) -> None:
        """Never silent where the solver has not come as far as it was told to."""
        wide = np.flatnonzero(~(self.gap_ <= self.tol))
        if len(wide):
            named = ", ".join(
                f"{self.gap_[b]:.2g} for the budget {self.budgets_[b]:g}" for b in wide[:5]
            )
            more = f" and {len(wide) - 5} more" if len(wide) > 5 else ""
            warnings.warn(
                f"The relaxation was not solved to a relative gap of tol={self.tol:g} within "
                f"max_iter={self.max_iter} steps: the gap is {named}{more} (gap_). What is "
                "bought stays within the budgets. Raise max_iter or tol, scale the columns, or "
                "lower C.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def __sklearn_tags__(self) -> Any:
        """Sparse input, and missing values where they are filled in."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags


def is_number(value: Any) -> bool:
    """Whether a parameter is a finite number."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return number and math.isfinite(value)


def _is_whole(value: Any, least: int) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and bool(value >= least)


def _is_positive(value: Any) -> bool:
    return is_number(value) and bool(value > 0)


def _warn_if_nothing_fits(groups: Groups, budgets: Sequence[float]) -> None:
    small = [budget for budget in budgets if not within(groups.cheapest, budget)]
    if small:
        warnings.warn(
            f"The cheapest purchase costs {groups.cheapest:g}, more than the budgets "
            f"{[float(f'{b:.6g}') for b in small]}: nothing is bought there, and the model is "
            "its intercept.",
            UserWarning,
            stacklevel=4,
        )


def _menu(
    found: Sequence[Solved], machine: Machine, costs: Costs, fill: Floats | None, middle: float,
    standardisation: Standardisation,
) -> Plan[Any]:  # fmt: skip
    """One entry a budget, the largest last; to what is answered the middle is added."""
    nothing = machine.sums(machine.zeros())
    prior = machine.intercepts(nothing, np.zeros(machine.n_outputs), 1e-6) + middle
    entries = []
    for solved in found:
        trained = solved.trained
        columns, w = trained.in_table(machine)
        if not len(columns):
            entries.append(PrefixPlan.constant(trained.point.b + middle))
            continue
        w, b = standardisation.undo(columns, w, trained.point.b + middle)
        model = LinearModel(_preparation(columns, fill), w.T, b, "identity")
        items = np.unique(costs.owners[columns]).tolist()  # what has no coefficient is given back
        entries.append(PrefixPlan.single(items, model, prior))
    return entries[0] if len(entries) == 1 else MenuPlan(entries)


def _preparation(columns: Ints, fill: Floats | None) -> Preparation:
    plain = Preparation.plain(columns)
    if fill is None:
        return plain
    return Preparation(plain.source, plain.code, fill[columns], plain.center, plain.scale)
