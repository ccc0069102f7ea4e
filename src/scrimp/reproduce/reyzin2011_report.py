"""The tables and pictures of `reyzin2011`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..plan import Ints
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
from .report import Page, markdown_table, percent
from .reyzin2011_claims import Path, Records, verdicts
from .trials import Record
from .verdicts import signed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("RS_AC", "RS")


def fill(page: Page, results: Results, counts: Ints) -> None:
    """All that is said of the results."""
    every = results.records
    paths = {name: Path(records, counts) for name, records in every.items()}
    page.add_verdicts(verdicts(every, paths))
    page.add("## Table 2: error of AdaBoost, percent", _table_2(every))
    page.add("## Tables 3 and 4: samples to come close to AdaBoost, and features they use")
    page.add(
        "How far above AdaBoost's own error, in percent of it; the first count of draws (from a "
        "grid in steps of 4%) at which the mean error over trials is as low. Percent of features "
        "is of those that vary within a trial.",
        _table_3_4(every, paths),
    )
    page.add_picture("samples", _picture(paths), "Error and features used against samples drawn")
    page.add("## Table 5: error at a budget, percent", _off_table_5(every), _table_5(every))
    page.add("## Table 6: features bought and draws at a budget", _off_table_6(every))
    page.add(_table_6(every))
    page.record["datasets"] = {name: _summary(records) for name, records in every.items()}


def _table_2(every: Any) -> str:
    rows = [
        (name, percent(np.mean([r["adaboost"] for r in records])), REYZIN2011_ADABOOST[name])
        for name, records in every.items()
    ]
    return markdown_table(("dataset", "here", "published"), rows)


def _table_3_4(every: Any, paths: dict[str, Path]) -> str:
    header = ["dataset", "", *(f"{within}%" for within in REYZIN2011_WITHIN)]
    rows = []
    for name in every:
        path = paths[name]
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
    return markdown_table(header, rows)


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


def _table_5(every: Any) -> str:
    header = ("dataset", "B", "RS_AC", "published", "off by", "RS", "published", "off by",
              "best first")  # fmt: skip
    rows = []
    for name, k, bound, records in _cells(every):
        row: list[Any] = [name, bound]
        for method, printed in zip(METHODS, REYZIN2011_ERRORS[name][k], strict=True):
            here = 100.0 * _mean(records, method, "error", k)
            row += [f"{here:.1f}", printed, signed(here - printed)]
        rows.append([*row, percent(_mean(records, "top", "error", k))])
    return markdown_table(header, rows)


def _table_6(every: Any) -> str:
    header = (
        "dataset", "B", "RS_AC features", "published", "off by", "RS features", "published",
        "off by", "RS_AC draws", "RS draws", "rows at the limit of draws",
    )  # fmt: skip
    rows = []
    for name, k, bound, records in _cells(every):
        row: list[Any] = [name, bound]
        for method, printed in zip(METHODS, REYZIN2011_TAKEN[name][k], strict=True):
            here = _mean(records, method, "features", k)
            row += [f"{here:.1f}", printed, f"{signed(100.0 * (here / printed - 1.0), 0)}%"]
        row += [f"{_mean(records, method, 'draws', k):.0f}" for method in METHODS]
        capped = max(_mean(records, method, "capped", k) for method in METHODS)
        rows.append([*row, f"{percent(capped)}%"])
    return markdown_table(header, rows)


def _summary(records: Records) -> Record:
    """Means over trials, for machines."""
    found: Record = {"adaboost": float(np.mean([r["adaboost"] for r in records]))}
    for method in (*METHODS, "top"):
        found[method] = {
            what: np.mean([r[method][what] for r in records], axis=0).tolist()
            for what in records[0][method]
        }
    return found


def _picture(paths: dict[str, Path]) -> Figure:
    """Error above, features below, one column a dataset."""
    from matplotlib.figure import Figure

    from ..evaluation.axes import tidy

    figure = Figure(figsize=(3.2 * len(paths) + 0.6, 5.4), layout="constrained")
    axes = figure.subplots(2, len(paths), sharex=True, squeeze=False)
    for (above, below), (name, path) in zip(axes.T, paths.items(), strict=True):
        above.semilogx(path.counts, 100.0 * path.error, color="#3b6ea5", label="AdaBoostRS")
        above.axhline(100.0 * path.limit, color="0.4", linestyle="--", label="AdaBoost")
        above.set_title(name)
        above.set_ylim(bottom=0.0)
        below.semilogx(path.counts, 100.0 * path.features / path.varying, color="#3b6ea5")
        below.set_ylim(bottom=0.0)
        below.set_xlabel("Samples drawn")
        for ax in (above, below):
            tidy(ax, "both")
    axes[0, 0].set_ylabel("Test error, %")
    axes[1, 0].set_ylabel("Features used, %")
    axes[0, 0].legend(frameon=False)
    return figure
