"""Downloads of tables of numbers from the UCI Machine Learning Repository."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from http.client import HTTPException
from urllib.request import urlopen

import numpy as np
import polars as pl

from ..types import Floats
from .errors import DatasetMismatch, DatasetUnavailable

#: Seconds without an answer of the server after which a download is given up.
_TIMEOUT = 60.0


@dataclass(frozen=True)
class UCI:
    """The location of a table of numbers at UCI: a text file in an archive.

    Parameters
    ----------
    data_id : int
        Its number there.
    archive, file : str
        The name of the archive, without ``.zip``, and of the file in it.
    target : int
        The position of the column to predict, from 0; negative ones count from the last.
    drop : tuple of int
        Positions of columns that are neither a feature nor the target.
    has_header : bool
        Whether the first line names the columns.
    """

    data_id: int
    archive: str
    file: str
    target: int
    drop: tuple[int, ...] = ()
    has_header: bool = False

    def __str__(self) -> str:
        return f"UCI, dataset {self.data_id}"

    @property
    def url(self) -> str:
        """The address of the archive."""
        return f"https://archive.ics.uci.edu/static/public/{self.data_id}/{self.archive}.zip"


def download_numbers(location: UCI, rows: int, columns: int) -> tuple[Floats, Floats]:
    """Fetch features and targets from UCI, in the published order of rows.

    Raises
    ------
    DatasetUnavailable
        If the server does not answer with an archive.
    DatasetMismatch
        If the table does not have the rows and columns of the catalog.
    """
    try:
        with urlopen(location.url, timeout=_TIMEOUT) as answer:
            archive = zipfile.ZipFile(io.BytesIO(answer.read()))
    except (OSError, HTTPException, zipfile.BadZipFile) as error:
        raise DatasetUnavailable(f"{type(error).__name__}: {error}") from error
    types = [pl.Float64] * (columns + 1 + len(location.drop))
    try:
        table = pl.read_csv(
            archive.read(location.file), has_header=location.has_header, schema_overrides=types
        ).to_numpy()
    except (KeyError, zipfile.BadZipFile, pl.exceptions.PolarsError) as error:
        raise DatasetMismatch(f"{location.url} has no such table: {error}") from error
    if table.shape != (rows, len(types)):
        raise DatasetMismatch(
            f"{location.url} has {table.shape[0]} rows of {table.shape[1]} numbers; expected "
            f"{rows} of {len(types)}. It is not the copy that scrimp knows."
        )
    return np.delete(table, [location.target, *location.drop], axis=1), table[:, location.target]
