"""Which candidate is best at which budget, against the noise of cross-validation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...types import Floats

#: A candidate's neighbours among the budgets have a say in what it is worth.
_KERNEL = np.array([0.25, 0.5, 0.25])


def choose(losses: Mapping[str, Floats], prior: Floats) -> list[str | None]:
    """The candidate for each budget; None where none is better than the prior.

    Of all that are within one standard error of the best over all budgets, the first is the
    favourite: candidates come in the order of their simplicity. It is taken at every budget
    where the best is not better by one standard error, by differences within rows. What is
    not better than the prior by one standard error is not worth its price.

    Parameters
    ----------
    losses : mapping from names to float arrays (budgets, rows)
        What each answer cost, for rows that were not learnt from; simple candidates first.
    prior : float array (rows,)
        The same without any purchase.
    """
    names = list(losses)
    own = {name: smoothed(losses[name]) for name in names}
    favourite = _first_as_good(losses)
    chosen: list[str | None] = []
    for b in range(len(next(iter(own.values())))):
        best = min(names, key=lambda name: float(own[name][b].mean()))
        if not clearly_better(own[best][b], own[favourite][b]):
            best = favourite
        chosen.append(best if clearly_better(losses[best][b], prior) else None)
    return chosen


def _first_as_good(losses: Mapping[str, Floats]) -> str:
    """The first that is within one standard error of the best, over all budgets."""
    over_all = {name: own.mean(axis=0) for name, own in losses.items()}
    best = min(over_all.values(), key=lambda own: float(own.mean()))
    return next(name for name, own in over_all.items() if not clearly_better(best, own))


def smoothed(losses: Floats) -> Floats:
    """Losses (budgets, rows) averaged over neighbouring budgets."""
    padded = np.concatenate([losses[:1], losses, losses[-1:]])
    mean = _KERNEL[0] * padded[:-2] + _KERNEL[1] * losses + _KERNEL[2] * padded[2:]
    return np.asarray(mean)


def clearly_better(one: Floats, other: Floats) -> bool:
    """Whether losses are lower by more than one standard error of their mean difference."""
    difference = other - one
    error = difference.std() / np.sqrt(max(len(difference), 1))
    return bool(difference.mean() > error)
