"""The frontier: for each budget the best of many models, chosen by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets

from ...costs.costs import Costs, as_costs
from ...costs.ledger import within
from ...data.columns import Columns
from ...data.numeric_rows import columns_not_finite, not_finite, read_rows
from ...data.target import Target
from ...data.validation import check_budgets, check_several
from ...kernels import n_threads
from ...learners.base import (
    BudgetedClassifier,
    BudgetedEstimator,
    BudgetedRegressor,
    cheapest_item,
    given_rows_that_count,
    kept_positions,
    numbers_of,
    warn_of_prior,
)
from ...plans import CalibratedPlan, MenuPlan, PrefixPlan
from ...plans.components.calibrators import PowerMaps
from ...plans.contract import Plan
from ...plans.priced_plan import PricedPlan
from ...runtime.events import Progress, emit
from ...runtime.predictor import Predictor
from ...types import Floats, Ints
from ..calibration.fitting import Labelled, fit_temperature
from .candidates import Fold, Trained, candidates_of, items_of, take_sparse
from .choice import choose
from .contest import Contest, merged
from .problem import Truth, folds_of
from .training import Problem

#: Budgets by default: from a hundredth of all prices to all of them.
LEAST_PART, N_BUDGETS = 0.01, 13
#: Rows from which on there are fewer folds: (rows, folds tested, folds divided into).
FOLDS = ((2_000, 5, 5), (10_000, 3, 3), (np.inf, 1, 4))


def default_folds(n_rows: int) -> tuple[int, int]:
    """How many folds are tested, and how many the rows are divided into."""
    return next((folds, of) for most, folds, of in FOLDS if n_rows <= most)


@dataclass(frozen=True)
class Chosen:
    """One line of the menu: what is used at a budget, and how good it was in the contest.

    Parameters
    ----------
    budget : float
        From this budget on.
    price : float
        What it costs.
    candidate : str
        By name; the names of several with + are their mean.
    loss : float
        The share of mistakes, or the mean squared error, on rows not learnt from.
    standard_error : float
        How much chance may have moved `loss`.
    """

    budget: float
    price: float
    candidate: str
    loss: float
    standard_error: float


class _Frontier(BudgetedEstimator):
    """What classifier and regressor share."""

    def __init__(
        self,
        costs: Any = None,
        budgets: Any = None,
        candidates: Any = "auto",
        cv: Any = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.costs = costs
        self.budgets = budgets
        self.candidates = candidates
        self.cv = cv
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def predictor_(self) -> Predictor:
        """The menu, and what the contest said of each of its entries."""
        predictor = super().predictor_
        chosen = [
            {"candidate": own.candidate, "loss": own.loss, "standard_error": own.standard_error}
            for own in self.chosen_
        ]
        return replace(predictor, info={**predictor.info, "chosen": chosen})

    def __sklearn_tags__(self) -> Any:
        """With missing values, or sparse if the candidates take that."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = take_sparse(self.candidates)
        return tags

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[Any], Columns]:
        """X as numbers, or CSR; y; and the columns of X."""
        if not sparse.issparse(X):
            return self._learn_table(X, y)
        table, y, _, columns = read_rows(self, X, y, None, anew=True)
        lost = columns_not_finite(table)
        if lost:
            raise not_finite(lost, columns)
        return table, y, columns

    def _learn(self, rows: _Given, truth: Truth, target: Target) -> None:
        """Hold the contest and become the menu of its winners."""
        columns, n_jobs = rows.columns, self._n_jobs()
        costs = as_costs(self.costs, len(columns), columns.names)
        problem = Problem(
            rows.X, rows.y, target.classes, columns, rows.table, truth, costs,
            self._budgets(costs), self._seed(), n_jobs,
        )  # fmt: skip
        with ThreadPoolExecutor(n_jobs) as pool:
            contest = self._contest(problem, self._splits(rows, truth), pool)
            try:
                contest.run()
                made = self._last_training(contest)
            except KeyboardInterrupt:
                if contest.said:
                    self._adopt(contest, target, dict(contest.last), _names(contest))
                raise
            self._adopt(contest, target, *made)

    def _n_jobs(self) -> int:
        return n_threads() if self.n_jobs is None else effective_n_jobs(self.n_jobs)

    def _contest(
        self, problem: Problem, splits: list[tuple[Ints, Ints]], pool: ThreadPoolExecutor
    ) -> Contest:
        limit = np.inf if self.max_seconds is None else float(self.max_seconds)
        if not limit > 0:
            raise ValueError(f"max_seconds is {self.max_seconds}; expected a number > 0.")
        tried = candidates_of(self.candidates, problem)
        return Contest(problem, tried, splits, pool, limit)

    def _splits(self, rows: _Given, truth: Truth) -> list[tuple[Ints, Ints]]:
        """Rows to learn from and to be tested on, again and again."""
        n = len(truth.y)
        if self.cv is not None and not isinstance(self.cv, int | np.integer):
            if isinstance(self.cv, str | float):
                raise ValueError(f"cv is {self.cv!r}; expected a whole number >= 2, or splits.")
            given = self.cv.split(*rows.all_rows) if hasattr(self.cv, "split") else self.cv
            return kept_positions(given, rows.kept, len(rows.all_rows[1]))
        if self.cv is not None and self.cv < 2:
            raise ValueError(f"cv is {self.cv!r}; expected a whole number >= 2, or splits.")
        folds, of = default_folds(n) if self.cv is None else (int(self.cv), int(self.cv))
        fold_of = folds_of(truth, min(of, n), np.random.default_rng(self._seed()))
        return [
            (np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold))
            for fold in range(min(folds, n))
        ]

    def _seed(self) -> int:
        from sklearn.utils import check_random_state

        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _budgets(self, costs: Costs) -> tuple[float, ...]:
        if self.budgets is not None:
            given = tuple(np.unique(check_budgets(self.budgets)).tolist())
            _warn_of_small(costs, given)
            return given
        parts = np.geomspace(LEAST_PART, 1.0, N_BUDGETS)
        return tuple((parts * costs.total).tolist()) if costs.total else (0.0,)

    def _last_training(self, contest: Contest) -> tuple[dict[str, Trained], list[str | None]]:
        """Train the winners on all rows; where one fails, those who win without it.

        Where there is no time for that, what the last fold has trained is taken.
        """
        known: dict[str, Trained] = {}
        fold: Fold | None = None
        while contest.said or contest.left_out:
            if not contest.said:
                contest.begin_anew()
                continue
            names = _names(contest)
            wanted = list(dict.fromkeys(name for name in names if name))
            if fold is None and not contest.in_time(wanted):
                return dict(contest.last), names
            fold = fold or contest.prepare(np.arange(len(contest.problem.truth.y)))
            for position, name in enumerate(wanted):
                emit(Progress("last training", position, len(wanted), name))
                if contest.trained(name, fold, known) is None:
                    contest.said.pop(name, None)
            if all(name in contest.said for name in wanted):
                return known, names
        raise ValueError(f"No candidate could be trained. {_listed(contest.failures)}")

    def _adopt(
        self, contest: Contest, target: Target, known: dict[str, Trained],
        names: Sequence[str | None],
    ) -> None:  # fmt: skip
        """Become the menu of the best; who has nothing to offer is left out."""
        problem, losses, distances = contest.problem, contest.losses(), contest.distances()
        self.losses_ = {name: own.mean(axis=1) for name, own in losses.items()}
        self.left_early_ = dict(contest.left_early)
        self.failures_ = dict(contest.failures)
        self.seconds_ = dict(contest.seconds)
        if contest.untested:
            text = (
                f"max_seconds={self.max_seconds:g} was over before all candidates were tested: "
                f"{', '.join(contest.untested)} took no part. Give more time, or fewer candidates."
            )
            warnings.warn(text, UserWarning, stacklevel=4)
        if self.failures_:
            text = f"Candidates that failed were left out. {_listed(self.failures_)}"
            warnings.warn(text, UserWarning, stacklevel=4)
        self.chosen_, entries = [], []
        least = float(contest.prior_distances().mean())
        for budget, name in enumerate(names):
            if name is None or distances[name][budget].mean() >= least:
                continue
            entry = self._entry(contest, known, name, budget)
            if entry is None:
                continue
            least = float(distances[name][budget].mean())
            own, price = losses[name][budget], problem.costs.price_of(items_of(entry))
            error = float(own.std() / np.sqrt(len(own)))
            self.chosen_.append(
                Chosen(problem.budgets[budget], price, name, float(own.mean()), error)
            )
            entries.append(entry)
        nothing = PrefixPlan.constant(problem.truth.prior)
        plan = MenuPlan([nothing, *entries]) if entries else nothing
        self.plan_ = PricedPlan(plan, problem.costs)
        self.columns_, self.target_ = problem.columns, target

    def _replan(self, costs: Costs) -> None:
        """At new prices; what the menu costs now."""
        super()._replan(costs)
        menu = self.plan_.plan
        entries = menu.outline.entries[1:]
        prices = [costs.price_of(items_of(entry)) for entry in entries]
        self.chosen_ = [
            replace(own, budget=price, price=price)
            for own, price in zip(self.chosen_, prices, strict=True)
        ]

    def _entry(
        self, contest: Contest, known: dict[str, Trained], name: str, budget: int
    ) -> Plan[Any] | None:
        trained = merged(name, known)
        if trained is None:
            return None
        try:
            plan, target = trained.plan(budget)
        except ValueError:  # there is nothing to buy, or a class is lacking
            return None
        if not items_of(plan) and not plan.columns_read.size:
            return None
        truth = contest.problem.truth
        if not truth.n_classes:
            return plan
        said = np.concatenate([own[budget] for own in contest.said[name]])
        rows = truth.taken(np.concatenate(contest.tested))
        return calibrated(plan, target, said, rows, truth.prior)


