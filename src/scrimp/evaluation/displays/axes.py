"""Axes and text that all displays share."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def new_axes(width: float, height: float) -> Axes:
    """Return axes in a new figure whose layout makes room for labels and legends."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def tidy(ax: Axes, grid: str) -> None:
    """Draw a light grid along one axis or both, and remove the box."""
    ax.grid(axis=grid, color="0.9", linewidth=0.8)  # type: ignore[arg-type]
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def plain(text: str, longest: int = 40) -> str:
    """Return text with dollar signs escaped, cut where it is too long."""
    cut = text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
    return cut.replace("$", r"\$")


def price_texts(prices: Sequence[float]) -> list[str]:
    """Return prices as text, with cents where there are any, and small ones with three digits."""
    if all(float(price).is_integer() for price in prices):
        return [f"{price:,.0f}" for price in prices]
    if min(price for price in prices if price > 0) < 0.1:
        return [f"{price:.3g}" for price in prices]
    return [f"{price:,.2f}" for price in prices]


def learner_name(model: Any) -> str:
    """Return the name of the learner of an estimator or Predictor, for legends."""
    return str(getattr(model, "info", {}).get("learner", type(model).__name__))


def with_unit(label: str, currency: str | None) -> str:
    """Return a label with the currency, where there is one."""
    return label if currency is None else f"{label} ({plain(currency)})"


def png_bytes(figure: Figure) -> bytes:
    """Return a figure as the content of a PNG file."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150, bbox_inches="tight")
    return buffer.getvalue()
