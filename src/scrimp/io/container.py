"""The container of a model file: named arrays and one JSON document, with a checksum.

It is a safetensors file: 8 bytes with the length of a JSON header, the header (types, shapes
and offsets of the arrays, and our document as a string), then the arrays' bytes. All lengths are
bounded by the size of the file, and nothing in it is executable.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from importlib.metadata import PackageNotFoundError, version
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .errors import ModelFileError
from .strict_json import dump_json, fields, mapping, parse_json, text, whole, wholes

Document = dict[str, Any]
Tensors = dict[str, NDArray[Any]]

#: The key of the document in the header's metadata; model files begin with it.
KEY = "scrimp"
_BEGINNING = f'{{"__metadata__":{{"{KEY}":'.encode()
_AGAIN = "Copy it again from where it came, or save the model again."


def pack(document: Document, tensors: Tensors) -> bytes:
    """Return the bytes of a model file; `document` has a whole number ``format``."""
    from safetensors.numpy import save

    # safetensors ignores strides
    tensors = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    sealed = {**document, "sha256": _checksum(document, tensors)}
    return bytes(save(tensors, {KEY: dump_json(sealed)}))


def scrimp_version() -> str:
    """Return the version of scrimp, recorded in files for information only."""
    try:
        return version("scrimp")
    except PackageNotFoundError:  # run from its sources
        return "unknown"


def unpack(
    file: BinaryIO, size: int, formats: Collection[int], kind: str = "model",
    writer: str = "scrimp.save",
) -> tuple[Document, Tensors]:  # fmt: skip
    """Read and verify the document and arrays of a model file.

    Parameters
    ----------
    file : binary file
        At its beginning. Its header is checked before the rest is read.
    size : int
        Number of bytes of the file.
    formats : collection of int
        Formats that can be read.
    kind, writer : str
        What is expected, and what writes it, for errors.
    """
    from safetensors.numpy import load

    document, expected_size = _read_header(file, size, kind, writer)
    if kind == "checkpoint" and kind not in document:
        raise ModelFileError(
            "is a model, which cannot learn any further; expected a checkpoint. Open it with "
            "scrimp.load."
        )
    _check_format(document, formats)
    if size < expected_size:
        raise _cut_short(size, expected_size)
    file.seek(0)
    tensors: Tensors = load(file.read(size))
    expected = text(document.pop("sha256", None), "sha256")
    if _checksum(document, tensors) != expected:
        raise ModelFileError(f"is damaged: its checksum does not fit its content. {_AGAIN}")
    return document, tensors


def _read_header(
    file: BinaryIO, size: int, kind: str, writer: str
) -> tuple[Document, int]:  # fmt: skip
    """Return the document, and the size that the whole file should have."""
    start = file.read(8 + len(_BEGINNING))
    expected_size = 8 + int.from_bytes(start[:8], "little")
    if not start[8:].startswith(_BEGINNING):
        if size < 8 + len(_BEGINNING) and _BEGINNING.startswith(start[8:]):
            raise ModelFileError(f"is cut short: it has {size} bytes. {_AGAIN}")
        raise ModelFileError(f"is not a scrimp {kind}. Expected a file written by {writer}.")
    if size < expected_size:
        raise _cut_short(size, expected_size)
    file.seek(8)
    header = mapping(parse_json(file.read(expected_size - 8).decode()), "the header")
    (document,) = fields(header.pop("__metadata__"), "the metadata", KEY)
    ends = [_end_of_tensor(entry, size) for entry in header.values()]
    return mapping(parse_json(text(document, KEY)), KEY), expected_size + max(ends, default=0)


def _end_of_tensor(entry: Any, size: int) -> int:
    _, shape, offsets = fields(entry, "an array", "dtype", "shape", "data_offsets")
    # an array without elements may claim any length at no cost
    if any(not 0 <= length <= size for length in wholes(shape, "a shape")):
        raise ValueError("an array is longer than the file")
    _, end = wholes(offsets, "data_offsets")
    return end


def _check_format(document: Document, formats: Collection[int]) -> None:
    number, newest = whole(document.get("format"), "format"), max(formats)
    if number > newest:
        raise ModelFileError(
            f"was written by a newer scrimp (format {number}); this one reads up to {newest}: "
            "upgrade scrimp."
        )
    if number not in formats:
        raise ModelFileError(
            f"has the unknown format {number}; this scrimp reads "
            f"{', '.join(map(str, sorted(formats)))}. Save the model again with this scrimp."
        )


def _cut_short(size: int, expected_size: int) -> ModelFileError:
    return ModelFileError(f"is cut short: it has {size} bytes of {expected_size}. {_AGAIN}")


def _checksum(document: Document, tensors: Tensors) -> str:
    """Return the SHA-256 of the document and the names, types, shapes and bytes of the arrays."""
    names = sorted(tensors)
    table = [[name, tensors[name].dtype.name, list(tensors[name].shape)] for name in names]
    digest = hashlib.sha256(dump_json([document, table]).encode())
    for name in names:
        array = tensors[name]
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(little.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
