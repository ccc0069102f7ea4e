"""Explained variance against cost: which criterion, doubling or not, linear or boosted.

All data is generated or comes with scikit-learn, and all rows tested are held out. With --write
the tables and pictures go to docs/.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from reporting.page import markdown_table, write_parts  # noqa: E402
from scrimp import Costs, SequencedRegressor, compare  # noqa: E402
from scrimp.evaluation import stopping_cost, timeliness  # noqa: E402

#: Part of all that is explained in training; beyond its cost orders hardly differ.
ALPHA = 0.97
#: Rows of the generated tables, half of them held out.
N_ROWS = 1200


def without_prices(costs: Costs) -> SequencedRegressor:
    """Return group OMP as if all groups cost the same (G-OMP)."""
    return SequencedRegressor(
        Costs.per_group(list(costs.item_of), np.ones(costs.n_items)), criterion="omp"
    )


SEQUENCERS: dict[str, Callable[[Costs], SequencedRegressor]] = {
    "forward": SequencedRegressor,
    "omp": lambda costs: SequencedRegressor(costs, criterion="omp"),
    "single": lambda costs: SequencedRegressor(costs, criterion="single"),
    "no-whiten": lambda costs: SequencedRegressor(costs, criterion="no-whiten"),
    "omp, all prices 1": without_prices,
    "forward, doubling": lambda costs: SequencedRegressor(costs, doubling=True),
}


@dataclass(frozen=True)
class Problem:
    """A table with the groups of its columns and what these cost.

    Parameters
    ----------
    X, Y : float arrays
        Rows.
    groups : int array (columns,)
        The group of each column, from 0.
    prices : float array (groups,)
        What a group costs.
    """

    X: np.ndarray
    Y: np.ndarray
    groups: np.ndarray
    prices: np.ndarray


def digits(rng: np.random.Generator) -> Problem:
    """Return digits on 8 x 8 images, in tiles of 2 x 2 pixels; prices from 0.1 to 10."""
    X, y = load_digits(return_X_y=True)
    row, column = np.divmod(np.arange(64), 8)
    return Problem(X, np.eye(10)[y], row // 2 * 4 + column // 2, 10.0 ** rng.uniform(-1, 1, 16))


def diabetes(rng: np.random.Generator) -> Problem:
    """Return ten measures of diabetes patients with their powers; prices from 0.1 to 10."""
    X, y = load_diabetes(return_X_y=True)
    curved = np.column_stack([X, X**2, X**3])
    return Problem(curved, y, np.tile(np.arange(10), 3), 10.0 ** rng.uniform(-1, 1, 10))


def mixed_groups(rng: np.random.Generator) -> Problem:
    """Return groups of four kinds, on which criteria disagree; prices from 0.1 to 10.

    A team: six columns, each of little use alone. An echo: six columns with the same information.
    A base, which is informative, and a refinement of it: the base and a little new information.
    """
    y, blocks = np.zeros(N_ROWS), []
    for _ in range(6):
        team, echo, base, new = (rng.standard_normal((N_ROWS, k)) for k in (6, 1, 1, 1))
        blocks += [
            team,
            echo + 0.1 * rng.standard_normal((N_ROWS, 6)),
            base,
            base + 0.2 * new,
        ]
        weights = rng.uniform(0.2, 1.0, 4)
        y += weights[0] * team.sum(axis=1) / np.sqrt(6) + weights[1] * echo[:, 0]
        y += weights[2] * base[:, 0] + weights[3] * new[:, 0]
    y += y.std() * rng.standard_normal(N_ROWS) / 2
    groups = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
    return Problem(np.hstack(blocks), y, groups, 10.0 ** rng.uniform(-1, 1, len(blocks)))


def one_dear(rng: np.random.Generator) -> Problem:
    """Return a column for 50 with half of the signal, and 60 for about 1 each, half as good."""
    prices = np.append(50.0, rng.uniform(0.5, 1.5, 60))
    values = np.append(0.5, 0.005 * prices[1:] * rng.lognormal(-0.125, 0.5, 60))
    X = rng.standard_normal((N_ROWS, 61))
    y = X @ np.sqrt(values) + np.sqrt(1.0 - values.sum()) * rng.standard_normal(N_ROWS)
    return Problem(X, y, np.arange(61), prices)


def spread(rng: np.random.Generator) -> Problem:
    """Return thirty columns at prices from 0.1 to 100; each is worth as much as it costs."""
    X, prices = rng.standard_normal((N_ROWS, 30)), 10.0 ** rng.uniform(-1, 2, 30)
    y = X @ np.sqrt(prices * rng.lognormal(0.0, 1.0, 30))
    return Problem(X, y + y.std() * rng.standard_normal(N_ROWS) / 2, np.arange(30), prices)


@dataclass(frozen=True, eq=False)
class Results:
    """Results of the trials on one kind of table, by sequencer.

    Parameters
    ----------
    costs : float array
        Where it was looked, as parts of the price of everything.
    explained : dict
        Held-out explained variance (trials x costs).
    timely : dict
        Its mean up to the stopping cost of `forward` (trials).
    """

    costs: np.ndarray
    explained: dict[str, np.ndarray]
    timely: dict[str, np.ndarray]


def run(make: Callable[[np.random.Generator], Problem], n_trials: int) -> Results:
    """Train every sequence on the same halves of the rows and the same prices."""
    parts = np.union1d(np.geomspace(1e-3, 1.0, 150), np.linspace(0.005, 1.0, 200))
    explained: dict[str, list[np.ndarray]] = {name: [] for name in SEQUENCERS}
    timely: dict[str, list[float]] = {name: [] for name in SEQUENCERS}
    for trial in range(n_trials):
        rng = np.random.default_rng(trial)
        problem = make(rng)
        costs = Costs.per_group(problem.groups.tolist(), problem.prices.tolist())
        train, test = np.array_split(rng.permutation(len(problem.X)), 2)
        until = 0.0
        for name, sequencer in SEQUENCERS.items():
            model = sequencer(costs).fit(problem.X[train], problem.Y[train])
            spent, curve = held_out(model, costs, problem.X[test], problem.Y[test])
            until = until or stopping_cost(spent, model.explained_, ALPHA)  # that of forward
            timely[name].append(timeliness(spent, curve, until))
            reached = np.searchsorted(spent, parts * costs.total * (1 + 1e-9), "right") - 1
            explained[name].append(curve[reached])
    return Results(
        parts,
        {name: np.array(curves) for name, curves in explained.items()},
        {name: np.array(values) for name, values in timely.items()},
    )


def held_out(
    model: SequencedRegressor, costs: Costs, X: np.ndarray, Y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the price of each prefix and the part of the held-out variance it explains."""
    order = [costs.names.index(name) for name in model.sequence_]
    prefixes = [order[:k] for k in range(len(order) + 1)]
    budgets = [model.plan_.costs.price_of(prefix) for prefix in prefixes]
    targets = Y.reshape(len(Y), 1, -1)
    answers = model.sweep(X, budgets).scores.reshape(len(Y), len(budgets), -1)
    variance = ((targets - targets.mean(axis=0)) ** 2).sum()
    left = ((targets - answers) ** 2).sum(axis=(0, 2)) / variance
    return np.array([costs.price_of(prefix) for prefix in prefixes]), 1.0 - left


