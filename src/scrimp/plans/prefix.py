"""Prefix plans: items in a fixed order, with a model of its own for each prefix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.ledger import Ledger
from ..types import Arrays, Floats, Ints
from .capabilities import Reader
from .components.models import Model
from .components.prefix_models import LinearPrefixes, ModelSequence, PrefixModels
from .contract import Outline, Plan, Source, StageTable, State


@dataclass
class PrefixState(State):
    """How many stages were told, and where their values are."""

    position: int
    ended: bool
    source: Source | None


class PrefixPlan(Plan[PrefixState]):
    """After each stage the model of the prefix answers; before the first the prior does.

    Parameters
    ----------
    stages : StageTable
        The items that each model needs beyond those of the models before it.
    models : LinearPrefixes or ModelSequence
        One model per stage, and the prior. They decide the kind in model files: ``prefix``
        or ``refits``.
    """

    outline = Outline(stage_noun="purchase")

    def __init__(self, stages: StageTable, models: PrefixModels) -> None:
        self.stages = stages.in_sequence()
        self.models = models
        self.kind = models.kind
        self.reads, self.n_outputs = models.reads, len(models.prior)
        self.accepts_missing, self.accepts_sparse = models.accepts_missing, models.accepts_sparse
        if len(models) != len(stages):
            raise ValueError(f"{len(stages)} stages but {len(models)} models; expected equal.")

    @classmethod
    def single(cls, items: Iterable[int], model: Model, prior: ArrayLike) -> PrefixPlan:
        """Return the plan of one model on one set of items."""
        return cls(StageTable((tuple(items),)), ModelSequence([model], prior))

    @classmethod
    def constant(cls, prior: ArrayLike) -> PrefixPlan:
        """Return the plan that buys nothing and answers with the prior."""
        return cls(StageTable(()), ModelSequence([], prior))

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> PrefixState:
        """Return the state of rows of which nothing is known."""
        return PrefixState(len(keys), 0, False, None)

    def ask(self, state: PrefixState) -> int:
        """Return the next stage in order."""
        return -1 if state.ended or state.position == len(self.stages) else state.position

    def tell(self, state: PrefixState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Note a longer prefix; its model is evaluated when somebody reads."""
        state.position = stage + 1
        state.source = Source(X, rows)

    def refuse(self, state: PrefixState, stage: int, ledger: Ledger) -> None:
        """End here: no model has a gap, so that the prefix so far stands."""
        state.ended = True

    def read(self, state: PrefixState) -> Floats:
        """Return the answer of the prefix's model."""
        if state.source is None:
            return np.tile(self.models.prior, (state.n, 1))
        return self.models.scores(state.position, state.source.X, state.source.rows)

    def reader(self, state: PrefixState) -> Reader:
        """Return the model of a state's prefix."""
        length = state.position
        if length == 0:
            return lambda X, rows: np.tile(self.models.prior, (len(rows), 1))
        return lambda X, rows: self.models.scores(length, X, rows)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return all there is to the plan."""
        header, arrays = self.models.parts()
        return header, arrays | self.stages.arrays()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> PrefixPlan:
        """Return the plan of stored `parts`; only a sequence of models has a header."""
        kind: type[PrefixModels] = ModelSequence if header else LinearPrefixes
        return cls(StageTable.from_arrays(arrays), kind.from_parts(header, arrays))
