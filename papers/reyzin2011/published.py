"""Figures that Reyzin (2011) prints, to compare with."""

from __future__ import annotations

from ..trials import Setting

#: L. Reyzin. Boosting on a Budget: Sampling for Feature-Efficient Prediction. ICML 2011,
#: Table 1 (sizes), Sec. 5.2 (rounds) and the caption of Table 5 (trials).
SETTINGS = {
    "census": Setting(130, 1000, 5000, 500, 50),
    "splice": Setting(239, 1000, 2175, 500, 50),
    "ocr17": Setting(402, 1000, 5000, 500, 50),
    "ocr49": Setting(402, 1000, 5000, 500, 50),
}

#: Table 2: error of AdaBoost in percent.
ADABOOST = {"census": 18.3, "splice": 8.1, "ocr17": 0.8, "ocr49": 6.5}

#: The columns of Tables 3 and 4: how far above AdaBoost's error, in percent of it.
WITHIN = (100, 50, 25, 10)

#: Table 3: samples to come so close.
SAMPLES = {
    "census": (15, 77, 211, 637),
    "splice": (97, 205, 421, 823),
    "ocr17": (178, 244, 339, 505),
    "ocr49": (167, 296, 694, 1020),
}

#: Table 4: percent of the features these samples use.
USED = {
    "census": (10.0, 29.2, 40.8, 48.5),
    "splice": (26.8, 38.9, 52.7, 61.5),
    "ocr17": (16.4, 18.4, 19.9, 20.6),
    "ocr49": (21.6, 26.4, 31.3, 32.3),
}

#: The bounds B of the loop in Tables 5 and 6.
BOUNDS = (11, 21)

#: Table 5: error in percent of AdaBoostRS_AC and of AdaBoostRS, at each bound.
ERRORS = {
    "census": ((32.2, 32.8), (25.5, 26.4)),
    "splice": ((25.7, 27.0), (19.2, 20.4)),
    "ocr17": ((9.2, 10.5), (3.5, 4.3)),
    "ocr49": ((27.4, 28.3), (20.2, 21.4)),
}

#: Table 6: "number of samples taken" by AdaBoostRS_AC and by AdaBoostRS, at each bound.
TAKEN = {
    "census": ((26.2, 20.7), (45.7, 41.3)),
    "splice": ((33.8, 20.6), (56.2, 40.0)),
    "ocr17": ((29.4, 20.6), (49.3, 40.5)),
    "ocr49": ((33.6, 21.1), (55.7, 40.3)),
}
