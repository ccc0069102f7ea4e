"""Cross-validation of several candidates on the same folds: resumable and bounded in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from ..data.folds import Splits
from ..runtime.events import COMPILING, Progress, emit, listening
from ..runtime.time_limit import current_limit, monotonic, time_share
from ..types import Floats, Ints

Prepared = TypeVar("Prepared")
Result = TypeVar("Result")


class OutOfTime(Exception):
    """The time of a training is over before it has ended."""


@dataclass
class CrossValidation(Generic[Prepared, Result]):
    """Candidates that are trained and tested on the same folds, one fold after the other.

    One candidate on one fold is a *cell*. The results of finished cells are kept: after an
    interrupt, or when the time is over, another call of `run` goes on with the open cells.

    Parameters
    ----------
    task : str
        The name of the progress events, of which there is one before each cell.
    splits : list of (train, test)
        Positions of the rows to train and to test on.
    candidates : list of str
        Names of the candidates that take part; those dropped are removed.
    prepare : callable (train) -> prepared
        Makes what all candidates share in a fold.
    evaluate : callable (name, prepared, test) -> result
        Trains a candidate and returns its result on the test rows.
    explain : callable (error) -> str, optional
        Returns the reason for which a candidate that raises an error is dropped; by default
        the error is raised.
    max_seconds : float
        No cell is begun after this time.
    max_share : float, optional
        The part of the time that a cell may take while there are other candidates. A training
        that emits progress events is ended when its time is over. By default no training is
        ended, and the first cell is always finished.
    first_share : float
        The part of the time after which no cell of the first fold is begun.

    Attributes
    ----------
    results : dict of dicts
        The results of each candidate, by the number of the fold.
    failures : dict
        Candidates that were dropped because of an error or of their slowness, and why.
    seconds : dict
        The time that each candidate has taken.
    n_complete : int
        The number of folds that all remaining candidates have finished.
    n_tried : int
        The number of cells that were begun.
    in_time : bool
        Whether the time was never over before all cells were finished.
    """

    task: str
    splits: Splits
    candidates: list[str]
    prepare: Callable[[Ints], Prepared]
    evaluate: Callable[[str, Prepared, Ints], Result]
    explain: Callable[[Exception], str] | None = None
    max_seconds: float = np.inf
    max_share: float | None = None
    first_share: float = 1.0
    results: dict[str, dict[int, Result]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    n_complete: int = 0
    in_time: bool = True
    n_tried: int = 0
    started: float = field(default_factory=monotonic)

    def run(self, max_seconds: float | None = None) -> Iterator[int]:
        """Yield the number of each fold once all remaining candidates have finished it.

        Parameters
        ----------
        max_seconds : float, optional
            A new time limit, from now on.
        """
        if max_seconds is not None:
            self.max_seconds, self.started, self.in_time = max_seconds, monotonic(), True
        for fold in range(self.n_complete, len(self.splits)):
            if not self._finish(fold):
                return
            self.n_complete = fold + 1
            yield fold

    def remaining(self, share: float = 1.0) -> float:
        """Return the seconds that are left of a share of the time."""
        return share * self.max_seconds - (monotonic() - self.started)

    def tested(self) -> list[Ints]:
        """Return the test rows of each complete fold."""
        return [test for _, test in self.splits[: self.n_complete]]

    def drop(self, name: str, reason: str | None = None) -> None:
        """Remove a candidate and its results; with a reason, it has failed."""
        if name in self.candidates:
            self.candidates.remove(name)
        self.results.pop(name, None)
        if reason is not None:
            self.failures[name] = reason

    def settle(self) -> list[str]:
        """Count the first fold though it is incomplete; return who is dropped for that."""
        dropped = [name for name in self.candidates if not self.results.get(name)]
        for name in dropped:
            self.drop(name)
        self.n_complete = min(map(len, self.results.values()), default=0)
        return dropped

    def restart(self, candidates: list[str]) -> None:
        """Begin again with other candidates, in the time that is left."""
        self.candidates, self.results, self.n_complete, self.n_tried = candidates, {}, 0, 0

    @contextmanager
    def attempt(self, name: str) -> Iterator[None]:
        """Note the time that the block takes; drop the candidate if it raises an error."""
        begin = monotonic()
        try:
            yield
        except OutOfTime:
            raise
        except Exception as error:
            if self.explain is None:
                raise
            self.drop(name, self.explain(error))
        finally:
            self.add_seconds(name, monotonic() - begin)

    def add_seconds(self, name: str, seconds: float) -> None:
        """Add to the time that a candidate, or a part of the work, has taken."""
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    @contextmanager
    def time_limit(self, seconds: float) -> Iterator[None]:
        """Raise `OutOfTime` at the first progress event after some time, or after all of it."""
        end = min(monotonic() + seconds, self.started + self.max_seconds)

        def watch(event: Progress) -> None:
            if monotonic() > end and event.task != COMPILING:
                raise OutOfTime

        with listening(watch):
            yield

    def _finish(self, fold: int) -> bool:
        """Evaluate the open cells of a fold; return whether all are finished."""
        train, test = self.splits[fold]
        cells = [n for n in self.candidates if fold not in self.results.get(n, {})]
        prepared = self.prepare(train) if cells else None
        for position, name in enumerate(cells):
            if self._is_over():
                self.in_time = False
                return False
            left = len(cells) - position + (len(self.splits) - fold - 1) * len(self.candidates)
            emit(Progress(self.task, self.n_tried, self.n_tried + left, name))
            self.n_tried += 1
            if not self._evaluate(name, fold, prepared, test):  # type: ignore[arg-type]
                self.in_time = False
                return False
        return bool(self.candidates)

    def _is_over(self) -> bool:
        if self.max_share is None and not self.results:
            return False
        return self.remaining(1.0 if self.n_complete else self.first_share) <= 0

    def _evaluate(self, name: str, fold: int, prepared: Prepared, test: Ints) -> bool:
        """Evaluate one cell; return False if the time is over before it is finished."""
        share = 1.0 if self.max_share is None or len(self.candidates) == 1 else self.max_share
        limit, begin = share * self.max_seconds, monotonic()
        watch = nullcontext() if self.max_share is None else self.time_limit(limit)
        try:
            with self.attempt(name), watch:
                result = self.evaluate(name, prepared, test)
                self.results.setdefault(name, {})[fold] = result
            is_slow = share < 1.0 and monotonic() - begin > limit
        except OutOfTime:
            if self.remaining() < 0:
                return False
            is_slow = True
        if is_slow and name in self.candidates:
            self.drop(name, f"one fold takes more than {limit:.3g} seconds")
        return True


def evaluate_folds(
    task: str, splits: Splits, evaluate: Callable[[Ints, Ints], Result]
) -> list[Result]:
    """Return what a function of (train, test) returns on each fold that there is time for.

    Each fold may take its share of the time that is left; the first is always evaluated.
    """
    limit = current_limit()

    def cell(_: str, train: Ints, test: Ints) -> Result:
        with time_share(1.0 / (len(splits) - folds.n_complete)):
            return evaluate(train, test)

    folds = CrossValidation(
        task, splits, [""], lambda train: train, cell, max_seconds=limit.seconds_left()
    )
    for _ in folds.run():
        pass
    if not folds.in_time:
        limit.hit()
    emit(Progress(task, folds.n_complete, len(splits)))
    return [folds.results[""][fold] for fold in range(folds.n_complete)]


def clearly_better(losses: Floats, other: Floats, errors: float = 1.0) -> bool:
    """Return whether losses are lower by some standard errors of the mean difference."""
    difference = other - losses
    error = difference.std() / np.sqrt(max(len(difference), 1))
    return bool(difference.mean() > errors * error)
