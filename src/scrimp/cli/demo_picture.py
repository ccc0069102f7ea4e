"""The demo's picture: accuracy against dollars, and what is bought."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..evaluation import Curve
    from ..priced_plan import PricedPlan

_SPOKEN = {
    "cp": "chest pain",
    "trestbps": "blood pressure",
    "chol": "cholesterol",
    "fbs": "blood sugar",
    "restecg": "ECG at rest",
    "thalach": "peak heart rate",
    "exang": "angina on exercise",
    "oldpeak": "ST depression",
    "slope": "ST slope",
    "ca": "fluoroscopy",
    "thal": "thallium scan",
}
_BLUE, _LIGHT = "#3b6ea5", "#b5cbe3"
_TITLE = 11


def spoken(item: str) -> str:
    """An item of the heart data as people call it."""
    return _SPOKEN.get(item, item)


def draw(curve: Curve, full: PricedPlan | None, path: Path) -> None:
    """Two panels, saved as PNG."""
    from matplotlib.figure import Figure

    from .output import png_bytes, write_files

    figure = Figure(figsize=(12.0, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1.25, 1.0])
    _draw_curve(curve, left)
    _draw_purchases(full, right)
    write_files({path: png_bytes(figure)})


def _draw_curve(curve: Curve, ax: Any) -> None:
    """Budgets side by side: on a true scale the cheap questions would be one dot."""
    from matplotlib.ticker import PercentFormatter

    places = range(len(curve.budgets))
    spread = (curve.quality - curve.low, curve.high - curve.quality)
    ax.errorbar(places, curve.quality, spread, fmt="o-", color=_BLUE, ecolor=_LIGHT, elinewidth=6)
    for place, quality, high in zip(places, curve.quality, curve.high, strict=True):
        ax.annotate(
            f"{100.0 * quality:.0f}%", (place, high), xytext=(0, 4), ha="center",
            textcoords="offset points", fontsize="small", color="0.25",
        )  # fmt: skip
    ax.axhline(curve.quality[-1], color="0.6", linewidth=1.0, linestyle="--", zorder=0)
    ax.set_xticks(places, [f"{budget:.0f}" for budget in curve.budgets])
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.grid(axis="y", color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_xlabel("Dollars that a diagnosis may cost (not to scale)")
    ax.set_ylabel("Right, among patients not trained on")
    ax.set_title("Accuracy, with 95% intervals", loc="left", fontsize=_TITLE)


def _draw_purchases(full: PricedPlan | None, ax: Any) -> None:
    from ..evaluation import PurchaseDisplay

    lines = full.summary() if full else []
    named = [dataclasses.replace(line, item=spoken(line.item)) for line in lines]
    PurchaseDisplay(named).plot(ax)
    ax.set_xlabel("Dollars, with the total so far at the end of each bar")
    ax.set_title("Bought without a limit", loc="left", fontsize=_TITLE)
