"""Numeric kernels: free functions on arrays, and the threads that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, wait
from typing import TypeVar

Piece = TypeVar("Piece")


def run_pieces(
    pool: Executor | None, work: Callable[[Piece], object], pieces: Iterable[Piece]
) -> None:
    """Call ``work`` on every piece; if interrupted, return only when no thread works any more."""
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
    """All cores, or what NUMBA_NUM_THREADS says, as joblib makes it do in its workers."""
    from numba.core import config

    return int(getattr(config, "NUMBA_NUM_THREADS"))  # noqa: B009 - made at import
