"""Softmax and log-sum-exp of rows, with an exponential that compilers can vectorise."""

from __future__ import annotations

import numpy as np

from .jit import njit

_LOG2_E = 1.4426950408889634
#: ln 2 in two parts: products of whole numbers below 2**11 with the first are exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
#: Added to a number it leaves the nearest whole number in the lowest bits.
_ROUND = 6755399441055744.0
#: Below this the exponential is as good as 0 beside that of 0.
_SMALLEST = -700.0
#: Partial sums that are formed side by side, as one addition need not wait for another.
_LANES = 8


@njit(cache=True, nogil=True)
def softmax_rows(eta, p, log_totals):
    """Write the softmax of each row, and the logarithm of its sum of exponentials.

    exp(x) = 2**k exp(r) with k the whole number nearest to x / ln 2, so that r is at most
    ln(2) / 2 in size, where 13 terms of the series are exact to rounding.

    Parameters
    ----------
    eta : float array (rows, outputs)
        Finite.
    p : float array (rows, outputs), C-contiguous
        Written to.
    log_totals : float array (rows,)
        Written to.
    """
    n, width = eta.shape
    shifted = np.empty(width)
    power = np.empty(width)
    bits = power.view(np.int64)
    sums = np.empty(_LANES)
    for i in range(n):
        row, out = eta[i], p[i]
        top = row[0]
        for j in range(1, width):
            top = max(top, row[j])
        for j in range(width):
            x = max(row[j] - top, _SMALLEST)
            rounded = x * _LOG2_E + _ROUND
            k = rounded - _ROUND
            power[j] = rounded
            shifted[j] = (x - k * _LN2_HIGH) - k * _LN2_LOW
        for j in range(width):
            r = shifted[j]
            s = 1.0 / 6227020800.0
            s = s * r + 1.0 / 479001600.0
            s = s * r + 1.0 / 39916800.0
            s = s * r + 1.0 / 3628800.0
            s = s * r + 1.0 / 362880.0
            s = s * r + 1.0 / 40320.0
            s = s * r + 1.0 / 5040.0
            s = s * r + 1.0 / 720.0
            s = s * r + 1.0 / 120.0
            s = s * r + 1.0 / 24.0
            s = s * r + 1.0 / 6.0
            s = s * r + 0.5
            out[j] = (s * r * r + r) + 1.0
        for j in range(width):
            bits[j] = (bits[j] + 1023) << 52
        sums[:] = 0.0
        whole = width - width % _LANES
        for first in range(0, whole, _LANES):
            for lane in range(_LANES):
                out[first + lane] *= power[first + lane]
                sums[lane] += out[first + lane]
        for j in range(whole, width):
            out[j] *= power[j]
            sums[0] += out[j]
        total = sums.sum()
        for j in range(width):
            out[j] /= total
        log_totals[i] = top + np.log(total)