def timely_table(results: dict[str, Results], n_trials: int) -> str:
    """Return the mean explained up to the stopping cost, as Markdown."""
    title = (
        "Explained variance of held-out rows in percent, if cut off at a cost drawn evenly up to "
        f"where `forward` has {ALPHA:.0%} of all it explains in training; mean of {n_trials} "
        "splits and price lists. In brackets the difference from `forward` on the same ones, "
        "± two standard errors:"
    )
    rows = [
        (name, *(_beside(result.timely[s], result.timely["forward"]) for s in SEQUENCERS))
        for name, result in results.items()
    ]
    return f"{title}\n\n{markdown_table(('', *SEQUENCERS), rows)}\n"


def _beside(values: np.ndarray, others: np.ndarray) -> str:
    gaps = 100 * (values - others)
    mean = f"{100 * values.mean():.1f}"
    if not gaps.any():
        return mean
    return f"{mean} ({gaps.mean():+.1f} ± {2 * gaps.std(ddof=1) / np.sqrt(len(gaps)):.1f})"


def doubling_table(results: dict[str, Results], n_trials: int) -> str:
    """Return what is explained at some costs with doubling and without, as Markdown."""
    shown = (0.02, 0.05, 0.1, 0.2, 0.4, 0.5, 0.7, 0.9, 1.0)
    title = (
        "Explained variance of held-out rows in percent at a part of the price of everything; mean "
        f"of {n_trials} tables and price lists, in brackets the worst of them:"
    )
    rows = []
    for table, result in results.items():
        places = [int(np.abs(result.costs - part).argmin()) for part in shown]
        for name in _DOUBLING:
            at = 100 * result.explained[name][:, places]
            rows.append(
                (table, name, *(f"{values.mean():.1f} ({values.min():.1f})" for values in at.T))
            )
    header = ("", "", *(f"{part:.0%}" for part in shown))
    return f"{title}\n\n{markdown_table(header, rows)}\n"


