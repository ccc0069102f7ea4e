"""The part of the report on `hu2016` about digits: verdicts, a table, a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from reporting.charts import line_chart
from scrimp.types import Floats

from ..report import PaperPage, Table
from ..trials import Record
from ..verdicts import CONFIRMED, OPEN, REFUTED, Interval, Verdict, interval, with_caution
from .mnist import GROUPS, METHODS, N_FEATURES
from .published import MNIST

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS = "CS-G-OMP"
_COLOURS = ("#0072b2", "#56b4e9", "#009e73", "#d55e00")


def _groups(n_features: int) -> int:
    """Return the number of groups that hold that part of the thesis's features."""
    return round(GROUPS * n_features / MNIST.features)


#: Groups that hold a fifth of the features, where a figure is printed.
FIFTH = _groups(MNIST.early[0])
#: Groups from which on the printed curve is flat.
FLAT = _groups(MNIST.plateau[0])
#: Numbers of groups at which mistakes are reported.
SHOWN = (1, 2, 5, FIFTH, 20, FLAT, GROUPS)
#: The number of mistakes that counts as about the printed end: up to a tenth more.
ABOUT = 1.1 * MNIST.end


def mistakes(records: Sequence[Record], method: str = OURS) -> Floats:
    """Return the mistakes per trial (rows) and number of groups (columns)."""
    return np.array([r["mistakes"][method] for r in records], dtype=np.float64)


def verdicts(records: Sequence[Record]) -> list[Verdict]:
    """Return verdicts on the claim as printed, and on what can be tested at a reduced size."""
    return with_caution([_absolute(records), _relative(records)], len(records))


def _absolute(records: Sequence[Record]) -> Verdict:
    """Return the verdict; a smaller experiment may confirm the claim but cannot refute it."""
    counts = mistakes(records)
    early, end = interval(counts[:, FIFTH]), interval(counts[:, -1])
    limit = MNIST.early[1]
    met = early.high < limit and end.high <= ABOUT
    return Verdict(
        f"With a fifth of the features under {limit} mistakes of 10000 on MNIST, about "
        f"{MNIST.end - 1} at the end",
        CONFIRMED if met else OPEN,
        f"with {FIFTH} of {GROUPS} groups {_range(early)} mistakes, with all {_range(end)}, on "
        f"{records[0]['n_test']} test rows. The experiment is smaller than the thesis's, which had "
        f"{MNIST.rows} training rows and {MNIST.features} features for {N_FEATURES} "
        "here: more mistakes do not refute it",
    )


def _relative(records: Sequence[Record]) -> Verdict:
    counts, printed = mistakes(records), MNIST.early[1] / MNIST.end
    ratio = interval(counts[:, FIFTH] / counts[:, -1])
    flat = interval(counts[:, FLAT] / counts[:, -1])
    gain = interval(100.0 * (counts[:, 0] - counts[:, FIFTH]) / (counts[:, 0] - counts[:, -1]))
    below = Interval(printed - ratio.mean, printed - ratio.high, printed - ratio.low).sign
    return Verdict(
        "The same relative to the end: with a fifth of the features under 1.49 times the mistakes "
        "that are made with all",
        {1: CONFIRMED, 0: OPEN, -1: REFUTED}[below],
        f"{_range(ratio, 2)} times with {FIFTH} groups, {_range(flat, 2)} times with {FLAT} "
        f"(printed: at most {MNIST.plateau[1] / MNIST.end:.2f}). A fifth "
        f"of the features has {_range(gain, 2)}% of what all of them gain over guessing",
    )


def _range(estimate: Interval, digits: int = 0) -> str:
    if not np.isfinite(estimate.low):
        return f"{estimate.mean:.{digits}f} (few trials)"
    return f"{estimate.mean:.{digits}f} ({estimate.low:.{digits}f} to {estimate.high:.{digits}f})"


def table(records: Sequence[Record]) -> Table:
    """Return mean mistakes by groups bought, beside those printed."""
    rows = [
        (name, *(f"{mistakes(records, name)[:, k].mean():.0f}" for k in SHOWN),
         f"{np.median([r['seconds'][name] for r in records]):.0f}")
        for name in METHODS
    ]  # fmt: skip
    printed = {FIFTH: f"< {MNIST.early[1]}", FLAT: f"100 to {MNIST.plateau[1]}",
            GROUPS: str(MNIST.end)}  # fmt: skip
    rows.append((f"{OURS} (printed)", *(printed.get(k, "") for k in SHOWN), ""))
    header = ("method", *(f"{k} of {GROUPS}" for k in SHOWN), "seconds")
    return Table("Figure 3.6: mistakes on MNIST, at a reduced size", header, rows)


def fill(page: PaperPage, records: Sequence[Record]) -> None:
    """Add the section about digits."""
    page.add_table(
        table(records),
        f"Mistakes on {records[0]['n_test']} test rows with the first groups bought, "
        "means over trials, and median seconds of one core for the whole order. The last row is "
        "printed, for four times the training rows and seven times the features.",
    )
    page.add_picture(
        "mnist", picture(records), "Mistakes on MNIST's test rows against features bought"
    )


def picture(records: Sequence[Record]) -> Figure:
    """Draw mean mistakes against features bought, and those printed."""
    n_test = records[0]["n_test"]
    figure, ax = line_chart("mnist", "Features bought, %", f"Mistakes of {n_test}, logarithmic")
    bought = 100.0 * np.arange(1, GROUPS + 1) / GROUPS
    for method, colour in zip(METHODS, _COLOURS, strict=True):
        ax.plot(bought, mistakes(records, method).mean(axis=0)[1:], color=colour, label=method)
    ours = mistakes(records)[:, 1:]
    ax.fill_between(bought, ours.min(axis=0), ours.max(axis=0), color=_COLOURS[0], alpha=0.15,
                    linewidth=0, label=f"{OURS}, least to most")  # fmt: skip
    marks = (MNIST.early, MNIST.plateau, (MNIST.features, MNIST.end))
    ax.plot([100.0 * n / MNIST.features for n, _ in marks], [m for _, m in marks], "k.",
            label="printed, at full size")  # fmt: skip
    ax.set_yscale("log")
    ticks = [100, 200, 500, 1000, 2000]
    ax.set_yticks(ticks, [str(tick) for tick in ticks])
    ax.set_yticks([], minor=True)
    ax.legend(frameon=False)
    return figure


def summary(records: Sequence[Record]) -> Record:
    """Return means over trials, as JSON holds them."""
    return {
        "mistakes": {m: mistakes(records, m).mean(axis=0).tolist() for m in METHODS},
        "seconds": {m: float(np.median([r["seconds"][m] for r in records])) for m in METHODS},
    }
