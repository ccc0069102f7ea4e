"""States of learners: named arrays, checked before they are trusted."""

from __future__ import annotations

from ...types import Arrays


def copied(state: Arrays) -> Arrays:
    """Return a state that shares nothing with the learner it was taken from."""
    return {name: array.copy() for name, array in state.items()}


def check_like(expected: Arrays, given: Arrays) -> None:
    """Raise ValueError unless arrays have the names, types and shapes of others."""
    if set(expected) != set(given):
        raise ValueError(f"expected the arrays {sorted(expected)}, and it has {sorted(given)}")
    for name, array in expected.items():
        other = given[name]
        if other.dtype != array.dtype or other.shape != array.shape:
            raise ValueError(
                f"the array {name!r} is {other.dtype} of the shape {other.shape}; expected "
                f"{array.dtype} of the shape {array.shape}"
            )
