"""Cascades at average budgets: by confidence, by a learned gate, and without leaving early.

Run it as ``python -m benchmarks.cascades`` with SCRIMP_DATA; ``--write`` writes the tables and the
picture of docs/cascades.md. All have the same stages: gradient-boosted trees on prefixes of one
order of purchases. A second table divides the rows that were not trained on at random, many times,
into rows that choose the thresholds and rows that test them.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402

from benchmarks.study.datasets import PROBLEMS  # noqa: E402
from benchmarks.study.prices import costs_of  # noqa: E402
from reporting.page import markdown_table, write_parts  # noqa: E402
from scrimp import CascadeClassifier  # noqa: E402
from scrimp.meta.cascade.held_out import followed  # noqa: E402
from scrimp.meta.cascade.thresholds import chosen_thresholds  # noqa: E402
from scrimp.runtime.confidence_threshold import StopGoal  # noqa: E402

ROOT = Path(__file__).parents[1]
DATASETS = ("adult", "covtype", "thyroid")
N_TRAIN, N_TEST, N_STAGES = 6_000, 10_000, 4
#: Average budgets as parts of the full price.
AVERAGES = (0.1, 0.2, 0.4)
N_SPLITS, ALLOWANCE = 50, 0.01


@dataclass
class Result:
    """Errors and mean spends, in parts of the full price, and the line of the second table."""

    stages: np.ndarray  # (stages, 2): spend and error if every row ends there
    confidence: np.ndarray  # (averages, 2)
    gates: np.ndarray
    promise: list[str]


def run(name: str) -> Result:
    """Return the errors of all methods on one dataset."""
    problem = PROBLEMS[name]()
    costs = costs_of(problem, 0).bind(problem.X.width, problem.X.columns)
    n = len(problem.y)
    order = np.random.default_rng(0).permutation(n)
    n_train = min(N_TRAIN, n // 2)
    train, test = np.sort(order[:n_train]), np.sort(order[n_train : n_train + N_TEST])
    X, y = problem.X, problem.y
    options: dict[str, Any] = {"costs": costs, "n_stages": N_STAGES, "cv": 0.3, "random_state": 0}
    model = CascadeClassifier(**options).fit(X[train], y[train])
    full = model.stage_prices_[-1]
    held = np.array([(s / full, _error(model, X[test], y[test], s)) for s in model.stage_prices_])
    answers = _answers(model, X[test], y[test])
    by_confidence, by_gates = [], []
    for average in AVERAGES:
        print(f"{name}: average of {average:g}", file=sys.stderr)
        given = {"average_budget": average * full}
        for kind, results in ((None, by_confidence), ("learned", by_gates)):
            extra = {"gate": kind, "imitate": True} if kind else {}
            try:
                each = CascadeClassifier(**options, **extra, **given).fit(X[train], y[train])
            except ValueError as error:
                print(f"{name}: {error}", file=sys.stderr)
                results.append((np.nan, np.nan))
                continue
            spent = each.spend(X[test]).mean() / full
            results.append((spent, float((each.predict(X[test]) != y[test]).mean())))
    return Result(held, np.array(by_confidence), np.array(by_gates), _promise(name, answers))


def _answers(model: CascadeClassifier, X: Any, y: np.ndarray) -> Any:
    """Return what rows answer after each stage."""
    table, _ = model.predictor_._table(X, None, None)
    truth = np.searchsorted(model.classes_, y)
    cascade: Any = model.plan_.plan
    return followed(cascade, model.plan_.costs, model.target_, table, truth).judged(model.target_)


def _error(model: CascadeClassifier, X: Any, y: np.ndarray, budget: float) -> float:
    """Return the error if every row goes as far as a budget allows."""
    plan: Any = model.plan_.plan
    patient = CascadeClassifier()
    patient.columns_, patient.target_ = model.columns_, model.target_
    never = plan.with_thresholds(np.full(len(plan.thresholds), np.inf))
    patient.plan_ = type(model.plan_)(never, model.plan_.costs)
    return float((patient.predictor_.predict(X, budget) != y).mean())


def _promise(name: str, rows: Any) -> list[str]:
    """Return how often an allowed increase is kept, and what leaving early saves."""
    rng, n = np.random.default_rng(1), len(rows.truth)
    never = np.full(rows.scores.shape[1], np.inf)
    kept, increases, saved = 0, [], []
    for seed in range(N_SPLITS):
        chosen = rng.permutation(n) % 2 == 0
        test = rows.taken(~chosen)
        cuts = chosen_thresholds(rows.taken(chosen), StopGoal(max_increase=ALLOWANCE), seed)
        full, outcome = test.outcome(never), test.outcome(cuts)
        increases.append(outcome.wrong.mean() - full.wrong.mean())
        kept += increases[-1] <= ALLOWANCE
        saved.append(1 - outcome.spend.mean() / full.spend.mean())
    error = 100 * rows.outcome(never).wrong.mean()
    return [
        name, f"{error:.2f}", f"{100 * np.mean(increases):+.2f}", f"{kept} of {N_SPLITS}",
        f"{100 * np.mean(saved):.0f}%",
    ]  # fmt: skip


def mixed(stages: np.ndarray, spend: float) -> float:
    """Return the error if some rows drawn at random end at one stage and some at the next.

    NaN where the spend does not pay for the first stage.
    """
    return float(np.interp(spend, stages[:, 0], stages[:, 1], left=np.nan))


def percent(share: float, digits: int = 2) -> str:
    """Return a share in percent; a dash for an average that cannot be reached."""
    return "-" if np.isnan(share) else f"{100 * share:.{digits}f}"


def table(results: dict[str, Result]) -> str:
    """Return the errors at average budgets."""
    header = [
        "data", "average budget, %", "no gate, errors in %", "confidence, errors in %",
        "gate and imitate, errors in %", "spent by confidence, %", "spent by gates, %",
    ]  # fmt: skip
    lines = []
    for name, result in results.items():
        for k, average in enumerate(AVERAGES):
            (spent, error), (gate_spent, gate_error) = result.confidence[k], result.gates[k]
            lines.append([
                name, f"{100 * average:g}", percent(mixed(result.stages, average)),
                percent(error), percent(gate_error), percent(spent, 1), percent(gate_spent, 1),
            ])  # fmt: skip
    return markdown_table(header, lines) + "\n"


def picture(results: dict[str, Result], path: Path) -> None:
    """Draw error against average spend."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(results), figsize=(11, 3.6), layout="constrained")
    for ax, (name, result) in zip(np.atleast_1d(axes), results.items(), strict=True):
        for points, label, marker in (
            (result.stages, "all rows end at the same stage", "s"),
            (result.confidence, "sure rows leave", "o"),
            (result.gates, "gate and imitation", "^"),
        ):
            ax.plot(100 * points[:, 0], 100 * points[:, 1], marker=marker, label=label)
        ax.set(title=name, xlabel="Mean spend, % of the full price")
        ax.grid(alpha=0.3)
    np.atleast_1d(axes)[0].set_ylabel("Errors, %")
    np.atleast_1d(axes)[0].legend(frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", type=lambda text: text.split(","), default=list(DATASETS))
    parser.add_argument("--write", action="store_true", help="write docs/cascades.{md,png}")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results = {name: run(name) for name in options.datasets}
    header = ["data", "errors if none leaves, %", "more with leaving, points",
              "increase of at most 1 point", "less spend"]  # fmt: skip
    parts = {
        "averages": table(results),
        "promise": markdown_table(header, [result.promise for result in results.values()]) + "\n",
    }
    print(*parts.values(), sep="\n")
    if options.write:
        page = ROOT / "docs" / "cascades.md"
        write_parts(page, parts)
        picture(results, page.with_suffix(".png"))


if __name__ == "__main__":
    main()
