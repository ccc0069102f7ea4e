"""Fig. 5.1: average regret against the number of learners, their depth, and the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrimp.learners.streaming.base import JOIN_AFTER
from scrimp.learners.streaming.losses import StreamLoss
from scrimp.learners.streaming.user_learner import UserKind
from scrimp.types import Floats

from ..trials import Record, Setting
from . import published
from .data import Rows
from .refit_tree import RefitTree
from .regret import as_record, competitor, run, trees

DEPTHS = (1, 2, 3, 5, 8)
N_LEARNERS = 20
#: The part of the inverse smoothness that is a step of Alg. 6, as the library has it.
RATE = 0.3
#: Factors of the squared score in the loss, for smooth losses and for others. They are not printed.
#: The steps of Alg. 7 are one over it and the number of the learner: a small one makes them huge.
RIDGES = {"smooth": 0.01, "other": 0.25}
#: Rows of the small stream on which trees are fitted again to all past rows, with so many learners.
SMALL_ROWS = 1_000
SMALL_LEARNERS = 8
SMALL_DEPTHS = (1, 3)
#: Steps that are compared on trees of this depth: parts of the inverse smoothness. The last is
#: that of Thm 5.5.1 for an edge of 0.5.
STEP_DEPTH = 3
STEPS = {"1/β": 1.0, "0.3/β": RATE, "Thm 5.5.1": 0.5 / (8.0 - 4.0 * 0.5)}
RECIPE = [1, DEPTHS, N_LEARNERS, RATE, RIDGES, SMALL_ROWS, SMALL_LEARNERS, SMALL_DEPTHS, STEPS,
          JOIN_AFTER, published.COMPETITOR_DEPTH]  # fmt: skip


def grid(n_rows: int) -> list[int]:
    """Return numbers of rows at which regret is reported."""
    start = min(200, n_rows)
    return sorted({round(t) for t in np.geomspace(start, n_rows, 10).tolist()})


def trial(data: Rows, setting: Setting, rng: np.random.Generator) -> Record:
    """Measure regret on one random order of rows."""
    rows = rng.permutation(len(data.y))[: setting.train]
    X, y = data.X[rows], data.y[rows]
    classes = len(np.unique(y)) == 2
    if not classes:
        y = (y - y.mean()) / y.std()
    smooth = StreamLoss("logistic" if classes else "squared", RIDGES["smooth"])
    other = StreamLoss("hinge" if classes else "absolute", RIDGES["other"])
    at = grid(len(y))
    record: Record = {"rows": at, "losses": [smooth.name, other.name]}
    for name, loss in (("Alg. 6", smooth), ("Alg. 7", other)):
        best = competitor(X, y, loss, published.COMPETITOR_DEPTH)
        record[name] = {"competitor": float(best.mean())} | {
            str(depth): as_record(run(X, y, loss, trees(depth), steps_of(loss)), best, at)
            for depth in DEPTHS
        }
    record["steps"] = _other_steps(X, y, smooth)
    n = min(SMALL_ROWS, len(y))
    record["small"] = _small(X[:n], y[:n], smooth)
    return record


def steps_of(loss: StreamLoss, n: int = N_LEARNERS, rate: float = RATE) -> Floats:
    """Return the steps of learners: of Alg. 6 by smoothness, of Alg. 7 those of Thm 5.5.2."""
    if loss.is_smooth:
        return np.full(n, rate / loss.smoothness(0.0))
    return np.asarray(1.0 / (loss.convexity(0.0) * np.arange(1, n + 1)))


def _other_steps(X: NDArray[Any], y: Floats, loss: StreamLoss) -> Record:
    """Measure regret by learners for other steps, and for learners that all begin at once."""
    best = competitor(X, y, loss, published.COMPETITOR_DEPTH)
    record = {}
    for name, rate in STEPS.items():
        for late in (True, False):
            made = run(X, y, loss, trees(STEP_DEPTH), steps_of(loss, rate=rate),
                       join_after=JOIN_AFTER if late else 0)  # fmt: skip
            key = name if late else f"{name}, all at once"
            record[key] = as_record(made, best, [])["by_learners"]
    return record


def _small(X: NDArray[Any], y: Floats, loss: StreamLoss) -> Record:
    """Compare online trees with refits on all past rows; all learners begin at once."""
    best = competitor(X, y, loss, published.COMPETITOR_DEPTH)
    steps = steps_of(loss, SMALL_LEARNERS)
    return {
        kind: {
            str(depth): as_record(
                run(X, y, loss, trees(depth) if kind == "online" else UserKind(RefitTree(depth)),
                    steps, join_after=0), best, [])
            for depth in SMALL_DEPTHS
        }
        for kind in ("online", "refits")
    }  # fmt: skip
