"""Numba's decorators, with a cache of compiled functions wherever a folder for it can be had.

With ``NUMBA_DISABLE_JIT=1`` each of them leaves its function as plain Python.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import config
from numba.core import event


def njit(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return `numba.njit` with these options, among which ``cache=True`` is a wish.

    Numba keeps compiled functions beside their sources or in the user's cache folder, or where
    ``NUMBA_CACHE_DIR`` says. Where none of these can be written to, as in many containers, they
    are kept in a folder of the user within that for temporary files; and where this is not
    possible either, each process compiles them for itself.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        with suppress(RuntimeError):  # there is no folder for the cache
            return numba.njit(**options)(function)  # type: ignore[no-any-return]
        folder = temporary_cache_folder()
        if folder is not None:
            with suppress(RuntimeError), _cache_folder(folder):
                return numba.njit(**options)(function)  # type: ignore[no-any-return]
        return numba.njit(**options | {"cache": False})(function)  # type: ignore[no-any-return]

    return decorate


def is_cached(kernel: Any) -> bool:
    """Return whether a compiled form of a kernel is on disk; True where none is ever needed."""
    cache_file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    return cache_file is None or Path(cache_file._index_path).exists()


class _CompilationListener(event.Listener):
    """Calls a function with the name of each kernel that is compiled, not read from a cache."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report

    def on_start(self, event: Any) -> None:
        self._report(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def watching_compilation(report: Callable[[str], None]) -> Iterator[None]:
    """Call a function with the name of each kernel that is compiled inside the block."""
    with event.install_listener("numba:compile", _CompilationListener(report)):
        yield


@cache
def temporary_cache_folder() -> Path | None:
    """Return a folder for temporary files that only the user can write to, or None.

    Who can write to it can have code run: caches are read without a check.
    """
    try:
        user = os.getuid()
        folder = Path(tempfile.gettempdir()) / f"scrimp-numba-{user}"
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        status = folder.lstat()
    except (OSError, AttributeError):  # Windows has no such users
        return None
    private = stat.S_ISDIR(status.st_mode) and not stat.S_IMODE(status.st_mode) & 0o077
    return folder if private and status.st_uid == user else None


@contextmanager
def _cache_folder(folder: Path) -> Iterator[None]:
    """Let functions that are decorated in the block have their cache in a folder."""
    before = getattr(config, "CACHE_DIR")  # noqa: B009 - Numba sets its options at import
    setattr(config, "CACHE_DIR", str(folder))  # noqa: B010
    try:
        yield
    finally:
        setattr(config, "CACHE_DIR", before)  # noqa: B010


# These functions allocate no arrays. Reference counts of the arrays that they are given, which
# Numba keeps unless `_nrt` is off, would take longer than their work.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}

#: Compile a function that allocates no arrays.
njit_no_refcount = njit(**_OPTIONS)
#: Compile a function that allocates no arrays, and inline it into its callers.
njit_inline = njit(**_OPTIONS, forceinline=True)


def njit_wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile and inline a function whose integers wrap around modulo 2**64.

    Compiled code wraps silently; NumPy's scalars would warn of an overflow.
    """
    if getattr(config, "DISABLE_JIT"):  # noqa: B009 - Numba sets its options at import
        return np.errstate(over="ignore")(function)
    return njit_inline(function)
