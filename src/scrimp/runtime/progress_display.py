"""Progress that is shown: a bar on a terminal, lines elsewhere, a line that changes in a notebook.

Nothing is imported for it until something is shown.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from .events import COMPILING, Handler, Progress, is_shown_elsewhere, listening, showing

#: Seconds between two lines, where there is no terminal: a log stays short.
LINE_SECONDS = 10.0
#: Seconds that work must take before a notebook shows it, and between two updates.
NOTEBOOK_DELAY, NOTEBOOK_SECONDS = 1.0, 0.2
#: Characters of the bar in a notebook.
_BAR_WIDTH = 30

#: A way of showing events: a context that gives their handler.
Display = Callable[[], AbstractContextManager[Handler]]


@contextmanager
def progress_shown(display: Display | None, only: str | None = None) -> Iterator[None]:
    """Show the events that are emitted inside the block, unless a larger task shows them.

    Parameters
    ----------
    display : Display, optional
        How; None shows nothing.
    only : str, optional
        The one task to show, beside the compilation of kernels; by default each in its turn.
    """
    if display is None or is_shown_elsewhere():
        yield
        return
    with display() as show:

        def handle(event: Progress) -> None:
            if only is None or event.task in (only, COMPILING):
                show(event)

        with showing(), listening(handle):
            yield


def display_for(verbose: Any) -> Display | None:
    """Return how an estimator's progress is shown; None if it is not.

    Parameters
    ----------
    verbose : int, optional
        As given by the user. 0 shows nothing, 1 a bar or a line now and then, 2 each event; None
        is 1 in a notebook and 0 elsewhere.
    """
    if verbose is None:
        in_main = threading.current_thread() is threading.main_thread()
        return notebook_line if in_main and in_notebook() else None
    level = check_verbose(verbose)
    if not level:
        return None
    if level >= 2:
        return every_event
    if in_notebook():
        return notebook_line
    return terminal_bar if sys.stderr.isatty() else occasional_lines


def check_verbose(value: Any) -> int | None:
    """Return `verbose` as a number, or None."""
    is_whole = isinstance(value, int) or getattr(value, "dtype", None) in ("int64", "int32", "bool")
    if value is None or (is_whole and value >= 0):
        return None if value is None else int(value)
    raise ValueError(
        f"verbose is {value!r}; expected 0 (silent), 1 (a bar, or lines now and then), 2 (each "
        "step), or None: a bar in notebooks only."
    )


def in_notebook() -> bool:
    """Return whether this is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


@contextmanager
def terminal_bar(force: bool | None = None) -> Iterator[Handler]:
    """Draw a bar on stderr, which is taken away at the end.

    Parameters
    ----------
    force : bool, optional
        True draws it also if stderr is no terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}"),
        console=Console(file=sys.stderr, force_terminal=force),
        transient=True,
    ) as bar:
        rows: dict[str, Any] = {}

        def draw(event: Progress) -> None:
            total = event.total or None
            if event.task not in rows:
                rows[event.task] = bar.add_task(event.task, total=total, note="")
            for task, row in rows.items():
                bar.update(row, visible=task == event.task)
            bar.update(rows[event.task], completed=event.done, total=total, note=event.note)

        yield draw


@contextmanager
def occasional_lines() -> Iterator[Handler]:
    """Write the latest event to stderr as a line, every `LINE_SECONDS`."""
    begin, stderr, stop = time.monotonic(), sys.stderr, threading.Event()
    latest: list[Progress] = []

    def write_now_and_then() -> None:
        while not stop.wait(LINE_SECONDS):
            for event in latest[-1:]:
                stderr.write(f"{as_line(event)} ({time.monotonic() - begin:.0f} s)\n")
                stderr.flush()

    def keep(event: Progress) -> None:
        latest[:] = [event]

    thread = threading.Thread(target=write_now_and_then, daemon=True)
    thread.start()
    try:
        yield keep
    finally:
        stop.set()
        thread.join()


@contextmanager
def every_event() -> Iterator[Handler]:
    """Write each event to stderr as a line."""
    stderr = sys.stderr

    def write(event: Progress) -> None:
        stderr.write(f"{as_line(event)}\n")

    yield write


@contextmanager
def notebook_line() -> Iterator[Handler]:
    """Display a line with a bar in a notebook, which changes in its place."""
    from IPython.display import display  # type: ignore[import-not-found]

    began = updated = time.monotonic()
    shown: list[Any] = []
    latest: list[Progress] = []

    def update(event: Progress) -> None:
        nonlocal updated
        updated = time.monotonic()
        text = {"text/plain": f"{as_bar(event)} ({updated - began:.0f} s)"}
        if shown:
            shown[0].update(text, raw=True)
        else:
            shown.append(display(text, raw=True, display_id=True))

    def handle(event: Progress) -> None:
        latest[:] = [event]
        now = time.monotonic()
        if now - began >= NOTEBOOK_DELAY and (not shown or now - updated >= NOTEBOOK_SECONDS):
            update(event)

    try:
        yield handle
    finally:
        if shown:
            update(latest[-1])


def as_line(event: Progress) -> str:
    """Return an event as text, such as ``fit: 20 of 500, spent 12``."""
    total = f" of {event.total}" if event.total else ""
    return f"{event.task}: {event.done}{total}" + (f", {event.note}" if event.note else "")


def as_bar(event: Progress) -> str:
    """Return an event as text with a bar, if its total is known."""
    if not event.total:
        return as_line(event)
    filled = round(_BAR_WIDTH * min(event.done / event.total, 1.0))
    bar = "█" * filled + "░" * (_BAR_WIDTH - filled)
    return f"{event.task} {bar} {event.done}/{event.total} {event.note}".rstrip()
