"""Tests of the claims of Hu (2019, ch. 3) about orders of feature groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scrimp.types import Floats

from ..trials import Record
from ..verdicts import (
    CONFIRMED,
    IN_PART,
    REFUTED,
    Interval,
    Verdict,
    interval,
    joined,
    tally,
    with_caution,
)
from . import published

RecordsByDataset = Mapping[str, Sequence[Record]]
#: The methods that CS-G-OMP is claimed to be ahead of, and the words of each claim.
BEHIND = {
    "Single": "CS-G-OMP is at least as timely as Single, its variant by the best column alone",
    "No-Whiten": "CS-G-OMP is at least as timely as No-Whiten, its variant without group whitening",
    "G-OMP": "CS-G-OMP is at least as timely as G-OMP, which does not look at prices",
    "Sparse": "CS-G-OMP is at least as timely as Sparse, the group lasso weighted with prices",
}


def verdicts(by_dataset: RecordsByDataset) -> list[Verdict]:
    """Return one verdict per claim."""
    results = [
        _ahead(by_dataset, "CS-G-FR", "CS-G-OMP", "CS-G-FR is at least as timely as CS-G-OMP")
    ]
    results += [_ahead(by_dataset, "CS-G-OMP", other, claim) for other, claim in BEHIND.items()]
    results.append(_faster(by_dataset))
    return with_caution(results, min(map(len, by_dataset.values())))


def gains(by_dataset: RecordsByDataset, one: str, other: str) -> dict[str, Interval]:
    """Return how much more timely one method is than another per dataset, in thousandths."""
    return {
        name: interval([r["timeliness"][one] - r["timeliness"][other] for r in records]).scaled(
            1000.0
        )
        for name, records in by_dataset.items()
    }


def _ahead(by_dataset: RecordsByDataset, one: str, other: str, claim: str) -> Verdict:
    """Return the verdict: confirmed in part if it is ahead on one dataset and behind on another."""
    gain_by_dataset = gains(by_dataset, one, other)
    count = tally(list(gain_by_dataset.values()))
    outcome = IN_PART if count.better and count.worse else count.mostly()
    listed = "; ".join(f"{name} {gain}" for name, gain in gain_by_dataset.items())
    return Verdict(
        claim, outcome,
        f"beyond chance {count}. Timeliness of {one} less that of {other}, thousandths: {listed}. "
        f"In training it is ahead in the mean on {_ahead_in_training(by_dataset, one, other)} of "
        f"{len(by_dataset)}",
    )  # fmt: skip


def _ahead_in_training(by_dataset: RecordsByDataset, one: str, other: str) -> int:
    """Return on how many datasets the mean over trials is higher."""
    means = [
        np.mean([r["training"][one] - r["training"][other] for r in records])
        for records in by_dataset.values()
    ]
    return sum(mean > 0 for mean in means)


def slower(records: Sequence[Record], suffix: str = "") -> Floats:
    """Return the time of CS-G-FR for its order over that of CS-G-OMP, per trial."""
    one, other = ("FR by refits", "OMP by refits") if suffix else ("CS-G-FR", "CS-G-OMP")
    return np.array([r["seconds"][one]["order"] / r["seconds"][other]["order"] for r in records])


def _faster(by_dataset: RecordsByDataset) -> Verdict:
    """Return the verdict on implementations with refits, and the ratio without them beside it."""
    refits = {name: float(np.median(slower(rs, "refits"))) for name, rs in by_dataset.items()}
    here = {name: float(np.median(slower(rs))) for name, rs in by_dataset.items()}
    low = published.FASTER[0]
    outcome = joined([CONFIRMED if ratio >= low else REFUTED for ratio in refits.values()])
    return Verdict(
        "CS-G-OMP trains 8x to 20x faster than CS-G-FR (in the thesis's implementation)", outcome,
        f"times as long, median over trials; with a refit for each candidate: {_listed(refits)} "
        f"(confirmed if {low:g} or more on every dataset; it rises with the number of groups). "
        f"CS-G-FR needs no refits: without them it takes {_listed(here)} as long, so that "
        "time is no reason to prefer CS-G-OMP",
    )  # fmt: skip


def _listed(ratios: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {ratio:.1f}x" for name, ratio in ratios.items())
