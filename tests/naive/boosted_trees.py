"""A slow twin of the boosting of small trees, from the formulas of `scrimp.kernels.boosted_trees`.

There is no paper: the formulas are those of Newton boosting. Splits are found on the gradients, or
on projections of them, and on the sum of the Hessians of all outputs; leaves have a step for each
output. All sums run over lists of rows; nothing is quantised, subtracted or kept up to date.
"""

from __future__ import annotations

import math

from scrimp.kernels.tree_losses import LOGISTIC as TWO_CLASSES
from scrimp.kernels.tree_losses import SQUARED

LEAST_HESSIAN = 1e-3  # of a side of a split
MISSING = 255


def loss(kind, y, scores):
    """Of one row."""
    if kind == SQUARED:
        return (y - scores[0]) ** 2
    return -math.log(probabilities(kind, scores)[int(y)])


def probabilities(kind, scores):
    """Logistic of one score, or the softmax of several."""
    if kind == TWO_CLASSES:
        p = 1.0 / (1.0 + math.exp(-scores[0]))
        return [1.0 - p, p]
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def direction(kind, y, scores):
    """The negative gradients of the loss (of half of it, if squared) and the Hessians of a row."""
    if kind == SQUARED:
        return [y - scores[0]], [1.0]
    shares = probabilities(kind, scores)
    falls = [(1.0 if k == y else 0.0) - p for k, p in enumerate(shares)]
    curvatures = [max(p * (1.0 - p), 1e-12) for p in shares]
    return falls[-len(scores) :], curvatures[-len(scores) :]


def mean_loss(kind, y, weights, scores, rows):
    """Weighted, over some rows."""
    total = math.fsum(weights[r] * loss(kind, y[r], scores[r]) for r in rows)
    return total / math.fsum(weights[r] for r in rows)


