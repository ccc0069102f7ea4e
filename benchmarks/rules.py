"""Error against budget and spend of each rule, in the setting of the paper.

Every distinct threshold of a column is a 0/1 feature with its own price, drawn uniformly
from [0, 2]; training stops at the first choice it cannot pay (Huang, Powers, Reyzin 2015).
Needs the datasets (SCRIMP_DATA). With --write the tables and the picture go to docs/.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from papers.features import binary  # noqa: E402
from papers.huang2015.published import SETTINGS  # noqa: E402
from reporting.page import markdown_table, write_parts  # noqa: E402
from scrimp import BudgetedBoostingClassifier, Costs  # noqa: E402

RULES = ("edge", "greedy", "speedboost", "smoothed", "hybrid")
DATASETS = ("sonar", "ionosphere", "ecoli", "heart")
BUDGETS = np.arange(1.0, 21.0)
N_ROUNDS = 300


class Results:
    """Results of the trials on one dataset, by rule.

    Parameters
    ----------
    errors : dict
        Test errors (trials x budgets).
    spent : dict
        What each training spent in all its rounds (trials).
    """

    def __init__(self, trials: dict[str, list[tuple[np.ndarray, float]]]) -> None:
        self.errors = {rule: np.array([e for e, _ in runs]) for rule, runs in trials.items()}
        self.spent = {rule: np.array([s for _, s in runs]) for rule, runs in trials.items()}


def run(name: str, n_trials: int) -> Results:
    """Train every rule on the same splits and price lists."""
    data = binary(name)
    X, y = data.X.astype(np.float32), data.y
    trials: dict[str, list[tuple[np.ndarray, float]]] = {rule: [] for rule in RULES}
    for trial in range(n_trials):
        rng = np.random.default_rng(trial)
        order = rng.permutation(len(X))
        train, test = np.split(order, [SETTINGS[name].train])
        costs = Costs.per_feature(rng.uniform(0.0, 2.0, size=X.shape[1]))
        for rule in RULES:
            model = BudgetedBoostingClassifier(
                costs, BUDGETS[-1], rule=rule, n_rounds=N_ROUNDS, unaffordable="stop"
            ).fit(X[train], y[train])
            wrong = model.sweep(X[test], BUDGETS).labels() != y[test, None]
            trials[rule].append((wrong.mean(axis=0), float(model.plan_.price)))
    return Results(trials)


def error_table(results: dict[str, Results], n_trials: int) -> str:
    """Return the mean error in percent at three budgets, as Markdown."""
    shown = [2.0, 6.0, 20.0]
    title = (
        f"Test error in percent, mean of {n_trials} splits and price lists, at a budget of "
        "2 / 6 / 20:"
    )

    def cell(result: Results, rule: str) -> str:
        means = [result.errors[rule][:, np.isclose(BUDGETS, b)].mean() * 100 for b in shown]
        return " / ".join(f"{mean:.1f}" for mean in means)

    return by_rule(title, {name: [cell(res, r) for r in RULES] for name, res in results.items()})


def spent_table(result: Results, name: str) -> str:
    """Return the spend of the trainings on one dataset in all rounds, as Markdown."""
    trials = len(result.spent[RULES[0]])
    title = (
        f"Spent after at most {N_ROUNDS} rounds on {name}, of a budget of {BUDGETS[-1]:g}, in "
        f"{trials} trainings:"
    )
    rows = {
        "on average": [f"{result.spent[rule].mean():.2f}" for rule in RULES],
        "at most": [f"{result.spent[rule].max():.2f}" for rule in RULES],
    }
    return by_rule(title, rows)


def by_rule(title: str, rows: dict[str, list[str]]) -> str:
    """Return a Markdown table with one column per rule, below a title."""
    table = markdown_table(("", *RULES), [(name, *cells) for name, cells in rows.items()])
    return f"{title}\n\n{table}\n"


def picture(results: dict[str, Results], path: Path) -> None:
    """Draw one panel per dataset, one line per rule, with 95% intervals of the mean."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
    for ax, (name, result) in zip(axes.flat, results.items(), strict=True):
        for rule, trials in result.errors.items():
            mean = trials.mean(axis=0) * 100
            half = 196 * trials.std(axis=0, ddof=1) / np.sqrt(len(trials))
            ax.plot(BUDGETS, mean, label=rule, linestyle="--" if rule == "speedboost" else "-")
            ax.fill_between(BUDGETS, mean - half, mean + half, alpha=0.12)
        ax.set(title=name, xlabel="Budget", ylabel="Test error, %")
        ax.grid(alpha=0.3)
    axes.flat[0].legend(frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run the comparison and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--write", action="store_true", help="write docs/rules.{md,png} too")
    options = parser.parse_args()
    results = {name: run(name, options.trials) for name in DATASETS}
    parts = {
        "spent": spent_table(results["sonar"], "sonar"),
        "table": error_table(results, options.trials),
    }
    print(*parts.values(), sep="\n")
    if options.write:
        page = ROOT / "docs" / "rules.md"
        write_parts(page, parts)
        picture(results, page.with_suffix(".png"))


if __name__ == "__main__":
    main()
