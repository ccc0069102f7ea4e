"""Slow twins of the binning and stump kernels: plain loops over rows, on raw values."""

from __future__ import annotations

import itertools
import math

LOWEST, HIGHEST = -1.7976931348623157e308, 1.7976931348623157e308


def gap_cuts(values):
    """A cut between any two neighbours of the distinct present values."""
    distinct = sorted({float(v) for v in values if not math.isnan(v)})
    cuts = []
    for a, b in itertools.pairwise(distinct):
        if a == -math.inf:
            cut = LOWEST if b != LOWEST else a
        elif b == math.inf:
            cut = HIGHEST if a != HIGHEST else a
        else:
            cut = a + (b - a) / 2
            if cut >= b:
                cut = a
        cuts.append(cut)
    return cuts


def bin_of(value, cuts, missing):
    """Number of cuts below a value, or the missing bin."""
    if math.isnan(value):
        return missing
    return sum(1 for cut in cuts if float(cut) < float(value))


def histogram(bins, signed, n_bins):
    """Sum of the signed weights of the rows of each bin."""
    sums = [0.0] * n_bins
    for b, s in zip(bins, signed, strict=True):
        sums[b] += s
    return sums


def vote(x, low, high, inside, outside, missing):
    """What a stump says about a value."""
    if math.isnan(x):
        return missing
    return inside if low <= x <= high else outside


def edge_of(column, signed, stump):
    """Sum of s_i h(x_i) for a stump (low, high, inside, outside, missing)."""
    return math.fsum(s * vote(x, *stump) for x, s in zip(column, signed, strict=True))


def candidates(column, cuts, categorical):
    """All intervals that a stump on a column may test."""
    present = sorted({float(x) for x in column if not math.isnan(x)})
    some_missing = any(math.isnan(x) for x in column)
    if categorical:
        tests = [(k - 0.5, k + 0.5) for k in present] if len(present) > 1 else []
    else:
        tests = [(-math.inf, float(cut)) for cut in cuts]
    return tests + [(-math.inf, math.inf)] * some_missing


def best_stump(column, signed, cuts, categorical=False):
    """Best (edge, stump) of a column by trying every interval and every vote."""
    some_missing = any(math.isnan(x) for x in column)
    best = 0.0, None
    for low, high in candidates(column, cuts, categorical):
        for inside in (1.0, -1.0):
            for missing in (1.0, -1.0) if some_missing else (0.0,):
                stump = (low, high, inside, -inside, missing)
                edge = edge_of(column, signed, stump)
                if edge > best[0] + 1e-12:
                    best = edge, stump
    return best


def reweighed(column, signed, stump, alpha):
    """Signed weights times exp(-alpha y h), with absolute values that sum to one."""
    new = []
    for x, s in zip(column, signed, strict=True):
        y = -1.0 if s < 0 else 1.0
        new.append(s * math.exp(-alpha * y * vote(x, *stump)))
    total = math.fsum(abs(s) for s in new)
    return [s / total for s in new]
