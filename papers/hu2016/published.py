"""Figures that chapter 3 of Hu (2019) prints, to compare with."""

from __future__ import annotations

from dataclasses import dataclass

#: H. Hu. Anytime Prediction and Learning for the Balance between Computation and Accuracy. PhD
#: thesis, Carnegie Mellon University 2019, Tables 3.1 and 3.2: timeliness of orders of feature
#: groups, on Agricultural (proprietary) and on Yahoo's set in groups of 5, 10, 15 and 20.
METHODS = (
    "CS-G-FR", "CS-G-OMP", "Single", "No-Whiten", "G-OMP", "Sparse", "Oracle-FR", "Oracle-OMP",
)  # fmt: skip
TIMELINESS = {
    "Agricultural": (0.4525, 0.4406, 0.4086, 0.4340, 0.4073, 0.3997, 0.4551, 0.4508),
    "Yahoo, 5": (0.3222, 0.3188, 0.3039, 0.3111, 0.2985, 0.2934, 0.3225, 0.3211),
    "Yahoo, 10": (0.3205, 0.3142, 0.3117, 0.3079, 0.2909, 0.2858, 0.3207, 0.3164),
    "Yahoo, 15": (0.3213, 0.3165, 0.3159, 0.3116, 0.2892, 0.2952, 0.3213, 0.3177),
    "Yahoo, 20": (0.3180, 0.3161, 0.3124, 0.3065, 0.2875, 0.2895, 0.3180, 0.3163),
}

#: Fig. 3.2: how many times faster CS-G-OMP trained than CS-G-FR, on its two datasets.
FASTER = (8.0, 20.0)


@dataclass(frozen=True)
class Mnist:
    """The experiment on MNIST (Sec. 3.7.1 and Fig. 3.6)."""

    #: Training rows.
    rows: int = 60_000
    #: Features, about.
    features: int = 11_000
    #: Groups that the features are divided into.
    groups: int = 54
    #: A number of features, and the mistakes of 10000 that are already undercut with them.
    early: tuple[int, int] = (2200, 150)
    #: The number of features from which on there are 100 mistakes or more, and the most.
    plateau: tuple[int, int] = (6000, 105)
    #: Mistakes with all features.
    end: int = 101


MNIST = Mnist()
