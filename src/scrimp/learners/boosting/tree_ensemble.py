"""Gradient boosting of trees on one binned table, and the ensembles that it makes.

Friedman. Greedy Function Approximation: A Gradient Boosting Machine. Annals of Statistics, 2001.
Trees of several classes have one value per class in each leaf. Their splits are found on at
most `MAX_SKETCH` random projections of the gradients (Iosipoi and Vakhrushev, SketchBoost,
NeurIPS 2022).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...data.preparation import Preparation
from ...kernels.tree_losses import add_step, add_votes_by_bins, project
from ...plans.components.models import TreesModel
from ...plans.components.tree_table import TreeTable
from ...runtime.time_limit import is_time_over
from ...types import Floats, Ints
from .tree_grower import GrowthOptions, LargestGain, SplitRule, Tree, TreeGrower
from .tree_loss import TreeLoss

#: Projections of the gradients of several classes on which splits are found.
MAX_SKETCH = 5
#: Boosting ends when the sum of squared gradients is this part of the first: the rest is rounding.
NO_ENERGY = 1e-20


@dataclass(frozen=True)
class BoostingOptions:
    """How trees are boosted.

    Parameters
    ----------
    growth : GrowthOptions
        Limits of a tree.
    n_rounds : int
        The most trees.
    learning_rate : float
        The part of a step that is taken.
    subsample, colsample : float
        The share of the rows, and of the columns, that are drawn for each tree.
    patience : int
        Rounds without a smaller loss on held-out rows after which boosting ends.
    seed : int
        Draws rows, columns, projections and the rounding of gradients.
    """

    growth: GrowthOptions = field(default_factory=GrowthOptions)
    n_rounds: int = 100
    learning_rate: float = 0.1
    subsample: float = 1.0
    colsample: float = 1.0
    patience: int = 10
    seed: int = 0


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A tree by bins, as arrays; see `Tree`, and `value` (nodes, outputs) of its leaves."""

    column: Ints
    left: Ints
    right: Ints
    goes_left: NDArray[np.bool_]
    value: Floats


@dataclass(eq=False)
class Ensemble:
    """Boosted trees.

    Parameters
    ----------
    base : float array (outputs,)
        The scores before the first tree.
    trees : list of GrownTree
        The trees.
    losses : list of float
        The loss on held-out rows before the first tree and after each one.
    """

    base: Floats
    trees: list[GrownTree] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)

    @property
    def best_rounds(self) -> int:
        """The number of trees with the smallest loss on held-out rows."""
        return int(np.argmin(self.losses)) if self.losses else len(self.trees)


#: Makes the rule for the splits of a tree from the largest possible gain and the sum of weights.
RuleMaker = Callable[[float, float], SplitRule]


