"""Streaming boosting: prequential accuracy, rows per second, and memory.

Run it as ``python -m benchmarks.streaming``; ``--write`` writes docs/streaming_benchmarks.md. Each
row is answered before it is learnt from. The comparison with a forest of river is left out if river
is not installed, and covtype if it cannot be had.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "2")

import numpy as np  # noqa: E402
from sklearn.datasets import make_friedman1  # noqa: E402

from benchmarks.report import Row, as_markdown  # noqa: E402
from benchmarks.streaming_learners import learner_rows  # noqa: E402
from scrimp import Costs, StreamingBoostingClassifier, StreamingBoostingRegressor  # noqa: E402
from scrimp.datasets import fetch_arrays  # noqa: E402

SEED = 0
#: Rows of a call of `partial_fit`, at most: the first has one row, the next two, and so on.
CHUNK = 256
#: The booster of classes: deeper trees than by default, as there are many rows.
CLASSES = {"max_depth": 8}
#: Rows of which river's boosting tells how fast it is.
BOOSTING_ROWS = 2_000


def prequential(model: Any, X: np.ndarray, y: np.ndarray, **options: Any) -> tuple[Any, float]:
    """Return the answer to each row before it is learnt from, and the seconds of everything."""
    answers, first, size = np.zeros(len(y), dtype=y.dtype), 0, 1
    start = time.perf_counter()
    while first < len(y):
        part = slice(first, first + size)
        if first:
            answers[part] = model.predict(X[part])
        model.partial_fit(X[part], y[part], **options)
        first, size = first + size, min(2 * size, CHUNK)
    return answers, time.perf_counter() - start


def friedman() -> Row:
    """Measure R2 on Friedman's first problem."""
    X, y = make_friedman1(40_000, 10, noise=1.0, random_state=SEED)
    answers, spent = prequential(StreamingBoostingRegressor(n_learners=40), X, y)
    r2 = 1.0 - float(((answers - y) ** 2).mean() / y.var())
    return Row("Friedman #1, 40,000 rows, 10 columns, noise 1.0, prequential R2",
               "at least 0.89 in under 5 s", f"{r2:.3f}", r2 >= 0.89 and spent < 5.0,
               f"{spent:.1f} s, 40 trees of depth 5")  # fmt: skip


def speed() -> Iterator[Row]:
    """Measure rows per second, beside river's boosting of trees of the same depth."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(30_000, 100)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0).astype(np.int64)
    model = StreamingBoostingClassifier(n_learners=20, max_depth=5, batch_size=100)
    model.partial_fit(X[:1_000], y[:1_000], classes=[0, 1])
    start = time.perf_counter()
    for first in range(1_000, len(y), 100):
        model.partial_fit(X[first : first + 100], y[first : first + 100])
    rate = (len(y) - 1_000) / (time.perf_counter() - start)
    what = "rows per second, 20 trees of depth 5, 100 columns, batches of 100"
    yield Row(what, "(reported)", f"{rate:,.0f}", None)
    if importlib.util.find_spec("river") is not None:
        theirs = _boosting(X[:BOOSTING_ROWS], y[:BOOSTING_ROWS])
        yield Row("the same, against river's AdaBoostClassifier of 20 Hoeffding trees of depth 5",
                  "at least 20 x", f"{rate / theirs:.0f} x", bool(rate >= 20 * theirs),
                  f"{theirs:,.0f} rows per second")  # fmt: skip


def _boosting(X: np.ndarray, y: np.ndarray) -> float:
    """Return the rows per second that river's online AdaBoost learns."""
    from river import ensemble, tree

    trees = tree.HoeffdingTreeClassifier(max_depth=5)
    model, start = ensemble.AdaBoostClassifier(trees, n_models=20, seed=SEED), time.perf_counter()
    for values, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(enumerate(values)), label)
    return len(y) / (time.perf_counter() - start)


def covtype() -> tuple[np.ndarray, np.ndarray] | None:
    """Return the 54 columns of covtype in its own order; None if it cannot be had."""
    try:
        data = fetch_arrays("covtype")
    except Exception as error:  # no network, no folder
        print(f"Without covtype: {error}", file=sys.stderr)
        return None
    return data.X.astype(np.float32), np.asarray(data.y).astype(np.int64)


def shuffled(X: np.ndarray, y: np.ndarray) -> Iterator[Row]:
    """Measure accuracy and speed on 100,000 shuffled rows, beside river's forest."""
    order = np.random.default_rng(SEED).permutation(len(y))[:100_000]
    X, y = X[order], y[order]
    model = StreamingBoostingClassifier(**CLASSES)
    answers, spent = prequential(model, X, y, classes=np.unique(y))
    right = answers == y
    rate = len(y) / spent
    yield Row("covtype, shuffled, first 100,000 rows, prequential accuracy", "(reported)",
              f"{right.mean():.4f}", None, f"{rate:,.0f} rows per second")  # fmt: skip
    if importlib.util.find_spec("river") is not None:
        theirs, their_rate = _forest(X, y)
        yield Row("the same, against river's ARFClassifier(10)",
                  "not below its accuracy, at least 10 x its speed",
                  f"{right.mean():.4f} against {theirs:.4f}, {rate / their_rate:.0f} x",
                  bool(right.mean() >= theirs and rate >= 10 * their_rate),
                  f"{their_rate:,.0f} rows per second")  # fmt: skip


