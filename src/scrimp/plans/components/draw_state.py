"""The draws of rows that share a history: votes so far, random numbers, and excluded members."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...costs.ledger import Ledger
from ...types import Flags, Floats, Ints
from ..contract import State
from .affordable_draws import AffordableStages, draw_affordable, draw_members
from .batch_draws import DrawSettings
from .counter_rng import uniforms


@dataclass
class DrawState(State):
    """The draws of rows so far.

    Parameters
    ----------
    keys : uint64 array (rows,)
        The keys of the rows.
    sums, sizes : float arrays (rows, outputs)
        Sums of the drawn votes, and of their absolute values.
    n_draws : int array (rows,)
        Draws whose votes were added.
    counters, next_counters : uint64 arrays (rows,)
        Counters of the random numbers, now and once the next draw is told or refused.
    support, next_support : bool arrays (rows, members), optional
        The members that the running sums of probabilities are over, now and after the next
        draw; None for all members.
    excluded : tuple of int
        Members that were refused.
    ended : bool array (rows,)
        Whether a refusal ended the draws.
    affordable : AffordableStages, optional
        The members that can be paid for, where only these are drawn.
    """

    keys: NDArray[np.uint64]
    sums: Floats
    sizes: Floats
    n_draws: Ints
    counters: NDArray[np.uint64]
    next_counters: NDArray[np.uint64]
    support: Flags | None
    next_support: Flags | None
    excluded: tuple[int, ...]
    ended: Flags
    affordable: AffordableStages | None

    @classmethod
    def fresh(
        cls, keys: NDArray[np.uint64], n_outputs: int, affordable: AffordableStages | None
    ) -> DrawState:
        """Return the state of rows before their first draw."""
        n = len(keys)
        return cls(
            n=n,
            keys=keys,
            sums=np.zeros((n, n_outputs)),
            sizes=np.zeros((n, n_outputs)),
            n_draws=np.zeros(n, dtype=np.int64),
            counters=np.zeros(n, dtype=np.uint64),
            next_counters=np.zeros(n, dtype=np.uint64),
            support=None,
            next_support=None,
            excluded=(),
            ended=np.zeros(n, dtype=bool),
            affordable=affordable,
        )

    def available(self, n_members: int) -> Flags:
        """Return whether each member may be drawn, which is the same for all rows."""
        available = np.ones(n_members, dtype=bool)
        available[list(self.excluded)] = False
        return available if self.affordable is None else available & self.affordable.payable

    def exhausted(self, probability: Floats) -> list[int]:
        """Return the owned members that may be drawn, if no other can be had; else none."""
        if self.affordable is None:
            return []
        candidates = self.available(len(probability)) & (probability > 0)
        if (candidates & ~self.affordable.owned).any():
            return []
        return np.flatnonzero(candidates).tolist()

    def draw(self, settings: DrawSettings) -> Ints:
        """Return the next member of each row, -1 for rows whose draws have ended."""
        probability, seed = settings.probability, settings.seed
        available = np.broadcast_to(self.available(len(probability)), (self.n, len(probability)))
        if self.affordable is not None:
            support = np.ones_like(available) if self.support is None else self.support
            member, self.next_counters, self.next_support = draw_affordable(
                probability, available, seed, self.keys, self.counters, support
            )
        else:
            u = uniforms(seed, self.keys, self.counters)
            member = draw_members(probability, available, u)
            self.next_counters = self.counters + np.uint64(1)
        return np.where(self.ended | (self.n_draws >= settings.max_draws), -1, member)

    def add(self, member: int, votes: Floats, probability: Floats) -> None:
        """Add the votes of a drawn member, divided by its renormalised probability."""
        mass = probability[self.available(len(probability))].sum()
        votes = votes * (mass / probability[member])
        self.sums += votes
        self.sizes += np.abs(votes)
        self.n_draws += 1
        self._advance()

    def refuse(self, member: int, stop: bool) -> None:
        """End the draws, or exclude a member from them."""
        self._advance()
        if stop:
            self.ended[:] = True
        else:
            self.excluded = (*self.excluded, member)

    def _advance(self) -> None:
        self.counters, self.support = self.next_counters, self.next_support

    def replace_by(self, votes: Floats, first: bool) -> None:
        """Discard the drawn votes; of fixed votes in their place only the sizes are kept here."""
        self.sums[:], self.n_draws[:] = 0.0, 0
        self.sizes = np.abs(votes) + (0.0 if first else self.sizes)

    def buy(self, member: int) -> None:
        """Note that the items of a member were bought."""
        if self.affordable is not None:
            self.affordable.buy(member)

    def update(self, ledger: Ledger) -> None:
        """Adopt the purchases, the spend and the failures of a ledger."""
        if self.affordable is not None:
            self.affordable.update(ledger)
