"""One model, fitted once, asked at many budgets: the paper's vote, stacked columns and the prior.

Run it as ``python -m benchmarks.any_budget``; with ``--write`` the table and the picture go to
docs/any_budget.md and docs/any_budget.png. The data are those that come with scrimp: heart
disease with the prices of Turney (1995), five folds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from reporting.page import markdown_table
from scrimp import BudgetedBoostingClassifier
from scrimp.datasets import load_heart

DOCS = Path(__file__).parents[1] / "docs"
#: Parts of the price of everything.
SHARES = np.array([0.0, *(0.005 * 2.0 ** np.arange(8)), 1.0])
METHODS = {"the paper's vote": "vote", "stacked columns": "stacked"}

_PAGE = """# One model, asked at any budget

Printed by `python -m benchmarks.any_budget --write`: a booster is fitted once on heart disease,
without a limit ({price:.2f} dollars for all tests), and asked at smaller budgets; five folds, all
rows tested. At a budget of 0 nothing is bought and the answer is the prior.

{table}
![share of wrong answers against the budget](any_budget.png)

A sum of votes is meant for all of its stumps: where columns are missing, what is left can say less
than the prior, and its probabilities are far too sure. Stacked columns (`combine="stacked"`, the
default) are weighted for whatever columns a row has, and what explains most per price is bought
first. `combine="vote"` is the vote of the paper.

One training for a large budget uses cheap columns for what dear ones leave over, or not at all. So
stacked columns come from two trainings: one for the budget, and one for a sixteenth of what the
first spends, whose functions of cheap columns do without the others. `make trust` compares models
that were fitted once with models that were fitted for each budget.
"""


def curves() -> tuple[np.ndarray, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Return budgets, and for each method the shares of errors and the log losses at them."""
    heart = load_heart()
    budgets = SHARES * heart.costs.total
    classes, y = np.unique(heart.y, return_inverse=True)
    wrong = {name: [] for name in METHODS}
    losses = {name: [] for name in METHODS}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, test in folds.split(np.zeros(len(y)), y):
        for name, combine in METHODS.items():
            model = BudgetedBoostingClassifier(heart.costs, random_state=0, combine=combine)
            sweep = model.fit(heart.X[train], heart.y[train]).sweep(heart.X[test], budgets)
            wrong[name].append(sweep.labels() != classes[y[test]][:, None])
            own = sweep.probabilities()[np.arange(len(test)), :, y[test]]
            losses[name].append(-np.log(np.maximum(own, 1e-15)))
    means = {
        name: (np.concatenate(wrong[name]).mean(axis=0), np.concatenate(losses[name]).mean(axis=0))
        for name in METHODS
    }
    return budgets, means


def table(budgets: np.ndarray, means: dict[str, tuple[np.ndarray, np.ndarray]]) -> str:
    """Return the table in Markdown."""
    header = ["budget", *(f"wrong, {name}" for name in means), *(f"log loss, {n}" for n in means)]
    rows = [
        [f"{budget:.2f}", *(f"{wrong[at]:.1%}" for wrong, _ in means.values()),
         *(f"{loss[at]:.3f}" for _, loss in means.values())]
        for at, budget in enumerate(budgets)
    ]  # fmt: skip
    return markdown_table(header, rows) + "\n"


def draw(budgets: np.ndarray, means: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """Draw the shares of errors against the budget, on a square root scale."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    for name, (wrong, _) in means.items():
        ax.plot(budgets, wrong, marker="o", label=name)
    ax.axhline(next(iter(means.values()))[0][0], color="0.5", ls=":", label="the prior")
    ax.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square))
    ax.set(
        xlabel="budget in dollars (square root scale)",
        ylabel="share of wrong answers",
        ylim=0,
        xlim=0,
    )
    ax.set_xticks([0, 1, 5, 20, 50, 100, 200, 300])
    ax.legend(frameon=False)
    figure.savefig(DOCS / "any_budget.png", dpi=110)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the page and the picture")
    options = parser.parse_args()
    budgets, means = curves()
    text = table(budgets, means)
    print(text)
    if options.write:
        draw(budgets, means)
        page = _PAGE.format(price=load_heart().costs.total, table=text)
        (DOCS / "any_budget.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
