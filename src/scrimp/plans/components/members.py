"""The members of an ensemble whose votes are added up: what all kinds of them have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, fields
from typing import Any, ClassVar, Protocol, Self

from numpy.typing import NDArray

from ...types import Arrays, Floats, Ints


class Members(Protocol):
    """The members of an ensemble: stumps, trees, or the terms of a linear model.

    A kind of members is a dataclass of arrays.

    Attributes
    ----------
    kind : str
        The name of the kind of members in model files.
    accepts_missing : bool
        Whether members vote on missing values.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    kind: ClassVar[str]
    accepts_missing: ClassVar[bool]

    def __len__(self) -> int:
        """Return the number of members."""

    @property
    def n_outputs(self) -> int:
        """The number of outputs of a vote."""

    @property
    def reads(self) -> tuple[tuple[int, ...], ...]:
        """The columns that each member reads, ascending."""

    def votes_on(
        self,
        X: NDArray[Any],
        rows: Ints,
        members: Sequence[int] | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """Return the votes of members, by default all, on ``X[rows]`` (members x outputs x rows).

        They are written to `out` if it is given.
        """

    def bounds(self) -> Floats:
        """Return the largest absolute vote of each member; infinite if votes have no bound."""

    def taken(self, members: Ints) -> Self:
        """Return the table of some of the members, in the given order."""

    def arrays(self) -> Arrays:
        """Return the members as arrays, for storage."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the members of stored `arrays`; raise ValueError if they do not fit."""
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})
