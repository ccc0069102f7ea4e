"""Tables of interval tests on single columns: the weak learners of additive plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data.validation import float_array, int_array
from ...kernels.threads import run_over_rows
from ...types import Floats, Ints
from .members import Members

#: The most stumps that are added to a single row in Python: beyond it arrays are faster.
_MAX_SCALAR_STUMPS = 24


@dataclass(frozen=True, eq=False)
class StumpTable(Members):
    """Stumps, each of which tests one column and gives one of three votes.

    A present value x is inside when ``low <= x <= high``; a threshold has low = -inf,
    a category k has low = k - 0.5 and high = k + 0.5.

    Parameters
    ----------
    column : int array (stumps,)
        The column that each stump reads.
    low, high : float arrays (stumps,)
        The interval.
    inside, outside, missing : float arrays (stumps, outputs)
        The votes on values inside and outside the interval, and on missing values.
    """

    kind: ClassVar[str] = "stumps"
    accepts_missing: ClassVar[bool] = True

    column: Ints
    low: Floats
    high: Floats
    inside: Floats
    outside: Floats
    missing: Floats

    def __post_init__(self) -> None:
        """Convert the arrays and check their shapes."""
        object.__setattr__(self, "column", int_array("column", self.column))
        for name, ndim in (("low", 1), ("high", 1), ("inside", 2), ("outside", 2), ("missing", 2)):
            object.__setattr__(self, name, float_array(name, getattr(self, name), ndim))
        n = len(self.column)
        votes = (self.inside, self.outside, self.missing)
        if self.low.shape != (n,) or self.high.shape != (n,):
            raise ValueError("column, low and high must hold one number per stump.")
        if any(vote.shape != (n, self.n_outputs) for vote in votes):
            raise ValueError("inside, outside and missing must be (stumps x outputs).")
        if not all(np.isfinite(vote).all() for vote in votes):
            raise ValueError("votes must be finite.")
        if np.isnan(self.low).any() or np.isnan(self.high).any() or self.column.min(initial=0) < 0:
            raise ValueError("intervals must not be NaN and columns not negative.")

    def __len__(self) -> int:
        return len(self.column)

    @property
    def n_outputs(self) -> int:
        """The number of outputs of a vote."""
        return int(self.inside.shape[1])

    @cached_property
    def reads(self) -> tuple[tuple[int, ...], ...]:
        """The column that each stump reads."""
        return tuple((column,) for column in self.column.tolist())

    def bounds(self) -> Floats:
        """Return the largest absolute vote of each stump."""
        votes = np.hstack([self.inside, self.outside, self.missing])
        return np.asarray(np.abs(votes).max(axis=1, initial=0.0))

    def taken(self, members: Ints) -> StumpTable:
        """Return the table of some of the stumps, in the given order."""
        return StumpTable(*self.parts_of(members))

    def parts_of(self, members: Ints) -> list[NDArray[Any]]:
        """Return the arrays of some of the stumps, in the order of the parameters."""
        return [part[members] for part in self._table]

    def breaks_of(self, members: Ints) -> Floats:
        """Return the values after which the vote of some stumps may change."""
        # x >= low is x > the number before it
        ends = np.concatenate([np.nextafter(self.low[members], -np.inf), self.high[members]])
        return np.unique(ends[np.isfinite(ends)])

    def values_at(self, members: Ints, points: Floats) -> Floats:
        """Return the votes of some stumps on values of their column (stumps x outputs x points)."""
        low, high = self.low[members, None], self.high[members, None]
        inside = ((low <= points) & (points <= high))[:, None]
        votes = np.where(inside, self.inside[members, :, None], self.outside[members, :, None])
        return np.where(np.isnan(points), self.missing[members, :, None], votes)

    def sums_at(self, members: Ints, points: Floats) -> Floats:
        """Return the sums of some stumps' votes on values that are known (points x outputs)."""
        low, high = self.low[members], self.high[members]
        inside = ((low <= points[:, None]) & (points[:, None] <= high)).astype(np.float64)
        sums: Floats = inside @ self.inside[members] + (1.0 - inside) @ self.outside[members]
        return sums

    def votes_on(
        self,
        X: NDArray[Any],
        rows: Ints,
        members: Sequence[int] | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """Return the votes of stumps, by default all, on ``X[rows]`` (stumps x outputs x rows)."""
        if members is not None and len(members) == len(rows) == 1 and out is None:
            return self._vote_on_one(members[0], X[rows[0]])
        from ...kernels.votes import stump_votes

        which = np.arange(len(self)) if members is None else np.array(members, dtype=np.int64)
        votes = np.empty((len(which), self.n_outputs, len(rows))) if out is None else out
        stump_votes(X, rows, which, votes, *self._table)
        return votes

    def votes(self, stump: int, x: NDArray[Any]) -> Floats:
        """Return the votes of one stump on values of its column (rows x outputs)."""
        inside = (x >= self.low[stump]) & (x <= self.high[stump])
        votes: Floats = np.where(inside[:, None], self.inside[stump], self.outside[stump])
        missing = np.isnan(x)
        if missing.any():
            votes[missing] = self.missing[stump]
        return votes

    def add(self, sums: Floats, stumps: list[int], X: NDArray[Any], rows: Ints) -> None:
        """Add the votes of stumps to sums, one stump after the other."""
        if len(rows) == 1:
            self._add_to_one(sums[0], stumps, X[rows[0]])
            return
        from ...kernels.votes import add_stumps

        which, never = np.array(stumps, dtype=np.int64), np.empty(0, dtype=np.int64)
        slots = np.unique(self.column[which], return_inverse=True)[1]
        unread, out = np.zeros(self.n_outputs), np.empty((0, *sums.shape))

        def add(a: int, b: int) -> None:
            add_stumps(
                sums[a:b], which, slots, X, rows[a:b], never, unread, unread, out[:, a:b],
                *self._table,
            )  # fmt: skip

        run_over_rows(add, len(rows), len(rows) * len(stumps))

    def _vote_on_one(self, stump: int, row: NDArray[Any]) -> Floats:
        """Return the vote of a stump on one row (1 x outputs x 1), without a kernel."""
        column, low, high, inside, outside, missing = self._scalars[stump]
        x = float(row[column])
        vote = inside if low <= x <= high else outside if x == x else missing
        return np.array(vote).reshape(1, -1, 1)

    def _votes_on_one(self, stumps: Ints, row: NDArray[Any]) -> Floats:
        """Return the votes of stumps on one row (stumps x outputs)."""
        x = row[self.column[stumps]].astype(np.float64)[:, None]
        inside = (x >= self.low[stumps, None]) & (x <= self.high[stumps, None])
        present = np.where(inside, self.inside[stumps], self.outside[stumps])
        return np.where(np.isnan(x), self.missing[stumps], present)

    @property
    def _table(self) -> tuple[NDArray[Any], ...]:
        return (self.column, self.low, self.high, self.inside, self.outside, self.missing)

    @cached_property
    def _scalars(self) -> list[tuple[int, float, float, list[float], list[float], list[float]]]:
        return list(zip(*(part.tolist() for part in self._table), strict=True))

    def _add_to_one(self, total: Floats, stumps: list[int], row: NDArray[Any]) -> None:
        """Add votes to a single row; a few stumps, as in a session, without arrays."""
        if len(stumps) > _MAX_SCALAR_STUMPS:
            votes = self._votes_on_one(np.array(stumps), row)
            # in sequence, so that rounding is the same as in a batch
            total[:] = np.add.accumulate(np.vstack([total, votes]), axis=0)[-1]
            return
        totals = total.tolist()
        for stump in stumps:
            column, low, high, inside, outside, missing = self._scalars[stump]
            x = float(row[column])  # in double precision, as in a batch
            vote = inside if low <= x <= high else outside if x == x else missing
            totals = [a + b for a, b in zip(totals, vote, strict=True)]
        total[:] = totals
