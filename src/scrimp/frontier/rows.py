"""Training rows, ready to be learnt from."""

from __future__ import annotations

from dataclasses import dataclass

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
    """

    design: Design
    truth: Truth
    scorer: SetScorer
    seed: int
