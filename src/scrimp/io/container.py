"""The container of a model file: named arrays and one JSON document, with a checksum.

It is a safetensors file: 8 bytes with the length of a JSON header, the header (types, shapes
and places of the arrays, and our document as a string), then the arrays' bytes. Everything in
it is bounded by the size of the file, and nothing in it can be run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .errors import ModelFileError
from .strict import dump_json, fields, mapping, parse_json, text, whole, wholes

Document = dict[str, Any]
Tensors = dict[str, NDArray[Any]]

#: Where the document is in the header's metadata; a file that begins with it is one of ours.
KEY = "scrimp"
_BEGINNING = f'{{"__metadata__":{{"{KEY}":'.encode()
_AGAIN = "Copy it again from where it came, or save the model again."


def pack(document: Document, tensors: Tensors) -> bytes:
    """The bytes of a model file; `document` has a whole number ``format``."""
    from safetensors.numpy import save

    # safetensors takes the memory as it lies, strides and all
    tensors = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    sealed = {**document, "sha256": _checksum(document, tensors)}
    return bytes(save(tensors, {KEY: dump_json(sealed)}))


def unpack(file: BinaryIO, size: int, formats: Collection[int]) -> tuple[Document, Tensors]:
    """Read and verify what `pack` wrote.

    Parameters
    ----------
    file : binary file
        At its beginning. Its header is judged before the rest is read.
    size : int
        How many bytes it has.
    formats : collection of int
        Formats that can be read.
    """
    from safetensors.numpy import load

    document, promised = _judge_header(file, size)
    _check_format(document, formats)
    if size < promised:
        raise _cut_short(size, promised)
    file.seek(0)
    tensors: Tensors = load(file.read(size))
    expected = text(document.pop("sha256", None), "sha256")
    if _checksum(document, tensors) != expected:
        raise ModelFileError(f"is damaged: its checksum does not fit its content. {_AGAIN}")
    return document, tensors


def _judge_header(file: BinaryIO, size: int) -> tuple[Document, int]:
    """The document, and the size the whole file should have."""
    start = file.read(8 + len(_BEGINNING))
    promised = 8 + int.from_bytes(start[:8], "little")
    if not start[8:].startswith(_BEGINNING):
        if size < 8 + len(_BEGINNING) and _BEGINNING.startswith(start[8:]):
            raise ModelFileError(f"is cut short: it has {size} bytes. {_AGAIN}")
        raise ModelFileError("is not a scrimp model. Expected a file written by scrimp.save.")
    if size < promised:
        raise _cut_short(size, promised)
    file.seek(8)
    header = mapping(parse_json(file.read(promised - 8).decode()), "the header")
    (document,) = fields(header.pop("__metadata__"), "the metadata", KEY)
    ends = [_end_of_tensor(entry, size) for entry in header.values()]
    return mapping(parse_json(text(document, KEY)), KEY), promised + max(ends, default=0)


def _end_of_tensor(entry: Any, size: int) -> int:
    _, shape, offsets = fields(entry, "an array", "dtype", "shape", "data_offsets")
    # an array without elements may claim any length at no cost
    if any(not 0 <= length <= size for length in wholes(shape, "a shape")):
        raise ValueError("an array is longer than the file")
    _, end = wholes(offsets, "data_offsets")
    return end


def _check_format(document: Document, formats: Collection[int]) -> None:
    found, newest = whole(document.get("format"), "format"), max(formats)
    if found > newest:
        raise ModelFileError(
            f"was written by a newer scrimp (format {found}); this one reads up to {newest}: "
            "upgrade scrimp."
        )
    if found not in formats:
        raise ModelFileError(
            f"has the unknown format {found}; this scrimp reads "
            f"{', '.join(map(str, sorted(formats)))}. Save the model again with this scrimp."
        )


def _cut_short(size: int, promised: int) -> ModelFileError:
    return ModelFileError(f"is cut short: it has {size} bytes of {promised}. {_AGAIN}")


def _checksum(document: Document, tensors: Tensors) -> str:
    """SHA-256 of the document and the names, types, shapes and bytes of the arrays."""
    names = sorted(tensors)
    table = [[name, tensors[name].dtype.name, list(tensors[name].shape)] for name in names]
    digest = hashlib.sha256(dump_json([document, table]).encode())
    for name in names:
        array = tensors[name]
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(little.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
