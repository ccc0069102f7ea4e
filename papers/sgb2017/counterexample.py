"""The counterexample of Hu 2019, Sec. 5.8.4: the loss 2|y1| + |y2| and learners along one axis.

The thesis says that learners which follow the leader answer [a, 0] whatever the sequence of
targets, so that Alg. 6 stays away from the best by the second coordinate of its start. Fitted stage
by stage to the one gradient at hand they do. Online they need not: targets [2, 1] and [-2, 1] in
turn have the mean [0, 1].
"""

from __future__ import annotations

import numpy as np

from scrimp.types import Floats

from ..trials import Record, Setting
from .data import Rows

#: Both coordinates at the start; the loss of staying away by the second.
START = 1.0
#: The largest answer of a learner.
LARGEST = 2.0
#: Stage-wise: learner i has the step STEP / sqrt(i), as the loss is not strongly convex.
STEP = 0.3
STAGES = (100, 1_000, 10_000)
#: Online: one step for all learners, numbers of learners, and of rows.
ONLINE_STEP = 0.05
LEARNERS = (10, 30, 50)
ROWS = (300, 12_000)
RECIPE = [1, START, LARGEST, STEP, STAGES, ONLINE_STEP, LEARNERS, ROWS]


def subgradient(y: Floats) -> Floats:
    """Return one of the thesis's four subgradients of each point (points, 2), also at 0."""
    return np.asarray(np.where(y >= 0.0, 1.0, -1.0) * np.array([2.0, 1.0]))


def loss(y: Floats) -> float:
    """Return 2|y1| + |y2|."""
    return float(2.0 * abs(y[0]) + abs(y[1]))


def nearest(targets: Floats) -> Floats:
    """Return the nearest to each target (targets, 2) of all [a, 0] and [0, a] within the largest.

    >>> nearest(np.array([[3.0, 1.0], [0.0, -1.0]])).tolist()
    [[2.0, 0.0], [0.0, -1.0]]
    """
    clipped = np.clip(targets, -LARGEST, LARGEST)
    gain = targets**2 - (targets - clipped) ** 2
    second = gain[:, 1] > gain[:, 0]
    return np.where(np.stack([~second, second], axis=1), clipped, 0.0)


def stagewise(n_learners: int, residuals: bool) -> float:
    """Return the loss of the mean of y^0 to y^(N-1), each learner fitted to its one target.

    Alg. 7 adds to the subgradient what the learner before has left of its target (`residuals`).
    """
    y, residual, total = np.full(2, START), np.zeros(2), np.zeros(2)
    for i in range(1, n_learners + 1):
        total += y
        target = subgradient(y) + (residual if residuals else 0.0)
        answer = nearest(target[None])[0]
        residual = target - answer
        y = y - STEP / np.sqrt(i) * answer
    return loss(total / n_learners)


def online(n_learners: int, n_rows: int, residuals: bool) -> tuple[float, float]:
    """Return the losses of the last partial sum and of the mean, at the last row.

    Every learner follows the leader: it answers with the nearest to the mean of its past targets.
    """
    sums = np.zeros((n_learners, 2))
    last = mean = np.full(2, START)
    for row in range(n_rows):
        answers = nearest(sums / max(row, 1))
        points = np.vstack([np.full((1, 2), START), START - ONLINE_STEP * answers.cumsum(axis=0)])
        last, mean = points[-1], points[:-1].mean(axis=0)
        targets = subgradient(points[:-1])
        if residuals:  # target_i = residual_(i-1) + gradient_i, residual_i = target_i - answer_i
            left = (targets - answers).cumsum(axis=0)
            targets[1:] += left[:-1]
        sums += targets
    return loss(last), loss(mean)


def trial(data: Rows, setting: Setting, rng: np.random.Generator) -> Record:
    """Compute both readings of the counterexample; nothing is drawn at random."""
    names = {"Alg. 6": False, "Alg. 7": True}
    return {
        "stagewise": {
            name: [stagewise(n, residuals) for n in STAGES] for name, residuals in names.items()
        },
        "online": {
            name: [[online(n, rows, residuals) for rows in ROWS] for n in LEARNERS]
            for name, residuals in names.items()
        },
    }
