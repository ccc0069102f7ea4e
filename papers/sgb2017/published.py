"""Figures that Hu et al. (2017) print, to compare with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Errors:
    """A row of Table 5.1: the single base learner, batch boosting, streaming boosting."""

    base: float
    GB: float
    SGB: float


#: Hu 2019, Table 5.1 (AISTATS 2017, Table 1). Numbers: half the squared error, in units of the
#: target; classes: the share of test rows that are wrong.
TABLE = {
    "abalone": Errors(8.2848, 2.1411, 2.1532),
    "year": Errors(4.99e5, 42.8976, 43.0573),
    "slice": Errors(0.036045, 0.000755, 0.000713),
    "a9a": Errors(0.1547, 0.1579, 0.1523),
    "mnist": Errors(0.163280, 0.019320, 0.016320),
}
#: Sec. 5.6.2: the learners that SGB trains on a9a, and a number that is too small there.
A9A_LEARNERS = 8
TOO_FEW = 3
#: Sec. 5.6.1: the least depth of the tree that regret is measured against.
COMPETITOR_DEPTH = 15
