"""Sampled plans: members of an ensemble drawn at random for each row, whose votes are averaged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.costs import Costs
from ..costs.ledger import Ledger
from ..data.validation import check_choice, float_array
from ..types import Arrays, Floats, Ints
from .components.affordable_draws import Outlook, draw_affordable, draw_from
from .components.batch_draws import add_votes, draw_in_threads
from .components.counter_rng import uniforms
from .components.members import Members
from .components.sampling_weights import LAWS, best_first, chances
from .components.stumps import StumpTable
from .components.terms import TermTable
from .components.tree_table import TreeTable
from .contract import Outline, Plan, StageTable, State, check_skip_or_stop

#: More draws than this take longer than anybody waits, and tell nothing more.
MOST_DRAWS = 100_000
#: Votes this small beside what they are made of cancel out: what is left is rounding.
_TIE = 1e-12
_MEMBERS: dict[str, type[Members]] = {m.kind: m for m in (StumpTable, TreeTable, TermTable)}


@dataclass
class SampledState(State):
    """What has been voted, how often was drawn, and which members a row can no longer have.

    `table` holds the members that a row's chances are summed over (None: all of them), `tried`
    and `renewed` what `tries` and `table` become once the next draw is told.
    """

    keys: NDArray[np.uint64]
    full: bool
    position: int
    sure: Floats
    drawn: Floats
    size: Floats
    draws: Ints
    tries: NDArray[np.uint64]
    tried: NDArray[np.uint64]
    table: NDArray[np.bool_] | None
    renewed: NDArray[np.bool_] | None
    dropped: tuple[int, ...]
    ended: NDArray[np.bool_]
    outlook: Outlook | None


class SampledPlan(Plan[SampledState]):
    """An unbiased estimate of a full vote from a few draws (Reyzin 2011).

    Members with probability 0 are free: they are always evaluated, first. The others are
    drawn with replacement and their votes divided by their probability, so that the mean
    over draws estimates the full vote. A budget that pays for all items takes the full vote.

    With `affordable` a draw that the rest of the budget cannot pay is passed over, which
    renormalises the chances of the others; after 16 in a row that are passed over, their
    running sums are made anew. Once all that can be paid is owned, further draws could only
    repeat what is known: drawing ends, and the answer is the vote of all that is owned, which
    is what the mean of the draws would tend to.

    Parameters
    ----------
    stages : StageTable
        The items of each member; with a headroom it is Reyzin's loop condition.
    members : Members
        The ensemble, weights included: a `StumpTable`, `TreeTable` or `TermTable`.
    probability : float array (members,)
        Chance of each member in one draw; sums to 1 over the members that are drawn.
    prior : float array (outputs,)
        The answer where nothing is known: no vote has moved the sums, or they cancel out.
    seed : int
        All chance comes from it, the row's key and the number of the draw.
    max_draws : int
        A row stops after so many draws, 100,000 at most.
    refusal : {"skip", "stop"}
        After a draw that cannot be had: leave it out and renormalise (biased), or end.
    affordable : bool
        Whether only members that the rest of the budget can pay are drawn; what fails is
        left out, and stages have no headroom.
    law : {"", "uniform", "cost-aware", "top"}
        What the chances follow from, or the order if nothing is drawn; not told by default.
    alpha : float array (members,)
        How much each member counts, where there is a law.
    """

    kind = "sampled"
    uses_owned = True

    def __init__(
        self,
        stages: StageTable,
        members: Members,
        probability: ArrayLike,
        prior: ArrayLike,
        seed: int = 0,
        max_draws: int = 10_000,
        refusal: str = "skip",
        affordable: bool = False,
        law: str = "",
        alpha: ArrayLike = (),
    ) -> None:
        self.stages = stages
        self.members = members
        self.reads = members.reads
        self.accepts_missing = members.accepts_missing
        self.probability = float_array("probability", probability)
        self.prior = float_array("prior", np.atleast_1d(prior))
        self.n_outputs = len(self.prior)
        self.seed = int(seed)
        self.max_draws = int(max_draws)
        self.refusal = check_skip_or_stop(refusal)
        self.affordable = self.one_budget = bool(affordable)
        self.law, self.alpha = str(law), float_array("alpha", alpha)
        self.decisive = [tuple(dict.fromkeys(i for items in stages.items for i in items))]
        noun = f"different {members.kind.removesuffix('s')}"
        self.outline = Outline(order="drawn", stage_noun=noun)
        self._check()
        self._free = np.flatnonzero(self.probability == 0).tolist()
        self._paid = np.flatnonzero(self.probability > 0).tolist()
        numbers = {own: number for number, own in enumerate(dict.fromkeys(stages.items))}
        self._sets = list(numbers)
        self._set_of = np.array([numbers[own] for own in stages.items], dtype=np.int64)

    def _check(self) -> None:
        n, p = len(self.members), self.probability
        if len(self.stages) != n or p.shape != (n,):
            raise ValueError("stages, members and probability must have one entry a member.")
        if not (p >= 0).all() or (p.any() and not np.isclose(p.sum(), 1.0)):
            raise ValueError("probability must be >= 0 and sum to 1 over the members drawn.")
        if n and self.members.n_outputs != self.n_outputs:
            raise ValueError("prior and votes must have the same number of outputs.")
        if not 1 <= self.max_draws <= MOST_DRAWS:
            raise ValueError(f"max_draws is {self.max_draws}; expected 1 to {MOST_DRAWS}.")
        if self.affordable and (self.refusal == "stop" or any(self.stages.headroom)):
            raise ValueError("affordable draws need refusal='skip' and stages without headroom.")
        check_choice("law", self.law, ("", *LAWS))
        if len(self.alpha) != (n if self.law else 0):
            raise ValueError("alpha must hold one number a member, if there is a law.")

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> SampledState:
        """Fresh rows; the budget decides between the full vote and draws."""
        n = len(keys)
        return SampledState(
            n=n,
            keys=keys,
            full=ledger.can_pay(self.decisive[0]),
            position=0,
            sure=np.zeros((n, self.n_outputs)),
            drawn=np.zeros((n, self.n_outputs)),
            size=np.zeros((n, self.n_outputs)),
            draws=np.zeros(n, dtype=np.int64),
            tries=np.zeros(n, dtype=np.uint64),
            tried=np.zeros(n, dtype=np.uint64),
            table=None,
            renewed=None,
            dropped=(),
            ended=np.zeros(n, dtype=bool),
            outlook=Outlook(self._sets, self._set_of, ledger) if self.affordable else None,
        )

    def ask(self, state: SampledState) -> int | Ints:
        """First what is sure: all members, or the free ones. Then one draw a row."""
        sure = self._sure(state)
        if state.position < len(sure):
            return sure[state.position]
        if state.full or not self.probability.any() or len(sure) > len(self._free):
            return -1
        alive = np.broadcast_to(self._alive(state), (state.n, len(self.members)))
        if self.affordable:
            table = np.ones_like(alive) if state.table is None else state.table
            stage, state.tried, state.renewed = draw_affordable(
                self.probability, alive, self.seed, state.keys, state.tries, table
            )
        else:
            stage = draw_from(self.probability, alive, uniforms(self.seed, state.keys, state.tries))
            state.tried = state.tries + np.uint64(1)
        return np.where(state.ended | (state.draws >= self.max_draws), -1, stage)

    def _sure(self, state: SampledState) -> list[int]:
        """Members that are told in turn: all, or the free ones and then none or all owned."""
        if state.full:
            return self._free + self._paid
        if state.outlook is None or state.position < len(self._free):
            return self._free
        return self._free + self._settled(state)

    def _settled(self, state: SampledState) -> list[int]:
        """The members drawn from that are owned, if there is no other to be had; else none."""
        assert state.outlook is not None
        wanted = self._alive(state) & (self.probability > 0)
        if (wanted & ~state.outlook.owned).any():
            return []
        return np.flatnonzero(wanted).tolist()

    def headroom(self, state: SampledState, stage: int) -> float:
        """Only draws need it: a full vote is paid for, and what is free is free."""
        return 0.0 if self._is_sure(state) else self.stages.headroom[stage]

    def _is_sure(self, state: SampledState) -> bool:
        return state.position < len(self._sure(state))

    def tell(self, state: SampledState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Add a sure vote, or a drawn one divided by its chance."""
        votes = self.members.votes_on(X, rows, [stage])[0].T
        if self._is_sure(state):
            if state.position >= len(self._free) and not state.full:  # in place of the draws
                first = state.position == len(self._free)
                state.drawn[:], state.draws[:] = 0.0, 0
                state.size = np.abs(votes) + (0.0 if first else state.size)
            state.sure += votes
            state.position += 1
        else:
            mass = self.probability[self._alive(state)].sum()
            votes = votes * (mass / self.probability[stage])
            state.drawn += votes
            state.size += np.abs(votes)
            state.draws += 1
            state.tries, state.table = state.tried, state.renewed
        if state.outlook is not None:
            state.outlook.buy(stage)

    def _alive(self, state: SampledState) -> NDArray[np.bool_]:
        """Of each member, whether it may be drawn; rows that share a history agree."""
        alive = np.ones(len(self.members), dtype=bool)
        alive[list(state.dropped)] = False
        return alive if state.outlook is None else alive & state.outlook.payable

    def refuse(self, state: SampledState, stage: int, ledger: Ledger) -> None:
        """Leave the member out of this row's draws, or end them."""
        if self._is_sure(state):
            state.position += 1
        else:
            state.tries, state.table = state.tried, state.renewed
            if self.refusal == "stop":
                state.ended[:] = True
            else:
                state.dropped = (*state.dropped, stage)
        if state.outlook is not None:
            state.outlook.put_right(ledger)

    def read(self, state: SampledState) -> Floats:
        """The sure votes plus the mean of the drawn ones."""
        draws = np.maximum(state.draws, 1)[:, None]
        scores = state.sure + state.drawn / draws
        size = np.abs(state.sure) + state.size / draws
        scores[(np.abs(scores) <= _TIE * size).all(axis=1)] = self.prior
        return scores

    def answer_cohort(
        self,
        X: NDArray[Any],
        rows: Ints,
        keys: NDArray[np.uint64],
        ledger: Ledger,
        needs: Sequence[Sequence[int]],
        budget_of: Ints | None,
    ) -> tuple[Floats, Floats] | None:
        """What rows draw, pay and answer, in a kernel over all of them."""
        if self.probability.any() and self.refusal == "skip" and not self.affordable:
            return None
        lanes = len(ledger.budgets) if budget_of is None else 1
        scores, spent = np.empty((lanes, len(rows), self.n_outputs)), np.empty((lanes, len(rows)))
        full = ledger.can_pay(self.decisive[0])
        for start, part, told in self._runs(ledger, needs, full):
            stop = start + len(part.budgets)
            first, last = np.full(len(rows), start), np.full(len(rows), stop)
            place = np.arange(len(rows))
            if budget_of is not None:
                place = np.flatnonzero((start <= budget_of) & (budget_of < stop))
                first, last = budget_of[place], budget_of[place] + 1
            sure = np.zeros((len(place), self.n_outputs))
            add_votes(self.members, sure, told, X, rows[place])
            if full or not self.probability.any():
                sure[(sure == 0).all(axis=1)] = self.prior
                to = slice(start, stop) if budget_of is None else slice(1)
                scores[to, place], spent[to, place] = sure, part.spent
            else:
                who = (keys[place], rows[place], place, sure, first, last)
                draw_in_threads(
                    self, X, who, ledger, part, needs, budget_of is not None, scores, spent
                )
        if not self.accepts_missing and not np.isfinite(scores).all():
            return None  # stages driven one by one say what is wrong
        return scores, spent

    def _runs(
        self, ledger: Ledger, needs: Sequence[Sequence[int]], full: bool
    ) -> Iterator[tuple[int, Ledger, list[int]]]:
        """Runs of budgets that pay for the same of the sure members: these, and what they cost."""
        order = self._free + self._paid if full else self._free
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

    def repriced(self, costs: Costs) -> SampledPlan:
        """New chances, or a new order, by the law; without one the chances stay.

        The vote that is estimated is the same under any chances.
        """
        prices = np.array([costs.price_of(items) for items in self.stages.items])
        most = float(prices.max(initial=0.0))
        order = np.arange(len(self.members))
        chance = self.probability
        if self.law == "top":
            order = best_first(self.alpha, prices)
        elif self.law:
            chance = chances(self.alpha, prices, self.law == "cost-aware")
        items = tuple(self.stages.items[member] for member in order)
        room = tuple(most if self.stages.headroom[member] else 0.0 for member in order)
        return SampledPlan(
            StageTable(items, room), self.members.taken(order), chance[order], self.prior,
            self.seed, self.max_draws, self.refusal, self.affordable,
            self.law, self.alpha[order] if self.law else (),
        )  # fmt: skip

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """All there is to the plan; what is as it always was is not written."""
        header: dict[str, Any] = {
            "refusal": self.refusal, "seed": self.seed, "max_draws": self.max_draws,
        }  # fmt: skip
        if self.affordable:
            header["affordable"] = True
        if self.law:
            header["law"] = self.law
        if self.members.kind != StumpTable.kind:
            header["members"] = self.members.kind
        arrays = {"prior": self.prior, "probability": self.probability}
        if self.law:
            arrays["alpha"] = self.alpha
        return header, arrays | self.stages.arrays() | self.members.arrays()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> SampledPlan:
        """The inverse of `parts`."""
        kind = header.get("members", StumpTable.kind)
        if kind not in _MEMBERS:
            raise ValueError(f"unknown kind of members {kind!r}; expected {sorted(_MEMBERS)}.")
        return cls(
            StageTable.from_arrays(arrays),
            _MEMBERS[kind].from_arrays(arrays),
            arrays["probability"],
            arrays["prior"],
            header["seed"],
            header["max_draws"],
            header["refusal"],
            header.get("affordable", False),
            header.get("law", ""),
            arrays.get("alpha", ()),
        )
