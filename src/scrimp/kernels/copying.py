"""Copies and differences of arrays as loops.

Numba takes seconds to compile ``a[:] = b`` or ``a[i] -= b``, for the text of the error about shapes
that differ.
"""

from __future__ import annotations

from .jit import njit


@njit(cache=True, nogil=True)
def copy_to(out, values):
    """Write values to another array of the same length."""
    for i in range(len(out)):
        out[i] = values[i]


@njit(cache=True, nogil=True)
def copy_rows_to(out, values):
    """Write a matrix to another one of the same shape."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = values[i, j]


@njit(cache=True, nogil=True)
def copy_multiple_to(out, factor, values):
    """Write a multiple of values to another array of the same length."""
    for i in range(len(out)):
        out[i] = factor * values[i]


@njit(cache=True, nogil=True)
def add_rows_to(out, values):
    """Add the rows of a matrix to an array."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            out[j] += values[i, j]


@njit(cache=True, nogil=True)
def subtract_from(out, values):
    """Subtract values from another array of the same length."""
    for i in range(len(out)):
        out[i] -= values[i]