class TreeBooster:
    """Boosts trees on a binned table under one loss.

    Parameters
    ----------
    grower : TreeGrower
        The table.
    loss : TreeLoss
        The loss of its rows.
    options : BoostingOptions
        How trees are boosted.
    """

    def __init__(self, grower: TreeGrower, loss: TreeLoss, options: BoostingOptions) -> None:
        self.grower, self.loss, self.options = grower, loss, options

    def boost(
        self,
        rows: Ints,
        columns: Ints,
        make_rule: RuleMaker | None = None,
        held_out: Ints | None = None,
        after_round: Callable[[Ensemble], None] | None = None,
    ) -> Ensemble:
        """Return the trees of a training.

        Parameters
        ----------
        rows : int array
            The rows to learn from, ascending.
        columns : int array
            The columns that may be tested.
        make_rule : callable, optional
            Makes the rule for the splits of each tree; by default the largest gain decides.
        held_out : int array, optional
            Rows whose loss tells when to stop.
        after_round : callable, optional
            Called with the ensemble after each tree.
        """
        loss, n = self.loss, len(self.loss.y)
        base = loss.initial_scores(rows)
        ensemble = Ensemble(base)
        scores = np.tile(base, (n, 1))
        gradient, hessian = np.zeros((n, len(base))), np.zeros((n, len(base)))
        first_energy = 0.0
        if held_out is not None:
            ensemble.losses.append(loss.mean(scores, held_out))
        for t in range(self.options.n_rounds):
            if is_time_over():
                break
            loss.write_gradients(scores, gradient, hessian, self.grower.pool)
            energy = float(np.einsum("ik,ik->", gradient, gradient))
            first_energy = energy if t == 0 else first_energy
            if not energy > NO_ENERGY * first_energy:
                break
            tree, rule = self._grow(rows, columns, gradient, hessian, make_rule, t)
            if tree.column[0] < 0:
                break
            grown = self._with_values(tree, scores, gradient, hessian)
            self._add(grown, tree, scores, rows, held_out)
            ensemble.trees.append(grown)
            if after_round is not None:
                after_round(ensemble)
            if held_out is not None:
                ensemble.losses.append(loss.mean(scores, held_out))
                if t + 1 - ensemble.best_rounds >= self.options.patience:
                    break
            if rule.has_ended:
                break
        return ensemble

    def _grow(
        self, rows: Ints, columns: Ints, gradient: Floats, hessian: Floats,
        make_rule: RuleMaker | None, t: int,
    ) -> tuple[Tree, SplitRule]:  # fmt: skip
        """Grow the tree of a round on a sample of rows and columns."""
        options = self.options
        rng = np.random.default_rng([options.seed, t])
        some = _sampled(rows, options.subsample, rng)
        offered = _sampled(columns, options.colsample, rng)
        targets = gradient
        if gradient.shape[1] > MAX_SKETCH:
            directions = rng.normal(size=(gradient.shape[1], MAX_SKETCH)) / np.sqrt(MAX_SKETCH)
            targets, total_hessian = np.empty((len(gradient), MAX_SKETCH)), np.empty(len(gradient))
            project(gradient, hessian, directions, targets, total_hessian)
        else:
            total_hessian = hessian[:, 0] if hessian.shape[1] == 1 else hessian.sum(axis=1)
        rule: SplitRule = LargestGain()
        if make_rule is not None:
            square = np.einsum("ik,ik->i", targets, targets)[some]
            rule = make_rule(float((square / total_hessian[some]).sum()), float(len(some)))
        tree = self.grower.grow(
            targets, total_hessian, some.astype(np.uint32), offered, rule, options.growth,
            seed=int(rng.integers(2**31)),
        )  # fmt: skip
        return tree, rule

    def _with_values(
        self, tree: Tree, scores: Floats, gradient: Floats, hessian: Floats
    ) -> GrownTree:
        """Return the tree with the values of its leaves."""
        options = self.options
        value = np.zeros((len(tree.column), gradient.shape[1]))
        for leaf in tree.leaves:
            part = tree.order[slice(*tree.spans[leaf])]
            step = self.loss.leaf_value(scores, gradient, hessian, part, options.growth.ridge)
            value[leaf] = options.learning_rate * np.clip(step, *tree.bounds[leaf])
        column, left, right = (np.array(x) for x in (tree.column, tree.left, tree.right))
        return GrownTree(column, left, right, np.array(tree.goes_left), value)

    def _add(
        self, grown: GrownTree, tree: Tree, scores: Floats, rows: Ints, held_out: Ints | None
    ) -> None:
        """Add the values of a tree to the scores of the training rows and of the held-out ones."""
        others = [] if held_out is None else [held_out]
        if len(tree.order) == len(rows):
            for leaf in tree.leaves:
                add_step(scores, tree.order[slice(*tree.spans[leaf])], grown.value[leaf])
        else:
            others.append(rows)
        for part in others:
            add_votes_by_bins(
                scores, self.grower.bins, part, grown.column, grown.left, grown.right,
                grown.goes_left, grown.value,
            )  # fmt: skip

    def model(self, ensemble: Ensemble, n_trees: int | None = None) -> TreesModel:
        """Return the first trees of an ensemble as a model of the columns that they read."""
        table = tree_table(ensemble.trees[:n_trees], self.grower.cuts, len(ensemble.base))
        used = np.unique(table.column[table.column >= 0])
        position = np.full(used.max(initial=-1) + 1, -1)
        position[used] = np.arange(len(used))
        column = np.where(table.column >= 0, position[table.column], -1)
        arrays = table.arrays() | {"column": column}
        return TreesModel(Preparation.plain(used), TreeTable(**arrays), ensemble.base, "identity")


