"""A stream with prices: the error as rows arrive, and what is bought when.

Run it as ``python -m benchmarks.streaming_page``; with ``--write`` the table goes to
docs/streaming.md and the picture to docs/streaming.png. The stream is Friedman's first problem,
whose target depends on the first five of ten columns. Halfway the target changes: the sixth column
takes the place of the fourth.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_friedman1

from reporting.page import markdown_table, write_parts
from scrimp import Costs, StreamingBoostingRegressor, progressive_validation

DOCS = Path(__file__).parents[1] / "docs"
N_ROWS, CHUNK = 40_000, 500
PRICES = np.array([4.0, 2.0, 3.0, 6.0, 2.0, 6.0, 1.0, 1.0, 1.0, 1.0])
#: Parts of the price of everything.
BUDGETS = (1.0, 0.5, 0.25)


def stream() -> tuple[np.ndarray, np.ndarray]:
    """Return rows and targets; the second half has another function."""
    X, y = make_friedman1(N_ROWS, 10, noise=1.0, random_state=0)
    late = np.arange(N_ROWS) >= N_ROWS // 2
    y[late] += 10.0 * (X[late, 5] - X[late, 3])
    return X, y


def measured() -> dict[str, tuple[Any, list[tuple[int, list[str]]]]]:
    """Return the curve of each budget, and what was bought after each chunk."""
    X, y = stream()
    costs = Costs.per_feature({f"x{j}": price for j, price in enumerate(PRICES, 1)})
    results = {}
    for part in BUDGETS:
        model = StreamingBoostingRegressor(PRICES, part * costs.total, n_learners=40)
        bought: list[tuple[int, list[str]]] = []

        def chunks(model: Any = model, bought: Any = bought) -> Any:
            for first in range(0, N_ROWS, CHUNK):
                if first:
                    bought.append((first, list(model.plan_.items)))
                yield X[first : first + CHUNK], y[first : first + CHUNK]

        results[f"budget {part * costs.total:g}"] = progressive_validation(model, chunks()), bought
    return results


def table(results: dict[str, Any]) -> str:
    """Return R2 along the stream in Markdown."""
    _, y = stream()
    ends = (5_000, 20_000, 25_000, 40_000)
    rows = []
    for name, (curve, bought) in results.items():
        stops = curve.n_rows + curve.sizes
        cells = []
        for end in ends:
            near = (stops > end - 5_000) & (stops <= end)
            r2 = 1.0 - float(curve.errors[near].mean()) / float(y[end - 5_000 : end].var())
            cells.append(f"{r2:.2f}")
        rows.append((name, *cells, f"{curve.spend[-1]:.2f}", len(bought[-1][1])))
    heads = ("R² of the 5,000 rows up to row", *(f"{end:,}" for end in ends), "spent", "columns")
    return markdown_table(heads, rows)


def draw(results: dict[str, Any], path: Path) -> None:
    """Draw the error along the stream, and the purchases of one budget."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for name, (curve, _) in results.items():
        smooth = np.convolve(curve.errors, np.ones(4) / 4, mode="valid")
        left.plot((curve.n_rows + curve.sizes)[3:], smooth, label=name)
    left.set(xlabel="Rows seen", ylabel="Squared error of the last 2,000 rows", ylim=(0, 25))
    left.axvline(N_ROWS // 2, color="0.6", linestyle=":")
    left.annotate("the target changes", (N_ROWS // 2, 18.0), xytext=(6, 0),
                  textcoords="offset points", color="0.4")  # fmt: skip
    left.legend(frameon=False)
    name, (_, bought) = list(results.items())[1]
    for rows, items in bought:
        for item in items:
            right.plot([rows, rows + CHUNK], [item, item], color="#0072b2", linewidth=6,
                       solid_capstyle="butt")  # fmt: skip
    right.set_yticks(range(10), [f"x{j + 1}, {price:g}" for j, price in enumerate(PRICES)])
    right.set(xlabel="Rows seen", title=f"What is bought at {name}", ylabel="Column, price",
              ylim=(9.5, -0.5), xlim=(0, N_ROWS))  # fmt: skip
    right.axvline(N_ROWS // 2, color="0.6", linestyle=":")
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure, print, and write if asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming_page")
    parser.add_argument("--write", action="store_true", help="write docs/streaming.md and .png")
    given = parser.parse_args()
    results = measured()
    text = table(results)
    print(text)
    if given.write:
        write_parts(DOCS / "streaming.md", {"stream": text})
        draw(results, DOCS / "streaming.png")


if __name__ == "__main__":
    main()
