"""The time in which Numba compiles functions, or loads compiled ones, in whatever thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

_clock: Callable[[], float] = time.monotonic


def now() -> float:
    """Return the time on the clock that limits of time are kept by."""
    return _clock()


@contextmanager
def use_clock(clock: Callable[[], float]) -> Iterator[None]:
    """Keep all limits of time in the block by another clock, in all threads.

    A benchmark on a machine that is busy with other work gives the processor's time, so that its
    results do not depend on that work.
    """
    global _clock
    before, _clock = _clock, clock
    try:
        yield
    finally:
        _clock = before


class _Stopwatch:
    """Measures the time in which at least one of several pieces of work is under way."""

    def __init__(self) -> None:
        self._lock, self._n_running = Lock(), 0
        self._began = self._total = 0.0

    def start(self) -> None:
        """Note that a piece of work begins."""
        with self._lock:
            if not self._n_running:
                self._began = now()
            self._n_running += 1

    def stop(self) -> None:
        """Note that a piece of work ends; one that began before all was watched counts not."""
        with self._lock:
            if self._n_running == 1:
                self._total += now() - self._began
            self._n_running = max(self._n_running - 1, 0)

    def seconds(self) -> float:
        """Return the time until now."""
        with self._lock:
            running = now() - self._began if self._n_running else 0.0
            return self._total + running


_STOPWATCH = _Stopwatch()


def compile_seconds() -> float:
    """Return the seconds that compiling and loading have taken since they are watched."""
    return _STOPWATCH.seconds()


@cache
def watch_compile_time() -> None:
    """Measure from now on; again it does nothing."""
    from numba.core import event

    class CompilerListener(event.Listener):
        def on_start(self, event: object) -> None:
            _STOPWATCH.start()

        def on_end(self, event: object) -> None:
            _STOPWATCH.stop()

    # who compiles or loads a function, Numba's own or that of any package, holds this lock
    event.register("numba:compiler_lock", CompilerListener())
