"""Softmax and log-sum-exp of rows, with an exponential that compilers can vectorise."""

from __future__ import annotations

import numpy as np

from .jit import njit, njit_inline

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


@njit_inline
def _softmax_row(row, out, shifted, power, bits, sums):
    """Write the softmax of a row; return the logarithm of its sum of exponentials.

    exp(x) = 2**k exp(r) with k the whole number nearest to x / ln 2, so that r is at most
    ln(2) / 2 in size, where 13 terms of the series are exact to rounding.
    """
    width = len(row)
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
    return top + np.log(total)


@njit(cache=True, nogil=True)
def softmax_rows(eta, p, log_totals):
    """Write the softmax of each row, and the logarithm of its sum of exponentials.

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
        log_totals[i] = _softmax_row(eta[i], p[i], shifted, power, bits, sums)


@njit(cache=True, nogil=True)
def add_sloped_loss(sums, intercept, scale, labels, weights, gradient):
    """Return the log loss of softmax(intercept + scale * sums), and add its gradient.

    Parameters
    ----------
    sums : float array (rows, outputs), C-contiguous
        What is scaled.
    intercept : float array (outputs,)
        Added to every row.
    scale : float
        The slope.
    labels : int array (rows,)
        The output that is right.
    weights : float array (rows,)
        Weights of the rows.
    gradient : float array (outputs + 1,)
        Added to: the derivatives by the intercept, and last by the scale.
    """
    n, width = sums.shape
    row, p, shifted, power = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    bits = power.view(np.int64)
    partial = np.empty(_LANES)
    loss, slope = 0.0, 0.0
    for i in range(n):
        given, w, label = sums[i], weights[i], labels[i]
        for j in range(width):
            row[j] = intercept[j] + scale * given[j]
        loss += w * (_softmax_row(row, p, shifted, power, bits, partial) - row[label])
        for j in range(width):
            gradient[j] += w * p[j]
        gradient[label] -= w
        slope += w * (np.dot(p, given) - given[label])
    gradient[width] += slope
    return loss
