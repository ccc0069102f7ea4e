"""Slow twin of the online regression tree, from the words of its documentation (no paper has it).

A leaf answers with the running mean of its targets, in which no more than `memory` rows count. Per
column and bin it keeps the weight and the sums of its targets since it became a leaf. Whenever rows
of a weight of `grace` have come, the split between two bins that lowers the sum of squares most is
tried; each side must have a weight of 2 or more. With G the fall and S the sum of squares about the
mean, the ratio -n log(1 - G / S) must reach 1 + 2 sqrt(t / K) + 2 t / K, with K outputs and
t = log(1 / chance) + log(number of cuts). The two new leaves begin with the means of their rows.
Missing values have a bin of their own, and go with the side where the fall is larger; where there
were none, with the heavier side.
"""

from __future__ import annotations

import math

import numpy as np


class Node:
    def __init__(self, outputs, depth):
        self.mean, self.weight, self.depth = np.zeros(outputs), 0.0, depth
        self.rows, self.since = [], 0.0
        self.test = None  # column, cut, left, right, side of missing values


class OnlineTree:
    def __init__(self, outputs, cuts, max_depth, memory, grace, chance):
        self.root, self.outputs, self.cuts = Node(outputs, 0), outputs, cuts
        self.max_depth, self.memory, self.grace, self.chance = max_depth, memory, grace, chance

    def leaf(self, x):
        node = self.root
        while node.test is not None:
            column, cut, left, right, missing = node.test
            side = left if x[column] <= cut else right
            node = missing if math.isnan(x[column]) else side
        return node

    def predict(self, x):
        return self.leaf(x).mean

    def update(self, x, target):
        node = self.leaf(x)
        node.weight = min(node.weight, self.memory - 1.0) + 1.0
        node.mean = node.mean + (target - node.mean) / node.weight
        if node.depth >= self.max_depth:
            return
        node.rows.append((np.array(x, float), np.array(target, float)))
        node.since += 1.0
        if node.since >= self.grace:
            node.since = 0.0
            self.try_to_split(node)

    def try_to_split(self, node):
        X = np.array([x for x, _ in node.rows])
        T = np.array([t for _, t in node.rows])
        whole = squares(T)
        best = (0.0, None)
        for j, cuts in enumerate(self.cuts):
            missing = np.isnan(X[:, j])
            for with_left in (False, True) if missing.any() else (False,):
                for cut in cuts:
                    left = (X[:, j] <= cut) | (missing & with_left)
                    if left.sum() < 2 or (~left).sum() < 2:
                        continue
                    fall = whole - squares(T[left]) - squares(T[~left])
                    if fall > best[0] * (1 + 1e-9):
                        best = (fall, (j, cut, left, missing, with_left))
        if best[1] is None:
            return
        n, K = len(T), self.outputs
        t = math.log(1 / self.chance) + math.log(sum(map(len, self.cuts)))
        share = min(best[0] / max(whole, 1e-300), 1 - 1e-12)
        if -n * math.log1p(-share) < 1 + 2 * math.sqrt(t / K) + 2 * t / K:
            return
        column, cut, left, missing, with_left = best[1]
        children = []
        for side in (left, ~left):
            child = Node(self.outputs, node.depth + 1)
            child.mean, child.weight = T[side].mean(axis=0), float(side.sum())
            children.append(child)
        if not missing.any():
            with_left = left.sum() > (~left).sum()
        node.test = (column, cut, *children, children[0 if with_left else 1])
        node.rows = []


def squares(T):
    """The sum of squares about the mean."""
    return float(((T - T.mean(axis=0)) ** 2).sum())
