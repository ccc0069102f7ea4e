"""Prefix plans: items in a fixed order, and one model per prefix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.ledger import Ledger
from ..types import Arrays, Flags, Floats, Ints
from .components.models import LinearModel, Model
from .components.prefix_models import LinearPrefixes, ModelSequence, PrefixModels
from .components.readers import Reader
from .components.subset_models import SubsetModels
from .contract import Outline, Plan, Source, StageTable, State

#: Sets of stages whose models are kept; more than that are seldom in use at a time.
_MAX_SUBSETS = 256


@dataclass
class PrefixState(State):
    """The stages still to come and those told, and the values of the rows."""

    coming: list[int]
    told: list[int]
    source: Source | None


class PrefixPlan(Plan[PrefixState]):
    """A plan that answers with the model of its told prefix, and with the prior before any.

    A stage that is too expensive ends the purchases. With `subsets` the plan goes on without a
    stage that failed, and later stages whose items are owned are used from the start: the answer
    is then the model of the set of told stages. Without them a failure ends the plan, and no
    stage is used before all earlier ones.

    Parameters
    ----------
    stages : StageTable
        The items that each model needs beyond those of the models before it.
    models : LinearPrefixes or ModelSequence
        One model per stage, and the prior. They decide the kind in model files: ``prefix``
        or ``refits``.
    subsets : SubsetModels, optional
        The models of sets of stages that are no prefix, of the same columns in the same order;
        the models of the prefixes must then be linear.
    """

    outline = Outline(stage_noun="purchase")

    def __init__(
        self, stages: StageTable, models: PrefixModels, subsets: SubsetModels | None = None
    ) -> None:
        self.stages = stages.in_sequence()
        self.models = models
        self.kind = models.kind
        self.reads, self.n_outputs = models.reads, len(models.prior)
        self.accepts_missing, self.accepts_sparse = models.accepts_missing, models.accepts_sparse
        if len(models) != len(stages):
            raise ValueError(f"{len(stages)} stages but {len(models)} models; expected equal.")
        self.subsets = subsets
        self.answers_without = subsets is not None
        self._subset_models: dict[tuple[int, ...], LinearModel] = {}
        if subsets is not None:
            self._terms, self._counts = models.linear_terms()
            if (subsets.n_columns, len(subsets.middle)) != (
                len(self._terms.source),
                self.n_outputs,
            ):
                raise ValueError("subsets and models differ in their columns or outputs.")

    @classmethod
    def single(cls, items: Iterable[int], model: Model, prior: ArrayLike) -> PrefixPlan:
        """Return the plan of one model on one set of items."""
        return cls(StageTable((tuple(items),)), ModelSequence([model], prior))

    @classmethod
    def constant(cls, prior: ArrayLike) -> PrefixPlan:
        """Return the plan that buys nothing and answers with the prior."""
        return cls(StageTable(()), ModelSequence([], prior))

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> PrefixState:
        """Return the state of rows without a told stage."""
        return PrefixState(len(keys), list(range(len(self.stages))), [], None)

    def ask(self, state: PrefixState) -> int:
        """Return the next stage in order."""
        return state.coming[0] if state.coming else -1

    def tell(self, state: PrefixState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Note one more stage; the model of all told ones is evaluated by the next readout."""
        state.coming.remove(stage)
        state.told.append(stage)
        state.source = Source(X, rows)

    def refuse(self, state: PrefixState, stage: int, ledger: Ledger) -> None:
        """Go on without a failed stage; a too expensive one leaves those whose items are owned."""
        items_of, closure = self.stages.items, ledger.costs.closure
        if self.subsets is None:
            state.coming = []
        elif not ledger.failed.isdisjoint(closure(items_of[stage])):
            state.coming.remove(stage)
        else:
            owned = ledger.owned.issuperset
            state.coming = [s for s in state.coming if s != stage and owned(closure(items_of[s]))]

    def free_stages(self, state: PrefixState, owned: Flags) -> list[int]:
        """Return the stages to come whose items are owned, if any set of stages has a model."""
        return [] if self.subsets is None else [s for s in state.coming if owned[s]]

    def read(self, state: PrefixState) -> Floats:
        """Return the answers of the model of the told stages."""
        if state.source is None:
            return np.tile(self.models.prior, (state.n, 1))
        return self.reader(state)(state.source.X, state.source.rows)

    def reader(self, state: PrefixState) -> Reader:
        """Return the model of the told stages of a state."""
        length = len(state.told)
        if _is_prefix(state):
            return self.models.reader(length)
        return self._subset_model(tuple(sorted(state.told))).scores

    def _subset_model(self, stages: tuple[int, ...]) -> LinearModel:
        """Return the model of a set of stages; it is kept."""
        model = self._subset_models.get(stages)
        if model is None:
            ends = [0, *self._counts]
            columns = np.concatenate([np.arange(ends[s], ends[s + 1]) for s in stages])
            base, weights = self._solve(columns, _prefix_length(stages))
            terms = self._terms.taken(columns)
            model = LinearModel(terms, weights, base, "identity", self.accepts_missing)
            if len(self._subset_models) >= _MAX_SUBSETS:
                self._subset_models.clear()
            self._subset_models[stages] = model
        return model

    def _solve(self, columns: Ints, prefix: int) -> tuple[Floats, Floats]:
        """Return intercept and coefficients of a set of columns.

        They are those of the longest prefix in the set, which has a model of its own, changed by
        what the further columns add in the objective of all sets. For least squares this is the
        same as the regression on the set; of another loss that objective is only near the prior
        and near the longest model, and should decide no more than it must.
        """
        assert self.subsets is not None, "without them only prefixes are told"
        if prefix == 0:
            return self.subsets.solve(columns)
        base, weights = self.models.coefficients_of(prefix)
        added_base, added = self.subsets.gain(columns, len(weights))
        added[: len(weights)] += weights
        return base + added_base, added

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the plan."""
        header, arrays = self.models.parts()
        subsets = {} if self.subsets is None else self.subsets.arrays()
        return header, arrays | self.stages.arrays() | subsets

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> PrefixPlan:
        """Return the plan of stored `parts`; only a sequence of models has a header."""
        kind: type[PrefixModels] = ModelSequence if header else LinearPrefixes
        models = kind.from_parts(header, arrays)
        return cls(StageTable.from_arrays(arrays), models, SubsetModels.from_arrays(arrays))


def _prefix_length(stages: Sequence[int]) -> int:
    """Return how many of ascending stages are the first ones of a plan."""
    return sum(stage == position for position, stage in enumerate(stages))


def _is_prefix(state: PrefixState) -> bool:
    """Return whether the told stages are the first ones of the plan."""
    return len(state.told) == max(state.told, default=-1) + 1
