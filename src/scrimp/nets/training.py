"""How a network with several exits is trained, and what is done when that goes wrong."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from ..io.atomic import write_atomically
from ..runtime.events import Progress, emit
from ..runtime.time_limit import current_limit, is_time_over
from ..types import Floats, Ints
from .loss_balance import LossBalance
from .training_checkpoint import packed, restore_optimiser, unpacked

#: Rows that are answered at a time in validation.
_VALIDATION_ROWS = 4_096
#: The least loss whose logarithm counts.
_LEAST_LOSS = 1e-6
#: Gradients are scaled down to this norm.
_MAX_GRADIENT = 5.0


@dataclass(frozen=True)
class TrainingOptions:
    """How a network is trained.

    Parameters
    ----------
    n_epochs, batch_size : int
        Passes over the rows, at most, and rows per step.
    learning_rate, weight_decay : float
        Of the optimiser.
    optimiser : {"adamw", "sgd"}
        SGD has a momentum of 0.9.
    schedule : {"cosine", "step", "constant"}
        How the rate falls: by a half cosine to 0, or by ten at a half and three quarters of the
        epochs. Where time is limited, the part of it that is over counts if it is larger than that
        of the epochs, so that the rate falls in time.
    patience : int
        Epochs without a better validation loss after which the training ends.
    seed : int
        Decides all that is random.
    """

    n_epochs: int = 100
    batch_size: int = 256
    learning_rate: float = 2e-3
    weight_decay: float = 1e-4
    optimiser: str = "adamw"
    schedule: str = "cosine"
    patience: int = 16
    seed: int = 0


class Batches(Protocol):
    """The rows that a network is trained on, in the form in which it takes them."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def rows(self, index: Ints, augment: torch.Generator | None) -> Sequence[Tensor]:
        """Return the inputs of some rows, changed at random if there is a generator."""


#: The losses of each row (rows,), from scores (rows, outputs) and the numbers of the rows.
RowLosses = Callable[[Tensor, Ints], Tensor]


@dataclass
class Fitted:
    """What a training came to.

    Parameters
    ----------
    losses : float array (epochs, exits)
        On the validation rows after each epoch.
    weights : float array (epochs, exits)
        Of the losses, at the end of each epoch.
    best_epoch : int
        The epoch whose weights the network has, from 1 on; 0 if it learnt nothing.
    reason : str
        Why it ended.
    """

    losses: Floats
    weights: Floats
    best_epoch: int
    reason: str


