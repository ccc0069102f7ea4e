"""Members of an ensemble whose votes are added up: what a sampled plan draws from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, Self

from numpy.typing import NDArray

from ...types import Arrays, Floats, Ints


class Members(Protocol):
    """What votes: stumps, trees, or the terms of a linear model.

    Attributes
    ----------
    kind : str
        Its name in model files.
    accepts_missing : bool
        Whether a missing value has a vote.
    """

    kind: ClassVar[str]
    accepts_missing: ClassVar[bool]

    def __len__(self) -> int:
        """How many there are."""

    @property
    def n_outputs(self) -> int:
        """Numbers a vote."""

    @property
    def reads(self) -> tuple[tuple[int, ...], ...]:
        """The columns each member looks at, ascending."""

    def votes_on(
        self,
        X: NDArray[Any],
        rows: Ints,
        members: Sequence[int] | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """The votes of members, by default all, on ``X[rows]`` (members x outputs x rows).

        They are written to `out` if it is given.
        """

    def bounds(self) -> Floats:
        """The largest size of each member's votes; infinite where there is none."""

    def taken(self, members: Ints) -> Self:
        """Some of the members, in another order."""

    def arrays(self) -> Arrays:
        """All there is to them, for storage."""

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """The inverse of `arrays`; refuses what does not fit."""
