"""Steps of Adam (Kingma and Ba 2015), and moving averages of what they reach."""

from __future__ import annotations

import numpy as np

from .jit import njit

#: Forgetting of the first and the second moment, and what is added to the root of the second.
FIRST, SECOND, EPSILON = 0.9, 0.999, 1e-8


@njit(cache=True, nogil=True)
def adam_step(gradient, rate, number, first, second, parameters):
    """Take step `number`, from 1; moments and parameters are changed in place."""
    one, two = 1.0 - FIRST**number, 1.0 - SECOND**number
    for i in range(len(parameters)):
        g = gradient[i]
        first[i] = FIRST * first[i] + (1.0 - FIRST) * g
        second[i] = SECOND * second[i] + (1.0 - SECOND) * g * g
        parameters[i] -= rate * (first[i] / one) / (np.sqrt(second[i] / two) + EPSILON)


@njit(cache=True, nogil=True)
def average_step(parameters, share, average):
    """Move an average by a share of the way to the parameters, in place."""
    for i in range(len(parameters)):
        average[i] += share * (parameters[i] - average[i])
