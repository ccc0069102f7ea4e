"""The tables and the order of the report of `sgb2017`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reporting.page import markdown_table

from ..experiment import Results
from ..report import PaperPage, Table
from ..trials import Record
from . import counterexample, pictures, published
from .claims import NEAR, RecordsByDataset, cost_to, verdicts
from .regret_claims import verdicts as regret_verdicts
from .streams import SMALL_DEPTHS, SMALL_LEARNERS, SMALL_ROWS, STEP_DEPTH
from .theory_claims import counterexample_verdicts, theory_verdicts


def fill(page: PaperPage, results: Results) -> None:
    """Add verdicts, tables and pictures of the results."""
    records = results.records
    compared = {name: records[name] for name in published.TABLE if name in records}
    streams = {name: found for name, found in records.items() if name.startswith("regret")}
    generated, example = records.get("generated"), records.get("counterexample")
    page.add_verdicts([
        *(verdicts(compared) if compared else ()),
        *(regret_verdicts(streams) if streams else ()),
        *(theory_verdicts(generated) if generated else ()),
        *(counterexample_verdicts(example[0]) if example else ()),
    ])  # fmt: skip
    if compared:
        _add_comparison(page, compared)
    if streams:
        _add_streams(page, streams)
    if generated:
        _add_theory(page, generated)
    if example:
        _add_counterexample(page, example[0])
    page.record["datasets"] = {name: list(found) for name, found in records.items()}
    page.record["published"] = {name: vars(row) for name, row in published.TABLE.items()}


def _add_comparison(page: PaperPage, compared: RecordsByDataset) -> None:
    page.add_table(
        _table_5_1(compared),
        "Means over trials, with standard errors where there are several: half the squared error "
        "where numbers are predicted, percent of test rows on a9a and MNIST.",
    )
    page.add_table(
        _table_costs(compared),
        "Means over trials. Passes are over the training rows: all learners together in SGB, each "
        f"in turn in GB. Converged is where the error first is within {100 * (NEAR - 1):.0f}% of "
        "the worse end of GB and SGB.",
    )
    page.add("The first trial, as in Fig. 5.2; dots are where a block of learners is complete.")
    for name, records in compared.items():
        caption = f"Test error against the cost of training, on {name}"
        page.add_picture(name, pictures.costs(name, records), caption)


def _table_5_1(compared: RecordsByDataset) -> Table:
    header = ("dataset", "N", "base", "printed", "GB", "printed", "SGB", "printed")
    rows = []
    for name in published.TABLE:
        if name not in compared:
            rows.append((name, "", *(cell for key in ("base", "GB", "SGB")
                                     for cell in ("not here", _printed(name, key)))))  # fmt: skip
            continue
        records, cells = compared[name], []
        for key in ("base", "GB", "SGB"):
            finals = _scale(name) * np.array([r[key]["final"] for r in records])
            cells += [_mean(finals), _printed(name, key)]
        rows.append((name, str(len(records[0]["GB"]["rows"])), *cells))
    return Table("Table 5.1: test errors", header, rows)


def _scale(name: str) -> float:
    return 1.0 if name in ("abalone", "year", "slice") else 100.0


def _printed(name: str, key: str) -> str:
    return _number(_scale(name) * getattr(published.TABLE[name], key))


def _number(value: float) -> str:
    return f"{value:.3g}" if value > 1_000 or value < 0.1 else f"{value:.2f}"


def _mean(values: Any) -> str:
    mean = np.mean(values)
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else None
    digits = ".2g" if mean < 0.1 else ".2f"
    return _number(mean) + ("" if error is None else f" ± {error:{digits}}")


def _table_costs(compared: RecordsByDataset) -> Table:
    header = ("dataset", "training", "blocks", "passes of a block", "error", "cost",
              "cost to converge")  # fmt: skip
    rows = []
    for name, records in compared.items():
        for key in ("GB", "SGB", *records[0]["others"]):
            found = [r[key] if key in r else r["others"][key] for r in records]
            levels = [NEAR * max(r["GB"]["final"], r["SGB"]["final"]) for r in records]
            reached = [cost_to(f, level) for f, level in zip(found, levels, strict=True)]
            passes = np.mean([np.mean(f["rows"]) / r["n_train"]
                              for f, r in zip(found, records, strict=True)])  # fmt: skip
            finite = [cost for cost in reached if np.isfinite(cost)]
            part = (
                f" ({len(finite)} of {len(reached)} trials)" if len(finite) < len(reached) else ""
            )
            cost = f"{np.exp(np.mean(np.log(finite))):.2g}{part}" if finite else "never"
            rows.append((name, key, len(found[0]["rows"]), f"{passes:.1f}",
                         f"{_scale(name) * np.mean([f['final'] for f in found]):.2f}",
                         f"{np.mean([f['cost'][-1] for f in found]):.2g}", cost))  # fmt: skip
    return Table("Fig. 5.2: what training costs, in answers of one learner", header, rows)


def _add_streams(page: PaperPage, streams: RecordsByDataset) -> None:
    page.add("## Fig. 5.1: average regret")
    for name, records in streams.items():
        caption = f"Average regret by learners, depth and rows, on {name}"
        page.add_picture(name, pictures.regret(name, records), caption)
    page.add_table(
        _table_steps(streams),
        f"Trees of depth {STEP_DEPTH}, means over trials. The theorem's step is that for an edge "
        "of 0.5. All at once: every learner begins with the first row, as Alg. 6 is printed; "
        "otherwise 100 rows apart.",
    )
    page.add_table(
        _table_small(streams),
        f"The first {SMALL_ROWS:,} rows, {SMALL_LEARNERS} learners that all begin at once, means "
        "over trials: regret for the best number of learners and for all of them, and the edge of "
        "the first learner.",
    )


def _table_steps(streams: RecordsByDataset) -> Table:
    shown = (1, 2, 5, 10, 20)
    header = ("dataset", "step", *(f"N = {n}" for n in shown))
    rows = []
    for name, records in streams.items():
        for step in records[0]["steps"]:
            means = np.mean([r["steps"][step] for r in records], axis=0)
            rows.append((name, step, *(f"{means[n]:.3f}" for n in shown)))
    return Table("Steps, and when learners begin: average regret of Alg. 6", header, rows)


def _table_small(streams: RecordsByDataset) -> Table:
    header = ("dataset", "depth", "online trees", "all", "edge", "refits", "all", "edge")
    rows = []
    for name, records in streams.items():
        for depth in map(str, SMALL_DEPTHS):
            cells: list[str] = []
            for kind in ("online", "refits"):
                found = [r["small"][kind][depth] for r in records]
                means = np.mean([f["by_learners"] for f in found], axis=0)
                edge = np.mean([f["edges"][0] for f in found])
                cells += [f"{means.min():.3f} (N = {means.argmin()})", f"{means[-1]:.3f}",
                          f"{edge:.2f}"]  # fmt: skip
            rows.append((name, depth, *cells))
    return Table("Online trees beside refits to all past rows: average regret", header, rows)


def _add_theory(page: PaperPage, records: Sequence[Record]) -> None:
    header = ("N", "regret, 1/β", "edge", "bound", "regret, Thm 5.5.1", "edge", "printed", "proof",
              "regret, Alg. 7", "edge", "printed", "sharper")  # fmt: skip
    smooth = [[r["smooth"][key] for r in records] for key in ("1/β", "Thm 5.5.1")]
    other = [r["other"] for r in records]
    rows = []
    for n in range(1, len(other[0]["edges"]) + 1):
        row: list[str] = [str(n)]
        for runs, places in ((smooth[0], (2,)), (smooth[1], (0, 1)), (other, (0, 1))):
            row.append(f"{np.mean([run['regret'][n] for run in runs]):.3f}")
            row.append(f"{np.mean([run['edges'][n - 1] for run in runs]):.3f}")
            row += [_bound(runs, n, place) for place in places]
        rows.append(row)
    page.add_table(
        Table("Theorems 5.5.1 and 5.5.2 against measured regret", header, rows),
        "Generated problems, means over trials; bounds for N learners are of the least edge of "
        "the first N. B is the largest loss of a row at the start, G the largest gradient. Thm "
        "5.5.2 is about the mean of y^0 to y^(N-1), which for N = 1 is the start.",
    )
    page.add_picture("bounds", pictures.bounds(records), "Regret and its bounds by learners")


def _bound(runs: Sequence[Record], n: int, place: int) -> str:
    found = [run["bounds"][n - 1][place] for run in runs]
    known = [value for value in found if value is not None]
    return f"{np.mean(known):.3g}" if len(known) == len(found) else "none"


def _add_counterexample(page: PaperPage, record: Record) -> None:
    rows = [
        (name, *(f"{value:.4f}" for value in found)) for name, found in record["stagewise"].items()
    ]
    header = ("loss of the mean of partial sums", *(f"N = {n}" for n in counterexample.STAGES))
    page.add_table(
        Table("The counterexample of 5.8.4", header, rows),
        "From (1, 1), where the best loss is 0 and b = 1. Stage by stage: each learner is fitted "
        "to its one target, with steps 0.3/√i.",
    )
    header = ("online, follow the leader", "N", *(f"{what}, {rows} rows" for rows in
              counterexample.ROWS for what in ("last sum", "mean")))  # fmt: skip
    table = [
        (name, n, *(f"{value:.2f}" for pair in pairs for value in pair))
        for name, found in record["online"].items()
        for n, pairs in zip(counterexample.LEARNERS, found, strict=True)
    ]
    page.add(
        "Online, with a step of 0.05: the loss of the last partial sum, and of the mean of them, "
        "at the last row. Alg. 6 comes below b with many learners.", markdown_table(header, table),
    )  # fmt: skip
