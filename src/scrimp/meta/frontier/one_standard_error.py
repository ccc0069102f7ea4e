"""The one-standard-error rule: which candidate to use at which budget.

Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. 1984, section 3.4.3.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...types import Floats
from ..cross_validation import clearly_better

#: Weights of a budget and its neighbours in smoothed losses: less noise, but a budget at which
#: another candidate is best must be clearer.
SMOOTHING = np.array([0.25, 0.5, 0.25])

#: By how many standard errors a candidate must be better than the prior. Losses on held-out rows
#: rise where nothing can be learnt, so that less than 1 is safe; on few rows 1 leaves out much
#: that is worth its price.
PRIOR_ERRORS = 0.5


def choose(
    losses: Mapping[str, Floats], prior: Floats, first_is_free: bool = False,
    default_errors: float = 1.0,
) -> list[str | None]:  # fmt: skip
    """Return the candidate for each budget; None where none is better than the prior.

    The default candidate is the first, and so the simplest, within one standard error of the
    best over all budgets. It is used at every budget where the best is not better by one
    standard error of the paired differences. A candidate that is not better than the prior by
    half of one is not worth its price; one that costs nothing only has to be better.

    Parameters
    ----------
    losses : mapping from names to float arrays (budgets, rows)
        Out-of-fold losses per row; simple candidates first.
    prior : float array (rows,)
        The losses of the prior, which buys nothing.
    first_is_free : bool
        Whether the first budget is 0.
    default_errors : float
        Standard errors within which the default candidate is of the best over all budgets: 0
        makes it the best, whether it is simple or not.
    """
    names = list(losses)
    smooth = {name: smoothed(losses[name]) for name in names}
    default = _simplest_near_best(losses, default_errors)
    chosen: list[str | None] = []
    for b in range(len(next(iter(smooth.values())))):
        best = min(names, key=lambda name: float(smooth[name][b].mean()))
        if not clearly_better(smooth[best][b], smooth[default][b]):
            best = default
        worth_it = clearly_better(losses[best][b], prior, PRIOR_ERRORS)
        chosen.append(best if worth_it else None)
    if first_is_free and chosen[0] is None:
        best = min(names, key=lambda name: float(losses[name][0].mean()))
        chosen[0] = best if losses[best][0].mean() < prior.mean() else None
    return chosen


def _simplest_near_best(losses: Mapping[str, Floats], errors: float) -> str:
    """Return the first candidate within some standard errors of the best over all budgets."""
    means = {name: values.mean(axis=0) for name, values in losses.items()}
    best = min(means.values(), key=lambda values: float(values.mean()))
    return next(name for name, values in means.items() if not clearly_better(best, values, errors))


def smoothed(losses: Floats) -> Floats:
    """Return losses (budgets, rows) averaged over neighbouring budgets."""
    padded = np.concatenate([losses[:1], losses, losses[-1:]])
    mean = SMOOTHING[0] * padded[:-2] + SMOOTHING[1] * losses + SMOOTHING[2] * padded[2:]
    return np.asarray(mean)
