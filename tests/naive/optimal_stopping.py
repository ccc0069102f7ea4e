"""Backward induction over levels of spend, row by row and threshold by threshold."""

from __future__ import annotations

NEVER = 2.0


def walk(purchases, thresholds, first_level, full_total):
    """Return the total of a row that follows the thresholds from a level on."""
    for level, confidence, total_now in purchases:
        if level >= first_level and confidence >= thresholds[level]:
            return total_now
    return full_total


def levels_of(purchases_of_rows, full_totals, tried, starts):
    """Return the threshold of each level.

    `purchases_of_rows` has, per row, its purchases in order: the spend before, the confidence, and
    spend plus cost of errors if the row stopped there.
    """
    tried = sorted({*tried, NEVER}, reverse=True)
    rows = [
        [(max(k for k, start in enumerate(starts) if start <= spent), confidence, total)
         for spent, confidence, total in purchases]
        for purchases in purchases_of_rows
    ]  # fmt: skip
    thresholds = [NEVER] * len(starts)
    for level in reversed(range(len(starts))):
        totals = {}
        for threshold in tried:
            thresholds[level] = threshold
            totals[threshold] = sum(
                walk(purchases, thresholds, level, full)
                for purchases, full in zip(rows, full_totals, strict=True)
                if any(at == level for at, *_ in purchases)
            )
        least = min(totals.values())
        thresholds[level] = next(t for t in tried if totals[t] <= least + 1e-9)
    return thresholds
