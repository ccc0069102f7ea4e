"""The tables and pictures of `reyzin2011`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reporting.page import markdown_table
from scrimp.types import Ints

from ..experiment import Results
from ..report import PaperPage, Table, percent
from ..trials import Record
from ..verdicts import signed
from . import published
from .claims import Path, Records, RecordsByDataset, verdicts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("RS_AC", "RS")


def fill(page: PaperPage, results: Results, counts: Ints) -> None:
    """Add verdicts, tables and pictures of the results."""
    by_dataset = results.records
    paths = {name: Path(records, counts) for name, records in by_dataset.items()}
    page.add_verdicts(verdicts(by_dataset, paths))
    page.add_table(_table_2(by_dataset))
    page.add_table(
        _table_3_4(paths),
        "How far above AdaBoost's own error, in percent of it; the first count of draws (from a "
        "grid in steps of 4%) at which the mean error over trials is as low. Percent of features "
        "is of those that vary within a trial. In the pictures, dots are the published figures.",
    )
    for name, path in paths.items():
        caption = f"Error and features used against samples drawn, on {name}"
        page.add_picture(name, picture(name, path), caption)
    page.add_table(_table_5(by_dataset), _off_table_5(by_dataset))
    page.add_table(_table_6(by_dataset), _off_table_6(by_dataset))
    page.add("Draws, of which most are of features bought before:", _draws_table(by_dataset))
    page.record["datasets"] = {
        name: _summary(records, paths[name]) for name, records in by_dataset.items()
    }
    page.record["published"] = {name: _published(name) for name in by_dataset}


def _table_2(by_dataset: RecordsByDataset) -> Table:
    rows = [
        (name, percent(np.mean([r["adaboost"] for r in records])), published.ADABOOST[name])
        for name, records in by_dataset.items()
    ]
    title = "Table 2: error of AdaBoost, percent"
    return Table(title, ("dataset", "here", "published"), _as_text(rows))


def _table_3_4(paths: dict[str, Path]) -> Table:
    header = ["dataset", "", *(f"{within}%" for within in published.WITHIN)]
    rows = []
    for name, path in paths.items():
        places = [path.reached(within) for within in published.WITHIN]
        beyond = f"over {path.counts[-1]}"
        draws = [beyond if p is None else str(path.counts[p]) for p in places]
        used = ["" if p is None else percent(path.features[p] / path.varying) for p in places]
        rows += [
            (name, "samples here", *draws),
            ("", "published", *published.SAMPLES[name]),
            ("", "% of features here", *used),
            ("", "published", *published.USED[name]),
        ]
    title = "Tables 3 and 4: samples to come close to AdaBoost, and features they use"
    return Table(title, header, _as_text(rows))


def _cells(by_dataset: RecordsByDataset) -> Any:
    for name, records in by_dataset.items():
        for k, bound in enumerate(published.BOUNDS):
            yield name, k, bound, records


def _mean(records: Records, method: str, what: str, k: int) -> float:
    return float(np.mean([r[method][what][k] for r in records]))


def _off(by_dataset: RecordsByDataset, what: str, printed: Any, relative: bool) -> float:
    """Return the largest difference from a printed table."""
    largest = 0.0
    for name, k, _, records in _cells(by_dataset):
        for method, figure in zip(METHODS, printed[name][k], strict=True):
            here = _mean(records, method, what, k)
            largest = max(largest, abs(here / figure - 1.0 if relative else here - figure / 100.0))
    return 100.0 * largest


def _off_table_5(by_dataset: RecordsByDataset) -> str:
    largest = _off(by_dataset, "error", published.ERRORS, relative=False)
    return f"At most {largest:.1f} points from a printed figure."


def _off_table_6(by_dataset: RecordsByDataset) -> str:
    largest = _off(by_dataset, "features", published.TAKEN, relative=True)
    return f"Features bought are at most {largest:.0f}% from a printed figure."


def _table_5(by_dataset: RecordsByDataset) -> Table:
    header = ("dataset", "B", "RS_AC", "published", "off by", "RS", "published", "off by", "top")
    rows = []
    for name, k, bound, records in _cells(by_dataset):
        row: list[Any] = [name, bound]
        for method, printed in zip(METHODS, published.ERRORS[name][k], strict=True):
            here = 100.0 * _mean(records, method, "error", k)
            row += [f"{here:.1f}", printed, signed(here - printed)]
        rows.append([*row, percent(_mean(records, "top", "error", k))])
    return Table("Table 5: error at a budget, percent", header, _as_text(rows))


def _table_6(by_dataset: RecordsByDataset) -> Table:
    header = ("dataset", "B", "RS_AC", "published", "off by", "RS", "published", "off by")
    rows = []
    for name, k, bound, records in _cells(by_dataset):
        row: list[Any] = [name, bound]
        for method, printed in zip(METHODS, published.TAKEN[name][k], strict=True):
            here = _mean(records, method, "features", k)
            row += [f"{here:.1f}", printed, f"{signed(100.0 * (here / printed - 1.0), 0)}%"]
        rows.append(row)
    return Table("Table 6: features bought at a budget", header, _as_text(rows))


def _as_text(rows: Any) -> list[list[str]]:
    """Return the cells as the paper prints them."""
    return [[str(cell) for cell in row] for row in rows]


def _draws_table(by_dataset: RecordsByDataset) -> str:
    header = ("dataset", "B", "RS_AC", "RS", "rows at the limit of draws")
    rows = []
    for name, k, bound, records in _cells(by_dataset):
        draws = [f"{_mean(records, method, 'draws', k):.0f}" for method in METHODS]
        capped = max(_mean(records, method, "capped", k) for method in METHODS)
        rows.append((name, bound, *draws, f"{percent(capped)}%"))
    return markdown_table(header, rows)


def _summary(records: Records, path: Path) -> Record:
    """Return means over trials, as JSON holds them."""
    places = [path.reached(within) for within in published.WITHIN]
    summary: Record = {
        "adaboost": float(np.mean([r["adaboost"] for r in records])),
        "samples": [None if p is None else int(path.counts[p]) for p in places],
        "used": [None if p is None else float(path.features[p] / path.varying) for p in places],
    }
    for method in (*METHODS, "top"):
        summary[method] = {
            what: np.mean([r[method][what] for r in records], axis=0).tolist()
            for what in records[0][method]
        }
    return summary


def _published(name: str) -> Record:
    """Return what the paper prints, under the names and in the units of `_summary`."""
    figures: Record = {
        "adaboost": published.ADABOOST[name] / 100.0,
        "samples": list(published.SAMPLES[name]),
        "used": [share / 100.0 for share in published.USED[name]],
    }
    for j, method in enumerate(METHODS):
        figures[method] = {
            "error": [row[j] / 100.0 for row in published.ERRORS[name]],
            "features": [row[j] for row in published.TAKEN[name]],
        }
    return figures


_LINE = "#0072b2"
_DOTS = "#d55e00"


def picture(name: str, path: Path) -> Figure:
    """Draw the error on the left and the features on the right, with published figures as dots."""
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
    close = published.ADABOOST[name] * (1.0 + np.array(published.WITHIN) / 100.0)
    ax.plot(published.SAMPLES[name], close, "o", color=_DOTS, label="published (Tables 2 to 4)")
    ax.set_title(f"{name}, error", loc="left", fontsize=11)
    ax.set_ylabel("Test error, %")


def _draw_features(ax: Any, name: str, path: Path) -> None:
    ax.semilogx(path.counts, 100.0 * path.features / path.varying, color=_LINE)
    ax.plot(published.SAMPLES[name], published.USED[name], "o", color=_DOTS)
    ax.set_title(f"{name}, features used", loc="left", fontsize=11)
    ax.set_ylabel("Features used, %")