def calibrated(
    plan: Plan[Any], target: Target, said: Floats, truth: Truth, prior: Floats
) -> Plan[Any]:
    """The plan with its probabilities sharpened or softened; labels stay."""
    logs = np.log(np.clip(said, 1e-6, 1.0))
    labelled = Labelled(logs, truth.y.astype(np.int64), truth.weights / truth.weights.mean())
    slope, shift = np.ones(truth.n_classes), np.zeros(truth.n_classes)
    if not labelled.is_flat:
        slope, shift = fit_temperature(labelled)
    return CalibratedPlan(plan, target, [1.0], PowerMaps(slope[None], shift[None]), prior)


def _warn_of_small(costs: Costs, budgets: Sequence[float]) -> None:
    """Say so if some budgets, but for 0, pay for nothing at all."""
    least, _ = cheapest_item(costs)
    small = [budget for budget in budgets if budget > 0 and not within(least, budget)]
    if small:
        where = " there" if within(least, budgets[-1]) else ""
        warn_of_prior(costs, small[-1], where=where, stacklevel=6)


def _listed(failures: dict[str, str]) -> str:
    return "; ".join(f"{name}: {cause}" for name, cause in failures.items())


def _names(contest: Contest) -> list[str | None]:
    return choose(contest.distances(), contest.prior_distances())


