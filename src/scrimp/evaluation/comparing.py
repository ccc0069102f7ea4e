"""Compare methods by cross-validation at many budgets, the same folds for all."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d

from ..costs.costs import Costs, as_costs
from ..data.columns import as_frame
from ..data.target import Target
from ..data.validation import check_budgets
from ..types import Floats
from .budget_grid import has_free_columns, price_steps
from .comparison import Comparison
from .folds import divide
from .formatting import listed
from .methods import METHODS, ROUNDS, Setting, check_task, estimators, names_for
from .repeat_scores import RepeatScores
from .scoring import Scoring, find_scorer
from .trials import Trials


def compare(
    X: Any,
    y: Any,
    costs: Any = None,
    *,
    budgets: Any = None,
    methods: Sequence[str] | Mapping[str, Any] | None = None,
    task: str | None = None,
    scoring: Scoring | None = None,
    n_rounds: int | Sequence[int] | None = None,
    n_folds: int = 5,
    n_repeats: int = 5,
    max_seconds: float = np.inf,
    max_rows: int | None = None,
    random_state: int = 0,
) -> Comparison:
    """Cross-validate several methods at many budgets, on the same folds.

    All methods are run fold by fold side by side, so that whenever it ends, all have been
    tested on the same rows. A method that refuses the data is left out, with its reason.

    Parameters
    ----------
    X : array or data frame (rows, columns)
        Rows.
    y : array (rows,)
        The truth.
    costs : Costs, array, mapping or None
        Prices.
    budgets : array of numbers >= 0, optional
        Where to look; by default 0 and steps of the price list.
    methods : sequence of names, or mapping from names to estimators, optional
        By default all quick ones of `scrimp.evaluation.METHODS` that can do the task; where
        all prices are equal, only one of those that then choose alike.
    task : {"classification", "regression"}, optional
        By default fractions, and whole numbers with many different values, are a regression.
    scoring : str or callable, optional
        As in `Curve.from_sweep`.
    n_rounds : int or several, optional
        Rounds of boosting; with several each is a method of its own, such as ``greedy/20``.
        By default 50, for a regression 300.
    n_folds, n_repeats : int
        Of the cross-validation.
    max_seconds : float
        When to end; what all methods have finished by then counts.
    max_rows : int, optional
        Draw so many rows if there are more.
    random_state : int
        Of rows, folds, methods and resamples.

    Returns
    -------
    Comparison

    Notes
    -----
    The best of several methods looks better on the rows that it was chosen on than it is.
    An interval is that of one repeat, over rows; it does not shrink with repeats, and does
    not hold what chance does in training.

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
    y = _truth(X, y)
    task = check_task(task, y)
    _check_limits(n_repeats, max_seconds, max_rows)
    division = divide(y, task, n_folds, n_repeats, max_rows, random_state)
    frame = as_frame(X)
    columns = frame.columns if frame is not None else None
    width = len(columns) if columns is not None else np.shape(X)[1]
    prices = as_costs(costs, width, None if columns is None else list(map(str, columns)))
    looked = _finite(price_steps(prices) if budgets is None else budgets)
    rounds = [ROUNDS[task]] if n_rounds is None else np.atleast_1d(n_rounds).tolist()
    free = has_free_columns(prices)
    trained = [budget for budget in looked.tolist() if budget > 0 or free]
    asked, alike = (methods, []) if methods is not None else _methods(task, prices)
    tried = estimators(
        asked, lambda r: Setting(task, prices, trained, r, random_state), task, rounds
    )
    X, y = _safe_indexing(X, division.rows), y[division.rows]
    scores = RepeatScores(y, find_scorer(scoring, _target(task, y)), looked, random_state)
    trials = Trials(tried, X, y, looked, division, max_seconds, scores.add)
    begin = time.monotonic()
    trials.run()
    names = tuple(n for n in scores.found if n not in trials.left_out and trials.repeats)
    if not names:
        _raise_nothing(trials)
    scorer = scores.scorer
    return Comparison(
        names, looked, *scores.stacked(names, trials.repeats), scorer.name, scorer.best, task,
        scores.n_rows, trials.folds, dict(trials.left_out),
        (*alike, *division.remarks, *_shortfall(trials, n_repeats)), not trials.interrupted,
        trials.in_time, time.monotonic() - begin, some_free=free,
    )  # fmt: skip


def _methods(task: str, prices: Costs) -> tuple[list[str], list[str]]:
    """The methods to try, and a remark on those that need not be."""
    names = names_for(task, prices)
    twins = [n for n, m in METHODS.items() if task in m.tasks and m.twin and n not in names]
    if not twins:
        return names, []
    one = METHODS[twins[0]].twin
    return names, [
        f"All prices are equal, so that all rules of boosting choose alike: {one} stands for "
        f"{listed(twins)} too."
    ]


def _truth(X: Any, y: Any) -> NDArray[Any]:
    """Y as an array that fits X."""
    y = column_or_1d(y, warn=False)
    check_consistent_length(X, y)
    missing = sum(value is None or value != value for value in y.tolist())
    if missing:
        raise ValueError(f"y is missing in {missing} of {len(y)} rows; leave these rows out.")
    return np.asarray(y)


def _target(task: str, y: NDArray[Any]) -> Target:
    """What is predicted, before any method has seen it."""
    if task == "regression":
        return Target("regression", np.array([]))
    classes = np.unique(y)
    return Target("binary" if len(classes) == 2 else "multiclass", classes)


def _check_limits(n_repeats: int, max_seconds: float, max_rows: int | None) -> None:
    if n_repeats < 1:
        raise ValueError(f"n_repeats is {n_repeats}; expected at least 1.")
    if not max_seconds > 0:
        raise ValueError(f"max_seconds is {max_seconds:g}; expected a number > 0.")
    if max_rows is not None and max_rows < 2:
        raise ValueError(f"max_rows is {max_rows}; expected at least 2.")


def _finite(budgets: Any) -> Floats:
    """Budgets, ascending; a curve has no place for one without limit."""
    looked = np.unique(check_budgets(budgets))
    if not np.isfinite(looked[-1]):
        raise ValueError("budgets hold infinity; the price of everything is as good and finite.")
    return looked


def _shortfall(trials: Trials, n_repeats: int) -> list[str]:
    """What was not done, if it ended early."""
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
