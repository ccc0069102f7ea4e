"""What a network learns: rows with their targets, and the losses of its answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ..data.columns import Columns
from ..data.folds import spread_folds
from ..plans.components.layer_programs import Shape
from ..types import Floats, Ints
from .augmentation import Augmentation
from .table_net import TableNet

#: Rows of validation, at least, for which a part is held out; else all rows are used for both.
_FEWEST_ROWS = 20


@dataclass(frozen=True, eq=False)
class Task:
    """What is learnt: rows with their targets.

    Parameters
    ----------
    table : float array (rows, columns)
        Numbers and codes; NaN where a value is missing.
    columns : Columns
        Their names and categories.
    y : array (rows,)
        Numbers of classes, or responses.
    weights : float array (rows,)
        With a mean of 1.
    n_classes : int
        0 for a regression.
    """

    table: Floats
    columns: Columns
    y: Floats
    weights: Floats
    n_classes: int

    @property
    def center(self) -> float:
        """The mean of the responses; 0 for classes."""
        return 0.0 if self.n_classes else float(np.average(self.y, weights=self.weights))

    @property
    def scale(self) -> float:
        """The standard deviation of the responses; 1 for classes."""
        if self.n_classes:
            return 1.0
        return float(np.sqrt(np.average((self.y - self.center) ** 2, weights=self.weights))) or 1.0

    @property
    def prior(self) -> Floats:
        """The scores before anything is bought, in the units of the training."""
        if not self.n_classes:
            return np.zeros(1)
        counts = np.bincount(self.y.astype(np.intp), self.weights, self.n_classes)
        logs = np.log(counts / counts.sum())
        return np.asarray(logs[1:] - logs[:1] if self.n_classes == 2 else logs)

    def split(self, part: float, seed: int) -> tuple[Ints, Ints]:
        """Return the rows to train on, and those of the validation; few rows are both."""
        n_folds, rng = max(round(1 / part), 2), np.random.default_rng(seed)
        if len(self.y) // n_folds < _FEWEST_ROWS:
            everything = np.arange(len(self.y))
            return everything, everything
        fold = spread_folds(self.y, n_folds, rng, stratified=self.n_classes > 0)
        return np.flatnonzero(fold != 0), np.flatnonzero(fold == 0)


class TaskRows(ABC):
    """The rows of a task as a network takes them in, and their losses."""

    def __init__(self, task: Task, device: torch.device) -> None:
        self.n_classes, self.device = task.n_classes, device
        y = (task.y - task.center) / task.scale
        kind = torch.long if task.n_classes > 2 else torch.float32
        self.y = torch.tensor(y, dtype=kind, device=device)
        self.weights = torch.tensor(task.weights, dtype=torch.float32, device=device)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.y)

    @abstractmethod
    def rows(self, index: Ints, augment: torch.Generator | None) -> Sequence[Tensor]:
        """Return the inputs of some rows, changed at random if there is a generator."""

    def losses(self, scores: Tensor, index: Ints) -> Tensor:
        """Return the weighted log loss, or half the squared error, of each row."""
        chosen = torch.from_numpy(index).to(self.device)
        y, weights = self.y[chosen], self.weights[chosen]
        if not self.n_classes:
            return weights * 0.5 * (scores[:, 0] - y) ** 2
        if self.n_classes == 2:
            own = functional.binary_cross_entropy_with_logits(scores[:, 0], y, reduction="none")
            return weights * own
        return weights * functional.cross_entropy(scores, y, reduction="none")


class TableRows(TaskRows):
    """The rows of a table."""

    def __init__(self, net: TableNet, task: Task, device: torch.device) -> None:
        super().__init__(task, device)
        self.encoded = net.encoded(task.table)

    def rows(self, index: Ints, augment: torch.Generator | None) -> Sequence[Tensor]:
        """Return values and weights of some rows for each block."""
        chosen = torch.from_numpy(index)
        return [tensor[chosen].to(self.device) for tensor in self.encoded]


class ImageRows(TaskRows):
    """Images.

    Parameters
    ----------
    shape : tuple of int
        Channels, height and width.
    task : Task
        Its table has the flattened images.
    device : torch.device
        Where they are computed on.
    augmentation : Augmentation
        How training images are changed at random.
    """

    def __init__(
        self, shape: Shape, task: Task, device: torch.device, augmentation: Augmentation
    ) -> None:
        super().__init__(task, device)
        table = np.ascontiguousarray(task.table, dtype=np.float32)
        self.images = torch.from_numpy(table).reshape(len(table), *shape)
        self.augmentation = augmentation

    def rows(self, index: Ints, augment: torch.Generator | None) -> Sequence[Tensor]:
        """Return some images, changed at random if there is a generator."""
        images = self.images[torch.from_numpy(index)]
        if augment is not None:
            images = self.augmentation(images, augment)
        return [images.to(self.device)]
