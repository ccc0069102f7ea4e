"""Readers: functions that answer any rows with one history, and their joint evaluation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...kernels.threads import run_over_rows
from ...types import Floats, Ints

#: Scores (rows x outputs) of ``X[rows]``.
Reader = Callable[[NDArray[Any], Ints], Floats]
#: Scores (rows x readers x outputs) of ``X[rows]``.
JointReader = Callable[[NDArray[Any], Ints], Floats]

#: Votes of stumps that take as long as one value of a function, the measure of threads' work.
_VOTES_PER_VALUE = 16


@runtime_checkable
class JoinableReader(Protocol):
    """A reader that shares work with others of its kind."""

    @property
    def kind(self) -> Hashable:
        """What readers that can be joined have in common."""

    def __call__(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return scores (rows x outputs) of ``X[rows]``."""

    @classmethod
    def joined(cls, readers: Sequence[Self]) -> JointReader:
        """Return a function with the answers of all readers."""


@dataclass(frozen=True, eq=False)
class MappedReader:
    """A function of the answers of another reader.

    Parameters
    ----------
    kind : hashable
        The same for functions that take and return the same numbers of outputs.
    inner : Reader
        The other reader.
    function : callable
        A function from the scores of rows (rows x outputs) to others.
    n_outputs : int
        The number of outputs of the function.
    """

    kind: Hashable
    inner: Reader
    function: Callable[[Floats], Floats]
    n_outputs: int

    def __call__(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the function of the answers."""
        return self.function(self.inner(X, rows))

    @classmethod
    def joined(cls, readers: Sequence[MappedReader]) -> JointReader:
        """Return the functions of all answers, which are read jointly."""
        inner = join([reader.inner for reader in readers])

        def read(X: NDArray[Any], rows: Ints) -> Floats:
            scores = inner(X, rows)
            answers = np.empty((len(rows), len(readers), readers[0].n_outputs))

            def write(a: int, b: int) -> None:
                for number, reader in enumerate(readers):
                    answers[a:b, number] = reader.function(scores[a:b, number])

            run_over_rows(write, len(rows), answers.size * _VOTES_PER_VALUE)
            return answers

        return read


def join(readers: Sequence[Reader]) -> JointReader:
    """Return a function with the answers of several readers, which share work where they can."""
    groups: dict[Hashable, list[int]] = {}
    for position, reader in enumerate(readers):
        kind = reader.kind if isinstance(reader, JoinableReader) else position
        groups.setdefault(kind, []).append(position)
    parts = [(members, _joined([readers[m] for m in members])) for members in groups.values()]
    if len(parts) == 1:
        return parts[0][1]

    def read(X: NDArray[Any], rows: Ints) -> Floats:
        first = parts[0][1](X, rows)
        answers = np.empty((len(rows), len(readers), first.shape[2]))
        answers[:, parts[0][0]] = first
        for members, part in parts[1:]:
            answers[:, members] = part(X, rows)
        return answers

    return read


def _joined(readers: Sequence[Any]) -> JointReader:
    """Return the joint reader of readers of one kind."""
    if len(readers) > 1:
        joined: JointReader = type(readers[0]).joined(readers)
        return joined
    only: Reader = readers[0]
    return lambda X, rows: only(X, rows)[:, None]
