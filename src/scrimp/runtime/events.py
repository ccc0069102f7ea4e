"""Progress as frozen events: long work emits them, whoever listens draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Some of a task is done.

    Parameters
    ----------
    task : str
        What is being done.
    done, total : int
        Steps done, and steps in all.
    note : str
        A short remark, such as the money spent so far.
    """

    task: str
    done: int
    total: int
    note: str = ""


Handler = Callable[[Progress], None]
_handlers: ContextVar[tuple[Handler, ...]] = ContextVar("scrimp_handlers", default=())


@contextmanager
def listening(handler: Handler) -> Iterator[None]:
    """Call a handler with every event emitted inside the block.

    >>> seen = []
    >>> with listening(seen.append):
    ...     emit(Progress("fit", 1, 2))
    >>> seen[0].done
    1
    """
    token = _handlers.set((*_handlers.get(), handler))
    try:
        yield
    finally:
        _handlers.reset(token)


@contextmanager
def unheard() -> Iterator[None]:
    """Let nobody hear what is emitted inside the block: it is a part of something larger.

    >>> seen = []
    >>> with listening(seen.append), unheard():
    ...     emit(Progress("fit", 1, 2))
    >>> seen
    []
    """
    token = _handlers.set(())
    try:
        yield
    finally:
        _handlers.reset(token)


def emit(event: Progress) -> None:
    """Hand an event to everyone who listens."""
    for handler in _handlers.get():
        handler(event)
