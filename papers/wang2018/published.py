"""Figures printed by Wang, Zhu and Chi (2018), and what can be derived from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scrimp.types import Floats

from ..prices import YAHOO_PRICES

#: L. Wang, D. Zhu, Y. Chi. Efficient Test-Time Predictor Learning with Group-Based Budget. AAAI
#: 2018, Table 1: training rows, test rows and columns.
SIZES = {
    "blogData": (52_392, 7_624, 280),
    "slice_loc": (42_800, 10_700, 385),
    "Yahoo!": (20_258, 48_180, 519),
    "gisette": (6_000, 1_000, 5_000),
    "real-sim": (35_582, 8_894, 20_958),
    "news20.binary": (15_998, 3_998, 1_355_191),
    "E2006-log1p": (16_087, 3_308, 4_272_227),
}


class Row(NamedTuple):
    """A row of Table 2: shares that are 1, 0 and between, the cost, and accuracy (%) or MSE."""

    ones: int
    zeros: int
    between: int
    cost: int
    quality: float


#: Table 2, by the parts of all prices that are the budgets.
TABLE2 = {
    "real-sim": {
        0.01: Row(1374, 19575, 9, 6958, 94.25),
        0.1: Row(5421, 15526, 11, 68089, 96.52),
        0.2: Row(7829, 13126, 3, 135602, 96.78),
        0.3: Row(9415, 11541, 2, 203269, 97.01),
        0.4: Row(11391, 9565, 2, 271211, 97.23),
        0.5: Row(13129, 7827, 2, 338758, 97.36),
        0.6: Row(14573, 6383, 2, 406507, 97.28),
        0.7: Row(16187, 4770, 1, 474262, 97.35),
        0.8: Row(17605, 3352, 1, 541997, 97.37),
    },
    "blogData": {
        0.01: Row(14, 264, 2, 127, 5.56),
        0.1: Row(54, 213, 13, 1162, 5.39),
        0.2: Row(107, 163, 10, 2203, 5.22),
        0.3: Row(102, 176, 2, 2898, 5.13),
        0.4: Row(165, 114, 1, 3879, 5.25),
        0.5: Row(174, 102, 4, 4937, 5.28),
        0.6: Row(188, 89, 3, 5923, 5.16),
        0.7: Row(217, 62, 1, 6773, 4.89),
        0.8: Row(237, 42, 1, 7735, 4.91),
    },
}


def implied_total(name: str) -> float:
    """Return the most that all columns can cost together if every budget was fully spent.

    The relaxation spends its budget, and buying the shares between 0 and 1 in full adds to
    that: each cost is at least its part of the total.
    """
    return min(row.cost / ratio for ratio, row in TABLE2[name].items())


def excess(name: str) -> dict[float, float]:
    """Return how far each printed cost is above its budget, at least, as a part of it."""
    total = implied_total(name)
    return {ratio: row.cost / (ratio * total) - 1.0 for ratio, row in TABLE2[name].items()}


def total_to_keep(name: str) -> tuple[float, float]:
    """Return the total price at which no budget is exceeded, and how unlikely it is.

    The second number is by how many standard deviations it is above the expected sum of prices
    drawn as Yahoo's.
    """
    needed = max(row.cost / ratio for ratio, row in TABLE2[name].items())
    prices, counts = (np.array(list(part), dtype=np.float64) for part in _yahoo())
    mean = float(prices @ counts / counts.sum())
    variance = float(prices**2 @ counts / counts.sum()) - mean**2
    columns = SIZES[name][2]
    return needed, (needed - columns * mean) / float(np.sqrt(columns * variance))


def _yahoo() -> tuple[Floats, Floats]:
    return np.array(list(YAHOO_PRICES)), np.array(list(YAHOO_PRICES.values()))
