"""Boosted trees beside boosted stumps on scikit-learn's digits, at many budgets.

Run it as ``python -m benchmarks.trees_page``; with ``--write`` the table and the picture go to
docs/boosted_trees.md and docs/boosted_trees.png.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from reporting.page import markdown_table
from scrimp import BudgetedBoostingClassifier

DOCS = Path(__file__).parents[1] / "docs"
#: Pixels that may be bought; each costs 1.
BUDGETS = np.array([0, 1, 2, 4, 8, 12, 16, 24, 32, 48])
METHODS: dict[str, dict[str, Any]] = {
    "stumps, SAMME": {"loss": "samme", "n_rounds": 300},
    "stumps, AdaBoost.MH": {"loss": "exponential", "n_rounds": 300},
    "stumps, logistic (default)": {"n_rounds": 300},
    "trees of depth 3": {"max_depth": 3, "n_rounds": 300},
    "trees of depth 5": {"max_depth": 5, "n_rounds": 300},
    "trees of depth 5, AdaBoost.MH": {"max_depth": 5, "loss": "exponential", "n_rounds": 300},
}

_PAGE = """# Boosted trees within a budget

`BudgetedBoostingClassifier` and `BudgetedBoostingRegressor` boost stumps by default, and trees with
`max_depth` above 1. Stumps of three classes or more are trees of depth 1, and all that follows
holds for them; those of two classes and of numbers are AdaBoost's and gradient boosting's.

```python
from scrimp import BudgetedBoostingClassifier, BudgetedBoostingRegressor

model = BudgetedBoostingClassifier(costs, budget=40.0, max_depth=5).fit(X, y)
model.predict(X_new, budget=10.0)  # never more than 10 on any row
model.predict(X_new, stop="certain")  # the same labels; a row stops when no purchase can change its
BudgetedBoostingRegressor(costs, max_depth=4, loss="poisson", monotonic_cst={{"age": 1}})
```

On the command line: `scrimp fit data.csv --target y --costs prices.csv --method trees --depth 5`.

## What is bought

Trees are grown level by level on histograms. A split lowers the loss by a share of all that there
is to explain in that round, as a stump does by its edge, so that the rules of boosting on a budget
(`smoothed`, `greedy`, `speedboost`, `hybrid`, `edge`) choose between the splits of a node as they
choose between stumps. The item of a split is bought at once, and a split that the
rest of the budget cannot pay for is not made. `rule="penalty"` takes `penalty` times the price of
what is not bought yet from the mean gain of a split instead (GreedyMiser, which is also LightGBM's
CEGB); the budget stays hard.

## Who answers

These trees, in their order, are a sum that is meant for all of what they read
(`combine="vote"` keeps it). By default the order of the purchases is what is taken from them: up to
twelve prefixes of it have an ensemble of their own, on their columns alone, with as many trees as
held-out rows say, and a prefix that predicts these no better than a cheaper one is left out. With a
list of budgets there is an ensemble for each of them. One more ensemble has learnt from copies of
the rows of which items were knocked out: it answers where an item cannot be had, or is owned.

## Losses

| loss | for | notes |
|---|---|---|
| `logistic` | classes; the default but for stumps of two classes | softmax with several classes |
| `exponential` | classes; the default of stumps of two classes | AdaBoost.MH with several classes |
| `samme` | classes, stumps only; that of `combine="vote"` | SAMME, AdaBoost with two classes |
| `squared`, `absolute`, `quantile` | numbers | medians and quantiles in leaves |
| `poisson` | counts | the logarithm is the link |

Trees of several classes have a value per class in each leaf, and are split by at most five random
projections of the gradients. Missing values go to the side where they gain more. Categories are cut
in the order of their gradients, at most 255 in a column. `subsample`, `colsample`,
`min_samples_leaf`, `l2_regularization`, `monotonic_cst` and early stopping are those of
scikit-learn's histogram gradient boosting, or LightGBM's.

Steps of leaves on a logarithmic scale (all losses but those of numbers) are at most 4, before the
learning rate: where a row is surely wrong its Hessian vanishes.

Gradients are rounded to whole numbers at random, without bias, two of them in one integer: sums
over rows are exact, so that a training does not depend on the number of threads, and histograms of
blocks of rows add up.

## Stopping early

`stop="certain"` follows each tree as far as it is known, and bounds the rest by the leaves that can
still be reached. A row stops when no purchase can change its label.

## Stumps and trees

Written by `python -m benchmarks.trees_page --write`: scikit-learn's digits, 64 pixels at a price of
1 each, 1,197 rows for training and 600 for testing, each model fitted once and asked at all
budgets. Errors in percent:

{table}
![errors against the number of pixels bought](boosted_trees.png)

[Time, memory and accuracy beside LightGBM](boosted_trees_benchmarks.md).
"""


def curves() -> dict[str, tuple[np.ndarray, float]]:
    """Return for each method its errors at the budgets, and the seconds of its fit."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:1197], order[1197:]
    results = {}
    for name, params in METHODS.items():
        begin = time.perf_counter()
        model = BudgetedBoostingClassifier(random_state=0, **params).fit(X[train], y[train])
        took = time.perf_counter() - begin
        labels = model.sweep(X[test], BUDGETS).labels()
        results[name] = (labels != y[test][:, None]).mean(axis=0), took
    return results


def table(results: dict[str, tuple[np.ndarray, float]]) -> str:
    """Return the errors in Markdown."""
    rows = [[name, *(f"{100 * error:.1f}" for error in errors)]
            for name, (errors, _) in results.items()]  # fmt: skip
    return markdown_table(["pixels", *map(str, BUDGETS)], rows) + "\n"


def draw(results: dict[str, tuple[np.ndarray, float]]) -> None:
    """Draw the errors against the budget."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    for name, (errors, _) in results.items():
        ax.plot(BUDGETS, 100 * errors, marker="o", label=name)
    ax.set_xscale("function", functions=(lambda x: np.sqrt(np.maximum(x, 0)), np.square))
    ax.set(xlabel="pixels bought (square root scale)", ylabel="errors, percent", ylim=0, xlim=0)
    ax.set_xticks(BUDGETS)
    ax.legend(frameon=False)
    figure.savefig(DOCS / "boosted_trees.png", dpi=110)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the page and the picture")
    options = parser.parse_args()
    results = curves()
    text = table(results)
    print(text)
    print("seconds:", {name: round(took, 1) for name, (_, took) in results.items()})
    if options.write:
        draw(results)
        (DOCS / "boosted_trees.md").write_text(_PAGE.format(table=text), encoding="utf-8")


if __name__ == "__main__":
    main()