class Boosting:
    """One training; see `scrimp.kernels.boosted_trees.boost` for the parameters.

    Trees are lists of nodes (column, last bin, missing left, left child, leaf).
    """

    def __init__(
        self, bins, columns, kind, y, weights, rows, others, start, options, shown=None,
        directions=None,
    ):  # fmt: skip
        self.bins, self.columns, self.kind, self.y, self.weights = bins, columns, kind, y, weights
        self.rows, self.others = list(rows), list(others)
        self.leaves, self.min_rows, self.ridge, self.rate, self.longest, self.rounds = options
        self.scores = {r: list(start) for r in (*rows, *others)}
        self.trees, self.values, self.losses, self.history = [], [], [], []
        self.shown, self.directions = shown, directions

    def run(self, patience):
        """The rounds of least loss, that loss, rounds run, and the scores of others then."""
        while True:
            self._note()
            best = self.losses.index(min(self.losses)) if self.losses else 0
            done = len(self.trees)
            if self.losses and best < done and done - best >= patience:
                break
            if done == self.rounds or not len(self.columns) or not self._one_round():
                break
        if not self.others:
            return len(self.trees), math.inf, len(self.trees), {}
        return best, self.losses[best], len(self.trees), self.history[best]

    def _note(self):
        if self.others:
            self.losses.append(mean_loss(self.kind, self.y, self.weights, self.scores, self.others))
            self.history.append({r: list(self.scores[r]) for r in self.others})

    def _one_round(self):
        self.found = {r: direction(self.kind, self.y[r], self.scores[r]) for r in self.rows}
        self.found = {r: self.weighted(r, *found) for r, found in self.found.items()}
        nodes, leaves = self._grow()
        if len(leaves) == 1:
            return False
        steps = []
        for rows, others, _ in leaves:
            steps.append([self.rate * step for step in self._newton_steps(rows)])
            for r in (*rows, *others):
                self.scores[r] = [s + t for s, t in zip(self.scores[r], steps[-1], strict=True)]
        self.trees.append(nodes)
        self.values.append(steps)
        return True

    def _grow(self):
        """Nodes, and the leaves as (rows, others, node)."""
        nodes, leaves = [(-1, -1, -1, -1, 0)], [(self.rows, self.others, 0)]
        while len(leaves) < self.leaves:
            splits = [self.best_split(rows) for rows, _, _ in leaves]
            leaf = max(range(len(leaves)), key=lambda i: splits[i][0])
            _, column, last, missing_left = splits[leaf]
            if column < 0:
                break
            rows, others, node = leaves[leaf]
            sides = [self._parted(own, column, last, missing_left) for own in (rows, others)]
            nodes[node] = (column, last, missing_left, len(nodes), -1)
            leaves[leaf] = (sides[0][0], sides[1][0], len(nodes))
            leaves.append((sides[0][1], sides[1][1], len(nodes) + 1))
            nodes += [(-1, -1, -1, -1, leaf), (-1, -1, -1, -1, len(leaves) - 1)]
        return nodes, leaves

    def best_split(self, rows):
        """The split of least loss: gain, column, last bin left, missing left; column -1 if none."""
        best = (0.0, -1, -1, 0)
        curvature = math.fsum(h for r in self.rows for h in self.found[r][1])
        mean = curvature / math.fsum(self.weights[r] for r in self.rows)
        least = max(LEAST_HESSIAN, (self.min_rows - 0.5) * mean)
        everything = range(len(self.columns))
        for c in everything if self.shown is None else self.shown[len(self.trees)]:
            column = self.columns[c]
            present = sorted({int(self.bins[column][r]) for r in rows} - {MISSING})
            some_missing = any(self.bins[column][r] == MISSING for r in rows)
            for missing_left in (0, 1) if some_missing else (0,):
                for last in present:
                    parts = self._parted(rows, c, last, missing_left)
                    if min(map(self._curvature, parts)) < least:
                        continue
                    reached = sum(map(self._worth, parts))
                    gain = reached - self._worth(rows)
                    if gain < 1e-10 * reached:  # rounding
                        continue
                    best = max(best, (gain, c, last, missing_left), key=lambda split: split[0])
        return best

    def _parted(self, rows, c, last, missing_left):
        sides = ([], [])
        for r in rows:
            b = self.bins[self.columns[c]][r]
            left = missing_left == 1 if b == MISSING else b <= last
            sides[0 if left else 1].append(r)
        return sides

    def weighted(self, r, falls, curvatures):
        """The gradients and Hessians of a row with its weight."""
        weight = self.weights[r]
        return [weight * g for g in falls], [weight * h for h in curvatures]

    def _newton_steps(self, rows):
        """The step of a leaf for each output."""
        sums = [[math.fsum(self.found[r][i][k] for r in rows)
                 for k in range(len(self.found[rows[0]][i]))] for i in (0, 1)]  # fmt: skip
        steps = [g / (h + self.ridge) for g, h in zip(*sums, strict=True)]
        if self.kind == SQUARED:
            return steps
        return [min(max(step, -self.longest), self.longest) for step in steps]

    def _curvature(self, rows):
        return math.fsum(h for r in rows for h in self.found[r][1])

    def _targets(self, r):
        falls = self.found[r][0]
        if self.directions is None:
            return falls
        rays = self.directions[len(self.trees)]
        return [sum(g * d for g, d in zip(falls, ray, strict=True)) for ray in rays]

    def _worth(self, rows):
        """Twice what the best step of a leaf lowers the loss by, to second order."""
        if not rows:
            return 0.0
        targets = [self._targets(r) for r in rows]
        sums = [math.fsum(column) for column in zip(*targets, strict=True)]
        return sum(g * g for g in sums) / (self._curvature(rows) + self.ridge)


def walk(nodes, bins, columns, row):
    """The leaf that a row comes to."""
    node = 0
    while nodes[node][0] >= 0:
        column, last, missing_left, left, _ = nodes[node]
        b = bins[columns[column]][row]
        node = left if ((missing_left == 1) if b == MISSING else b <= last) else left + 1
    return nodes[node][4]
