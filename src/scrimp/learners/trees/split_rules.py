"""Rules that choose the test of a node by what it tells and by what it costs.

The rules of the literature on trees with costs, as Turney (1995) compares them. I is the
information gain of a test in bits. C is what the test costs a row, given what is bought on the
path to it, in units of the mean price of a column: so that prices in another currency change
nothing.

References
----------
Nunez. The use of background knowledge in decision tree induction. Machine Learning 6, 1991 (EG2).
Tan. Cost-sensitive learning of classification knowledge and its applications in robotics. Machine
Learning 13, 1993 (CS-ID3). Norton. Generating better decision trees. IJCAI 1989 (IDX). Turney.
Cost-sensitive classification. JAIR 2, 1995.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...types import Floats

#: The least cost of a test in a denominator: what is free is preferred, but not to a test that
#: tells a hundred times as much.
LEAST_COST = 0.01


def _eg2(information: Floats, cost: Floats, economy: float) -> Floats:
    """Return (2^I - 1) / (C + 1)^w, with w from 0, price-blind, to 1 (Nunez 1991)."""
    return np.asarray((np.exp2(information) - 1.0) / (cost + 1.0) ** economy)


def _cs_id3(information: Floats, cost: Floats, economy: float) -> Floats:
    """Return I^2 / C (Tan 1993)."""
    return np.asarray(information**2 / np.maximum(cost, LEAST_COST))


def _idx(information: Floats, cost: Floats, economy: float) -> Floats:
    """Return I / C (Norton 1989)."""
    return np.asarray(information / np.maximum(cost, LEAST_COST))


#: Rules by name: of the information, the costs, and the economy parameter w of EG2.
SPLIT_RULES: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "eg2": _eg2,
    "cs-id3": _cs_id3,
    "idx": _idx,
}
#: The name of the rule that does not look at prices.
PRICE_BLIND = "price-blind"
#: All rules, by name.
RULES = (*SPLIT_RULES, PRICE_BLIND)
