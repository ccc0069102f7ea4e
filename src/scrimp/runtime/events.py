"""Progress of long work as frozen events, which handlers display."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """The progress of a task.

    Parameters
    ----------
    task : str
        The name of the task.
    done, total : int
        The number of steps done, and of all steps.
    note : str
        A short remark, such as the money spent so far.
    """

    task: str
    done: int
    total: int
    note: str = ""


#: A function that is called with each event.
Handler = Callable[[Progress], None]
_handlers: ContextVar[tuple[Handler, ...]] = ContextVar("scrimp_handlers", default=())


@contextmanager
def listening(handler: Handler) -> Iterator[None]:
    """Call a handler with every event that is emitted inside the block.

    >>> events = []
    >>> with listening(events.append):
    ...     emit(Progress("fit", 1, 2))
    >>> events[0].done
    1
    """
    token = _handlers.set((*_handlers.get(), handler))
    try:
        yield
    finally:
        _handlers.reset(token)


@contextmanager
def muted() -> Iterator[None]:
    """Call no handler inside the block, whose work is a part of a larger task.

    >>> events = []
    >>> with listening(events.append), muted():
    ...     emit(Progress("fit", 1, 2))
    >>> events
    []
    """
    token = _handlers.set(())
    try:
        yield
    finally:
        _handlers.reset(token)


def emit(event: Progress) -> None:
    """Call all handlers with an event."""
    for handler in _handlers.get():
        handler(event)
