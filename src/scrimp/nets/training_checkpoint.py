"""Checkpoints of the training of a network: tensors, and numbers as JSON, without pickle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

#: The format of checkpoints.
CHECKPOINT_FORMAT = 1


def packed(
    tensors: dict[str, Tensor], header: dict[str, Any], optimiser: torch.optim.Optimizer
) -> bytes:
    """Return the content of a checkpoint.

    Parameters
    ----------
    tensors : dict
        By names of the form ``part/name``.
    header : dict
        What else is to be known, as JSON can hold it.
    optimiser : torch.optim.Optimizer
        Its state is stored too.
    """
    own, numbers = _optimiser_state(optimiser)
    contiguous = {name: value.contiguous() for name, value in (tensors | own).items()}
    header = header | {"format": CHECKPOINT_FORMAT, "optimiser": numbers}
    return save(contiguous, {"training": json.dumps(header)})


def unpacked(path: Path) -> tuple[dict[str, dict[str, Tensor]], dict[str, Any]]:
    """Return the tensors of each part of a checkpoint, and its header.

    Raises
    ------
    ValueError
        If it is no checkpoint of this version.
    """
    data = path.read_bytes()
    header = _header(data, path)
    try:
        tensors = load(data)
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    parts: dict[str, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        part, _, inner = name.partition("/")
        parts.setdefault(part, {})[inner] = tensor
    return parts, header


def _header(data: bytes, path: Path) -> dict[str, Any]:
    """Return the header of a checkpoint of this version."""
    try:
        size = int.from_bytes(data[:8], "little")
        metadata = json.loads(data[8 : 8 + size])["__metadata__"]
        header: dict[str, Any] = json.loads(metadata["training"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no checkpoint of a network, or is damaged.") from error
    if header.get("format") != CHECKPOINT_FORMAT:
        raise ValueError(
            f"The checkpoint {path} has the format {header.get('format')}; this version reads "
            f"{CHECKPOINT_FORMAT}. Train again, or use the version that wrote it."
        )
    return header


def _optimiser_state(optimiser: torch.optim.Optimizer) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors of an optimiser, and its other numbers."""
    tensors: dict[str, Tensor] = {}
    numbers: dict[str, Any] = {}
    for number, state in optimiser.state_dict()["state"].items():
        for name, value in state.items():
            is_tensor = isinstance(value, Tensor)
            (tensors if is_tensor else numbers)[f"optimiser/{number}/{name}"] = value
    return tensors, numbers


def restore_optimiser(
    optimiser: torch.optim.Optimizer, tensors: dict[str, Tensor], numbers: dict[str, Any]
) -> None:
    """Set the state of an optimiser to what was stored."""
    state: dict[int, dict[str, Any]] = {}
    plain = {name.partition("/")[2]: value for name, value in numbers.items()}
    for name, value in (tensors | plain).items():
        number, _, inner = name.partition("/")
        state.setdefault(int(number), {})[inner] = value
    whole = optimiser.state_dict()
    optimiser.load_state_dict({"state": state, "param_groups": whole["param_groups"]})
