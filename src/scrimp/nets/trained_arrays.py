"""Weights of trained modules as arrays, and how exits start."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from ..types import Floats

#: How large the first weights of exits and of residual steps are.
FIRST_STEP = 0.1


def numbers(tensor: Tensor) -> Floats:
    """Return a tensor as an array."""
    return np.asarray(tensor.detach().cpu().numpy(), dtype=np.float64)


def affine(norm: nn.Module) -> tuple[Floats, Floats]:
    """Return factor and summand of a normalisation of batches, as it is after training."""
    scale = numbers(norm.weight) / np.sqrt(numbers(norm.running_var) + norm.eps)
    return scale, numbers(norm.bias) - numbers(norm.running_mean) * scale


def start_with(linear: nn.Module, prior: Floats) -> None:
    """Have the last layer of an exit start near the answer without any purchase."""
    with torch.no_grad():
        linear.weight.mul_(FIRST_STEP)
        linear.bias.copy_(torch.tensor(prior, dtype=torch.float32))
