"""Routed plans: the next test depends on the values so far, as in a decision tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs.ledger import Ledger
from ..data.validation import float_array, int_array
from ..types import Arrays, Floats, Ints
from .contract import Outline, Plan, StageTable, State


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
    """The current node of each row."""

    node: Ints
    ended: NDArray[np.bool_]


class RoutedPlan(Plan[RoutedState]):
    """A plan in which each row descends a tree and pays for the tests on its path.

    Parameters
    ----------
    stages : StageTable
        The items of each node's test; none at a leaf.
    nodes : Nodes
        The tree.
    """

    kind = "routed"
    outline = Outline(order="routed")
    accepts_missing = True

    def __init__(self, stages: StageTable, nodes: Nodes) -> None:
        self.stages = stages
        self.nodes = nodes
        self.reads = tuple((c,) if c >= 0 else () for c in nodes.column.tolist())
        self.n_outputs = nodes.value.shape[1]
        if len(stages) != len(nodes.column):
            raise ValueError(f"{len(stages)} stages but {len(nodes.column)} nodes; expected equal.")

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
            if nodes.column[node] < 0:
                ends.append(tuple(items))
                continue
            items |= frozenset(self.stages.items[node])
            children = {int(c[node]) for c in (nodes.inside, nodes.outside, nodes.missing)}
            todo += [(child, items) for child in children]
        return list(dict.fromkeys(ends))

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> RoutedState:
        """Return the state of rows at the root."""
        n = len(keys)
        return RoutedState(n, np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool))

    def ask(self, state: RoutedState) -> Ints:
        """Return the node of each row, or -1 at a leaf and after a refusal that stops."""
        at_test = (self.nodes.column[state.node] >= 0) & ~state.ended
        return np.where(at_test, state.node, -1)

    def tell(self, state: RoutedState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Move the rows to a child of their node."""
        nodes = self.nodes
        x = X[rows, nodes.column[stage]]
        inside = (x >= nodes.low[stage]) & (x <= nodes.high[stage])
        step = np.where(inside, nodes.inside[stage], nodes.outside[stage])
        state.node = np.where(np.isnan(x), nodes.missing[stage], step)

    def refuse(self, state: RoutedState, stage: int, ledger: Ledger) -> None:
        """Move to the node for refusals, or stop at this node."""
        if self.nodes.refused[stage] < 0:
            state.ended[:] = True
        else:
            state.node[:] = self.nodes.refused[stage]

    def read(self, state: RoutedState) -> Floats:
        """Return the answer at the node of each row."""
        return self.nodes.value[state.node]

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the plan."""
        nodes = {field.name: getattr(self.nodes, field.name) for field in fields(Nodes)}
        return {}, nodes | self.stages.arrays()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> RoutedPlan:
        """Return the plan of stored `parts`."""
        nodes = Nodes(**{field.name: arrays[field.name] for field in fields(Nodes)})
        return cls(StageTable.from_arrays(arrays), nodes)
