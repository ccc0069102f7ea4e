"""Figures that the papers print, to compare with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """How a paper ran one dataset.

    Parameters
    ----------
    n_features : int
        Features, as the paper counts them.
    train, test : int
        Rows of each part.
    rounds : int
        Rounds of AdaBoost.
    trials : int
        Random divisions over which its figures are averaged.
    """

    n_features: int
    train: int
    test: int
    rounds: int
    trials: int


#: L. Reyzin. Boosting on a Budget: Sampling for Feature-Efficient Prediction. ICML 2011,
#: Table 1 (sizes), Sec. 5.2 (rounds) and the caption of Table 5 (trials).
REYZIN2011 = {
    "census": Setting(130, 1000, 5000, 500, 50),
    "splice": Setting(239, 1000, 2175, 500, 50),
    "ocr17": Setting(402, 1000, 5000, 500, 50),
    "ocr49": Setting(402, 1000, 5000, 500, 50),
}

#: Table 2: error of AdaBoost in percent.
REYZIN2011_ADABOOST = {"census": 18.3, "splice": 8.1, "ocr17": 0.8, "ocr49": 6.5}

#: The columns of Tables 3 and 4: how far above AdaBoost's error, in percent of it.
REYZIN2011_WITHIN = (100, 50, 25, 10)

#: Table 3: samples to come so close.
REYZIN2011_SAMPLES = {
    "census": (15, 77, 211, 637),
    "splice": (97, 205, 421, 823),
    "ocr17": (178, 244, 339, 505),
    "ocr49": (167, 296, 694, 1020),
}

#: Table 4: percent of the features these samples use.
REYZIN2011_USED = {
    "census": (10.0, 29.2, 40.8, 48.5),
    "splice": (26.8, 38.9, 52.7, 61.5),
    "ocr17": (16.4, 18.4, 19.9, 20.6),
    "ocr49": (21.6, 26.4, 31.3, 32.3),
}

#: The bounds B of the loop in Tables 5 and 6.
REYZIN2011_BOUNDS = (11, 21)

#: Table 5: error in percent of AdaBoostRS_AC and of AdaBoostRS, at each bound.
REYZIN2011_ERRORS = {
    "census": ((32.2, 32.8), (25.5, 26.4)),
    "splice": ((25.7, 27.0), (19.2, 20.4)),
    "ocr17": ((9.2, 10.5), (3.5, 4.3)),
    "ocr49": ((27.4, 28.3), (20.2, 21.4)),
}

#: Table 6: "number of samples taken" by AdaBoostRS_AC and by AdaBoostRS, at each bound.
REYZIN2011_TAKEN = {
    "census": ((26.2, 20.7), (45.7, 41.3)),
    "splice": ((33.8, 20.6), (56.2, 40.0)),
    "ocr17": ((29.4, 20.6), (49.3, 40.5)),
    "ocr49": ((33.6, 21.1), (55.7, 40.3)),
}

#: Y. Huang, B. Powers, L. Reyzin. Training-Time Optimization of a Budgeted Booster. IJCAI 2015,
#: Table 1, without Yahoo's webscope set 2, which is not public.
HUANG2015 = {
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

#: H. Hu. Anytime Prediction and Learning for the Balance between Computation and Accuracy. PhD
#: thesis, Carnegie Mellon University 2019, Tables 3.1 and 3.2: timeliness of orders of feature
#: groups, on Agricultural (proprietary) and on Yahoo's set in groups of 5, 10, 15 and 20.
HU2019_METHODS = (
    "CS-G-FR", "CS-G-OMP", "Single", "No-Whiten", "G-OMP", "Sparse", "Oracle-FR", "Oracle-OMP",
)  # fmt: skip
HU2019_TIMELINESS = {
    "Agricultural": (0.4525, 0.4406, 0.4086, 0.4340, 0.4073, 0.3997, 0.4551, 0.4508),
    "Yahoo, 5": (0.3222, 0.3188, 0.3039, 0.3111, 0.2985, 0.2934, 0.3225, 0.3211),
    "Yahoo, 10": (0.3205, 0.3142, 0.3117, 0.3079, 0.2909, 0.2858, 0.3207, 0.3164),
    "Yahoo, 15": (0.3213, 0.3165, 0.3159, 0.3116, 0.2892, 0.2952, 0.3213, 0.3177),
    "Yahoo, 20": (0.3180, 0.3161, 0.3124, 0.3065, 0.2875, 0.2895, 0.3180, 0.3163),
}

#: Fig. 3.2: how many times faster CS-G-OMP trained than CS-G-FR, on its two datasets.
HU2019_FASTER = (8.0, 20.0)

#: Sec. 3.7.1 and Fig. 3.6, MNIST: training rows, features, groups of them; features with which
#: there are fewer mistakes than so many, of 10000; features from which on there are 100 to 105;
#: and mistakes with all.
HU2019_MNIST_ROWS, HU2019_MNIST_FEATURES, HU2019_MNIST_GROUPS = 60000, 11000, 54
HU2019_MNIST_EARLY, HU2019_MNIST_PLATEAU, HU2019_MNIST_END = (2200, 150), (6000, 105), 101

#: L. Wang et al. (2018): the prices of Yahoo's 519 features, and how many have each.
YAHOO_PRICES = {1: 123, 5: 31, 20: 191, 50: 125, 100: 16, 150: 32, 200: 1}
