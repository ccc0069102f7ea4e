"""The targets of the study, as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.report import Row
from benchmarks.study.methods import Method
from benchmarks.study.published import GDFS, accuracies
from benchmarks.study.results import Result
from benchmarks.study.standing import Curves, Standing

#: The mean area must be at most this part of CEGB's.
MAX_RATIO = 0.93
#: On at least this share of the problems it must not be worse than the best peer.
MIN_SHARE = 0.90
#: Training may take at most this many times as long as tuning CEGB.
MAX_TIME = 2.0


def must_reach(
    curves: Sequence[Curves], ours: Method, best: Sequence[Standing], cegb: Sequence[Standing]
) -> list[Row]:
    """Return the rows on areas and time, where there are results for them."""
    both = [c for c in curves if {ours.name, "cegb"} <= set(c.results)]
    rows = [_ratio_row(ours, cegb)] if cegb else []
    rows += [_share_row(ours, best)] if best else []
    return rows + ([_time_row(ours, both)] if both else [])


def _ratio_row(ours: Method, cegb: Sequence[Standing]) -> Row:
    ratios = np.array([standing.ratio for standing in cegb])
    geometric = np.exp(np.log(ratios).mean())
    return Row(
        f"{ours.title}: mean area ratio against tuned LightGBM CEGB",
        f"<= {MAX_RATIO}",
        f"{ratios.mean():.3f}",
        bool(ratios.mean() <= MAX_RATIO),
        f"problems: {len(ratios)}; geometric mean {geometric:.3f}; {_score(cegb)}",
    )


def _share_row(ours: Method, best: Sequence[Standing]) -> Row:
    share = float(np.mean([standing.ratio <= 1.0 for standing in best]))
    lost = [standing.problem for standing in best if standing.outcome == "loss"]
    return Row(
        f"{ours.title}: problems where it is not worse than the best peer",
        f">= {MIN_SHARE:.0%}, no significant loss",
        f"{share:.0%}, {len(lost)} lost",
        share >= MIN_SHARE and not lost,
        f"against the peer that is best on the test rows; {_score(best)}"
        + (f"; lost: {', '.join(lost)}" if lost else ""),
    )


def _time_row(ours: Method, curves: Sequence[Curves]) -> Row:
    seconds = np.array([c.seconds(ours.name) for c in curves])
    cegb = np.array([c.seconds("cegb") for c in curves])
    ratios = seconds / cegb
    return Row(
        f"{ours.title}: time of training over that of tuning CEGB",
        f"<= {MAX_TIME:g} x",
        f"{ratios.mean():.2f} x",
        bool(ratios.mean() <= MAX_TIME),
        f"seconds of the processor; mean over problems; largest {ratios.max():.2f} x; "
        f"in all {seconds.sum():.0f} s and {cegb.sum():.0f} s",
    )


def _score(standings: Sequence[Standing]) -> str:
    count = {
        word: sum(standing.outcome == word for standing in standings)
        for word in ("win", "tie", "loss")
    }
    return f"{count['win']} won, {count['tie']} tied, {count['loss']} lost after Holm"


def published_rows(unit: Sequence[Result], methods: Sequence[Method]) -> list[Row]:
    """Return the row on published accuracies."""
    ours = next((m for m in methods if m.ours and any(r.method == m.name for r in unit)), None)
    if ours is None:
        return []
    measured = accuracies([result for result in unit if result.method == ours.name])
    ahead = [accuracy for accuracy in measured if accuracy.mean >= GDFS[accuracy.columns]]
    points = [
        f"{accuracy.columns}: {accuracy.mean:.1f} ({GDFS[accuracy.columns]})"
        for accuracy in measured
    ]
    return [
        Row(
            f"{ours.title}: UCI spam, unit prices, accuracy at 1 to 25 columns",
            "GDFS's at each",
            f"{len(ahead)} of {len(measured)} points",
            len(ahead) == len(measured),
            "; ".join(points),
        )
    ]
