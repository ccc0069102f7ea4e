"""Benchmarks of BudgetedSVC and BudgetedSVR: speed, duality gaps and certificates.

Run as ``python -m benchmarks.svm``; with ``--write`` the tables also go to
docs/budgeted_svm_benchmarks.md. Ratios are taken within one run; nothing else should be running.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC, LinearSVR

from benchmarks.report import Row, as_markdown, seconds
from papers.prices import YAHOO_PRICES
from scrimp import BudgetedSVC, BudgetedSVR, Costs
from scrimp.datasets import fetch_arrays, load_heart
from scrimp.learners.svm.groups import Groups
from scrimp.learners.svm.problem import LOSSES, SVMProblem
from scrimp.learners.svm.relaxation import Relaxation

ROOT = Path(__file__).parents[1]
#: Budgets, as parts of the price of everything.
RATIOS = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
#: Weight of the losses.
C = 1.0
#: Half the width of the insensitive zone in regression.
EPSILON = 0.1
#: The relative duality gap to reach.
TOL = 1e-3
#: A set within this relative distance of its lower bound counts as proven to be the best.
PROVEN = 1e-3
DATASETS = ("basehock", "pcmac", "a9a", "blogfeedback", "madelon")


@dataclass(frozen=True)
class Table:
    """Training and test rows, and prices."""

    name: str
    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    costs: Costs

    @property
    def is_regression(self) -> bool:
        """Return whether the response is numeric."""
        return self.name == "blogfeedback"

    def learner(self, budget: Any) -> Any:
        """Return the learner with the settings of all these measurements."""
        kind = BudgetedSVR if self.is_regression else BudgetedSVC
        more = {"epsilon": EPSILON} if self.is_regression else {}
        return kind(self.costs, budget, C, tol=TOL, **more)

    def peer(self) -> Any:
        """Return LIBLINEAR's model of all columns, with the same loss and tolerance."""
        if self.is_regression:
            return LinearSVR(
                epsilon=EPSILON, C=C, tol=TOL, loss="squared_epsilon_insensitive", dual="auto"
            )
        return LinearSVC(C=C, tol=TOL, dual="auto")

    def problem(self) -> SVMProblem:
        """Return the problem without its budget."""
        y = self.y if self.is_regression else np.where(self.y > 0, 1.0, -1.0)
        loss = LOSSES["squared_epsilon_insensitive" if self.is_regression else "squared_hinge"]
        return SVMProblem.from_table(
            self.X, y[None], np.full(len(y), C), Groups(self.costs), loss,
            EPSILON if self.is_regression else 0.0,
        )  # fmt: skip


def drawn_prices(n: int, seed: int = 0) -> list[float]:
    """Draw prices from those of Yahoo's features, as in the paper."""
    counts = np.array(list(YAHOO_PRICES.values()), dtype=np.float64)
    rng = np.random.default_rng(seed)
    return [float(p) for p in rng.choice(list(YAHOO_PRICES), n, p=counts / counts.sum())]


