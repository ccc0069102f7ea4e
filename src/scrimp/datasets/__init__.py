"""Datasets: one bundled medical table with real prices, and fetchers for others."""

from .arrays import ArrayDataset, fetch_arrays
from .errors import DatasetMismatch, DatasetUnavailable
from .tables import Dataset, fetch, load_heart

__all__ = [
    "ArrayDataset",
    "Dataset",
    "DatasetMismatch",
    "DatasetUnavailable",
    "fetch",
    "fetch_arrays",
    "load_heart",
]
