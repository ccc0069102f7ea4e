"""The tables and pictures of `reyzin2011`."""

from __future__ import annotations

from typing import Any

import numpy as np

from scrimp.types import Ints

from .experiment import Results
from .published import (
    REYZIN2011_ADABOOST,
    REYZIN2011_BOUNDS,
    REYZIN2011_ERRORS,
    REYZIN2011_SAMPLES,
    REYZIN2011_TAKEN,
    REYZIN2011_USED,
    REYZIN2011_WITHIN,
)
from .report import Page, Table, markdown_table, percent
from .reyzin2011_claims import Path, Records, verdicts
from .reyzin2011_picture import picture
from .trials import Record
from .verdicts import signed

METHODS = ("RS_AC", "RS")


def fill(page: Page, results: Results, counts: Ints) -> None:
    """All that is said of the results."""
    every = results.records
    paths = {name: Path(records, counts) for name, records in every.items()}
    page.add_verdicts(verdicts(every, paths))
    page.add_table(_table_2(every))
    page.add_table(
        _table_3_4(paths),
        "How far above AdaBoost's own error, in percent of it; the first count of draws (from a "
        "grid in steps of 4%) at which the mean error over trials is as low. Percent of features "
        "is of those that vary within a trial. In the pictures, dots are the published figures.",
    )
    for name, path in paths.items():
        caption = f"Error and features used against samples drawn, on {name}"
        page.add_picture(name, picture(name, path), caption)
    page.add_table(_table_5(every), _off_table_5(every))
    page.add_table(_table_6(every), _off_table_6(every))
    page.add("Draws, of which most are of features bought before:", _draws_table(every))
    page.record["datasets"] = {
        name: _summary(records, paths[name]) for name, records in every.items()
    }
    page.record["published"] = {name: _published(name) for name in every}


def _table_2(every: Any) -> Table:
    rows = [
        (name, percent(np.mean([r["adaboost"] for r in records])), REYZIN2011_ADABOOST[name])
        for name, records in every.items()
    ]
    title = "Table 2: error of AdaBoost, percent"
    return Table(title, ("dataset", "here", "published"), _as_text(rows))


def _table_3_4(paths: dict[str, Path]) -> Table:
    header = ["dataset", "", *(f"{within}%" for within in REYZIN2011_WITHIN)]
    rows = []
    for name, path in paths.items():
        places = [path.reached(within) for within in REYZIN2011_WITHIN]
        most = f"over {path.counts[-1]}"
        draws = [most if p is None else str(path.counts[p]) for p in places]
        used = ["" if p is None else percent(path.features[p] / path.varying) for p in places]
        rows += [
            (name, "samples here", *draws),
            ("", "published", *REYZIN2011_SAMPLES[name]),
            ("", "% of features here", *used),
            ("", "published", *REYZIN2011_USED[name]),
        ]
    title = "Tables 3 and 4: samples to come close to AdaBoost, and features they use"
    return Table(title, header, _as_text(rows))


def _cells(every: Any) -> Any:
    for name, records in every.items():
        for k, bound in enumerate(REYZIN2011_BOUNDS):
            yield name, k, bound, records


def _mean(records: Records, method: str, what: str, k: int) -> float:
    return float(np.mean([r[method][what][k] for r in records]))


def _off(every: Any, what: str, printed: Any, relative: bool) -> float:
    """The largest difference from a printed table."""
    found = 0.0
    for name, k, _, records in _cells(every):
        for method, figure in zip(METHODS, printed[name][k], strict=True):
            here = _mean(records, method, what, k)
            found = max(found, abs(here / figure - 1.0 if relative else here - figure / 100.0))
    return 100.0 * found


def _off_table_5(every: Any) -> str:
    found = _off(every, "error", REYZIN2011_ERRORS, relative=False)
    return f"At most {found:.1f} points from a printed figure."


def _off_table_6(every: Any) -> str:
    found = _off(every, "features", REYZIN2011_TAKEN, relative=True)
    return f"Features bought are at most {found:.0f}% from a printed figure."


def _table_5(every: Any) -> Table:
    header = ("dataset", "B", "RS_AC", "published", "off by", "RS", "published", "off by", "top")
    rows = []
    for name, k, bound, records in _cells(every):
        row: list[Any] = [name, bound]
        for method, printed in zip(METHODS, REYZIN2011_ERRORS[name][k], strict=True):
            here = 100.0 * _mean(records, method, "error", k)
            row += [f"{here:.1f}", printed, signed(here - printed)]
        rows.append([*row, percent(_mean(records, "top", "error", k))])
    return Table("Table 5: error at a budget, percent", header, _as_text(rows))


def _table_6(every: Any) -> Table:
    header = ("dataset", "B", "RS_AC", "published", "off by", "RS", "published", "off by")
    rows = []
    for name, k, bound, records in _cells(every):
        row: list[Any] = [name, bound]
        for method, printed in zip(METHODS, REYZIN2011_TAKEN[name][k], strict=True):
            here = _mean(records, method, "features", k)
            row += [f"{here:.1f}", printed, f"{signed(100.0 * (here / printed - 1.0), 0)}%"]
        rows.append(row)
    return Table("Table 6: features bought at a budget", header, _as_text(rows))


def _as_text(rows: Any) -> list[list[str]]:
    """Cells as the paper prints them."""
    return [[str(cell) for cell in row] for row in rows]


def _draws_table(every: Any) -> str:
    header = ("dataset", "B", "RS_AC", "RS", "rows at the limit of draws")
    rows = []
    for name, k, bound, records in _cells(every):
        draws = [f"{_mean(records, method, 'draws', k):.0f}" for method in METHODS]
        capped = max(_mean(records, method, "capped", k) for method in METHODS)
        rows.append((name, bound, *draws, f"{percent(capped)}%"))
    return markdown_table(header, rows)


def _summary(records: Records, path: Path) -> Record:
    """Means over trials, for machines."""
    places = [path.reached(within) for within in REYZIN2011_WITHIN]
    found: Record = {
        "adaboost": float(np.mean([r["adaboost"] for r in records])),
        "samples": [None if p is None else int(path.counts[p]) for p in places],
        "used": [None if p is None else float(path.features[p] / path.varying) for p in places],
    }
    for method in (*METHODS, "top"):
        found[method] = {
            what: np.mean([r[method][what] for r in records], axis=0).tolist()
            for what in records[0][method]
        }
    return found


def _published(name: str) -> Record:
    """What the paper prints, under the names and in the units of `_summary`."""
    found: Record = {
        "adaboost": REYZIN2011_ADABOOST[name] / 100.0,
        "samples": list(REYZIN2011_SAMPLES[name]),
        "used": [share / 100.0 for share in REYZIN2011_USED[name]],
    }
    for j, method in enumerate(METHODS):
        found[method] = {
            "error": [row[j] / 100.0 for row in REYZIN2011_ERRORS[name]],
            "features": [row[j] for row in REYZIN2011_TAKEN[name]],
        }
    return found
