"""A progress bar on stderr, fed by the library's events."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..runtime.events import Progress, listening


@contextmanager
def progress_bar(wanted: bool | None, only: str | None = None) -> Iterator[None]:
    """Draw what is emitted inside the block.

    Parameters
    ----------
    wanted : bool, optional
        None draws on a terminal only.
    only : str, optional
        The one task to draw; by default each in its turn.
    """
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield
        return
    with _bar(wanted) as bar:
        shown: dict[str, Any] = {}

        def draw(event: Progress) -> None:
            if only is not None and event.task != only:
                return
            if event.task not in shown:
                for task in shown.values():
                    bar.update(task, visible=False)
                shown[event.task] = bar.add_task(event.task, total=event.total, note="")
            now = {"completed": event.done, "total": event.total, "note": event.note}
            bar.update(shown[event.task], **now)

        with listening(draw):
            yield


def _bar(wanted: bool | None) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}"),
        console=Console(file=sys.stderr, force_terminal=wanted),
        transient=True,
    )
