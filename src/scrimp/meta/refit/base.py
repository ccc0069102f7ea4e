"""What RefitClassifier and RefitRegressor share: the order, its prefixes, and their plan."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...costs.costs import Costs
from ...costs.shopper import warn_of_prior
from ...data.columns import as_frame
from ...data.encoding import Encoding
from ...data.target import Target
from ...data.training_rows import TrainingRows, seed_from, seeded
from ...data.validation import check_budget, check_choice
from ...learners.base import BudgetedEstimator
from ...learners.purchase_order import check_order, ends_of, learn_order, refit_costs
from ...plans import ModelSequence, PrefixPlan
from ...plans.contract import StageTable
from ...plans.from_sklearn import array_model
from ...plans.priced_plan import PricedPlan
from ...runtime.events import Progress, emit
from ...runtime.time_limit import time_share
from ...types import Floats
from .encode import ENCODINGS, encoder_for, native_columns
from .grid import check_grid, chosen_prefixes
from .held_out import worthwhile_prefixes
from .missing import takes_missing
from .prefix_models import Outcome, fit_each, weights_for, without_needless_weights

#: The part of the time that learning the order may take; the rest is for the prefixes.
ORDER_SHARE = 1 / 3


@dataclass(frozen=True, eq=False)
class _Prefix:
    """The items bought up to a model, what they cost, and how their columns are prepared.

    `fill` says whether missing values are filled; if not, the estimator takes them.
    """

    items: tuple[int, ...]
    price: float
    encoding: Encoding
    fill: bool

    def __str__(self) -> str:
        return f"the first {len(self.items)} items (price {self.price:g})"


class RefitBase(BudgetedEstimator):
    """Shared by RefitClassifier and RefitRegressor."""

    _takes_missing = True  # they are filled where the estimator does not take them

    def __init__(
        self,
        estimator: Any = None,
        order: Any = None,
        costs: Any = None,
        budget: float | None = None,
        grid: Any = "auto",
        encode: str = "auto",
        n_jobs: int | None = None,
        memory: Any = None,
        random_state: Any = None,
        max_seconds: float | None = None,
        verbose: int | None = None,
        validate: bool | None = None,
    ) -> None:
        self.estimator = estimator
        self.order = order
        self.costs = costs
        self.budget = budget
        self.grid = grid
        self.encode = encode
        self.n_jobs = n_jobs
        self.memory = memory
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.verbose = verbose
        self.validate = validate

    def _estimator_or_default(self) -> Any:
        """Return the estimator to be refitted."""
        raise NotImplementedError

    def _check_params(self) -> None:
        check_budget(self.budget)
        check_grid(self.grid)
        check_order(self.order)
        check_choice("encode", self.encode, ENCODINGS)

    def _learn(self, X: Any, rows: TrainingRows, prior: Floats, target: Target) -> None:
        """Find the order, fit the models, become their plan."""
        columns = rows.columns
        costs = refit_costs(self.costs, self.order, columns)
        seed = seed_from(self.random_state)
        estimator = seeded(self._estimator_or_default(), seed)
        X = rows.table if as_frame(X) is None else rows.of_given(X)
        rows = without_needless_weights(rows.without_equal_weights(), estimator)
        weights_for(estimator, rows.weights)
        budget = float(check_budget(self.budget))
        with time_share(ORDER_SHARE):
            groups = learn_order(self.order, X, rows, costs, budget, seed, target.is_number)
        sequence = [item for group in groups for item in group]
        fill = not takes_missing(estimator, rows, self.encode)
        native = native_columns(estimator, columns, self.encode)
        encoding = encoder_for(self.encode, fill).fit(rows.table, columns, native)
        prefixes = _prefixes(groups, costs, self.grid, encoding, fill)
        prefixes = self._worthwhile(prefixes, estimator, rows, prior, seed)
        done: dict[int, Outcome] = {}

        def adopt() -> None:
            kept = [k for k in sorted(done) if done[k].estimator is not None]
            self.columns_, self.target_ = columns, target
            self._become([prefixes[k] for k in kept], [done[k] for k in kept], prior, costs)
            last = len(prefixes[kept[-1]].items) if kept else 0
            self.sequence_ = [costs.names[item] for item in sequence[:last]]

        try:
            self._fit_prefixes(estimator, rows, prefixes, done)
        except KeyboardInterrupt:
            if any(outcome.estimator is not None for outcome in done.values()):
                adopt()
            raise
        _report(prefixes, done)
        adopt()
        if not prefixes:
            warn_of_prior(costs, budget, otherwise="Budget and grid leave no prefix of the order")

    def _worthwhile(
        self, prefixes: list[_Prefix], estimator: Any, rows: TrainingRows, prior: Floats, seed: int
    ) -> list[_Prefix]:
        """Return the prefixes that deserve a model, by rows held out, or all of them."""
        is_auto = isinstance(self.grid, str)
        if not prefixes or not (is_auto if self.validate is None else self.validate):
            return prefixes
        encodings = [prefix.encoding for prefix in prefixes]
        fits = (self.n_jobs, self.memory)
        kept = worthwhile_prefixes(estimator, rows, encodings, prior, seed, *fits)
        return [prefixes[k] for k in kept]

    def _fit_prefixes(
        self, estimator: Any, rows: TrainingRows, prefixes: list[_Prefix], done: dict[int, Outcome]
    ) -> None:
        encodings = [prefix.encoding for prefix in prefixes]
        for outcome in fit_each(estimator, rows, encodings, self.n_jobs, self.memory):
            done[outcome.number] = outcome
            note = str(prefixes[outcome.number])
            emit(Progress("refit", len(done), len(prefixes), note))

    def _become(
        self, prefixes: list[_Prefix], done: list[Outcome], prior: Floats, costs: Costs
    ) -> None:
        self.models_ = [outcome.estimator for outcome in done]
        self.prefix_lengths_ = np.array([len(p.items) for p in prefixes], dtype=np.int64)
        models = [
            array_model(model, preparation=prefix.encoding.preparation, missing=not prefix.fill)
            for model, prefix in zip(self.models_, prefixes, strict=True)
        ]
        ends = [0, *self.prefix_lengths_.tolist()]
        items = prefixes[-1].items if prefixes else ()
        stages = StageTable(tuple(items[start:end] for start, end in pairwise(ends)))
        self.plan_ = PricedPlan(PrefixPlan(stages, ModelSequence(models, prior)), costs)
        self._price_prefixes()

    def _price_prefixes(self) -> None:
        priced = self.plan_
        items = [item for stage in priced.plan.stages.items for item in stage]
        prices = [priced.costs.price_of(items[:end]) for end in self.prefix_lengths_.tolist()]
        self.prefix_prices_ = np.array(prices, dtype=np.float64)

    def _replan(self, costs: Costs) -> None:
        """Follow new prices, and price the prefixes again."""
        super()._replan(costs)
        self._price_prefixes()


def _prefixes(
    groups: list[list[int]], costs: Costs, grid: Any, encoding: Encoding, fill: bool
) -> list[_Prefix]:
    """Return the prefix of each model: its items, price and encoding."""
    sequence = [item for group in groups for item in group]
    ends = ends_of(groups)
    prices = [costs.price_of(sequence[:end]) for end in ends]
    prefixes = []
    for k in chosen_prefixes(grid, ends, prices):
        items = tuple(sequence[: ends[k]])
        columns = np.array([c for item in items for c in costs.columns[item]], dtype=np.int64)
        prefixes.append(_Prefix(items, prices[k], encoding.of(columns), fill))
    return prefixes


def _report(prefixes: list[_Prefix], done: dict[int, Outcome]) -> None:
    """Name the fits that failed; an error if all did."""
    failed = [k for k in sorted(done) if done[k].estimator is None]
    causes = [f"{prefixes[k]}: {done[k].error}" for k in failed]
    if failed and len(failed) == len(prefixes):
        raise ValueError(
            f"The estimator could not be fitted on any of {len(failed)} prefixes:\n  "
            + "\n  ".join(causes)
        )
    for cause in causes:
        warnings.warn(
            f"The estimator could not be fitted on {cause}. There is no model for this prefix.",
            UserWarning,
            stacklevel=6,
        )
