"""Exact running sums of prices, as `math.fsum` has them."""

from __future__ import annotations

from .leaf import leaf

#: Partials that do not overlap: a double has room for 40.
PARTIALS = 48


@leaf
def add_price(partials, n, x):
    """Add a number to an exact sum; returns how many partials there are now."""
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


@leaf
def rounded(partials, n):
    """The sum of partials, correctly rounded (half to even), as `math.fsum` ends."""
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
