"""Weak learners that are linear: FTRL-proximal, and the online Newton step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...data.validation import check_number
from ...kernels import online_linear as kernels
from ...plans.components.inputs import Inputs
from ...plans.components.linear_table import LinearTable
from ...types import Arrays, Floats
from .input_learner import InputLearner, shared_arrays
from .stream_rows import StreamRows
from .weak_learner import LearnerContext


class AveragedLearner(InputLearner):
    """A learner that is linear in its weights, whose mean over time it keeps.

    The last row of the weights is the constant.
    """

    numbers = (*InputLearner.numbers, "n_total")
    weight: Floats
    total: Floats
    n_total: float

    def _resize(self, factor: float) -> None:
        self.weight *= factor
        self.total *= factor

    def _learn(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        # the mean over time is that of the hypotheses that answered, hence before the step
        self.total += len(rows) * self.weight
        self.n_total += len(rows)
        self._step(rows, targets, weights)

    @abstractmethod
    def _step(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        """Learn from rows, one after the other."""

    def hypothesis(self, averaged: bool) -> Floats:
        """Return the weights, or their mean over time, in the size of targets."""
        return self.size * (self.total / max(self.n_total, 1.0) if averaged else self.weight)


class LinearLearner(AveragedLearner):
    """A linear function of the inputs."""

    arrays: ClassVar[Mapping[str, tuple[int, ...]]] = {"weight": (0,), "total": (0,)}

    def _blank(self, n_inputs: int) -> Arrays:
        return {name: np.zeros((n_inputs + 1, self.n_outputs)) for name in self.arrays}

    def _answer(self, rows: StreamRows) -> Floats:
        of_inputs = self.weight[self.positions]
        Z = rows.inputs
        Z = Z if len(self.positions) == Z.shape[1] else Z[:, self.positions]
        return np.asarray(Z @ of_inputs + self.weight[-1])


def linear_table(
    learners: Sequence[LinearLearner], factors: Floats, offsets: Floats, inputs: Inputs,
    averaged: bool,
) -> LinearTable:  # fmt: skip
    """Return linear learners as members."""
    n = len(learners)
    shape = n, len(inputs) + 1, offsets.shape[1]
    weight = np.zeros(shape)
    for i, learner in enumerate(learners):
        weight[i] = factors[i] * learner.hypothesis(averaged)
    arrays = shared_arrays(learners, inputs)
    arrays["mask"] = arrays["mask"].reshape(n, len(inputs))
    return LinearTable(**arrays, offset=offsets + weight[:, -1], weight=weight[:, :-1])


class FtrlLearner(LinearLearner):
    """A linear function that learns by FTRL-proximal."""

    arrays: ClassVar[Mapping[str, tuple[int, ...]]] = {
        **LinearLearner.arrays, "sums": (0,), "squares": (0,),
    }  # fmt: skip
    sums: Floats
    squares: Floats

    def __init__(self, context: LearnerContext, settings: Linear) -> None:
        self.settings = settings
        super().__init__(context)

    def _resize(self, factor: float) -> None:
        super()._resize(factor)
        self.sums *= factor

    def _step(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        settings = self.settings
        kernels.ftrl(
            rows.inputs, targets, weights, self.positions, settings.rate, settings.beta,
            settings.l1, settings.l2,
            self.sums, self.squares, self.weight,
        )  # fmt: skip


class NewtonLearner(LinearLearner):
    """A linear function that learns by online Newton steps."""

    arrays: ClassVar[Mapping[str, tuple[int, ...]]] = {**LinearLearner.arrays, "inverse": (1, 2)}
    inverse: Floats

    def __init__(self, context: LearnerContext, settings: Newton) -> None:
        self.settings = settings
        super().__init__(context)

    def _blank(self, n_inputs: int) -> Arrays:
        first = np.eye(n_inputs + 1) / self.settings.ridge
        return super()._blank(n_inputs) | {"inverse": np.tile(first, (self.n_outputs, 1, 1))}

    def _step(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        kernels.newton(
            rows.inputs, targets, weights, self.positions, self.settings.rate, self.inverse,
            self.weight,
        )  # fmt: skip


@dataclass(frozen=True)
class Linear:
    """Linear weak learners that learn by FTRL-proximal.

    Parameters
    ----------
    rate : float
        The step of a weight is `rate` over `beta` plus the root of its sum of squared gradients.
    beta : float
        See there.
    l1, l2 : float
        Penalties of the weights; not of the constant.

    References
    ----------
    McMahan et al. Ad click prediction: a view from the trenches. KDD 2013.
    """

    name: ClassVar[str] = "linear"
    averages: ClassVar[bool] = True
    sees_image: ClassVar[bool] = False

    rate: float = 0.1
    beta: float = 1.0
    l1: float = 0.0
    l2: float = 0.0

    members = staticmethod(linear_table)

    def make(self, context: LearnerContext) -> FtrlLearner:
        """Return a learner that has not learnt anything."""
        for name, value in (("rate", self.rate), ("beta", self.beta)):
            check_number(name, value, 0.0, above=True)
        for name, value in (("l1", self.l1), ("l2", self.l2)):
            check_number(name, value, 0.0)
        return FtrlLearner(context, self)


@dataclass(frozen=True)
class Newton:
    """Linear weak learners that learn by the online Newton step.

    A row costs the square of the number of inputs, per output.

    Parameters
    ----------
    rate : float
        The factor of a step; one over it is gamma in the reference.
    ridge : float
        The first matrix is this times the identity.

    References
    ----------
    Hazan, Agarwal, Kale. Logarithmic regret algorithms for online convex optimization. 2007.
    """

    name: ClassVar[str] = "newton"
    averages: ClassVar[bool] = True
    sees_image: ClassVar[bool] = False

    rate: float = 1.0
    ridge: float = 10.0

    members = staticmethod(linear_table)

    def make(self, context: LearnerContext) -> NewtonLearner:
        """Return a learner that has not learnt anything."""
        for name, value in (("rate", self.rate), ("ridge", self.ridge)):
            check_number(name, value, 0.0, above=True)
        return NewtonLearner(context, self)
