"""Efficient Feature Group Sequencing for Anytime Linear Prediction (Hu et al., UAI 2016), again."""

from __future__ import annotations

from typing import Any

from ..experiment import StudyOnOtherData
from ..prices import price_counts
from ..trials import Data, Setting, Trial
from . import doubling, mnist
from .data import grouped
from .orders import ALPHAS, DEAR, GRID, PENALTIES, REFITTED, RIDGE, trial
from .report import fill

#: Experiments of another kind than orders side by side, by the name of their dataset.
OTHERS = {"mnist": mnist, "generated": doubling}


def load(name: str) -> Data:
    """Return a dataset by name."""
    return OTHERS[name].load() if name in OTHERS else grouped(name)


class SequenceStudy(StudyOnOtherData):
    """A study in which some datasets have experiments of another kind."""

    def way(self, name: str) -> tuple[Trial, Any]:
        """Return the trial and the recipe of the kind of experiment that a dataset has."""
        if name in OTHERS:
            return OTHERS[name].trial, OTHERS[name].RECIPE
        return super().way(name)


STUDY = SequenceStudy(
    paper="hu2016",
    title="Hu et al. 2016: sequences of feature groups, run again on other data",
    reference="Hanzhang Hu, Alexander Grubb, J. Andrew Bagnell, Martial Hebert. Efficient Feature "
    "Group Sequencing for Anytime Linear Prediction. UAI 2016. Printed figures are those of "
    "chapter 3 of Hu's thesis (Carnegie Mellon University 2019).",
    settings={
        "mslr": Setting(136, 5000, 5000, 0, 50),
        "mslr_query": Setting(136, 5000, 5000, 0, 50),
        "blogfeedback": Setting(280, 26198, 26199, 0, 50),
        "a9a": Setting(123, 24421, 24421, 0, 50),
        "mnist": Setting(mnist.N_FEATURES, 15000, 10000, 0, 10),
        "generated": Setting(0, doubling.ROWS, 0, 0, 1000),
    },
    quick={
        "mslr": 20,
        "mslr_query": 20,
        "blogfeedback": 20,
        "a9a": 20,
        "mnist": 5,
        "generated": 300,
    },
    trial=trial,
    recipe=[1, RIDGE, ALPHAS, DEAR, PENALTIES, REFITTED, len(GRID)],
    notes=(
        "Neither of the thesis's datasets can be had: Agricultural is proprietary, and Yahoo's is "
        "given to applicants only. So orderings of the methods can be compared, figures cannot.",
        "A random half of the rows is for training (MSLR: of the queries), the rest for testing. "
        "Each group has one price, drawn anew in each trial from the prices of Yahoo's features "
        f"({price_counts()} of 519). The "
        "ridge is 1e-5.",
        "MSLR's columns are ranks, as in Yahoo's set all values lie between 0 and 1: as they are, "
        "some are so skewed that a few rows of new queries decide over the squared error. With 43 "
        "queries in training, what is learned holds only in part for new ones: the curves of test "
        "rows fall before their end (mslr). Ranks within each query (mslr_query) were added after "
        "the first trials had shown this, and show it too. Both are the same rows, "
        "so what they say counts once.",
        "G-OMP chooses as if all prices were 1, and pays the true ones. Sparse buys in the order "
        f"in which a group lasso weighted with prices takes up groups along {PENALTIES} penalties, "
        "and has a ridge regression for each prefix as the others have, so that only its order is "
        "judged. An oracle has the purchases of a test curve in the order of what they brought "
        "there per price.",
        "Timeliness is the area under explained variance of test rows against cost, up to the "
        "stopping cost, over that cost times the variance of the responses: 1 would be to "
        "explain everything from the start. Divided by its own end a concave curve has 0.5 or "
        "more, so the printed figures can only be normalised in this way. A group counts from "
        "when it is paid in full; the thesis interpolates at the stopping cost.",
        "The stopping cost is where CS-G-OMP explains α of what it does in the end, in training. "
        "α is where the plateau begins, by the thesis's rule: from 0.95 on, in hundredths, the "
        "first after which one hundredth more takes over 20% of all prices, else 1. It is found "
        "anew in each trial, as prices are.",
        "Training times with refits are of refits on the rows, whose cost the thesis states; by "
        "refits from sums over rows FR took only about 3.5 times as long as OMP on MSLR.",
        *mnist.NOTES,
        *doubling.NOTES,
    ),
    fill=lambda page, results: fill(page, results, GRID),
    load=load,
)
