"""The tables and pictures of `hu2016`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reporting.charts import line_chart
from scrimp.types import Floats

from ..experiment import Results
from ..report import PaperPage, Table
from ..trials import Record
from . import doubling, published
from . import mnist_report as mnist
from .claims import RecordsByDataset, slower, verdicts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Orders that are learned; the others are oracles.
LEARNED = published.METHODS[:6]
_COLOURS = ("#d55e00", "#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#e69f00")
_QUALITY = {"mslr": "NDCG@5", "mslr_query": "NDCG@5", "a9a": "accuracy"}


def fill(page: PaperPage, results: Results, grid: Floats) -> None:
    """Add verdicts, tables and pictures of the results."""
    by_dataset = dict(results.records)
    digits, generated = by_dataset.pop("mnist", None), by_dataset.pop("generated", None)
    page.add_verdicts(
        [
            *(verdicts(by_dataset) if by_dataset else ()),
            *(doubling.verdicts(generated) if generated else ()),
            *(mnist.verdicts(digits) if digits else ()),
        ]
    )
    page.record["datasets"] = {name: _summary(records) for name, records in by_dataset.items()}
    if by_dataset:
        _fill_orders(page, by_dataset, grid)
    if digits:
        mnist.fill(page, digits)
        page.record["datasets"]["mnist"] = mnist.summary(digits)
    if generated:
        page.record["datasets"]["generated"] = doubling.summary(generated)
    page.record["published"] = {
        name: dict(zip(published.METHODS, row, strict=True))
        for name, row in published.TIMELINESS.items()
    }


def _fill_orders(page: PaperPage, by_dataset: RecordsByDataset, grid: Floats) -> None:
    """Add the comparison of orders."""
    page.add_table(
        _timeliness(by_dataset),
        "Means over trials. The lower rows are printed in the thesis (Tables 3.1 and 3.2), for "
        "other data: compare orderings along a row.",
    )
    page.add_table(
        _training(by_dataset),
        "The same on training rows, less the penalty: what the methods look at. Where the order "
        "is another than of test rows, what is learned does not hold for new rows.",
    )
    for name, records in by_dataset.items():
        caption = f"Explained variance of test rows against cost, on {name}"
        page.add_picture(name, picture(name, records, grid), caption)
    page.add_table(_stopping(by_dataset), "Parts of the price of all groups, means over trials.")
    if any("quality" in records[0] for records in by_dataset.values()):
        page.add_table(
            _quality(by_dataset),
            "Of test rows, with what is bought up to the stopping cost; the last column is with "
            "everything.",
        )
    page.add_table(
        _seconds(by_dataset),
        "Median milliseconds of one core on the machine that ran this: sums over training rows, "
        "which all methods share, and then the order. By refits: on 2000 training rows, CS-G-FR "
        "fits a regression for each candidate in each step, and CS-G-OMP one in each step.",
    )


def mean_of(records: Sequence[Record], what: str, method: str) -> Any:
    """Return the mean over trials of a figure of a method."""
    return np.mean([r[what][method] for r in records], axis=0)


def _timeliness(by_dataset: RecordsByDataset) -> Table:
    rows: list[tuple[str, ...]] = [
        (name, *(f"{mean_of(records, 'timeliness', m):.4f}" for m in published.METHODS))
        for name, records in by_dataset.items()
    ]
    rows += [
        (f"{name} (printed)", *(f"{figure:.4f}" for figure in row))
        for name, row in published.TIMELINESS.items()
    ]
    return Table("Tables 3.1 and 3.2: timeliness", ("dataset", *published.METHODS), rows)


def _training(by_dataset: RecordsByDataset) -> Table:
    rows = [
        (name, *(f"{mean_of(records, 'training', m):.4f}" for m in LEARNED))
        for name, records in by_dataset.items()
    ]
    return Table("Timeliness in training", ("dataset", *LEARNED), rows)


def _stopping(by_dataset: RecordsByDataset) -> Table:
    rows = []
    for name, records in by_dataset.items():
        alphas = sorted({r["alpha"] for r in records})
        counts = ", ".join(f"{a:g}: {sum(r['alpha'] == a for r in records)}" for a in alphas)
        rows.append((name, f"{np.mean([r['until'] for r in records]):.2f}", counts))
    return Table("Stopping costs", ("dataset", "stopping cost", "α: trials"), rows)


def _quality(by_dataset: RecordsByDataset) -> Table:
    rows = []
    for name, records in by_dataset.items():
        if "quality" in records[0]:
            figures = [f"{mean_of(records, 'quality', m):.4f}" for m in LEARNED]
            by_all = np.mean([r["quality_by_all"] for r in records])
            rows.append((name, _QUALITY.get(name, ""), *figures, f"{by_all:.4f}"))
    title = "Figure 3.5: NDCG@5 and accuracy at the stopping cost"
    return Table(title, ("dataset", "measure", *LEARNED, "everything"), rows)


def _seconds(by_dataset: RecordsByDataset) -> Table:
    ways = ("CS-G-FR", "CS-G-OMP", "Sparse", "FR by refits", "OMP by refits")
    rows = []
    for name, records in by_dataset.items():
        sums = np.median([r["seconds"]["CS-G-OMP"]["sums"] for r in records])
        orders = [np.median([r["seconds"][way]["order"] for r in records]) for way in ways]
        ratios = [np.median(slower(records, suffix)) for suffix in ("", "refits")]
        rows.append((name, *(f"{1000.0 * t:.1f}" for t in (sums, *orders)),
                     *(f"{ratio:.1f}" for ratio in ratios)))  # fmt: skip
    header = ("dataset", "sums", *ways, "FR/OMP", "FR/OMP by refits")
    return Table("Figure 3.2: training time", header, rows)


def picture(name: str, records: Sequence[Record], grid: Floats) -> Figure:
    """Draw mean curves up to the stopping cost."""
    figure, ax = line_chart(
        name, "Cost, % of the stopping cost", "Explained variance of test rows, %"
    )
    ax.plot(100.0 * grid, 100.0 * mean_of(records, "explained", "Oracle-FR"), color="0.4",
            linestyle="--", label="Oracle-FR")  # fmt: skip
    for method, colour in zip(LEARNED, _COLOURS, strict=True):
        values = 100.0 * mean_of(records, "explained", method)
        ax.plot(100.0 * grid, values, color=colour, label=method)
    ax.set_ylim(bottom=0.0)
    ax.legend(frameon=False)
    return figure


def _summary(records: Sequence[Record]) -> Record:
    """Return means over trials, as JSON holds them."""
    summary: Record = {
        "timeliness": {m: float(mean_of(records, "timeliness", m)) for m in published.METHODS},
        "explained": {m: mean_of(records, "explained", m).tolist() for m in published.METHODS},
        "training": {m: float(mean_of(records, "training", m)) for m in LEARNED},
        "until": float(np.mean([r["until"] for r in records])),
        "alpha": [r["alpha"] for r in records],
        "slower": {
            "here": float(np.median(slower(records))),
            "by refits": float(np.median(slower(records, "refits"))),
        },
    }
    if "quality" in records[0]:
        summary["quality"] = {m: float(mean_of(records, "quality", m)) for m in LEARNED}
    return summary
