"""Weak learners that are ridge regressions on random Fourier features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...data.validation import check_number, check_whole
from ...kernels.online_linear import recursive_least_squares
from ...plans.components.inputs import Inputs
from ...plans.components.network_table import ACTIVATIONS, NetworkTable
from ...types import Arrays, Floats
from .input_learner import shared_arrays
from .linear_learners import AveragedLearner
from .stream_rows import StreamRows
from .weak_learner import LearnerContext


class RandomFeatureLearner(AveragedLearner):
    """A linear function of random features, by recursive least squares."""

    arrays: ClassVar[Mapping[str, tuple[int, ...]]] = {
        "first": (0,), "bias": (), "inverse": (), "weight": (), "total": (),
    }  # fmt: skip
    first: Floats
    bias: Floats
    inverse: Floats

    def __init__(self, context: LearnerContext, settings: RandomFeatures) -> None:
        self.settings = settings
        super().__init__(context)

    def _blank(self, n_inputs: int) -> Arrays:
        n = int(self.settings.n_features)
        weight, total = np.zeros((2, n + 1, self.n_outputs))
        return {
            "first": np.zeros((n_inputs, n)), "bias": np.zeros(n), "weight": weight,
            "total": total, "inverse": np.eye(n + 1) / self.settings.ridge,
        }  # fmt: skip

    def _draw(self, rng: np.random.Generator) -> None:
        n, read = len(self.bias), len(self.positions)
        width = self.settings.bandwidth * np.sqrt(max(read, 1))
        self.first[self.positions] = rng.normal(size=(read, n)) / width
        self.bias[:] = rng.uniform(0.0, 2.0 * np.pi, n)

    def _widen(self) -> None:
        self._begin()  # other inputs have other features

    def _features(self, rows: StreamRows) -> Floats:
        size = np.sqrt(2.0 / len(self.bias))
        return np.asarray(size * np.cos(self._inputs(rows) @ self.first + self.bias))

    def _answer(self, rows: StreamRows) -> Floats:
        return np.asarray(self._features(rows) @ self.weight[:-1] + self.weight[-1])

    def _step(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        settings, features = self.settings, self._features(rows)
        recursive_least_squares(
            features, targets, weights, np.arange(len(self.bias)), settings.forgetting,
            1.0 / settings.ridge, self.inverse, self.weight,
        )  # fmt: skip


@dataclass(frozen=True)
class RandomFeatures:
    """Weak learners that are ridge regressions on random Fourier features.

    A row costs the square of the number of features.

    Parameters
    ----------
    n_features : int
        Cosines of random projections, which approximate a Gaussian kernel.
    bandwidth : float
        Of the kernel, in root mean squared distances of rows to their mean.
    ridge : float
        The penalty of squared weights.
    forgetting : float
        What a row counts after each further one, at most 1: 0.999 forgets 1,000 rows.

    References
    ----------
    Rahimi, Recht. Random features for large-scale kernel machines. NeurIPS 2007.
    """

    name: ClassVar[str] = "random-features"
    averages: ClassVar[bool] = True
    sees_image: ClassVar[bool] = False

    n_features: int = 100
    bandwidth: float = 1.5
    ridge: float = 1.0
    forgetting: float = 1.0

    def make(self, context: LearnerContext) -> RandomFeatureLearner:
        """Return a learner that has not learnt anything."""
        check_whole("n_features", self.n_features, 1, 10_000)
        check_number("bandwidth", self.bandwidth, 0.0, above=True)
        check_number("ridge", self.ridge, 0.0, above=True)
        check_number("forgetting", self.forgetting, 0.0, 1.0, above=True)
        return RandomFeatureLearner(context, self)

    def members(
        self, learners: Sequence[RandomFeatureLearner], factors: Floats, offsets: Floats,
        inputs: Inputs, averaged: bool,
    ) -> NetworkTable:  # fmt: skip
        """Return learners as members."""
        votes = [f * x.hypothesis(averaged) for f, x in zip(factors, learners, strict=True)]
        weight = np.array(votes)
        size = np.sqrt(2.0 / int(self.n_features))
        return NetworkTable(
            **shared_arrays(learners, inputs), offset=offsets + weight[:, -1],
            activation=np.array([ACTIVATIONS.index("cosine")]),
            first=np.array([learner.first for learner in learners]),
            bias=np.array([learner.bias for learner in learners]), second=size * weight[:, :-1],
        )  # fmt: skip
