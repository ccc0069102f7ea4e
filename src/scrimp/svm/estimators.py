"""BudgetedSVC and BudgetedSVR: the best linear machine whose columns a budget pays for."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ..columns import Columns
from ..costs import Costs, as_costs
from ..estimator import BudgetedClassifier, BudgetedEstimator, BudgetedRegressor, kept_positions
from ..events import Progress, emit
from ..ledger import within
from ..numeric_rows import (
    check_missing,
    columns_not_finite,
    fill_values,
    filled,
    not_finite,
    read_rows,
    without_weightless,
)
from ..plan import Floats, Ints, Plan, StageTable
from ..plans import MenuPlan, RefitPlan
from ..plans.models import LinearModel, Preparation
from ..priced_plan import PricedPlan
from ..target import Target
from ..validation import check_budgets, check_choice, check_several
from .groups import Groups
from .machine import LOSSES, Machine, without_constants
from .path import Solved, solve_path
from .selection import as_list, choose, cross_validated
from .unscaled import warn_if_unscaled

#: Cells of a table up to which one thread is best.
_FEW_CELLS = 2_000_000
CLASS_LOSSES = ("squared_hinge", "hinge")
NUMBER_LOSSES = ("squared_epsilon_insensitive", "epsilon_insensitive")


class _BudgetedSVM(BudgetedEstimator):
    """What both share."""

    costs: Any
    budget: Any
    C: Any
    loss: str
    uniform: bool
    missing: Any
    cv: Any
    tol: float
    max_iter: int

    def _check_params(self) -> None:
        several = np.atleast_1d(np.asarray(self.C, dtype=object))
        if several.ndim > 1 or not several.size or not all(_is_positive(C) for C in several):
            raise ValueError(f"C is {self.C!r}; expected a finite number > 0, or a list of them.")
        if not _is_positive(self.tol):
            raise ValueError(f"tol is {self.tol!r}; expected a number > 0.")
        whole = isinstance(self.max_iter, int | np.integer) and not isinstance(self.max_iter, bool)
        if not whole or self.max_iter < 1:
            raise ValueError(f"max_iter is {self.max_iter!r}; expected a whole number >= 1.")
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
        warn_if_unscaled(table, columns)
        X = table.tocsc() if sparse.issparse(table) else table
        groups = Groups(costs, bool(self.uniform))
        # numbers far from 0 would be rounded; the intercept is free
        middle = float(np.median(targets)) if isinstance(self, BudgetedRegressor) else 0.0
        machine = Machine(
            X.astype(np.float64, copy=False), targets - middle, weights, groups.of_columns,
            len(groups.items), LOSSES[self.loss], epsilon,
        )  # fmt: skip
        budgets = self._budgets(costs)
        _warn_if_nothing_fits(groups, budgets)
        found: list[Solved] = []
        # small products are slower in several threads
        with threadpool_limits(1 if machine.n_cells <= _FEW_CELLS else None, "blas"):
            chosen = dict(zip(budgets, self._chosen(machine, groups, budgets, splits), strict=True))
            try:
                self._solve(machine, groups, chosen, found)
            finally:
                if found:  # also if interrupted
                    self.columns_, self.target_ = columns, target
                    self._become(found, chosen, machine, costs, fill, middle)
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
        is_number = isinstance(self, BudgetedRegressor)
        self.cv_errors_ = cross_validated(
            machine, groups, budgets, Cs, splits, self.tol, self.max_iter, is_number
        )
        return choose(self.cv_errors_, Cs)

    def _solve(
        self, machine: Machine, groups: Groups, chosen: dict[float, float], found: list[Solved]
    ) -> None:
        """Each C for its own budgets, from small to large."""
        for C in dict.fromkeys(chosen.values()):
            own = [budget for budget, other in chosen.items() if other == C]
            scaled = machine.with_weights(C * machine.weights)
            for solved in solve_path(scaled, groups, own, self.tol, self.max_iter):
                found.append(solved)
                note = f"budget {solved.budget:g}, gap {solved.relaxed.gap:.1g}"
                emit(Progress("fit", len(found), len(chosen), note))

    def _become(
        self, found: list[Solved], chosen: dict[float, float], machine: Machine, costs: Costs,
        fill: Floats | None, middle: float,
    ) -> None:  # fmt: skip
        found.sort(key=lambda solved: solved.budget)
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
        self.n_iter_ = int(self.n_steps_.max(initial=1))
        last = found[-1].trained
        self.coef_ = machine.zeros()
        self.coef_[:, last.columns] = last.point.w
        self.intercept_ = last.point.b + middle
        self.plan_ = PricedPlan(_menu(found, machine, fill, middle), costs)
        self._price_entries()

    def _price_entries(self) -> None:
        plan, costs = self.plan_.plan, self.plan_.costs
        entries = plan.entries if isinstance(plan, MenuPlan) else [plan]
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
            named = ", ".join(f"{self.gap_[b]:.2g} at {self.budgets_[b]:g}" for b in wide[:5])
            more = f" and {len(wide) - 5} more" if len(wide) > 5 else ""
            warnings.warn(
                f"The relaxation was not solved to a relative gap of tol={self.tol:g} within "
                f"max_iter={self.max_iter} steps: {named}{more} (gap_ at budgets_). What is "
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


class BudgetedSVC(BudgetedClassifier, _BudgetedSVM):
    r"""A linear support vector machine on the groups of columns that a budget pays for.

    Which groups are bought is found by a convex relaxation that buys them in part (LTB): over
    coefficients, an intercept that is not penalised, and shares :math:`0\le d_m\le 1` with
    :math:`c^\top d\le B`,

    .. math:: \min\ \tfrac12\sum_m \|w_m\|^2/d_m
        + C\sum_i\max(0, 1-y_i(w^\top x_i+b))^2.

    The shares are then rounded to a set of groups whose true price is within the budget, and
    the machine is trained anew on that set. `bound_` certifies how far it can be from the best.
    Several classes are each set against the rest, on one common set of columns.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price a column, prices by column name, or 1 for each column.
    budget : float, list of float or None
        The most that a prediction may spend. Several budgets make a menu of models, each found
        from the one before; a prediction takes the best that its budget pays for. None buys all.
    C : float or list of float
        What errors count, against the norm. Of several the best for each budget is taken, by
        cross-validation along the path of budgets.
    loss : {"squared_hinge", "hinge"}
        Of a row on the wrong side of its margin.
    uniform : bool
        Whether groups count as equally dear while it is learnt what to buy (the paper's
        LTB-unif, for comparison). They are paid for in full, and within the budget, either way.
    class_weight : dict, "balanced" or None
        Weights of the classes, as in scikit-learn.
    missing : {"error", "mean"} or float
        What a missing value counts as.
    cv : int, splitter or iterable
        Folds that C is chosen by.
    tol : float
        The relaxation is solved to this relative gap.
    max_iter : int
        Steps, at most. Where they are not enough there is a warning, and `gap_` tells.

    Attributes
    ----------
    budgets_ : float array (budgets,)
        Ascending, none above the price of everything. The attributes below have one entry each.
    prices_ : float array (budgets,)
        What each model costs; never more than its budget.
    items_ : list of lists of str
        What each model buys.
    gap_ : float array (budgets,)
        The relative gap between the relaxation's objective and its proven bound.
    bound_ : float array (budgets,)
        How far each model's objective is above the least that any set within the budget could
        have, at most, as a part of it.
    objective_, relaxed_objective_, least_objective_ : float arrays (budgets,)
        Of the model, of the relaxation, and what is proven to be the least.
    C_ : float array (budgets,)
        As chosen.
    cv_errors_ : float array (Cs, budgets)
        Mistakes in cross-validation, where several C were given.
    shares_ : float array (budgets, groups)
        Of the relaxation; groups are the items that bring columns, in the order of the prices.
    share_counts_ : int array (budgets, 3)
        How many shares are 0, between, and 1.
    history_ : list of float arrays (looks, 2)
        Objectives, which fall, and bounds, which rise.
    n_steps_, n_trainings_ : int arrays (budgets,)
        Steps of the relaxation, and machines trained to round it.
    coef_, intercept_ : float arrays (outputs, columns), (outputs,)
        Of the model of the largest budget; 0 where a column is not bought.
    plan_ : PricedPlan
        What is bought.

    References
    ----------
    Wang, Zhu, Chi. Efficient Test-Time Predictor Learning with Group-Based Budget. AAAI 2018.

    Examples
    --------
    >>> from scrimp import BudgetedSVC
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BudgetedSVC(budget=[2, 5], C=0.01).fit(scale(X), y)
    >>> model.prices_.tolist()
    [2.0, 5.0]
    >>> bool((model.bound_ < 0.2).all())
    True
    """

    def __init__(
        self,
        costs: Any = None,
        budget: Any = None,
        C: Any = 1.0,
        *,
        loss: str = "squared_hinge",
        uniform: bool = False,
        class_weight: Any = None,
        missing: Any = "error",
        cv: Any = 5,
        tol: float = 1e-3,
        max_iter: int = 10_000,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.C = C
        self.loss = loss
        self.uniform = uniform
        self.class_weight = class_weight
        self.missing = missing
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy for each budget.

        Parameters
        ----------
        X : array, sparse matrix or data frame (rows, columns)
            Numbers.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            Weights of the rows.
        """
        self._check_params()
        check_choice("loss", self.loss, CLASS_LOSSES)
        table, y, weight, columns = read_rows(self, X, y, sample_weight, anew=True)
        check_classification_targets(y)
        splits = self._splits(y, weight)
        table, y, weight = without_weightless(table, y, weight)
        classes, codes = np.unique(y, return_inverse=True)
        check_several(classes)
        weight = np.ones(len(y)) if weight is None else weight
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        if not (np.isfinite(weight) & (weight > 0)).all():
            raise ValueError(f"class_weight is {self.class_weight!r}; expected numbers > 0.")
        binary = len(classes) == 2
        positive = np.arange(1, 2) if binary else np.arange(len(classes))
        target = Target("binary" if binary else "multiclass", classes)
        targets = np.where(codes == positive[:, None], 1.0, -1.0)
        self._learn(table, columns, target, targets, weight, splits, 0.0)
        return self


