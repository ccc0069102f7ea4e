"""The common part of BudgetedSVC and BudgetedSVR: parameters, path, and fitted attributes."""

from __future__ import annotations

import math
import warnings
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ...costs.costs import Costs, as_costs
from ...costs.shopper import warn_if_nothing_is_affordable
from ...data.columns import Columns
from ...data.folds import Splits, given_splits
from ...data.linear_design import LinearDesign, check_missing
from ...data.target import Target
from ...data.validation import check_budgets, check_number, check_whole
from ...plans.priced_plan import PricedPlan
from ...runtime.events import Progress, emit
from ...runtime.time_limit import current_limit, time_share
from ...types import Floats
from ..base import BudgetedClassifier, BudgetedEstimator, BudgetedRegressor
from .groups import Groups
from .path import PathSolution, as_list, best_c, cross_validate, share_lower_bounds, solve_path
from .plan_making import PlanMaker
from .probabilities import class_frequencies, prior_scores
from .problem import LOSSES, SVMProblem, zero_constant_columns
from .standardisation import Standardisation

#: Ratio of the largest values of columns above which their scales are warned of: one C for all
#: columns then hardly allows coefficients of the small ones.
MAX_SCALE_RATIO = 1_000.0
#: The largest weight times C: the solver squares it, and long before this the solution does not
#: change any more.
MAX_WEIGHTED_C = 1e100


#: The part of the time that the choice of C may take; the rest is for the models.
C_SHARE = 0.5


