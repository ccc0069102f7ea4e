"""Datasets: one bundled medical table with real prices, fetchers for others, and generators."""

from .acquisition import (
    context_posterior,
    cube_nm_costs,
    cube_nm_posterior,
    cube_posterior,
    make_context,
    make_cube,
    make_cube_nm,
    make_syn,
    syn_relevant,
)
from .arrays import ArrayDataset, fetch_arrays
from .errors import DatasetMismatch, DatasetUnavailable
from .tables import Dataset, fetch, load_heart

__all__ = [
    "ArrayDataset",
    "Dataset",
    "DatasetMismatch",
    "DatasetUnavailable",
    "context_posterior",
    "cube_nm_costs",
    "cube_nm_posterior",
    "cube_posterior",
    "fetch",
    "fetch_arrays",
    "load_heart",
    "make_context",
    "make_cube",
    "make_cube_nm",
    "make_syn",
    "syn_relevant",
]
