"""Fractional selections of groups under a budget.

A selection d has 0 <= d_m <= 1 and c'd <= B, for prices c and a budget B: the relaxed indicator
variables of Wang, Zhu and Chi (2018), Eq. (1). Free groups are always selected in full. Kernels
write the selection into their last argument.
"""

from __future__ import annotations

import numpy as np

from .jit import njit

#: Newton and bisection steps for a multiplier; bisection alone reaches rounding in about 100.
_MAX_STEPS = 200


@njit(cache=True, nogil=True)
def fractional_knapsack(values, prices, budget, selection):
    """Write the selection of the largest total value, and return that value.

    It minimises over d the cut of Eq. (12). Groups are taken by value per price. They are not
    sorted: quickselect partitions only the range that holds the critical group, in O(groups).
    """
    density, order = np.zeros(len(values)), np.empty(len(values), dtype=np.int64)
    n = 0
    for m in range(len(values)):
        selection[m] = 1.0
        if prices[m] > 0:
            density[m], selection[m], order[n] = values[m] / prices[m], 0.0, m
            n += 1
    first, last, left = 0, n, budget
    while first < last:
        middle, end = partition(order, density, first, last)
        denser = 0.0
        for place in range(first, middle):
            denser += prices[order[place]]
        if denser > left:
            last = middle
            continue
        left = select_in_order(order, prices, first, middle, left, selection)
        left = select_in_order(order, prices, middle, end, left, selection)
        if left <= 0.0:
            break
        first = end
    total = 0.0
    for m in range(len(values)):
        total += selection[m] * values[m]
    return total


@njit(cache=True, nogil=True)
def select_in_order(order, prices, first, last, left, selection):
    """Select groups one after the other, the last one in part; return the budget that is left."""
    for place in range(first, last):
        m = order[place]
        selection[m] = min(left / prices[m], 1.0)
        left = max(left - selection[m] * prices[m], 0.0)
    return left


@njit(cache=True, nogil=True)
def partition(order, density, first, last):
    """Partition a range by a median-of-three pivot: denser groups, equal ones, less dense ones.

    Returns where the equal groups begin and end.
    """
    a, b, c = density[order[first]], density[order[(first + last) // 2]], density[order[last - 1]]
    pivot = max(min(a, b), min(max(a, b), c))
    middle, place, end = first, first, last
    while place < end:
        m = order[place]
        if density[m] > pivot:
            order[place], order[middle] = order[middle], m
            middle += 1
            place += 1
        elif density[m] < pivot:
            end -= 1
            order[place], order[end] = order[end], m
        else:
            place += 1
    return middle, end


@njit(cache=True, nogil=True)
def norm_selection(norms, prices, budget, selection):
    """Write the selection that minimises sum norms**2 / selection, and return that minimum.

    By Eq. (4) it is min(scale * norms / sqrt(prices), 1); a group of norm 0 is not selected. The
    scale is found exactly, by going through the groups in descending order of the ratio.
    """
    n, full_price = len(norms), 0.0
    rates = np.zeros(n)
    for m in range(n):
        if norms[m] > 0 and prices[m] > 0:
            rates[m] = norms[m] / np.sqrt(prices[m])
            full_price += prices[m]
    scale = np.inf
    if full_price > budget:
        used, left = np.flatnonzero(rates), budget
        order = used[np.argsort(-rates[used])]
        rest = np.cumsum((prices * rates)[order[::-1]])[::-1]  # small ones first: no cancellation
        for place in range(len(order)):  # those selected in full first
            scale = left / rest[place] if rest[place] > 0 else np.inf
            if rates[order[place]] * scale < 1.0:
                break
            left -= prices[order[place]]
    total = 0.0
    for m in range(n):
        selection[m] = 1.0 if norms[m] > 0 else 0.0
        if rates[m] > 0 and rates[m] * scale < 1.0:
            selection[m] = rates[m] * scale
        if prices[m] == 0:
            selection[m] = 1.0
        if norms[m] > 0:
            total += norms[m] * norms[m] / selection[m] if selection[m] > 0 else np.inf
    return total


@njit(cache=True, nogil=True)
def proximal_selection(norms, prices, steps, budget, scale, selection):
    """Write the selection that minimises sum norms**2 / (steps + selection); return its scale.

    It is clip(scale * norms / sqrt(prices) - steps, 0, 1), where the scale makes it cost the
    budget: Newton steps from the given scale, safeguarded by bisection.
    """
    n, full_price = len(norms), 0.0
    rates = np.zeros(n)
    for m in range(n):
        selection[m] = 1.0 if norms[m] > 0 or prices[m] == 0 else 0.0
        if norms[m] > 0 and prices[m] > 0:
            rates[m] = norms[m] / np.sqrt(prices[m])
            full_price += prices[m]
    if full_price <= budget:
        return scale
    low, high = 0.0, np.inf
    for _ in range(_MAX_STEPS):
        spent, slope = selection_price(rates, prices, steps, scale)
        if abs(spent - budget) <= 1e-13 * budget:
            break
        if spent > budget:
            high = scale
        else:
            low = scale
        guess = scale + (budget - spent) / slope if slope > 0 else np.inf
        if not low < guess < high:
            guess = 2.0 * low + 1e-300 if high == np.inf else 0.5 * (low + high)
        if guess == scale:
            break
        scale = guess
    for m in range(n):
        if rates[m] > 0:
            selection[m] = min(max(scale * rates[m] - steps[m], 0.0), 1.0)
    return scale


@njit(cache=True, nogil=True)
def selection_price(rates, prices, steps, scale):
    """Return the price of clip(scale * rates - steps, 0, 1) and its derivative in the scale."""
    spent, slope = 0.0, 0.0
    for m in range(len(rates)):
        share = scale * rates[m] - steps[m]
        if share >= 1.0:
            spent += prices[m] * (rates[m] > 0)
        elif share > 0.0:
            spent += prices[m] * share
            slope += prices[m] * rates[m]
    return spent, slope
