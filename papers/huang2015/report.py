"""The tables and pictures of `huang2015`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reporting.page import markdown_table
from scrimp.types import Floats

from ..experiment import Results
from ..report import PaperPage, Table, percent
from ..trials import Record
from ..verdicts import interval
from .claims import verdicts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("RS", "RS_AC", "BT", "Greedy", "SpeedBoost", "Smoothed", "tree, pruned", "tree, full")
SHOWN = (2.0, 6.0, 12.0, 20.0, 40.0)
#: Budgets of the short table, one small, one middle and one large.
FEW = (2.0, 12.0, 40.0)
PRICES = {"uniform": "equal prices (all 1)", "random": "random prices (uniform on [0, 2])"}
#: Colours that the colour-blind can tell apart (Okabe and Ito), and how lines are drawn.
_LOOKS: dict[str, dict[str, Any]] = {
    "RS": {"color": "#999999"},
    "RS_AC": {"color": "#56b4e9"},
    "BT": {"color": "#000000"},
    "Greedy": {"color": "#d55e00"},
    "SpeedBoost": {"color": "#e69f00", "linestyle": (0, (4, 3))},
    "Smoothed": {"color": "#0072b2", "linewidth": 2.0},
    "tree, pruned": {"color": "#009e73", "linestyle": ":"},
    "tree, full": {"color": "#cc79a7", "linestyle": ":"},
}
_TICKS = (0.2, 0.5, 1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50)
Records = Sequence[Record]


def fill(page: PaperPage, results: Results, budgets: Floats) -> None:
    """Add verdicts, tables and pictures of the results."""
    page.add_verdicts(verdicts(results.records, budgets))
    page.add(
        "## Error against budget",
        "Test error in percent, mean over trials, at budgets of "
        + ", ".join(f"{budget:g}" for budget in SHOWN)
        + ". In the pictures bands are 95% intervals over trials, and the scale of errors is "
        "logarithmic, since those of RS are many times larger than the others.",
    )
    for name, records in results.records.items():
        page.add(f"### {name}")
        for costs, words in PRICES.items():
            page.add(f"{words[0].upper()}{words[1:]}:", _table(records, costs, budgets))
        caption = f"Test error against budget on {name}"
        page.add_picture(name, _picture(name, records, budgets), caption)
    page.shown.append(_short_table(results, budgets))
    page.record["budgets"] = budgets.tolist()
    page.record["datasets"] = {
        name: {costs: _summary(records, costs) for costs in PRICES}
        for name, records in results.records.items()
    }


def curves(records: Records, costs: str) -> dict[str, Floats]:
    """Return errors (trials x budgets) of each method."""
    return {
        method: np.array([r[costs]["error"][method] for r in records])
        for method in METHODS
        if method in records[0][costs]["error"]
    }


def _table(records: Records, costs: str, budgets: Floats) -> str:
    places = _places(budgets, SHOWN)
    header = ("method", *(f"{budgets[k]:g}" for k in places), "no limit")
    rows: list[Any] = []
    for method, errors in curves(records, costs).items():
        rows.append((method, *(percent(errors[:, k].mean()) for k in places), ""))
    adaboost = percent(np.mean([r[costs]["adaboost"] for r in records]))
    rows.append(("AdaBoost", *("" for _ in places), adaboost))
    return markdown_table(header, rows)


def _places(budgets: Floats, wanted: Sequence[float]) -> list[int]:
    return [int(np.flatnonzero(np.isclose(budgets, b))[0]) for b in wanted if b in budgets]


def _short_table(results: Results, budgets: Floats) -> Table:
    """Return all datasets and methods in one table, at few budgets."""
    places = _places(budgets, FEW)
    header = ["dataset", "method"]
    header += [f"{costs}\n{budgets[k]:g}" for costs in ("equal", "random") for k in places]
    rows = []
    for name, records in results.records.items():
        by_prices = {costs: curves(records, costs) for costs in PRICES}
        for method in by_prices["random"]:
            cells = [
                _cells(errors_by_method.get(method), places)
                for errors_by_method in by_prices.values()
            ]
            rows.append((name, method, *cells[0], *cells[1]))
        adaboost = [percent(np.mean([r[costs]["adaboost"] for r in records])) for costs in PRICES]
        cells = [["" for _ in places[1:]] + [one] for one in adaboost]
        rows.append((name, "AdaBoost", *cells[0], *cells[1]))
    title = (
        "Test error in percent, by prices and budget. AdaBoost has no budget. The paper shows "
        "curves without figures."
    )
    return Table(title, header, rows)


def _cells(errors: Floats | None, places: Sequence[int]) -> list[str]:
    """Return mean errors at some budgets; empty where a method was not run."""
    return ["" if errors is None else percent(errors[:, k].mean()) for k in places]


def _summary(records: Records, costs: str) -> Record:
    return {
        "error": {m: e.mean(axis=0).tolist() for m, e in curves(records, costs).items()},
        "spent": {
            m: float(np.mean([r[costs]["spent"][m] for r in records]))
            for m in records[0][costs]["spent"]
        },
        "adaboost": float(np.mean([r[costs]["adaboost"] for r in records])),
        "full": float(np.mean([r[costs]["full"] for r in records])),
    }


def _picture(name: str, records: Records, budgets: Floats) -> Figure:
    """Draw equal prices on the left and random ones on the right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for ax, (costs, words) in zip(axes, PRICES.items(), strict=True):
        _draw(ax, records, costs, budgets)
        ax.set_title(f"{name}, {words}", loc="left", fontsize=11)
    axes[0].set_ylabel("Test error, %")
    axes[0].set_ylim(bottom=0.85 * _lowest(records))
    handles, labels = axes[1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False)
    return figure


def _lowest(records: Records) -> float:
    """Return the least mean error of any curve, in percent; bands may go below it."""
    means = [errors.mean(axis=0) for costs in PRICES for errors in curves(records, costs).values()]
    means += [np.array([np.mean([r[costs]["adaboost"] for r in records])]) for costs in PRICES]
    percents = 100.0 * np.concatenate(means)
    return float(percents[percents > 0].min(initial=100.0))


def _draw(ax: Any, records: Records, costs: str, budgets: Floats) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter

    from scrimp.evaluation.displays.axes import tidy

    for method, errors in curves(records, costs).items():
        means, half = _band(errors)
        ax.plot(budgets, means, label=method, **({"linewidth": 1.4} | _LOOKS[method]))
        low = np.maximum(means - half, means / 10.0)  # a logarithmic axis has no zero
        ax.fill_between(budgets, low, means + half, color=_LOOKS[method]["color"], alpha=0.12,
                        linewidth=0)  # fmt: skip
    adaboost = 100.0 * np.mean([r[costs]["adaboost"] for r in records])
    ax.axhline(adaboost, color="0.4", linestyle="-.", linewidth=1.0, label="AdaBoost, no budget")
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(FixedLocator(_TICKS))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.minorticks_off()
    ax.set_xlabel("Budget")
    tidy(ax, "both")


def _band(errors: Floats) -> tuple[Floats, Floats]:
    intervals = [interval(column).scaled(100.0) for column in errors.T]
    means = np.array([one.mean for one in intervals])
    half = np.array([one.high - one.mean for one in intervals])
    return means, np.where(np.isfinite(half), half, 0.0)
