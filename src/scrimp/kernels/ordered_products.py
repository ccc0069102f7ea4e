"""Products of matrices whose sums are taken in order.

Terms that are 0 change nothing then, not even by rounding, so that inputs which bring nothing yet
may come and go. A library's product sums in an order that depends on the sizes and the processor.
"""

from __future__ import annotations

from .jit import njit


@njit(cache=True, nogil=True)
def multiply(a, b, out):
    """Write the product of `a` (rows, inputs) and `b` (inputs, units) to `out`."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = 0.0
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]


@njit(cache=True, nogil=True)
def multiply_transposed(a, b, out):
    """Write the product of the transpose of `a` (rows, inputs) and `b` (rows, units) to `out`."""
    for k in range(a.shape[1]):
        for j in range(b.shape[1]):
            out[k, j] = 0.0
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[k, j] += a[i, k] * b[i, j]
