"""One picture per problem: error against budget, one line per method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.study.methods import Method
from benchmarks.study.standing import Curves
from reporting.charts import line_chart

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LOOKS: dict[str, dict[str, Any]] = {
    "frontier": {"color": "#222222", "linewidth": 2.8, "marker": "o", "markersize": 4, "zorder": 5},
    "smoothed": {"color": "#888888", "linewidth": 1.6, "linestyle": (0, (6, 2))},
    "cegb": {"color": "#4477aa", "linewidth": 2.0, "marker": "s", "markersize": 3.5},
    "catboost": {"color": "#ee6677", "linewidth": 1.6, "linestyle": "--"},
    "l1": {"color": "#228833", "linewidth": 1.6, "linestyle": "-."},
    "sequential": {"color": "#aa3377", "linewidth": 1.6, "linestyle": ":"},
    "adaboost": {"color": "#bb8800", "linewidth": 1.6, "linestyle": (0, (3, 1, 1, 1))},
}


def picture(curves: Curves, title: str, methods: Sequence[Method]) -> Figure:
    """Return a chart of the errors of all methods on a problem."""
    shared = curves.any
    error = "mean squared error" if shared.task == "regression" else "wrong of test rows, %"
    figure, ax = line_chart(title, "budget, of the price of everything", error, size=(7.2, 4.4))
    percent = 100.0 * np.array(shared.budgets) / shared.total
    scale = 1.0 if shared.task == "regression" else 100.0
    for method in methods:
        if method.name in curves.results:
            look = _LOOKS.get(method.name, {})
            ax.plot(percent, scale * curves.errors(method.name), label=method.title, **look)
    ax.set_xscale("log")
    ticks = [1, 2, 4, 8, 16, 32, 64]
    ax.set_xticks(ticks, [f"{tick}%" for tick in ticks])
    ax.minorticks_off()
    ax.set_ylim(bottom=0 if shared.task != "regression" else None)
    ax.legend(frameon=False, fontsize=9)
    return figure
