"""Progress of long work as frozen events, which handlers display."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count

#: The task of events about kernels that Numba compiles because no cache has them yet.
COMPILING = "compiling (first use only)"


@dataclass(frozen=True)
class Progress:
    """The progress of a task.

    Parameters
    ----------
    task : str
        The name of the task.
    done, total : int
        The number of steps done, and of all steps; a total of 0 is unknown.
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
_shown_elsewhere: ContextVar[bool] = ContextVar("scrimp_shown_elsewhere", default=False)
_compilation_reported: ContextVar[bool] = ContextVar("scrimp_compilation", default=False)


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
        with showing():
            yield
    finally:
        _handlers.reset(token)


@contextmanager
def showing() -> Iterator[None]:
    """Let the tasks inside the block show no progress of their own: it is seen to."""
    token = _shown_elsewhere.set(True)
    try:
        yield
    finally:
        _shown_elsewhere.reset(token)


def is_shown_elsewhere() -> bool:
    """Return whether a larger task shows progress, or has decided against it."""
    return _shown_elsewhere.get()


def emit(event: Progress) -> None:
    """Call all handlers with an event."""
    for handler in _handlers.get():
        handler(event)


@contextmanager
def reporting_compilation() -> Iterator[None]:
    """Emit an event for each kernel that is compiled inside the block, in whatever thread."""
    handlers = _handlers.get()
    if not handlers or _compilation_reported.get():
        yield
        return
    from ..kernels.jit import watching_compilation

    numbers = count(1)

    def report(kernel: str) -> None:
        event = Progress(COMPILING, next(numbers), 0, kernel)
        for handler in handlers:
            handler(event)

    token = _compilation_reported.set(True)
    try:
        with watching_compilation(report):
            yield
    finally:
        _compilation_reported.reset(token)
