"""Gradient boosting within a budget: regression by stumps, chosen with an eye on their price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...costs.costs import Costs
from ...data.folds import Splits, splits_of, spread_folds
from ...data.target import Target
from ...data.training_rows import TrainingRows, numeric_target, read_rows, seed_from
from ...data.validation import check_choice
from ...kernels import n_threads
from ...kernels.residuals import first_residuals, power_of_two
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
from .rules import PricedRule

LOSSES = ("squared", "absolute")
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
    costs, budget, unaffordable, max_bins, tau, switch, n_jobs, random_state, combine, max_seconds,
    verbose
        As in `BudgetedBoostingClassifier`.
    rule : {"smoothed", "greedy", "edge", "speedboost", "hybrid"}
        As in `BudgetedBoostingClassifier`, where :math:`1-g^2` is what is left of the loss:
        ``greedy`` maximises :math:`-\ln(1-g^2)/c`, ``smoothed`` the same over
        :math:`\tau s+c`, ``edge`` maximises g, ``speedboost`` :math:`g^2/c`, the fall of the
        loss per price; ``hybrid`` begins greedy and goes on smoothed.
    loss : {"squared", "absolute"}
        ``absolute`` fits stumps to the signs of the residuals and puts medians in leaves.
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
        check_categories(rows.columns)
        residual = _residual_rows(rows.of_positive_weight(), self.loss)
        runs = self._fit_runs(residual, rows.columns)
        learnable = residual.residuals.any() and not current_limit().was_hit
        if not len(self.explained_) and learnable:
            warn_if_nothing_is_bought(runs[-1])
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
                lambda columns, roots: rule.quality(columns, _as_edges(roots)), rule.allowed
            )
            if stump is None:
                break
            rule.observe(stump.column, float(_as_edges(np.array([stump.edge]))[0]))
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
        rate = self.learning_rate
        if not (isinstance(rate, int | float | np.number) and 0 < rate <= 1):
            raise ValueError(f"learning_rate is {rate!r}; expected a number > 0 and <= 1.")


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


def _as_edges(roots: Floats) -> Floats:
    """Return the edges that a classifier's rules expect, from the roots of the shares explained.

    Those rules speak of sqrt(1 - edge^2), the part of the loss that is left. Here that is
    1 - share.
    """
    shares = np.minimum(roots, 1.0) ** 2
    edges: Floats = np.sqrt(shares * (2.0 - shares))  # 1 - (1 - share)^2, without cancellation
    return edges
