"""How the small functions of a kernel are compiled, where each draw counts."""

from __future__ import annotations

from typing import Any

from numba import njit

# They make no arrays. To count references to those that they are given, as Numba does unless it
# is told not to, would take longer than what they do.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}

#: A function that makes no arrays ...
bare = njit(**_OPTIONS)
#: ... and becomes a part of those that call it.
leaf = njit(**_OPTIONS, forceinline=True)
