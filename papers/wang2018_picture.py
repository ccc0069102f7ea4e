"""The pictures of `wang2018`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scrimp.types import Floats

from .trials import Record
from .wang2018_claims import is_number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("LTB", "LTB-unif", "CS-G-FR", "L1")
_COLOURS = ("#d55e00", "#0072b2", "#009e73", "#e69f00")


def mean_of(records: Sequence[Record], method: str, what: str) -> Floats:
    """The mean over trials of a figure of a method at each budget."""
    return np.asarray(np.mean([r["methods"][method][what] for r in records], axis=0))


def picture(name: str, records: Sequence[Record]) -> Figure:
    """Mean curves of all methods."""
    from matplotlib.figure import Figure

    from scrimp.evaluation.displays.axes import tidy

    first = records[0]
    unit = 1.0 if is_number(first) else 100.0
    ratios = 100.0 * np.array(first["ratios"])
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    ax = figure.subplots()
    ax.axhline(unit * np.mean([r["all"] for r in records]), color="0.4", linestyle="--",
               label="all columns")  # fmt: skip
    for method, colour in zip(METHODS, _COLOURS, strict=True):
        if method in first["methods"]:
            curve = unit * mean_of(records, method, "quality")
            ax.plot(ratios, curve, color=colour, marker="o", markersize=3, label=method)
    if "planes" in first:
        _add_planes(ax, records, unit)
    ax.set_title(name, loc="left", fontsize=11)
    ax.set_xlabel("Budget, % of the price of everything")
    ax.set_ylabel("Mean squared error" if is_number(first) else "Accuracy, %")
    ax.legend(frameon=False)
    tidy(ax, "both")
    return figure


def _add_planes(ax: Any, records: Sequence[Record], unit: float) -> None:
    """Algorithm 1 where its purchases are, which is beyond its budgets."""
    spent = [[100.0 * p["ratio"] * p["cost"] for p in r["planes"]] for r in records]
    quality = [[unit * p["quality"] for p in r["planes"]] for r in records]
    ax.plot(np.mean(spent, axis=0), np.mean(quality, axis=0), "x", color="0.2",
            label="Algorithm 1, at what it costs")  # fmt: skip
