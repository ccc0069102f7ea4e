"""The claims of Wang, Zhu and Chi (2018) about their algorithm, put to the test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .trials import Record
from .verdicts import CONFIRMED, OPEN, REFUTED, Verdict, joined
from .wang2018_published import TABLE2, excess, total_to_keep

Every = Mapping[str, Sequence[Record]]
#: More shares than this part between 0 and 1 are not few; the most printed is 13 of 280.
FEW = 0.05


def few(every: Every) -> Verdict:
    """Remark 1 and Table 2."""
    claim = "Few shares are between 0 and 1 at the optimum"
    parts: dict[str, list[float]] = {}
    for name, records in every.items():
        if "exact" in records[0]:
            counts = np.array([r["exact"]["shares"] for r in records], dtype=np.float64)
            parts[name] = (counts[..., 1] / counts.sum(axis=2)).mean(axis=0).tolist()
    if not parts:
        return Verdict(claim, OPEN, "the relaxation was not solved exactly")
    outcome = joined([CONFIRMED if max(own) <= FEW else REFUTED for own in parts.values()])
    listed = "; ".join(
        f"{name} {', '.join(f'{100 * part:.1f}' for part in own)}%" for name, own in parts.items()
    )
    gap = max(max(r["exact"]["gap"]) for rs in every.values() for r in rs if "exact" in r)
    stopped = [p["shares"][1] for p in _planes(every)]
    return Verdict(
        claim, outcome,
        f"of the shares, at 0.01, 0.1 and 0.5 of all prices, solved to a gap of {gap:.1g}: "
        f"{listed} (few is up to {100 * FEW:g}%). Algorithm 1, stopped after 20 rounds, has "
        f"{min(stopped)} to {max(stopped)} of them, as Table 2 has: a corner of a programme with k "
        "cuts cannot have more than k. At the optimum all that are bought in part have the same "
        "worth per price, as coefficients of a lasso do; that is no coincidence, as Remark 1 takes "
        "it to be, but what optimality means",
    )  # fmt: skip


def converges(every: Every) -> Verdict:
    """Fig. 1, Proposition 2."""
    planes = _planes(every)
    claim = "The objective of Algorithm 1 rises monotonically, and it converges within 20 rounds"
    if not planes:
        return Verdict(claim, OPEN, "Algorithm 1 was not run")
    rises = all((np.diff(p["values"]) >= -1e-6 * np.abs(p["values"][-1])).all() for p in planes)
    ratios = sorted({p["ratio"] for p in planes})
    done = {x: np.mean([p["gap"] <= 1.1e-3 for p in planes if p["ratio"] == x]) for x in ratios}
    gaps = {x: np.median([p["gap"] for p in planes if p["ratio"] == x]) for x in ratios}
    usual = float(np.mean(list(done.values()))) >= 0.5
    listed = ", ".join(f"{x:g}: {100 * done[x]:.0f}%, {gaps[x]:.2g}" for x in ratios)
    own = all(all(r["methods"]["LTB"]["monotone"]) for rs in every.values() for r in rs)
    return Verdict(
        claim, joined([CONFIRMED if rises else REFUTED, CONFIRMED if usual else REFUTED]),
        f"it {'rises' if rises else 'does not rise'} in all {len(planes)} runs. By part of all "
        "prices, how many came to a relative gap of 0.001, and the median gap after 20 rounds: "
        f"{listed}. BudgetedSVC and BudgetedSVR solve the same problem in another way; their "
        f"objectives {'fall and their bounds rise' if own else 'do NOT always fall'}",
    )  # fmt: skip


def within(every: Every) -> Verdict:
    """Problem (1) and Table 2."""
    planes = _planes(every)
    over = [p["cost"] - 1.0 for p in planes]
    printed = [
        f"{name} {100 * excess(name)[0.01]:.1f}% and {100 * excess(name)[0.1]:.1f}% (else all "
        f"columns would cost {total_to_keep(name)[0]:.0f} or more, {total_to_keep(name)[1]:.1f} "
        "standard deviations above what such prices add up to)"
        for name in TABLE2
    ]
    worst = max(
        max(np.array(r["methods"]["LTB"]["cost"]) / np.array(r["ratios"]))
        for rs in every.values() for r in rs
    )  # fmt: skip
    found = (
        f" Algorithm 1 here: {100 * np.median(over):.1f}% in the median, up to \
{100 * max(over):.0f}%, in {sum(x > 1e-9 for x in over)} of {len(over)} runs."
        if over
        else ""
    )
    return Verdict(
        "The total cost of the selected groups is bounded by the budget (of the models printed)",
        REFUTED if not over or np.mean(np.array(over) > 1e-9) > 0.5 else OPEN,
        "what is bought in part has to be paid in full. Printed costs are above their budgets, at "
        f"0.01 and 0.1 of all prices, by at least: {'; '.join(printed)}.{found} With the shares "
        f"rounded, BudgetedSVC and BudgetedSVR spend at most {100 * worst:.1f}% of any budget",
    )  # fmt: skip


def _planes(every: Every) -> list[Record]:
    return [p for records in every.values() for r in records for p in r.get("planes", ())]
