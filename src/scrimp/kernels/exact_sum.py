"""Exact running sums as non-overlapping partials (Shewchuk, 1997), as in `math.fsum`."""

from __future__ import annotations

from .jit import njit_inline

#: Room for the partials of a sum: doubles span 2098 binary digits, 53 per partial, so 40 suffice.
PARTIALS = 48


@njit_inline
def add_to_sum(partials, n, x):
    """Add a number to a sum of n partials in place, and return the new number of partials."""
    kept = 0
    for i in range(n):
        y = partials[i]
        if abs(x) < abs(y):
            x, y = y, x
        high = x + y
        low = y - (high - x)
        if low != 0.0:
            partials[kept] = low
            kept += 1
        x = high
    partials[kept] = x
    return kept + 1


@njit_inline
def round_sum(partials, n):
    """Return the sum of n partials, correctly rounded (half to even) as by `math.fsum`."""
    if n == 0:
        return 0.0
    n -= 1
    high, low = partials[n], 0.0
    while n > 0:
        x = high
        n -= 1
        y = partials[n]
        high = x + y
        low = y - (high - x)
        if low != 0.0:
            break
    if n > 0 and ((low < 0.0 and partials[n - 1] < 0.0) or (low > 0.0 and partials[n - 1] > 0.0)):
        y = low * 2.0
        x = high + y
        if y == x - high:
            high = x
    return high
