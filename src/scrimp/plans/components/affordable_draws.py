"""Draws among what the rest of a budget can pay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...costs.ledger import Ledger
from ...types import Floats, Ints
from .counter_rng import uniforms

#: So many draws in a row that are passed over make new sums of chances worth their while.
PATIENCE = 16


class Outlook:
    """Which stages rows own or can still pay, at one budget.

    A plan is told what was bought but not what is left, so it keeps accounts of its own. If
    somebody else has bought too, they are too hopeful, and put right by the next refusal.

    Parameters
    ----------
    sets : sequence of sequences of int
        Sets of items, each once.
    set_of : int array (stages,)
        Which of them a stage needs.
    ledger : Ledger
        What rows own and have spent; of several budgets the least counts.
    """

    def __init__(self, sets: Sequence[Sequence[int]], set_of: Ints, ledger: Ledger) -> None:
        self._sets = sets
        self._set_of = set_of
        self.put_right(ledger)

    def copy(self) -> Outlook:
        """The same, independent of this one."""
        return Outlook(self._sets, self._set_of, self._ledger)

    def put_right(self, ledger: Ledger) -> None:
        """Take over what is owned, spent and failed."""
        self._ledger = ledger.at(0, 1)
        self._seen: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None

    def buy(self, stage: int) -> None:
        """A stage was told, so its items are owned."""
        needs = self._ledger.costs.closure(self._sets[self._set_of[stage]])
        if self._ledger.missing(needs):
            self._ledger.buy(needs)
            self._seen = None

    @property
    def payable(self) -> NDArray[np.bool_]:
        """Of each stage, whether it is owned or can be paid."""
        return self._look()[0]

    @property
    def owned(self) -> NDArray[np.bool_]:
        """Of each stage, whether it is owned."""
        return self._look()[1]

    def _look(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        if self._seen is None:
            ledger = self._ledger
            needs = [ledger.costs.closure(items) for items in self._sets]
            payable = np.array([ledger.first_affording(own) == 0 for own in needs], dtype=bool)
            owned = np.array([not ledger.missing(own) for own in needs], dtype=bool)
            self._seen = payable[self._set_of], owned[self._set_of]
        return self._seen


def draw_from(chance: Floats, table: NDArray[np.bool_], u: Floats) -> Ints:
    """The stage that each row's number in [0, 1) leads to among those of its table, or -1."""
    cumulative = np.cumsum(np.where(table, chance, 0.0), axis=1)
    mass = cumulative[:, -1]
    stage = (cumulative <= (u * mass)[:, None]).sum(axis=1)
    last = (cumulative < mass[:, None]).sum(axis=1)  # rounding must not lead beyond it
    return np.where(mass > 0, np.minimum(stage, last), -1)


def draw_affordable(
    chance: Floats,
    alive: NDArray[np.bool_],
    seed: int,
    keys: NDArray[np.uint64],
    tries: NDArray[np.uint64],
    table: NDArray[np.bool_],
) -> tuple[Ints, NDArray[np.uint64], NDArray[np.bool_]]:
    """Draw from tables that may hold what is not alive: that is passed over.

    Parameters
    ----------
    chance : float array (stages,)
        Chances.
    alive, table : bool arrays (rows, stages)
        What can be had, and what the running sums of chances are made of.
    seed, keys, tries
        As in `uniforms`.

    Returns
    -------
    stage : int array (rows,)
        -1 where nothing is alive.
    tries, table : arrays
        As they are after the draw.
    """
    stage, tries, table = np.full(len(keys), -1), tries.copy(), table.copy()
    passed = np.zeros(len(keys), dtype=np.int64)
    rows = np.flatnonzero((alive & (chance > 0)).any(axis=1))
    while len(rows):
        found = draw_from(chance, table[rows], uniforms(seed, keys[rows], tries[rows]))
        tries[rows] += np.uint64(1)
        fine = alive[rows, found]
        stage[rows[fine]] = found[fine]
        rows = rows[~fine]
        passed[rows] += 1
        weary = rows[passed[rows] == PATIENCE]
        table[weary], passed[weary] = alive[weary], 0
    return stage, tries, table
