"""Parts of the benchmark of streaming boosting that are about its weak learners.

Printed by ``python -m benchmarks.streaming``; ``--part learners`` prints these only. Settings were
chosen on training rows: for a9a by 5-fold cross-validation, for MNIST on 10,000 of them held out,
for abalone by 5-fold cross-validation, twice, within the training rows of the first split.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from benchmarks.report import Row
from papers.sgb2017.refit_tree import RefitTree
from scrimp import StreamingBoostingClassifier, StreamingBoostingRegressor
from scrimp.datasets import fetch, fetch_arrays
from scrimp.learners.streaming import Convolution, Network

#: The booster of each dataset.
A9A: dict[str, Any] = {
    "learner": Network(activation="leaky-relu", decay=30.0), "n_learners": 16,
}  # fmt: skip
MNIST: dict[str, Any] = {
    "learner": Convolution(), "n_learners": 24, "learning_rate": 2.0, "n_passes": 8,
    "iterate": "average",
}  # fmt: skip
ABALONE: dict[str, Any] = {
    "learner": Network(hidden=3, decay=1_000.0), "n_learners": 16, "learning_rate": 0.3,
    "n_passes": 60, "iterate": "average",
}  # fmt: skip
N_SEEDS, N_SPLITS = 5, 20
#: The batch learner that is compared with on abalone; C was chosen as the booster's settings were.
BATCH = make_pipeline(StandardScaler(), SVR(C=10.0, epsilon=0.5))


def a9a() -> Row:
    """Measure the test error of networks after one pass."""
    data = fetch_arrays("a9a")
    X, y, n = data.X.toarray(), data.y, int(data.n_train or 0)
    errors, start = [], time.perf_counter()
    for seed in range(N_SEEDS):
        model = StreamingBoostingClassifier(**A9A, n_passes=1, random_state=seed)
        model.fit(X[:n], y[:n])
        errors.append(100.0 * float((model.predict(X[n:]) != y[n:]).mean()))
    mean, spent = float(np.mean(errors)), (time.perf_counter() - start) / N_SEEDS
    return Row(f"a9a, test error after one pass, mean of seeds 0 to {N_SEEDS - 1}",
               "at most 15.2% (thesis 15.23)", f"{mean:.2f}%", mean <= 15.2,
               f"{min(errors):.2f} to {max(errors):.2f}; 16 networks of 5 hidden units, "
               f"{spent:.1f} s")  # fmt: skip


def mnist() -> Row:
    """Measure the test error of convolutions after some passes."""
    data = fetch_arrays("mnist")
    X = np.asarray(data.X, dtype=np.float32).reshape(len(data.y), -1)
    y, n = data.y, int(data.n_train or 0)
    start = time.perf_counter()
    model = StreamingBoostingClassifier(**MNIST, random_state=0).fit(X[:n], y[:n])
    spent = time.perf_counter() - start
    error = 100.0 * float((model.predict(X[n:]) != y[n:]).mean())
    return Row(f"MNIST, test error after {MNIST['n_passes']} passes, seed 0",
               "at most 1.6% (thesis 1.63)", f"{error:.2f}%", error <= 1.6,
               f"{MNIST['n_learners']} convolutions 5x5 of stride 2 with 5 channels, averaged "
               f"weights, {spent:.0f} s")  # fmt: skip


def abalone() -> Row:
    """Measure half the squared error on 20 splits, beside a support vector machine."""
    data = fetch("abalone")
    X, y = data.X, np.asarray(data.y, dtype=float)
    sex = X["sex"].to_numpy()
    indicators = [sex == value for value in np.unique(sex)]
    numbers = np.column_stack([*indicators, X.drop("sex").to_numpy()]).astype(float)
    ours, theirs = [], []
    for seed in range(N_SPLITS):
        a, b = train_test_split(np.arange(len(y)), test_size=0.1, random_state=seed)
        model = StreamingBoostingRegressor(**ABALONE, random_state=seed)
        model.fit(X[a], y[a])
        ours.append(0.5 * float(((model.predict(X[b]) - y[b]) ** 2).mean()))
        BATCH.fit(numbers[a], y[a])
        theirs.append(0.5 * float(((BATCH.predict(numbers[b]) - y[b]) ** 2).mean()))
    mean, other = float(np.mean(ours)), float(np.mean(theirs))
    error = float(np.std(ours, ddof=1)) / np.sqrt(N_SPLITS)
    return Row(f"abalone, half the squared error, {N_SPLITS} random 90/10 splits, "
               f"{ABALONE['n_passes']} passes", "at most 2.15, and 1.03 x a batch SVR",
               f"{mean:.3f}, {mean / other:.3f} x", bool(mean <= 2.15 and mean <= 1.03 * other),
               f"SVR {other:.3f}; standard error of the mean over splits {error:.3f}; "
               f"{ABALONE['n_learners']} networks of {ABALONE['learner'].hidden} hidden units, "
               "averaged weights")  # fmt: skip


def refits() -> Row:
    """Measure what online trees lose against trees that are fitted to all past rows."""
    X, y = make_friedman1(9_000, 10, noise=1.0, random_state=0)
    errors, times = [], []
    for learner in ("tree", RefitTree()):
        model = StreamingBoostingRegressor(learner=learner, n_learners=20, drift=None)
        start = time.perf_counter()
        model.partial_fit(X[:4_000], y[:4_000])
        times.append(time.perf_counter() - start)
        r2 = 1.0 - ((model.predict(X[4_000:]) - y[4_000:]) ** 2).mean() / y[4_000:].var()
        errors.append(float(r2))
    return Row("Friedman #1, R2 on 5,000 rows after 4,000: online trees against refits on all past "
               "rows", "(reported)", f"{errors[0]:.3f} against {errors[1]:.3f}", None,
               f"20 trees of depth 5; {times[0]:.1f} s against {times[1]:.0f} s")  # fmt: skip


def learner_rows() -> Iterator[Row]:
    """Measure all parts whose data can be had."""
    parts: tuple[Callable[[], Row], ...] = (refits, a9a, abalone, mnist)
    for part in parts:
        try:
            yield part()
        except Exception as error:  # no network, no folder
            print(f"Without {part.__name__}: {error}", file=sys.stderr)
