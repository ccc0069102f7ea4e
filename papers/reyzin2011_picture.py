"""The pictures of `reyzin2011`: what samples bring, and how many features they use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .published import (
    REYZIN2011_ADABOOST,
    REYZIN2011_SAMPLES,
    REYZIN2011_USED,
    REYZIN2011_WITHIN,
)
from .reyzin2011_claims import Path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LINE, _DOTS = "#0072b2", "#d55e00"


def picture(name: str, path: Path) -> Figure:
    """The error at the left, the features at the right, with the published figures as dots."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    from scrimp.evaluation.displays.axes import tidy

    figure = Figure(figsize=(10.0, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True)
    _draw_error(left, name, path)
    _draw_features(right, name, path)
    for ax in (left, right):
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel("Samples drawn")
        ax.xaxis.set_major_formatter(FuncFormatter(lambda count, _: f"{count:g}"))
        tidy(ax, "both")
    left.legend(frameon=False)
    return figure


def _draw_error(ax: Any, name: str, path: Path) -> None:
    ax.semilogx(path.counts, 100.0 * path.error, color=_LINE, label="AdaBoostRS")
    ax.axhline(100.0 * path.limit, color="0.4", linestyle="--", label="AdaBoost")
    close = REYZIN2011_ADABOOST[name] * (1.0 + np.array(REYZIN2011_WITHIN) / 100.0)
    ax.plot(REYZIN2011_SAMPLES[name], close, "o", color=_DOTS, label="published (Tables 2 to 4)")
    ax.set_title(f"{name}, error", loc="left", fontsize=11)
    ax.set_ylabel("Test error, %")


def _draw_features(ax: Any, name: str, path: Path) -> None:
    ax.semilogx(path.counts, 100.0 * path.features / path.varying, color=_LINE)
    ax.plot(REYZIN2011_SAMPLES[name], REYZIN2011_USED[name], "o", color=_DOTS)
    ax.set_title(f"{name}, features used", loc="left", fontsize=11)
    ax.set_ylabel("Features used, %")
