"""Routed plans: the next purchase depends on the values so far, as in a decision tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs.ledger import Ledger
from ..data.validation import float_array, int_array
from ..types import Arrays, Flags, Floats, Ints
from .components.models import Model, models_from_parts, models_to_parts
from .contract import Outline, Plan, Source, StageTable, State

_MODELS = "models/"


@dataclass(frozen=True, eq=False)
class Nodes:
    """A tree of interval tests; node 0 is the root and children come after their parents.

    Parameters
    ----------
    column : int array (nodes,)
        The column that each node tests, -1 at a leaf.
    low, high : float arrays (nodes,)
        A present value is inside when ``low <= x <= high``.
    inside, outside, missing : int arrays (nodes,)
        The next node for a value inside or outside the interval, or a missing value.
    refused : int array (nodes,)
        The next node after a refusal, -1 to stop with this node's answer.
    value : float array (nodes, outputs)
        The answer at each node, inner nodes included.
    """

    column: Ints
    low: Floats
    high: Floats
    inside: Ints
    outside: Ints
    missing: Ints
    refused: Ints
    value: Floats

    def __post_init__(self) -> None:
        """Convert the arrays; refuse children outside the tree and cycles."""
        for name in ("column", "inside", "outside", "missing", "refused"):
            object.__setattr__(self, name, int_array(name, getattr(self, name)))
        for name, ndim in (("low", 1), ("high", 1), ("value", 2)):
            object.__setattr__(self, name, float_array(name, getattr(self, name), ndim))
        n = len(self.column)
        here, inner = np.arange(n), self.column >= 0
        flat = (self.low, self.high, self.inside, self.outside, self.missing, self.refused)
        if n == 0 or any(part.shape != (n,) for part in flat):
            raise ValueError("a routed plan needs at least one node and one entry per node.")
        if (self.column < -1).any():
            raise ValueError("column must be -1 at a leaf and not negative elsewhere.")
        if len(self.value) != n or not np.isfinite(self.value).all():
            raise ValueError("value must be finite and (nodes x outputs).")
        for child in (self.inside, self.outside, self.missing):
            if not ((child > here) & (child < n))[inner].all():
                raise ValueError("the children of a node must be nodes after it.")
        if not ((self.refused == -1) | ((self.refused > here) & (self.refused < n)))[inner].all():
            raise ValueError("refused must be -1 or a node after this one.")


@dataclass
class RoutedState(State):
    """The current node of each row, and the values of rows whose leaf has been told."""

    node: Ints
    ended: Flags
    source: Source | None = None


class RoutedPlan(Plan[RoutedState]):
    """A plan in which each row descends a tree and pays for the tests on its path.

    A leaf may have a model: its items are then bought together, and the model replaces the
    answer of the leaf once they are there.

    Parameters
    ----------
    stages : StageTable
        The items of each node's test, and of the model of a leaf; none at another leaf.
    nodes : Nodes
        The tree.
    models : mapping from int to Model, optional
        The models of leaves, by node.
    """

    kind = "routed"
    outline = Outline(order="routed")
    accepts_missing = True

    def __init__(
        self, stages: StageTable, nodes: Nodes, models: Mapping[int, Model] | None = None
    ) -> None:
        self.stages, self.nodes = stages, nodes
        self.models = dict(models or {})
        self.n_outputs = nodes.value.shape[1]
        if len(stages) != len(nodes.column):
            raise ValueError(f"{len(stages)} stages but {len(nodes.column)} nodes; expected equal.")
        for node, model in self.models.items():
            if not 0 <= node < len(nodes.column) or nodes.column[node] >= 0:
                raise ValueError("a model must belong to a leaf of the tree.")
            if model.n_outputs != self.n_outputs:
                raise ValueError("models and nodes must have the same number of outputs.")
        self.accepts_missing = all(model.accepts_missing for model in self.models.values())
        self._buys = (nodes.column >= 0) | np.isin(np.arange(len(stages)), list(self.models))
        tests: list[Sequence[int] | Ints] = [(c,) if c >= 0 else () for c in nodes.column.tolist()]
        for node, model in self.models.items():
            tests[node] = model.columns
        self.reads = tuple(tests)

    def extents(self) -> list[Sequence[int]]:
        """Return the items of each path; all items if paths merge, as there may be too many."""
        nodes, steps = self.nodes, 0
        ends: list[Sequence[int]] = []
        todo: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
        while todo:
            node, items = todo.pop()
            steps += 1
            if steps > len(nodes.column):
                return list(super().extents())
            if self._buys[node]:
                items |= frozenset(self.stages.items[node])
            if nodes.column[node] < 0:
                ends.append(tuple(items))
                continue
            children = {int(c[node]) for c in (nodes.inside, nodes.outside, nodes.missing)}
            todo += [(child, items) for child in children]
        return list(dict.fromkeys(ends))

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> RoutedState:
        """Return the state of rows at the root."""
        n = len(keys)
        return RoutedState(n, np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool))

    def ask(self, state: RoutedState) -> Ints:
        """Return the node of each row, or -1 at a leaf that buys nothing more, or at the end."""
        return np.where(self._buys[state.node] & ~state.ended, state.node, -1)

    def tell(self, state: RoutedState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Move the rows to a child of their node, or note that the items of a leaf are there."""
        nodes = self.nodes
        if nodes.column[stage] < 0:
            state.source, state.ended = Source(X, rows), np.ones(state.n, dtype=bool)
            return
        x = X[rows, nodes.column[stage]]
        inside = (x >= nodes.low[stage]) & (x <= nodes.high[stage])
        step = np.where(inside, nodes.inside[stage], nodes.outside[stage])
        state.node = np.where(np.isnan(x), nodes.missing[stage], step)

    def refuse(self, state: RoutedState, stage: int, ledger: Ledger) -> None:
        """Move to the node for refusals, or stop at this node."""
        if self.nodes.column[stage] < 0 or self.nodes.refused[stage] < 0:
            state.ended[:] = True
        else:
            state.node[:] = self.nodes.refused[stage]

    def read(self, state: RoutedState) -> Floats:
        """Return the answer at the node of each row, by the model of its leaf if that was told."""
        if state.source is None or not state.n:
            return self.nodes.value[state.node]
        # rows that were told a leaf share its history
        return self.models[int(state.node[0])].scores(state.source.X, state.source.rows)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the plan."""
        arrays = {field.name: getattr(self.nodes, field.name) for field in fields(Nodes)}
        arrays |= self.stages.arrays()
        if not self.models:
            return {}, arrays
        headers, stored = models_to_parts(list(self.models.values()))
        arrays |= {_MODELS + name: array for name, array in stored.items()}
        return {"models": headers}, arrays | {"model_nodes": np.array(list(self.models))}

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> RoutedPlan:
        """Return the plan of stored `parts`."""
        nodes = Nodes(**{field.name: arrays[field.name] for field in fields(Nodes)})
        stages = StageTable.from_arrays(arrays)
        if "models" not in header:
            return cls(stages, nodes)
        stored = {
            name.removeprefix(_MODELS): array
            for name, array in arrays.items()
            if name.startswith(_MODELS)
        }
        models = models_from_parts(header["models"], stored)
        places = int_array("model_nodes", arrays["model_nodes"]).tolist()
        if len(set(places)) != len(models):
            raise ValueError("model_nodes must name one leaf per model.")
        return cls(stages, nodes, dict(zip(places, models, strict=True)))


def tree_of(plan: Plan[Any]) -> Nodes | None:
    """Return the nodes of a routed plan; None for a plan that routes no rows."""
    return plan.nodes if isinstance(plan, RoutedPlan) else None
