"""Printed figures of chapter 4 of Hu's thesis (Carnegie Mellon University 2019)."""

from __future__ import annotations

#: Parts of the total cost at which exits are compared.
SHARES = (0.25, 0.5, 0.75, 1.0)
#: Table 4.1: increase of the error over OPT in percent, mean over 12 networks and 3 datasets.
TABLE_4_1 = {
    "opt": (0.0, 0.0, 0.0, 0.0),
    "const": (15.07, 16.40, 18.76, 18.90),
    "linear": (25.67, 13.02, 12.97, 12.65),
    "adaloss": (32.99, 9.97, 3.96, 2.73),
}
#: Tables 4.4 and 4.5: change of the error in percent with another momentum and period.
TABLE_4_4 = (-0.29, 0.25, 0.05, 0.15)
TABLE_4_5 = (0.71, 0.23, 0.24, 0.45)
