"""Trees that look at prices beside one that does not, on heart disease.

Run it as ``python -m benchmarks.tree_page``; with ``--write`` the table goes to docs/trees.md and
the picture to docs/trees.png. The data come with scrimp: heart disease with the prices of Turney
(1995), five folds, all rows tested.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from reporting.page import markdown_table, write_parts
from scrimp import BudgetedTreeClassifier
from scrimp.datasets import load_heart

DOCS = Path(__file__).parents[1] / "docs"
#: Budgets in dollars; all tests together cost 323.97.
BUDGETS = np.array([0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 150.0, 200.0, 323.97])
SHOWN = (1.0, 5.0, 20.0, 100.0, 200.0, 323.97)
METHODS: dict[str, dict[str, Any]] = {
    "price-blind": {"rule": "price-blind"},
    "eg2": {"rule": "eg2"},
    "cs-id3": {"rule": "cs-id3"},
    "idx": {"rule": "idx"},
    "eg2, average 50": {"rule": "eg2", "average_budget": 50.0},
}


def curves() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return for each method the shares of errors and the mean spend at the budgets."""
    heart = load_heart()
    y = np.asarray(heart.y)
    wrong: dict[str, list[np.ndarray]] = {name: [] for name in METHODS}
    spent: dict[str, list[np.ndarray]] = {name: [] for name in METHODS}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, test in folds.split(np.zeros(len(y)), y):
        for name, params in METHODS.items():
            model = BudgetedTreeClassifier(heart.costs, random_state=0, **params)
            sweep = model.fit(heart.X[train], y[train]).sweep(heart.X[test], BUDGETS)
            wrong[name].append(sweep.labels() != y[test][:, None])
            spent[name].append(sweep.spent)
    return {
        name: (np.concatenate(wrong[name]).mean(axis=0), np.concatenate(spent[name]).mean(axis=0))
        for name in METHODS
    }


def table(results: dict[str, tuple[np.ndarray, np.ndarray]]) -> str:
    """Return errors and spend in Markdown."""
    at = [int(np.flatnonzero(budget == BUDGETS)[0]) for budget in SHOWN]
    rows = [
        [name, *(f"{100 * wrong[i]:.1f}% for {spent[i]:.2f}" for i in at)]
        for name, (wrong, spent) in results.items()
    ]
    return markdown_table(["errors and mean spend at", *(f"{b:g}" for b in SHOWN)], rows) + "\n"


def draw(results: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """Draw the errors against the mean spend."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    for name, (wrong, spent) in results.items():
        ax.plot(spent, 100 * wrong, marker="o", label=name)
    ax.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square))
    ax.set(
        xlabel="mean spend per patient in dollars (square root scale)",
        ylabel="errors, percent",
        ylim=0,
        xlim=0,
    )
    ax.set_xticks([0, 1, 5, 20, 50, 100, 150, 200])
    ax.legend(frameon=False)
    figure.savefig(DOCS / "trees.png", dpi=110)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the table and the picture")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results = curves()
    text = table(results)
    print(text)
    if options.write:
        draw(results)
        write_parts(DOCS / "trees.md", {"heart": text})


if __name__ == "__main__":
    main()
