"""The one-standard-error rule: which candidate to use at which budget.

Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. 1984, section 3.4.3.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...types import Floats

#: Weights of a budget and its neighbours in smoothed losses: less noise, but a budget at which
#: another candidate is best must be clearer.
SMOOTHING = np.array([0.25, 0.5, 0.25])


def choose(losses: Mapping[str, Floats], prior: Floats) -> list[str | None]:
    """Return the candidate for each budget; None where none is better than the prior.

    The default candidate is the first, and so the simplest, within one standard error of the
    best over all budgets. It is used at every budget where the best is not better by one
    standard error of the paired differences. A candidate that is not better than the prior by
    one standard error is not worth its price.

    Parameters
    ----------
    losses : mapping from names to float arrays (budgets, rows)
        Out-of-fold losses per row; simple candidates first.
    prior : float array (rows,)
        The losses of the prior, which buys nothing.
    """
    names = list(losses)
    smooth = {name: smoothed(losses[name]) for name in names}
    default = _simplest_near_best(losses)
    chosen: list[str | None] = []
    for b in range(len(next(iter(smooth.values())))):
        best = min(names, key=lambda name: float(smooth[name][b].mean()))
        if not clearly_better(smooth[best][b], smooth[default][b]):
            best = default
        chosen.append(best if clearly_better(losses[best][b], prior) else None)
    return chosen


def _simplest_near_best(losses: Mapping[str, Floats]) -> str:
    """Return the first candidate within one standard error of the best over all budgets."""
    means = {name: values.mean(axis=0) for name, values in losses.items()}
    best = min(means.values(), key=lambda values: float(values.mean()))
    return next(name for name, values in means.items() if not clearly_better(best, values))


def smoothed(losses: Floats) -> Floats:
    """Return losses (budgets, rows) averaged over neighbouring budgets."""
    padded = np.concatenate([losses[:1], losses, losses[-1:]])
    mean = SMOOTHING[0] * padded[:-2] + SMOOTHING[1] * losses + SMOOTHING[2] * padded[2:]
    return np.asarray(mean)


def clearly_better(losses: Floats, other: Floats) -> bool:
    """Return whether losses are lower by more than a standard error of the mean difference."""
    difference = other - losses
    error = difference.std() / np.sqrt(max(len(difference), 1))
    return bool(difference.mean() > error)
