"""One trial of `wang2018`: every method on one division and one list of prices."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from scrimp.types import Floats

from ..prices import YAHOO_PRICES
from ..trials import Record, Setting
from . import cutting_planes as planes
from .data import Part, Priced, divide
from .methods import (
    MAX_COLUMNS,
    RATIOS,
    TUNED,
    Bought,
    best_C,
    budgets_of,
    everything,
    forward,
    lasso,
    ltb,
)

#: With more columns than this Algorithm 1 is not run as printed.
PLANES_COLUMNS = 5_000
#: The limit of training rows of Algorithm 1.
PLANES_ROWS = 20_000
#: Transformations of a number of comments, to find the paper's scale.
SCALES: dict[str, Callable[[Floats], Floats]] = {
    "y": lambda y: y,
    "y / 10": lambda y: y / 10.0,
    "sqrt(y)": np.sqrt,
    "asinh(y)": np.arcsinh,
    "log(1 + y)": np.log1p,
    "log2(1 + y)": lambda y: np.log2(1.0 + y),
    "y, standardised": lambda y: (y - y.mean()) / y.std(),
    "y, 0 to 100": lambda y: 100.0 * y / y.max(),
}


def trial(data: Priced, setting: Setting, rng: np.random.Generator) -> Record:
    """Return test qualities at each budget and what was bought, by method."""
    part = divide(data, setting, rng)
    seed = int(rng.integers(2**31 - 1))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of liblinear; gaps are kept
        warnings.filterwarnings("ignore", message="The columns differ in scale")
        record = _compared(part, data.grouped, seed)
    if data.raw is not None:
        record["scales"] = scales(data)
    return record


def _compared(part: Part, grouped: bool, seed: int) -> Record:
    """Run all methods that apply."""
    record: Record = {
        "numbers": part.numbers, "ratios": list(RATIOS), "total": part.costs.total,
        "seconds": {}, "C": {}, "methods": {},
    }  # fmt: skip
    timed = Stopwatch(record["seconds"])
    d = part.X.shape[1]
    budgeted: Record = {"costs": part.costs, "budget": budgets_of(part, TUNED)}
    for name, params in (
        ("LTB", budgeted),
        ("LTB-unif", budgeted | {"uniform": True}),
        ("all", {}),
    ):
        rng = np.random.default_rng(seed)
        record["C"][name] = timed(name, "tuning", best_C, part, rng, **params)
    for name, uniform in (("LTB", False), ("LTB-unif", True)):
        bought, model = timed(name, "training", ltb, part, record["C"][name], uniform)
        record["methods"][name] = _figures(part, bought) | _shares(model)
    C = record["C"]["all"]
    answers = timed("all", "training", everything, part, C)
    record["all"] = part.quality(answers[:, None])[0]
    if grouped:
        return record
    if d <= MAX_COLUMNS:
        record["methods"]["CS-G-FR"] = _figures(part, timed("CS-G-FR", "training", forward, part))
    record["methods"]["L1"] = _figures(part, timed("L1", "training", lasso, part, C))
    if d <= PLANES_COLUMNS:
        few = _few(part)
        C = record["C"]["LTB"] * len(part.y) / len(few.y)  # few rows count for all
        record["planes"] = [
            timed("Algorithm 1", "training", planes.cutting_planes, few, C, ratio)
            for ratio in planes.RATIOS
        ]
        record["exact"] = timed("exact", "training", planes.exact_shares, few, C)
    return record


class Stopwatch:
    """Adds up CPU seconds by method and part."""

    def __init__(self, seconds: Record) -> None:
        self.seconds = seconds

    def __call__(
        self, method: str, what: str, work: Callable[..., Any], *args: Any, **params: Any
    ) -> Any:
        """Return the result of the work."""
        start = process_time()
        result = work(*args, **params)
        by_part = self.seconds.setdefault(method, {})
        by_part[what] = by_part.get(what, 0.0) + process_time() - start
        return result


def _figures(part: Part, bought: Bought) -> Record:
    """Return quality, cost as a part of the price of everything, and counts per price."""
    prices, kinds = part.prices, np.array(list(YAHOO_PRICES), dtype=np.float64)
    return {
        "quality": part.quality(bought.answers),
        "cost": [float(prices[items].sum() / part.costs.total) for items in bought.items],
        "counts": [
            (prices[items][:, None] == kinds).sum(axis=0).tolist() for items in bought.items
        ],
    }


def _shares(model: Any) -> Record:
    """Return the counts of shares of the relaxation, and how it was solved."""
    falls = [
        bool((np.diff(history[:, 0]) <= 1e-9 * abs(history[:-1, 0])).all())
        for history in model.history_
    ]
    rises = [
        bool((np.diff(history[:, 1]) >= -1e-9 * abs(history[:-1, 1])).all())
        for history in model.history_
    ]
    return {
        "shares": model.share_counts_.tolist(), "gap": model.gap_.tolist(),
        "bound": model.bound_.tolist(), "steps": model.n_steps_.tolist(),
        "monotone": [fall and rise for fall, rise in zip(falls, rises, strict=True)],
    }  # fmt: skip


def _few(part: Part) -> Part:
    """Return the division with at most `PLANES_ROWS` training rows."""
    if len(part.y) <= PLANES_ROWS:
        return part
    rows = slice(0, PLANES_ROWS)
    return Part(part.X[rows], part.y[rows], part.X_test, part.y_test, part.costs, part.numbers)


def scales(data: Priced) -> Record:
    """Return test squared errors of the mean and of least squares on all columns, by scale."""
    assert data.raw is not None
    assert data.n_train is not None
    n, largest = data.n_train, np.abs(data.X).max(axis=0)
    X = np.column_stack([data.X / np.maximum(largest, 1e-300), np.ones(len(data.y))])
    inverse = np.linalg.pinv(X[:n].T @ X[:n], rcond=1e-12, hermitian=True)
    errors_by_scale = {}
    for name, scale in SCALES.items():
        y = scale(data.raw)
        w = inverse @ (X[:n].T @ y[:n])
        errors = y[n:] - y[:n].mean(), y[n:] - X[n:] @ w
        errors_by_scale[name] = [float((error**2).mean()) for error in errors]
    return errors_by_scale
