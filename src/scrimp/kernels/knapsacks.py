"""Shares of groups that a budget pays for: each between 0 and 1, their prices times them within it.

What is free has a share of 1.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_MOST_STEPS = 200


@njit(cache=True, nogil=True)
def knapsack(values, prices, budget, shares):
    """Write the shares of the largest value, and return it.

    What is worth more per price is bought first. It is not sorted: parts that are bought in full,
    or not at all, are told apart from the rest until nothing is left.
    """
    worth, order = np.zeros(len(values)), np.empty(len(values), dtype=np.int64)
    n = 0
    for m in range(len(values)):
        shares[m] = 1.0
        if prices[m] > 0:
            worth[m], shares[m], order[n] = values[m] / prices[m], 0.0, m
            n += 1
    first, last, left = 0, n, budget
    while first < last:
        middle, end = split(order, worth, first, last)
        better = 0.0
        for place in range(first, middle):
            better += prices[order[place]]
        if better > left:
            last = middle
            continue
        left = buy(order, prices, first, middle, left, shares)
        left = buy(order, prices, middle, end, left, shares)
        if left <= 0.0:
            break
        first = end
    total = 0.0
    for m in range(len(values)):
        total += shares[m] * values[m]
    return total


@njit(cache=True, nogil=True)
def buy(order, prices, first, last, left, shares):
    """Buy one after the other, the last in part; return the money that is left."""
    for place in range(first, last):
        m = order[place]
        shares[m] = min(left / prices[m], 1.0)
        left = max(left - shares[m] * prices[m], 0.0)
    return left


@njit(cache=True, nogil=True)
def split(order, worth, first, last):
    """Put what is worth more than some item before its equals, and what is worth less behind.

    Returns where the equals begin and end.
    """
    a, b, c = worth[order[first]], worth[order[(first + last) // 2]], worth[order[last - 1]]
    pivot = max(min(a, b), min(max(a, b), c))
    middle, place, end = first, first, last
    while place < end:
        m = order[place]
        if worth[m] > pivot:
            order[place], order[middle] = order[middle], m
            middle += 1
            place += 1
        elif worth[m] < pivot:
            end -= 1
            order[place], order[end] = order[end], m
        else:
            place += 1
    return middle, end


@njit(cache=True, nogil=True)
def spread(norms, prices, budget, shares):
    """Write the shares of the least sum of norms**2 / shares, and return that sum.

    They are proportional to norms / sqrt(prices), cut off at 1; a norm of 0 has none.
    """
    n, paid = len(norms), 0.0
    rates = np.zeros(n)
    for m in range(n):
        if norms[m] > 0 and prices[m] > 0:
            rates[m] = norms[m] / np.sqrt(prices[m])
            paid += prices[m]
    scale = np.inf
    if paid > budget:
        used, left = np.flatnonzero(rates), budget
        order = used[np.argsort(-rates[used])]
        rest = np.cumsum((prices * rates)[order[::-1]])[::-1]  # small ones first: nothing cancels
        for place in range(len(order)):  # those at 1 first
            scale = left / rest[place] if rest[place] > 0 else np.inf
            if rates[order[place]] * scale < 1.0:
                break
            left -= prices[order[place]]
    total = 0.0
    for m in range(n):
        shares[m] = 1.0 if norms[m] > 0 else 0.0
        if rates[m] > 0 and rates[m] * scale < 1.0:
            shares[m] = rates[m] * scale
        if prices[m] == 0:
            shares[m] = 1.0
        if norms[m] > 0:
            total += norms[m] * norms[m] / shares[m] if shares[m] > 0 else np.inf
    return total


@njit(cache=True, nogil=True)
def shrunk(norms, prices, steps, budget, scale, shares):
    """Write the shares of the least sum of norms**2 / (steps + shares); return their scale.

    They are clip(scale * norms / sqrt(prices) - steps, 0, 1); the scale given is tried first.
    """
    n, paid = len(norms), 0.0
    rates = np.zeros(n)
    for m in range(n):
        shares[m] = 1.0 if norms[m] > 0 or prices[m] == 0 else 0.0
        if norms[m] > 0 and prices[m] > 0:
            rates[m] = norms[m] / np.sqrt(prices[m])
            paid += prices[m]
    if paid <= budget:
        return scale
    low, high = 0.0, np.inf
    for _ in range(_MOST_STEPS):
        spent, slope = 0.0, 0.0
        for m in range(n):
            share = scale * rates[m] - steps[m]
            if share >= 1.0:
                spent += prices[m] * (rates[m] > 0)
            elif share > 0.0:
                spent += prices[m] * share
                slope += prices[m] * rates[m]
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
            shares[m] = min(max(scale * rates[m] - steps[m], 0.0), 1.0)
    return scale
