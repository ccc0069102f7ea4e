"""Numeric kernels: free functions over arrays, compiled by Numba, and their threads.

With ``NUMBA_DISABLE_JIT=1`` they run as plain Python, slowly: for debuggers and coverage. Results
are the same up to the rounding of sums, which NumPy adds in pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, wait
from typing import TypeVar

Piece = TypeVar("Piece")


def run_pieces(
    pool: Executor | None, work: Callable[[Piece], object], pieces: Iterable[Piece]
) -> None:
    """Call ``work`` on every piece; if interrupted, return only when all threads have stopped."""
    if pool is None:
        for piece in pieces:
            work(piece)
        return
    futures = [pool.submit(work, piece) for piece in pieces]
    try:
        wait(futures)
    finally:
        for future in futures:
            future.cancel()
        wait(futures)
    for future in futures:
        future.result()


def n_threads() -> int:
    """Return the number of threads: NUMBA_NUM_THREADS, set by joblib in workers, or all cores."""
    from numba.core import config

    return int(getattr(config, "NUMBA_NUM_THREADS"))  # noqa: B009 - Numba sets its options at import
