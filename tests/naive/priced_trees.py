"""A slow twin of boosted trees on a budget, from the formulas of gradient and Newton boosting.

Friedman (2001) for the losses and the leaves, LightGBM for the orders of categories, Huang et al.
(2015) and Xu et al. (2012, GreedyMiser) for the choice of what to pay for. Each candidate split is
a mask of rows whose sums are taken anew: nothing is binned, rounded, subtracted or kept up to date.

Columns of categories hold codes, 0 to their number less 1. A missing value is NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

TINY_HESSIAN = 1e-12  # the least of a row and output
LEAST_HESSIAN = 1e-3  # the least of a side of a split
POISSON_DAMPING = 0.7
MAX_LOG_STEP = 4.0  # of a leaf, where scores are logarithms
CATEGORY_SMOOTHING = 10.0  # in the order of categories, and in the gains where there are many
FEW_CATEGORIES = 4
EDGE_LIMIT = 1.0 - 1e-12  # a perfect split would have an infinite logarithm
BUDGET_SLACK = 1e-9  # relative
ROUNDING = 1e-12  # a gain below this part of its terms is 0 but for the rounding of sums


def quantile(values, weights, level):
    """Return the smallest value at which the share of weight reaches the level."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    total, reached = math.fsum(weights), 0.0
    for i in order:
        reached += weights[i]
        if reached >= level * total:
            return values[i]
    return values[order[-1]]


def start(loss, y, weights, n_classes, level):
    """Return the constant score of least loss, a value per output."""
    total = math.fsum(weights)
    if loss in ("absolute", "quantile"):
        return [quantile(y, weights, level)]
    if loss in ("squared", "poisson"):
        mean = math.fsum(w * value for w, value in zip(weights, y, strict=True)) / total
        return [mean if loss == "squared" else math.log(mean)]
    shares = [
        math.fsum(w for w, label in zip(weights, y, strict=True) if label == k) / total
        for k in range(n_classes)
    ]
    odds = [math.log(p / (1.0 - p)) for p in shares]
    part = 1.0 if loss == "logistic" else 0.5
    if n_classes == 2:
        return [part * odds[1]]
    if loss == "exponential":
        return [part * o for o in odds]
    logs = [math.log(p) for p in shares]
    return [value - sum(logs) / n_classes for value in logs]


def direction(loss, y, scores, level):
    """Return the negative gradients and the Hessians of one row of weight 1, per output."""
    F = scores[0]
    if loss == "squared":
        return [y - F], [1.0]
    if loss == "absolute":
        return [float(np.sign(y - F))], [1.0]
    if loss == "quantile":
        return [level if y > F else level - 1.0], [1.0]
    if loss == "poisson":
        return [y - math.exp(F)], [math.exp(F + POISSON_DAMPING)]
    signs = (
        [2.0 * y - 1.0] if len(scores) == 1 else [2.0 * (k == y) - 1 for k in range(len(scores))]
    )
    if loss == "exponential":
        hessians = [math.exp(-s * f) for s, f in zip(signs, scores, strict=True)]
        return [s * h for s, h in zip(signs, hessians, strict=True)], hessians
    shares = probabilities(scores)
    wanted = [(s + 1.0) / 2.0 for s in signs]
    return [t - p for t, p in zip(wanted, shares, strict=True)], [p * (1.0 - p) for p in shares]


def probabilities(scores):
    """Return the logistic function of one score, or the softmax of several."""
    if len(scores) == 1:
        return [1.0 / (1.0 + math.exp(-scores[0]))]
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


@dataclass(frozen=True)
class Split:
    """Where the values of a column go; of numbers those up to the cut go left."""

    column: int
    missing_left: bool
    cut: float = math.inf
    left: frozenset | None = None  # of a column of categories
    right: frozenset = frozenset()

    def goes_left(self, value):
        if math.isnan(value):
            return self.missing_left
        if self.left is None:
            return value <= self.cut
        return value in self.left or (value not in self.right and self.missing_left)


@dataclass
class Node:
    """A node of a tree: a leaf until it has a split."""

    rows: np.ndarray
    split: Split | None = None
    children: tuple = ()
    step: np.ndarray | None = None

    def answer(self, x):
        if self.split is None:
            return self.step
        return self.children[0 if self.split.goes_left(x[self.split.column]) else 1].answer(x)


