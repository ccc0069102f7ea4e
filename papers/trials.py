"""Trials that can be interrupted: each result is stored as soon as it is computed."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextvars import Context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse

from scrimp import __version__
from scrimp.runtime.events import Progress, emit

from .features import Binary

Record = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """The sizes with which a paper ran one dataset.

    Parameters
    ----------
    n_features : int
        Features, as the paper counts them.
    train, test : int
        Rows of each part.
    rounds : int
        Rounds of AdaBoost.
    trials : int
        Random divisions over which its figures are averaged.
    """

    n_features: int
    train: int
    test: int
    rounds: int
    trials: int


Trial = Callable[[Any, Setting, np.random.Generator], Record]


class Data(Protocol):
    """The attributes of every dataset of a study."""

    @property
    def name(self) -> str:
        """Return the paper's name for it."""

    @property
    def X(self) -> Any:  # noqa: N802
        """Return rows and features, an array or a CSR matrix."""

    @property
    def y(self) -> NDArray[Any]:
        """Return labels, or numbers to predict."""

    @property
    def remark(self) -> str:
        """Return what it was made of."""


@dataclass(frozen=True)
class Runner:
    """Where and how trials are run.

    Parameters
    ----------
    work : Path
        The folder that keeps the results.
    seed : int
        Seeds all random draws, with the name of the dataset and the number of the trial.
    jobs : int
        Processes at a time; the results do not depend on it.
    """

    work: Path
    seed: int = 0
    jobs: int = 1

    def run(
        self, paper: str, trial: Trial, data: Data, setting: Setting, n_trials: int, recipe: Any
    ) -> list[Record]:
        """Return the results of the trials in order; stored ones are not run again.

        Parameters
        ----------
        paper : str
            Its name.
        trial : callable
            ``trial(data, setting, rng)`` gives one result that JSON can hold.
        data, setting
            What it is about.
        n_trials : int
            How many.
        recipe : object that JSON can hold
            All else that decides over a result: with another one, all trials are run again.
        """
        log = TrialLog(self.work / paper / f"{data.name}-{self._key(data, setting, recipe)}.jsonl")
        done = {number: record for number, record in log.read() if number < n_trials}
        task = f"{paper} {data.name}"
        emit(Progress(task, len(done), n_trials))
        todo = [number for number in range(n_trials) if number not in done]
        for number, record in self._results(trial, data, setting, todo):
            log.append(number, record)
            done[number] = record
            emit(Progress(task, len(done), n_trials))
        return [done[number] for number in range(n_trials)]

    def _results(
        self, trial: Trial, data: Data, setting: Setting, todo: list[int]
    ) -> Iterator[tuple[int, Record]]:
        if self.jobs == 1 or len(todo) < 2:
            for number in todo:  # apart from who listens here, as in another process
                yield Context().run(_one, trial, data, setting, self.seed, number)
            return
        pool = Parallel(n_jobs=self.jobs, return_as="generator_unordered")
        yield from pool(delayed(_one)(trial, data, setting, self.seed, number) for number in todo)

    def _key(self, data: Data, setting: Setting, recipe: Any) -> str:
        """Return a hash of all that a result depends on."""
        content = hashlib.sha256(_content(data.X) + data.y.tobytes())
        sizes = [setting.train, setting.test, setting.rounds]
        parts = [__version__, self.seed, sizes, recipe, data.X.shape, content.hexdigest()]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


def _content(X: Any) -> bytes:
    """Return all values of an array or CSR matrix as bytes."""
    parts = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def _one(trial: Trial, data: Data, setting: Setting, seed: int, number: int) -> tuple[int, Record]:
    rng = np.random.default_rng([seed, zlib.crc32(data.name.encode()), number])
    return number, trial(data, setting, rng)


class TrialLog:
    """A file with one line per trial; an incomplete last line is ignored."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Iterator[tuple[int, Record]]:
        """Yield numbers and results of the stored trials, and drop an incomplete last line."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            os.truncate(self.path, len(whole))
        for line in whole.splitlines():
            entry = json.loads(line)
            yield entry["trial"], entry["result"]

    def append(self, number: int, record: Mapping[str, Any]) -> None:
        """Store a result."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"trial": number, "result": record})
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(line + "\n")


@dataclass(frozen=True, eq=False)
class Division:
    """Training rows and test rows, as numbers."""

    X: NDArray[np.float32]
    y: NDArray[np.int64]
    X_test: NDArray[np.float32]
    y_test: NDArray[np.int64]

    def errors(self, labels: NDArray[Any]) -> list[float]:
        """Return the error rate at each budget, from labels (rows x budgets)."""
        return [float(share) for share in (labels != self.y_test[:, None]).mean(axis=0)]


def divide(data: Binary, setting: Setting, rng: np.random.Generator) -> Division:
    """Return a random division of the paper's sizes."""
    rows = rng.permutation(len(data.y))
    train, test = rows[: setting.train], rows[setting.train : setting.train + setting.test]
    if len(test) < setting.test:
        raise ValueError(
            f"Dataset {data.name!r} has {len(rows)} rows; "
            f"expected at least {setting.train + setting.test}."
        )
    return Division(
        data.X[train].astype(np.float32), data.y[train],
        data.X[test].astype(np.float32), data.y[test],
    )  # fmt: skip
