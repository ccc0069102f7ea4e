"""The pictures of `sgb2017`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reporting.charts import line_chart
from scrimp.types import Floats

from ..trials import Record
from . import published
from .regret_claims import regrets
from .streams import DEPTHS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_SHADES = ("#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08306b")
_ERRORS = dict.fromkeys(("abalone", "year", "slice"), "Half the squared error, test rows")


def costs(name: str, records: Sequence[Record]) -> Figure:
    """Draw the error on test rows against the cost of training, in the first trial (Fig. 5.2)."""
    figure, ax = line_chart(
        f"{name}: error against computation", "Computation: answers of one weak learner",
        _ERRORS.get(name, "Test error"), size=(8.0, 4.8),
    )  # fmt: skip
    record = records[0]
    lines = {"GB": record["GB"], "SGB": record["SGB"]} | record["others"]
    for colour, (label, line) in zip(_COLOURS, lines.items(), strict=False):
        named = f"{label}, N = {_learners(record)}" if label in ("GB", "SGB") else label
        style = {"GB": "-", "SGB": "-"}.get(label, "--")
        ax.loglog(line["cost"], line["error"], style, color=colour, label=named, linewidth=1.6)
        if len(line["ends"]) > 1:
            x, y = (np.asarray(line[key])[line["ends"]] for key in ("cost", "error"))
            ax.loglog(x, y, "o", color=colour, markersize=4)
    printed = published.TABLE[name]
    ax.axhline(printed.SGB, color="0.4", linestyle=":", label="SGB, printed end")
    errors = [error for line in lines.values() for error in line["error"]]
    _plain_ticks(ax, [*errors, printed.SGB])
    ax.legend(frameon=False, fontsize=9)
    return figure


def _learners(record: Record) -> int:
    return len(record["GB"]["rows"])


def _plain_ticks(ax: Any, values: Sequence[float]) -> None:
    """Let a logarithmic axis that spans less than two decades have readable ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    top = float(np.quantile(values, 0.98))
    ax.set_ylim(0.93 * min(values), 1.1 * top)
    narrow = top / min(values) < 100
    ax.yaxis.set_major_locator(
        LogLocator(subs=(1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if narrow else (1.0,))
    )
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def regret(name: str, records: Sequence[Record]) -> Figure:
    """Draw mean regret against learners, depth and rows, of both algorithms (Fig. 5.1)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 7.4), layout="constrained")
    panels = figure.subplots(2, 3)
    for row, algorithm, loss in zip(
        panels, ("Alg. 6", "Alg. 7"), records[0]["losses"], strict=True
    ):
        by_rows = _rows(records, algorithm)
        _draw_learners(row[0], records, algorithm)
        _draw_depths(row[1], records, algorithm)
        for depth, shade in zip(DEPTHS, _SHADES, strict=True):
            row[2].loglog(records[0]["rows"], by_rows[depth], "o-", color=shade, markersize=3)
        titles = ("learners", "depth", "rows")
        for ax, what in zip(row, titles, strict=True):
            ax.set_title(f"{algorithm}, {loss}: regret by {what}", loc="left", fontsize=10)
        _finish(row)
    panels[0, 0].legend(frameon=False, fontsize=9, title="depth of trees", title_fontsize=9)
    panels[0, 1].legend(
        loc="upper right", frameon=False, fontsize=9, title="learners", title_fontsize=9
    )
    figure.suptitle(f"{name}: average regret against a tree of depth 15", fontsize=11)
    return figure


def _rows(records: Sequence[Record], algorithm: str) -> dict[int, Floats]:
    return {
        depth: np.mean([r[algorithm][str(depth)]["by_rows"] for r in records], axis=0)
        for depth in DEPTHS
    }


def _draw_learners(ax: Any, records: Sequence[Record], algorithm: str) -> None:
    for depth, shade in zip(DEPTHS, _SHADES, strict=True):
        means = regrets(records, algorithm, depth).mean(axis=0)
        ax.semilogy(np.arange(len(means)), means, color=shade, label=str(depth))
    ax.set_xlabel("Weak learners, N")
    ax.set_ylabel("Average regret")


def _draw_depths(ax: Any, records: Sequence[Record], algorithm: str) -> None:
    means = np.array([regrets(records, algorithm, depth).mean(axis=0) for depth in DEPTHS])
    for n, colour in zip((1, 2, 5, 10, means.shape[1] - 1), _COLOURS, strict=False):
        ax.semilogy(DEPTHS, means[:, n], "o-", color=colour, label=str(n), markersize=3)
    ax.set_xlabel("Depth of trees")
    ax.set_xlim(0.5, DEPTHS[-1] + 3.0)  # leaves room for the legend
    ax.set_xticks(DEPTHS)


def _finish(row: Any) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    from scrimp.evaluation.displays.axes import tidy

    row[2].set_xlabel("Rows, T")
    row[2].xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    for ax in row:
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 1.5, 2.0, 3.0, 5.0, 7.0)))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.yaxis.set_minor_formatter(NullFormatter())
        tidy(ax, "both")


def bounds(records: Sequence[Record]) -> Figure:
    """Draw regret on generated problems beside the bounds of Thm 5.5.1, means over trials."""
    figure, ax = line_chart(
        "Squared loss, generated: regret and its bounds", "Weak learners, N", "Average regret",
        size=(8.0, 4.8),
    )  # fmt: skip
    names = {"1/β": "step 1/β", "Thm 5.5.1": "step of Thm 5.5.1"}
    for colour, (key, label) in zip(_COLOURS, names.items(), strict=False):
        means = np.mean([r["smooth"][key]["regret"] for r in records], axis=0)
        ax.semilogy(np.arange(len(means)), means, "o-", color=colour, label=f"regret, {label}")
        sharp = _bound(records, key, 2)
        ax.semilogy(np.arange(1, len(sharp) + 1), sharp, "--", color=colour,
                    label=f"bound by 1 - γλη, {label}")  # fmt: skip
    printed = _bound(records, "Thm 5.5.1", 0)
    ax.semilogy(np.arange(1, len(printed) + 1), printed, ":", color="0.3", label="bound, printed")
    ax.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _bound(records: Sequence[Record], key: str, place: int) -> Floats:
    """Return the mean of a bound over the trials that have it, per number of learners."""
    found = np.array([[b[place] for b in r["smooth"][key]["bounds"]] for r in records], dtype=float)
    return np.asarray(np.nanmean(found, axis=0)) if np.isfinite(found).any(axis=0).all() else (
        np.full(found.shape[1], np.nan)
    )  # fmt: skip
