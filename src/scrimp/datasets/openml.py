"""Downloads from OpenML through scikit-learn, with columns named as in the catalog."""

from __future__ import annotations

from http.client import HTTPException
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .catalog import Entry, OpenML
from .errors import DatasetMismatch, DatasetUnavailable


def download(entry: Entry, location: OpenML) -> pl.DataFrame:
    """Fetch a table from OpenML; the server's checksum is checked by scikit-learn.

    Raises
    ------
    DatasetUnavailable
        If the server does not answer, or the content does not match its checksum.
    DatasetMismatch
        If the table does not have the rows and columns of the catalog.
    """
    bunch, kept = _fetch(location, entry.rows, len(entry.columns))
    categories = bunch.categories or {}
    columns = {
        name: _decoded(bunch.data[:, j], categories.get(bunch.feature_names[j]))
        for name, j in zip(entry.columns, kept, strict=True)
    }
    return pl.DataFrame({**columns, entry.target: list(bunch.target)})


def download_arrays(
    location: OpenML, rows: int, columns: int
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Fetch numbers and labels from OpenML. Raises as `download` does."""
    bunch, kept = _fetch(location, rows, columns)
    return bunch.data[:, kept], np.asarray(bunch.target, dtype=np.str_)


def _fetch(location: OpenML, rows: int, columns: int) -> tuple[Any, list[int]]:
    """Return a dataset of OpenML, and which of its columns are features."""
    # Importing scikit-learn's datasets takes long, and is rarely needed.
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(
            data_id=location.data_id,
            target_column=location.target,
            as_frame=False,
            parser="liac-arff",  # the only one that does not need pandas
            cache=False,
        )
    except (OSError, HTTPException, ValueError) as error:
        raise DatasetUnavailable(f"{type(error).__name__}: {error}") from error
    kept = [j for j, name in enumerate(bunch.feature_names) if name not in location.drop]
    shape, expected = (len(bunch.data), len(kept)), (rows, columns)
    if shape != expected:
        raise DatasetMismatch(
            f"OpenML's dataset {location.data_id} has {shape[0]} rows and {shape[1]} features; "
            f"expected {expected[0]} and {expected[1]}. It is not the copy that scrimp knows."
        )
    return bunch, kept


def _decoded(values: NDArray[np.float64], names: list[str] | None) -> pl.Series:
    """Return a column with the names of categories, and null for missing values."""
    if names is None:
        return pl.Series(values, nan_to_null=True)
    return pl.Series([None if np.isnan(code) else names[int(code)] for code in values])
