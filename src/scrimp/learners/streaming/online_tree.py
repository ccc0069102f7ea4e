"""A regression tree that learns from a stream in bounded memory, by histograms of its leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels import online_trees as kernels
from ...plans.components.tree_table import TreeTable
from ...types import Flags, Floats, Ints


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
    """

    max_depth: int = 5
    max_bins: int = 32
    memory: float = 1_000.0
    grace: float = 25.0
    chance: float = 0.05
    evidence: float = 1.0


@dataclass(frozen=True, eq=False)
class BinnedRows:
    """Rows, their bins, and the cut points between bins.

    Parameters
    ----------
    X : float array (rows, columns)
        The values.
    bins : uint8 array (rows, columns)
        Their bins; the last is that of missing values.
    cuts, n_cuts : float array (columns, bins), int array (columns,)
        The cut points of each column.
    """

    X: NDArray[Any]
    bins: NDArray[np.uint8]
    cuts: Floats
    n_cuts: Ints

    @classmethod
    def of(cls, X: NDArray[Any], cuts: Floats, n_cuts: Ints) -> BinnedRows:
        """Return rows with their bins."""
        bins = np.empty(X.shape, dtype=np.uint8)
        kernels.bin_values(X, cuts, n_cuts, bins)
        return cls(X, bins, cuts, n_cuts)


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

    def forget_histograms(self) -> None:
        """Begin new histograms, where their cut points change."""
        self._histograms[:], self._moments[:] = 0.0, 0.0

    def predict(self, X: NDArray[Any]) -> Floats:
        """Return the answers (rows, outputs)."""
        answers = np.zeros((len(X), self._shape[1]))
        kernels.add_answers(X, self._links, self._cut, self._value, answers)
        return answers

    def update(self, rows: BinnedRows, targets: Floats, weights: Floats) -> None:
        """Learn the targets (rows, outputs) of rows, one after the other."""
        settings = self.settings
        kernels.learn(
            rows.X, rows.bins, targets, weights, self.allowed, rows.cuts, rows.n_cuts,
            settings.memory, settings.grace, settings.evidence, settings.max_depth,
            -np.log(settings.chance), self._links, self._cut, self._value, self._leaves,
            self._histograms, self._moments, self._counts,
        )  # fmt: skip

    def nodes(self, step: float) -> tuple[NDArray[Any], ...]:
        """Return column, cut, left, right, missing and value of the nodes, answers times `step`."""
        n = int(self._counts[0])
        links = self._links[:n].astype(np.int64)
        return (*links[:, :1].T, self._cut[:n].copy(), *links[:, 1:].T, step * self._value[:n])


def tree_table(trees: list[tuple[NDArray[Any], ...]]) -> TreeTable:
    """Return one table of the nodes of several trees."""
    sizes = [len(nodes[0]) for nodes in trees]
    roots = np.cumsum([0, *sizes])[:-1]
    column, cut, left, right, missing, value = map(np.concatenate, zip(*trees, strict=True))
    shift = np.repeat(roots, sizes)
    left, right, missing = (np.where(to >= 0, to + shift, -1) for to in (left, right, missing))
    return TreeTable(roots, column, cut, left, right, missing, value)
