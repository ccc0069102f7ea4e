"""The cross-validated loss of item sets, by quick boosted trees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...costs.item_sets import Items
from ...kernels.boosted_trees import boost
from ...kernels.packed_gradients import column_gains, pack_scores
from ...kernels.threads import run_pieces
from ...learners.boosting.tree_ensemble import MAX_SKETCH
from ...learners.boosting.tree_loss import MAX_LOG_STEP
from ...types import Floats, Ints
from .design import Design
from .training_target import TrainingTarget

#: A tree is offered this multiple of the square root of the number of columns, where columns
#: are more than its square: fewer make trees faster, and each of them weaker.
COLUMN_FACTOR = 4


@dataclass(frozen=True)
class TreeOptions:
    """Options of boosted trees.

    Parameters
    ----------
    leaves : int
        Leaves per tree, at most.
    rate : float
        Learning rate.
    rounds : int
        Trees, at most.
    patience : int
        Rounds without improvement after which boosting ends.
    min_leaf_rows : int
        Rows per leaf, at least, counted by their Hessians.
    ridge : float
        Added to the sum of Hessians of a leaf.
    """

    leaves: int = 6
    rate: float = 0.3
    rounds: int = 60
    patience: int = 4
    min_leaf_rows: int = 5
    ridge: float = 1.0

    def array(self) -> Floats:
        """Return the options as the kernel takes them."""
        numbers = self.leaves, self.min_leaf_rows, self.ridge, self.rate, MAX_LOG_STEP, self.rounds
        return np.array(numbers, dtype=np.float64)


DEFAULT_TREE_OPTIONS = TreeOptions()


class Scorer(Protocol):
    """Cross-validates a model on item sets."""

    design: Design

    def loss(self, items: Items) -> float:
        """Return the loss of one set, which is computed once."""

    def compute_losses(self, sets: Sequence[Items]) -> None:
        """Compute the losses of the sets that are not known yet."""


class KnownLosses(ABC):
    """The losses of item sets, each of which is computed once."""

    def __init__(self) -> None:
        self._losses: dict[Items, float] = {}

    def loss(self, items: Items) -> float:
        """Return the loss of one set, which is computed once."""
        self.compute_losses([items])
        return self._losses[tuple(sorted(items))]

    def compute_losses(self, sets: Sequence[Items]) -> None:
        """Compute the losses of the sets that are not known yet."""
        keys = dict.fromkeys(tuple(sorted(items)) for items in sets)
        unknown = [key for key in keys if key not in self._losses]
        if unknown:
            self._losses.update(zip(unknown, self._computed(unknown), strict=True))

    @abstractmethod
    def _computed(self, sets: Sequence[Items]) -> Sequence[float]:
        """Return the losses of some sets."""


@dataclass(frozen=True, eq=False)
class SetScore:
    """How well an item set predicts held-out rows.

    Parameters
    ----------
    loss : float
        The mean log loss or squared error.
    scores : float array (rows, outputs)
        Out-of-fold scores.
    """

    loss: float
    scores: Floats


def sampled_columns(n_columns: int, rounds: int) -> Ints:
    """Return the columns that each tree is offered (rounds, columns); none if it may use all.

    Trees on many columns are grown much faster on some of them, and are as good together.
    """
    n_sampled = round(COLUMN_FACTOR * np.sqrt(n_columns))
    if n_columns <= COLUMN_FACTOR**2 or n_sampled >= n_columns:
        return np.empty((rounds, 0), dtype=np.int64)
    order = np.random.default_rng(n_columns).random((rounds, n_columns)).argsort(axis=1)
    return np.ascontiguousarray(np.sort(order[:, :n_sampled], axis=1))


def projections(n_outputs: int, rounds: int) -> Floats:
    """Return the random projections on which each tree of many classes finds its splits.

    The array is (rounds, projections, outputs), without any where all gradients are used; see
    `TreeBooster`.
    """
    n_projections = MAX_SKETCH if n_outputs > MAX_SKETCH else 0
    drawn = np.random.default_rng(n_outputs).normal(size=(rounds, n_projections, n_outputs))
    return np.asarray(drawn / np.sqrt(max(n_projections, 1)))


class SetScorer(KnownLosses):
    """Cross-validates boosted trees on item sets.

    Parameters
    ----------
    design : Design
        The prepared columns.
    target : TrainingTarget
        The training target.
    n_folds : int
        Folds of the cross-validation.
    rng : Generator
        Draws the folds.
    pool : Executor, optional
        Threads.
    options : TreeOptions
        Options of the trees.
    fold_of : int array (rows,), optional
        The fold of each row; by default they are drawn.
    """

    def __init__(
        self,
        design: Design,
        target: TrainingTarget,
        n_folds: int,
        rng: np.random.Generator,
        pool: Executor | None = None,
        options: TreeOptions = DEFAULT_TREE_OPTIONS,
        fold_of: Ints | None = None,
    ) -> None:
        super().__init__()
        self.design, self.target, self.options = design, target, options
        self.pool, self._n_folds = pool, n_folds
        self._fold_of = target.folds(n_folds, rng) if fold_of is None else fold_of

    def _computed(self, sets: Sequence[Items]) -> list[float]:
        return [score.loss for score in self.score(sets)]

    def best_rounds(
        self, items: Items, options: TreeOptions, folds: int | None = None
    ) -> tuple[float, float]:
        """Return the number of rounds with the smallest loss, and that loss.

        They are means over all folds, or over the first ones.
        """
        n_folds = self._n_folds if folds is None else folds
        scores = np.zeros((len(self.target.y), len(self.target.initial_score)))
        columns = self.design.columns(items)
        boosted = [self._boost(columns, fold, options, scores) for fold in range(n_folds)]
        rounds, loss = np.mean(boosted, axis=0)
        return float(rounds), float(loss)

    def score(self, sets: Sequence[Items]) -> list[SetScore]:
        """Return the scores of several sets, computed in parallel."""
        n_folds, outputs = self._n_folds, len(self.target.initial_score)
        scores = np.zeros((len(sets), len(self.target.y), outputs))
        losses = np.zeros((len(sets), n_folds))
        columns = [self.design.columns(items) for items in sets]

        def train(job: int) -> None:
            place, fold = divmod(job, n_folds)
            losses[place, fold] = self._boost(columns[place], fold, self.options, scores[place])[1]

        run_pieces(self.pool, train, range(len(sets) * n_folds))
        means = [float(fold_losses.mean()) for fold_losses in losses]
        for items, loss in zip(sets, means, strict=True):
            self._losses[tuple(sorted(items))] = loss
        return [SetScore(loss, oof) for loss, oof in zip(means, scores, strict=True)]

    def _boost(
        self, columns: Ints, fold: int, options: TreeOptions, scores: Floats
    ) -> tuple[float, float]:
        """Boost trees on all folds but one; return the best number of rounds and its loss."""
        train, test = np.flatnonzero(self._fold_of != fold), np.flatnonzero(self._fold_of == fold)
        return self._boost_rows(columns, train, test, options, scores)

    def _boost_rows(
        self, columns: Ints, train: Ints, test: Ints, options: TreeOptions, scores: Floats
    ) -> tuple[float, float]:
        """Boost trees on some rows; return the number of rounds that is best on others."""
        target, leaves = self.target, options.leaves
        rounds, loss, _ = boost(
            self.design.bins, self.design.n_bins, columns,
            sampled_columns(len(columns), options.rounds),
            projections(scores.shape[1], options.rounds), target.loss, target.y, target.weights,
            train, test, target.initial_score, options.array(), options.patience, scores,
            np.empty((0, 2 * leaves - 1, 5), np.int64), np.empty((0, leaves, scores.shape[1])),
        )  # fmt: skip
        return rounds, loss

    def gains(self, scores: Floats) -> dict[int, float]:
        """Return how much one split by each item would lower the loss of given scores."""
        return self._gains_of(None, scores)

    def _gains_of(self, rows: Ints | None, scores: Floats) -> dict[int, float]:
        """Return the gains of items on some rows, or on all."""
        design, target, options = self.design, self.target, self.options
        bins = design.bins
        if rows is not None:
            bins, target, scores = bins[:, rows], target.subset(rows), scores[rows]
        columns = np.concatenate(list(design.columns_of.values()))
        gains = np.empty(len(columns))
        packed, cut_options = pack_scores(
            target.loss, target.y, target.weights, scores, projections(scores.shape[1], 1)[0],
            options.min_leaf_rows, options.ridge,
        )  # fmt: skip
        pieces = np.array_split(np.arange(len(columns)), min(len(columns), 16))

        def compute(piece: Ints) -> None:
            part = slice(piece[0], piece[-1] + 1)
            column_gains(bins, design.n_bins, columns[part], packed, cut_options, gains[part])

        run_pieces(self.pool, compute, pieces)
        ends = np.cumsum([len(columns) for columns in design.columns_of.values()])
        parts = np.split(gains, ends[:-1])
        return {
            item: float(part.max()) for item, part in zip(design.columns_of, parts, strict=True)
        }
