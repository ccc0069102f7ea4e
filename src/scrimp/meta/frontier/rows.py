"""Training rows, ready to be learnt from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .design import Design
from .problem import Truth
from .scorer import SetScorer


@dataclass(frozen=True, eq=False)
class Rows:
    """Training rows, as all families take them.

    Parameters
    ----------
    design : Design
        The rows.
    truth : Truth
        What to predict.
    scorer : SetScorer
        Cross-validates on these rows, or on some of them.
    seed : int
        Of all that is random.
    classes : array
        Class labels, sorted; empty for a regression.
    n_jobs : int
        Threads.
    """

    design: Design
    truth: Truth
    scorer: SetScorer
    seed: int
    classes: NDArray[Any] = field(default_factory=lambda: np.array([]))
    n_jobs: int = 1

    @property
    def labels(self) -> NDArray[Any]:
        """The responses as they were given."""
        y = self.truth.y
        return self.classes[y.astype(np.intp)] if len(self.classes) else y
