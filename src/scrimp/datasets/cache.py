"""The cache of downloaded files, each with its SHA-256 in a second file."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

from .errors import DatasetMismatch, DatasetUnavailable


def path_of(file: str) -> Path:
    """Return the path of a file in the cache, whether it exists or not."""
    return folder() / file


def read(file: str) -> bytes | None:
    """Return the content of a file after checking it; None if it is not in the cache.

    A file without a checksum was not written completely, and does not count.
    """
    path = path_of(file)
    checksum = _checksum_of(path)
    try:
        data, expected = path.read_bytes(), checksum.read_text().strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    actual = hashlib.sha256(data).hexdigest()
    if actual != expected:
        raise DatasetMismatch(
            f"The cached file {path} has SHA-256 {actual}, but {expected} was written beside it: "
            f"it was damaged or changed. Delete {path} and {checksum}, then fetch it again."
        )
    return data


def write(file: str, data: bytes) -> None:
    """Write a file atomically: another process sees all of it or nothing."""
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
    """Return `$SCRIMP_CACHE`, else the folder of the platform's caches."""
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
