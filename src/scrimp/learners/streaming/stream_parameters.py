"""Parameters of the streaming boosters: checks, and the steps that they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data.validation import check_budget, check_choice, check_number, check_whole
from ...types import Floats
from ..boosting.rules import RULES
from .losses import StreamLoss
from .weak_learner import LearnerKind

#: How the steps of learners are chosen.
STEPS = ("inverse", "theorem")
#: How an answer is made of the partial sums: names of `combine`, and those of plans.
COMBINE = {"sum": "add", "average": "average", "weighted": "weighted", "momentum": "momentum"}


def check_parameters(model: Any) -> None:
    """Refuse parameters of a streaming booster that no training can follow."""
    check_choice("rule", model.rule, tuple(RULES))
    if model.drift is not None:
        check_choice("drift", model.drift, ("reset",))
    check_choice("combine", model.combine, ("auto", *COMBINE))
    check_choice("iterate", model.iterate, ("last", "average"))
    if isinstance(model.step, str):
        check_choice("step", model.step, STEPS)
    check_number("learning_rate", model.learning_rate, 0.0, above=True)
    check_number("edge", model.edge, 0.0, 1.0, above=True)
    check_number("ridge", model.ridge, 0.0)
    check_number("memory", model.memory, 1.0)
    for name, low, high in (
        ("n_learners", 1, 10_000), ("max_depth", 1, 12), ("batch_size", 1, 100_000),
        ("max_bins", 2, 255),
    ):  # fmt: skip
        check_whole(name, getattr(model, name), low, high)
    for name in ("n_passes", "block_size"):
        check_whole(name, getattr(model, name), 1, 10_000, optional=True)
    if model.radius is not None:
        check_number("radius", model.radius, 0.0, above=True)
    check_budget(model.budget)


def check_combination(model: Any, kind: LearnerKind, loss: StreamLoss) -> None:
    """Refuse parameters that do not go together."""
    if model.iterate == "average" and not kind.averages:
        raise ValueError(
            f"iterate is 'average', but the mean of the hypotheses of the learner {kind.name!r} is "
            "none of its kind. Use iterate='last'."
        )
    if model.combine == "sum" and model.radius is not None and not loss.is_smooth:
        raise ValueError(
            f"radius is {model.radius} and combine is 'sum', whose partial sums a plan does not "
            "project. Use combine='average', or radius=None."
        )


def learner_steps(model: Any, loss: StreamLoss, score_bound: float) -> Floats:
    """Return the step of each learner, for scores up to a bound."""
    number = np.arange(1, model.n_learners + 1)
    if not isinstance(model.step, str):
        steps = np.asarray(model.step, dtype=np.float64)
        if steps.ndim > 1 or steps.size not in (1, model.n_learners) or not (steps > 0).all():
            raise ValueError(
                f"step is {model.step!r}; expected {STEPS}, a number > 0 or one per learner."
            )
        return np.broadcast_to(steps, number.shape).copy()
    if not loss.is_smooth:
        # 1 / (lambda i) of Thm 5.5.2 where there is a ridge, else a step that needs none
        if not loss.ridge:
            return np.asarray(1.0 / np.sqrt(number))
        divisors = (number + 1) / 2 if model.combine == "weighted" else number
        return np.asarray(1.0 / (2.0 * loss.ridge * divisors))
    smoothness = loss.smoothness(score_bound)
    if model.step == "theorem":
        return np.full(len(number), model.edge / (smoothness * (8.0 - 4.0 * model.edge)))
    return np.full(len(number), model.learning_rate / smoothness)
