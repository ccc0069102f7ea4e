"""Readers of calibrated answers, which are calibrated jointly."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from ...data.target import Target
from ...kernels.threads import run_over_rows
from ...types import Floats, Ints
from .calibrators import Calibrators, PowerCalibrators
from .readers import JointReader, Reader, join

#: Calibrated answers that take as long as a vote, the measure of threads' work.
_ANSWERS_PER_VOTE = 0.25


@dataclass(frozen=True)
class Mixture:
    """Two calibration maps and the weight of the second; without maps it is the prior."""

    below: int = -1
    above: int = -1
    nearness: float = 0.0


@dataclass(frozen=True, eq=False)
class Calibration:
    """The calibration maps of a plan, and what their scores mean.

    Parameters
    ----------
    target : Target
        The meaning of the scores.
    calibrators : Calibrators
        The maps.
    prior : float array (classes,)
        The probabilities where nothing is known.
    """

    target: Target
    calibrators: Calibrators
    prior: Floats

    def apply(self, scores: Floats, mixtures: Sequence[Mixture]) -> Floats:
        """Return probabilities (rows x mixtures x classes) for scores (rows x mixtures x outputs).

        Each mixture has its scores.
        """
        answers = np.empty((*scores.shape[:2], len(self.prior)))
        maps, target = self.calibrators, self.target
        if isinstance(maps, PowerCalibrators) and target.kind == "binary":
            self._write_two_classes(scores, mixtures, maps, answers)
            return answers

        def write(a: int, b: int) -> None:
            for number, mixture in enumerate(mixtures):
                answers[a:b, number] = self._mixed(scores[a:b, number], mixture)

        run_over_rows(write, len(scores), int(answers.size / _ANSWERS_PER_VOTE))
        return answers

    def _write_two_classes(
        self, scores: Floats, mixtures: Sequence[Mixture], maps: PowerCalibrators, answers: Floats
    ) -> None:
        from ...kernels.calibration import write_power_mixtures

        below = np.array([mixture.below for mixture in mixtures])
        above = np.array([mixture.above for mixture in mixtures])
        nearness = np.array([mixture.nearness for mixture in mixtures])

        def write(a: int, b: int) -> None:
            write_power_mixtures(
                scores[a:b, :, 0], self.target.scale, below, above, nearness, maps.slope,
                maps.shift, self.prior, answers[a:b],
            )  # fmt: skip

        run_over_rows(write, len(scores), int(len(scores) * len(mixtures) / _ANSWERS_PER_VOTE))

    def _mixed(self, scores: Floats, mixture: Mixture) -> Floats:
        """Return the probabilities of one mixture by any maps."""
        if mixture.below < 0:
            return np.tile(self.prior, (len(scores), 1))
        logs = self.target.log_probabilities(np.ascontiguousarray(scores))
        inputs = self.calibrators.inputs(logs)
        points = ((mixture.below, 1.0 - mixture.nearness), (mixture.above, mixture.nearness))
        parts = [
            weight * softmax(self.calibrators.log_weights(point, inputs), axis=1)
            for point, weight in points
            if weight > 0
        ]
        return np.asarray(sum(parts))


@dataclass(frozen=True, eq=False)
class CalibratedReader:
    """The calibrated answers of another reader.

    Parameters
    ----------
    inner : Reader
        The other reader.
    calibration : Calibration
        The maps.
    mixture : Mixture
        Those that apply.
    """

    inner: Reader
    calibration: Calibration
    mixture: Mixture

    @property
    def kind(self) -> Hashable:
        """Readers of one plan share their maps."""
        return "calibrated", id(self.calibration)

    def __call__(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return probabilities (rows x classes)."""
        return self.calibration.apply(self.inner(X, rows)[:, None], [self.mixture])[:, 0]

    @classmethod
    def joined(cls, readers: Sequence[CalibratedReader]) -> JointReader:
        """Return the calibrated answers of all readers, which are read jointly."""
        inner, calibration = join([reader.inner for reader in readers]), readers[0].calibration
        mixtures = [reader.mixture for reader in readers]
        return lambda X, rows: calibration.apply(inner(X, rows), mixtures)