def _forest(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return the prequential accuracy and the rows per second of river's adaptive forest."""
    from river import forest

    model, right, start = forest.ARFClassifier(n_models=10, seed=SEED), 0, time.perf_counter()
    for values, label in zip(X.tolist(), y.tolist(), strict=True):
        row = dict(enumerate(values))
        right += model.predict_one(row) == label
        model.learn_one(row, label)
    return right / len(y), len(y) / (time.perf_counter() - start)


def own_order(X: np.ndarray, y: np.ndarray) -> Row:
    """Measure accuracy in the order of the file, beside repeating the last label."""
    X, y = X[:200_000], y[:200_000]
    model = StreamingBoostingClassifier(**CLASSES, memory=200.0)
    answers, spent = prequential(model, X, y, classes=np.unique(y))
    right, repeated = float((answers == y).mean()), float((y[1:] == y[:-1]).mean())
    kappa = (right - repeated) / (1.0 - repeated)
    rate = len(y) / spent
    return Row("covtype in its own order, 200,000 rows, prequential accuracy",
               "at least 2,000 rows per second", f"{right:.4f}", rate >= 2_000,
               f"no change has {repeated:.4f}: Kappa-temporal {kappa:.2f}; "
               f"{rate:,.0f} rows per second")  # fmt: skip


def half_budget(X: np.ndarray, y: np.ndarray) -> Row:
    """Measure accuracy at half the price of all columns."""
    order = np.random.default_rng(SEED).permutation(len(y))[:60_000]
    X, y = X[order], y[order]
    costs = Costs.per_feature(np.random.default_rng(SEED + 1).uniform(0.5, 1.5, X.shape[1]))
    right, spent = {}, 0.0
    for part in (0.5, 1.0):
        model = StreamingBoostingClassifier(costs, part * costs.total, **CLASSES)
        answers, _ = prequential(model, X, y, classes=np.unique(y))
        right[part] = float((answers[30_000:] == y[30_000:]).mean())
        if part == 0.5:
            spent = float(model.spend(X[:5_000]).max())
    return Row("covtype with prices, accuracy at half of them (last 30,000 of 60,000 rows)",
               "within 1 point of buying all; no overspend",
               f"{100 * right[0.5]:.1f}% against {100 * right[1.0]:.1f}%",
               bool(right[0.5] >= right[1.0] - 0.01 and spent <= 0.5 * costs.total),
               f"{spent:.2f} of {0.5 * costs.total:.2f} spent")  # fmt: skip


def memory(n_rows: int) -> Row:
    """Measure how far the memory of the process grows over a stream."""
    rng, model = np.random.default_rng(SEED), StreamingBoostingRegressor()
    peaks = []
    for _ in range(4):
        for _ in range(n_rows // 40_000):
            X = rng.normal(size=(10_000, 10)).astype(np.float32)
            model.partial_fit(X, X[:, 0] + X[:, 1] * X[:, 2])
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return Row(f"memory over a stream of {n_rows:,} rows x 10 columns", "flat",
               f"{peaks[-1] - peaks[0]:+.1f} MB from the first quarter to the last",
               bool(peaks[-1] - peaks[0] < 5.0), f"{peaks[-1]:.0f} MB at the peak")  # fmt: skip


def main() -> None:
    """Measure everything, and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the stream for memory")
    parser.add_argument("--write", action="store_true", help="write docs/streaming_benchmarks.md")
    parser.add_argument("--part", choices=("learners",), help="print only this part")
    given = parser.parse_args()
    if given.part == "learners":
        for row in learner_rows():
            print(as_markdown([row]), flush=True)
        return
    X, y = make_friedman1(500, 10, random_state=SEED)
    StreamingBoostingRegressor().fit(X, y)  # compiles
    StreamingBoostingClassifier(budget=3).fit(X, (y > 14).astype(int) + (y > 18))
    rows = [memory(given.rows), friedman(), *speed()]
    data = covtype()
    if data is not None:
        rows += [*shuffled(*data), own_order(*data), half_budget(*data)]
    rows += learner_rows()
    table = as_markdown(rows)
    print(table)
    if given.write:
        head = "# Benchmarks of streaming boosting\n\nPrinted by `make bench-streaming`.\n\n"
        (ROOT / "docs" / "streaming_benchmarks.md").write_text(head + table)


if __name__ == "__main__":
    main()
