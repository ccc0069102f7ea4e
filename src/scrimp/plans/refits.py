"""Refits: items in a fixed order, with a model of any kind for each prefix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.ledger import Ledger
from ..data.validation import float_array
from ..types import Arrays, Floats, Ints
from .components.models import Model, models_from_parts, models_to_parts
from .contract import Plan, StageTable, State


@dataclass
class RefitState(State):
    """How many stages were told, and where the values are."""

    position: int
    ended: bool
    source: tuple[NDArray[Any], Ints] | None


class RefitPlan(Plan[RefitState]):
    """After each stage its own model answers; before the first the prior does.

    Parameters
    ----------
    stages : StageTable
        The items that each model needs beyond those of the models before it.
    models : sequence of Model
        One a stage.
    prior : float array (outputs,)
        The answer where nothing is bought.
    """

    kind: ClassVar[str] = "refits"

    def __init__(self, stages: StageTable, models: Sequence[Model], prior: ArrayLike) -> None:
        self.stages = stages
        self.models = tuple(models)
        self.prior = float_array("prior", prior)
        self.n_outputs = len(self.prior)
        if len(self.models) != len(stages):
            raise ValueError(f"{len(stages)} stages but {len(self.models)} models; expected equal.")
        if not np.isfinite(self.prior).all() or not self.n_outputs:
            raise ValueError("prior must hold at least one number, all finite.")
        if any(model.n_outputs != self.n_outputs for model in self.models):
            raise ValueError("prior and models must have the same number of outputs.")
        self.reads = tuple(model.columns for model in self.models)
        self.accepts_missing = all(model.accepts_missing for model in self.models)

    @classmethod
    def single(cls, items: Iterable[int], model: Model, prior: ArrayLike) -> RefitPlan:
        """One model on one set of items."""
        return cls(StageTable((tuple(items),)), [model], prior)

    @property
    def takes_sparse(self) -> bool:
        """If its models do."""
        return all(model.takes_sparse for model in self.models)

    def told_before(self, stage: int) -> range:
        """All stages before it."""
        return range(stage)

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> RefitState:
        """Nothing known."""
        return RefitState(len(keys), 0, False, None)

    def ask(self, state: RefitState) -> int:
        """The next stage in order."""
        return -1 if state.ended or state.position == len(self.stages) else state.position

    def tell(self, state: RefitState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """More is known; its model is asked when somebody reads."""
        state.position = stage + 1
        state.source = (X, rows)

    def refuse(self, state: RefitState, stage: int, ledger: Ledger) -> None:
        """No model has a gap: what was bought so far stands."""
        state.ended = True

    def read(self, state: RefitState) -> Floats:
        """The answer of the model of what was bought."""
        if state.source is None:
            return np.tile(self.prior, (state.n, 1))
        return self.models[state.position - 1].scores(*state.source)

    def split(self, state: RefitState, index: Ints) -> RefitState:
        """Some of the rows."""
        part = state.take(index)
        if state.source is not None:
            part.source = (state.source[0], state.source[1][index])
        return part

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """All there is to the plan."""
        headers, arrays = models_to_parts(self.models)
        return {"models": headers}, {"prior": self.prior} | arrays | self.stages.arrays()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> RefitPlan:
        """The inverse of `parts`."""
        models = models_from_parts(header["models"], arrays)
        return cls(StageTable.from_arrays(arrays), models, arrays["prior"])