class BudgetedLinearSVM(BudgetedEstimator):
    """The common part of the estimators."""

    _takes_sparse = True
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
        Cs = np.atleast_1d(np.asarray(self.C, dtype=object))
        if Cs.ndim > 1 or not Cs.size or not all(_is_positive(C) for C in Cs):
            raise ValueError(f"C is {self.C!r}; expected a finite number > 0, or a list of them.")
        check_number("tol", self.tol, 0.0, above=True)
        check_whole("max_iter", self.max_iter, 1)
        check_whole("max_nodes", self.max_nodes, 0, optional=True)
        if self.budget is not None:
            check_budgets(self.budget)
        check_missing(self.missing)

    def _splits(self, y: NDArray[Any], weight: Floats | None) -> Splits:
        """Return the folds, among rows of positive weight, if there are several C."""
        if len(as_list(self.C)) < 2:
            return []
        splitter = check_cv(self.cv, y, classifier=isinstance(self, BudgetedClassifier))
        kept = None if weight is None else np.flatnonzero(weight > 0)
        return given_splits(splitter, np.zeros((len(y), 1)), y, kept)

    def _learn(
        self, table: Any, columns: Columns, target: Target, targets: Floats, weights: Floats,
        splits: Splits, epsilon: float,
    ) -> None:  # fmt: skip
        """Solve for each budget, and set the fitted attributes."""
        _refuse_overflow(as_list(self.C), weights)
        costs = as_costs(self.costs, len(columns), columns.names)
        design = LinearDesign.learn(table, columns, self.missing)
        table = zero_constant_columns(design.transform(table))
        standardisation = Standardisation.none(table.shape[1])
        if self.scale:
            standardisation = Standardisation.of(table, weights)
            table = standardisation.apply(table)
        _warn_if_unscaled(table, design.prepared_columns)
        groups = Groups(costs.prepared(design.preparation.source), bool(self.uniform))
        # responses far from 0 would lose digits; the intercept takes up any shift
        shift = float(np.median(targets)) if isinstance(self, BudgetedRegressor) else 0.0
        problem = SVMProblem.from_table(
            table, targets - shift, weights, groups, LOSSES[self.loss], epsilon
        )
        budgets = self._budgets(costs)
        warn_if_nothing_is_affordable(costs, budgets)
        path: list[PathSolution] = []
        # products are small, and slower in several threads, much so where cores are busy
        with threadpool_limits(1, "blas"):
            Cs = dict(zip(budgets, self._choose_c(problem, groups, budgets, splits), strict=True))
            try:
                self._solve(problem, groups, Cs, path)
            finally:
                if path:  # also after an interrupt
                    self.columns_, self.target_ = columns, target
                    path = _with_shared_bounds(path, Cs)
                    self._set_path_attributes(path, Cs)
                    prior = _prior(problem, target, shift)
                    plans = PlanMaker(
                        problem, groups, costs, design, standardisation, shift, prior, self.max_iter
                    )
                    self._set_models(path, plans, is_whole=len(path) == len(Cs))
        self._warn_of_gaps()

    def _budgets(self, costs: Costs) -> list[float]:
        """Return the budgets, ascending; none exceeds the price of everything."""
        total = costs.total
        given = [total] if self.budget is None else check_budgets(self.budget)
        return [float(budget) for budget in np.unique(np.minimum(given, total))]

    def _choose_c(
        self, problem: SVMProblem, groups: Groups, budgets: list[float],
        splits: Splits,
    ) -> list[float]:  # fmt: skip
        """Return a C per budget."""
        Cs = as_list(self.C)
        if len(Cs) < 2:
            return Cs * len(budgets)
        is_regression = isinstance(self, BudgetedRegressor)
        with time_share(C_SHARE):
            self.cv_errors_ = cross_validate(
                problem, groups, budgets, Cs, splits, self.tol, self.max_iter, is_regression
            )
        return best_c(self.cv_errors_, Cs)

    def _solve(
        self, problem: SVMProblem, groups: Groups, Cs: dict[float, float], path: list[PathSolution]
    ) -> None:
        """Append the solutions: per C, those of its budgets in ascending order."""
        for C in dict.fromkeys(Cs.values()):
            budgets = [budget for budget in Cs if Cs[budget] == C]
            scaled = problem.with_weights(C * problem.weights)
            with time_share(len(budgets) / (len(Cs) - len(path))):
                for solution in solve_path(
                    scaled, groups, budgets, self.tol, self.max_iter, self.max_nodes
                ):
                    path.append(solution)
                    note = f"budget {solution.budget:g}, gap {solution.relaxed.gap:.1g}"
                    emit(Progress("fit", len(path), len(Cs), note))

    def _set_path_attributes(self, path: list[PathSolution], Cs: dict[float, float]) -> None:
        """Set the attributes with one entry per budget."""
        relaxed = [solution.relaxed for solution in path]
        selections = np.stack([each.selection for each in relaxed])
        n_zero, n_one = (selections == 0).sum(1), (selections == 1).sum(1)
        n_between = ((selections > 0) & (selections < 1)).sum(1)
        self.budgets_ = np.array([solution.budget for solution in path])
        self.C_ = np.array([Cs[solution.budget] for solution in path])
        self.gap_ = np.array([each.gap for each in relaxed])
        self.bound_ = np.array([solution.gap for solution in path])
        self.objective_ = np.array([solution.trained.objective for solution in path])
        self.relaxed_objective_ = np.array([each.objective for each in relaxed])
        self.least_objective_ = np.array([solution.lower_bound for solution in path])
        self.history_ = [np.array(each.history) for each in relaxed]
        self.shares_ = selections
        self.share_counts_ = np.stack([n_zero, n_between, n_one], 1)
        self.n_steps_ = np.array([each.n_steps for each in relaxed])
        self.n_trainings_ = np.array([solution.n_trainings for solution in path])
        self.n_nodes_ = np.array([solution.n_nodes for solution in path])
        self.n_iter_ = int(self.n_steps_.max(initial=1))

    def _set_models(self, path: list[PathSolution], plans: PlanMaker, is_whole: bool) -> None:
        """Set the plan, and the coefficients of the model of the largest budget."""
        last = plans.machine(path[-1].trained)
        self.intercept_ = last.intercepts
        self.coef_ = plans.problem.zeros()
        self.coef_[:, last.columns] = last.coefficients.T
        self.plan_ = PricedPlan(plans.menu(path, self.C_, is_whole), plans.costs)
        self._price_entries()

    def _price_entries(self) -> None:
        """Set what each entry of the menu buys, and its price."""
        plan, costs = self.plan_.plan, self.plan_.costs
        entries = plan.outline.entries or (plan,)
        sets = [sorted(i for items in entry.stages.items for i in items) for entry in entries]
        self.items_ = [[costs.names[i] for i in costs.closure(items)] for items in sets]
        self.prices_ = np.array([costs.price_of(items) for items in sets])

    def _replan(self, costs: Costs) -> None:
        """Replace the prices of the plan and of its entries."""
        super()._replan(costs)
        self._price_entries()

    def _warn_of_gaps(self) -> None:
        """Warn where the relaxation was not solved to the tolerance."""
        wide = np.flatnonzero(~(self.gap_ <= self.tol))
        if len(wide):
            gaps = ", ".join(
                f"{self.gap_[b]:.2g} for the budget {self.budgets_[b]:g}" for b in wide[:5]
            )
            more = f" and {len(wide) - 5} more" if len(wide) > 5 else ""
            in_time = not current_limit().was_hit
            within = f"max_iter={self.max_iter} steps" if in_time else "the time"
            raised = "max_iter" if in_time else "max_seconds"
            warnings.warn(
                f"The relaxation was not solved to a relative gap of tol={self.tol:g} within "
                f"{within}: the gap is {gaps}{more} (gap_). What is bought stays within the "
                f"budgets. Raise {raised} or tol, scale the columns, or lower C.",
                ConvergenceWarning,
                stacklevel=5,
            )


