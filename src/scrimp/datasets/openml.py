"""Tables from OpenML, through scikit-learn, brought into our names."""

from __future__ import annotations

from http.client import HTTPException
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .catalog import Entry, OpenML
from .errors import DatasetMismatch, DatasetUnavailable


def download(entry: Entry, where: OpenML) -> pl.DataFrame:
    """Fetch a table from OpenML; the server's checksum is checked by scikit-learn.

    Raises
    ------
    DatasetUnavailable
        If the server does not answer, or not with what its checksum promises.
    DatasetMismatch
        If the table has not the rows and columns that we know.
    """
    bunch, kept = _fetch(where, entry.rows, len(entry.columns))
    categories = bunch.categories or {}
    columns = {
        name: _decoded(bunch.data[:, j], categories.get(bunch.feature_names[j]))
        for name, j in zip(entry.columns, kept, strict=True)
    }
    return pl.DataFrame({**columns, entry.target: list(bunch.target)})


def download_arrays(
    where: OpenML, rows: int, columns: int
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Fetch numbers and labels from OpenML. Raises as `download` does."""
    bunch, kept = _fetch(where, rows, columns)
    return bunch.data[:, kept], np.asarray(bunch.target, dtype=np.str_)


def _fetch(where: OpenML, rows: int, columns: int) -> tuple[Any, list[int]]:
    """What OpenML has, and which of its columns are features."""
    # Importing scikit-learn's datasets takes long, and most uses need none of them.
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(
            data_id=where.data_id,
            target_column=where.target,
            as_frame=False,
            parser="liac-arff",  # the only one that does not need pandas
            cache=False,
        )
    except (OSError, HTTPException, ValueError) as error:
        raise DatasetUnavailable(f"{type(error).__name__}: {error}") from error
    kept = [j for j, name in enumerate(bunch.feature_names) if name not in where.drop]
    found, expected = (len(bunch.data), len(kept)), (rows, columns)
    if found != expected:
        raise DatasetMismatch(
            f"OpenML's dataset {where.data_id} has {found[0]} rows and {found[1]} features; "
            f"expected {expected[0]} and {expected[1]}. It is not the copy that scrimp knows."
        )
    return bunch, kept


def _decoded(values: NDArray[np.float64], names: list[str] | None) -> pl.Series:
    """Give categories their names back, and missing values their null."""
    if names is None:
        return pl.Series(values, nan_to_null=True)
    return pl.Series([None if np.isnan(code) else names[int(code)] for code in values])
