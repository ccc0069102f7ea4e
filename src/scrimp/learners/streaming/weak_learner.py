"""What streaming boosting asks of a weak learner, and of a kind of weak learners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ...plans.components.inputs import Inputs
from ...plans.components.members import Members
from ...types import Arrays, Flags, Floats, Ints
from .stream_rows import InputMoments, StreamRows


class WeakLearner(Protocol):
    """A regressor of vectors that learns from blocks of rows."""

    @property
    def reads(self) -> Ints:
        """The columns that its answers depend on, ascending; none as long as it is constant."""

    @property
    def has_learnt(self) -> bool:
        """Whether it has had a row since it began."""

    def predict(self, rows: StreamRows) -> Floats:
        """Return its answers (rows, outputs); they are finite, and 0 before it has learnt."""

    def update(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        """Learn the targets (rows, outputs) of rows with weights (rows,)."""

    def reset(self) -> None:
        """Forget everything that was learnt."""

    def allow(self, columns: Flags) -> None:
        """Read these columns only, from now on; begin again if others were read.

        It is called at each decision, so that columns which came since the last one are read.
        """

    def forget_bins(self) -> None:
        """Drop what is kept per bin, as cut points change."""

    def state(self, growth: bool = True) -> Arrays:
        """Return the arrays that are all there is to know of it, not copied.

        Without `growth` arrays may be left out that it learns by, and does not answer by.
        """

    def restore(self, state: Arrays) -> None:
        """Become the learner of a `state`; raise ValueError if it can be none of its kind."""

    def grown(self, state: Arrays, n_columns: int, allowed: bool) -> Arrays:
        """Return a `state` of before `grow` as it would be after it."""

    def grow(self, n_columns: int, allowed: bool) -> None:
        """Take more columns from now on, missing in all rows so far, which it may read or not.

        Columns may have new categories as well, whose inputs are in `InputMoments` by now.
        """


class SimpleLearner(Protocol):
    """What a user's own weak learner must have; it is cloned once per learner of the sum.

    Inputs are standardised numbers and indicators of categories. They are finite: 0, the mean,
    where a value is missing, and in columns that the learner may not read. Their number never
    changes: where columns or categories appear, a new learner is made. It must allow to be copied
    (`copy.deepcopy`), as plans and the last good state are copies.
    """

    def predict(self, inputs: Floats) -> NDArray[Any]:
        """Return answers (rows, outputs); asked only after a first `update`."""

    def update(self, inputs: Floats, targets: Floats, weights: Floats) -> None:
        """Learn the targets (rows, outputs), in the sense of least squares."""


@dataclass(frozen=True, eq=False)
class LearnerContext:
    """What a kind must know to make a learner.

    Parameters
    ----------
    n_columns, n_outputs : int
        Of the rows, and of the targets.
    moments : InputMoments
        Of the stream: which inputs there are.
    rng : Generator
        The source of what is drawn at random.
    averages : bool
        Whether learners that need memory for the mean over time of their hypotheses keep it.
    """

    n_columns: int
    n_outputs: int
    moments: InputMoments
    rng: np.random.Generator
    averages: bool = False


class LearnerKind(Protocol):
    """A kind of weak learners with its settings."""

    name: ClassVar[str]
    averages: ClassVar[bool]  # whether the mean of its hypotheses over time can be had
    sees_image: ClassVar[bool]  # whether columns are pixels: standardised alike, and fixed

    def make(self, context: LearnerContext) -> WeakLearner:
        """Return a learner that has not learnt anything."""

    def members(
        self, learners: Sequence[Any], factors: Floats, offsets: Floats, inputs: Inputs,
        averaged: bool,
    ) -> Members:  # fmt: skip
        """Return learners as the members of a plan.

        Parameters
        ----------
        learners : sequence of WeakLearner
            Made by this kind.
        factors, offsets : float arrays (learners,), (learners, outputs)
            A vote is the answer times its factor, plus its offset.
        inputs : Inputs
            How columns become inputs, now.
        averaged : bool
            Whether votes are those of the mean over time of each learner's hypotheses.
        """
