"""RefitClassifier and RefitRegressor: the model you trust, on a budget."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ...costs.costs import Costs
from ...costs.shopper import warn_of_prior
from ...data.columns import as_frame
from ...data.encoding import Encoding
from ...data.target import Target
from ...data.training_rows import TrainingRows, numeric_target, read_rows, seed_from
from ...data.validation import check_budget, check_choice
from ...learners.base import BudgetedClassifier, BudgetedEstimator, BudgetedRegressor
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
from .prefix_models import Outcome, fit_each, seeded, weights_for, without_needless_weights
from .purchase_order import check_order, ends_of, learn_order, refit_costs

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


class _Refit(BudgetedEstimator):
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


class RefitClassifier(BudgetedClassifier, _Refit):
    """Any classifier on a budget: columns bought in one order, a refit for each prefix of it.

    The order is that in which another model buys. After each purchase the answer is that of
    a clone of your estimator, fitted on just the columns bought so far; without a purchase it
    is the class frequencies. Where a whole order is bought without a limit, the last model is
    your own estimator on all columns.

    Fitting costs as much as the order and about 64 fits of the estimator, 32 on large tables; 16
    without `validate`.

    Parameters
    ----------
    estimator : classifier, optional
        What is refitted: any classifier of scikit-learn's kind. None is
        `HistGradientBoostingClassifier`.
    order : str, list, estimator or None
        In which order items are bought. A rule of `BudgetedBoostingClassifier`
        (``"smoothed"``, which None is, ``"greedy"``, ``"edge"``, ``"speedboost"``,
        ``"hybrid"``) or ``"linear"`` (`SequencedClassifier`): what the rule does not want
        comes last, the cheapest first. A list of items by name or number, or an estimator of
        scrimp, fitted or not: just their items. What costs nothing more is always taken at once.
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price per column or prices by column name. None takes those of
        `order` if it has any, else 1 for each column.
    budget : float or None
        The most that a prediction may spend; None is no limit.
    grid : {"auto"}, int or list
        Which prefixes get a model. ``auto``: each of up to 16 purchases; of more the first
        ones, then ever fewer, and the last. A number: so many. A list of whole numbers: after
        so many items; a list of floats: what each of these budgets pays for. Nothing is
        bought that no model reads.
    encode : {"auto", "standard", "ordinal"}
        How columns become numbers. ``auto``: a category becomes flags (of a
        `HistGradientBoostingClassifier` it is a category), and missing values become the median
        where the estimator does not take them. ``standard`` also brings numbers to mean 0 and
        variance 1. ``ordinal`` takes categories by their number, in the order of their names.
    n_jobs : int, optional
        Fits at a time; None is one.
    memory : str or joblib.Memory, optional
        Where fits are cached, so that the same fit is not done twice.
    random_state : int, RandomState or None
        For the order, and for the estimator where its own is None.
    error_cost, class_weight
        As in `BudgetedBoostingClassifier`; class weights need an estimator that takes
        `sample_weight`.
    max_seconds : float or None
        About how long the training may take, a third of it for the order at most: the prefixes
        fitted by then are the model. None is no limit.
    verbose : int or None
        As in `BudgetedBoostingClassifier`.
    validate : bool or None
        Whether each prefix is tested on rows held out, in three folds, or in one of more than
        10,000 rows. A prefix that is not better there than the prior, or worse than a shorter
        prefix by a standard error, has no model, and its items are bought with the next one that
        has; the last prefix is compared with the prior alone. Without it each prefix of the
        grid has its model, however bad; None is without it where a grid is given.

    Attributes
    ----------
    sequence_ : list of str
        The items in the order bought; fees come with what requires them.
    models_ : list
        The fitted estimators, one a prefix, the shortest first.
    prefix_lengths_ : int array
        How many of `sequence_` each of them has.
    prefix_prices_ : float array
        What these cost.
    plan_ : PricedPlan
        What is bought, in order.

    Notes
    -----
    Trees, forests, boosted trees, linear models, support vector machines with a Gaussian
    kernel, and means and pipelines of these become arrays: their predictions are fast and
    they can be saved. Others are asked as they are, and files keep them through skops
    (``pip install 'scrimp[skops]'``).

    A fit that fails is named in a warning and left out, and so is one whose answers for a few
    rows of the training cannot be used. If it is interrupted, the models fitted so far stand,
    and the interruption is raised again.

    Examples
    --------
    >>> from scrimp import RefitClassifier
    >>> from scrimp.datasets import load_heart
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> heart = load_heart()
    >>> forest = RandomForestClassifier(50, min_samples_leaf=5, random_state=0)
    >>> model = RefitClassifier(forest, costs=heart.costs, grid=4).fit(heart.X, heart.y)
    >>> model.sequence_[:3]
    ['cp', 'sex', 'age']
    >>> float(model.spend(heart.X, budget=30.0).max()) <= 30.0
    True
    """

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
        error_cost: Any = None,
        class_weight: Any = None,
        max_seconds: float | None = None,
        verbose: int | None = None,
        validate: bool | None = None,
    ) -> None:
        super().__init__(
            estimator, order, costs, budget, grid, encode, n_jobs, memory, random_state,
            max_seconds, verbose, validate,
        )  # fmt: skip
        self.error_cost = error_cost
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the order, and fit the estimator on each prefix of it.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, with NaN for missing; a frame may hold text and categories too.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            For estimators that take it; others take equal weights only. A weight of 0 leaves
            the row out.
        """
        self._check_params()
        rows = read_rows(self, X, y, sample_weight, classes=True).of_positive_weight()
        classes, labels = rows.labelled()
        shares = np.bincount(labels, rows.without_equal_weights().weights)
        prior = shares / shares.sum()
        self._learn(X, rows, prior, self._class_target(classes, kind="shares"))
        return self

    def _estimator_or_default(self) -> Any:
        if self.estimator is None:
            return HistGradientBoostingClassifier()
        if not is_classifier(self.estimator):
            raise TypeError(
                f"estimator is a {type(self.estimator).__name__}; expected a classifier. "
                "Use RefitRegressor for numbers."
            )
        return self.estimator