class Trainer:
    """Trains a network; afterwards it has the weights that were best on the validation rows.

    Parameters
    ----------
    net : nn.Module
        Yields the scores of its exits, one after the other.
    batches : Batches
        All rows.
    row_losses : callable
        See `RowLosses`.
    train, validation : int arrays
        Numbers of rows. Without validation rows all epochs are made, and the last weights kept.
    balance : LossBalance
        Weights of the exits.
    options : TrainingOptions
        How.
    checkpoint : path, optional
        Where the state is kept after each epoch, and from where it is resumed.
    """

    def __init__(
        self, net: nn.Module, batches: Batches, row_losses: RowLosses, train: Ints,
        validation: Ints, balance: LossBalance, options: TrainingOptions,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:  # fmt: skip
        self.net, self.batches, self.row_losses = net, batches, row_losses
        self.train, self.validation = train, validation
        self.balance, self.options = balance, options
        self.checkpoint = None if checkpoint is None else Path(checkpoint)
        self.batch_size = min(options.batch_size, max(len(train), 1))
        self.optimiser = _optimiser(net, options)
        self.epoch, self.best_epoch = 0, 0
        self.seconds = current_limit().seconds_left()
        self.best, self.lowest = _copied(net), math.inf
        self.history: list[tuple[list[float], list[float]]] = []

    def run(self) -> Fitted:
        """Train until the epochs or the time are over, or nothing is gained any more.

        When interrupted, the network has the best weights so far, and the interrupt is raised.
        """
        if len(self.train) < 2:  # a batch of one cannot be normalised
            self.net.eval()
            return self.result("there are fewer than two rows")
        self._resume()
        self.seconds = current_limit().seconds_left()
        reason = "all epochs are done"
        begin, first = monotonic(), self.epoch
        try:
            while self.epoch < self.options.n_epochs:
                if self.epoch - self.best_epoch >= self.options.patience:
                    reason = f"no better for {self.options.patience} epochs"
                    break
                stopped = self._epoch()
                if stopped:
                    reason = stopped
                    break
                self._note(begin, first)
                self._save()
        finally:
            self.net.load_state_dict(self.best)
            self.net.eval()
        return self.result(reason)

    def result(self, reason: str) -> Fitted:
        """Return the course of the training up to now."""
        losses, weights = zip(*self.history, strict=True) if self.history else ((), ())
        return Fitted(np.array(losses), np.array(weights), self.best_epoch, reason)

    def _epoch(self) -> str:
        """Make the steps of an epoch; return why the training must end, or nothing."""
        seed = int(np.random.SeedSequence([self.options.seed, self.epoch]).generate_state(1)[0])
        torch.manual_seed(seed)  # dropout; the caller keeps the global state
        generator = torch.Generator().manual_seed(seed)
        order = self.train[torch.randperm(len(self.train), generator=generator).numpy()]
        self.net.train()
        start = 0
        while start < len(order):
            if is_time_over():
                return "the time is over" if start == 0 else self._cut_off()
            self._set_rate()
            batch = order[start : start + self.batch_size]
            if len(batch) == 1:
                break
            try:
                is_finite = self._step(batch, generator)
            except RuntimeError as error:
                self._smaller_batches(error)
                continue
            if not is_finite:
                return "a loss is not finite"
            start += len(batch)
        self.epoch += 1
        return ""

    def _cut_off(self) -> str:
        """Judge the weights of an epoch that the time has cut off; it is not in the checkpoint."""
        self.epoch += 1
        self._note(monotonic(), self.epoch - 1)
        return "the time is over"

    def _step(self, batch: Ints, generator: torch.Generator) -> bool:
        """Make a step; return whether the losses were finite."""
        self.optimiser.zero_grad(set_to_none=True)
        inputs = self.batches.rows(batch, generator)
        device = inputs[0].device.type
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):  # half the memory
            scores = [each.float() for each in self.net(*inputs)]
        losses = [self.row_losses(each, batch).mean() for each in scores]
        values = [loss.item() for loss in losses]
        if not np.isfinite(values).all():
            warnings.warn(
                f"The loss of exit {int(np.isfinite(values).argmin()) + 1} is not finite "
                f"in epoch {self.epoch + 1}: the training ends with the best weights "
                "until then. A smaller learning_rate may help.",
                UserWarning, stacklevel=2,
            )  # fmt: skip
            return False
        norms = None
        if self.balance.scheme == "gradient-norm":
            norms = [_gradient_norm(loss, self.net) for loss in losses]
        weights = self.balance(values, norms)
        weighted = [w * loss for w, loss in zip(weights.tolist(), losses, strict=True)]
        torch.stack(weighted).sum().backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), _MAX_GRADIENT * len(losses))
        self.optimiser.step()
        return True

    def _smaller_batches(self, error: RuntimeError) -> None:
        """Halve the batches where the memory does not suffice; raise other errors."""
        if "out of memory" not in str(error) or self.batch_size <= 2:
            raise error
        self.optimiser.zero_grad(set_to_none=True)
        self.batch_size //= 2
        warnings.warn(
            f"A batch did not fit into memory; batches now have {self.batch_size} rows.",
            UserWarning, stacklevel=2,
        )  # fmt: skip

    def _set_rate(self) -> None:
        """Let the optimiser have the learning rate of this moment."""
        rate = self._rate()
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def _rate(self) -> float:
        """Return the learning rate of this epoch, or of the time that is over."""
        options, share = self.options, self.epoch / max(self.options.n_epochs, 1)
        if math.isfinite(self.seconds) and self.seconds > 0:
            share = max(share, 1.0 - current_limit().seconds_left() / self.seconds)
        if options.schedule == "cosine":
            return options.learning_rate * 0.5 * (1.0 + math.cos(math.pi * share))
        if options.schedule == "step":
            return options.learning_rate * 0.1 ** ((share >= 0.5) + (share >= 0.75))
        return options.learning_rate

    def _note(self, begin: float, first: int) -> None:
        """Measure the exits, and keep the weights if they are the best so far."""
        losses = self.validation_losses()
        counts = self.balance.weights > 0
        value = float(np.log(np.maximum(losses[counts], _LEAST_LOSS)).mean())
        self.history.append((losses.tolist(), self.balance.weights.tolist()))
        if not len(self.validation) or (np.isfinite(value) and value < self.lowest):
            self.lowest, self.best_epoch, self.best = value, self.epoch, _copied(self.net)
        left = (monotonic() - begin) / (self.epoch - first) * (self.options.n_epochs - self.epoch)
        shown = " ".join(f"{loss:.3f}" for loss in losses)
        emit(Progress("epochs", self.epoch, self.options.n_epochs,
                      f"losses of exits {shown}; at most {left:.0f} s"))  # fmt: skip

    def validation_losses(self) -> Floats:
        """Return the mean loss of each exit on the validation rows."""
        total, n = np.zeros(self.balance.n_losses), max(len(self.validation), 1)
        for rows, scores in self.answers(self.validation):
            total += [float(self.row_losses(each, rows).sum()) for each in scores]
        return total / n

    def answers(self, rows: Ints) -> Any:
        """Yield some of the rows, and the scores of each exit for them."""
        self.net.eval()
        with torch.no_grad():
            for start in range(0, len(rows), _VALIDATION_ROWS):
                part = rows[start : start + _VALIDATION_ROWS]
                yield part, list(self.net(*self.batches.rows(part, None)))

    def _save(self) -> None:
        """Replace the checkpoint, if there is to be one."""
        if self.checkpoint is None:
            return
        tensors = {f"net/{name}": value for name, value in self.net.state_dict().items()}
        tensors |= {f"best/{name}": value for name, value in self.best.items()}
        header = {
            "options": asdict(self.options), "epoch": self.epoch, "best_epoch": self.best_epoch,
            "lowest": self.lowest, "history": self.history, "balance": self.balance.state(),
            "batch_size": self.batch_size,
        }  # fmt: skip
        write_atomically(self.checkpoint, packed(tensors, header, self.optimiser))

    def _resume(self) -> None:
        """Go on from the checkpoint, if there is one."""
        if self.checkpoint is None or not self.checkpoint.exists():
            return
        parts, header = unpacked(self.checkpoint)
        if header["options"] != asdict(self.options):
            raise ValueError(
                f"The checkpoint {self.checkpoint} is of a training with other options; give it "
                "another name, or remove it."
            )
        try:
            self.net.load_state_dict(parts["net"])
        except RuntimeError as error:
            raise ValueError(
                f"The checkpoint {self.checkpoint} is of another network: {error}"
            ) from error
        self.best = parts["best"]
        restore_optimiser(self.optimiser, parts.get("optimiser", {}), header["optimiser"])
        self.balance.restore(header["balance"])
        self.epoch, self.best_epoch = header["epoch"], header["best_epoch"]
        self.lowest, self.batch_size = header["lowest"], header["batch_size"]
        self.history = [(losses, weights) for losses, weights in header["history"]]


def _optimiser(net: nn.Module, options: TrainingOptions) -> torch.optim.Optimizer:
    """Return the optimiser; biases and normalisations have no decay."""
    matrices = [p for p in net.parameters() if p.ndim > 1]
    vectors = [p for p in net.parameters() if p.ndim <= 1]
    groups = [
        {"params": matrices, "weight_decay": options.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    if options.optimiser == "sgd":
        return torch.optim.SGD(groups, lr=options.learning_rate, momentum=0.9)
    return torch.optim.AdamW(groups, lr=options.learning_rate)


def _copied(net: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in net.state_dict().items()}


def _gradient_norm(loss: Tensor, net: nn.Module) -> float:
    """Return the norm of the gradient of a loss by all weights."""
    weights = [p for p in net.parameters() if p.requires_grad]
    gradients = torch.autograd.grad(loss, weights, retain_graph=True, allow_unused=True)
    return math.sqrt(sum(float((g**2).sum()) for g in gradients if g is not None))
