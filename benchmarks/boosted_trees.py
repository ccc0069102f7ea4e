"""Boosted trees beside LightGBM: time, accuracy, memory, growth, and what stopping early saves.

Run it as ``python -m benchmarks.boosted_trees`` with nothing else on the machine; ``--parts speed``
and so on choose, ``--write`` writes docs/boosted_trees_benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "2")

import numpy as np  # noqa: E402

from benchmarks.data import make_table  # noqa: E402
from benchmarks.report import Row, as_markdown, seconds  # noqa: E402
from benchmarks.study.datasets import PROBLEMS  # noqa: E402
from benchmarks.study.prices import costs_of  # noqa: E402
from benchmarks.study.problems import Problem  # noqa: E402
from benchmarks.study.splits import outer_splits  # noqa: E402
from reporting.page import markdown_table  # noqa: E402
from scrimp import (  # noqa: E402
    BudgetedBoostingClassifier,
    BudgetedBoostingRegressor,
    FrontierClassifier,
)
from scrimp.plans import CalibratedPlan  # noqa: E402
from scrimp.plans.components.models import AverageModel, Model, TreesModel  # noqa: E402

THREADS, N_TREES, DEPTH = 2, 100, 5
#: Training rows of the comparison of accuracy, at most: of larger problems some are drawn.
MAX_ROWS = 30_000


def fit(X: np.ndarray, y: np.ndarray, n_trees: int = N_TREES, depth: int = DEPTH) -> Any:
    """Fit trees without prices, binning included, all as one sum."""
    model = BudgetedBoostingClassifier(
        rule="edge", max_depth=depth, n_rounds=n_trees, n_jobs=THREADS, random_state=0,
        combine="vote", early_stopping=False,
    )  # fmt: skip
    return model.fit(X, y)


def fit_lightgbm(X: np.ndarray, y: np.ndarray, n_trees: int = N_TREES) -> Any:
    """Fit LightGBM with as many leaves, its binning included."""
    import lightgbm

    parameters = {
        "objective": "binary", "num_leaves": 2**DEPTH, "max_depth": DEPTH, "max_bin": 255,
        "num_threads": THREADS, "verbosity": -1,
    }  # fmt: skip
    return lightgbm.train(parameters, lightgbm.Dataset(X, label=y), num_boost_round=n_trees)


def speed(n: int = 200_000, d: int = 200) -> list[Row]:
    """Time a fit and LightGBM in turn, and both predictions of 100,000 rows."""
    X, y, _ = make_table(n, d)
    for warm_up in (fit, fit_lightgbm):
        warm_up(X[:2_000], y[:2_000], 3)
    pairs = [(seconds(lambda: fit(X, y)), seconds(lambda: fit_lightgbm(X, y))) for _ in range(3)]
    ours, theirs = (min(times) for times in zip(*pairs, strict=True))
    model, peer = fit(X, y), fit_lightgbm(X, y)
    some = X[:100_000]
    model.predict_proba(some[:100])
    times = [
        (seconds(lambda: model.predict_proba(some)), seconds(lambda: peer.predict(some)))
        for _ in range(5)
    ]
    predict, peer_predict = (min(each) for each in zip(*times, strict=True))
    return [
        Row(f"fit, {n:,} x {d} float32, {N_TREES} trees of depth {DEPTH}, against LightGBM with as "
            "many leaves", "at most 1.2 x its time", f"{ours / theirs:.2f} x",
            ours <= 1.2 * theirs, f"{ours:.2f} s against {theirs:.2f} s"),
        Row("prediction of 100,000 rows by these trees, against LightGBM's", "at most 2 x its time",
            f"{predict / peer_predict:.2f} x", predict <= 2.0 * peer_predict,
            f"{1e3 * predict:.0f} ms against {1e3 * peer_predict:.0f} ms"),
    ]  # fmt: skip


def growth() -> list[Row]:
    """Time fits against rows, columns and depth."""
    X, y, _ = make_table(200_000, 200)
    fit(X[:2_000], y[:2_000], 3)
    cases = {
        "25,000 to 200,000 rows (8 x)": [(X[:n, :100], y[:n], DEPTH) for n in (25_000, 200_000)],
        "25 to 200 columns (8 x)": [(X[:50_000, :d], y[:50_000], DEPTH) for d in (25, 200)],
        "depth 2 to 8 (4 x)": [(X[:50_000, :100], y[:50_000], depth) for depth in (2, 8)],
    }
    rows = []
    for what, tables in cases.items():
        low, high = (
            seconds(lambda t=t: fit(np.ascontiguousarray(t[0]), t[1], 30, t[2]), repeats=2)
            for t in tables
        )
        limit = 8.4 if "8 x" in what else None
        rows.append(
            Row(f"growth of a fit, {what}", "linear or better" if limit else "(reported)",
                f"{high / low:.1f} x the time", None if limit is None else high / low <= limit)
        )  # fmt: skip
    return rows


_MEMORY = """
import json, re
from pathlib import Path
from benchmarks.boosted_trees import fit
from benchmarks.data import make_table

