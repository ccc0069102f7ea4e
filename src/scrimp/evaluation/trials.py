"""Repeated cross-validation of several methods on the same folds, until the time is over."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, get_tags
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ..data.target import Target
from ..meta.cross_validation import CrossValidation
from ..runtime.events import Progress, emit
from ..runtime.sweep import Sweep
from ..types import Floats, Ints
from .cross import stacked_sweep
from .division import Division

TASK = "comparison"

#: The part of the time that one fold of a method may take: a slower one would leave too
#: little for the others.
MAX_SHARE = 1 / 3


@dataclass(frozen=True)
class WarmUp:
    """A short training of each method before its time counts, which loads compiled code.

    Parameters
    ----------
    n_rows : int
        Rows to train on: enough to reach all compiled functions, and few enough to be quick.
    share : float
        The part of the time that the warm-up of one method may take.
    """

    n_rows: int = 60
    share: float = 1 / 20


WARM_UP = WarmUp()


@dataclass(frozen=True, eq=False)
class OutOfFoldScores:
    """The out-of-fold predictions of a method in one repeat.

    Parameters
    ----------
    rows : int array
        The rows tested, ascending.
    scores : float array (rows, budgets, outputs)
        On the scale of log-odds.
    spent : float array (rows, budgets)
        The price paid for each row.
    target : Target
        How scores become labels.
    """

    rows: Ints
    scores: Floats
    spent: Floats
    target: Target


class Trials:
    """Methods that are cross-validated side by side.

    Parameters
    ----------
    estimators : mapping
        Unfitted, by name.
    X, y : table and array
        The rows that take part.
    budgets : float array
        Budgets to predict at.
    division : Division
        Folds.
    max_seconds : float
        No fold is begun after this time, and a training under way is ended.
    on_repeat : function of (name, OutOfFoldScores)
        Called for each method once a repeat is complete for all of them.

    Attributes
    ----------
    left_out : dict
        Methods without a result, and why.
    repeats, folds : int
        Complete repeats, and their folds; less than all folds if there was no time for one
        whole repeat.
    interrupted : bool
        Whether it ended with Ctrl-C.
    in_time : bool
        Whether all cells were finished before the time was over.
    """

    def __init__(
        self, estimators: Mapping[str, Any], X: Any, y: Any, budgets: Floats, division: Division,
        max_seconds: float, on_repeat: Callable[[str, OutOfFoldScores], None],
    ) -> None:  # fmt: skip
        self.estimators, self.X, self.y, self.budgets = estimators, X, y, budgets
        self.division, self.max_seconds, self.on_repeat = division, max_seconds, on_repeat
        self.repeats, self.folds, self.interrupted = 0, 0, False
        self._validation: CrossValidation[tuple[Any, Any], Sweep] = CrossValidation(
            TASK, division.splits, list(estimators), self._prepare, self._evaluate, _reason,
            max_seconds, MAX_SHARE,
        )  # fmt: skip

    @property
    def left_out(self) -> dict[str, str]:
        """Methods without a result, and why."""
        return self._validation.failures

    @property
    def in_time(self) -> bool:
        """Whether all cells were finished before the time was over."""
        return self._validation.in_time

    def seconds_per_fold(self, name: str) -> float:
        """Return the mean time that a method has taken for a fold."""
        return self._validation.seconds.get(name, 0.0) / max(1, self._validation.n_complete)

    def run(self) -> None:
        """Cross-validate fold by fold, each method in its turn, and report complete repeats."""
        try:
            # folds are small: threads of a matrix product would mostly wait for one another
            with _without_user_warnings(), threadpool_limits(1, user_api="blas"):
                self._run()
        except KeyboardInterrupt:
            self.interrupted = True
        if not self.repeats:
            self._report_part()

    def _run(self) -> None:
        self._refuse_too_many_classes()
        self._warm_up()
        n_folds, validation = self.division.n_folds, self._validation
        for fold in validation.run():
            if (fold + 1) % n_folds == 0:
                self._report(range(fold + 1 - n_folds, fold + 1))
        if validation.n_complete == len(self.division.splits):
            emit(Progress(TASK, validation.n_tried, validation.n_tried))

    def _prepare(self, train: Ints) -> tuple[Any, Any]:
        return _safe_indexing(self.X, train), self.y[train]

    def _evaluate(self, name: str, fold: tuple[Any, Any], test: Ints) -> Sweep:
        model = clone(self.estimators[name]).fit(*fold)
        # the keys make the random draws of a row independent of the fold it is in
        sweep: Sweep = model.sweep(_safe_indexing(self.X, test), self.budgets, keys=test)
        return sweep

    def _refuse_too_many_classes(self) -> None:
        for name, estimator in self.estimators.items():
            tags = get_tags(estimator).classifier_tags
            if tags is not None and not tags.multi_class and len(np.unique(self.y)) > 2:
                self._validation.drop(name, "it tells two classes apart, and here are more")

    def _warm_up(self) -> None:
        """Load compiled code; a method that fails on a few rows may still take the many.

        Where time is unlimited, nothing is gained by it.
        """
        if self.max_seconds == np.inf:
            return
        n = min(WARM_UP.n_rows, len(self.y))
        rows = np.linspace(0, len(self.y) - 1, n).astype(np.intp)
        few, first = self._prepare(rows), _safe_indexing(self.X, rows[:2])
        for name in self._validation.candidates:
            try:
                with self._validation.time_limit(WARM_UP.share * self.max_seconds):
                    model = clone(self.estimators[name]).fit(*few)
                model.sweep(first, self.budgets)
            except Exception:  # if it is not only the few rows, the first fold fails too
                continue

    def _report(self, folds: range) -> None:
        """Report folds that all methods have finished as one repeat."""
        rows = np.concatenate([self.division.splits[fold][1] for fold in folds])
        order = rows.argsort()
        for name, results in self._validation.results.items():
            whole = stacked_sweep([results.pop(fold) for fold in folds], order)
            target = replace(whole.target, scale=1.0)
            scores = whole.scores * whole.target.scale
            self.on_repeat(name, OutOfFoldScores(rows[order], scores, whole.spent, target))
        self.repeats += 1
        self.folds = len(folds)

    def _report_part(self) -> None:
        """Report the folds that all methods have finished, though they are no whole repeat."""
        why = "interrupted" if self.interrupted else f"no fold done in {self.max_seconds:g} seconds"
        if not self._validation.n_complete:
            for name in self._validation.settle():
                self.left_out[name] = why
        if self._validation.n_complete and self._validation.results:
            with _without_user_warnings():
                self._report(range(self._validation.n_complete))


def _reason(error: Exception) -> str:
    """Return why a method is left out: its refusal of the data, or a defect."""
    text = " ".join(str(error).split())
    if isinstance(error, ValueError):
        return text
    return f"it broke down with {type(error).__name__}: {text}"


@contextmanager
def _without_user_warnings() -> Iterator[None]:
    """Silence the warnings of learners about single folds and budgets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
