"""How sure a full vote is, and how many draws give its label."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...plans.capabilities import Drawing
from ...plans.components.members import Members
from ...types import Floats

#: Votes that are worked out at a time: more take more memory.
_VOTES = 2_000_000


def margins(members: Members, X: NDArray[Any]) -> Floats:
    """Return the full vote of each row over the largest that its members can reach.

    Two classes: from -1 to 1, for the second. More: how far the first class is ahead of the
    next, from 0 to 1.
    """
    size = members.bounds().sum()
    if not math.isfinite(size):
        raise ValueError(
            "The terms of a linear model have no bound, so there are no margins. "
            "Use decision_function(X)."
        )
    totals = np.vstack([votes.sum(axis=0).T for votes in _in_blocks(members, X)])
    if members.n_outputs == 2:
        ahead = totals[:, 1] - totals[:, 0]
        return np.asarray(np.clip(ahead / _widest(members), -1.0, 1.0))
    if members.n_outputs > 1:
        ordered = np.sort(totals, axis=1)
        ahead = np.array(ordered[:, -1] - ordered[:, -2])
        return np.asarray(np.clip(ahead / _widest(members), 0.0, 1.0))
    return np.clip(totals[:, 0] / size, -1.0, 1.0) if size > 0 else totals[:, 0]


def _widest(members: Members) -> float:
    """Return the largest lead of one class over another, if all members vote for it."""
    if (members.bounds() == 0).all():
        return 1.0
    values = members.arrays()
    if "value" in values:
        spread = np.ptp(values["value"], axis=1) * (values["column"] < 0)
        return float(np.maximum.reduceat(spread, values["roots"]).sum())
    sides = [np.ptp(values[name], axis=1) for name in ("inside", "outside", "missing")]
    return float(np.max(sides, axis=0).sum())


def draws_for(plan: Drawing, agreement: float, X: NDArray[Any]) -> Floats:
    """Return the draws that give each row the full vote's label, by Hoeffding's inequality.

    A union bound over the other classes, where there are several.
    """
    drawn = plan.probability > 0
    if not drawn.any():
        return np.zeros(len(X))
    chance, parts = plan.probability[drawn], []
    for votes in _in_blocks(plan.members, X):
        total = votes.sum(axis=0)  # outputs x rows
        if plan.members.n_outputs == 1:
            parts.append(_draws(total[0], votes[drawn, 0] / chance[:, None], agreement))
            continue
        best = total.argmax(axis=0)
        lead = np.take_along_axis(total, best[None], axis=0) - total
        ahead = np.take_along_axis(votes, best[None, None], axis=1) - votes
        each = 1.0 - (1.0 - agreement) / (plan.members.n_outputs - 1)
        needed = np.array(
            [_draws(lead[k], ahead[drawn, k] / chance[:, None], each) for k in range(len(lead))]
        )
        needed[best, np.arange(len(best))] = 0.0  # a class is not drawn against itself
        parts.append(needed.max(axis=0))
    return np.concatenate(parts)


def _draws(lead: Floats, values: Floats, agreement: float) -> Floats:
    """Return the draws until the mean of values (members, rows) has the sign of the lead."""
    reach = np.abs(values).max(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = -2.0 * math.log1p(-agreement) * (reach / lead) ** 2
    return np.asarray(np.ceil(np.where(lead == 0, np.inf, draws)))


def _in_blocks(members: Members, X: NDArray[Any]) -> Iterator[Floats]:
    """Yield the votes of all members (members x outputs x rows), some rows at a time."""
    step = max(1, _VOTES // max(1, len(members) * members.n_outputs))
    for start in range(0, len(X), step):
        yield members.votes_on(X, np.arange(start, min(start + step, len(X))))
