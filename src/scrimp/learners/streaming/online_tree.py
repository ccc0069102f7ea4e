"""A regression tree that learns from a stream in bounded memory, by histograms of its leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...kernels import online_trees as kernels
from ...plans.components.inputs import Inputs
from ...plans.components.tree_table import TreeTable
from ...types import Arrays, Flags, Floats, Ints
from .learner_state import check_like, copied
from .stream_rows import StreamRows
from .weak_learner import LearnerContext

#: Arrays that a tree answers by, those of the mean over time, and those that it grows by.
_ANSWERS = ("links", "cut", "value", "leaves", "counts")
_AVERAGES = ("total", "n_total")
_GROWTH = ("histograms", "moments")


@dataclass(frozen=True)
class TreeSettings:
    """How trees grow.

    Parameters
    ----------
    max_depth : int
        The most tests on a path.
    max_bins : int
        Bins of a column; a split lies between two of them.
    memory : float
        The mean of a leaf counts at most this many rows: what was learnt from the learners before
        it as they were long ago is forgotten.
    grace : float
        Rows of a leaf between two attempts to split it.
    chance : float
        The probability of a split that is due to chance, at each attempt.
    evidence : float
        What a row counts for in this test: one over the number of passes over the rows.
    averages : bool
        Whether the mean over time of its hypotheses is kept.
    """

    max_depth: int = 5
    max_bins: int = 32
    memory: float = 1_000.0
    grace: float = 25.0
    chance: float = 0.05
    evidence: float = 1.0
    averages: bool = False


class OnlineTree:
    """A regression tree of vectors, which splits a leaf once that is no chance.

    A leaf answers with the running mean of its targets. Leaves that may still split keep, per
    column, the weight and the sums of targets in each bin.

    Parameters
    ----------
    n_columns, n_outputs : int
        Of the rows and of the targets.
    settings : TreeSettings
        How it grows.
    """

    def __init__(self, n_columns: int, n_outputs: int, settings: TreeSettings) -> None:
        self.settings = settings
        self._shape = n_columns, n_outputs
        self.allowed = np.ones(n_columns, dtype=bool)
        self.reset()

    def reset(self) -> None:
        """Forget everything that was learnt."""
        (d, outputs), settings = self._shape, self.settings
        n_nodes = 2 ** (settings.max_depth + 1) - 1
        n_histograms = 2 ** max(settings.max_depth - 1, 0)
        self._links = np.full((n_nodes, 4), -1, dtype=np.int32)
        self._cut, self._value = np.zeros(n_nodes), np.zeros((n_nodes, outputs))
        self._leaves = np.zeros((n_nodes, 3))
        shape = n_histograms, d, settings.max_bins + 1, outputs + 1
        self._histograms = np.zeros(shape, dtype=np.float32)
        self._moments = np.zeros((n_histograms, outputs + 3))
        self._counts = np.ones(2, dtype=np.int64)
        self._total, self._n_total = np.zeros_like(self._value), np.zeros(1)

    @property
    def reads(self) -> Ints:
        """The columns that are tested, ascending."""
        column = self._links[: self._counts[0], kernels.COLUMN]
        return np.unique(column[column >= 0])

    @property
    def has_learnt(self) -> bool:
        """Whether it has had a row since it began."""
        return bool(self._leaves[:, kernels.WEIGHT].any())

    def allow(self, columns: Flags) -> None:
        """Let the tree test these columns only; if it tests others, it begins again."""
        self.allowed = columns
        if not columns[self.reads].all():
            self.reset()

    def forget_bins(self) -> None:
        """Begin new histograms, where their cut points change."""
        self._histograms[:], self._moments[:] = 0.0, 0.0

    def predict(self, rows: StreamRows) -> Floats:
        """Return the answers (rows, outputs)."""
        answers = np.zeros((len(rows), self._shape[1]))
        kernels.add_answers(rows.X, self._links, self._cut, self._value, answers)
        return answers

    def update(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        """Learn the targets (rows, outputs) of rows, one after the other."""
        settings, n_nodes = self.settings, int(self._counts[0])
        if settings.averages:
            self._total += len(rows) * self._value
            self._n_total += len(rows)
        kernels.learn(
            rows.X, rows.bins, targets, weights, self.allowed, rows.cuts, rows.n_cuts,
            settings.memory, settings.grace, settings.evidence, settings.max_depth,
            -np.log(settings.chance), self._links, self._cut, self._value, self._leaves,
            self._histograms, self._moments, self._counts,
        )  # fmt: skip
        if settings.averages:
            self._inherit_totals(n_nodes)

    def _inherit_totals(self, first: int) -> None:
        """Give new nodes, from `first`, what their parents have answered so far on their rows."""
        links = self._links[: self._counts[0]]
        for node in np.flatnonzero(links[:, kernels.LEFT] >= first).tolist():  # parents come first
            for child in (kernels.LEFT, kernels.RIGHT):
                self._total[links[node, child]] = self._total[node]

    def state(self, growth: bool = True) -> Arrays:
        """Return the arrays that are all there is to know of the tree, not copied.

        Without `growth` histograms are left out: the tree answers by the others.
        """
        names = _ANSWERS + (_AVERAGES if self.settings.averages else ())
        names += _GROWTH if growth else ()
        return {name: getattr(self, f"_{name}") for name in names} | {"allowed": self.allowed}

    def restore(self, state: Arrays) -> None:
        """Become the tree of a `state`; raise ValueError if it can be none of this shape."""
        check_like(self.state(growth=_GROWTH[0] in state), state)
        _check_nodes(state, self._shape[0], len(self._histograms), self.settings.max_depth)
        if _GROWTH[0] not in state:
            self.forget_bins()
        self._take(copied(state))

    def _take(self, state: Arrays) -> None:
        for name, array in state.items():
            setattr(self, name if name == "allowed" else f"_{name}", array)

    def grown(self, state: Arrays, n_columns: int, allowed: bool) -> Arrays:
        """Return a state with more columns, which count as missing in all rows so far."""
        (d, outputs), bins = self._shape, self.settings.max_bins + 1
        grown = state | {"allowed": np.append(state["allowed"], np.full(n_columns - d, allowed))}
        if _GROWTH[0] in state:
            new = np.zeros((len(self._histograms), n_columns - d, bins, outputs + 1), np.float32)
            new[:, :, -1] = state["moments"][:, None, : outputs + 1]
            grown["histograms"] = np.concatenate([state["histograms"], new], axis=1)
        return grown

    def grow(self, n_columns: int, allowed: bool) -> None:
        """Take more columns from now on; in all rows so far they count as missing."""
        self._take(self.grown(self.state(), n_columns, allowed))
        self._shape = n_columns, self._shape[1]

    def nodes(self, step: float, averaged: bool = False) -> tuple[NDArray[Any], ...]:
        """Return column, cut, left, right, missing and value of the nodes, answers times `step`.

        A tree only ever refines: the mean of its hypotheses has its leaves, with mean values.
        """
        n = int(self._counts[0])
        links = self._links[:n].astype(np.int64)
        value = self._total[:n] / max(self._n_total[0], 1.0) if averaged else self._value[:n]
        return (*links[:, :1].T, self._cut[:n].copy(), *links[:, 1:].T, step * value)


@dataclass(frozen=True)
class TreeKind:
    """Weak learners that are trees.

    Parameters
    ----------
    settings : TreeSettings
        How they grow.
    """

    name: ClassVar[str] = "tree"
    averages: ClassVar[bool] = True
    sees_image: ClassVar[bool] = False

    settings: TreeSettings

    def make(self, context: LearnerContext) -> OnlineTree:
        """Return a tree that has not learnt anything."""
        return OnlineTree(context.n_columns, context.n_outputs, self.settings)

    def members(
        self, learners: Sequence[OnlineTree], factors: Floats, offsets: Floats, inputs: Inputs,
        averaged: bool,
    ) -> TreeTable:  # fmt: skip
        """Return trees as members."""
        trees = []
        for tree, factor, offset in zip(learners, factors.tolist(), offsets, strict=True):
            *links, value = tree.nodes(factor, averaged)
            trees.append((*links, value + offset))
        return tree_table(trees)


def tree_table(trees: list[tuple[NDArray[Any], ...]]) -> TreeTable:
    """Return one table of the nodes of several trees."""
    sizes = [len(nodes[0]) for nodes in trees]
    roots = np.cumsum([0, *sizes])[:-1]
    column, cut, left, right, missing, value = map(np.concatenate, zip(*trees, strict=True))
    shift = np.repeat(roots, sizes)
    left, right, missing = (np.where(to >= 0, to + shift, -1) for to in (left, right, missing))
    return TreeTable(roots, column, cut, left, right, missing, value)


def _check_nodes(state: Arrays, n_columns: int, n_histograms: int, max_depth: int) -> None:
    """Raise ValueError for nodes that kernels, which trust their input, could not follow."""
    n, used = state["counts"].tolist()
    links, leaves = state["links"], state["leaves"]
    if not (1 <= n <= len(links) and 1 <= used <= n_histograms):
        raise ValueError("a tree has more nodes or histograms than there is room for")
    column, children, here = links[:n, 0], links[:n, 1:], np.arange(n)[:, None]
    inner = column >= 0
    if (column < -1).any() or (column >= n_columns).any():
        raise ValueError("a tree tests a column that is not there")
    if not ((children > here) & (children < n))[inner].all():
        raise ValueError("the children of a node must come after it")
    weight, slot, depth = leaves[:n].T
    whole = np.isfinite(leaves[:n]).all() and (slot == slot.round()).all()
    if not (whole and (slot >= -1).all() and (slot < used).all() and (weight >= 0).all()):
        raise ValueError("a leaf has a histogram that is not there")
    if not ((depth >= 0) & (depth <= max_depth)).all():
        raise ValueError("a leaf is deeper than a tree may be")
