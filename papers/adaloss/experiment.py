"""Learning Anytime Predictions in Neural Networks via Adaptive Loss Balancing, again."""

from __future__ import annotations

from ..experiment import StudyOnOtherData
from ..trials import Setting
from .data import load
from .report import fill
from .training import BATCH, EPOCHS, LARGER, RATE, RECIPE, SIZE, trial

STUDY = StudyOnOtherData(
    paper="adaloss",
    title="Hu et al. 2019: anytime networks and AdaLoss, run again at the size of a processor",
    reference="Hanzhang Hu, Debadeepta Dey, Martial Hebert, J. Andrew Bagnell. Learning Anytime "
    "Predictions in Neural Networks via Adaptive Loss Balancing. AAAI 2019. Printed figures are "
    "those of chapter 4 of Hu's thesis (Carnegie Mellon University 2019).",
    settings={
        "mnist": Setting(196, 1_000, 2_000, 0, 5),
        "fashion_mnist": Setting(196, 1_000, 2_000, 0, 5),
        "cifar10_subset": Setting(768, 1_000, 2_000, 0, 5),
    },
    quick={"mnist": 1, "fashion_mnist": 1, "cifar10_subset": 1},
    trial=trial,
    recipe=RECIPE,
    trial_is="another choice of training rows and test rows, and another start of the network",
    notes=(
        f"Networks are ResANN{SIZE} and, of about twice the cost, ResANN{LARGER}, with an exit "
        "after each unit, in place of (7, 16) to (25, 32); rows are 1,000 of MNIST, Fashion-MNIST "
        "and a part of CIFAR-10 in place of all rows of CIFAR-10, CIFAR-100 and SVHN, and images "
        "have half the height and width (means of squares of four pixels). Nothing is claimed "
        "beyond these.",
        f"Training: {EPOCHS} epochs of SGD in place of 300 (60), rate {RATE} divided by 10 at a "
        f"half and three quarters of them, momentum 0.9, weight decay 1e-4, batches of {BATCH}, "
        "random crops of images padded by 2. The last weights count, for all schemes.",
        "OPT trains for one exit at a time, at the last exits within a quarter, a half, three "
        "quarters and all of the cost. The error of the same start with each scheme is compared "
        "with it within a trial.",
        "Sums of weights differ: L for CONST, less for AdaLoss, so that steps differ in length; "
        "a row has AdaLoss with weights of mean 1.",
    ),
    fill=fill,
    load=load,
)