@dataclass
class Shop:
    """What is bought. An item has a price, and items that it requires; columns have an item."""

    prices: list
    owner: list
    requires: dict = field(default_factory=dict)
    budget: float = math.inf
    owned: set = field(default_factory=set)

    @property
    def spent(self):
        return math.fsum(self.prices[i] for i in self.owned)

    def needed(self, column):
        """Return the items that are still to be bought for a column."""
        found, new = set(), {self.owner[column]}
        while new:
            found |= new
            new = {other for item in new for other in self.requires.get(item, ())} - found
        return found - self.owned

    def bill(self, column):
        return math.fsum(self.prices[i] for i in self.needed(column))

    def fits(self, column):
        return self.spent + self.bill(column) <= self.budget * (1.0 + BUDGET_SLACK)

    def counted_price(self, column):
        """Return the item's own price, even when it is owned, plus what else is not owned."""
        item = self.owner[column]
        others = self.needed(column) - {item}
        price = self.prices[item] + math.fsum(self.prices[i] for i in others)
        return price or min((p for p in self.prices if p > 0.0), default=1.0)


@dataclass
class Options:
    """The parameters of a training."""

    loss: str
    n_classes: int = 0
    max_depth: int = 3
    n_rounds: int = 5
    learning_rate: float = 0.1
    min_samples_leaf: float = 20
    l2: float = 0.0
    level: float = 0.5
    rule: str = "edge"
    tau: float = 1.0
    penalty: float = 0.0
    categorical: tuple = ()


