"""Draws among the members that the rest of a budget can pay for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...costs.ledger import Ledger
from ...types import Flags, Floats, Ints
from .counter_rng import uniforms

#: Consecutive rejected draws after which a row's running sums of probabilities are computed again:
#: a larger number saves sums, a smaller one saves draws.
MAX_REJECTIONS = 16


class AffordableStages:
    """The stages that rows own or can still pay for, at one budget.

    A plan is told which stages were bought but not how much money is left, so this class keeps
    a ledger of its own. If other purchases are made too, that ledger is too optimistic until
    the next refusal corrects it.

    Parameters
    ----------
    item_sets : sequence of sequences of int
        The distinct sets of items that stages need.
    set_of : int array (stages,)
        The number of the set that each stage needs.
    ledger : Ledger
        The items and the spend of the rows; of several budgets the lowest is used.
    """

    def __init__(self, item_sets: Sequence[Sequence[int]], set_of: Ints, ledger: Ledger) -> None:
        self._item_sets = item_sets
        self._set_of = set_of
        self._needs = [ledger.costs.closure(items) for items in item_sets]
        self.update(ledger)

    def copy(self) -> AffordableStages:
        """Return an independent copy."""
        return AffordableStages(self._item_sets, self._set_of, self._ledger)

    def update(self, ledger: Ledger) -> None:
        """Adopt the purchases, the spend and the failures of a ledger."""
        self._ledger = ledger.at(0, 1)
        self._flags: tuple[Flags, Flags] | None = None

    def buy(self, stage: int) -> bool:
        """Buy the items of a stage that was told; return whether any was not owned."""
        if self._flags is not None and self._flags[1][stage]:
            return False
        needs = self._needs[self._set_of[stage]]
        if not self._ledger.missing(needs):
            return False
        self._ledger.buy(needs)
        self._flags = None
        return True

    @property
    def payable(self) -> Flags:
        """Whether each stage is owned or can be paid for."""
        return self._payable_and_owned()[0]

    @property
    def owned(self) -> Flags:
        """Whether each stage is owned."""
        return self._payable_and_owned()[1]

    def _payable_and_owned(self) -> tuple[Flags, Flags]:
        if self._flags is None:
            ledger = self._ledger
            needs, having = self._needs, ledger.owned
            payable = np.array(ledger.can_pay_each(needs), dtype=bool)
            owned = np.array([having.issuperset(items) for items in needs], dtype=bool)
            self._flags = payable[self._set_of], owned[self._set_of]
        return self._flags


def draw_members(probability: Floats, support: Flags, u: Floats) -> Ints:
    """Return the member drawn by each row, or -1 where its support is empty.

    Parameters
    ----------
    probability : float array (members,)
        Probabilities, which are renormalised over the support of each row.
    support : bool array (rows, members), or (1, members) for all rows
        The members that each row may draw.
    u : float array (rows,)
        Uniform numbers in [0, 1).
    """
    cumulative = np.cumsum(np.where(support, probability, 0.0), axis=1)
    mass = cumulative[:, -1]
    member = (cumulative <= (u * mass)[:, None]).sum(axis=1)
    last = (cumulative < mass[:, None]).sum(axis=1)  # rounding must not lead beyond it
    return np.where(mass > 0, np.minimum(member, last), -1)


def draw_affordable(
    probability: Floats,
    available: Flags,
    seed: int,
    keys: NDArray[np.uint64],
    counters: NDArray[np.uint64],
    support: Flags,
) -> tuple[Ints, NDArray[np.uint64], Flags]:
    """Draw by rejection: from the support of each row, until a member is available.

    Parameters
    ----------
    probability : float array (members,)
        Probabilities of a draw.
    available, support : bool arrays (rows, members)
        The members that can be had, and those that the running sums of probabilities are over.
    seed, keys, counters
        As in `uniforms`.

    Returns
    -------
    member : int array (rows,)
        -1 where no member is available.
    counters, support : arrays
        Their values after the draw.
    """
    member, counters, support = np.full(len(keys), -1), counters.copy(), support.copy()
    rejections = np.zeros(len(keys), dtype=np.int64)
    rows = np.flatnonzero((available & (probability > 0)).any(axis=1))
    while len(rows):
        u = uniforms(seed, keys[rows], counters[rows])
        drawn = draw_members(probability, support[rows], u)
        counters[rows] += np.uint64(1)
        accepted = available[rows, drawn]
        member[rows[accepted]] = drawn[accepted]
        rows = rows[~accepted]
        rejections[rows] += 1
        renewed = rows[rejections[rows] == MAX_REJECTIONS]
        support[renewed], rejections[renewed] = available[renewed], 0
    return member, counters, support
