"""Class labels as arrays of a model file, and back with the same type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Types of labels besides text; all are types of safetensors, too.
_TYPES = frozenset(
    ["bool", "float16", "float32", "float64"]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)
_MAX_CODE_POINT = 0x10FFFF


def pack_labels(classes: NDArray[Any]) -> tuple[dict[str, Any], NDArray[Any]]:
    """Return the type of labels, and the labels; text as code points, one row per label."""
    plain = _from_objects(classes) if classes.dtype.kind == "O" else classes
    plain = np.ascontiguousarray(plain.astype(plain.dtype.newbyteorder("="), copy=False))
    if plain.dtype.kind != "U" and plain.dtype.name not in _TYPES:
        raise TypeError(
            f"class labels are {classes.dtype}; expected whole numbers, floats, booleans or text. "
            "Fit with labels of such a type"
        )
    description = {"dtype": _name(plain.dtype), "object": classes.dtype.kind == "O"}
    if plain.dtype.kind == "U":
        width = plain.dtype.itemsize // 4
        plain = plain.view(np.uint32).reshape(len(plain), width)
    return description, plain


def unpack_labels(dtype: Any, as_objects: Any, array: NDArray[Any]) -> NDArray[Any]:
    """Invert `pack_labels`; raise a ValueError for what it would not have written."""
    if array.ndim == 2 and array.dtype == np.uint32 and array.shape[1] > 0:
        if array.max(initial=0) > _MAX_CODE_POINT:
            raise ValueError("class labels hold characters that do not exist")
        array = array.view(f"U{array.shape[1]}").reshape(len(array))
    elif array.ndim != 1 or array.dtype.name not in _TYPES:
        raise ValueError(f"class labels are {array.dtype} in {array.ndim} dimensions")
    if _name(array.dtype) != dtype or not isinstance(as_objects, bool):
        raise ValueError("class labels are of another type than the file says")
    return array.astype(object) if as_objects else array


def _name(dtype: np.dtype[Any]) -> str:
    return f"U{dtype.itemsize // 4}" if dtype.kind == "U" else dtype.name


def _from_objects(classes: NDArray[Any]) -> NDArray[Any]:
    """Return objects, as frames hold them, that are all text or all numbers of one type."""
    values = [v.item() if isinstance(v, np.generic) else v for v in classes.tolist()]
    types = {type(value) for value in values}
    plain = np.array(values) if types in ({str}, {int}, {float}, {bool}) else None
    if plain is None or plain.tolist() != values:
        names = ", ".join(sorted(each.__name__ for each in types))
        raise TypeError(
            f"class labels are objects of the type {names}; expected one type of whole numbers, "
            "floats, booleans or text. Fit with such labels"
        )
    return plain
