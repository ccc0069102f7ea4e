"""Sizes that Huang, Powers and Reyzin (2015) print."""

from __future__ import annotations

from ..trials import Setting

#: Y. Huang, B. Powers, L. Reyzin. Training-Time Optimization of a Budgeted Booster. IJCAI 2015,
#: Table 1, without Yahoo's webscope set 2, which is not public.
SETTINGS = {
    "ocr17": Setting(403, 1000, 5000, 400, 100),
    "ocr49": Setting(403, 1000, 5000, 200, 100),
    "splice": Setting(240, 1000, 2175, 75, 100),
    "census": Setting(131, 1000, 5000, 880, 100),
    "breast_cancer": Setting(82, 500, 199, 500, 400),
    "ecoli": Setting(356, 200, 136, 50, 400),
    "sonar": Setting(11196, 100, 108, 99, 400),
    "heart": Setting(371, 100, 170, 15, 400),
    "ionosphere": Setting(8114, 300, 51, 400, 400),
}
