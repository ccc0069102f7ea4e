"""When which rule wins: test error against budget on public data, in the setting of the paper.

Every distinct threshold of a column is a 0/1 feature with a price of its own, drawn evenly
from [0, 2]; a training stops at the first choice it cannot pay (Huang, Powers, Reyzin 2015).
Needs the datasets (SCRIMP_DATA). With --write the table and the picture go to docs/.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from scrimp import BudgetedBoostingClassifier, Costs  # noqa: E402
from scrimp.reproduce.features import binary  # noqa: E402
from scrimp.reproduce.published import HUANG2015  # noqa: E402

RULES = ("edge", "greedy", "speedboost", "smoothed", "hybrid")
DATASETS = ("sonar", "ionosphere", "ecoli", "heart")
BUDGETS = np.arange(1.0, 21.0)
N_ROUNDS = 300


def errors(name: str, n_trials: int) -> dict[str, np.ndarray]:
    """Test errors (trials x budgets) of each rule; all rules get the same splits and prices."""
    data = binary(name)
    X, y = data.X.astype(np.float32), data.y
    found: dict[str, list[np.ndarray]] = {rule: [] for rule in RULES}
    for trial in range(n_trials):
        rng = np.random.default_rng(trial)
        order = rng.permutation(len(X))
        train, test = np.split(order, [HUANG2015[name].train])
        costs = Costs.per_feature(rng.uniform(0.0, 2.0, size=X.shape[1]))
        for rule in RULES:
            model = BudgetedBoostingClassifier(
                costs, BUDGETS[-1], rule=rule, n_rounds=N_ROUNDS, unaffordable="stop"
            ).fit(X[train], y[train])
            wrong = model.sweep(X[test], BUDGETS).labels() != y[test, None]
            found[rule].append(wrong.mean(axis=0))
    return {rule: np.array(trials) for rule, trials in found.items()}


def table(results: dict[str, dict[str, np.ndarray]], n_trials: int) -> str:
    """Mean error in percent at three budgets, as Markdown."""
    shown = [2.0, 6.0, 20.0]
    lines = [
        f"Test error in percent, mean of {n_trials} splits and price lists, at a budget of "
        "2 / 6 / 20:",
        "",
        f"| | {' | '.join(RULES)} |",
        "|---" * (len(RULES) + 1) + "|",
    ]
    for name, by_rule in results.items():
        cells = []
        for rule in RULES:
            means = [by_rule[rule][:, np.isclose(BUDGETS, b)].mean() * 100 for b in shown]
            cells.append(" / ".join(f"{mean:.1f}" for mean in means))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def picture(results: dict[str, dict[str, np.ndarray]], path: Path) -> None:
    """One panel a dataset, one line a rule, with 95% intervals of the mean."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
    for ax, (name, by_rule) in zip(axes.flat, results.items(), strict=True):
        for rule, trials in by_rule.items():
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
    results = {name: errors(name, options.trials) for name in DATASETS}
    text = table(results, options.trials)
    print(text)
    if options.write:
        page = ROOT / "docs" / "rules.md"
        before, _, rest = page.read_text(encoding="utf-8").partition("<!-- table -->")
        after = rest.partition("<!-- /table -->")[2]
        page.write_text(f"{before}<!-- table -->\n{text}<!-- /table -->{after}", encoding="utf-8")
        picture(results, page.with_suffix(".png"))


if __name__ == "__main__":
    main()
