"""Trials: several methods on the same folds, side by side, until the time is up."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ..data.target import Target
from ..runtime.events import Progress, emit, listening
from ..runtime.sweep import Sweep
from ..types import Floats, Ints
from .folds import Division

TASK = "comparison"

#: A method that needs more than this part of the time for one fold leaves none to the others.
_SHARE = 1 / 3
#: Enough for compiled code to be loaded, before clocks of single methods run.
_WARM_ROWS, _WARM_SHARE = 60, 1 / 20


class _OutOfTime(Exception):
    """The time is up in the middle of a training."""


@dataclass(frozen=True, eq=False)
class Answers:
    """A method's answers on rows that it was not trained on, in one repeat.

    Parameters
    ----------
    rows : int array
        Which rows, ascending.
    scores : float array (rows, budgets, outputs)
        On the scale of log-odds.
    spent : float array (rows, budgets)
        What each row paid.
    target : Target
        How scores become labels.
    """

    rows: Ints
    scores: Floats
    spent: Floats
    target: Target


@dataclass
class Trials:
    """Methods on trial.

    Parameters
    ----------
    estimators : mapping
        Unfitted, by name.
    X, y : table and array
        The rows that take part.
    budgets : float array
        Where to look.
    division : Division
        Folds.
    max_seconds : float
        No fold is begun after this time, and a training under way is given up.
    on_repeat : function of (name, Answers)
        Told of each method's answers once a repeat is complete for all of them.

    Attributes
    ----------
    left_out : dict
        Methods without a result, and why.
    repeats, folds : int
        Repeats that are complete, and their folds; less than all folds if there was no time
        for one whole repeat.
    interrupted : bool
        Whether it ended with Ctrl-C.
    in_time : bool
        Whether it ended before the time did.
    """

    estimators: Mapping[str, Any]
    X: Any
    y: Any
    budgets: Floats
    division: Division
    max_seconds: float
    on_repeat: Callable[[str, Answers], None]
    left_out: dict[str, str] = field(default_factory=dict)
    repeats: int = 0
    folds: int = 0
    interrupted: bool = False
    in_time: bool = True

    def run(self) -> None:
        """Fold by fold, each method in its turn, so that all are tested on the same rows."""
        self._end = time.monotonic() + self.max_seconds
        self._parts: dict[str, list[Sweep]] = {name: [] for name in self.estimators}
        try:
            # folds are small: threads of a matrix product would mostly wait for one another
            with _quiet(), threadpool_limits(1, user_api="blas"):
                self._run()
        except KeyboardInterrupt:
            self.interrupted = True
        if not self.repeats:
            self._take_what_is_there()

    def _run(self) -> None:
        self._refuse_too_many_classes()
        self._warm_up()
        splits, n = self.division.splits, self.division.n_folds
        done, total = 0, len(splits) * len(self._parts)
        emit(Progress(TASK, 0, total))
        for step, (train, test) in enumerate(splits):
            for name in list(self._parts):
                if not self._one(name, train, test):
                    self.in_time = False
                    return
                done += 1
                emit(Progress(TASK, done, total, name))
            total = done + (len(splits) - step - 1) * len(self._parts)
            if not self._parts:
                return
            if (step + 1) % n == 0:
                self._complete(splits[step + 1 - n : step + 1])

    def _one(self, name: str, train: Ints, test: Ints) -> bool:
        """One method on one fold; False if the time is up."""
        begin = time.monotonic()
        if begin > self._end:
            return False
        share = self.max_seconds * (_SHARE if len(self._parts) > 1 else 1.0)
        try:
            with self._until(begin + share):
                model = clone(self.estimators[name])
                model.fit(_safe_indexing(self.X, train), self.y[train])
                # a row's own draws depend on the row, not on the fold it is in
                sweep = model.sweep(_safe_indexing(self.X, test), self.budgets, keys=test)
        except _OutOfTime:
            if time.monotonic() > self._end:
                return False
            self._leave_out(name, f"one fold takes more than {share:.3g} seconds")
        except ValueError as refusal:
            self._leave_out(name, " ".join(str(refusal).split()))
        except Exception as defect:
            # one method that breaks down is no reason to do without the others
            text = " ".join(str(defect).split())
            self._leave_out(name, f"it broke down with {type(defect).__name__}: {text}")
        else:
            self._parts[name].append(sweep)
            if len(self._parts) > 1 and time.monotonic() - begin > share:
                self._leave_out(name, f"one fold takes more than {share:.3g} seconds")
        return True

    @contextmanager
    def _until(self, end: float) -> Iterator[None]:
        """Give up what is under way at some time; learners that tell no progress go on."""

        def watch(event: Progress) -> None:
            if time.monotonic() > min(end, self._end):
                raise _OutOfTime

        with listening(watch):
            yield

    def _leave_out(self, name: str, reason: str) -> None:
        self.left_out[name] = reason
        self._parts.pop(name, None)

    def _refuse_too_many_classes(self) -> None:
        for name, estimator in self.estimators.items():
            tags = get_tags(estimator).classifier_tags
            if tags is not None and not tags.multi_class and len(np.unique(self.y)) > 2:
                self._leave_out(name, "it tells two classes apart, and here are more")

    def _warm_up(self) -> None:
        """Load compiled code; whoever refuses a few rows may still take the many."""
        rows = np.linspace(0, len(self.y) - 1, min(_WARM_ROWS, len(self.y))).astype(np.intp)
        for name in self._parts:
            try:
                with self._until(time.monotonic() + _WARM_SHARE * self.max_seconds):
                    model = clone(self.estimators[name]).fit(
                        _safe_indexing(self.X, rows), self.y[rows]
                    )
                model.sweep(_safe_indexing(self.X, rows[:2]), self.budgets)
            except Exception:  # whatever it is, the first fold will tell
                continue

    def _complete(self, splits: list[tuple[Ints, Ints]]) -> None:
        """Hand on a repeat that all methods have finished."""
        tests = [test for _, test in splits]
        for name, parts in self._parts.items():
            self.on_repeat(name, _together(parts, tests))
        for parts in self._parts.values():
            parts.clear()
        self.repeats += 1
        self.folds = len(splits)

    def _take_what_is_there(self) -> None:
        """Less than one repeat: the folds that all methods have finished."""
        why = "interrupted" if self.interrupted else f"no fold done in {self.max_seconds:g} seconds"
        for name in [name for name, parts in self._parts.items() if not parts]:
            self._leave_out(name, why)
        n = min(map(len, self._parts.values()), default=0)
        if n:
            self._parts = {name: parts[:n] for name, parts in self._parts.items()}
            with _quiet():
                self._complete(self.division.splits[:n])


def _together(parts: list[Sweep], tests: list[Ints]) -> Answers:
    """Folds as one, in the order of the rows."""
    rows = np.concatenate(tests)
    order = rows.argsort()
    first = parts[0].target
    if any(not np.array_equal(part.target.classes, first.classes) for part in parts):
        raise ValueError("The folds differ in the classes of their training rows.")
    scores = np.concatenate([part.scores for part in parts])[order]
    spent = np.concatenate([part.spent for part in parts])[order]
    target = Target(first.kind, first.classes)
    return Answers(rows[order], scores * first.scale, spent, target)


@contextmanager
def _quiet() -> Iterator[None]:
    """What a learner has to say of one fold at one budget is not of interest here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
