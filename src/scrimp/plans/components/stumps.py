"""Tables of interval tests on single columns: the weak learners of additive plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data.validation import float_array, int_array
from ...kernels import n_threads
from ...types import Arrays, Floats, Ints

#: Below this many stage evaluations a thread is not worth starting.
_THREAD_WORK = 500_000
#: So many stumps on one row are added faster one by one than with arrays.
_FEW = 24
#: So many rows are answered faster one by one than in blocks.
_FEW_ROWS = 16


@dataclass(frozen=True, eq=False)
class StumpTable:
    """Stumps: each tests one column and gives one of three votes.

    A present value x is inside when ``low <= x <= high``; a threshold has low = -inf,
    a category k has low = k - 0.5 and high = k + 0.5.

    Parameters
    ----------
    column : int array (stumps,)
        The column each stump reads.
    low, high : float arrays (stumps,)
        The interval.
    inside, outside, missing : float arrays (stumps, outputs)
        The votes.
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
        """Bring the arrays to one type and check that they fit."""
        object.__setattr__(self, "column", int_array("column", self.column))
        for name, ndim in (("low", 1), ("high", 1), ("inside", 2), ("outside", 2), ("missing", 2)):
            object.__setattr__(self, name, float_array(name, getattr(self, name), ndim))
        n = len(self.column)
        votes = (self.inside, self.outside, self.missing)
        if self.low.shape != (n,) or self.high.shape != (n,):
            raise ValueError("column, low and high must hold one number a stump.")
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
        """Numbers a vote."""
        return int(self.inside.shape[1])

    def arrays(self) -> Arrays:
        """The table as arrays, for storage."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> StumpTable:
        """The inverse of `arrays`."""
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})

    @cached_property
    def reads(self) -> tuple[tuple[int, ...], ...]:
        """The column of each stump."""
        return tuple((column,) for column in self.column.tolist())

    def bounds(self) -> Floats:
        """The largest size of each stump's votes."""
        votes = np.hstack([self.inside, self.outside, self.missing])
        return np.asarray(np.abs(votes).max(axis=1, initial=0.0))

    def taken(self, members: Ints) -> StumpTable:
        """Some of the stumps, in another order."""
        return StumpTable(*(part[members] for part in self._table))

    def votes_on(
        self,
        X: NDArray[Any],
        rows: Ints,
        members: Sequence[int] | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """The votes of stumps, by default all, on ``X[rows]`` (stumps x outputs x rows)."""
        from ...kernels.votes import stump_votes

        which = np.arange(len(self)) if members is None else np.array(members, dtype=np.int64)
        votes = np.empty((len(which), self.n_outputs, len(rows))) if out is None else out
        stump_votes(X, rows, which, votes, *self._table)
        return votes

    def votes(self, stump: int, x: NDArray[Any]) -> Floats:
        """The votes of one stump on values of its column (rows x outputs)."""
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
        else:
            nothing = np.zeros(self.n_outputs)
            self.answers_after(sums, stumps, X, rows, [], nothing, nothing)

    def adder(
        self, stumps: Sequence[int], base: Floats, prior: Floats
    ) -> Callable[[NDArray[Any], Ints], Floats]:
        """Return a function of X and rows: `base` plus the votes, `prior` where none counts."""
        from ...kernels.additive import answer_rows

        table = self.taken(np.array(stumps, dtype=np.int64))
        everything = list(range(len(stumps)))

        def answer(X: NDArray[Any], rows: Ints) -> Floats:
            if len(rows) > _FEW_ROWS:
                sums = np.tile(base, (len(rows), 1))
                counts = [len(everything)]
                answers = table.answers_after(sums, everything, X, rows, counts, base, prior)
                return np.asarray(answers[0])
            out = np.empty((len(rows), len(base)))
            answer_rows(X, rows, base, prior, out, *table._table)
            return out

        return answer

    def answers_after(
        self,
        sums: Floats,
        stumps: list[int],
        X: NDArray[Any],
        rows: Ints,
        counts: list[int],
        base: Floats,
        prior: Floats,
    ) -> Floats:
        """Add the votes to sums, and return the answers after some counts of stumps.

        An answer is the sums, or `prior` where they still equal `base`.
        """
        from ...kernels.additive import add_stumps

        which, slots = self._slots(stumps)
        when = np.array(counts, dtype=np.int64)
        out = np.empty((len(when), *sums.shape))
        _in_threads(
            lambda a, b: add_stumps(
                sums[a:b], which, slots, X, rows[a:b], when, base, prior, out[:, a:b], *self._table
            ),
            len(rows),
            work=len(rows) * len(stumps),
        )
        return out

    def answers_of_lanes(
        self,
        lanes: Floats,
        stumps: list[int],
        takes: NDArray[np.bool_],
        X: NDArray[Any],
        rows: Ints,
        base: Floats,
        prior: Floats,
    ) -> Floats:
        """Add the votes of stumps to those of several sums that take them; their answers."""
        from ...kernels.additive import add_stumps_to_lanes

        which, slots = self._slots(stumps)
        _in_threads(
            lambda a, b: add_stumps_to_lanes(
                lanes[:, a:b], which, slots, takes, X, rows[a:b], base, prior, *self._table
            ),
            len(rows),
            work=len(rows) * len(stumps),
        )
        return lanes

    def _votes_on_one(self, stumps: Ints, row: NDArray[Any]) -> Floats:
        """The votes of stumps on one row (stumps x outputs)."""
        x = row[self.column[stumps]].astype(np.float64)[:, None]
        inside = (x >= self.low[stumps, None]) & (x <= self.high[stumps, None])
        present = np.where(inside, self.inside[stumps], self.outside[stumps])
        return np.where(np.isnan(x), self.missing[stumps], present)

    def _slots(self, stumps: list[int]) -> tuple[Ints, Ints]:
        """The stumps, and a number for each that those on the same column share."""
        which = np.array(stumps, dtype=np.int64)
        return which, np.unique(self.column[which], return_inverse=True)[1]

    @property
    def _table(self) -> tuple[NDArray[Any], ...]:
        return (self.column, self.low, self.high, self.inside, self.outside, self.missing)

    @cached_property
    def _scalars(self) -> list[tuple[int, float, float, list[float], list[float], list[float]]]:
        return list(zip(*(part.tolist() for part in self._table), strict=True))

    def _add_to_one(self, total: Floats, stumps: list[int], row: NDArray[Any]) -> None:
        """A session adds one stump to one row at a time: that is faster without arrays."""
        if len(stumps) > _FEW:
            votes = self._votes_on_one(np.array(stumps), row)
            # one after the other, as everywhere
            total[:] = np.add.accumulate(np.vstack([total, votes]), axis=0)[-1]
            return
        totals = total.tolist()
        for stump in stumps:
            column, low, high, inside, outside, missing = self._scalars[stump]
            x = float(row[column])  # in double precision, as in a batch
            vote = inside if low <= x <= high else outside if x == x else missing
            totals = [a + b for a, b in zip(totals, vote, strict=True)]
        total[:] = totals


def _in_threads(add: Callable[[int, int], None], n: int, work: int) -> None:
    """Call ``add(start, stop)`` on parts of n rows, in threads where that is worth it."""
    workers = n_threads() if work >= _THREAD_WORK else 1
    if workers == 1:
        add(0, n)
        return
    bounds = np.linspace(0, n, workers + 1).astype(int).tolist()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(add, bounds[:-1], bounds[1:]))
