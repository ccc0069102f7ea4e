"""Ensemble plans: sums of the answers of members of any kind, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.ledger import Ledger
from ..data.validation import check_choice, float_array
from ..types import Arrays, Flags, Floats, Ints
from .additive import AGGREGATES
from .components.linear_table import LinearTable
from .components.members import Members
from .components.network_table import ConvolutionTable, NetworkTable
from .components.readers import Reader
from .components.tree_table import TreeTable
from .contract import Outline, Plan, Source, StageTable, State, check_skip_or_stop, owned_in_order

#: Kinds of members by their names in model files.
MEMBERS: dict[str, type[Members]] = {
    table.kind: table for table in (TreeTable, LinearTable, NetworkTable, ConvolutionTable)
}
#: How partial sums become an answer.
COMBINED = (*AGGREGATES, "weighted", "momentum")
#: Votes that are held at a time.
_BLOCK_CELLS = 2**22


def nesterov_momentum(position: int) -> float:
    """Return the part of its last change by which a partial sum goes on before a member.

    Member i, from 1, has (i - 1) / (i + 2), the sequence of Nesterov (1983); `position` is i - 1.
    """
    return position / (position + 3.0)


@dataclass
class EnsembleState(State):
    """The next member, those that were told, and the values of the rows."""

    position: int
    told: list[int]
    source: Source | None


class EnsemblePlan(Plan[EnsembleState]):
    """A plan whose scores are sums of votes, each stage that of one member.

    Each member was trained on what the sum of those before it leaves, so that the sum may end
    after any of them.

    Parameters
    ----------
    stages : StageTable
        The items of each member.
    members : Members
        In order, steps included.
    base : float array (outputs,)
        The answer before any member.
    refusal : {"skip", "stop"}
        Whether a refused member is left out, or ends the plan.
    aggregate : {"add", "average", "weighted", "momentum"}
        ``average`` answers with the mean of the partial sums after each member, each of them
        projected onto ``[-radius, radius]`` (streaming gradient boosting on losses that are not
        smooth); ``weighted`` gives partial sum i the weight i. ``momentum`` answers with the last
        of partial sums that go on in their direction, by `nesterov_momentum`, before a vote is
        added.
    radius : float
        The bound of the projection; not for ``add``.
    """

    kind = "ensemble"
    outline = Outline(stage_noun="learner")
    accepts_missing = True

    def __init__(
        self,
        stages: StageTable,
        members: Members,
        base: ArrayLike,
        refusal: str = "skip",
        aggregate: str = "add",
        radius: float = float("inf"),
    ) -> None:
        self.stages, self.members = stages, members
        self.reads = members.reads
        self.base = float_array("base", np.atleast_1d(base))
        self.prior = self.base
        self.n_outputs = len(self.base)
        self.refusal = check_skip_or_stop(refusal)
        check_choice("aggregate", aggregate, COMBINED)
        if not radius > 0:
            raise ValueError(f"radius is {radius}; expected a number > 0.")
        self.aggregate, self.radius = aggregate, float(radius)
        if len(stages) != len(members):
            raise ValueError(f"{len(stages)} stages but {len(members)} members; they must agree.")
        if not all(self.reads):
            raise ValueError("a member reads no column; add its answer to the base.")
        if len(members) and members.n_outputs != self.n_outputs:
            raise ValueError("base and votes must have the same number of outputs.")

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> EnsembleState:
        """Return the state of fresh rows."""
        return EnsembleState(len(keys), 0, [], None)

    def ask(self, state: EnsembleState) -> int:
        """Return the next member in order."""
        return state.position if state.position < len(self.stages) else -1

    def tell(self, state: EnsembleState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Note a member, which the next readout adds."""
        state.told.append(stage)
        state.source = Source(X, rows)
        state.position = stage + 1

    def refuse(self, state: EnsembleState, stage: int, ledger: Ledger) -> None:
        """Leave the member out, or end the plan."""
        state.position = stage + 1 if self.refusal == "skip" else len(self.stages)

    def free_stages(self, state: EnsembleState, owned: Flags) -> list[int]:
        """Return the members on owned columns, up to the first refusal where that ends the plan."""
        return owned_in_order(owned, state.position, self.refusal)

    def read(self, state: EnsembleState) -> Floats:
        """Return the sums, or the mean of the partial sums, of the members told."""
        if state.source is None:
            return np.tile(self.base, (state.n, 1))
        return self._scores(state.told, state.source.X, state.source.rows)

    def reader(self, state: EnsembleState) -> Reader | None:
        """Return a function that adds the told members of a state for other rows."""
        told = list(state.told)
        return lambda X, rows: self._scores(told, X, rows)

    def _scores(self, told: Sequence[int], X: NDArray[Any], rows: Ints) -> Floats:
        scores = np.empty((len(rows), self.n_outputs))
        block = max(_BLOCK_CELLS // max(len(told) * self.n_outputs, 1), 1)
        for start in range(0, len(rows), block):
            part = slice(start, start + block)
            scores[part] = self._block_scores(told, X, rows[part])
        return scores

    def _block_scores(self, told: Sequence[int], X: NDArray[Any], rows: Ints) -> Floats:
        if not told:
            return np.tile(self.base, (len(rows), 1))
        return self._combined(self.members.votes_on(X, rows, told), self.base)

    def shares(self) -> Floats | None:
        """Return how much the vote of each member counts; None where sums are projected."""
        if np.isfinite(self.radius):
            return None
        n = len(self.members)
        return self._combined(np.eye(n)[:, None], np.zeros(1))[:, 0]

    def _combined(self, votes: Floats, base: Floats) -> Floats:
        """Return the scores (rows, outputs) of votes (members, outputs, rows), in their order."""
        if self.aggregate == "add":
            return np.asarray(base + votes.sum(axis=0).T)
        sums, total = np.tile(base[:, None], (1, votes.shape[2])), np.zeros(votes.shape[1:])
        if self.aggregate == "momentum":
            before = sums
            for i, vote in enumerate(votes):
                moved = sums + nesterov_momentum(i) * (sums - before) + vote
                before, sums = sums, np.clip(moved, -self.radius, self.radius)
            return np.asarray(sums.T)
        for i, vote in enumerate(votes):
            sums = np.clip(sums + vote, -self.radius, self.radius)
            total += sums if self.aggregate == "average" else (i + 1) * sums
        n = len(votes)
        return np.asarray(total.T / (n if self.aggregate == "average" else n * (n + 1) / 2))

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the plan."""
        header = {
            "members": self.members.kind, "refusal": self.refusal, "aggregate": self.aggregate,
            "radius": repr(self.radius),
        }  # fmt: skip
        return header, {"base": self.base} | self.stages.arrays() | self.members.arrays()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> EnsemblePlan:
        """Return the plan of stored `parts`."""
        check_choice("members", header["members"], tuple(MEMBERS))
        return cls(
            StageTable.from_arrays(arrays), MEMBERS[header["members"]].from_arrays(arrays),
            arrays["base"], header["refusal"], header["aggregate"], float(header["radius"]),
        )  # fmt: skip
