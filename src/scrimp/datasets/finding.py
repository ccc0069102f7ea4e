"""Where the file of a dataset is looked for: the own folder, the cache, OpenML."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from . import cache
from .catalog import OpenML
from .errors import DatasetUnavailable


def find(
    name: str, file: str, openml: OpenML | str, download: Callable[[OpenML], bytes]
) -> tuple[bytes, str]:
    """The content of a file and the place it is from.

    Parameters
    ----------
    name, file : str
        The dataset, and the name of its file.
    openml : OpenML or str
        Where to fetch it, or why it cannot be fetched.
    download : callable
        Fetches it from there, as the content of the file.
    """
    own = _own_file(file)
    if own is not None and own.is_file():
        return own.read_bytes(), str(own)
    cached = cache.read(file)
    if cached is None:
        cached = _download(name, file, own, openml, download)
    return cached, str(cache.path_of(file))


def _own_file(file: str) -> Path | None:
    folder = os.environ.get("SCRIMP_DATA")
    return Path(folder) / file if folder else None


def _download(
    name: str, file: str, own: Path | None, openml: OpenML | str,
    download: Callable[[OpenML], bytes],
) -> bytes:  # fmt: skip
    if isinstance(openml, str):
        raise _unavailable(name, file, own, f"OpenML (not used: {openml})", "")
    try:
        data = download(openml)
    except DatasetUnavailable as error:
        tried = f"OpenML, dataset {openml.data_id} ({error})"
        raise _unavailable(name, file, own, tried, ", or try again with a network") from error
    cache.write(file, data)
    return data


def _unavailable(
    name: str, file: str, own: Path | None, remote: str, remedy: str
) -> DatasetUnavailable:
    local = "SCRIMP_DATA (not set)" if own is None else f"{own} (no such file)"
    return DatasetUnavailable(
        f"Dataset {name!r} is not available. Tried: {local}; the cache, {cache.path_of(file)} "
        f"(no such file); {remote}. "
        f"Put {file} into a folder and set SCRIMP_DATA to that folder{remedy}."
    )
