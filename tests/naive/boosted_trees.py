"""A slow twin of the boosting of small trees, from the formulas of `scrimp.kernels.boosted_trees`.

There is no paper: the formulas are those of Newton boosting with one curvature a row. All sums
run over lists of rows; nothing is binned, subtracted or kept up to date.
"""

from __future__ import annotations

import math

SQUARED, TWO_CLASSES, CLASSES = 0, 1, 2
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
    """Where the loss falls (half of it, if squared) and the largest curvature, of one row."""
    if kind == SQUARED:
        return [y - scores[0]], 1.0
    shares = probabilities(kind, scores)
    falls = [(1.0 if k == y else 0.0) - p for k, p in enumerate(shares)]
    curvature = max(max(p * (1.0 - p) for p in shares), 1e-6)
    return falls[-len(scores) :], curvature


def mean_loss(kind, y, weights, scores, rows):
    """Weighted, over some rows."""
    total = math.fsum(weights[r] * loss(kind, y[r], scores[r]) for r in rows)
    return total / math.fsum(weights[r] for r in rows)


class Boosting:
    """One training; see `scrimp.kernels.boosted_trees.boost` for the parameters.

    Trees are lists of nodes (column, last bin, missing left, left child, leaf).
    """

    def __init__(self, bins, columns, kind, y, weights, rows, others, start, options, shown=None):
        self.bins, self.columns, self.kind, self.y, self.weights = bins, columns, kind, y, weights
        self.rows, self.others = list(rows), list(others)
        self.leaves, self.least, self.ridge, self.rate, self.rounds = options
        self.scores = {r: list(start) for r in (*rows, *others)}
        self.trees, self.values, self.losses, self.history = [], [], [], []
        self.shown = shown

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
        nodes, leaves = self._grow()
        if len(leaves) == 1:
            return False
        steps = []
        for rows, others, _ in leaves:
            falls, curvature = self._sums(rows)
            steps.append([self.rate * g / (curvature + self.ridge) for g in falls])
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
        squares = math.fsum((self.weights[r] * g) ** 2 for r in self.rows for g in self.found[r][0])
        best = (1e-13 * squares, -1, -1, 0)
        everything = range(len(self.columns))
        for c in everything if self.shown is None else self.shown[len(self.trees)]:
            column = self.columns[c]
            present = sorted({int(self.bins[column][r]) for r in rows} - {MISSING})
            some_missing = any(self.bins[column][r] == MISSING for r in rows)
            for missing_left in (0, 1) if some_missing else (0,):
                for last in present:
                    parts = self._parted(rows, c, last, missing_left)
                    if min(map(len, parts)) < self.least:
                        continue
                    gain = sum(map(self._worth, parts)) - self._worth(rows)
                    best = max(best, (gain, c, last, missing_left), key=lambda split: split[0])
        return best

    def _parted(self, rows, c, last, missing_left):
        sides = ([], [])
        for r in rows:
            b = self.bins[self.columns[c]][r]
            left = missing_left == 1 if b == MISSING else b <= last
            sides[0 if left else 1].append(r)
        return sides

    def _sums(self, rows):
        falls = [
            math.fsum(self.weights[r] * self.found[r][0][k] for r in rows)
            for k in range(len(self.found[rows[0]][0]))
        ]
        return falls, math.fsum(self.weights[r] * self.found[r][1] for r in rows)

    def _worth(self, rows):
        """Twice what the best step of a leaf lowers the loss by, to second order."""
        falls, curvature = self._sums(rows)
        return sum(g * g for g in falls) / (curvature + self.ridge)


def walk(nodes, bins, columns, row):
    """The leaf that a row comes to."""
    node = 0
    while nodes[node][0] >= 0:
        column, last, missing_left, left, _ = nodes[node]
        b = bins[columns[column]][row]
        node = left if ((missing_left == 1) if b == MISSING else b <= last) else left + 1
    return nodes[node][4]
