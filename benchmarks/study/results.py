"""The stored result of a method on a problem: one JSON file, written as a whole."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from scrimp.io.atomic import write_atomically


@dataclass(frozen=True)
class Result:
    """The result of a method on a problem, for one seed.

    Parameters
    ----------
    recipe : dict
        All settings that it depends on; another recipe is another result.
    problem, method : str
        Their names.
    seed : int
        Of prices and splits.
    shape : list of int
        Rows and raw columns of the problem.
    task : str
        What is predicted.
    total : float
        The price of everything.
    budgets : list of float
        The budgets of the predictions.
    prices, spends : list of float
        Price of all that the model may read, and mean spend of a test row, at each budget.
    losses : str
        The losses of the test rows at all budgets, packed.
    groups : list of int or None
        Groups of the test rows.
    seconds : float
        Tuning and fitting, without testing.
    cpu_seconds : float
        The same as time of the processor, of all threads.
    tried, planned : int
        Settings tuned over, of all there are, over all parts.
    ndcg : list of float
        Where rows are ranked.
    """

    recipe: dict[str, Any]
    problem: str
    method: str
    seed: int
    shape: list[int]
    task: str
    total: float
    budgets: list[float]
    prices: list[float]
    spends: list[float]
    losses: str
    groups: list[int] | None
    seconds: float
    cpu_seconds: float
    tried: int
    planned: int
    ndcg: list[float] = field(default_factory=list)

    @property
    def row_losses(self) -> np.ndarray:
        """Return the losses (test rows, budgets)."""
        return unpack(self.losses, len(self.budgets), self.task == "regression")

    @property
    def errors(self) -> np.ndarray:
        """Return the mean loss at each budget."""
        return np.asarray(self.row_losses.mean(axis=0))


def pack(losses: np.ndarray, number: bool) -> str:
    """Return losses as text: single precision, or one bit each."""
    kept = losses.astype("<f4") if number else np.packbits(losses.astype(np.uint8).T, axis=1)
    return base64.b64encode(kept.tobytes()).decode() + f":{len(losses)}"


def unpack(text: str, n_budgets: int, number: bool) -> np.ndarray:
    """Return the losses that `pack` has written."""
    content, rows = text.split(":")
    data = base64.b64decode(content)
    if number:
        return np.frombuffer(data, "<f4").reshape(int(rows), n_budgets).astype(np.float64)
    bits = np.frombuffer(data, np.uint8).reshape(n_budgets, -1)
    return np.unpackbits(bits, axis=1, count=int(rows)).T.astype(np.float64)


def path_of(work: Path, problem: str, seed: int, method: str) -> Path:
    """Return the path of a result."""
    return work / f"{problem}-{seed}-{method}.json"


def save(work: Path, result: Result) -> None:
    """Store a result."""
    work.mkdir(parents=True, exist_ok=True)
    path = path_of(work, result.problem, result.seed, result.method)
    write_atomically(path, json.dumps(asdict(result)).encode())


def find(work: Path, problem: str, seed: int, method: str, recipe: dict[str, Any]) -> Result | None:
    """Return a stored result, if it is of this recipe and can be read."""
    try:
        content = json.loads(path_of(work, problem, seed, method).read_text(encoding="utf-8"))
        result = Result(**content)
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return result if result.recipe == recipe else None
