"""Atomic writes: readers see the whole new file or the old one."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import time
from contextlib import suppress
from pathlib import Path

_SUFFIX = ".tmp"
#: How long an empty temporary file may belong to a writer that has not locked it yet.
_SECONDS_TO_LOCK = 60.0


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically: on failure the old one stays, and no temporary file is left.

    Where the process is killed, its temporary file stays until the next write to the same path.

    Parameters
    ----------
    path : path
        Links are followed. A new file gets default permissions, a replaced one keeps its own.
        What is not a regular file, such as ``/dev/null``, is written to directly.
    data : bytes
        The content.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answer"
    ...     write_atomically(path, b"42")
    ...     int(path.read_bytes())
    42
    """
    target = Path(os.path.realpath(path))
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        target.write_bytes(data)
        return
    prefix = _temporary_prefix(target)
    _remove_abandoned(target.parent, prefix)
    # beside the target: a rename is atomic only within one file system
    temporary = target.with_name(f"{prefix}{secrets.token_hex(8)}{_SUFFIX}")
    try:
        with open(temporary, "xb") as file:
            locked = _lock(file.fileno())
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if locked:  # until the file has its name nobody may take it for abandoned
                os.replace(temporary, target)
        if not locked:
            os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):  # name the path that was given
            error.filename, error.filename2 = str(path), None
        raise


def _temporary_prefix(target: Path) -> str:
    """Return how the names of temporary files of a target begin; short even if its own is long."""
    return f".scrimp-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}-"


def _remove_abandoned(folder: Path, prefix: str) -> None:
    """Remove temporary files of writers that were killed; those of running writers are locked."""
    with suppress(OSError):
        for abandoned in folder.glob(f"{prefix}*{_SUFFIX}"):
            with suppress(OSError):
                _remove_unless_in_use(abandoned)


def _remove_unless_in_use(temporary: Path) -> None:
    """Remove a file that nobody has locked, unless it is new and its writer may yet lock it."""
    if not hasattr(os, "O_NOFOLLOW"):  # a system without locks
        return
    descriptor = os.open(temporary, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        status = os.fstat(descriptor)
        is_new = status.st_size == 0 and time.time() - status.st_mtime < _SECONDS_TO_LOCK
        if stat.S_ISREG(status.st_mode) and not is_new and _lock(descriptor):
            temporary.unlink()
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Lock a file for as long as it is open; return False if it is locked or cannot be."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