class FrontierClassifier(BudgetedClassifier, _Frontier):
    """For each budget the best of many models, chosen by cross-validation.

    What to buy is searched: items in the order of what they add to quick boosted trees per
    price, and sets from several such orders for each budget. On these sets families of models
    are trained, and beside them scrimp's own learners; the best at each budget, by nested
    cross-validation on the training rows alone, becomes an entry of a menu.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices.
    budgets : array of numbers >= 0, optional
        What to train for; by default 13 from a hundredth of all prices to all of them.
    candidates : "auto", sequence, or mapping from names to estimators
        Names of families (``boosted``, ``forest``, ``kernel``, ``linear``), of boosting rules
        (``smoothed``, ``edge`` and so on), ``svm`` (machines that find their own sets, as
        `BudgetedSVC`; unasked if there are more than 1,000 columns), or estimators: one of
        scikit-learn's is trained on the sets that are searched, one of scrimp's has its own plan.
    cv : int, splitter of scikit-learn, or iterable of (train, test) positions, optional
        Folds; by default 5, 3 from 2,000 rows on, and a quarter held out from 10,000 on.
    max_seconds : float, optional
        About how long it may take. What was tested by then counts.
    n_jobs : int, optional
        Threads; by default all cores.
    random_state : int
        Of folds and models.

    Attributes
    ----------
    chosen_ : list of Chosen
        The menu, from cheap to dear.
    losses_ : dict of float arrays (budgets,)
        The share of mistakes of each candidate on rows that it had not learnt from. The best
        of many looks better here than it is.
    left_early_ : dict of float arrays (budgets,)
        The same of candidates that left the contest because they made nothing better, on the
        folds in which they took part.
    failures_ : dict
        Candidates that could not be trained, and why.
    seconds_ : dict
        The time that each candidate took, and the search.
    plan_ : PricedPlan
        The menu.

    Notes
    -----
    The simplest candidate within one standard error of the best over all budgets is used at
    every budget where no other is better by a standard error; candidates of your own come in
    the order in which they are named. What counts is the squared distance of the
    probabilities from the truth, which needs fewer rows than a count of mistakes to tell two
    models apart. What is not better than the prior by a standard error, or not better than a
    cheaper entry, is left out. Probabilities are calibrated by a temperature, fitted on the
    answers of the cross-validation. When interrupted, or when there is no time for a last
    training on all rows, what the last finished fold has trained becomes the model.

    Examples
    --------
    >>> from scrimp import FrontierClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = FrontierClassifier(heart.costs, budgets=[5, 105], candidates=["boosted"], cv=3)
    >>> model = model.fit(heart.X, heart.y)
    >>> [entry.budget for entry in model.chosen_]
    [5.0, 105.0]
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy, and which model to use, at each budget.

        Parameters
        ----------
        X : array, data frame or sparse matrix (rows, columns)
            Numbers, or text for categories in a frame; NaN is missing. Of the usual
            candidates ``svm`` takes sparse rows.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            Weights of the rows.
        """
        table, y, columns = self._read(X, y)
        check_classification_targets(y)
        rows, weights = _counted(X, table, y, columns, sample_weight)
        classes, codes = np.unique(rows.y, return_inverse=True)
        check_several(classes)
        truth = Truth(codes.astype(np.float64), weights, len(classes))
        self._learn(rows, truth, Target("shares", classes))
        return self


