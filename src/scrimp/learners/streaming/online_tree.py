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
from ...types import Flags, Floats, Ints
from .stream_rows import StreamRows
from .weak_learner import LearnerContext


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
        self._total, self._n_total = np.zeros_like(self._value), 0.0

    @property
    def reads(self) -> Ints:
        """The columns that are tested, ascending."""
        column = self._links[: self._counts[0], kernels.COLUMN]
        return np.unique(column[column >= 0])

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

    def nodes(self, step: float, averaged: bool = False) -> tuple[NDArray[Any], ...]:
        """Return column, cut, left, right, missing and value of the nodes, answers times `step`.

        A tree only ever refines: the mean of its hypotheses has its leaves, with mean values.
        """
        n = int(self._counts[0])
        links = self._links[:n].astype(np.int64)
        value = self._total[:n] / max(self._n_total, 1.0) if averaged else self._value[:n]
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
    pooled: ClassVar[bool] = False

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
