"""Claims of chapter 4, and what became of them here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from scrimp.nets.exponential import largest_ratio, plain_ratio, printed_ratio, simulated_ratio
from scrimp.types import Floats

from ..trials import Record
from ..verdicts import CONFIRMED, OPEN, REFUTED, UNTESTED, Interval, Verdict, interval
from .published import SHARES

Records = Mapping[str, Sequence[Record]]
#: How far two bounds may differ and be the same.
_SAME = 1e-3
#: The change of errors by momentum and period that the thesis claims at most, in percent.
_CLAIMED = 0.5


def excess(records: Sequence[Record], name: str) -> Floats:
    """Return the increase of the error over OPT in percent (trials, parts of the cost)."""
    errors = np.array([record["errors"][name] for record in records])
    best = np.array([record["errors"]["opt"] for record in records])
    return np.asarray(100.0 * (errors - best) / np.maximum(best, 1e-6))


def verdicts(records: Records) -> list[Verdict]:
    """Return a verdict for every claim."""
    return [
        _adaloss_against_const(records), _growing_excess(records), _shrinking_excess(records),
        _nobody_everywhere(records), _small_against_large(records), _harder_data(records),
        _options_matter_little(records), *_theory(),
        Verdict("EANN of AdaLoss networks beats EANN of CONST networks and ensembles of networks "
                "that grow linearly", UNTESTED, "not run: n_networks and growth of the estimators "
                "build them"),
        Verdict("on ILSVRC, CIFAR-100 and SVHN, with 12 networks of up to 150 layers", UNTESTED,
                "the data and the computers are not here"),
    ]  # fmt: skip


def _by_dataset(records: Records, values: Mapping[str, Interval]) -> str:
    return "; ".join(f"{name} {values[name]}" for name in records)


def _decided(signs: Sequence[int]) -> str:
    """Return the outcome of a claim that some datasets are for and some against."""
    if all(sign > 0 for sign in signs):
        return CONFIRMED
    return REFUTED if any(sign < 0 for sign in signs) else OPEN


def _adaloss_against_const(records: Records) -> Verdict:
    gains = {
        name: interval(excess(own, "const")[:, -1] - excess(own, "adaloss")[:, -1])
        for name, own in records.items()
    }
    return Verdict(
        "at the last exit, the error of AdaLoss is less above OPT than that of CONST",
        _decided([gain.sign for gain in gains.values()]),
        f"CONST's excess less AdaLoss's, in percent of OPT's error: {_by_dataset(records, gains)}",
    )


def _growing_excess(records: Records) -> Verdict:
    grown = {
        name: interval(excess(own, "const")[:, -1] - excess(own, "const")[:, 0])
        for name, own in records.items()
    }
    return Verdict(
        "CONST's excess over OPT grows with depth", _decided([g.sign for g in grown.values()]),
        f"excess at the end less that at a quarter: {_by_dataset(records, grown)}",
    )  # fmt: skip


def _shrinking_excess(records: Records) -> Verdict:
    fallen = {
        name: interval(excess(own, "adaloss")[:, 0] - excess(own, "adaloss")[:, -1])
        for name, own in records.items()
    }
    last = {name: excess(own, "adaloss")[:, -1].mean() for name, own in records.items()}
    shown = ", ".join(f"{name} {value:.1f}" for name, value in last.items())
    return Verdict(
        "AdaLoss's excess shrinks with depth, to 2.73% at the end",
        _decided([f.sign for f in fallen.values()]),
        f"excess at a quarter less that at the end: {_by_dataset(records, fallen)}; at the end "
        f"{shown}",
    )


def _nobody_everywhere(records: Records) -> Verdict:
    wins = []
    for own in records.values():
        differences = excess(own, "const") - excess(own, "adaloss")
        signs = [interval(differences[:, k]).sign for k in range(len(SHARES))]
        wins.append(min(signs) < 0 < max(signs))
    return Verdict(
        "on one and the same network neither scheme is better everywhere",
        CONFIRMED if all(wins) else OPEN,
        f"AdaLoss is ahead at some part of the cost and CONST at another on {sum(wins)} of "
        f"{len(wins)} datasets",
    )


def _small_against_large(records: Records) -> Verdict:
    gains, ratio = {}, 0.0
    for name, own in records.items():
        small = np.array([record["errors"]["adaloss"][-1] for record in own])
        large = np.array([record["larger"] for record in own])
        gains[name] = interval(100.0 * (large - small))
        ratio = own[0]["cost"][1] / own[0]["cost"][0]
    return Verdict(
        "a small network with AdaLoss has no larger a final error than one of about twice the cost "
        "with CONST",
        _decided([gain.sign for gain in gains.values()]),
        f"cost ratio {ratio:.2f}; the large network's error less the small one's, in points: "
        f"{_by_dataset(records, gains)}",
    )


def _harder_data(records: Records) -> Verdict:
    claim = "on harder data AdaLoss puts more of its weight on late exits"
    if len(records) < 2:
        return Verdict(claim, OPEN, "one dataset was run")
    error = {
        name: float(np.mean([record["errors"]["opt"][-1] for record in own]))
        for name, own in records.items()
    }
    late = {name: _late_weight(own) for name, own in records.items()}
    order = sorted(records, key=lambda name: error[name])
    rises = [interval(late[b] - late[a]).sign for a, b in pairwise(order)]
    shown = ", ".join(
        f"{name} {100 * error[name]:.1f}% wrong, {late[name].mean():.2f}" for name in order
    )
    return Verdict(claim, _decided(rises),
                   f"share of the weight on the later half of the exits: {shown}")  # fmt: skip


def _late_weight(records: Sequence[Record]) -> Floats:
    """Return the share of the weight on the later half of the exits in each trial."""
    weights = np.array([record["weights"]["adaloss"] for record in records])
    late = weights[:, weights.shape[1] // 2 :]
    return np.asarray(late.sum(axis=1) / weights.sum(axis=1))


def _options_matter_little(records: Records) -> Verdict:
    changes = {}
    for option in ("momentum 0.99", "every 100 steps"):
        differences = [
            excess(own, f"adaloss, {option}") - excess(own, "adaloss") for own in records.values()
        ]
        changes[option] = interval(np.concatenate(differences).mean(axis=1))
    beyond = any(change.low > _CLAIMED or change.high < -_CLAIMED for change in changes.values())
    shown = "; ".join(f"{option}: {change}" for option, change in changes.items())
    return Verdict(
        "momentum and period of AdaLoss change errors by less than 0.5% of OPT's",
        REFUTED if beyond else OPEN,
        f"mean change of the excess in percent of OPT's error: {shown}; at this size trials differ "
        "by more than what is claimed",
    )


def _theory() -> list[Verdict]:
    one = simulated_ratio(2.0)
    holds = abs(one.largest - printed_ratio(2.0).largest) < _SAME
    several = simulated_ratio(2.0, 2)
    plain, bound = simulated_ratio(2.0, plain=True), plain_ratio(2.0)
    return [
        Verdict(
            "Proposition 4.4.1: EANN of base b is within 2 + 1/(b - 1) of the best network",
            CONFIRMED if holds else REFUTED,
            f"b = 2, simulated: {one.largest:.3f}, in the mean {one.mean:.3f}; plain networks "
            f"{plain.largest:.3f} and {plain.mean:.3f} (bounds {bound.largest:.3f} and "
            f"{bound.mean:.3f})",
        ),
        Verdict(
            "with M workers b becomes b^M in these formulas",
            CONFIRMED if several.largest <= printed_ratio(2.0, 2).largest + _SAME else REFUTED,
            f"a valid but loose bound: b = 2, M = 2 simulated {several.largest:.3f}, printed "
            f"{printed_ratio(2.0, 2).largest:.3f}, exact 1 + b/(b^M - 1) = "
            f"{largest_ratio(2.0, 2):.3f}",
        ),
    ]
