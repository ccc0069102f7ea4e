"""The theorems against measured regret, on generated problems without noise.

Without noise the function that made the targets has a loss of 0 (or nearly, with a ridge), and
learners keep an edge.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_friedman1

from scrimp import StreamingBoostingRegressor
from scrimp.learners.streaming.bounds import bounds_of
from scrimp.learners.streaming.linear_learners import Newton
from scrimp.learners.streaming.losses import StreamLoss
from scrimp.learners.streaming.random_features import RandomFeatures
from scrimp.types import Floats

from ..trials import Record, Setting
from .data import Rows
from .regret import Run, run
from .streams import steps_of

#: Learners of the sum; all of them must keep an edge.
N_LEARNERS = 10
#: Random features of a learner, for the squared and for the absolute loss: each learner draws its
#: own, so that the next one has something left to learn. Trees lose their edge after a few.
N_FEATURES = {"squared": 30, "absolute": 100}
RIDGE_OTHER = 0.25
#: The theorem's step is made for an edge, first this, then a little less than was measured.
FIRST_EDGE, SAFE = 0.5, 0.95
#: Rows that test what the mean over time of hypotheses answers, and the noise of their targets.
ITERATE_ROWS = 5_000
NOISE = 1.0
RECIPE = [1, N_LEARNERS, N_FEATURES, RIDGE_OTHER, FIRST_EDGE, SAFE, ITERATE_ROWS, NOISE]


def trial(data: Rows, setting: Setting, rng: np.random.Generator) -> Record:
    """Measure regret, edges and bounds on one generated problem."""
    seed = int(rng.integers(2**31 - 1))
    X, y = make_friedman1(setting.train, 10, noise=0.0, random_state=seed)
    y = (y - y.mean()) / y.std()
    return {
        "smooth": _smooth(X, y),
        "other": _other(X, y),
        "linear": _linear(X, y),
        "iterates": _iterates(setting.train, seed),
    }


def _smooth(X: Floats, y: Floats) -> Record:
    """Measure Alg. 6 with the step 1/β and with that of Thm 5.5.1, for the squared loss."""
    loss, kind = StreamLoss("squared"), RandomFeatures(N_FEATURES["squared"])
    inverse = run(X, y, loss, kind, np.ones(N_LEARNERS))
    edge = FIRST_EDGE
    for _ in range(5):  # until the edge that the step is made for is there
        steps = np.full(N_LEARNERS, edge / (8.0 - 4.0 * edge))
        printed = run(X, y, loss, kind, steps)
        least = float(printed.booster.edges.min())
        if least >= edge or least <= 0.0:
            break
        edge = SAFE * least
    return {"1/β": _bounded(inverse, loss), "Thm 5.5.1": _bounded(printed, loss, edge)}


def _bounded(made: Run, loss: StreamLoss, assumed: float | None = None) -> Record:
    """Return regret by learners, edges, and bounds for every number of learners.

    The competitor has no loss, so that regret is loss. B is the largest loss of a row at the start.
    """
    booster, curvature = made.booster, (loss.convexity(0.0), loss.smoothness(0.0))
    edges, steps = booster.edges, booster.steps
    held = assumed is None or bool(edges.min() >= assumed)
    bounds = []
    for n in range(1, len(steps) + 1):
        used = edges[:n] if assumed is None else np.full(n, assumed)
        found = bounds_of(*curvature, used, steps[:n], booster.largest_loss, True, 0)
        bounds.append([found.printed, found.proof, found.of_steps])
    return {
        "regret": made.losses[-1].tolist(), "edges": edges.tolist(), "bounds": bounds,
        "held": held, "step": float(steps[0]), "largest_loss": booster.largest_loss,
    }  # fmt: skip


def _other(X: Floats, y: Floats) -> Record:
    """Measure Alg. 7 with the steps of Thm 5.5.2, for the absolute loss with a ridge."""
    loss = StreamLoss("absolute", RIDGE_OTHER)
    steps = steps_of(loss, N_LEARNERS)
    made = run(X, y, loss, RandomFeatures(N_FEATURES["absolute"]), steps)
    n, edges = int(made.rows[-1]), made.booster.edges
    # the least of |s - t| + r s^2 is at t, or where the ridge begins to pull harder than 1
    best = np.clip(y, -0.5 / RIDGE_OTHER, 0.5 / RIDGE_OTHER)
    least = float(loss.values(best[-n:, None], y[-n:, None]).mean())
    gradient, bounds = made.booster.largest_gradient, []
    for k in range(1, N_LEARNERS + 1):
        found = bounds_of(loss.convexity(0.0), np.inf, edges[:k], steps[:k], 1.0, False, 0)
        scale = gradient**2
        pair = found.nonsmooth, found.sharper
        bounds.append([None if bound is None else scale * bound for bound in pair])
    return {"regret": (made.losses[-1] - least).tolist(), "edges": edges.tolist(),
            "bounds": bounds, "gradient": gradient}  # fmt: skip


def _linear(X: Floats, y: Floats) -> Record:
    """Compare the edge of one linear learner with the squared cosine of the best linear function.

    The start is the best constant of recent rows, which the learner is taught to correct.
    """
    made = run(X, y, StreamLoss("squared"), Newton(), np.ones(1), join_after=0)
    design = np.column_stack([np.ones(len(y)), X])
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    # the share of the competitor's loss, of what the start leaves
    n = int(made.rows[-1])
    start = 2.0 * float(made.losses[-1][0])
    return {"edge": float(made.booster.edges[0]),
            "cosine": 1.0 - float((left[-n:] ** 2).mean()) / start}  # fmt: skip


def _iterates(n_rows: int, seed: int) -> Record:
    """Return test errors of the last hypotheses and of their means over time, noise included."""
    X, y = make_friedman1(n_rows + ITERATE_ROWS, 10, noise=NOISE, random_state=seed)
    errors = {}
    for iterate in ("last", "average"):
        model = StreamingBoostingRegressor(iterate=iterate, drift=None)
        model.partial_fit(X[:n_rows], y[:n_rows])
        errors[iterate] = float(((model.predict(X[n_rows:]) - y[n_rows:]) ** 2).mean())
    return errors