class Boosting:
    """One training of trees; `scores` are those of its rows after it, `trees` the roots."""

    def __init__(self, X, y, weights, shop, options):
        self.X, self.y, self.shop, self.options = np.asarray(X, float), list(y), shop, options
        weights = np.ones(len(self.y)) if weights is None else np.asarray(weights, float)
        self.weights = weights / weights.mean()
        self.start = start(options.loss, self.y, self.weights, options.n_classes, options.level)
        self.scores = np.tile(self.start, (len(self.y), 1))
        self.trees = []
        while len(self.trees) < options.n_rounds and self._one_round():
            pass

    def score(self, X):
        """Return the scores of other rows."""
        out = np.tile(self.start, (len(X), 1))
        for i, x in enumerate(np.asarray(X, float)):
            for tree in self.trees:
                out[i] += tree.answer(x)
        return out

    def _one_round(self):
        o = self.options
        found = [direction(o.loss, y, F, o.level) for y, F in zip(self.y, self.scores, strict=True)]
        w = self.weights[:, None]
        self.g = w * np.array([g for g, _ in found])
        self.h = np.maximum(w * np.array([h for _, h in found]), TINY_HESSIAN)
        self.row_h = self.h.sum(axis=1)
        self.total = float(((self.g**2).sum(axis=1) / self.row_h).sum())
        self.least = max(LEAST_HESSIAN, (o.min_samples_leaf - 0.5) * self.row_h.mean())
        root = self._grow()
        if root.split is None:
            return False
        self.trees.append(root)
        self.scores += np.array([root.answer(x) for x in self.X])
        return True

    def _grow(self):
        root = Node(np.arange(len(self.y)))
        level, leaves = [root], []
        for _ in range(self.options.max_depth):
            offers = [(node, self._best_splits(node.rows)) for node in level]
            offers.sort(key=lambda offer: -max((gain for gain, _ in offer[1]), default=-math.inf))
            level = []
            for node, splits in offers:
                node.split = self._choose(splits)
                if node.split is None:
                    leaves.append(node)
                    continue
                left = self._mask(node.split, node.rows)
                node.children = (Node(node.rows[left]), Node(node.rows[~left]))
                level += node.children
        for leaf in leaves + level:
            step = self._leaf_value(leaf.rows)
            if self.options.loss in ("poisson", "logistic", "exponential"):
                step = np.clip(step, -MAX_LOG_STEP, MAX_LOG_STEP)
            leaf.step = self.options.learning_rate * step
        return root

    def _leaf_value(self, rows):
        """Newton's step; or the quantile of what is left of y."""
        o = self.options
        if o.loss in ("absolute", "quantile"):
            rest = [self.y[r] - self.scores[r][0] for r in rows]
            return np.array([quantile(rest, [self.weights[r] for r in rows], o.level)])
        return self.g[rows].sum(axis=0) / (self.h[rows].sum(axis=0) + o.l2)

    def _choose(self, splits):
        """Return the split that is best by the rule, after it is paid for; None if there is none.

        `splits` has the gain and the best split of each column.
        """
        best, choice = -math.inf, None
        for gain, split in splits:
            if not gain > 0.0 or not self.shop.fits(split.column):
                continue
            worth = self._worth(gain, split.column)
            if worth > best and not (self.options.rule == "penalty" and worth <= 0.0):
                best, choice = worth, split
        if choice is not None:
            self.shop.owned |= self.shop.needed(choice.column)
        return choice

    def _worth(self, gain, column):
        o, shop = self.options, self.shop
        if o.rule == "penalty":
            return gain / len(self.y) - o.penalty * shop.bill(column)
        share = min(max(gain / self.total, 0.0), 1.0)
        edge = math.sqrt(1.0 - (1.0 - share) ** 2)  # sqrt(1 - edge^2) is what is left of the loss
        price = shop.counted_price(column)
        if o.rule == "edge":
            return edge
        if o.rule == "speedboost":
            return (1.0 - math.sqrt(1.0 - edge**2)) / price
        fall = -math.log1p(-(min(edge, EDGE_LIMIT) ** 2))
        return fall / {"greedy": price, "smoothed": o.tau * shop.spent + price}[o.rule]

    def _best_splits(self, rows):
        """Return the gain and the split that is best of each column; the first of equals."""
        found = []
        for column in range(self.X.shape[1]):
            best, choice = -math.inf, None
            for split in self._splits(column, rows):
                gain = self._gain(split, rows)
                if gain > best:
                    best, choice = gain, split
            if choice is not None:
                found.append((best, choice))
        return found

    def _splits(self, column, rows):
        """Yield the splits of a column; at an equal gain missing values go right, so that is first.

        Without missing values in the node they go right.
        """
        some_missing = bool(np.isnan(self.X[rows, column]).any())
        orders, cuts = [], []
        if column in self.options.categorical:
            orders = self._orders(column, rows)
        else:
            present = sorted({v for v in self.X[:, column] if not math.isnan(v)})
            cuts = [(a + b) / 2.0 for a, b in pairwise(present)] + [math.inf] * some_missing
        for side in (False, True) if some_missing else (False,):
            for cut in cuts:
                yield Split(column, side, cut)
            for order in orders:
                for n in range(1, len(order) + some_missing):
                    yield Split(column, side, 0.0, frozenset(order[:n]), frozenset(order[n:]))

    def _orders(self, column, rows):
        """Return the categories in the node by G_k / (H + 10), for each output k in turn."""
        values = self.X[rows, column]
        codes = sorted({v for v in values if not math.isnan(v)})
        own = {c: rows[values == c] for c in codes}
        return [
            sorted(
                codes,
                key=lambda c: (
                    self.g[own[c], k].sum() / (self.row_h[own[c]].sum() + CATEGORY_SMOOTHING)
                ),
            )
            for k in range(self.g.shape[1])
        ]

    def _mask(self, split, rows):
        return np.array([split.goes_left(v) for v in self.X[rows, split.column]])

    def _gain(self, split, rows):
        """|G_L|²/(H_L+λ) + |G_R|²/(H_R+λ) - |G|²/(H+λ), if both sides have enough Hessians."""
        left = self._mask(split, rows)
        sides = rows[left], rows[~left]
        if min(self.row_h[side].sum() for side in sides) < self.least:
            return -math.inf
        l2 = self.options.l2
        values = self.X[:, split.column]
        n_categories = len(set(values[~np.isnan(values)])) if split.left is not None else 0
        more = CATEGORY_SMOOTHING if n_categories > FEW_CATEGORIES else 0.0
        parts = [self._square(side, l2 + more) for side in sides]
        gain = parts[0] + parts[1] - self._square(rows, l2)
        return gain if abs(gain) > ROUNDING * (parts[0] + parts[1]) else 0.0

    def _square(self, rows, ridge):
        return float((self.g[rows].sum(axis=0) ** 2).sum() / (self.row_h[rows].sum() + ridge))
