"""Trainings of one network with each scheme, and what its exits are worth on test rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from scrimp.nets import LossBalance
from scrimp.nets.augmentation import Augmentation
from scrimp.nets.fitting import seeded_torch
from scrimp.nets.image_net import ImageNet
from scrimp.nets.image_nets import resnet
from scrimp.nets.tasks import ImageRows, Task
from scrimp.nets.training import Trainer, TrainingOptions
from scrimp.types import Floats

from ..trials import Record, Setting
from .data import Images
from .published import SHARES

#: Units per part and filters of the network, and of one of about twice the cost.
SIZE, LARGER = (2, 8), (4, 8)
#: Passes over the rows, rows per step, and the first rate of SGD.
EPOCHS, BATCH, RATE = 10, 32, 0.05
#: Trainings of a trial by name: the scheme of the weights, and its options.
SCHEMES: dict[str, tuple[str, dict[str, Any]]] = {
    "const": ("const", {}),
    "linear": ("linear", {}),
    "half-end": ("half-end", {}),
    "scale-once": ("scale-once", {}),
    "gradient-norm": ("gradient-norm", {}),
    "adaloss": ("adaloss", {}),
    "adaloss, normalised": ("adaloss", {"normalise": True}),
    "adaloss, gamma 0": ("adaloss", {"gamma": 0.0}),
    "adaloss, gamma 0.15": ("adaloss", {"gamma": 0.15}),
    "adaloss, momentum 0.99": ("adaloss", {"momentum": 0.99}),
    "adaloss, every 100 steps": ("adaloss", {"every": 100}),
}
#: All that decides over a result, beside the data.
RECIPE = {
    "size": SIZE, "larger": LARGER, "epochs": EPOCHS, "batch": BATCH, "rate": RATE,
    "schemes": {name: [scheme, options] for name, (scheme, options) in SCHEMES.items()},
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Course:
    """What a training came to.

    Parameters
    ----------
    errors : list of float
        The share of wrong answers of each exit on test rows.
    weights : list of float
        The weights of the exits at the end.
    """

    errors: list[float]
    weights: list[float]


def trial(data: Images, setting: Setting, rng: np.random.Generator) -> Record:
    """Train with every scheme, and for single exits; return the errors at parts of the cost."""
    problem = Problem.drawn(data, setting, rng)
    exits = problem.exits_at(SIZE)
    record: Record = {"exits": exits, "errors": {}, "weights": {}}
    for name, (scheme, options) in SCHEMES.items():
        course = problem.trained(SIZE, scheme, options)
        record["errors"][name] = [course.errors[e] for e in exits]
        record["weights"][name] = course.weights
    record["errors"]["opt"] = [problem.trained(SIZE, "opt", {"exit": e}).errors[e] for e in exits]
    larger = problem.trained(LARGER, "const", {})
    record["larger"] = larger.errors[-1]
    record["cost"] = [sum(problem.multiply_adds(size)) for size in (SIZE, LARGER)]
    return record


class Problem:
    """Training rows and test rows of a trial."""

    def __init__(self, data: Images, rows: Any, n_train: int, seed: int) -> None:
        self.data, self.seed, self.n_train = data, seed, n_train
        y = data.y[rows].astype(float)
        n_classes = int(data.y.max()) + 1
        self.task = Task(data.X[rows], None, y, np.ones(len(y)), n_classes)  # type: ignore[arg-type]

    @classmethod
    def drawn(cls, data: Images, setting: Setting, rng: np.random.Generator) -> Problem:
        """Return a random choice of rows."""
        seed = int(rng.integers(2**31))
        train = rng.permutation(data.n_train)[: setting.train]
        test = data.n_train + rng.permutation(len(data.y) - data.n_train)[: setting.test]
        return cls(data, np.concatenate([train, test]), setting.train, seed)

    def _net(self, size: tuple[int, int], n_exits: int | None = None) -> ImageNet:
        programs = resnet(self.task.n_classes, n=size[0], channels=size[1])[:n_exits]
        return ImageNet(programs, self.data.shape, self.task.prior)

    def multiply_adds(self, size: tuple[int, int]) -> list[int]:
        """Return the multiplications of each block."""
        return self._net(size).multiply_adds

    def exits_at(self, size: tuple[int, int]) -> list[int]:
        """Return the last exit within each part of the total cost."""
        spent = np.cumsum(self.multiply_adds(size))
        within = [np.flatnonzero(spent <= share * spent[-1] * (1 + 1e-12)) for share in SHARES]
        return [int(which[-1]) if len(which) else 0 for which in within]

    def trained(self, size: tuple[int, int], scheme: str, options: dict[str, Any]) -> Course:
        """Train a network for the same epochs, whatever the scheme; its last weights count.

        Blocks after the one exit of OPT have no part in its loss, and are not computed.
        """
        with seeded_torch(self.seed):
            net = self._net(size, options["exit"] + 1 if scheme == "opt" else None)
            rows = ImageRows(self.data.shape, self.task, torch.device("cpu"), Augmentation(pad=2))
            train, test = np.split(np.arange(len(self.task.y)), [self.n_train])
            balance = LossBalance(len(net.programs), scheme, **options)
            steps = TrainingOptions(
                n_epochs=EPOCHS, batch_size=BATCH, learning_rate=RATE, weight_decay=1e-4,
                optimiser="sgd", schedule="step", patience=EPOCHS, seed=self.seed,
            )  # fmt: skip
            trainer = Trainer(net, rows, rows.losses, train, test[:0], balance, steps)
            trainer.run()
            return Course(_errors(trainer, test, self.task.y), balance.weights.tolist())


def _errors(trainer: Trainer, test: Any, y: Floats) -> list[float]:
    """Return the share of wrong answers of each exit."""
    wrong = np.zeros(trainer.balance.n_losses)
    for rows, scores in trainer.answers(test):
        labels = [each.argmax(dim=1).numpy() for each in scores]
        wrong += [(label != y[rows]).sum() for label in labels]
    return [float(share) for share in wrong / len(test)]
