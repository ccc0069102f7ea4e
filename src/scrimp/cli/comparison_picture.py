"""The picture of a comparison: curves of all methods, and how they stand at one budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..evaluation import Advice, Comparison
    from ..types import Floats

#: Paul Tol's bright and dark tones, which stay apart for colour-blind readers too.
_COLOURS = (
    "#4477aa", "#ee6677", "#228833", "#aa3377", "#0099aa", "#bb8800", "#222222", "#999999",
    "#cc4400", "#66aa00", "#5533bb", "#774411", "#dd99cc", "#004433", "#eebb44",
    "#7788ff", "#99ddbb", "#880022",
)  # fmt: skip
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*", "p", "h", "<", ">", "d", "8", "H", "1", "2", "3")
_DASHES = ("-", "--", ":", "-.")
_TITLE_SIZE = 11
#: How far methods stand apart at a budget, so that equals stay visible.
_OFFSET = 0.05
#: How far labelled budgets stand apart on an axis to scale, as a part of its width.
_APART = 0.05
#: Letters that fit into a line of the legend.
_LEGEND_WIDTH = 70


def picture_bytes(comparison: Comparison, advice: Advice, title: str) -> bytes:
    """Curves, and where there are several methods how they stand, as the content of a PNG."""
    from matplotlib.figure import Figure

    from ..evaluation.displays.axes import plain, png_bytes

    height = max(4.6, 1.6 + 0.33 * len(comparison.names))
    several = len(comparison.names) > 1
    figure = Figure(figsize=(12.0 if several else 7.6, height), layout="constrained")
    figure.suptitle(plain(title, 90 if several else 60), fontsize=12)
    widths = [1.7, 1.0] if several else [1.0]
    axes = figure.subplots(1, len(widths), width_ratios=widths, squeeze=False)[0]
    draw_curves(comparison, advice, axes[0])
    if several:
        draw_standing(comparison, advice, axes[1])
    return png_bytes(figure)


def draw_curves(comparison: Comparison, advice: Advice, ax: Any, to_scale: bool = False) -> None:
    """Quality against budget; the interval of the method that is advised is shaded.

    Budgets stand side by side, or to scale on an axis of square roots, which has a place for 0.
    """
    import numpy as np

    curves, looks = comparison.curves(), _looks(comparison.names)
    middles = comparison.budgets if to_scale else np.arange(len(comparison.budgets))
    for number, (name, curve) in enumerate(curves.items()):
        chosen = name == advice.method
        offset = 0.0 if to_scale else _OFFSET * (number - (len(curves) - 1) / 2)
        places = middles + offset
        ax.plot(
            places, curve.quality, label=name, zorder=3 if chosen else 2,
            linewidth=2.6 if chosen else 1.3, markersize=6 if chosen else 4.5, **looks[name],
        )  # fmt: skip
        if chosen:
            colour = looks[name]["color"]
            ax.fill_between(places, curve.low, curve.high, color=colour, alpha=0.15, linewidth=0)
    at = middles[comparison.budgets.tolist().index(advice.point.budget)]
    ax.axvline(at, color="0.5", linestyle=":", linewidth=1.2, zorder=1)
    if to_scale:
        ax.set_xscale("function", functions=(_root, np.square))
        ax.set_xlim(0.0, middles[-1])
    shown = _apart(comparison.budgets, advice.point.budget) if to_scale else range(len(middles))
    texts = [_short(comparison.budgets[place]) for place in shown]
    size = "medium" if len("  ".join(texts)) < 70 else "small"
    ax.set_xticks([middles[place] for place in shown], texts, fontsize=size)
    ax.set_xlabel(f"Budget per row ({'square-root scale' if to_scale else 'not to scale'})")
    ax.set_title(
        f"{_label(comparison)}; shaded: {comparison.level:.0%} interval of {advice.method}",
        loc="left", fontsize=_TITLE_SIZE,
    )  # fmt: skip
    ax.legend(
        frameon=False, fontsize="small", loc="upper center",
        ncols=min(len(curves), _LEGEND_WIDTH // max(map(len, curves))),
        bbox_to_anchor=(0.5, -0.12), columnspacing=1.2,
    )  # fmt: skip
    _tidy(ax, comparison, "y")


def _root(amounts: Any) -> Any:
    """Square roots; what an axis asks for below 0 is 0."""
    import numpy as np

    return np.sqrt(np.maximum(amounts, 0.0))


def _apart(budgets: Floats, advised: float) -> list[int]:
    """The places of budgets, the last and the one advised among them, that stand apart."""
    import numpy as np

    roots = _root(budgets)
    kept = [len(roots) - 1, int(np.flatnonzero(budgets == advised)[0])]
    for place in range(len(roots) - 1):
        if np.abs(roots[kept] - roots[place]).min() >= _APART * roots[-1]:
            kept.append(place)
    return sorted(set(kept))


def draw_standing(comparison: Comparison, advice: Advice, ax: Any) -> None:
    """Each method at the budget of the advice, with its interval; if that is 0, at the largest."""
    from matplotlib.ticker import MaxNLocator

    from ..evaluation.displays.axes import plain
    from ..evaluation.formatting import money, quality_text

    looks = _looks(comparison.names)
    budget = float(comparison.budgets[-1]) if advice.buys_nothing else advice.point.budget
    points = {name: comparison.at(name, budget) for name in comparison.names}
    ranked = sorted(points, key=lambda name: (points[name].quality, name == advice.method))
    for place, name in enumerate(ranked):
        point, look = points[name], looks[name]
        ax.plot([point.low, point.high], [place, place], color=look["color"], linewidth=2.0)
        ax.plot(point.quality, place, markersize=7, **{**look, "linestyle": "none"})
        ax.annotate(
            quality_text(point.quality, comparison.scoring), (point.quality, place),
            xytext=(0, 6), textcoords="offset points", ha="center", fontsize="small", color="0.25",
        )  # fmt: skip
    ax.set_yticks(range(len(ranked)), [plain(name) for name in ranked])
    ax.set_ylim(-0.6, len(ranked) - 0.3)
    ax.get_yticklabels()[ranked.index(advice.method)].set_fontweight("bold")
    title = f"At a budget of {money(budget)}, with {comparison.level:.0%} intervals"
    ax.set_title(title, loc="left", fontsize=_TITLE_SIZE)
    ax.set_xlabel(_label(comparison))
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.margins(x=0.1)
    _tidy(ax, comparison, "x")


def _short(amount: float) -> str:
    """An amount for an axis: cents only of small ones."""
    from ..evaluation.formatting import money

    return money(amount) if amount < 1000 else f"{amount:,.0f}"


def _looks(names: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """A colour and a mark for each method, the same in all pictures; a dash for its rounds."""
    from ..evaluation.methods import METHODS

    families = [name.partition("/")[0] for name in names]
    places = {name: place for place, name in enumerate(dict.fromkeys([*METHODS, *families]))}
    n = len(_COLOURS)
    return {
        name: {
            "color": _COLOURS[places[family] % n],
            "marker": _MARKS[(places[family] + places[family] // n) % n],
            "linestyle": _DASHES[families[:number].count(family) % len(_DASHES)],
        }
        for number, (name, family) in enumerate(zip(names, families, strict=True))
    }


def _label(comparison: Comparison) -> str:
    from ..evaluation.displays.cost_curve import quality_label

    accuracy = comparison.scoring == "accuracy"
    what = "Right" if accuracy else quality_label(comparison.curve(comparison.names[0]))
    return f"{what}, on rows not trained on"


def _tidy(ax: Any, comparison: Comparison, axis: str) -> None:
    from ..evaluation.displays.axes import tidy
    from ..evaluation.formatting import SHARES

    tidy(ax, axis)
    if comparison.scoring in SHARES:
        score_axis = ax.yaxis if axis == "y" else ax.xaxis
        score_axis.set_major_formatter(lambda share, _: f"{round(100.0 * share, 6):g}%")
