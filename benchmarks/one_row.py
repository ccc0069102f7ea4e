"""The time of a prediction of one row, beside LightGBM's, in the same run.

Run it as ``python -m benchmarks.one_row``.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import make_table
from benchmarks.report import Row, as_markdown
from scrimp import BudgetedBoostingClassifier, Costs, Predictor, load, save

#: Rounds of both models.
N_ROUNDS = 100
#: Columns of the table.
N_COLUMNS = 20
#: How many times LightGBM's time a prediction of one row may take.
LIMIT = 5.0
#: Repetitions by rows predicted: many, so that the median is not disturbed by other work.
REPEATS = {1: 2000, 1000: 400}
BLOCK = 50


def medians(jobs: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the median seconds of each job over all its repetitions.

    Jobs take turns in blocks of `BLOCK` repetitions, so that all share the noise of the machine
    and none pays for caches that another has filled. They run on one thread: for one row, waiting
    for a second one would be most of LightGBM's time.
    """
    times: dict[str, list[float]] = {name: [] for name in jobs}
    with threadpool_limits(1):
        for _, (name, job) in product(range(repeats // BLOCK), jobs.items()):
            job()
            for _ in range(BLOCK):
                start = time.perf_counter()
                job()
                times[name].append(time.perf_counter() - start)
    return {name: float(np.median(values)) for name, values in times.items()}


def rows() -> list[Row]:
    """Return a row per table size and model: in memory, loaded from a file, and with a budget."""
    import lightgbm

    X, y, prices = make_table(5_000, N_COLUMNS)
    X = X.astype(np.float64)
    settings = {"objective": "binary", "num_leaves": 2, "verbosity": -1}
    booster = lightgbm.train(settings, lightgbm.Dataset(X, label=y), num_boost_round=N_ROUNDS)
    model = BudgetedBoostingClassifier(Costs.per_feature(prices), n_rounds=N_ROUNDS).fit(X, y)
    loaded, half = _stored(model), float(model.plan_.price) / 2
    measured = []
    for n, repeats in REPEATS.items():
        part = X[:n]
        seconds = medians(
            {
                "LightGBM": lambda part=part: booster.predict(part),
                "loaded model": lambda part=part: loaded.predict(part),
                "loaded model, half the budget": lambda part=part: loaded.predict(part, half),
                "estimator": lambda part=part: model.predict(part),
            },
            repeats,
        )
        peer = seconds.pop("LightGBM")
        measured += [_row(name, n, ours, peer) for name, ours in seconds.items()]
    return measured


def _stored(model: BudgetedBoostingClassifier) -> Predictor:
    """Return the model as it comes back from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.scrimp"
        save(model, path)
        return load(path)


def _row(name: str, n: int, ours: float, peer: float) -> Row:
    limited = n == 1 and name == "loaded model"
    return Row(
        f"`predict` of {n:,} row{'s' if n > 1 else ''}, {name}, against LightGBM's `Booster`",
        f"at most {LIMIT:g} x" if limited else "(reported)",
        f"{ours / peer:.1f} x",
        ours <= LIMIT * peer if limited else None,
        f"{1e6 * ours:.0f} against {1e6 * peer:.0f} microseconds, median",
    )


if __name__ == "__main__":
    print(as_markdown(rows()))
