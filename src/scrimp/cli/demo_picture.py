"""The demo's picture: methods against dollars, and what is bought."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..evaluation import Advice, Comparison
    from ..plans.priced_plan import PricedPlan

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
_TITLE = 11


def spoken(item: str) -> str:
    """An item of the heart data as people call it."""
    return _SPOKEN.get(item, item)


def draw(comparison: Comparison, advice: Advice, bought: PricedPlan, path: Path) -> None:
    """Curves of all methods, how they stand, and what the one advised buys; saved as PNG."""
    from matplotlib.figure import Figure

    from ..evaluation.displays.axes import png_bytes
    from .comparison_picture import draw_curves, draw_standing
    from .output import write_files

    figure = Figure(figsize=(12.0, 9.0), layout="constrained")
    figure.suptitle("Heart disease, 303 patients: what dollars buy in a diagnosis", fontsize=13)
    axes = figure.subplot_mosaic([["curves", "curves"], ["standing", "bought"]])
    draw_curves(comparison, advice, axes["curves"])
    axes["curves"].set_xlabel("Dollars that a diagnosis may cost (not to scale)")
    draw_standing(comparison, advice, axes["standing"])
    _draw_purchases(bought, advice, axes["bought"])
    write_files({path: png_bytes(figure)})


def _draw_purchases(bought: PricedPlan, advice: Advice, ax: Any) -> None:
    from ..evaluation import PurchaseDisplay

    named = [dataclasses.replace(line, item=spoken(line.item)) for line in bought.summary()]
    PurchaseDisplay(named).plot(ax)
    ax.set_xlabel("Dollars, with the total so far at the end of each bar")
    title = f"What {advice.method} buys for {advice.point.budget:.0f} dollars"
    ax.set_title(title, loc="left", fontsize=_TITLE)