class BudgetedSVR(BudgetedRegressor, _BudgetedSVM):
    """A linear support vector regression on the groups of columns that a budget pays for.

    As `BudgetedSVC`, for numbers.

    Parameters
    ----------
    costs, budget, C, uniform, missing, cv, tol, max_iter
        As in `BudgetedSVC`.
    loss : {"squared_epsilon_insensitive", "epsilon_insensitive"}
        Of an error beyond epsilon.
    epsilon : float
        Errors up to it cost nothing.

    Attributes
    ----------
    budgets_, prices_, items_, gap_, bound_, objective_, relaxed_objective_, least_objective_
        As in `BudgetedSVC`, and so are all others.

    References
    ----------
    Wang, Zhu, Chi. Efficient Test-Time Predictor Learning with Group-Based Budget. AAAI 2018.

    Examples
    --------
    >>> from scrimp import BudgetedSVR
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BudgetedSVR(budget=3).fit(scale(X), y)
    >>> model.items_
    [['x2', 'x3', 'x8']]
    """

    def __init__(
        self,
        costs: Any = None,
        budget: Any = None,
        C: Any = 1.0,
        *,
        loss: str = "squared_epsilon_insensitive",
        epsilon: float = 0.0,
        uniform: bool = False,
        missing: Any = "error",
        cv: Any = 5,
        tol: float = 1e-3,
        max_iter: int = 10_000,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.C = C
        self.loss = loss
        self.epsilon = epsilon
        self.uniform = uniform
        self.missing = missing
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy for each budget.

        Parameters
        ----------
        X : array, sparse matrix or data frame (rows, columns)
            Numbers.
        y : array (rows,)
            Numbers.
        sample_weight : array (rows,), optional
            Weights of the rows.
        """
        self._check_params()
        check_choice("loss", self.loss, NUMBER_LOSSES)
        if not (_is_number(self.epsilon) and self.epsilon >= 0):
            raise ValueError(f"epsilon is {self.epsilon!r}; expected a finite number >= 0.")
        table, y, weight, columns = read_rows(self, X, y, sample_weight, anew=True, y_numeric=True)
        splits = self._splits(y, weight)
        table, y, weight = without_weightless(table, y, weight)
        weight = np.ones(len(y)) if weight is None else weight
        target = Target("regression", np.array([]))
        y = np.asarray(y, dtype=np.float64)
        self._learn(table, columns, target, y[None], weight, splits, float(self.epsilon))
        return self


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return number and math.isfinite(value)


def _is_positive(value: Any) -> bool:
    return _is_number(value) and bool(value > 0)


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
    found: Sequence[Solved], machine: Machine, fill: Floats | None, middle: float
) -> Plan[Any]:
    """One entry a budget, the largest last; to what is answered the middle is added."""
    nothing = machine.sums(machine.zeros())
    prior = machine.intercepts(nothing, np.zeros(machine.n_outputs), 1e-6) + middle
    entries = []
    for solved in found:
        trained = solved.trained
        if not len(trained.columns):
            entries.append(RefitPlan(StageTable(()), [], trained.point.b + middle))
            continue
        preparation = _preparation(trained.columns, fill)
        model = LinearModel(preparation, trained.point.w.T, trained.point.b + middle, "identity")
        entries.append(RefitPlan.single(trained.items, model, prior))
    return entries[0] if len(entries) == 1 else MenuPlan(entries)


def _preparation(columns: Ints, fill: Floats | None) -> Preparation:
    plain = Preparation.plain(columns)
    if fill is None:
        return plain
    return Preparation(plain.source, plain.code, fill[columns], plain.center, plain.scale)
