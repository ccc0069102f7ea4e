"""Time and memory of a fit, against LightGBM and scikit-learn."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.data import make_table
from benchmarks.report import Row, seconds
from reporting.page import markdown_table
from scrimp import BudgetedBoostingClassifier, Costs

N_ROUNDS = 100
THREADS = 2


def fit(
    X: np.ndarray, y: np.ndarray, prices: np.ndarray, rule: str = "greedy",
    combine: str = "stacked",
) -> object:  # fmt: skip
    """Fit the booster once, binning included."""
    model = BudgetedBoostingClassifier(
        Costs.per_feature(prices), rule=rule, n_rounds=N_ROUNDS, combine=combine,
        n_jobs=THREADS, random_state=0,
    )  # fmt: skip
    return model.fit(X, y)


def fit_vote(X: np.ndarray, y: np.ndarray, prices: np.ndarray) -> object:
    """Fit the vote of the paper, whose weights do not depend on the columns at hand."""
    return fit(X, y, prices, combine="vote")


def fit_lightgbm(X: np.ndarray, y: np.ndarray, prices: np.ndarray) -> None:
    """Fit LightGBM's stumps with a penalty on each new column, its binning included."""
    import lightgbm

    parameters = {
        "objective": "binary",
        "num_leaves": 2,
        "max_bin": 255,
        "num_threads": THREADS,
        "verbosity": -1,
        "cegb_tradeoff": 1.0,
        "cegb_penalty_feature_coupled": prices.tolist(),
    }
    lightgbm.train(parameters, lightgbm.Dataset(X, label=y), num_boost_round=N_ROUNDS)


def fit_adaboost(X: np.ndarray, y: np.ndarray) -> None:
    """Fit three rounds of scikit-learn's AdaBoost with stumps."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=3).fit(X, y)


def against_peers(n: int = 200_000, d: int = 200) -> list[Row]:
    """Time scrimp, LightGBM and AdaBoost in turn on the same table."""
    X, y, prices = make_table(n, d)
    small = make_table(2_000, d)
    fits = (fit, fit_vote, fit_lightgbm)
    for warm_up in fits:
        warm_up(*small)
    turns = [[seconds(lambda f=f: f(X, y, prices)) for f in fits] for _ in range(3)]
    ours, vote, theirs = np.min(turns, axis=0)
    adaboost = seconds(lambda: fit_adaboost(X, y)) * N_ROUNDS / 3
    size = f"{n:,} x {d} float32, {N_ROUNDS} rounds"
    return [
        Row(f"fit, {size}, `greedy`, against LightGBM with coupled CEGB penalties",
            "at most 0.4 x its time", f"{ours / theirs:.2f} x", bool(ours / theirs <= 0.4),
            f"{ours:.2f} s against {theirs:.2f} s"),
        Row("the same with `combine=\"vote\"`, against LightGBM", "at most 0.4 x its time",
            f"{vote / theirs:.2f} x", bool(vote / theirs <= 0.4),
            f"{vote:.2f} s against {theirs:.2f} s"),
        Row("the same against scikit-learn AdaBoost with stumps (from 3 rounds)",
            "at least 200 x faster", f"{adaboost / ours:.0f} x", bool(adaboost / ours >= 200),
            f"{adaboost:.0f} s extrapolated"),
    ]  # fmt: skip


def of_rules(n: int = 200_000, d: int = 200) -> list[Row]:
    """Time each rule and greedy in turn, with random prices and with equal ones."""
    X, y, prices = make_table(n, d)
    rows = []
    for what, price_list in (("random prices", prices), ("equal prices", np.ones(d))):
        rules = ("greedy", "smoothed", "speedboost", "hybrid", "edge")
        rounds = [
            [seconds(lambda r=r, p=price_list: fit(X, y, p, r)) for r in rules] for _ in range(3)
        ]
        greedy, *others = np.min(rounds, axis=0)
        rows += [
            Row(f"fit, {what}, `{rule}` against `greedy`", "within 10%", f"{time / greedy:.2f} x",
                bool(time <= 1.1 * greedy), f"{time:.2f} s against {greedy:.2f} s")
            for rule, time in zip(rules[1:], others, strict=True)
        ]  # fmt: skip
    return rows


def growth() -> tuple[list[Row], str]:
    """Time fits against rows and columns; return the rows and a table."""
    make = {"rows": lambda k: make_table(k, 100), "columns": lambda k: make_table(100_000, k)}
    sizes = {"rows": (50_000, 100_000, 200_000, 400_000), "columns": (50, 100, 200, 400)}
    rows, cells = [], []
    for axis, steps in sizes.items():
        times = []
        for size in steps:
            table = make[axis](size)
            times.append(seconds(lambda table=table: fit(*table), repeats=3))
            ratios = (f"{size / steps[0]:.0f}", f"{times[-1] / times[0]:.1f}")
            cells.append((f"{size:,} {axis}", f"{times[-1]:.2f}", *ratios))
        rise = times[-1] / times[0]
        what = f"growth from {steps[0]:,} to {steps[-1]:,} {axis} ({steps[-1] // steps[0]} x)"
        linear = rise <= 1.05 * steps[-1] / steps[0]
        rows.append(Row(what, "linear or better", f"{rise:.1f} x the time", linear))
    header = ("size", "seconds", "times the size", "times the time")
    return rows, markdown_table(header, cells) + "\n"


_MEMORY = """
import json, re, sys
from pathlib import Path
from benchmarks.data import make_table
from benchmarks.fitting import fit

def status(key):
    return int(re.search(key + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024

X, y, prices = make_table(200_000, 200)
fit(X[:5000].copy(), y[:5000], prices)
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
fit(X, y, prices)
print(json.dumps((status("VmHWM") - before) / X.size))
"""


def peak_memory() -> Row:
    """Measure bytes per cell above the input at the peak of a fit, in a fresh process."""
    root = Path(__file__).parents[1]
    out = subprocess.run([sys.executable, "-c", _MEMORY], cwd=root, capture_output=True, check=True)
    per_cell = json.loads(out.stdout)
    return Row("peak memory above the input, after a warm-up fit, 200,000 x 200 float32",
               "at most 1.5 bytes per cell", f"{per_cell:.2f}", per_cell <= 1.5)  # fmt: skip