def status(key):
    return int(re.search(key + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

X, y, _ = make_table(200_000, 200)
fit(X[:2_000], y[:2_000], 3)
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
fit(X, y, 20)
print(json.dumps((status("VmHWM") - before) / X.size))
"""


def memory() -> list[Row]:
    """Measure bytes per cell above the input at the peak of a fit, in a fresh process."""
    out = subprocess.run([sys.executable, "-c", _MEMORY], cwd=ROOT, capture_output=True, check=True)
    per_cell = json.loads(out.stdout)
    return [Row("peak memory of a fit above the input, 200,000 x 200 float32",
                "at most 2 bytes per cell", f"{per_cell:.2f}", per_cell <= 2.0)]  # fmt: skip


def _split(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    train, test = outer_splits(problem, 0)[0]
    if len(train) > MAX_ROWS:
        train = np.sort(np.random.default_rng(0).choice(train, MAX_ROWS, replace=False))
    return train, test


def _peer_losses(problem: Problem, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the losses of LightGBM with the same number, depth and rate of trees."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    table = problem.coded
    kind = LGBMRegressor if problem.task == "regression" else LGBMClassifier
    model = kind(
        n_estimators=N_TREES, num_leaves=2**DEPTH, max_depth=DEPTH, learning_rate=0.1,
        min_child_samples=20, n_jobs=THREADS, verbosity=-1,
    )  # fmt: skip
    categorical = np.flatnonzero(table.categorical).tolist()
    model.fit(
        table.values[train], problem.y[train],
        categorical_feature=categorical if categorical else "auto",
    )  # fmt: skip
    return problem.losses(np.asarray(model.predict(table.values[test])), test)


def _our_losses(problem: Problem, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    kind = BudgetedBoostingRegressor if problem.task == "regression" else BudgetedBoostingClassifier
    model = kind(
        rule="edge", max_depth=DEPTH, n_rounds=N_TREES, min_samples_leaf=20, n_jobs=THREADS,
        random_state=0, combine="vote", early_stopping=False,
    )  # fmt: skip
    model.fit(problem.X[train], problem.y[train])
    return problem.losses(np.asarray(model.predict(problem.X[test])), test)


def accuracy(problems: list[str]) -> tuple[list[Row], str]:
    """Compare errors at equal settings on the problems of the study, one split of each."""
    cells, ratios = [], []
    for name in problems:
        problem = PROBLEMS[name]()
        train, test = _split(problem)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours, theirs = (
                each(problem, train, test).mean() for each in (_our_losses, _peer_losses)
            )
        ratios.append(max(ours, 1e-9) / max(theirs, 1e-9))
        cells.append((name, f"{ours:.4f}", f"{theirs:.4f}", f"{ratios[-1]:.3f}"))
        print(*cells[-1], file=sys.stderr, flush=True)
    mean = float(np.exp(np.mean(np.log(ratios))))
    row = Row(f"error of {N_TREES} trees without prices against LightGBM at equal settings, "
              f"{len(problems)} problems", "geometric mean at most 1.01", f"{mean:.3f}",
              mean <= 1.01)  # fmt: skip
    return [row], markdown_table(("problem", "scrimp", "LightGBM", "ratio"), cells) + "\n"


#: Rows of a batch whose prediction is timed.
N_BATCH = 100_000


def _turns(*calls: Callable[[], object], repeats: int = 7) -> list[float]:
    """Return the least time of each call, which take turns."""
    for call in calls:
        call()
    times = [[seconds(call) for call in calls] for _ in range(repeats)]
    return [min(each) for each in zip(*times, strict=True)]


def certain(n_seeds: int = 3) -> list[Row]:
    """Measure what an exact stop saves on adult, over several draws of prices."""
    problem = PROBLEMS["adult"]()
    train, test = _split(problem)
    saved, changed, ratios = [], 0, {"": [], "stumps": [], "stumps, `vote`": []}
    X, many = problem.X[test], problem.X[np.random.default_rng(0).choice(test, N_BATCH)]
    for seed in range(n_seeds):
        costs = costs_of(problem, seed)
        models = {
            "": BudgetedBoostingClassifier(
                costs, budget=costs.total, max_depth=DEPTH, n_rounds=N_TREES, random_state=0,
                combine="vote", early_stopping=False, n_jobs=THREADS,
            ),
            "stumps": BudgetedBoostingClassifier(costs, budget=costs.total, random_state=0),
            "stumps, `vote`": BudgetedBoostingClassifier(
                costs, budget=costs.total, random_state=0, combine="vote"
            ),
        }  # fmt: skip
        for name, model in models.items():
            model.fit(problem.X[train], problem.y[train])
            changed += int((model.predict(X) != model.predict(X, stop="certain")).sum())
            with_stop, without = _turns(
                lambda m=model: m.predict(many, stop="certain"), lambda m=model: m.predict(many)
            )
            ratios[name].append(with_stop / without)
        before = models[""].spend(X).mean()
        saved.append(1.0 - models[""].spend(X, stop="certain").mean() / before)
    rows = [
        Row("exact stop on adult, mean over draws of prices", "same labels, 30% less spend",
            f"{changed} labels changed, {100 * np.mean(saved):.0f}% less",
            changed == 0 and float(np.mean(saved)) >= 0.3),
    ]  # fmt: skip
    for name, each in ratios.items():
        ratio = float(np.mean(each))
        what = f"prediction of {N_BATCH:,} rows with an exact stop on adult, against the plain sum"
        rows.append(
            Row(what + (f" ({name})" if name else ""),
                "(reported)" if name else "at most 3 x its time", f"{ratio:.1f} x",
                None if name else ratio <= 3.0)
        )  # fmt: skip
    return rows


def _n_trees(model: Model) -> int:
    """Return the number of trees of a model, and of those that it averages."""
    if isinstance(model, AverageModel):
        return sum(_n_trees(member) for member in model.members)
    return len(model.trees) if isinstance(model, TreesModel) else 0


def _described(model: Model) -> str:
    """Return the kinds of models that an entry averages."""
    if isinstance(model, AverageModel):
        return ", ".join(_described(member) for member in model.members)
    return f"{len(model.trees)} trees" if isinstance(model, TreesModel) else model.kind


def frontier(n: int = 5_000) -> list[Row]:
    """Time a frontier's prediction at the full budget against LightGBM with as many trees.

    Its candidates are those with trees, and kernel ridge regression, the slowest of the others.
    """
    problem = PROBLEMS["adult"]()
    train, test = _split(problem)
    costs, rng = costs_of(problem, 0), np.random.default_rng(0)
    some, batch = np.sort(rng.choice(train, n, replace=False)), rng.choice(test, N_BATCH)
    model = FrontierClassifier(
        costs, [costs.total], candidates=["boosted", "forest", "kernel"], random_state=0,
        n_jobs=THREADS,
    ).fit(problem.X[some], problem.y[some])  # fmt: skip
    entry = model.plan_.plan.entries[-1]
    while isinstance(entry, CalibratedPlan):
        entry = entry.inner
    answering = entry.models.models[-1]
    n_trees = max(_n_trees(answering), 1)
    values = problem.coded.values
    import lightgbm

    parameters = {"objective": "binary", "num_threads": THREADS, "verbosity": -1}
    data = lightgbm.Dataset(values[some], label=problem.y[some] == problem.y[0])
    peer = lightgbm.train(parameters, data, num_boost_round=n_trees)
    X, many = problem.X[batch], np.ascontiguousarray(values[batch], dtype=np.float64)
    ours, theirs = _turns(lambda: model.predict_proba(X), lambda: peer.predict(many))
    return [
        Row(f"prediction of {N_BATCH:,} rows of adult by a frontier, against LightGBM with as many "
            "trees", "at most 2 x its time", f"{ours / theirs:.2f} x", ours <= 2.0 * theirs,
            f"{1e3 * ours:.0f} ms ({_described(answering)}) against {1e3 * theirs:.0f} ms"),
    ]  # fmt: skip


PARTS: dict[str, Callable[[], list[Row]]] = {
    "speed": speed, "growth": growth, "memory": memory, "certain": certain, "frontier": frontier
}  # fmt: skip


def main() -> None:
    """Print the table of the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--parts", type=lambda text: text.split(","), default=[*PARTS, "accuracy"],
        help=", ".join([*PARTS, "accuracy"]),
    )  # fmt: skip
    parser.add_argument("--problems", type=lambda text: text.split(","), default=list(PROBLEMS))
    parser.add_argument("--write", action="store_true", help="write the page in docs")
    options = parser.parse_args()
    rows, table = [], ""
    for part in options.parts:
        if part != "accuracy":
            rows += PARTS[part]()
    if "accuracy" in options.parts:
        more, table = accuracy(options.problems)
        rows += more
    text = _PAGE.format(rows=as_markdown(rows), table=table)
    print(text)
    if options.write:
        (ROOT / "docs" / "boosted_trees_benchmarks.md").write_text(text, encoding="utf-8")


_PAGE = """# Boosted trees: benchmarks

Printed by `make bench-trees` (2 threads). A ratio is taken within one run.

{rows}
Errors (part wrong, or mean squared error) on the test rows of the study's problems, at most 30,000
rows for training, 100 rounds of trees of depth 5, rate 0.1, 20 rows per leaf. With several classes
LightGBM grows a tree per class in each round; scrimp grows one tree with a value per class in its
leaves, with a rate of 0.3 from six classes on:

{table}"""


if __name__ == "__main__":
    main()
