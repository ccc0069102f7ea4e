"""Small problems for the checks: random data, random prices, random budgets."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ..costs.costs import Costs

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

#: Enough that two columns seldom divide the rows alike, where a tie hangs on their order.
N_ROWS = 100
N_COLUMNS = 5
#: The names of the columns in a model fitted on an array.
COLUMNS = tuple(f"x{column}" for column in range(N_COLUMNS))
#: Models that are kept for the checks that follow.
MAX_FITTED = 64
_fitted: dict[Any, Any] = {}


@dataclass(frozen=True, eq=False)
class Case:
    """One problem that a check is tried on.

    Parameters
    ----------
    X, y : arrays
        Training rows; checks predict on some of them.
    costs : Costs
        Prices of the columns.
    budget : float or None
        The budget of training, for learners that have one.
    budgets : tuple of float
        Budgets to predict at.
    seed : int
        For the data and for the random choices of a check.
    """

    X: NDArray[np.float64] = field(repr=False)  # it follows from the seed
    y: NDArray[Any] = field(repr=False)
    costs: Costs
    budget: float | None
    budgets: tuple[float, ...]
    seed: int

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print a case that fails, for Hypothesis."""
        printer.text(repr(self))

    @property
    def rng(self) -> np.random.Generator:
        """Return a generator that is the same each time."""
        return np.random.default_rng(self.seed)

    def fit(self, estimator: Any, X: Any = None) -> Any:
        """Return a fitted clone of an estimator, on the problem's table or a frame of it.

        Checks are tried on the same problems, so that a model is fitted once and copied.
        """
        if X is not None:
            return self._fit(estimator, X)
        table = (self.X.tobytes(), self.y.tobytes(), self.seed)
        prices = (self.costs, self.budget, self.budgets)
        key = (estimator, repr(estimator.get_params()), *table, *prices)
        if key not in _fitted:
            if len(_fitted) >= MAX_FITTED:
                del _fitted[next(iter(_fitted))]
            _fitted[key] = self._fit(estimator, self.X)
        return deepcopy(_fitted[key])

    def _fit(self, estimator: Any, X: Any) -> Any:
        model = clone(estimator).set_params(costs=self.costs)
        params = model.get_params(deep=False)
        several = [*self.budgets, self.costs.total]
        if params.get("budgets") is not None:
            model.set_params(budgets=several)
        if "budget" in params:
            model.set_params(budget=several if np.ndim(params["budget"]) else self.budget)
        if params.get("random_state", 0) is None:
            model.set_params(random_state=0)
        options = {}
        if has_fit_parameter(model, "sample_weight"):
            # no two columns are then worth exactly the same
            options["sample_weight"] = self.rng.uniform(0.5, 1.5, len(self.y))
        return model.fit(X, self.y, **options)

    def with_prices(self, price: Callable[[float], float]) -> Case:
        """Return the same problem with changed prices and without a training budget."""
        prices = tuple(map(price, self.costs.prices))
        return replace(self, costs=replace(self.costs, prices=prices), budget=None)

    def scaled(self, factor: float) -> Case:
        """Return the same problem in another currency."""
        costs = replace(self.costs, prices=tuple(factor * p for p in self.costs.prices))
        budget = None if self.budget is None else factor * self.budget
        budgets = tuple(factor * b for b in self.budgets)
        return replace(self, costs=costs, budget=budget, budgets=budgets)

    def permuted(self, order: NDArray[np.int64]) -> Case:
        """Return the same problem with its columns in another order."""
        place = {int(old): new for new, old in enumerate(order)}
        columns = tuple(
            tuple(place[c] for c in item_columns) for item_columns in self.costs.columns
        )
        return replace(self, X=self.X[:, order], costs=replace(self.costs, columns=columns))


def items_of(n_columns: int, names: tuple[str, ...] | None = None) -> SearchStrategy[Costs]:
    """Return costs of any shape: single columns, groups, fees and items that require others."""
    from hypothesis import strategies as st

    price = st.one_of(
        st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 7.0, 1e300]),
        st.floats(0.01, 100.0, allow_nan=False),
    )

    @st.composite
    def build(draw: Any) -> Costs:
        groups = list(range(n_columns))
        if draw(st.booleans()):
            groups = draw(st.lists(st.integers(0, 2), min_size=n_columns, max_size=n_columns))
        columns = [tuple(np.flatnonzero(np.equal(groups, g)).tolist()) for g in sorted(set(groups))]
        columns += [()] * draw(st.integers(0, 2))
        columns = draw(st.permutations(columns))
        rank = draw(st.permutations(range(len(columns))))
        requires = []
        for item in range(len(columns)):
            before = [other for other in range(len(columns)) if rank[other] < rank[item]]
            needs = draw(st.sets(st.sampled_from(before), max_size=2)) if before else set()
            requires.append(tuple(sorted(needs)))
        prices = tuple(draw(price) for _ in columns)
        labels = tuple(f"item {i}" for i in range(len(columns)))
        return Costs(labels, prices, tuple(columns), tuple(requires), names)

    return build()


def budgets_for(costs: Costs) -> SearchStrategy[float]:
    """Return budgets at which something changes: the price of a set, and a little less."""
    from hypothesis import strategies as st

    subsets = st.sets(st.integers(0, costs.n_items - 1))
    factor = st.sampled_from([1.0, 1.0, 1.0 - 1e-6, 0.5, 1.5])
    return st.tuples(subsets, factor).map(lambda pair: costs.price_of(pair[0]) * pair[1])


def cases(estimator: Any) -> SearchStrategy[Case]:
    """Return problems of the kind that an estimator learns."""
    from hypothesis import strategies as st

    continuous = bool(is_regressor(estimator))
    tags = get_tags(estimator)
    missing = bool(tags.input_tags.allow_nan)
    positive = bool(tags.target_tags.positive_only)

    @st.composite
    def build(draw: Any) -> Case:
        costs = draw(items_of(N_COLUMNS))
        seed = draw(st.integers(0, 2**16))
        some = st.sets(st.integers(0, costs.n_items - 1), min_size=1)
        budget = draw(st.one_of(st.none(), some.map(costs.price_of)))
        budgets = draw(st.lists(budgets_for(costs), min_size=1, max_size=3))
        X, y = _table(seed, continuous, missing and draw(st.booleans()))
        return Case(X, np.exp(y / 2) if positive else y, costs, budget, tuple(budgets), seed)

    return build()


def _table(seed: int, continuous: bool, missing: bool) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return columns that are more or less informative, and the target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, N_COLUMNS))
    value = X @ rng.permutation([2.0, 1.3, 0.9, 0.5, 0.2]) + rng.normal(scale=0.5, size=N_ROWS)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, value if continuous else (value > np.median(value)).astype(np.int64)
