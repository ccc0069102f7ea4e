"""Data to try scrimp on: one bundled medical set with real prices, and fetchers for others."""

from .arrays import ArrayDataset, fetch_arrays
from .errors import DatasetMismatch, DatasetUnavailable
from .loading import Dataset, fetch, load_heart

__all__ = [
    "ArrayDataset",
    "Dataset",
    "DatasetMismatch",
    "DatasetUnavailable",
    "fetch",
    "fetch_arrays",
    "load_heart",
]