class RefitRegressor(BudgetedRegressor, _Refit):
    """Any regressor on a budget: columns bought in one order, a refit for each prefix of it.

    As `RefitClassifier`; without a purchase the answer is the mean.

    Parameters
    ----------
    estimator : regressor, optional
        What is refitted. None is `HistGradientBoostingRegressor`.
    order, costs, budget, grid, encode, n_jobs, memory, random_state, max_seconds, verbose, validate
        As in `RefitClassifier`; ``"linear"`` is `SequencedRegressor`.

    Attributes
    ----------
    sequence_, models_, prefix_lengths_, prefix_prices_, plan_
        As in `RefitClassifier`.

    Examples
    --------
    >>> from scrimp import RefitRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.svm import SVR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RefitRegressor(SVR(C=100.0), encode="standard", random_state=0).fit(X, y)
    >>> round(model.score(X, y, budget=3.0), 2)
    0.48
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the order, and fit the estimator on each prefix of it.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, with NaN for missing; a frame may hold text and categories too.
        y : array (rows,)
            Numbers.
        sample_weight : array (rows,), optional
            For estimators that take it; others take equal weights only. A weight of 0 leaves
            the row out.
        """
        self._check_params()
        rows = read_rows(self, X, y, sample_weight).of_positive_weight()
        rows = replace(rows, y=numeric_target(rows.y, "RefitClassifier")).without_equal_weights()
        prior = np.array([np.average(rows.y, weights=rows.weights)])
        self._learn(X, rows, prior, Target("regression", np.array([])))
        return self

    def _estimator_or_default(self) -> Any:
        if self.estimator is None:
            return HistGradientBoostingRegressor()
        if not is_regressor(self.estimator):
            raise TypeError(
                f"estimator is a {type(self.estimator).__name__}; expected a regressor. "
                "Use RefitClassifier for classes."
            )
        return self.estimator


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
