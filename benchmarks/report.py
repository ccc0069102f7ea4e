"""Rows of the benchmark table, and their timing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

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


def as_markdown(rows: list[Row]) -> str:
    """Return the rows as a Markdown table."""
    words = {True: "yes", False: "**no**", None: "reported"}
    cells = [(r.what, r.must, r.measured, words[r.met], r.detail) for r in rows]
    return markdown_table(("what", "must reach", "measured", "met", "detail"), cells) + "\n"
