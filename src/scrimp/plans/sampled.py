"""Sampled plans: the mean of the votes of members of an ensemble drawn at random per row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.costs import Costs
from ..costs.ledger import Ledger
from ..data.validation import check_choice, float_array
from ..types import Arrays, Floats, Ints
from .components.affordable_draws import AffordableStages
from .components.batch_draws import DrawSettings, RowBatch, answer_rows
from .components.draw_state import DrawState
from .components.members import Members
from .components.sampling_weights import WEIGHTINGS, best_first, draw_probabilities
from .components.stumps import StumpTable
from .components.terms import TermTable
from .components.tree_table import TreeTable
from .contract import Outline, Plan, Source, StageTable, State, check_skip_or_stop

#: The highest `max_draws`: more draws take too long for what they add to the precision.
MAX_DRAWS_LIMIT = 100_000
#: Scores smaller than this fraction of the votes they consist of are rounding errors of a tie.
_TIE = 1e-12
#: Votes of pending members that are added at a time: it bounds their memory.
_BLOCK_VOTES = 2**18
_MEMBERS: dict[str, type[Members]] = {m.kind: m for m in (StumpTable, TreeTable, TermTable)}


@dataclass
class SampledState(State):
    """The votes and the draws of rows so far.

    Parameters
    ----------
    full : bool
        Whether the budget pays for the vote of all members.
    position : int
        The number of fixed members, which vote without a draw, that were told or refused.
    fixed_sums : float array (rows, outputs)
        Sums of the votes of fixed members.
    draws : DrawState
        The draws.
    pending : list of int
        Fixed members that are told but not yet added: the next readout adds them together.
    source : Source, optional
        The values of the rows, for members that are pending.
    exhausted : bool
        Whether votes of exhausted members have replaced those that were drawn.
    """

    full: bool
    position: int
    fixed_sums: Floats
    draws: DrawState
    pending: list[int]
    source: Source | None = None
    exhausted: bool = False


class SampledPlan(Plan[SampledState]):
    """A plan that estimates a full vote without bias from a few draws (Reyzin 2011).

    Members with probability 0 are free: they always vote, before all others. The others are
    drawn with replacement and their votes divided by their probability, so that the mean
    over draws estimates the full vote. A budget that pays for all items takes the full vote.

    With `affordable`, members that the rest of the budget cannot pay for are rejected, which
    renormalises the probabilities of the others. Once everything that can be paid for is
    owned, further draws would only repeat known votes: drawing ends, and the answer is the
    vote of all owned members, which the mean of the draws would converge to.

    Parameters
    ----------
    stages : StageTable
        The items of each member; a headroom is the loop condition of Reyzin's algorithm.
    members : Members
        The ensemble, weights included: a `StumpTable`, `TreeTable` or `TermTable`.
    probability : float array (members,)
        The probability of each member in one draw; they sum to 1 over the drawn members.
    prior : float array (outputs,)
        The answer without any vote, or where the votes cancel out.
    seed : int
        Draws depend on it, the key of the row and the number of the draw alone.
    max_draws : int
        The maximum number of draws per row, 100,000 at most.
    refusal : {"skip", "stop"}
        Whether a refused member is left out and the others are renormalised (biased), or
        ends the draws.
    affordable : bool
        Whether only members that the rest of the budget can pay for are drawn; members that
        fail are left out, and stages have no headroom.
    weighting : {"", "uniform", "cost-aware", "top"}
        The rule that gave the probabilities, or the order if nothing is drawn; unknown by
        default.
    alpha : float array (members,)
        The weight of each member, where there is a weighting.
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
        weighting: str = "",
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
        self.weighting, self.alpha = str(weighting), float_array("alpha", alpha)
        self.decisive = [tuple(dict.fromkeys(i for items in stages.items for i in items))]
        noun = f"different {members.kind.removesuffix('s')}"
        self.outline = Outline(order="drawn", stage_noun=noun)
        self._check()
        self._settings = DrawSettings(
            members, self.probability, stages.headroom, self.prior, self.seed, self.max_draws,
            self.affordable,
        )  # fmt: skip
        self._free, self._all = (self._settings.fixed_members(full) for full in (False, True))
        numbers = {items: number for number, items in enumerate(dict.fromkeys(stages.items))}
        self._item_sets = list(numbers)
        self._set_of = np.array([numbers[items] for items in stages.items], dtype=np.int64)

    def _check(self) -> None:
        n, p = len(self.members), self.probability
        if len(self.stages) != n or p.shape != (n,):
            raise ValueError("stages, members and probability must have one entry per member.")
        if not (p >= 0).all() or (p.any() and not np.isclose(p.sum(), 1.0)):
            raise ValueError("probability must be >= 0 and sum to 1 over the members drawn.")
        if n and self.members.n_outputs != self.n_outputs:
            raise ValueError("prior and votes must have the same number of outputs.")
        if not 1 <= self.max_draws <= MAX_DRAWS_LIMIT:
            raise ValueError(f"max_draws is {self.max_draws}; expected 1 to {MAX_DRAWS_LIMIT}.")
        if self.affordable and (self.refusal == "stop" or any(self.stages.headroom)):
            raise ValueError("affordable draws need refusal='skip' and stages without headroom.")
        check_choice("weighting", self.weighting, ("", *WEIGHTINGS))
        if len(self.alpha) != (n if self.weighting else 0):
            raise ValueError("alpha must hold one number per member, if there is a weighting.")

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> SampledState:
        """Return the state of fresh rows; the budget decides between full vote and draws."""
        affordable = None
        if self.affordable:
            affordable = AffordableStages(self._item_sets, self._set_of, ledger)
        return SampledState(
            n=len(keys),
            full=ledger.can_pay(self.decisive[0]),
            position=0,
            fixed_sums=np.zeros((len(keys), self.n_outputs)),
            draws=DrawState.fresh(keys, self.n_outputs, affordable),
            pending=[],
        )

    def ask(self, state: SampledState) -> int | Ints:
        """Return the next fixed member, or afterwards one drawn member per row."""
        fixed, first = self._fixed_members(state)
        if state.position - first < len(fixed):
            return fixed[state.position - first]
        if state.full or not self._settings.draws_any or fixed:
            return -1
        return state.draws.draw(self._settings)

    def _fixed_members(self, state: SampledState) -> tuple[list[int], int]:
        """Return members that vote in turn, and the position of the first.

        These are all members, or the free and then the exhausted ones.
        """
        n_free = len(self._free)
        if state.full or state.position < n_free:
            return (self._all if state.full else self._free), 0
        draws = state.draws
        available = draws.available_now or draws.available(self.probability)
        return available.exhausted, n_free

    def headroom(self, state: SampledState, stage: int) -> float:
        """Return the headroom of a drawn member, 0 for one that votes without a draw."""
        headroom = self.stages.headroom[stage]
        return 0.0 if not headroom or self._is_fixed(state) else headroom

    def _is_fixed(self, state: SampledState) -> bool:
        """Return whether the current stage is a fixed member, rather than a drawn one."""
        fixed, first = self._fixed_members(state)
        return state.position - first < len(fixed)

    def tell(self, state: SampledState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Note a fixed vote, or add a drawn vote divided by its probability."""
        if not self._is_fixed(state):
            votes = self.members.votes_on(X, rows, [stage])[0].T
            state.draws.add(stage, votes, self.probability)
            state.draws.buy(stage)
            return
        if not (state.exhausted or state.full or state.position < len(self._free)):
            self._add_pending(state)
            state.draws.discard()
            state.exhausted = True
        state.pending.append(stage)
        state.position += 1
        if state.source is None:
            state.source = Source(X, rows)
        if not state.exhausted:  # exhausted members are owned
            state.draws.buy(stage)

    def _add_pending(self, state: SampledState) -> None:
        """Add the votes of fixed members that were told since the last readout."""
        if not state.pending or state.source is None:
            return
        X, rows = state.source.X, state.source.rows
        step = max(_BLOCK_VOTES // max(len(rows), 1), 1)
        for start in range(0, len(state.pending), step):
            votes = self.members.votes_on(X, rows, state.pending[start : start + step])
            state.fixed_sums = _added(state.fixed_sums, votes)
            if state.exhausted:
                state.draws.sizes = _added(state.draws.sizes, np.abs(votes))
        state.pending, state.source = [], None

    def refuse(self, state: SampledState, stage: int, ledger: Ledger) -> None:
        """Exclude the member from the draws of these rows, or end the draws."""
        if self._is_fixed(state):
            state.position += 1
        else:
            state.draws.refuse(stage, stop=self.refusal == "stop")
        state.draws.update(ledger)

    def read(self, state: SampledState) -> Floats:
        """Return the fixed votes plus the mean of the drawn votes."""
        self._add_pending(state)
        draws = state.draws
        n_draws = np.maximum(draws.n_draws, 1)[:, None]
        scores = state.fixed_sums + draws.sums / n_draws
        size = np.abs(state.fixed_sums) + draws.sizes / n_draws
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
        """Return the scores and the spend of fresh rows, computed by a kernel."""
        if self._settings.draws_any and self.refusal == "skip" and not self.affordable:
            return None
        batch, full = RowBatch(X, rows, keys, budget_of), ledger.can_pay(self.decisive[0])
        scores, spent = answer_rows(self._settings, batch, ledger, needs, full)
        if not self.accepts_missing and not np.isfinite(scores).all():
            return None  # driving the stages one by one raises the error that explains it
        return scores, spent

    def repriced(self, costs: Costs) -> SampledPlan:
        """Return the plan with new probabilities, or a new order, by its weighting.

        Without a weighting the probabilities stay. The vote that is estimated is the same
        under any probabilities.
        """
        prices = np.array([costs.price_of(items) for items in self.stages.items])
        highest = float(prices.max(initial=0.0))
        order = np.arange(len(self.members))
        probability = self.probability
        if self.weighting == "top":
            order = best_first(self.alpha, prices)
        elif self.weighting:
            probability = draw_probabilities(self.alpha, prices, self.weighting == "cost-aware")
        items = tuple(self.stages.items[member] for member in order)
        headroom = tuple(highest if self.stages.headroom[member] else 0.0 for member in order)
        return SampledPlan(
            StageTable(items, headroom), self.members.taken(order), probability[order], self.prior,
            self.seed, self.max_draws, self.refusal, self.affordable,
            self.weighting, self.alpha[order] if self.weighting else (),
        )  # fmt: skip

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the plan, without defaults."""
        header: dict[str, Any] = {
            "refusal": self.refusal, "seed": self.seed, "max_draws": self.max_draws,
        }  # fmt: skip
        if self.affordable:
            header["affordable"] = True
        if self.weighting:
            header["law"] = self.weighting
        if self.members.kind != StumpTable.kind:
            header["members"] = self.members.kind
        arrays = {"prior": self.prior, "probability": self.probability}
        if self.weighting:
            arrays["alpha"] = self.alpha
        return header, arrays | self.stages.arrays() | self.members.arrays()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> SampledPlan:
        """Return the plan of stored `parts`."""
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


def _added(sums: Floats, votes: Floats) -> Floats:
    """Return sums (rows x outputs) with votes added one by one: readouts leave no trace."""
    return np.asarray(np.add.accumulate(np.concatenate([sums.T[None], votes]), axis=0)[-1].T)
