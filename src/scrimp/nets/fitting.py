"""A network trained on rows, and as a plan."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from scipy.optimize import minimize_scalar
from torch import Tensor

from ..costs.costs import Costs
from ..plans.components.layer_programs import BlockProgram, Shape
from ..types import Floats, Ints
from .augmentation import Augmentation
from .image_net import ImageNet
from .loss_balance import LossBalance
from .table_encoding import TableEncoding
from .table_net import TableNet, TableSizes
from .tasks import ImageRows, TableRows, Task, TaskRows
from .training import Fitted, Trainer, TrainingOptions

#: A network whose exits are trained.
Net = TableNet | ImageNet
#: Knots are fewer where rows x columns x 2 values would take more than this.
_MAX_CELLS = 60_000_000
#: How much the scores of an exit may be stretched after training.
_SLOPES = (0.1, 5.0)


@dataclass(frozen=True, eq=False)
class TrainedNet:
    """A trained network.

    Parameters
    ----------
    net : TableNet or ImageNet
        The network.
    task : Task
        What it has learnt.
    blocks : list of lists of int
        The items of each block.
    fitted : Fitted
        The course of the training.
    slopes : float array (exits,)
        By which scores are multiplied.
    losses : float array (exits,)
        On validation rows, after that.
    prior_loss : float
        The loss without any purchase, on the same rows.
    """

    net: Net
    task: Task
    blocks: list[list[int]]
    fitted: Fitted
    slopes: Floats
    losses: Floats
    prior_loss: float


@dataclass(frozen=True)
class NetTraining:
    """What a training needs to know beside the network and its rows.

    Parameters
    ----------
    make_balance : callable
        Returns the `LossBalance` of a number of exits.
    options : TrainingOptions
        How steps are made.
    validation_part : float
        The part of the rows that is held out.
    device : torch.device
        Where the network is trained.
    checkpoint : path, optional
        Where the state of the training is kept.
    """

    make_balance: Callable[[int], LossBalance]
    options: TrainingOptions
    validation_part: float
    device: torch.device
    checkpoint: str | os.PathLike[str] | None = None


def train_table_net(
    task: Task, costs: Costs, blocks: list[list[int]], sizes: TableSizes, n_knots: int,
    training: NetTraining,
) -> tuple[TrainedNet, KeyboardInterrupt | None]:  # fmt: skip
    """Train a network whose blocks buy items; an interrupt is returned with what was learnt."""
    cells = 2 * len(task.y) * sum(len(costs.columns[i]) for block in blocks for i in block)
    n_knots = n_knots if cells <= _MAX_CELLS else 2
    train, _ = task.split(training.validation_part, training.options.seed)
    encodings = [
        TableEncoding.learn(
            task.table[train], task.columns, [c for item in block for c in costs.columns[item]],
            n_knots,
        )
        for block in blocks
    ]  # fmt: skip
    with seeded_torch(training.options.seed):
        net = TableNet(encodings, sizes, task.prior)
        rows = TableRows(net, task, training.device)
        return _trained(net, rows, task, blocks, training)


def train_image_net(
    task: Task, costs: Costs, programs: Sequence[BlockProgram], shape: Shape,
    augmentation: Augmentation, training: NetTraining,
) -> tuple[TrainedNet, KeyboardInterrupt | None]:  # fmt: skip
    """Train a network on images; its first block buys all of them."""
    everything = [item for item in range(costs.n_items) if costs.columns[item]]
    blocks = [everything, *([] for _ in programs[1:])]
    with seeded_torch(training.options.seed):
        net = ImageNet(programs, shape, task.prior)
        rows = ImageRows(shape, task, training.device, augmentation)
        return _trained(net, rows, task, blocks, training)


@contextmanager
def seeded_torch(seed: int) -> Iterator[None]:
    """Seed the generators of PyTorch inside the block, and leave them as they were after it."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


def _trained(
    net: Net, rows: TaskRows, task: Task, blocks: list[list[int]], training: NetTraining
) -> tuple[TrainedNet, KeyboardInterrupt | None]:
    """Train a network, and judge its exits on the validation rows."""
    train, validation = task.split(training.validation_part, training.options.seed)
    trainer = Trainer(
        net.to(training.device), rows, rows.losses, train, validation,
        training.make_balance(len(blocks)), training.options, training.checkpoint,
    )  # fmt: skip
    interrupt = None
    try:
        fitted = trainer.run()
    except KeyboardInterrupt as error:
        interrupt, fitted = error, trainer.result("interrupted")
    scores = [list(each) for _, each in trainer.answers(validation)]
    joined = [torch.cat([part[k] for part in scores]) for k in range(len(blocks))]
    slopes, losses = _calibrated(joined, rows, validation)
    if not fitted.best_epoch:  # nothing was learnt: an exit may only be better by chance
        losses = np.full(len(losses), np.inf)
    prior = torch.tensor(task.prior, dtype=torch.float32, device=training.device)
    of_prior = float(rows.losses(prior.repeat(len(validation), 1), validation).mean())
    return TrainedNet(net.cpu(), task, blocks, fitted, slopes, losses, of_prior), interrupt


def _calibrated(scores: list[Tensor], rows: TaskRows, index: Ints) -> tuple[Floats, Floats]:
    """Return the factor of each exit's scores that has the least loss, and that loss."""
    slopes, losses = [], []
    for each in scores:

        def loss(slope: float, each: Tensor = each) -> float:
            return float(rows.losses(slope * each, index).mean())

        slope = 1.0
        if rows.n_classes:
            found = minimize_scalar(loss, bounds=_SLOPES, method="bounded", options={"xatol": 1e-3})
            slope = float(found.x) if loss(float(found.x)) < loss(1.0) else 1.0
        slopes.append(slope)
        losses.append(loss(slope))
    return np.array(slopes), np.array(losses)
