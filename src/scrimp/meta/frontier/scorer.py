"""The cross-validated loss of sets of items, by quick boosted trees."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from ...costs.item_sets import Items
from ...kernels import run_pieces
from ...kernels.boosted_trees import boost, column_gains
from ...types import Floats, Ints
from .design import Design
from .problem import Truth, folds_of

#: A tree is shown so many times the root of the number of columns, where they are more than its
#: square.
SHOWN = 4


@dataclass(frozen=True)
class TreeOptions:
    """How trees are boosted.

    Parameters
    ----------
    leaves : int
        Of a tree, at most.
    rate : float
        What part of a full step is taken.
    rounds : int
        Trees, at most.
    patience : int
        Rounds without a gain after which it ends.
    least_rows : int
        Of a leaf.
    ridge : float
        Added to the curvature of a leaf.
    """

    leaves: int = 6
    rate: float = 0.3
    rounds: int = 60
    patience: int = 4
    least_rows: int = 5
    ridge: float = 1.0

    def array(self) -> Floats:
        """As the kernel takes them."""
        numbers = (self.leaves, self.least_rows, self.ridge, self.rate, self.rounds)
        return np.array(numbers, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Score:
    """How well a set of items predicts rows that were not learnt from.

    Parameters
    ----------
    loss : float
        The mean log loss or squared error.
    scores : float array (rows, outputs)
        Of each row, by the training without it.
    """

    loss: float
    scores: Floats


def shown_columns(n_columns: int, rounds: int) -> Ints:
    """The columns that each tree is shown (rounds x some); none where it may see them all.

    Trees of many columns are grown much faster on some of them, and are as good together.
    """
    some = round(SHOWN * np.sqrt(n_columns))
    if n_columns <= SHOWN**2 or some >= n_columns:
        return np.empty((rounds, 0), dtype=np.int64)
    order = np.random.default_rng(n_columns).random((rounds, n_columns)).argsort(axis=1)
    return np.ascontiguousarray(np.sort(order[:, :some], axis=1))


class SetScorer:
    """Cross-validates boosted trees on sets of items.

    Parameters
    ----------
    design : Design
        The rows.
    truth : Truth
        What to predict.
    n_folds : int
        Of the cross-validation.
    rng : Generator
        Draws the folds.
    pool : Executor, optional
        Threads.
    options : TreeOptions
        Of the trees.
    """

    def __init__(
        self,
        design: Design,
        truth: Truth,
        n_folds: int,
        rng: np.random.Generator,
        pool: Executor | None = None,
        options: TreeOptions = TreeOptions(),  # noqa: B008 - frozen
    ) -> None:
        self.design, self.truth, self.options = design, truth, options
        self.pool, self._n_folds = pool, n_folds
        self._fold = folds_of(truth, n_folds, rng)
        self._known: dict[Items, float] = {}

    def loss(self, items: Items) -> float:
        """The loss of one set; remembered."""
        key = tuple(sorted(items))
        if key not in self._known:
            self.score([items])
        return self._known[key]

    def learn_losses(self, sets: Sequence[Items]) -> None:
        """Find the losses of those sets that are not known yet, side by side."""
        unknown = [items for items in sets if tuple(sorted(items)) not in self._known]
        if unknown:
            self.score(unknown)

    def rounds(self, items: Items, options: TreeOptions, folds: int | None = None) -> float:
        """After how many rounds the loss of a set is least; by all folds, or the first ones."""
        n_folds = self._n_folds if folds is None else folds
        scores = np.zeros((len(self.truth.y), len(self.truth.start)))
        columns = self.design.columns(items)
        return float(np.mean([self._boost(columns, k, options, scores)[0] for k in range(n_folds)]))

    def score(self, sets: Sequence[Items]) -> list[Score]:
        """The scores of several sets, side by side."""
        n_folds, outputs = self._n_folds, len(self.truth.start)
        scores = np.zeros((len(sets), len(self.truth.y), outputs))
        losses = np.zeros((len(sets), n_folds))
        columns = [self.design.columns(items) for items in sets]

        def train(job: int) -> None:
            one, fold = divmod(job, n_folds)
            losses[one, fold] = self._boost(columns[one], fold, self.options, scores[one])[1]

        run_pieces(self.pool, train, range(len(sets) * n_folds))
        result = [
            Score(float(own.mean()), answers) for own, answers in zip(losses, scores, strict=True)
        ]
        for items, score in zip(sets, result, strict=True):
            self._known[tuple(sorted(items))] = score.loss
        return result

    def _boost(
        self, columns: Ints, fold: int, options: TreeOptions, scores: Floats
    ) -> tuple[float, float]:
        truth, leaves = self.truth, options.leaves
        rounds, loss, _ = boost(
            self.design.bins, self.design.n_bins, columns,
            shown_columns(len(columns), options.rounds), truth.loss, truth.y, truth.weights,
            np.flatnonzero(self._fold != fold), np.flatnonzero(self._fold == fold), truth.start,
            options.array(), options.patience, scores,
            np.empty((0, 2 * leaves - 1, 5), np.int64), np.empty((0, leaves, scores.shape[1])),
        )  # fmt: skip
        return rounds, loss

    def gains(self, scores: Floats) -> dict[int, float]:
        """How much one split by each item would lower the loss of given scores."""
        design, truth = self.design, self.truth
        columns = np.concatenate(list(design.columns_of.values()))
        gains = np.empty(len(columns))
        pieces = np.array_split(np.arange(len(columns)), min(len(columns), 16))

        def look(piece: Ints) -> None:
            own = gains[piece[0] : piece[-1] + 1]
            column_gains(
                design.bins, design.n_bins, columns[piece], truth.loss, truth.y, truth.weights,
                scores, self.options.least_rows, self.options.ridge, own,
            )  # fmt: skip

        run_pieces(self.pool, look, pieces)
        ends = np.cumsum([len(own) for own in design.columns_of.values()])
        parts = np.split(gains, ends[:-1])
        return {item: float(own.max()) for item, own in zip(design.columns_of, parts, strict=True)}
