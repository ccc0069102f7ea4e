"""Numba decorators for the small functions of a kernel that run once per draw.

With ``NUMBA_DISABLE_JIT=1`` each of them leaves its function as plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config, njit

# These functions allocate no arrays. Reference counts of the arrays that they are given, which
# Numba keeps unless `_nrt` is off, would take longer than their work.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}

#: Compile a function that allocates no arrays.
njit_no_refcount = njit(**_OPTIONS)
#: Compile a function that allocates no arrays, and inline it into its callers.
njit_inline = njit(**_OPTIONS, forceinline=True)


def njit_wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile and inline a function whose integers wrap around modulo 2**64.

    Compiled code wraps silently; NumPy's scalars would warn of an overflow.
    """
    if getattr(config, "DISABLE_JIT"):  # noqa: B009 - Numba sets its options at import
        return np.errstate(over="ignore")(function)
    return njit_inline(function)  # type: ignore[no-any-return]
