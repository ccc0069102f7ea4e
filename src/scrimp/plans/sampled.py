"""Sampled plans: weak learners drawn at random for each row, whose votes are averaged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..ledger import Ledger
from ..plan import Arrays, Floats, Ints, Plan, StageTable, State, ahead_or_stop
from ..validation import float_array
from .chance import uniforms
from .drawing import draw_in_threads
from .stumps import StumpTable

#: More draws than this take longer than anybody waits, and tell nothing more.
MOST_DRAWS = 100_000
#: Votes this small beside what they are made of cancel out: what is left is rounding.
_TIE = 1e-12


@dataclass
class SampledState(State):
    """What has been voted, how often was drawn, and which stumps a row can no longer have."""

    keys: NDArray[np.uint64]
    full: bool
    position: int
    sure: Floats
    drawn: Floats
    size: Floats
    draws: Ints
    tries: NDArray[np.uint64]
    dropped: NDArray[np.bool_]
    ended: NDArray[np.bool_]


class SampledPlan(Plan[SampledState]):
    """An unbiased estimate of a full vote from a few draws (Reyzin 2011).

    Stumps with probability 0 are free: they are always evaluated, first. The others are
    drawn with replacement and their votes divided by their probability, so that the mean
    over draws estimates the full vote. A budget that pays for all items takes the full vote.

    Parameters
    ----------
    stages : StageTable
        The items of each stump; with a headroom it is Reyzin's loop condition.
    stumps : StumpTable
        The ensemble, weights included.
    probability : float array (stumps,)
        Chance of each stump in one draw; sums to 1 over the stumps that are drawn.
    prior : float array (outputs,)
        The answer where nothing is known: no vote has moved the sums, or they cancel out.
    seed : int
        All chance comes from it, the row's key and the number of the draw.
    max_draws : int
        A row stops after so many draws, 100,000 at most.
    refusal : {"skip", "stop"}
        After a draw that cannot be had: leave it out and renormalise (biased), or end.
    """

    kind: ClassVar[str] = "sampled"
    accepts_missing = True

    def __init__(
        self,
        stages: StageTable,
        stumps: StumpTable,
        probability: ArrayLike,
        prior: ArrayLike,
        seed: int = 0,
        max_draws: int = 10_000,
        refusal: str = "skip",
    ) -> None:
        self.stages = stages
        self.stumps = stumps
        self.reads = tuple((column,) for column in stumps.column.tolist())
        self.probability = float_array("probability", probability)
        self.prior = float_array("prior", np.atleast_1d(prior))
        self.n_outputs = len(self.prior)
        self.seed = int(seed)
        self.max_draws = int(max_draws)
        self.refusal = ahead_or_stop(refusal)
        self._check()
        self._free = np.flatnonzero(self.probability == 0).tolist()
        self._order = [*self._free, *np.flatnonzero(self.probability > 0).tolist()]

    def _check(self) -> None:
        n, p = len(self.stumps), self.probability
        if len(self.stages) != n or p.shape != (n,):
            raise ValueError("stages, stumps and probability must have one entry a stump.")
        if not (p >= 0).all() or (p.any() and not np.isclose(p.sum(), 1.0)):
            raise ValueError("probability must be >= 0 and sum to 1 over the stumps drawn.")
        if n and self.stumps.n_outputs != self.n_outputs:
            raise ValueError("prior and votes must have the same number of outputs.")
        if not 1 <= self.max_draws <= MOST_DRAWS:
            raise ValueError(f"max_draws is {self.max_draws}; expected 1 to {MOST_DRAWS}.")

    def decisive(self) -> list[tuple[int, ...]]:
        """A budget for everything takes the full vote."""
        return [tuple(dict.fromkeys(i for items in self.stages.items for i in items))]

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> SampledState:
        """Fresh rows; the budget decides between the full vote and draws."""
        n = len(keys)
        return SampledState(
            n=n,
            keys=keys,
            full=ledger.can_pay(self.decisive()[0]),
            position=0,
            sure=np.zeros((n, self.n_outputs)),
            drawn=np.zeros((n, self.n_outputs)),
            size=np.zeros((n, self.n_outputs)),
            draws=np.zeros(n, dtype=np.int64),
            tries=np.zeros(n, dtype=np.uint64),
            dropped=np.zeros((n, len(self.stumps)), dtype=bool),
            ended=np.zeros(n, dtype=bool),
        )

    def ask(self, state: SampledState) -> int | Ints:
        """First what is sure: all stumps, or the free ones. Then one draw a row."""
        sure = self._order if state.full else self._free
        if state.position < len(sure):
            return sure[state.position]
        if state.full or not self.probability.any():
            return -1
        weights = np.where(state.dropped, 0.0, self.probability)
        cumulative = np.cumsum(weights, axis=1)
        mass = cumulative[:, -1]
        target = uniforms(self.seed, state.keys, state.tries) * mass
        stage = (cumulative <= target[:, None]).sum(axis=1)
        last = (cumulative < mass[:, None]).sum(axis=1)  # rounding must not lead beyond it
        open_ = (mass > 0) & ~state.ended & (state.draws < self.max_draws)
        return np.where(open_, np.minimum(stage, last), -1)

    def headroom(self, state: SampledState, stage: int) -> float:
        """Only draws need it: a full vote is paid for, and what is free is free."""
        return 0.0 if self._is_sure(state) else self.stages.headroom[stage]

    def _is_sure(self, state: SampledState) -> bool:
        return state.full or state.position < len(self._free)

    def tell(self, state: SampledState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Add a sure vote, or a drawn one divided by its chance."""
        votes = self.stumps.votes(stage, X[rows, self.stumps.column[stage]])
        if self._is_sure(state):
            state.sure += votes
            state.position += 1
            return
        mass = np.where(state.dropped, 0.0, self.probability).sum(axis=1)
        votes *= (mass / self.probability[stage])[:, None]
        state.drawn += votes
        state.size += np.abs(votes)
        state.draws += 1
        state.tries += np.uint64(1)

    def refuse(self, state: SampledState, stage: int, ledger: Ledger) -> None:
        """Leave the stump out of this row's draws, or end them."""
        if self._is_sure(state):
            state.position += 1
            return
        state.tries += np.uint64(1)
        if self.refusal == "stop":
            state.ended[:] = True
        else:
            state.dropped[:, stage] = True

    def read(self, state: SampledState) -> Floats:
        """The sure votes plus the mean of the drawn ones."""
        draws = np.maximum(state.draws, 1)[:, None]
        scores = state.sure + state.drawn / draws
        size = np.abs(state.sure) + state.size / draws
        tied = np.abs(scores) <= np.where(state.draws[:, None] > 0, _TIE * size, 0.0)
        scores[tied.all(axis=1)] = self.prior
        return scores

    def answer_cohort(
        self,
        X: NDArray[Any],
        rows: Ints,
        keys: NDArray[np.uint64],
        ledger: Ledger,
        needs: Sequence[Sequence[int]],
        budget_of: Ints | None,
    ) -> tuple[Floats, Floats]:
        """What rows draw, pay and answer, in a kernel over all of them."""
        lanes = len(ledger.budgets) if budget_of is None else 1
        scores, spent = np.empty((lanes, len(rows), self.n_outputs)), np.empty((lanes, len(rows)))
        full = ledger.can_pay(self.decisive()[0])
        for start, part, told in self._sure(ledger, needs, full):
            stop = start + len(part.budgets)
            first, last = np.full(len(rows), start), np.full(len(rows), stop)
            place = np.arange(len(rows))
            if budget_of is not None:
                place = np.flatnonzero((start <= budget_of) & (budget_of < stop))
                first, last = budget_of[place], budget_of[place] + 1
            sure = np.zeros((len(place), self.n_outputs))
            self.stumps.add(sure, told, X, rows[place])
            if full or not self.probability.any():
                sure[(sure == 0).all(axis=1)] = self.prior
                to = slice(start, stop) if budget_of is None else slice(1)
                scores[to, place], spent[to, place] = sure, part.spent
            else:
                who = (keys[place], rows[place], place, sure, first, last)
                draw_in_threads(
                    self, X, who, ledger, part, needs, budget_of is not None, scores, spent
                )
        return scores, spent

    def _sure(
        self, ledger: Ledger, needs: Sequence[Sequence[int]], full: bool
    ) -> Iterator[tuple[int, Ledger, list[int]]]:
        """Runs of budgets that pay for the same of the sure stumps: these, and what they cost."""
        order = self._order if full else self._free
        todo: list[tuple[int, int, Ledger, list[int]]] = [(0, 0, ledger, [])]
        while todo:
            position, start, part, told = todo.pop()
            part = part.at(0, len(part.budgets))
            for number, stage in enumerate(order[position:], start=position + 1):
                poor = part.first_affording(needs[stage])
                if poor == len(part.budgets):
                    continue
                if poor:
                    todo.append((number, start, part.at(0, poor), list(told)))
                    start, part = start + poor, part.at(poor, len(part.budgets))
                part.buy(needs[stage])
                told.append(stage)
            yield start, part, told

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """All there is to the plan."""
        header = {"refusal": self.refusal, "seed": self.seed, "max_draws": self.max_draws}
        arrays = {"prior": self.prior, "probability": self.probability}
        return header, arrays | self.stages.arrays() | self.stumps.arrays()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> SampledPlan:
        """The inverse of `parts`."""
        return cls(
            StageTable.from_arrays(arrays),
            StumpTable.from_arrays(arrays),
            arrays["probability"],
            arrays["prior"],
            header["seed"],
            header["max_draws"],
            header["refusal"],
        )
