"""The draws of rows that share a history: votes so far, random numbers, and excluded members."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...costs.ledger import Ledger
from ...types import Flags, Floats, Ints
from ..contract import State
from .affordable_draws import (
    MAX_REJECTIONS,
    AffordableStages,
    draw_affordable,
    draw_members,
)
from .batch_draws import DrawSettings
from .counter_rng import uniforms

#: Draws of a single row that are made at a time: more share a call, fewer are made in vain.
_AHEAD = 32


@dataclass(frozen=True, eq=False)
class Available:
    """The members that may be drawn, which is the same for all rows.

    Parameters
    ----------
    flags : bool array (members,)
        Whether each member may be drawn.
    mass : float
        The sum of their probabilities.
    exhausted : list of int
        The owned members that may be drawn, if no other can be had; else none.
    """

    flags: Flags
    mass: float
    exhausted: list[int]


@dataclass(frozen=True, eq=False)
class Lookahead:
    """The members that the draws of one row from a counter on lead to, over one support."""

    start: int
    members: list[int]
    support: Flags | None


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
    available_now : Available, optional
        The members that may be drawn; None if they must be determined again.
    ahead : Lookahead, optional
        The next draws, where there is one row.
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
    available_now: Available | None = None
    ahead: Lookahead | None = None

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

    def available(self, probability: Floats) -> Available:
        """Return the members that may be drawn."""
        if self.available_now is None:
            flags, exhausted = np.ones(len(probability), dtype=bool), []
            flags[list(self.excluded)] = False
            if self.affordable is not None:
                flags &= self.affordable.payable
                candidates = flags & (probability > 0)
                if not (candidates & ~self.affordable.owned).any():
                    exhausted = np.flatnonzero(candidates).tolist()
            self.available_now = Available(flags, float(probability[flags].sum()), exhausted)
        return self.available_now

    def draw(self, settings: DrawSettings) -> int | Ints:
        """Return the next member of each row, -1 for rows whose draws have ended."""
        if self.n == 1:
            ended = self.ended[0] or self.n_draws[0] >= settings.max_draws
            return -1 if ended else self._draw_one(settings)
        probability, seed = settings.probability, settings.seed
        flags = self.available(probability).flags
        available = np.broadcast_to(flags, (self.n, len(probability)))
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

    def _draw_one(self, settings: DrawSettings) -> int:
        """Return the next member of a single row, as `draw` does, several draws ahead."""
        available = self.available(settings.probability)
        if not available.mass > 0:
            return -1
        support = available.flags if self.affordable is None else self.support
        counter, rejections = int(self.counters[0]), 0
        member = self._member_at(settings, counter, support)
        while not available.flags[member]:
            counter, rejections = counter + 1, rejections + 1
            if rejections == MAX_REJECTIONS:
                support, rejections = available.flags[None], 0
            member = self._member_at(settings, counter, support)
        self.next_counters = np.array([counter + 1], dtype=np.uint64)
        self.next_support = None if self.affordable is None else support
        return member

    def _member_at(self, settings: DrawSettings, counter: int, support: Flags | None) -> int:
        """Return the member that the draw of a counter leads to, for a single row."""
        ahead = self.ahead
        if (
            ahead is None
            or ahead.support is not support
            or not 0 <= counter - ahead.start < len(ahead.members)
        ):
            probability, counters = settings.probability, counter + np.arange(_AHEAD)
            keys = np.repeat(self.keys, _AHEAD)
            u = uniforms(settings.seed, keys, counters.astype(np.uint64))
            flags = np.ones(len(probability), dtype=bool) if support is None else support
            drawn = draw_members(probability, np.atleast_2d(flags), u)
            ahead = self.ahead = Lookahead(counter, drawn.tolist(), support)
        return ahead.members[counter - ahead.start]

    def add(self, member: int, votes: Floats, probability: Floats) -> None:
        """Add the votes of a drawn member, divided by its renormalised probability."""
        votes = votes * (self.available(probability).mass / probability[member])
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
            self.available_now = None

    def _advance(self) -> None:
        self.counters, self.support = self.next_counters, self.next_support

    def discard(self) -> None:
        """Discard the drawn votes; of fixed votes in their place only the sizes are kept here."""
        self.sums[:], self.n_draws[:], self.sizes[:] = 0.0, 0, 0.0

    def buy(self, member: int) -> None:
        """Note that the items of a member were bought."""
        if self.affordable is not None and self.affordable.buy(member):
            self.available_now = None

    def update(self, ledger: Ledger) -> None:
        """Adopt the purchases, the spend and the failures of a ledger."""
        if self.affordable is not None:
            self.affordable.update(ledger)
            self.available_now = None
