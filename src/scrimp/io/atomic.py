"""Atomic writes: readers see the whole new file or the old one."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically: on failure the old one stays, and no temporary file is left.

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
    # beside the target: a rename is atomic only within one file system
    temporary = target.with_name(f".scrimp-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):  # name the path that was given
            error.filename, error.filename2 = str(path), None
        raise


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
