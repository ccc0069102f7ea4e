"""Gradient boosting within a budget: regression by stumps, chosen with an eye on their price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...costs.costs import Costs
from ...data.folds import Splits, splits_of, spread_folds
from ...data.target import Target
from ...data.training_rows import TrainingRows, numeric_target, read_rows, seed_from
from ...data.validation import check_choice
from ...kernels.residuals import first_residuals, power_of_two
from ...kernels.threads import n_threads
from ...plans.priced_plan import PricedPlan
from ...runtime.events import Progress, emit
from ...runtime.time_limit import current_limit, is_time_over
from ...types import Flags, Floats, Ints
from ..base import BudgetedRegressor
from .booster import (
    Booster,
    Coding,
    Run,
    additive_plan,
    as_number,
    check_categories,
    warn_if_nothing_is_bought,
)
from .outcomes import Numbers
from .residual_search import ResidualSearch
from .rules import PricedRule, edges_of_shares
from .tree_fit import fit_trees, grows_trees, warn_of_tree_params
from .tree_loss import TreeLoss

#: The losses of stumps, and those of trees.
STUMP_LOSSES = ("squared", "absolute")
LOSSES = (*STUMP_LOSSES, "poisson", "quantile")
#: Times the median absolute residual from which a residual counts as an outlier.
_OUTLIER = 4.0


class BudgetedBoostingRegressor(BudgetedRegressor, Booster):
    r"""Gradient boosting on stumps that pays for the columns it reads, within a budget.

    It starts from the mean (or median) of y. In round t it fits a stump of each column to
    the negative gradient of the loss by least squares, takes the best by `rule`, pays for
    what it needs and does not own yet, and adds its leaf values times the learning rate.
    With :math:`g_t^2` the share of the gradient's sum of squares that the stump explains, a
    full step multiplies the squared loss by :math:`1-g_t^2`; ``greedy`` makes its logarithm
    fall fastest per price. A round costs O(rows x columns).

    Parameters
    ----------
    costs, budget, unaffordable, max_bins, tau, switch, n_jobs, random_state, combine, max_depth,
    min_samples_leaf, l2_regularization, subsample, colsample, monotonic_cst, early_stopping,
    validation_fraction, n_iter_no_change, penalty, max_seconds, verbose
        As in `BudgetedBoostingClassifier`.
    rule : {"smoothed", "greedy", "edge", "speedboost", "hybrid", "penalty"}
        As in `BudgetedBoostingClassifier`, where :math:`1-g^2` is what is left of the loss:
        ``greedy`` maximises :math:`-\ln(1-g^2)/c`, ``smoothed`` the same over
        :math:`\tau s+c`, ``edge`` maximises g, ``speedboost`` :math:`g^2/c`, the fall of the
        loss per price; ``hybrid`` begins greedy and goes on smoothed.
    loss : {"squared", "absolute", "poisson", "quantile"}
        ``absolute`` fits stumps or trees to the signs of the residuals and puts medians in
        leaves, ``quantile`` quantiles. ``poisson`` predicts counts, with a logarithm as the link.
    quantile : float
        The level of the loss ``quantile``, between 0 and 1.
    n_rounds : int
        The most rounds.
    learning_rate : float
        The part of a step that is taken, above 0 and at most 1.

    Attributes
    ----------
    plan_ : PricedPlan
        What is bought, in order; ``plan_.summary()`` lists it.
    explained_ : float array (rounds,)
        :math:`g_t^2` of the rounds of the last training.

    Notes
    -----
    Missing values are a leaf of their own, which votes 0 where training had none. Training
    ends when no stump explains more than 1e-12 of the sum of squares. With the absolute loss
    a stump whose medians move no row is passed over.

    References
    ----------
    Friedman. Greedy Function Approximation: A Gradient Boosting Machine. Annals of
    Statistics, 2001. Grubb, Bagnell. SpeedBoost. AISTATS 2012, for the choice per price.

    Examples
    --------
    >>> import numpy as np
    >>> from scrimp import BudgetedBoostingRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = 3.0 * X[:, 0] + X[:, 1] ** 2 + X[:, 2]
    >>> model = BudgetedBoostingRegressor([5.0, 1.0, 1.0], budget=6.0).fit(X, y)
    >>> float(model.spend(X, budget=4.0).max()) <= 4.0
    True
    >>> round(model.score(X, y), 2)
    0.94
    """

    def __init__(
        self,
        costs: Any = None,
        budget: Any = None,
        rule: str = "smoothed",
        loss: str = "squared",
        n_rounds: int = 500,
        learning_rate: float = 0.1,
        unaffordable: str = "skip",
        max_bins: int = 255,
        tau: float = 1.0,
        switch: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = None,
        combine: str = "stacked",
        max_depth: int = 1,
        min_samples_leaf: float = 20,
        l2_regularization: float = 0.0,
        subsample: float = 1.0,
        colsample: float = 1.0,
        monotonic_cst: Any = None,
        early_stopping: bool = True,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        penalty: float = 0.0,
        quantile: float = 0.5,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.rule = rule
        self.loss = loss
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.unaffordable = unaffordable
        self.max_bins = max_bins
        self.tau = tau
        self.switch = switch
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.combine = combine
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.subsample = subsample
        self.colsample = colsample
        self.monotonic_cst = monotonic_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.penalty = penalty
        self.quantile = quantile
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy and in which order; an interrupted fit keeps the rounds done.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, with NaN for missing; a frame may hold categories too.
        y : array (rows,)
            Numbers.
        sample_weight : array (rows,), optional
            A weight of 0 leaves the row out.
        """
        self._check_params()
        rows = read_rows(self, X, y, sample_weight)
        if grows_trees(self, STUMP_LOSSES):
            return self._fit_trees(rows.of_positive_weight())
        warn_of_tree_params(self)
        check_categories(rows.columns)
        residual = _residual_rows(rows.of_positive_weight(), self.loss)
        runs = self._fit_runs(residual, rows.columns)
        learnable = residual.residuals.any() and not current_limit().was_hit
        if not len(self.explained_) and learnable:
            warn_if_nothing_is_bought(runs[-1])
        return self

    def _fit_trees(self, rows: TrainingRows) -> Self:
        y = numeric_target(rows.y, "BudgetedBoostingClassifier")
        if self.loss == "poisson" and (y < 0).any():
            raise ValueError(
                f"loss is 'poisson', and y holds {y.min():g}; expected counts >= 0. Use 'squared'."
            )
        weights = np.ones(1) if rows.weights is None else rows.weights / rows.weights.mean()
        loss = TreeLoss(self.loss, y, weights, level=self.quantile)
        target = Target("counts" if self.loss == "poisson" else "regression", np.array([]))
        fit_trees(self, rows, loss, self._budgets(), target)
        return self

    def _adopt(
        self, runs: list[Run], rows: _Rows, costs: Costs, stacked: PricedPlan | None = None
    ) -> None:
        self.plan_ = stacked or additive_plan(
            runs, costs, rows.start, self.unaffordable, base=rows.start
        )
        self.explained_ = np.array([stump.edge for stump, _ in runs[-1].rounds]) ** 2
        self.target_ = Target("regression", np.array([]))

    def _open_search(self, rows: _Rows) -> ResidualSearch:
        return ResidualSearch(
            rows.table,
            rows.residuals,
            rows.weights,
            categorical=rows.categorical,
            absolute=self.loss == "absolute",
            floor=rows.floor,
            max_bins=self.max_bins,
            random_state=seed_from(self.random_state),
            n_threads=n_threads(self.n_jobs),
        )

    def _boost(self, search: ResidualSearch, rule: PricedRule, run: Run, rows: _Rows) -> None:
        for t in range(run.n_rounds):
            if is_time_over():
                run.n_rounds = t
                break
            stump = search.best(
                lambda columns, roots: rule.quality(columns, edges_of_shares(roots**2)),
                rule.allowed,
            )
            if stump is None:
                break
            rule.observe(stump.column, float(edges_of_shares(np.array([stump.edge**2]))[0]))
            if not rule.buy(stump.column):
                if self.unaffordable == "stop":
                    break
                continue
            run.rounds.append((stump, self.learning_rate * rows.unit))
            emit(Progress(run.label, t + 1, self.n_rounds, f"spent {run.shopper.spent:g}"))
            search.update(stump, self.learning_rate)

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("loss", self.loss, LOSSES)
        if not (isinstance(self.quantile, Real) and 0 < self.quantile < 1):
            raise ValueError(f"quantile is {self.quantile!r}; expected a number > 0 and < 1.")


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of positive weight, with their residuals from the start, in some unit."""

    table: NDArray[Any]
    categorical: Flags
    weights: Floats | None
    residuals: Floats
    start: float
    unit: float
    floor: float
    absolute: bool

    def taken(self, index: Ints) -> _Rows:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[index]
        return replace(
            self, table=self.table[index], weights=weights, residuals=self.residuals[index]
        )

    def folds(self, n: int) -> Splits:
        """Return folds, fewer where there are fewer rows."""
        n = min(n, len(self.residuals))
        rng = np.random.default_rng(0)
        return splits_of(spread_folds(self.residuals, n, rng, False), n) if n > 1 else []

    def coding(self) -> tuple[Coding, float]:
        """Return how votes become numbers: as they are."""
        return as_number, 1.0

    def outcome(self) -> Numbers:
        """Return the residuals, for stacking; for the absolute loss without outliers."""
        weights = np.ones(len(self.residuals)) if self.weights is None else self.weights
        residuals = self.unit * self.residuals
        if self.absolute:
            most = _OUTLIER * float(np.median(np.abs(residuals)))
            residuals = np.clip(residuals, -most, most)
        return Numbers(residuals, weights / weights.mean(), self.start)


def _residual_rows(rows: TrainingRows, loss: str) -> _Rows:
    y = numeric_target(rows.y, "BudgetedBoostingClassifier")
    weights = rows.weights
    if weights is not None:
        equal = (weights == weights[0]).all()
        weights = None if equal else weights / power_of_two(weights)
    residuals = first_residuals(y, weights, loss == "absolute")
    return _Rows(rows.table, rows.columns.is_categorical(), weights, *residuals, loss == "absolute")
