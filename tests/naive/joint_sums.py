"""Slow twins of the kernels of many sums at a time: plain loops over rows, sets and terms."""

from __future__ import annotations

import math


def step_sums(X, rows, columns, breaks, functions, base):
    """Weighted sums of step functions (rows x sets x outputs).

    Column c has the ascending ``breaks[c]`` and the functions ``functions[c]``: pairs of values
    (steps, then missing; x outputs) and of weights by set.
    """
    answers = []
    for row in rows:
        sums = [list(part) for part in base]
        for c, column in enumerate(columns):
            x = float(X[row][column])
            step = -1 if math.isnan(x) else sum(1 for b in breaks[c] if b < x)
            for values, weights in functions[c]:
                for s, weight in weights.items():
                    sums[s] = [a + weight * v for a, v in zip(sums[s], values[step], strict=True)]
        answers.append(sums)
    return answers


def near(sums, base, tolerance):
    """Whether some sum of each row is near a number."""
    return [
        any(abs(a - b) <= t for a, b, t in zip(row, base, tolerance, strict=True)) for row in sums
    ]


def linear_scores(X, rows, columns, weights, counts, bases, fill):
    """Scores (rows x models x outputs) of models on the first of the same columns."""
    answers = []
    for row in rows:
        values = [float(X[row][column]) for column in columns]
        values = [x if math.isfinite(x) else f for x, f in zip(values, fill, strict=True)]
        answers.append(
            [
                [
                    base
                    + sum(x * w for x, w in zip(values[:count], of_output[:count], strict=True))
                    for base, of_output in zip(bases[m], weights[m], strict=True)
                ]
                for m, count in enumerate(counts)
            ]
        )
    return answers
