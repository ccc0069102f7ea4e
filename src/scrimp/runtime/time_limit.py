"""A limit on the time of a training, which is asked between its steps; kernels read no clock.

The time in which functions are compiled, once per installation, or loaded, once per process,
does not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from numbers import Real
from typing import Any

from ..kernels.compile_time import compile_seconds, now, watch_compile_time


def monotonic() -> float:
    """Return the time on a clock that stands still while functions are compiled or loaded."""
    watch_compile_time()
    return now() - compile_seconds()


class TimeLimit:
    """The end of the time that a training may take.

    Parameters
    ----------
    seconds : float
        From now on; may be infinite.
    outer : TimeLimit, optional
        The limit of the larger work that this is a part of, which holds too.

    Attributes
    ----------
    was_hit : bool
        Whether something was left undone because the time was over.
    """

    def __init__(self, seconds: float, outer: TimeLimit | None = None) -> None:
        end = math.inf if seconds == math.inf else monotonic() + seconds
        self.end: float = end if outer is None else min(end, outer.end)
        self.outer = outer
        self.was_hit = False

    def seconds_left(self) -> float:
        """Return the seconds until the end, 0 after it."""
        return self.end if self.end == math.inf else max(self.end - monotonic(), 0.0)

    def is_over(self) -> bool:
        """Return whether the time is over, and note it: the caller does not go on then."""
        if self.end == math.inf or monotonic() < self.end:
            return False
        self.hit()
        return True

    def hit(self) -> None:
        """Note that something is left undone, here and in the larger work."""
        self.was_hit = True
        if self.outer is not None:
            self.outer.hit()


_current: ContextVar[TimeLimit | None] = ContextVar("scrimp_time_limit", default=None)


def current_limit() -> TimeLimit:
    """Return the limit that holds here; without one it is infinite."""
    return _current.get() or TimeLimit(math.inf)


def is_time_over() -> bool:
    """Return whether the time is over that holds here, and note it.

    >>> with time_limit(1e-9):
    ...     is_time_over()
    True
    >>> is_time_over()
    False
    """
    return current_limit().is_over()


@contextmanager
def time_limit(seconds: float | None, *, nested: bool = True) -> Iterator[TimeLimit]:
    """Limit the time of the block.

    Parameters
    ----------
    seconds : float or None
        None adds no limit.
    nested : bool
        Whether the limit that holds already holds in the block too.
    """
    outer = _current.get() if nested else None
    limit = TimeLimit(math.inf if seconds is None else seconds, outer)
    token = _current.set(limit)
    try:
        yield limit
    finally:
        _current.reset(token)


def time_share(part: float) -> AbstractContextManager[TimeLimit]:
    """Let the block take a part of the time that is left, if time is limited."""
    limit = current_limit()
    if limit.end == math.inf:
        return nullcontext(limit)
    return time_limit(part * limit.seconds_left())


def no_time_limit() -> AbstractContextManager[TimeLimit]:
    """Lift all limits in the block, whose work keeps to the time by itself."""
    return time_limit(None, nested=False)


def check_max_seconds(value: Any) -> float | None:
    """Return a time limit in seconds, or None for no limit."""
    if value is None:
        return None
    if not isinstance(value, Real) or isinstance(value, bool) or not float(value) > 0:
        raise ValueError(f"max_seconds is {value!r}; expected a number > 0, or None for no limit.")
    return float(value)
