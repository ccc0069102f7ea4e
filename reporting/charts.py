"""Charts of one panel, all in the same style."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def line_chart(
    title: str, x_label: str, y_label: str, size: tuple[float, float] = (7.0, 4.2)
) -> tuple[Figure, Axes]:
    """Return a figure of one panel with a title, labels and a light grid, to be drawn into."""
    from matplotlib.figure import Figure

    from scrimp.evaluation.displays.axes import tidy

    figure = Figure(figsize=size, layout="constrained")
    ax = figure.subplots()
    ax.set_title(title, loc="left", fontsize=11)
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    tidy(ax, "both")
    return figure, ax
