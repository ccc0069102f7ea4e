"""Draw the way of a fit and of a prediction through the packages, as they are traced.

Run it as ``make architecture`` (``python -m benchmarks.architecture``); it writes
docs/architecture.png.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.hops import TITLES, Hop, by_file, jobs, trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURE = Path(__file__).parents[1] / "docs" / "architecture.png"
#: The lanes, from the outermost layer to the innermost; others that are on the way come first.
LAYERS = ("learners", "runtime", "plans", "costs", "data", "kernels")
COLOURS = ("#cfe2f3", "#d9ead3", "#fff2cc", "#f9cb9c", "#ead1dc", "#d9d9d9")
#: Width of a lane, in inches.
LANE = 1.75
#: Height of a row, in inches.
ROW = 0.34
#: Width and height of a box, in inches.
BOX = (1.6, 0.26)


def draw(ways: dict[str, list[Hop]]) -> Figure:
    """Return a picture of one panel per way: time runs downwards, layers go inwards to the right.

    A box is a file, where it is first called, with the number of its functions on the way.
    """
    from matplotlib.figure import Figure

    longest = max(len(by_file(hops)) for hops in ways.values())
    size = (LANE * len(LAYERS) * len(ways) + 0.8, ROW * (longest + 3))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(1, len(ways), squeeze=False)[0]
    for ax, (title, hops) in zip(axes, ways.items(), strict=True):
        _draw_way(ax, title, hops, longest)
    return figure


def _draw_way(ax: Axes, title: str, hops: list[Hop], n_rows: int) -> None:
    files = by_file(hops)
    lanes = list(dict.fromkeys([*LAYERS, *(_package(file) for file in files)]))
    for lane, package in enumerate(lanes):
        ax.text(lane * LANE, ROW, package, ha="center", weight="bold", fontsize=11)
        ax.axvline(lane * LANE, color="0.9", zorder=0)
    places = [(lanes.index(_package(file)) * LANE, -ROW * row) for row, file in enumerate(files)]
    for (file, functions), (x, y) in zip(files.items(), places, strict=True):
        _draw_box(ax, x, y, f"{_name(file)} ({len(functions)})", lanes.index(_package(file)))
    for (x, y), (next_x, next_y) in pairwise(places):
        ax.annotate(
            "", (next_x, next_y + BOX[1] / 2), (x, y - BOX[1] / 2), zorder=1,
            arrowprops={"arrowstyle": "->", "color": "0.55", "linewidth": 0.9},
        )  # fmt: skip
    ax.set_title(f"{title}\n{len(files)} files, {len(hops)} functions", loc="left", fontsize=12)
    ax.set_xlim(-LANE / 2, LANE * (len(lanes) - 0.5))
    ax.set_ylim(-ROW * n_rows, 2 * ROW)
    ax.axis("off")


def _draw_box(ax: Axes, x: float, y: float, text: str, lane: int) -> None:
    from matplotlib.patches import FancyBboxPatch

    width, height = BOX
    box = FancyBboxPatch(
        (x - width / 2, y - height / 2), width, height, boxstyle="round,pad=0,rounding_size=0.06",
        facecolor=COLOURS[lane % len(COLOURS)], edgecolor="0.4", linewidth=0.8, zorder=2,
    )  # fmt: skip
    ax.add_patch(box)
    ax.text(x, y, text, ha="center", va="center", fontsize=8.5, zorder=3)


def _package(file: str) -> str:
    return file.split("/")[0].removesuffix(".py")


def _name(file: str) -> str:
    """Return the name of a module; an ``__init__`` has that of its package."""
    path = Path(file)
    return path.parent.name if path.stem == "__init__" else path.stem


def main() -> None:
    """Trace a fit and a prediction, and draw them."""
    from scrimp.evaluation.displays.axes import png_bytes
    from scrimp.io.atomic import write_atomically

    ways = {TITLES[name]: trace(jobs()[name]) for name in ("fit", "predict")}
    write_atomically(PICTURE, png_bytes(draw(ways)))
    print(f"Written: {PICTURE}")


if __name__ == "__main__":
    main()
