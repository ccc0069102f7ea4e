"""Readers: functions that answer any rows with one history, and their joint evaluation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...types import Floats, Ints

#: Scores (rows x outputs) of ``X[rows]``.
Reader = Callable[[NDArray[Any], Ints], Floats]
#: Scores (rows x readers x outputs) of ``X[rows]``.
JointReader = Callable[[NDArray[Any], Ints], Floats]


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
