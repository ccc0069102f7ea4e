"""What held-out rows would answer before each of their purchases, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..data.target import Target
from ..types import Flags, Floats, Ints


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a threshold does to held-out rows.

    Parameters
    ----------
    confidence : float
        The threshold.
    truth, decided : int arrays (rows,)
        Positions of the true and of the predicted classes.
    spend : float array (rows,)
        The spend of each row.
    """

    confidence: float
    truth: Ints
    decided: Ints
    spend: Floats

    @property
    def wrong(self) -> Flags:
        """Which answers are wrong."""
        return np.asarray(self.truth != self.decided)


@dataclass(frozen=True, eq=False)
class ConfidencePath:
    """The answers of rows before each purchase, by row and then in the order of their spend.

    Parameters
    ----------
    row : int array (purchases,)
        The row that makes a purchase.
    spent, confidence : float arrays (purchases,)
        What it has spent before, and how probable its predicted class then is.
    decided : int array (purchases,)
        The position of that class.
    full : Outcome
        The answers and the spend after all purchases.
    """

    row: Ints
    spent: Floats
    confidence: Floats
    decided: Ints
    full: Outcome

    @classmethod
    def of(
        cls, seen: list[tuple[float, Ints, Floats]], target: Target, full: Outcome
    ) -> ConfidencePath:
        """Return the path of rows whose spend and scores were seen before each purchase."""
        nothing = [(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0), np.empty(0, np.int64))]
        parts = nothing + [
            (rows, np.full(len(rows), spent), target.confidences(scores), target.decided(scores))
            for spent, rows, scores in seen
        ]
        row, spent, confidence, decided = map(np.concatenate, zip(*parts, strict=True))
        order = np.lexsort((spent, row))
        return cls(row[order], spent[order], confidence[order], decided[order], full)

    def taken(self, rows: Flags) -> ConfidencePath:
        """Return the path of some of the rows, which are renumbered."""
        number, kept, full = np.cumsum(rows) - 1, rows[self.row], self.full
        return ConfidencePath(
            number[self.row[kept]], self.spent[kept], self.confidence[kept], self.decided[kept],
            replace(full, truth=full.truth[rows], decided=full.decided[rows],
                    spend=full.spend[rows]),
        )  # fmt: skip

    def outcome(self, confidence: float) -> Outcome:
        """Return what one threshold does: a row stops at the first purchase where it is as sure."""
        return self._stopped_at(self.confidence >= confidence, confidence)

    def outcome_of_levels(self, levels: Floats) -> Outcome:
        """Return what thresholds by spend (levels, 2) do."""
        level = np.searchsorted(levels[:, 0], self.spent, side="right") - 1
        thresholds = np.append(levels[:, 1], np.inf)[level]
        return self._stopped_at(self.confidence >= thresholds, float(levels[0, 1]))

    def _stopped_at(self, stops: Flags, confidence: float) -> Outcome:
        full, at = self.full, np.flatnonzero(stops)
        rows, first = np.unique(self.row[at], return_index=True)
        decided, spend = full.decided.copy(), full.spend.copy()
        decided[rows], spend[rows] = self.decided[at[first]], self.spent[at[first]]
        return Outcome(confidence, full.truth, decided, spend)
