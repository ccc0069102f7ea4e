"""Learn from a stream whose columns have prices, and see error and spend along it.

A plant has sensors that cost energy to read. Rows arrive as dicts. The vibration sensor is built in
only after 4,000 rows; from then on it tells most of what there is to know of the wear of a part.
At three budgets a model is measured on each chunk before it learns from it. Halfway the process is
"restarted": each model goes on from its checkpoint, exactly.

Run it with ``python examples/stream_with_prices.py``; ``--plot curve.png`` draws the curves.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from scrimp import (
    ProgressiveCurve,
    StreamingBoostingRegressor,
    load_checkpoint,
    progressive_validation,
    save_checkpoint,
)

PRICES = {"hours": 0.0, "heat": 1.0, "load": 2.0, "sound": 4.0, "vibration": 3.0}
BUDGETS = (1.0, 3.0, 10.0)
CHUNK = 500


def rows(start: int, stop: int) -> Iterator[tuple[dict[str, float], float]]:
    """Yield rows of the stream with what is to be predicted."""
    for number in range(start, stop):
        rng = np.random.default_rng(number)
        hours, heat, load, sound, vibration = rng.normal(size=5)
        wear = 0.5 * hours + heat * (load > 0) + 0.7 * np.abs(sound)
        row = {"hours": hours, "heat": heat, "load": load, "sound": sound}
        if number >= 4_000:
            row["vibration"] = vibration
            wear += 2.0 * vibration
        yield row, float(wear + 0.2 * rng.normal())


def learn(budget: float, n_rows: int, folder: Path) -> ProgressiveCurve:
    """Return the curve of a model that is stopped halfway and goes on from its checkpoint."""
    model = StreamingBoostingRegressor(PRICES, budget)
    path, half = folder / f"{budget:g}.ckpt", n_rows // 2 // CHUNK * CHUNK
    first = progressive_validation(model, rows(0, half), chunk_rows=CHUNK)
    save_checkpoint(model, path)
    model = load_checkpoint(path)
    second = progressive_validation(model, rows(half, n_rows), chunk_rows=CHUNK)
    bought = [model.plan_.costs.names[item] for item in model.plan_.items]
    print(f"budget {budget:4g}: buys {', '.join(bought)} for {model.plan_.price:g}")
    return ProgressiveCurve(
        np.concatenate([first.n_rows, second.n_rows + half]),
        np.concatenate([first.sizes, second.sizes]),
        np.concatenate([first.errors, second.errors]),
        np.concatenate([first.spend, second.spend]),
        first.measure,
    )


def main(arguments: list[str] | None = None) -> dict[float, ProgressiveCurve]:
    """Learn at all budgets, and print the curves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=12_000)
    parser.add_argument("--plot", type=Path, help="where to draw the curves")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        curves = {budget: learn(budget, options.rows, Path(folder)) for budget in BUDGETS}
    print("\n  rows" + "".join(f"   error at {b:<4g} spent" for b in BUDGETS))
    any_curve = next(iter(curves.values()))
    for i in range(3, len(any_curve.errors), 4):
        cells = (f"{curve.errors[i]:12.2f} {curve.spend[i]:8.2f}" for curve in curves.values())
        print(f"{any_curve.n_rows[i] + any_curve.sizes[i]:6d}" + "".join(cells))
    if options.plot:
        draw(curves, options.plot)
    return curves


def draw(curves: dict[float, ProgressiveCurve], path: Path) -> None:
    """Draw the error of each budget along the stream."""
    import matplotlib as mpl

    mpl.use("Agg")
    ax = None
    for budget, curve in curves.items():
        ax = curve.plot(ax, name=f"budget {budget:g}")
    if ax is not None:
        ax.figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
