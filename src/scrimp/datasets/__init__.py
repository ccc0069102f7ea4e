"""Data to try scrimp on: one bundled medical set with real prices, and fetchers for others."""

from scrimp.datasets.errors import DatasetMismatch, DatasetUnavailable
from scrimp.datasets.loading import Dataset, fetch, load_heart

__all__ = ["Dataset", "DatasetMismatch", "DatasetUnavailable", "fetch", "load_heart"]
