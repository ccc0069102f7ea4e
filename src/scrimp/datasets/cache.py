"""The cache of fetched data: a file, and its SHA-256 in a second file beside it."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

from .errors import DatasetMismatch, DatasetUnavailable


def path_of(file: str) -> Path:
    """Where a file is, or would be."""
    return folder() / file


def read(file: str) -> bytes | None:
    """The content of a file, checked; None if it is not in the cache.

    A file without its checksum is one whose writing was cut short, so it does not count.
    """
    path = path_of(file)
    checksum = _checksum_of(path)
    try:
        data, expected = path.read_bytes(), checksum.read_text().strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise DatasetMismatch(
            f"The cached file {path} has SHA-256 {found}, but {expected} was written beside it: "
            f"it was damaged or changed. Delete {path} and {checksum}, then fetch it again."
        )
    return data


def write(file: str, data: bytes) -> None:
    """Keep a file, so that another process sees all of it or nothing."""
    path = path_of(file)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        checksum = _checksum_of(path)
        checksum.unlink(missing_ok=True)
        _replace(path, data)
        _replace(checksum, hashlib.sha256(data).hexdigest().encode() + b"\n")
    except OSError as error:
        raise DatasetUnavailable(
            f"{file} was fetched, but cannot be kept in {path.parent} ({error}). "
            "Set SCRIMP_CACHE to a folder that can be written."
        ) from error


def _replace(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _checksum_of(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def folder() -> Path:
    """`$SCRIMP_CACHE`, else where the platform keeps caches."""
    chosen = os.environ.get("SCRIMP_CACHE")
    if chosen:
        return Path(chosen)
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "scrimp"
    variable, default = (
        ("LOCALAPPDATA", home / "AppData" / "Local")
        if sys.platform == "win32"
        else ("XDG_CACHE_HOME", home / ".cache")
    )
    return Path(os.environ.get(variable) or default) / "scrimp"
