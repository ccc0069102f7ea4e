"""Files of datasets: in the folder `$SCRIMP_DATA`, in the cache, or downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import cache
from .catalog import OpenML
from .errors import DatasetUnavailable
from .uci import UCI


def read_dataset_file(
    name: str, file: str, location: OpenML | UCI | str, download: Callable[[Any], bytes]
) -> tuple[bytes, str]:
    """Return the content of a file and the place it was read from.

    Parameters
    ----------
    name, file : str
        The dataset, and the name of its file.
    location : OpenML, UCI or str
        Where to fetch it, or why it cannot be fetched from OpenML.
    download : callable
        Returns the content of the file, fetched from there.
    """
    local = _local_file(file)
    if local is not None and local.is_file():
        return local.read_bytes(), str(local)
    cached = cache.read(file)
    if cached is None:
        cached = _download(name, file, local, location, download)
    return cached, str(cache.path_of(file))


def _local_file(file: str) -> Path | None:
    folder = os.environ.get("SCRIMP_DATA")
    return Path(folder) / file if folder else None


def _download(
    name: str, file: str, local: Path | None, location: OpenML | UCI | str,
    download: Callable[[Any], bytes],
) -> bytes:  # fmt: skip
    if isinstance(location, str):
        raise _unavailable(name, file, local, f"OpenML (not used: {location})", "")
    try:
        data = download(location)
    except DatasetUnavailable as error:
        tried = f"{location} ({error})"
        raise _unavailable(name, file, local, tried, ", or try again with a network") from error
    cache.write(file, data)
    return data


def _unavailable(
    name: str, file: str, local: Path | None, remote: str, remedy: str
) -> DatasetUnavailable:
    first = "SCRIMP_DATA (not set)" if local is None else f"{local} (no such file)"
    return DatasetUnavailable(
        f"Dataset {name!r} is not available. Tried: {first}; the cache, {cache.path_of(file)} "
        f"(no such file); {remote}. "
        f"Put {file} into a folder and set SCRIMP_DATA to that folder{remedy}."
    )
