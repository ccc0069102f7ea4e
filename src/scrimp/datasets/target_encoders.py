"""Encoders from the target column of a table to `y`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .errors import DatasetMismatch

#: From a target column to `y`.
Encoder = Callable[[pl.Series], NDArray[Any]]


def binary(no: str, yes: str) -> Encoder:
    """Return an encoder to 0 and 1; `no` and `yes` list the spellings found in copies."""
    codes = dict.fromkeys(no.split(), 0) | dict.fromkeys(yes.split(), 1)

    def encode(target: pl.Series) -> NDArray[Any]:
        labels = target.cast(pl.String).to_list()
        unknown = {label for label in labels if label not in codes}
        if unknown:
            raise DatasetMismatch(
                f"Target {target.name!r} has the labels {sorted(map(str, unknown))}; "
                f"expected only {sorted(codes)}."
            )
        return np.array([codes[label] for label in labels], dtype=np.int64)

    return encode


def classes(target: pl.Series) -> NDArray[Any]:
    """Return the labels of several classes as text."""
    return np.array(target.cast(pl.String).to_list(), dtype=np.str_)


def number(target: pl.Series) -> NDArray[Any]:
    """Return the numbers of a regression target."""
    return target.cast(pl.Float64).to_numpy()


def at_least(bound: float) -> Encoder:
    """Return an encoder to 1 where the target is at least `bound`, else 0."""

    def encode(target: pl.Series) -> NDArray[Any]:
        return (number(target) >= bound).astype(np.int64)

    return encode
