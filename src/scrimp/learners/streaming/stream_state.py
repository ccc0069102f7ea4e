"""The whole state of a stream as named arrays, and a stream that goes on from them.

A stream is restored into a new one with the same parameters, whose arrays say what types and shapes
are expected. Nothing that is restored is trusted, since kernels follow it without any check.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...types import Arrays
from .learner_state import check_like, copied
from .stream import N_RECENT, Stream

#: The arrays of rows.
_ROWS = ("X", "y", "labels", "weights")


def state_of(stream: Stream) -> Arrays:
    """Return all that a stream knows; parts of parts have names with slashes."""
    counts = [stream.n_rows, stream._next_decision, stream._rows_to_settle, stream._n_kept]
    state: Arrays = {
        "counts": np.array(counts, dtype=np.int64),
        "decisions_due": np.array(stream._decisions_due, dtype=np.int64),
        "monitor": stream._monitor.means,
        "n_cuts": stream._n_cuts,
    }
    if stream._cuts is not None:
        state["cuts"] = stream._cuts
    if stream.detector is not None:
        state["detector"] = stream.detector.state()
    if stream.moments is not None:
        state |= _within("moments", stream.moments.state())
    waiting = [np.concatenate(parts) for parts in zip(*stream._waiting, strict=True)]
    for name, rows in (("waiting", waiting), ("recent", stream._recent)):
        state |= _within(name, dict(zip(_ROWS, rows, strict=False)))
    state |= _within("booster", stream.booster.state())
    for number, learner in enumerate(stream.booster.learners):
        state |= _within(f"learner/{number}", learner.state())
    for number, kept in enumerate(stream._kept):
        state |= _within(f"kept/{number}", kept)
    return state


def restore(stream: Stream, state: Arrays) -> None:
    """Let a new stream go on from a state; raise ValueError if it cannot be one of it."""
    _restore_learners(stream, _numbered("learner", state), _numbered("kept", state))
    if stream.moments is not None:
        stream.moments.restore(_part("moments", state))
    elif _part("moments", state):
        raise ValueError("it has means of inputs, and its learners see none")
    check_like(stream.booster.state(), _part("booster", state))
    stream.booster.restore(_part("booster", state))
    expected, given = (
        {n: a for n, a in s.items() if "/" not in n} for s in (state_of(stream), state)
    )
    if "cuts" in given:
        expected["cuts"] = np.zeros((len(stream.categorical), stream.max_bins))
    expected["decisions_due"] = np.zeros(len(given.get("decisions_due", ())), dtype=np.int64)
    check_like(expected, given)
    _check_numbers(stream, given)
    if stream.detector is not None:
        stream.detector.restore(given["detector"])
    stream.n_rows, stream._next_decision, stream._rows_to_settle, stream._n_kept = given[
        "counts"
    ].tolist()
    stream._decisions_due = given["decisions_due"].tolist()
    stream._monitor.means = given["monitor"].copy()
    stream._n_cuts = given["n_cuts"].copy()
    stream._cuts = given["cuts"].copy() if "cuts" in given else None
    waiting = _rows(stream, _part("waiting", state))
    stream._waiting = [tuple(waiting)] if waiting else []
    stream._recent = _rows(stream, _part("recent", state))
    if len(stream._recent) and len(stream._recent[0]) > N_RECENT:
        raise ValueError(f"more than {N_RECENT} rows are remembered")


def check_sizes(n_learners: int, state: Arrays, like: Arrays) -> None:
    """Raise ValueError unless so many learners have arrays like these.

    It is asked before learners are made, so that no more memory is taken than arrays are there.
    """
    learners = _numbered("learner", state)
    if len(learners) != n_learners:
        raise ValueError(f"expected the state of {n_learners} learners, and it has {len(learners)}")
    for learner in learners:
        check_like(like, learner)


def _restore_learners(stream: Stream, learners: list[Arrays], kept: list[Arrays]) -> None:
    present = stream.booster.learners
    if len(learners) != len(present) or len(kept) not in (0, len(present)):
        raise ValueError(
            f"expected the state of {len(present)} learners, and it has {len(learners)}"
        )
    for learner, good in zip(present, kept, strict=False):
        learner.restore(good)  # refuses what cannot be one
    for learner, state in zip(present, learners, strict=True):
        learner.restore(state)
    stream._kept = [copied(good) for good in kept]


def _check_numbers(stream: Stream, given: Arrays) -> None:
    n_cuts = given["n_cuts"]
    if (n_cuts < 0).any() or (n_cuts >= stream.max_bins).any():
        raise ValueError("a column has more cut points than bins")
    n_rows, next_decision, _, n_kept = given["counts"].tolist()
    if n_rows < 0 or next_decision < 1 or not 0 <= n_kept <= n_rows:
        raise ValueError("its counts of rows contradict each other")
    if not np.isfinite(given["monitor"]).all():
        raise ValueError("its losses are not finite")


def _rows(stream: Stream, rows: Arrays) -> list[NDArray[Any]]:
    """Return rows as they were added, or none; raise ValueError for what is no row."""
    if not rows:
        return []
    if "X" not in rows or rows["X"].dtype not in (np.float32, np.float64):
        raise ValueError("its rows have no numbers")
    n, dtype = len(rows["X"]), rows["X"].dtype
    like = {"X": np.empty((n, len(stream.categorical)), dtype), "labels": np.empty(n),
            "y": np.empty((n, len(stream.booster.start))), "weights": np.empty(n)}  # fmt: skip
    check_like(like, rows)
    if not (np.isfinite(rows["weights"]).all() and (rows["weights"] > 0).all()):
        raise ValueError("its rows have weights that are not positive")
    return [rows[name].copy() for name in _ROWS]


def _within(prefix: str, state: Arrays) -> Arrays:
    return {f"{prefix}/{name}": array for name, array in state.items()}


def _part(prefix: str, state: Arrays) -> Arrays:
    start = f"{prefix}/"
    return {name[len(start) :]: a for name, a in state.items() if name.startswith(start)}


def _numbered(prefix: str, state: Arrays) -> list[Arrays]:
    """Return the parts that are numbered 0, 1, 2, ..."""
    found: dict[str, Arrays] = {}
    for name, array in _part(prefix, state).items():
        number, _, rest = name.partition("/")
        found.setdefault(number, {})[rest] = array
    if set(found) != {str(number) for number in range(len(found))}:
        raise ValueError(f"its parts {prefix!r} are not numbered in order")
    return [found[str(number)] for number in range(len(found))]
