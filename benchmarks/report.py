"""Rows of the benchmark table, and their timing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reporting.page import markdown_table


@dataclass(frozen=True)
class Row:
    """One line: what was measured, the value to reach, and the value reached."""

    what: str
    must: str
    measured: str
    met: bool | None
    detail: str = ""


def seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """Return the shortest time of some runs, the one that other work disturbed least."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def interleaved(
    works: Sequence[Callable[[int], object]], n: int, repeats: int = 10, at_once: int = 10
) -> NDArray[np.float64]:
    """Return the mean time of works on n things each, which take turns every few things.

    Of each turn the shortest of some runs counts: what else the machine does then disturbs none of
    the works more than the others.
    """
    starts = range(0, n, at_once)
    best = np.full((len(works), len(starts)), np.inf)
    for _ in range(repeats):
        for turn, start in enumerate(starts):
            for number, work in enumerate(works):
                begin = time.perf_counter()
                for thing in range(start, min(start + at_once, n)):
                    work(thing)
                best[number, turn] = min(best[number, turn], time.perf_counter() - begin)
    return np.asarray(best.sum(axis=1) / n)


def as_markdown(rows: list[Row]) -> str:
    """Return the rows as a Markdown table."""
    words = {True: "yes", False: "**no**", None: "reported"}
    cells = [(r.what, r.must, r.measured, words[r.met], r.detail) for r in rows]
    return markdown_table(("what", "must reach", "measured", "met", "detail"), cells) + "\n"