def is_number(value: Any) -> bool:
    """Return whether a parameter is a finite number."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return number and math.isfinite(value)


def _refuse_overflow(Cs: list[float], weights: Floats) -> None:
    """Refuse a C and weights whose product is too large to be solved with."""
    largest = float(weights.max(initial=0.0))
    if max(largest, largest * max(Cs)) > MAX_WEIGHTED_C:
        raise ValueError(
            f"C is {max(Cs):g} and the largest weight {largest:g}; expected weights and their "
            f"product with C up to {MAX_WEIGHTED_C:g}. Divide the weights or C by one number."
        )


def _is_positive(value: Any) -> bool:
    return is_number(value) and bool(value > 0)


def _warn_if_unscaled(X: Any, columns: Columns) -> None:
    """Warn of columns on very different scales, and say how to scale them."""
    scales = _largest_values(X)
    nonzero = np.flatnonzero(scales > 0)
    if not len(nonzero):
        return
    low, high = nonzero[scales[nonzero].argmin()], nonzero[scales[nonzero].argmax()]
    ratio = scales[high] / scales[low]
    if ratio <= MAX_SCALE_RATIO:
        return
    scaler = "MaxAbsScaler" if sparse.issparse(X) else "StandardScaler"
    warnings.warn(
        f"The columns differ in scale by a factor of {ratio:.3g}: the largest value of "
        f"{columns.name(int(high))!r} is {scales[high]:.3g}, that of "
        f"{columns.name(int(low))!r} is {scales[low]:.3g}. One C for all holds columns of "
        f"small values back, and training is slow. Scale them first, with {scaler} in a "
        "pipeline; prices stay as they are.",
        UserWarning,
        stacklevel=5,
    )


def _largest_values(X: Any) -> Floats:
    """Return the largest absolute value of each column of an array or CSR matrix."""
    if sparse.issparse(X):
        largest = np.zeros(X.shape[1])
        np.maximum.at(largest, X.indices, np.abs(X.data))
        return largest
    if not len(X):
        return np.zeros(X.shape[1])
    return np.asarray(np.maximum(X.max(axis=0), -X.min(axis=0)), dtype=np.float64)


def _with_shared_bounds(path: list[PathSolution], Cs: dict[float, float]) -> list[PathSolution]:
    """Return the solutions by budget; only those of the same C share their lower bounds."""
    paths = [
        share_lower_bounds([solution for solution in path if Cs[solution.budget] == C])
        for C in dict.fromkeys(Cs.values())
    ]
    return sorted(chain(*paths), key=lambda solution: solution.budget)


def _prior(problem: SVMProblem, target: Target, shift: float) -> Floats:
    """Return the answer without a purchase: the best intercept, or the class frequencies."""
    if not target.is_number:
        frequencies = class_frequencies(problem.targets, problem.weights)
        return prior_scores(frequencies, target.scale)
    z = problem.scores(problem.zeros())
    return problem.best_intercepts(z, np.zeros(problem.n_outputs), 1e-6) + shift
