"""What calibration does to probabilities at several budgets, on rows that were not trained on.

Boosted stumps on three datasets whose columns cost between 0.5 and 3, drawn evenly: log loss
and calibration error (15 bins) before and after. Needs the datasets (SCRIMP_DATA). With
--write the tables and the picture go to docs/calibration.md.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from sklearn.metrics import log_loss  # noqa: E402

from reporting.page import write_parts  # noqa: E402
from scrimp import BudgetedBoostingClassifier, CalibratedClassifier, Costs  # noqa: E402
from scrimp.datasets import fetch, fetch_arrays  # noqa: E402
from scrimp.evaluation import calibration_error, reliability  # noqa: E402

#: Rows to train on and to test on.
SIZES = {"adult": (5000, 10_000), "spambase": (2300, 2301), "letter": (6000, 6000)}
FRACTIONS = (0.02, 0.1, 0.25, 0.5, 1.0)
METHODS = ("none", "sigmoid", "isotonic", "temperature")
N_ROUNDS = 300


@dataclass
class Results:
    """What was said of the test rows, by method (rows x fractions x classes), in all trials."""

    said: dict[str, list[np.ndarray]]
    truth: list[np.ndarray]
    classes: np.ndarray

    def mean(self, method: str, measure: Any) -> list[float]:
        """A measure at each fraction, mean of the trials."""
        values = [
            [measure(y, said[:, f], self.classes) for f in range(len(FRACTIONS))]
            for said, y in zip(self.said[method], self.truth, strict=True)
        ]
        return np.mean(values, axis=0).tolist()


def loss(y: np.ndarray, said: np.ndarray, classes: np.ndarray) -> float:
    """Log loss."""
    return float(log_loss(y, said, labels=classes))


def load(name: str) -> tuple[Any, np.ndarray]:
    """A dataset's table and target."""
    data = fetch_arrays(name) if name == "letter" else fetch(name)
    X = data.X.astype(np.float32) if name == "letter" else data.X
    return X, data.y


def run(name: str, n_trials: int) -> Results:
    """Train with and without calibration on the same rows and prices."""
    X, y = load(name)
    n_train, n_test = SIZES[name]
    results = Results({method: [] for method in METHODS}, [], np.unique(y))
    for trial in range(n_trials):
        rng = np.random.default_rng(trial)
        rows = rng.permutation(len(y))[: n_train + n_test]
        train, test = np.split(rows, [n_train])
        prices = rng.uniform(0.5, 3.0, X.shape[1])
        names = getattr(X, "columns", None)
        named = prices if names is None else dict(zip(names, prices, strict=True))
        costs = Costs.per_feature(named)
        booster = BudgetedBoostingClassifier(costs, n_rounds=N_ROUNDS, random_state=0)
        for method in METHODS:
            model = booster
            if method != "none":
                model = CalibratedClassifier(booster, method, random_state=0)
            model.fit(X[train], y[train])
            budgets = np.array(FRACTIONS) * model.plan_.price
            results.said[method].append(model.sweep(X[test], budgets).probabilities())
        results.truth.append(y[test])
        print(f"{name}: trial {trial + 1} of {n_trials}", file=sys.stderr)
    return results


def table(results: dict[str, Results], title: str, measure: Any) -> str:
    """One row a dataset and method, one column a fraction, as Markdown."""
    shown = " | ".join(f"{100 * f:g}%" for f in FRACTIONS)
    lines = [title, "", f"| | | {shown} |", "|---" * (len(FRACTIONS) + 2) + "|"]
    for name, found in results.items():
        for method in METHODS:
            means = found.mean(method, measure)
            label = "as trained" if method == "none" else f"`{method}`"
            cells = " | ".join(f"{value:.3f}" for value in means)
            lines.append(f"| {name if method == 'none' else ''} | {label} | {cells} |")
    return "\n".join(lines) + "\n"


def picture(results: dict[str, Results], path: Path) -> None:
    """What was said against what came true, of the first trial, at two fractions."""
    import matplotlib.pyplot as plt

    shown = [1, len(FRACTIONS) - 1]
    figure, axes = plt.subplots(
        len(shown), len(results), figsize=(10, 6.5), layout="constrained", sharex=True, sharey=True
    )
    for column, (name, found) in enumerate(results.items()):
        for ax, f in zip(axes[:, column], shown, strict=True):
            ax.plot([0, 1], [0, 1], color="0.7", linewidth=1)
            for method, label in (("none", "as trained"), ("sigmoid", "sigmoid")):
                said = found.said[method][0][:, f]
                x, came, mass = reliability(found.truth[0], said, found.classes)
                kept = mass >= 0.002
                ax.plot(x[kept], came[kept], marker="o", markersize=4, label=label)
            ax.set(title=f"{name}, {100 * FRACTIONS[f]:g}% of the price")
            ax.grid(alpha=0.3)
    for ax in axes[-1]:
        ax.set_xlabel("Probability said")
    for ax in axes[:, 0]:
        ax.set_ylabel("Part that came true")
    axes[0, 0].legend(frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run the comparison and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write docs/calibration.{md,png} too")
    options = parser.parse_args()
    results = {name: run(name, options.trials) for name in SIZES}
    where = f"at five budgets, parts of the full price; mean of {options.trials} splits"
    parts = {
        "loss": table(results, f"Log loss {where}:", loss),
        "error": table(results, f"Calibration error {where}:", calibration_error),
    }
    print(*parts.values(), sep="\n")
    if options.write:
        page = ROOT / "docs" / "calibration.md"
        write_parts(page, parts)
        picture(results, page.with_suffix(".png"))


if __name__ == "__main__":
    main()
