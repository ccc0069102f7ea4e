"""The tables and pictures of the report of `adaloss`."""

from __future__ import annotations

import numpy as np

from ..experiment import Results
from ..report import PaperPage, Table
from . import published
from .claims import Records, excess, verdicts
from .training import SCHEMES

_PARTS = ("1/4", "1/2", "3/4", "1")


def fill(page: PaperPage, results: Results) -> None:
    """Add verdicts, tables and pictures of the results."""
    records = results.records
    page.add_verdicts(verdicts(records))
    page.add_table(
        _table_4_1(records),
        "Increase of the test error over OPT in percent at parts of the cost: mean over trials, "
        "and beside it what Table 4.1 prints for other networks and data.",
    )
    page.add_table(_weights(records), "Weights of the exits at the end of the training with "
                   "AdaLoss, mean over trials, as in Fig. 4.7c.")  # fmt: skip
    page.record["datasets"] = {name: list(found) for name, found in records.items()}
    page.record["published"] = published.TABLE_4_1


def _table_4_1(records: Records) -> Table:
    rows = []
    for name, own in records.items():
        for scheme in SCHEMES:
            mean = excess(own, scheme).mean(axis=0)
            printed = published.TABLE_4_1.get(scheme)
            beside = [f" ({value:.1f})" for value in printed] if printed else [""] * len(mean)
            cells = [f"{value:.1f}{other}" for value, other in zip(mean, beside, strict=True)]
            rows.append((name, scheme, *cells))
        errors = 100 * np.mean([record["errors"]["opt"] for record in own], axis=0)
        rows.append((name, "OPT's error", *(f"{error:.1f}%" for error in errors)))
    return Table("Excess over OPT", ("dataset", "scheme", *_PARTS), rows)


def _weights(records: Records) -> Table:
    rows = []
    for name, own in records.items():
        mean = np.mean([record["weights"]["adaloss"] for record in own], axis=0)
        rows.append((name, *(f"{weight:.2f}" for weight in mean)))
    n_exits = len(rows[0]) - 1
    return Table("Weights of exits", ("dataset", *map(str, range(1, n_exits + 1))), rows)