def _sampled(values: Ints, share: float, rng: np.random.Generator) -> Ints:
    """Return a random share of values, at least one, in their order."""
    if share >= 1.0:
        return values
    n = max(round(share * len(values)), 1)
    return np.sort(rng.choice(values, n, replace=False))


def tree_table(trees: list[GrownTree], cuts: list[Floats], n_outputs: int) -> TreeTable:
    """Return trees by bins as trees by values.

    A set of categories that goes left is a search among the runs of its codes: several nodes,
    all of which lead to the same two children.
    """
    nodes: list[tuple[int, float, int, int, int]] = []
    values: list[Floats] = []
    roots = []
    for tree in trees:
        roots.append(len(nodes))
        _append_tree(tree, cuts, nodes, values)
    column, cut, left, right, missing = zip(*nodes, strict=True) if nodes else ((),) * 5
    value = np.array(values).reshape(-1, n_outputs)
    return TreeTable(
        np.array(roots, dtype=np.int64), np.array(column, dtype=np.int64), np.array(cut),
        np.array(left, dtype=np.int64), np.array(right, dtype=np.int64),
        np.array(missing, dtype=np.int64), value,
    )  # fmt: skip


def _append_tree(
    tree: GrownTree, cuts: list[Floats], nodes: list[tuple[int, float, int, int, int]],
    values: list[Floats],
) -> None:  # fmt: skip
    """Append the nodes of a tree, parents first."""
    tests = [_tests(tree, node, cuts) for node in range(len(tree.column))]
    sizes = [max(len(each), 1) for each in tests]
    first = len(nodes) + np.cumsum(sizes) - sizes
    for node, runs in enumerate(tests):
        if tree.column[node] < 0:
            nodes.append((-1, 0.0, -1, -1, -1))
            values.append(tree.value[node])
            continue
        sides = int(first[tree.right[node]]), int(first[tree.left[node]])
        missing = sides[int(tree.goes_left[node, -1])]
        start = int(first[node])
        for cut, low, high in runs:
            below, above = (
                sides[side] if inner < 0 else start + inner for side, inner in (low, high)
            )
            nodes.append((int(tree.column[node]), cut, below, above, missing))
            values.append(np.zeros_like(tree.value[node]))


#: A side (1 is left), and the place of the test that follows instead, -1 for none.
_Next = tuple[int, int]


def _tests(tree: GrownTree, node: int, cuts: list[Floats]) -> list[tuple[float, _Next, _Next]]:
    """Return the cuts of a node, as a balanced search over runs of bins that go the same way."""
    if tree.column[node] < 0:
        return []
    column_cuts = cuts[int(tree.column[node])]
    sides = tree.goes_left[node, : len(column_cuts) + 1].astype(int)
    changes = np.flatnonzero(np.diff(sides))
    tests: list[tuple[float, _Next, _Next]] = []
    if not len(changes):  # only missing values go the other way
        return [(np.inf, (int(sides[0]), -1), (int(sides[0]), -1))]

    def search(first: int, last: int) -> _Next:
        """Add the tests of the changes from first to last; return where they begin."""
        if first > last:
            run_start = 0 if first == 0 else int(changes[first - 1]) + 1
            return int(sides[run_start]), -1
        middle, place = (first + last) // 2, len(tests)
        tests.append((0.0, (0, -1), (0, -1)))
        low, high = search(first, middle - 1), search(middle + 1, last)
        tests[place] = (float(column_cuts[changes[middle]]), low, high)
        return 0, place

    search(0, len(changes) - 1)
    return tests
