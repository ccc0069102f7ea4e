"""Weak learners of users: any object with `predict` and `update`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...plans.components.inputs import Inputs, InputTable
from ...types import Arrays, Flags, Floats
from .input_learner import InputLearner, shared_arrays
from .stream_rows import StreamRows
from .weak_learner import LearnerContext, SimpleLearner


class UserLearner(InputLearner):
    """A learner around a `SimpleLearner`, which is made anew when it begins again.

    It sees the inputs that there were when it was made: of columns that it may read, and 0 for
    others. Its state is a copy of the learner.
    """

    arrays: ClassVar[Mapping[str, tuple[int, ...]]] = {"known": (0,)}
    known: Flags

    def __init__(self, context: LearnerContext, make: Callable[[], SimpleLearner]) -> None:
        self._make = make
        super().__init__(context)

    def _blank(self, n_inputs: int) -> Arrays:
        return {"known": np.zeros(n_inputs, dtype=bool)}

    def _draw(self, rng: np.random.Generator) -> None:
        self.known, self.inner = self.moments.seen.copy(), self._make()

    def _widen(self) -> None:
        if not self.known[self.positions].all():
            self._begin()

    def state(self, growth: bool = True) -> Arrays:
        """Return all there is to know, with a copy of the user's learner."""
        inner = np.empty(1, dtype=object)
        inner[0] = copy.deepcopy(self.inner)
        return super().state(growth) | {"inner": inner}

    def _set_state(self, state: Arrays) -> None:
        super()._set_state(state)
        self.inner = copy.deepcopy(state["inner"][0])

    def _seen(self, rows: StreamRows) -> Floats:
        """Return the inputs that it knows (rows, inputs), 0 where it may not read."""
        return self._inputs(rows)[:, self.known]

    def _resize(self, factor: float) -> None:
        raise NotImplementedError  # never called: targets are given as they are

    def update(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        """Learn the targets (rows, outputs) of rows."""
        total = float(weights.sum())
        if total > 0.0:
            self.n_rows += total
            self._learn(rows, targets, weights)

    def _learn(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        self.inner.update(self._seen(rows), targets.copy(), weights.copy())

    def _answer(self, rows: StreamRows) -> Floats:
        return answers_of(self.inner, self._seen(rows), self.n_outputs)


def answers_of(learner: SimpleLearner, inputs: Floats, n_outputs: int) -> Floats:
    """Return the answers of a user's learner; raise ValueError if they are not as they must be."""
    answers = np.asarray(learner.predict(inputs), dtype=np.float64)
    if answers.shape != (len(inputs), n_outputs):
        raise ValueError(
            f"{type(learner).__name__}.predict returned the shape {answers.shape}; expected "
            f"{(len(inputs), n_outputs)}, one row per row and one column per output of the targets."
        )
    if not np.isfinite(answers).all():
        raise ValueError(
            f"{type(learner).__name__}.predict returned a number that is not finite. The learner "
            "has diverged: let it take shorter steps."
        )
    return answers


def why_not_stored(learner: SimpleLearner) -> str:
    """Return why a model with a user's learners has no file."""
    return (
        f"the weak learners are of {type(learner).__name__}, a user's class, which scrimp cannot "
        "store as arrays. Pickle the model, or train it with one of scrimp's own learners to save "
        "it"
    )


@dataclass(frozen=True, eq=False)
class UserMembers(InputTable):
    """Users' learners as members, which cannot be saved.

    Parameters
    ----------
    column, code, center, scale, mask, offset
        As in `InputTable`.
    learners : object array (members,)
        Each a `SimpleLearner`, which nobody else may change.
    known : bool array (members, inputs)
        The inputs that a member is given, 0 where it does not read them.
    factor : float array (members,)
        A vote is the answer times its factor, plus its offset.
    """

    kind: ClassVar[str] = "user learners"

    learners: NDArray[np.object_]
    known: Flags
    factor: Floats

    def _answer(self, member: int, Z: Floats) -> Floats:
        answers = answers_of(self.learners[member], Z[:, self.known[member]], self.n_outputs)
        return np.asarray(self.factor[member] * answers)

    @classmethod
    def _per_member(cls) -> tuple[str, ...]:
        return (*super()._per_member(), "learners", "known", "factor")

    def arrays(self) -> Arrays:
        """Raise ValueError: nothing is known of their state."""
        raise ValueError(f"{why_not_stored(self.learners[0])}.")


@dataclass(frozen=True, eq=False)
class UserKind:
    """A kind of weak learners that is a user's own.

    Parameters
    ----------
    prototype : SimpleLearner, or callable that returns one
        An object is copied per learner, anything else is called.
    """

    name: ClassVar[str] = "a user's own"
    averages: ClassVar[bool] = False
    sees_image: ClassVar[bool] = False

    prototype: Any

    def _one(self) -> SimpleLearner:
        is_object = _is_learner(self.prototype) and not isinstance(self.prototype, type)
        learner = copy.deepcopy(self.prototype) if is_object else self.prototype()
        if not _is_learner(learner):
            raise ValueError(
                f"learner makes {learner!r}, which lacks `predict` or `update`; expected an object "
                "with predict(inputs) and update(inputs, targets, weights)."
            )
        made: SimpleLearner = learner
        return made

    def make(self, context: LearnerContext) -> UserLearner:
        """Return a learner that has not learnt anything."""
        return UserLearner(context, self._one)

    def members(
        self, learners: Sequence[UserLearner], factors: Floats, offsets: Floats, inputs: Inputs,
        averaged: bool,
    ) -> UserMembers:  # fmt: skip
        """Return copies of learners as members."""
        known = np.array([learner.known for learner in learners])
        own = np.concatenate([learner.state()["inner"] for learner in learners])
        return UserMembers(
            **shared_arrays(learners, inputs), offset=offsets, learners=own, known=known,
            factor=factors,
        )  # fmt: skip


def _is_learner(value: Any) -> bool:
    return hasattr(value, "predict") and hasattr(value, "update")
