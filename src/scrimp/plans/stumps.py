"""Tables of interval tests on single columns: the weak learners of additive plans."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..plan import Arrays, Floats, Ints

#: Below this many stage evaluations a thread is not worth starting.
_THREAD_WORK = 2_000_000


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

    column: Ints
    low: Floats
    high: Floats
    inside: Floats
    outside: Floats
    missing: Floats

    def __post_init__(self) -> None:
        """Bring the arrays to one type and check that they fit."""
        object.__setattr__(self, "column", np.ascontiguousarray(self.column, dtype=np.int64))
        for name in ("low", "high", "inside", "outside", "missing"):
            value = np.ascontiguousarray(getattr(self, name), dtype=np.float64)
            object.__setattr__(self, name, value)
        n = len(self.column)
        votes = (self.inside, self.outside, self.missing)
        if self.column.ndim != 1 or self.low.shape != (n,) or self.high.shape != (n,):
            raise ValueError("column, low and high must hold one number a stump.")
        if any(vote.ndim != 2 or vote.shape != (n, self.n_outputs) for vote in votes):
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
        return int(self.inside.shape[1]) if self.inside.ndim == 2 else 0

    def arrays(self) -> Arrays:
        """The table as arrays, for storage."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> StumpTable:
        """The inverse of `arrays`."""
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})

    def votes(self, stump: int, x: NDArray[Any]) -> Floats:
        """The votes of one stump on values of its column (rows x outputs)."""
        inside = (x >= self.low[stump]) & (x <= self.high[stump])
        votes = np.where(inside[:, None], self.inside[stump], self.outside[stump])
        missing = np.isnan(x)
        if missing.any():
            votes[missing] = self.missing[stump]
        return votes

    def add(self, sums: Floats, stumps: list[int], X: NDArray[Any], rows: Ints) -> None:
        """Add the votes of stumps to sums, one stump after the other."""
        if len(rows) == 1:
            self._add_to_one(sums[0], stumps, X[rows[0]])
        else:
            self._add_to_many(sums, np.array(stumps, dtype=np.int64), X, rows)

    @cached_property
    def _scalars(self) -> list[tuple[int, float, float, list[float], list[float], list[float]]]:
        table = (self.column, self.low, self.high, self.inside, self.outside, self.missing)
        return list(zip(*(part.tolist() for part in table), strict=True))

    def _add_to_one(self, total: Floats, stumps: list[int], row: NDArray[Any]) -> None:
        """Without arrays: a session adds one stump to one row at a time."""
        totals = total.tolist()
        for stump in stumps:
            column, low, high, inside, outside, missing = self._scalars[stump]
            x = row[column]
            vote = inside if low <= x <= high else outside if x == x else missing
            totals = [a + b for a, b in zip(totals, vote, strict=True)]
        total[:] = totals

    def _add_to_many(self, sums: Floats, stumps: Ints, X: NDArray[Any], rows: Ints) -> None:
        from ..kernels.additive import add_stumps

        table = (self.column, self.low, self.high, self.inside, self.outside, self.missing)

        def add(start: int, stop: int) -> None:
            add_stumps(sums[start:stop], stumps, X, rows[start:stop], *table)

        n = len(rows)
        if n * len(stumps) < _THREAD_WORK:
            add(0, n)
            return
        workers = _cores()
        bounds = np.linspace(0, n, workers + 1).astype(int).tolist()
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(add, bounds[:-1], bounds[1:]))


def _cores() -> int:
    from joblib import cpu_count

    return int(cpu_count())