def load(name: str) -> Table:
    """Load a public dataset with its published split, or a third of the rows drawn for testing."""
    data = fetch_arrays(name)
    y = np.log1p(data.y) if name == "blogfeedback" else (data.y == np.unique(data.y)[-1])
    X, y = data.X, np.asarray(y, dtype=np.float64)
    if data.n_train:
        train, test = np.arange(data.n_train), np.arange(data.n_train, X.shape[0])
    else:
        order = np.random.default_rng(0).permutation(X.shape[0])
        train, test = np.split(order, [2 * len(order) // 3])
    if sparse.issparse(X):
        X = X.tocsr().astype(np.float64)
        learnt, tested = X[train], X[test]
    else:
        scaler = StandardScaler().fit(X[train].astype(np.float64))
        learnt, tested = scaler.transform(X[train]), scaler.transform(X[test])
    costs = Costs.per_feature(drawn_prices(X.shape[1]))
    return Table(name, learnt, y[train], tested, y[test], costs)


def gaps(table: Table) -> list[Row]:
    """Measure the gap of the relaxation, and the time that it takes per budget."""
    problem, groups, total = table.problem(), Groups(table.costs), table.costs.total
    relaxation = Relaxation(problem, groups.prices, TOL, 3_000)
    relaxation.solve(0.5 * total)
    theirs = seconds(lambda: table.peer().fit(table.X, table.y), repeats=3)
    solutions, times = [], []
    for ratio in RATIOS:
        times.append(seconds(lambda r=ratio: relaxation.solve(r * total), repeats=3))  # type: ignore[misc]
        solutions.append(relaxation.solve(ratio * total))
    model = table.learner([ratio * total for ratio in RATIOS])
    whole = seconds(lambda: model.fit(table.X, table.y))
    first, widest = solutions[0].gap, max(solution.gap for solution in solutions[1:])
    steps = ", ".join(str(solution.n_steps) for solution in solutions)
    trainings = ", ".join(f"{n}" for n in model.n_trainings_)
    over = float((model.prices_ / model.budgets_).max())
    longest = max(times) / theirs
    return [
        Row(f"{table.name}: relative gap of the relaxation", "1e-3 from 0.1 up, 1e-2 at 0.01",
            f"{widest:.1e}, {first:.1e}", bool(widest <= 1e-3 and first <= 1e-2),
            f"steps at the nine ratios {steps}; models trained for rounding {trainings}"),
        Row(f"{table.name}: time of that, the slowest of nine budgets, each from scratch",
            "at most 40 x one model on all columns by LIBLINEAR", f"{longest:.1f} x",
            longest <= 40.0,
            f"{1e3 * theirs:.0f} ms theirs; with rounding, menu and all, a mean of "
            f"{whole / len(RATIOS) / theirs:.1f} x a budget"),
        Row(f"{table.name}: price of the model over its budget", "never above 1", f"{over:.4f}",
            over <= 1.0 + 1e-9, f"bound_ from {model.bound_.max():.2g} down to "
            f"{model.bound_.min():.2g}"),
    ]  # fmt: skip


def nonsmooth(table: Table) -> Row:
    """Measure the same with a non-smooth loss, against LIBLINEAR with that loss."""
    kind = "epsilon_insensitive" if table.is_regression else "hinge"
    problem, total = replace(table.problem(), loss=LOSSES[kind]), table.costs.total
    relaxation = Relaxation(problem, Groups(table.costs).prices, TOL, 10_000)
    relaxation.solve(0.5 * total)
    peer = table.peer().set_params(loss=kind, dual=True)
    theirs = seconds(lambda: peer.fit(table.X, table.y))
    solutions, times = [], []
    for ratio in RATIOS:
        begin = time.perf_counter()
        solutions.append(relaxation.solve(ratio * total))
        times.append(time.perf_counter() - begin)
    widest = max(solution.gap for solution in solutions)
    return Row(f"{table.name}: the gap and the time of the slowest of nine budgets with {kind}", "",
               f"{widest:.1e}, {max(times) / theirs:.1f} x", None,
               f"{max(times):.2f} s, LIBLINEAR with this loss {theirs:.2f} s; steps "
               f"{', '.join(str(solution.n_steps) for solution in solutions)}")  # fmt: skip


def against_fractions(table: Table) -> Row:
    """Compare with the paper's model, a fractional selection used as it is, at equal true cost."""
    problem, groups, total = table.problem(), Groups(table.costs), table.costs.total
    relaxation = Relaxation(problem, groups.prices, TOL, 3_000)
    worst, at, overspent = -np.inf, 0.0, 0.0
    for ratio in RATIOS:
        relaxed = relaxation.solve(ratio * total)
        paid = float(groups.prices[relaxed.selection > 0].sum())
        sums = np.asarray(table.X_test @ relaxed.iterate.w[0]) + relaxed.iterate.b[0]
        ours = table.learner(paid).fit(table.X, table.y).predict(table.X_test)
        worse = _worse(table, sums, ours)
        if worse > worst:
            worst, at = worse, ratio
        overspent = max(overspent, paid / (ratio * total))
    unit, limit = ("% of the MSE", 1.0) if table.is_regression else ("points", 0.3)
    return Row(f"{table.name}: test error beyond that of a fractional selection used as it is, at "
               "equal true cost", f"at most {limit:g} {unit}", f"{worst:+.2f} {unit}",
               bool(worst <= limit), f"the worst of nine ratios, {at:g}; the fractional model "
               f"spends up to {overspent:.2f} x its budget")  # fmt: skip


def _worse(table: Table, theirs: np.ndarray, ours: np.ndarray) -> float:
    if table.is_regression:
        errors = [float(((answers - table.y_test) ** 2).mean()) for answers in (theirs, ours)]
        return 100.0 * (errors[1] / errors[0] - 1.0)
    wrong = [float((labels != table.y_test).mean()) for labels in ((theirs > 0) * 1.0, ours)]
    return 100.0 * (wrong[1] - wrong[0])


def small_tables() -> list[Table]:
    """Return tables of few columns that come with scikit-learn and scrimp, standardised."""
    wine, cancer = load_wine(), load_breast_cancer()
    tables = [_heart()]
    for name, X, y in (
        ("wine, its second class", wine.data, wine.target == 1),
        ("breast cancer", cancer.data, cancer.target),
    ):
        X, y = StandardScaler().fit_transform(X), np.asarray(y, dtype=np.float64)
        tables.append(Table(name, X, y, X, y, Costs.per_feature(drawn_prices(X.shape[1]))))
    return tables


def _heart() -> Table:
    """Return the heart data with the prices of its tests, and categories one-hot encoded."""
    heart = load_heart()
    words = [name for name, kind in heart.X.schema.items() if kind == pl.String]
    numbers = [name for name in heart.X.columns if name not in words]
    encoder = ColumnTransformer([
        ("words", OneHotEncoder(sparse_output=False), words),
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
    ])  # fmt: skip
    X = np.asarray(encoder.fit_transform(heart.X))
    costs = heart.costs.through(encoder, names=False) if heart.costs else None
    assert costs is not None
    return Table("heart with its prices and fees", X, heart.y.astype(float), X, heart.y, costs)


def proof(table: Table) -> Row:
    """Measure how far sets can be from the best, with branch and bound and without."""
    budgets = [ratio * table.costs.total for ratio in RATIOS]
    learner = table.learner(budgets)
    without = table.learner(budgets).set_params(max_nodes=0)
    times = [seconds(lambda m=m: m.fit(table.X, table.y)) for m in (learner, without)]  # type: ignore[misc]
    best = int((learner.bound_ <= PROVEN).sum())
    better = int((learner.objective_ < without.objective_ * (1 - 1e-3)).sum())
    return Row(f"{table.name}, {table.X.shape[0]} x {table.X.shape[1]}: budgets of nine where the "
               f"set is proven to be the best, within {PROVEN:g}", "", f"{best}", None,
               f"bound_ at most {learner.bound_.max():.2g}, without branch and bound "
               f"{without.bound_.max():.2g}; better sets at {better}; {times[0]:.2f} s against "
               f"{times[1]:.2f} s; nodes {', '.join(map(str, learner.n_nodes_))}")  # fmt: skip


_WIDE = """
import json, re, time, warnings
from pathlib import Path
import numpy as np
from sklearn.svm import LinearSVC
from benchmarks.svm import RATIOS, TOL, drawn_prices, wide_table
from scrimp import BudgetedSVC, Costs
X, y, costs = wide_table()
BudgetedSVC(budget=1.0).fit(np.eye(30)[:, :3], np.arange(30) % 2)
def timed(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result
theirs = min(timed(lambda: LinearSVC(tol=TOL).fit(X, y))[0] for _ in range(2))
budgets = [ratio * costs.total for ratio in RATIOS]
ours, model = timed(lambda: BudgetedSVC(costs, budgets, tol=TOL).fit(X, y))
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024
each = [timed(lambda b=b: BudgetedSVC(costs, b, tol=TOL).fit(X, y))[0] for b in budgets]
print(json.dumps({"theirs": theirs, "ours": ours, "each": each, "peak": peak,
                  "gap": model.gap_.max(), "over": (model.prices_ / model.budgets_).max(),
                  "steps": model.n_steps_.tolist(), "nonzeros": int(X.nnz)}))
"""


def wide_table() -> tuple[Any, np.ndarray, Costs]:
    """Generate rows of the shape and sparsity of news20.binary, in groups of 1,000 columns."""
    from papers.wang2018.generated import generated

    n, d = 15_998, 1_355_191
    X, y = generated((n, d), 562.5)
    labels = np.random.default_rng(0).permutation(d) // 1_000
    return X, y, Costs.per_group(labels, drawn_prices(int(labels.max()) + 1))


def wide() -> list[Row]:
    """Measure a path of nine budgets on a million columns."""
    begin = time.perf_counter()
    call = [sys.executable, "-W", "ignore", "-c", _WIDE]
    out = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    run = json.loads(out)
    shape = f"15,998 x 1,355,191 in 1,356 groups, {run['nonzeros'] / 1e6:.1f} million non-zeros"
    ratio, cold = run["ours"] / run["theirs"], sum(run["each"]) / run["ours"]
    gigabytes = run["peak"] / 1e9
    return [
        Row(f"nine budgets as one path, generated rows of news20's shape ({shape})",
            "at most 60 x one LinearSVC on all columns, under 4 GB",
            f"{ratio:.1f} x, {gigabytes:.2f} GB", bool(ratio <= 60 and gigabytes < 4),
            f"{run['ours']:.0f} s against {run['theirs']:.1f} s; gap {run['gap']:.1e}, price "
            f"over budget {run['over']:.4f}, steps {run['steps']}"),
        Row("the same against each budget from scratch", "at least 2 x faster", f"{cold:.2f} x",
            cold >= 2.0, f"{sum(run['each']):.0f} s in all; {time.perf_counter() - begin:.0f} s "
            "for both rows"),
    ]  # fmt: skip


def all_rows(names: tuple[str, ...] = DATASETS, with_wide: bool = True) -> list[Row]:
    """Return every row of the table."""
    rows = []
    for name in names:
        table = load(name)
        print(f"{name} {table.X.shape}", file=sys.stderr)
        rows += [*gaps(table), nonsmooth(table), against_fractions(table)]
    rows += [proof(table) for table in small_tables()]
    return rows + (wide() if with_wide else [])


_TEMPLATE = """# Support vector machines under a budget: benchmarks

Printed by `python -m benchmarks.svm` ({machine}, Python {python}). Prices are drawn from those
of Yahoo's features (Xu et al. 2012), C is 1, epsilon 0.1, BlogFeedback's response log(1 + y), and
its columns and those of madelon are standardised. A ratio is taken within one run.

{rows}"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", default=",".join(DATASETS), help="only these")
    parser.add_argument("--no-wide", action="store_true", help="leave out the widest table")
    parser.add_argument("--write", action="store_true", help="write the page too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = all_rows(tuple(options.datasets.split(",")), not options.no_wide)
    text = _TEMPLATE.format(
        machine=platform.machine(), python=platform.python_version(), rows=as_markdown(rows)
    )
    print(text)
    if options.write:
        (ROOT / "docs" / "budgeted_svm_benchmarks.md").write_text(text, encoding="utf-8")
    sys.exit(any(row.met is False for row in rows))


if __name__ == "__main__":
    main()
