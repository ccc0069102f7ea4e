"""Gradient Boosting on Stochastic Data Streams (Hu et al., AISTATS 2017), again."""

from __future__ import annotations

from typing import Any

from ..experiment import StudyOnOtherData
from ..trials import Setting, Trial
from . import comparison, counterexample, streams, theory
from .data import load
from .report import fill
from .training import PATIENCE, TOLERANCE

#: Experiments of another kind than GB against SGB, by the name of their dataset.
OTHERS: dict[str, Any] = {
    "regret_a9a": streams, "regret_blogfeedback": streams, "generated": theory,
    "counterexample": counterexample,
}  # fmt: skip


class StreamStudy(StudyOnOtherData):
    """A study in which some datasets have experiments of another kind."""

    def way(self, name: str) -> tuple[Trial, Any]:
        """Return the trial and the recipe of the kind of experiment that a dataset has."""
        if name in OTHERS:
            return OTHERS[name].trial, OTHERS[name].RECIPE
        return self.trial, self.recipe[name]


STUDY = StreamStudy(
    paper="sgb2017",
    title="Hu et al. 2017: gradient boosting on streams, run again",
    reference="Hanzhang Hu, Wen Sun, Arun Venkatraman, Martial Hebert, J. Andrew Bagnell. Gradient "
    "Boosting on Stochastic Data Streams. AISTATS 2017. Printed figures and numbers of sections "
    "are those of chapter 5 of Hu's thesis (Carnegie Mellon University 2019).",
    settings={
        "abalone": Setting(8, 3_759, 418, 0, 20),
        "a9a": Setting(123, 32_561, 16_281, 0, 10),
        "mnist": Setting(784, 60_000, 10_000, 0, 5),
        "year": Setting(90, 463_715, 51_630, 0, 1),
        "slice": Setting(384, 48_150, 5_350, 0, 1),
        "regret_a9a": Setting(123, 10_000, 0, 0, 10),
        "regret_blogfeedback": Setting(280, 10_000, 0, 0, 10),
        "generated": Setting(10, 10_000, 0, 0, 20),
        "counterexample": Setting(0, 0, 0, 0, 1),
    },
    quick={
        "abalone": 5,
        "a9a": 5,
        "mnist": 1,
        "year": 1,
        "slice": 1,
        "regret_a9a": 5,
        "regret_blogfeedback": 5,
        "generated": 5,
        "counterexample": 1,
    },
    trial=comparison.trial,
    recipe={name: comparison.recipe(name) for name in comparison.CHOICES},
    trial_is="another random order of the rows, another start of the learners and, where no "
    "division is given, another random division into 90% for training and 10% for testing",
    notes=(
        "Learners are those that are printed: two-layer networks with one hidden unit and the "
        "sigmoid on abalone and a9a, with ten on YEAR and, with the leaky ReLU, on SLICE; a 5x5 "
        "convolution of stride 2 with 5 channels on MNIST; Adam. "
        "N = 8 is printed for a9a; 20 on abalone and 8 on MNIST are chosen here, as are steps "
        "(0.3/β, 1/β and 0.5/β), the rates of Adam (0.02, 0.02 and 0.003, falling with the root of "
        "its steps) and batches of 10 rows, 25 on MNIST. They were chosen on the last 6,561 "
        "training rows of a9a, on 5,000 of MNIST, and on two random divisions of abalone, so that "
        "there the choice has seen rows that are test rows of a trial. GB has the same settings. "
        "YEAR and SLICE are fetched from UCI where the network allows; their settings (N = 8, "
        "0.3/β, 0.02) are those of the others, and were not tried.",
        "Targets of regression are standardised by training rows, as a network does not reach the "
        "scale of others soon; errors are printed in the units that targets had.",
        "A block of learners (all N in SGB, one in GB) goes over the training rows in random order "
        f"until {PATIENCE} passes have not brought its loss before learning down by "
        f"{100 * TOLERANCE:g}%: at most 40 times on abalone, 20 on SLICE, 5 on a9a, 2 on MNIST and "
        "YEAR, few enough for a run without YEAR and SLICE to take some 11 minutes of one core. "
        "When a learner "
        "counts as converged is not printed. A row of computation is counted as the thesis does: "
        "an answer of one learner is 1, an update 2.",
        "Learners that all begin with the first row see the same targets, and together step N "
        "times too far: on abalone SGB with 20 learners and whole steps then diverges. So learners "
        "begin 100 rows apart here, as in the library; a table says what it does.",
        "Base is one learner, trained until it converges, with the whole step 1/β.",
        "Regret is measured against a tree of depth 15, at least 5 rows a leaf, that is fitted to "
        "the whole stream in hindsight; each leaf has the score of the least loss. It knows the "
        "noise of the rows, so that regret levels off above 0. BlogFeedback, with about as many "
        "rows as SLICE, stands in for it, its target log(1 + comments) and standardised; "
        "10,000 random rows of it and of a9a are the stream. Depths, N, T, the ridge (0.01, and "
        "0.25 for losses that are not smooth) and steps (0.3/β) are not printed.",
        "Trees are the library's online trees. The thesis most likely refitted trees of bounded "
        f"depth to all past rows; both are compared on {streams.SMALL_ROWS:,} rows.",
        "The theorems are put to the test where their conditions can hold: on generated problems "
        "without noise (Friedman's first), 10,000 rows, with ridge regressions on random features "
        "as learners; each draws its own features, so that all keep an edge. Edges are measured "
        "over all rows, before a learner learns from them, so that R(T) is in them.",
    ),
    fill=fill,
    load=load,
)
