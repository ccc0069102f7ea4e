"""`compare`: the cross-validation of several methods at many budgets, on the same folds."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d

from ..costs.costs import Costs, as_costs
from ..data.columns import as_frame, refuse_unusable
from ..data.target import Target
from ..data.validation import check_budgets, check_labels
from ..learners.fit_context import check_callbacks
from ..runtime.events import Handler, listening, reporting_compilation
from ..runtime.progress_display import Display, display_for, progress_shown
from ..runtime.time_limit import check_max_seconds
from ..types import Floats
from .budget_grid import has_free_columns, price_steps
from .comparison import Comparison
from .division import divide
from .formatting import listed
from .methods import METHODS, Setting, check_task, estimators, names_for
from .repeat_scores import RepeatScores
from .row_groups import check_tested_once, row_groups
from .scoring import Scoring, find_scorer
from .trials import TASK, Trials

#: The part of the time that a method which searches for as long as it may, as the frontier, may
#: take for all folds of one repeat: the rest is for the other methods and for further repeats.
BOUNDED_SHARE = 1 / 3


def compare(
    X: Any,
    y: Any,
    costs: Any = None,
    *,
    budgets: Any = None,
    methods: Sequence[Any] | Mapping[str, Any] | None = None,
    task: str | None = None,
    scoring: Scoring | None = None,
    positive: Any = None,
    n_rounds: int | Sequence[int] | None = None,
    n_folds: int = 5,
    n_repeats: int = 5,
    groups: Any = None,
    cv: Any = None,
    max_seconds: float | None = 120.0,
    max_rows: int | None = None,
    random_state: int = 0,
    error_cost: Any = None,
    verbose: int | None = None,
    callbacks: Sequence[Handler] = (),
) -> Comparison:
    """Cross-validate several methods at many budgets, on the same folds.

    The methods are evaluated fold by fold side by side, so that all have been tested on the
    same rows whenever it ends. A method that refuses the data is left out, with its reason.

    Parameters
    ----------
    X : array or data frame (rows, columns)
        Rows.
    y : array (rows,)
        The target.
    costs : Costs, array, mapping or None
        Prices.
    budgets : array of numbers >= 0, optional
        Budgets to predict at; by default 0 and steps of the price list.
    methods : sequence of names and estimators, or mapping from names to estimators, optional
        By default all quick ones of `scrimp.evaluation.METHODS` that can do the task; where
        all prices are equal, only one of those that are then identical. Estimators are not
        fitted, but cloned for each fold. In a sequence they are named by their class, and have
        the prices given here unless they have their own.
    task : {"classification", "regression"}, optional
        By default fractions, and whole numbers with many different values, are a regression.
    scoring : str or callable, optional
        As in `Curve.from_sweep`.
    positive : label, optional
        As in `Curve.from_sweep`.
    n_rounds : int or several, optional
        Rounds of boosting; each of several is a separate method, such as ``greedy/20``.
        By default 100, for a regression 500.
    n_folds, n_repeats : int
        Folds per repeat, and repeats of the cross-validation.
    groups : array (rows,), optional
        Rows that belong together, such as the visits of a patient: those of a group are all in
        one fold, and intervals are over groups. By default the ``groups`` of a scorer that has
        them, as that of `ndcg_scorer` has its queries.
    cv : int, "time", splitter or iterable of (train, test), optional
        By default, and for a number of folds, shuffled folds, stratified for classes. "time" is
        for rows in the order of time: each of the `n_folds` trains on the rows before those it
        tests. Folds given by a splitter of scikit-learn or as positions of rows are one repeat.
    max_seconds : float or None
        Time limit; the folds that all methods have finished by then count. A frontier may take
        a third of it for all folds of one repeat. None leaves it unbounded.
    max_rows : int, optional
        The size of a random sample of the rows, if there are more.
    random_state : int
        Seed of rows, folds, methods and resamples.
    error_cost : mapping, array (classes, classes) or float, optional
        What errors cost, as in `BudgetedBoostingClassifier`. The methods decide by it (but
        estimators that you give decide by their own), the quality is minus the mean cost of
        errors, and `Comparison.recommend` minimises the mean spend plus that cost.
    verbose : int, optional
        As in `BudgetedBoostingClassifier`: None shows a bar in notebooks only.
    callbacks : sequence of callables
        Called with each progress event, a `scrimp.runtime.events.Progress`.

    Returns
    -------
    Comparison

    Notes
    -----
    The quality of the best of several methods is biased upwards on the rows that it was
    selected on. An interval is that of one repeat, over rows; it does not shrink with repeats,
    and does not include the randomness of the training.

    Examples
    --------
    >>> from scrimp import compare
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> result = compare(
    ...     heart.X, heart.y, heart.costs, budgets=[0, 4, 205], methods=["smoothed", "tree"],
    ...     n_rounds=20, n_repeats=1,
    ... )
    >>> advice = result.recommend(budget=205)
    >>> advice.method, round(advice.point.quality, 1)
    ('smoothed', 0.8)
    """
    y = _checked_target(X, y)
    task = check_task(task, y)
    display = display_for(verbose)
    max_seconds = check_max_seconds(max_seconds) or np.inf
    _check_limits(n_repeats, max_rows)
    grouped = row_groups(groups, scoring, cv, len(y))
    division = divide(y, task, n_folds, n_repeats, max_rows, random_state, grouped.in_folds, cv)
    check_tested_once(scoring, division.splits[: division.n_folds])
    n_repeats = len(division.splits) // division.n_folds
    scorer = find_scorer(scoring, _target(task, y[division.rows]), error_cost, positive)
    prices = _bound_prices(costs, X)
    grid = _finite(price_steps(prices) if budgets is None else budgets)
    rounds = [None] if n_rounds is None else np.atleast_1d(n_rounds).tolist()
    free = has_free_columns(prices)
    trained = [budget for budget in grid.tolist() if budget > 0 or free]
    asked, alike = (methods, []) if methods is not None else _methods(task, prices)
    bound = BOUNDED_SHARE * max_seconds / division.n_folds if np.isfinite(max_seconds) else None
    setting = Setting(task, prices, trained, None, random_state, error_cost, bound)
    compared = estimators(asked, setting, rounds)
    X, y = _safe_indexing(X, division.rows), y[division.rows]
    scores = RepeatScores(y, scorer, grid, random_state, division.rows, grouped.in_resamples)
    trials = Trials(compared, X, y, grid, division, max_seconds, scores.add)
    begin = time.monotonic()
    _run(trials, display, callbacks)
    names = tuple(n for n in scores.repeats if n not in trials.left_out and trials.repeats)
    if not names:
        _raise_nothing(trials)
    return Comparison(
        names, grid, *scores.stacked(names, trials.repeats), scorer.name, scorer.best, task,
        scores.n_rows, trials.folds, dict(trials.left_out),
        (*alike, *division.remarks, *_used_up(trials, names), *_shortfall(trials, n_repeats)),
        not trials.interrupted,
        trials.in_time, time.monotonic() - begin, some_free=free,
        planned_folds=division.n_folds if trials.folds < division.n_folds else None,
    )  # fmt: skip


def _bound_prices(costs: Any, X: Any) -> Costs:
    """Return the prices of the columns of X, all of which can be used."""
    frame = as_frame(X)
    if frame is None:
        return as_costs(costs, np.shape(X)[1])
    refuse_unusable(frame)
    return as_costs(costs, len(frame.columns), list(map(str, frame.columns)))


def _run(trials: Trials, display: Display | None, callbacks: Sequence[Handler]) -> None:
    """Run the trials, and report their progress."""
    with ExitStack() as stack:
        stack.enter_context(progress_shown(display, TASK))
        for callback in check_callbacks(tuple(callbacks)):
            stack.enter_context(listening(callback))
        stack.enter_context(reporting_compilation())
        trials.run()


def _methods(task: str, prices: Costs) -> tuple[list[str], list[str]]:
    """Return the methods to compare, and a remark on those that are left out as identical."""
    names = names_for(task, prices)
    twins = [n for n, m in METHODS.items() if task in m.tasks and m.twin and n not in names]
    if not twins:
        return names, []
    one = METHODS[twins[0]].twin
    return names, [
        f"All prices are equal, so that all rules of boosting choose alike: {one} stands for "
        f"{listed(twins)} too."
    ]


def _checked_target(X: Any, y: Any) -> NDArray[Any]:
    """Return y as an array with one value per row of X."""
    y = column_or_1d(y, warn=False)
    check_consistent_length(X, y)
    values = np.asarray(y)
    check_labels(values)
    return values


def _target(task: str, y: NDArray[Any]) -> Target:
    """Return what is predicted, for the scorer."""
    if task == "regression":
        return Target("regression", np.array([]))
    classes = np.unique(y)
    return Target("binary" if len(classes) == 2 else "multiclass", classes)


def _check_limits(n_repeats: int, max_rows: int | None) -> None:
    if n_repeats < 1:
        raise ValueError(f"n_repeats is {n_repeats}; expected at least 1.")
    if max_rows is not None and max_rows < 2:
        raise ValueError(f"max_rows is {max_rows}; expected at least 2.")


def _finite(budgets: Any) -> Floats:
    """Return budgets, ascending; a curve has no place for an infinite one."""
    grid = np.unique(check_budgets(budgets))
    if not np.isfinite(grid[-1]):
        raise ValueError("budgets hold infinity; the price of everything is as good and finite.")
    return grid


def _used_up(trials: Trials, names: Sequence[str]) -> list[str]:
    """Return remarks on methods that needed all the time that a training of theirs may take."""
    remarks = []
    for name in names:
        limit = trials.estimators[name].get_params(deep=False).get("max_seconds")
        if limit is not None and trials.seconds_per_fold(name) >= limit:
            remarks.append(
                f"{name} used up its share of the time, {limit:.3g} seconds per fold: with more "
                "it may do better."
            )
    return remarks


def _shortfall(trials: Trials, n_repeats: int) -> list[str]:
    """Return a remark on what was not done, if it ended early."""
    why = (
        "before it was interrupted" if trials.interrupted else f"in {trials.max_seconds:g} seconds"
    )
    if trials.folds < trials.division.n_folds:
        tested = sum(len(test) for _, test in trials.division.splits[: trials.folds])
        return [
            f"Only {trials.folds} of {trials.division.n_folds} folds were done {why}: tested on "
            f"{tested:,} of {len(trials.y):,} rows."
        ]
    if trials.repeats < n_repeats:
        return [f"{trials.repeats} of {n_repeats} repeats were done {why}."]
    return []


def _raise_nothing(trials: Trials) -> None:
    if trials.interrupted:
        raise KeyboardInterrupt
    shared: dict[str, list[str]] = {}
    for name, reason in trials.left_out.items():
        shared.setdefault(reason.rstrip("."), []).append(name)
    causes = " ".join(f"{', '.join(names)}: {reason}." for reason, names in shared.items())
    more = "" if trials.in_time else " Give more time, or fewer rows."
    raise ValueError(f"No method has a result. {causes}{more}")