class FrontierRegressor(BudgetedRegressor, _Frontier):
    """For each budget the best of many models, chosen by cross-validation.

    Parameters
    ----------
    costs, budgets, candidates, cv, max_seconds, n_jobs, random_state
        As in `FrontierClassifier`.

    Attributes
    ----------
    chosen_, failures_, seconds_, plan_
        As in `FrontierClassifier`.
    losses_ : dict of float arrays (budgets,)
        The mean squared error of each candidate on rows that it had not learnt from.
    left_early_ : dict of float arrays (budgets,)
        The same of candidates that left the contest early.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy, and which model to use, at each budget.

        Parameters
        ----------
        X : array, data frame or sparse matrix (rows, columns)
            Numbers, or text for categories in a frame; NaN is missing. Of the usual
            candidates ``svm`` takes sparse rows.
        y : array (rows,)
            Numbers.
        sample_weight : array (rows,), optional
            Weights of the rows.
        """
        table, y, columns = self._read(X, y)
        y = numbers_of(y, "FrontierClassifier")
        rows, weights = _counted(X, table, y, columns, sample_weight)
        self._learn(rows, Truth(rows.y, weights, 0), Target("regression", np.array([])))
        return self


@dataclass(frozen=True, eq=False)
class _Given:
    """Rows that count, as they were given and as numbers; all rows, and which of them count."""

    X: Any
    table: NDArray[Any]
    y: NDArray[Any]
    columns: Columns
    all_rows: tuple[NDArray[Any], NDArray[Any]]
    kept: Ints


def _counted(
    X: Any, table: NDArray[Any], y: NDArray[Any], columns: Columns, sample_weight: Any
) -> tuple[_Given, Floats]:
    """The rows with a positive weight, and these, 1 in the mean."""
    n, all_rows = table.shape[0], (table, y)
    X, table, y, weights = given_rows_that_count(X, table, y, sample_weight)
    if len(weights) < 2:
        raise ValueError("There is one sample (row) to learn from; expected 2 or more.")
    kept = np.arange(n) if table.shape[0] == n else np.flatnonzero(np.asarray(sample_weight) > 0)
    return _Given(X, table, y, columns, all_rows, kept), weights / weights.mean()