def against_boosting() -> str:
    """Return a linear model beside boosted stumps, on the same folds, as Markdown."""
    title = (
        "Quality on rows not trained on (R², or percent right), mean over all budgets / at the "
        "largest; all columns cost 1, five folds, twice. Boosting is `smoothed`. Last, how far "
        "the linear model is ahead at the largest budget, with its 95% interval on the same rows:"
    )
    rows = []
    for name, load in _BUNDLED.items():
        X, y = load(return_X_y=True)
        result = compare(X, y, methods=["smoothed", "linear"], n_repeats=2)
        full, scale = float(result.budgets[-1]), 100 if result.task == "classification" else 1
        cells = [
            " / ".join(_digits(scale * value, scale) for value in (curve.area(), curve.quality[-1]))
            for curve in (result.curve("linear"), result.curve("smoothed"))
        ]
        gap = result.difference(("linear", full), ("smoothed", full))
        value, low, high = (_digits(scale * g, scale) for g in (gap.value, gap.low, gap.high))
        rows.append((name, f"{len(X)} x {X.shape[1]}", *cells, f"{value} ({low} to {high})"))
    header = ("", "rows x columns", "linear", "boosting", "linear is ahead by")
    return f"{title}\n\n{markdown_table(header, rows)}\n"


_BUNDLED: dict[str, Callable[..., Any]] = {
    "diabetes (a number)": load_diabetes,
    "breast cancer (2 classes)": load_breast_cancer,
    "wine (3 classes)": load_wine,
}


def _digits(value: float, scale: float) -> str:
    return f"{value:.1f}" if scale > 1 else f"{value:.3f}"


_DOUBLING = ("forward", "forward, doubling")
_LOOKS: dict[str, dict[str, Any]] = {
    "forward": {"color": "#222222", "linewidth": 2.6},
    "omp": {"color": "#4477aa", "linestyle": "--", "linewidth": 2.0},
    "single": {"color": "#228833"},
    "no-whiten": {"color": "#ee6677", "linestyle": "-."},
    "omp, all prices 1": {"color": "#bb8800", "linestyle": ":", "linewidth": 2.2},
    "forward, doubling": {"color": "#aa3377", "linestyle": (0, (6, 2))},
}


def picture(results: dict[str, Results], path: Path) -> None:
    """Draw one panel per kind of table, one line per sequencer."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2 * len(results), 4.8), layout="constrained")
    axes = figure.subplots(1, len(results), squeeze=False)[0]
    for ax, (title, result) in zip(axes, results.items(), strict=True):
        for name, look in _LOOKS.items():
            mean = 100 * result.explained[name].mean(axis=0)
            ax.step(100 * result.costs, mean, where="post", label=name, **look)
        _axes(ax, title, log=True)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    figure.savefig(path, dpi=110)


def doubling_picture(results: dict[str, Results], path: Path) -> None:
    """Draw forward with doubling and without: the mean of the trials and the middle 80%."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.4), layout="constrained")
    axes = figure.subplots(1, len(results))
    for ax, (title, result) in zip(axes, results.items(), strict=True):
        for name in _DOUBLING:
            trials, look = 100 * result.explained[name], _LOOKS[name]
            ax.step(100 * result.costs, trials.mean(axis=0), where="post", label=name, **look)
            low, high = np.quantile(trials, [0.1, 0.9], axis=0)
            ax.fill_between(
                100 * result.costs, low, high, step="post", color=look["color"], alpha=0.12,
                linewidth=0,
            )  # fmt: skip
        _axes(ax, f"{title}; shaded: 8 of 10 tables")
    axes[0].legend(frameon=False, loc="upper left")
    figure.savefig(path, dpi=110)


def _axes(ax: Any, title: str, log: bool = False) -> None:
    if log:
        ax.set_xscale("log")
        ax.set_xticks([0.1, 1, 10, 100], ["0.1%", "1%", "10%", "100%"])
    else:
        ax.xaxis.set_major_formatter("{x:.0f}%")
    ax.set(xlabel="Spent, of the price of everything", ylabel="Explained of held-out rows, %")
    ax.set_title(title, fontsize=11, loc="left")
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)


def main() -> None:
    """Run all comparisons and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--write", action="store_true", help="write docs/anytime_linear* too")
    options = parser.parse_args()
    kinds = {
        "digits, tiles of pixels": digits,
        "diabetes, curves": diabetes,
        "generated, groups of four kinds": mixed_groups,
    }
    prices_apart = {"one dear column": one_dear, "prices from 0.1 to 100": spread}
    with threadpool_limits(1, user_api="blas"):
        results = {name: run(make, options.trials) for name, make in kinds.items()}
        apart = {name: run(make, options.trials) for name, make in prices_apart.items()}
        parts = {
            "criteria": timely_table(results, options.trials),
            "doubling": doubling_table(apart, options.trials),
            "boosting": against_boosting(),
        }
    print(*parts.values(), sep="\n")
    if options.write:
        page = ROOT / "docs" / "anytime_linear.md"
        write_parts(page, parts)
        picture(results, page.with_suffix(".png"))
        doubling_picture(apart, page.with_name("anytime_linear_doubling.png"))


if __name__ == "__main__":
    main()
