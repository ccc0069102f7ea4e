"""Threads that kernels run in: how many, and which part of the work each does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from itertools import pairwise
from typing import TypeVar

import numpy as np

Piece = TypeVar("Piece")

#: Evaluations of stumps or trees that justify one more thread: starting it takes about as long.
_EVALUATIONS_PER_THREAD = 500_000


def run_pieces(
    pool: Executor | None, work: Callable[[Piece], object], pieces: Iterable[Piece]
) -> None:
    """Call ``work`` on every piece; if interrupted, return only when all threads have stopped.

    One piece is done at once: a thread for it would only add its way there and back.
    """
    pieces = list(pieces)
    if pool is None or len(pieces) < 2:
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


def n_threads(n_jobs: int | None = None) -> int:
    """Return the number of threads that joblib makes of `n_jobs`.

    None stands for NUMBA_NUM_THREADS, which joblib sets in its workers, or all cores.
    """
    if n_jobs is not None:
        from joblib import effective_n_jobs

        return int(effective_n_jobs(n_jobs))
    from numba.core import config

    return int(getattr(config, "NUMBA_NUM_THREADS"))  # noqa: B009 - Numba sets its options at import


def run_over_rows(work: Callable[[int, int], None], n_rows: int, n_evaluations: int) -> None:
    """Call ``work(start, stop)`` on parts of the rows, in threads where that is worthwhile."""
    threads = min(1 + n_evaluations // _EVALUATIONS_PER_THREAD, n_rows)
    if threads > 1:
        threads = min(threads, n_threads())
    if threads <= 1:
        work(0, n_rows)
        return
    bounds = np.linspace(0, n_rows, threads + 1).astype(int).tolist()
    with ThreadPoolExecutor(threads) as pool:
        run_pieces(pool, lambda part: work(*part), pairwise(bounds))
