"""The tables and pictures of `wang2018`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reporting.charts import line_chart
from scrimp.types import Floats

from ..experiment import Results
from ..prices import YAHOO_PRICES
from ..report import PaperPage, Table
from ..trials import Record
from .claims import RecordsByDataset, bought, is_number, mean_price, verdicts
from .published import TABLE2, excess, implied_total

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Datasets to show beside each printed table; the first that was run is taken.
BESIDE = {
    "real-sim": ("real_sim_like", "basehock", "pcmac"),
    "blogData": ("blogfeedback_all", "blogfeedback"),
}


def fill(page: PaperPage, results: Results) -> None:
    """Add verdicts, tables and pictures of the results."""
    by_dataset = results.records
    page.add_verdicts(verdicts(by_dataset))
    page.record["datasets"] = {name: _summary(records) for name, records in by_dataset.items()}
    page.record["published"] = {
        name: {str(ratio): row._asdict() for ratio, row in rows.items()}
        for name, rows in TABLE2.items()
    }
    page.add_table(
        _qualities(by_dataset),
        "Means over trials, of test rows: accuracy in percent, or the mean squared error. Columns "
        "are budgets, as parts of the price of everything; the last is with all columns.",
    )
    for name, records in by_dataset.items():
        page.add_picture(name, picture(name, records), f"Quality against budget, on {name}")
    for printed in TABLE2:
        _add_table2(page, printed, by_dataset)
    if any("planes" in records[0] for records in by_dataset.values()):
        page.add_table(
            _printed_algorithm(by_dataset),
            "Algorithm 1 as it is printed, 20 rounds of cutting planes at most, beside what was "
            "found here; means over trials. Costs are in percent of the budget; the gap is between "
            "the objective and what is proven, as a part of the former. Exact is the relaxation "
            "solved to a gap of 0.000001.",
        )
    _add_prices(page, by_dataset)
    page.add_table(
        _seconds(by_dataset),
        "Median seconds of one core on the machine that ran this. Tuning is for C; training is "
        "all nine budgets, Algorithm 1 three of them.",
    )
    _add_scales(page, by_dataset)


def shown(record: Record, quality: float) -> str:
    """Return a quality as it is read."""
    return f"{quality:.3f}" if is_number(record) else f"{100.0 * quality:.2f}"


def _methods(record: Record) -> list[str]:
    return [name for name in METHODS if name in record["methods"]]


def _qualities(by_dataset: RecordsByDataset) -> Table:
    rows = []
    for name, records in by_dataset.items():
        first = records[0]
        by_all = shown(first, float(np.mean([r["all"] for r in records])))
        for method in _methods(first):
            figures = [shown(first, q) for q in mean_of(records, method, "quality")]
            rows.append((name, method, *figures, by_all))
    ratios = next(iter(by_dataset.values()))[0]["ratios"]
    header = ("dataset", "method", *(f"{ratio:g}" for ratio in ratios), "all")
    return Table("Figures 3, 5 and 6: quality at each budget", header, rows)


def _add_table2(page: PaperPage, printed: str, by_dataset: RecordsByDataset) -> None:
    """Add printed figures on the left and measured ones on the right."""
    dataset = next((name for name in BESIDE[printed] if name in by_dataset), None)
    if dataset is None:
        return
    records, over = by_dataset[dataset], excess(printed)
    shares = mean_of(records, "LTB", "shares")
    cost = np.mean([r["total"] * np.array(r["methods"]["LTB"]["cost"]) for r in records], axis=0)
    part = mean_of(records, "LTB", "cost")
    quality = mean_of(records, "LTB", "quality")
    rows = []
    for place, (ratio, row) in enumerate(TABLE2[printed].items()):
        zeros, between, ones = shares[place]
        rows.append((f"{ratio:g}", row.ones, row.zeros, row.between, row.cost,
                     f"{100.0 * (1.0 + over[ratio]):.1f}", f"{row.quality:.2f}",
                     f"{ones:.0f}", f"{zeros:.0f}", f"{between:.0f}", f"{cost[place]:.0f}",
                     f"{100.0 * part[place] / ratio:.1f}",
                     shown(records[0], quality[place])))  # fmt: skip
    names = ("# one", "# zero", "# (0,1)", "cost", "% of budget",
             "MSE" if is_number(records[0]) else "accuracy")  # fmt: skip
    header = ("part", *(f"{name}, printed" for name in names), *(f"{name}, here" for name in names))
    page.add_table(
        Table(f"Table 2: {printed} (printed) and {dataset} (here)", header, rows),
        "Shares of the relaxation, then what the model returned costs, in money and in percent of "
        f"its budget, and its quality; means over trials. All columns of {printed} cost "
        f"{implied_total(printed):.0f} together, or less: each printed cost is at least its part "
        "of that, as a relaxation spends its whole budget.",
    )


def _printed_algorithm(by_dataset: RecordsByDataset) -> Table:
    rows = []
    for name, records in by_dataset.items():
        for place in range(len(records[0].get("planes", ()))):
            runs = [r["planes"][place] for r in records]
            at = records[0]["ratios"].index(runs[0]["ratio"])
            shares, gap = (mean_of(records, "LTB", what)[at] for what in ("shares", "gap"))
            cost, quality = (mean_of(records, "LTB", what)[at] for what in ("cost", "quality"))
            first = records[0]
            rows.append((
                name, f"{runs[0]['ratio']:g}",
                *(f"{np.mean([run[what] for run in runs]):{how}}" for what, how in (
                    ("rounds", ".0f"), ("gap", ".3f"))),
                f"{np.mean([run['shares'][1] for run in runs]):.0f}",
                f"{100.0 * np.mean([run['cost'] for run in runs]):.1f}",
                shown(first, float(np.mean([run["quality"] for run in runs]))),
                f"{gap:.4f}", f"{shares[1]:.0f}",
                f"{np.mean([r['exact']['shares'][place][1] for r in records]):.0f}",
                f"{100.0 * cost / runs[0]['ratio']:.1f}",
                shown(first, quality),
            ))  # fmt: skip
    header = ("dataset", "part", "rounds", "gap", "# (0,1)", "cost", "quality",
              "gap, here", "# (0,1), here", "# (0,1), exact", "cost, here",
              "quality, here")  # fmt: skip
    return Table("Algorithm 1 as printed", header, rows)


def _add_prices(page: PaperPage, by_dataset: RecordsByDataset) -> None:
    """Add the table for Fig. 4."""
    rows = []
    for name, records in by_dataset.items():
        for method in ("LTB", "LTB-unif"):
            counts = mean_of(records, method, "counts")[1]
            mean = np.mean([mean_price(r, method)[1] for r in records])
            many = np.mean([bought(r, method)[1] for r in records])
            rows.append((name, method, *(f"{count:.1f}" for count in counts), f"{many:.1f}",
                         f"{mean:.1f}"))  # fmt: skip
    header = ("dataset", "method", *(f"price {price}" for price in YAHOO_PRICES), "all", "mean")
    page.add_table(
        Table("Figure 4: what is bought, by price", header, rows),
        "Items of each price that are bought with 0.1 of the price of everything, and the mean "
        "price of an item bought; means over trials.",
    )


def _seconds(by_dataset: RecordsByDataset) -> Table:
    ways = (("LTB", "tuning"), *((m, "training") for m in ("LTB", "LTB-unif", "all", "CS-G-FR",
                                                          "L1", "Algorithm 1")))  # fmt: skip
    rows = []
    for name, records in by_dataset.items():
        cells = []
        for method, what in ways:
            times = [r["seconds"][method][what] for r in records if method in r["seconds"]]
            cells.append(f"{np.median(times):.2f}" if times else "")
        rows.append((name, *cells))
    header = ("dataset", *(m if what == "training" else f"{m}, {what}" for m, what in ways))
    return Table("Figure 3d: training time", header, rows)


def _add_scales(page: PaperPage, by_dataset: RecordsByDataset) -> None:
    for records in by_dataset.values():
        if "scales" in records[0]:
            rows = [
                (name, *(f"{value:.3f}" for value in pair))
                for name, pair in records[0]["scales"].items()
            ]
            page.add_table(
                Table("Which scale blogData has", ("y is", "the mean", "all columns"), rows),
                "Mean squared errors on the published test rows, of the mean and of least squares "
                "on all columns, by what is done to the number of comments y. Printed are 5.56 to "
                "4.89, without a word on it: none of these gives that. Here it is log(1 + y).",
            )
            return


def _summary(records: Sequence[Record]) -> Record:
    """Return means over trials, as JSON holds them."""
    summary: Record = {"all": float(np.mean([r["all"] for r in records])), "methods": {}}
    for method in _methods(records[0]):
        summary["methods"][method] = {
            what: mean_of(records, method, what).tolist() for what in ("quality", "cost", "counts")
        }
    summary["shares"] = mean_of(records, "LTB", "shares").tolist()
    return summary


METHODS = ("LTB", "LTB-unif", "CS-G-FR", "L1")
_COLOURS = ("#d55e00", "#0072b2", "#009e73", "#e69f00")


def mean_of(records: Sequence[Record], method: str, what: str) -> Floats:
    """Return the mean over trials of a figure of a method at each budget."""
    return np.asarray(np.mean([r["methods"][method][what] for r in records], axis=0))


def picture(name: str, records: Sequence[Record]) -> Figure:
    """Draw mean curves of all methods."""
    first = records[0]
    unit = 1.0 if is_number(first) else 100.0
    ratios = 100.0 * np.array(first["ratios"])
    quality = "Mean squared error" if is_number(first) else "Accuracy, %"
    figure, ax = line_chart(name, "Budget, % of the price of everything", quality)
    ax.axhline(unit * np.mean([r["all"] for r in records]), color="0.4", linestyle="--",
               label="all columns")  # fmt: skip
    for method, colour in zip(METHODS, _COLOURS, strict=True):
        if method in first["methods"]:
            curve = unit * mean_of(records, method, "quality")
            ax.plot(ratios, curve, color=colour, marker="o", markersize=3, label=method)
    if "planes" in first:
        _add_planes(ax, records, unit)
    ax.legend(frameon=False)
    return figure


def _add_planes(ax: Any, records: Sequence[Record], unit: float) -> None:
    """Draw Algorithm 1 at its actual costs, which are beyond its budgets."""
    spent = [[100.0 * p["ratio"] * p["cost"] for p in r["planes"]] for r in records]
    quality = [[unit * p["quality"] for p in r["planes"]] for r in records]
    ax.plot(np.mean(spent, axis=0), np.mean(quality, axis=0), "x", color="0.2",
            label="Algorithm 1, at what it costs")  # fmt: skip
