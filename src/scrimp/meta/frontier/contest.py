"""The contest: every candidate on the same folds, in a given time."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ...runtime.events import Progress, emit, muted
from ...types import Floats, Ints
from .candidates import MEANS, Candidate, Fold, Trained, mean_of
from .problem import Truth
from .training import Problem

#: So much of the time may go by before the last training begins.
_FOR_FOLDS = 0.7
#: So much of the time each search may take.
_FOR_SEARCH = 0.2
#: The last training may end so much later than asked, in parts of the time given.
_GRACE = 0.25
#: A candidate that helps nowhere by so many standard errors is not tried again.
_USEFUL = 0.5


@dataclass
class Contest:
    """Candidates, and what they answered for rows that they had not learnt from.

    Parameters
    ----------
    problem : Problem
        The table.
    candidates : list of Candidate
        Who takes part.
    splits : list of (train, test)
        Positions of rows to learn from and to be tested on.
    pool : Executor, optional
        Threads.
    max_seconds : float
        When to end.
    """

    problem: Problem
    candidates: list[Candidate]
    splits: list[tuple[Ints, Ints]]
    pool: Executor | None
    max_seconds: float
    failures: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    tested: list[Ints] = field(default_factory=list)
    said: dict[str, list[Floats]] = field(default_factory=dict)
    last: dict[str, Trained] = field(default_factory=dict)
    left_out: list[Candidate] = field(default_factory=list)
    left_early: dict[str, Floats] = field(default_factory=dict)
    untested: list[str] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """Fold after fold; what all candidates have finished counts."""
        for number, (train, test) in enumerate(self.splits):
            start = time.monotonic()
            said, trained = self._fold(train, test, number)
            self._leave_out_failed()
            finished = all(candidate.name in said for candidate in self.candidates)
            if not said or (self.tested and not finished):
                break
            self.untested += [c.name for c in self.candidates if c.name not in said]
            self.candidates = [c for c in self.candidates if c.name in said]
            self.tested.append(test)
            for name, answers in said.items():
                self.said.setdefault(name, []).append(answers)
            self.last = trained
            self._drop_hopeless()
            took = time.monotonic() - start
            if self._left(_FOR_FOLDS) < took:  # the next one would not be finished in time
                break

    def _fold(
        self, index: Ints, test: Ints, number: int
    ) -> tuple[dict[str, Floats], dict[str, Trained]]:
        """What each candidate that is still in says of the test rows."""
        ready = self.prepare(index)
        said: dict[str, Floats] = {}
        trained: dict[str, Trained] = {}
        for position, candidate in enumerate(self.candidates):
            steps = len(self.splits) * len(self.candidates)
            emit(Progress("folds", number * len(self.candidates) + position, steps, candidate.name))
            if self._left(1.0) <= 0 and said:
                break
            with self._watched(candidate.name):
                trained[candidate.name] = candidate.train(ready)
                said[candidate.name] = trained[candidate.name].answers(test)
        for members in MEANS:
            if all(name in said for name in members):
                name = "+".join(members)
                said[name] = np.mean([said[member] for member in members], axis=0)
        return said, trained

    def prepare(self, index: Ints) -> Fold:
        """Rows to learn from, and what to buy at each budget, if somebody wants that."""
        if self.problem.is_sparse:
            return Fold(self.problem, index, None, {})
        start, wanted = time.monotonic(), any(one.wants_sets for one in self.candidates)
        with threadpool_limits(1, "blas"), muted():
            rows = self.problem.rows(index, self.pool)
            deadline = start + _FOR_SEARCH * self.max_seconds
            sets = self.problem.sets(rows, deadline) if wanted else {}
        self._took("search", start)
        return Fold(self.problem, index, rows, sets)

    @contextmanager
    def _watched(self, name: str) -> Iterator[None]:
        """Note the time; a candidate that fails is out, and the others go on."""
        start = time.monotonic()
        try:
            # small products are slower in several threads, much so where cores are busy
            with warnings.catch_warnings(), threadpool_limits(1, "blas"), muted():
                warnings.simplefilter("ignore")
                yield
        except Exception as error:
            self.failures[name] = f"{type(error).__name__}: {error}"
        self._took(name, start)

    def _leave_out_failed(self) -> None:
        """Forget what those said who have failed, also in means."""
        self.candidates = [c for c in self.candidates if c.name not in self.failures]
        for name in list(self.said):
            if any(member in self.failures for member in name.split("+")):
                del self.said[name]

    def _took(self, name: str, start: float) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - start

    def _left(self, part: float) -> float:
        return part * self.max_seconds - (time.monotonic() - self.begun)

    def in_time(self, names: Sequence[str]) -> bool:
        """Whether those can still be trained on all rows, by the time that they took so far."""
        members = {"search", *(member for name in names for member in name.split("+"))}
        took = sum(self.seconds.get(member, 0.0) for member in members)
        per_fold = float(np.mean([len(own) for own, _ in self.splits[: len(self.tested)]]))
        # search and forests look at no more than so many rows
        expected = took / len(self.tested) * min(len(self.problem.truth.y) / per_fold, 2.0)
        return expected <= self._left(1.0 + _GRACE)

    def _drop_hopeless(self) -> None:
        """Leave out who makes nothing better at any budget, alone or in means."""
        distances = self.distances()
        for candidate in reversed(self.candidates.copy()):  # of equals the simpler one stays
            losses = {name: own for name, own in distances.items() if name in self.said}
            with_it = [name for name in losses if candidate.name in name.split("+")]
            without = [name for name in losses if name not in with_it]
            if without and not _helps([losses[n] for n in with_it], [losses[n] for n in without]):
                self.candidates.remove(candidate)
                self.left_out.append(candidate)
                for name in with_it:
                    lost = self._of_rows(self.said.pop(name), Truth.row_losses)
                    self.left_early[name] = lost.mean(axis=1)

    def begin_anew(self) -> None:
        """When all others have failed, those have their chance who made nothing better."""
        self.candidates, self.left_out, self.left_early = self.left_out, [], {}
        self.tested, self.last = [], {}
        self.run()

    def losses(self) -> dict[str, Floats]:
        """What each answer cost (budgets, rows): 1 a mistake, or the squared error; weighted."""
        return {name: self._of_rows(parts, Truth.row_losses) for name, parts in self.said.items()}

    def distances(self) -> dict[str, Floats]:
        """How far each answer was from the truth (budgets, rows), weighted: it decides."""
        return {
            name: self._of_rows(parts, Truth.row_distances) for name, parts in self.said.items()
        }

    def prior_distances(self) -> Floats:
        """The same without any purchase (rows,)."""
        prior = [np.tile(self.problem.truth.prior, (1, len(rows), 1)) for rows in self.tested]
        return np.asarray(self._of_rows(prior, Truth.row_distances)[0])

    def _of_rows(self, parts: list[Floats], measure: Callable[[Truth, Floats], Floats]) -> Floats:
        truths = [self.problem.truth.taken(rows) for rows in self.tested]
        found = [
            measure(truth, own) * truth.weights for truth, own in zip(truths, parts, strict=True)
        ]
        return np.asarray(np.concatenate(found, axis=1))

    def trained(self, name: str, fold: Fold, known: dict[str, Trained]) -> Trained | None:
        """A candidate, or a mean of several, after a training on a fold."""
        by_name = {candidate.name: candidate for candidate in self.candidates}
        for member in name.split("+"):
            if member not in known and member not in self.failures:
                with self._watched(member):
                    known[member] = by_name[member].train(fold)
        self._leave_out_failed()
        if any(member in self.failures for member in name.split("+")):
            return None
        return merged(name, known)


def merged(name: str, known: dict[str, Trained]) -> Trained | None:
    """A candidate by its name, or the mean of those in it."""
    parts: Sequence[Trained] = [known[member] for member in name.split("+")]
    return parts[0] if len(parts) == 1 else mean_of(parts)


def _helps(with_it: list[Floats], without: list[Floats]) -> bool:
    """Whether some may still make something better: they are not clearly behind the others.

    They are where the best of them is worse over all budgets by a standard error, and better
    at none by half of one.
    """
    one, other = (min(part, key=lambda own: float(own.mean())) for part in (with_it, without))
    behind = (one - other).mean(axis=0)
    if behind.mean() < behind.std() / np.sqrt(len(behind)):
        return True
    one, other = (np.min([own.mean(axis=1) for own in part], axis=0) for part in (with_it, without))
    error = without[0].std(axis=1) / np.sqrt(without[0].shape[1])
    return bool((other - one > _USEFUL * error).any())
