"""Work on the rows of a batch, divided among threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from ...kernels import n_threads, run_pieces

#: Evaluations of stumps or trees that justify one more thread: starting it takes about as long.
_EVALUATIONS_PER_THREAD = 500_000


def run_over_rows(work: Callable[[int, int], None], n_rows: int, n_evaluations: int) -> None:
    """Call ``work(start, stop)`` on parts of the rows, in threads where that is worthwhile."""
    threads = min(n_threads(), 1 + n_evaluations // _EVALUATIONS_PER_THREAD, max(n_rows, 1))
    if threads == 1:
        work(0, n_rows)
        return
    bounds = np.linspace(0, n_rows, threads + 1).astype(int).tolist()
    with ThreadPoolExecutor(threads) as pool:
        run_pieces(pool, lambda part: work(*part), pairwise(bounds))
