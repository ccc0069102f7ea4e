"""Checkpoints: the whole state of a stream, from which training goes on exactly.

A model file holds what prediction needs; a checkpoint holds what a streaming booster has learnt and
is about to learn, bit by bit. It is the same kind of container (`scrimp.io.container`) with a
format of its own, and as safe to read: it holds no code, and is checked before it is used.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..costs.costs import Costs
from ..data.columns import Columns, NumberRanges
from ..types import Arrays
from .atomic import write_atomically
from .container import Document, Tensors, pack, scrimp_version, unpack
from .errors import ModelFileError, reason
from .format import (
    pack_columns,
    pack_costs,
    pack_target,
    plain,
    read_columns,
    read_costs,
    read_target,
)
from .labels import pack_labels
from .parameters import pack_parameters, unpack_parameters
from .strict_json import fields, listed, mapping, number, text, whole

if TYPE_CHECKING:
    from ..learners.streaming.resume import StreamParts

#: The format of checkpoints; one that cannot be read on exactly is not read at all.
CHECKPOINT_FORMAT = 1
#: What the name of the checkpoint before the last one ends in.
PREVIOUS = ".previous"

_KIND = "stream"
_CLASSES, _RANGES, _STREAM = "classes", "ranges/", "stream/"


def save_checkpoint(
    model: Any, path: str | os.PathLike[str], info: Mapping[str, Any] | None = None
) -> None:
    """Save the whole state of a stream; `load_checkpoint` goes on from it, bit by bit.

    The file is replaced atomically: whenever the process is killed, the last checkpoint or the new
    one is there. The one before it stays beside it, with the ending ``.previous``.

    Parameters
    ----------
    model : StreamingBoostingClassifier or StreamingBoostingRegressor
        One that has learnt from rows.
    path : path
        The file to write; by convention it ends in ``.ckpt``.
    info : dict, optional
        What else is to be known when training goes on, as JSON can hold it.

    Raises
    ------
    ValueError
        If a parameter, such as a random generator, cannot be stored.
    """
    from ..learners.streaming.resume import parts_of  # the import of learners takes a while

    try:
        data = pack(*_write(parts_of(model), info or {}))
        _read(io.BytesIO(data), len(data))
    except (TypeError, ValueError) as error:
        raise ValueError(f"This stream cannot be saved: {reason(error)}.") from error
    _keep_previous(Path(os.path.realpath(path)))
    write_atomically(path, data)


def load_checkpoint(path: str | os.PathLike[str]) -> Any:
    """Return the model of a checkpoint, which goes on as if it had never been stopped.

    Parameters
    ----------
    path : path
        A file written by `save_checkpoint`. It may come from any source: reading it runs no code.

    Raises
    ------
    ModelFileError
        If it is no checkpoint, is damaged, or was written by another version. It stays as it is.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from scrimp import StreamingBoostingRegressor, load_checkpoint, save_checkpoint
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> y = X[:, 0] ** 2
    >>> model = StreamingBoostingRegressor().partial_fit(X[:600], y[:600])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_checkpoint(model, f"{folder}/state.ckpt")
    ...     resumed = load_checkpoint(f"{folder}/state.ckpt")
    >>> model, resumed = (m.partial_fit(X[600:], y[600:]) for m in (model, resumed))
    >>> int((resumed.predict(X) != model.predict(X)).sum())
    0
    """
    return read_checkpoint(path)[0]


def read_checkpoint(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Return the model of a checkpoint, and the `info` that was saved with it."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ModelFileError(f"{path} is not a file. Expected one written by save_checkpoint.")
    advice = _advice(Path(path))
    try:
        with open(path, "rb") as file:
            return _read(file, os.fstat(file.fileno()).st_size)
    except OSError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"{Path(path)} {error}{advice}") from error.__cause__
    except Exception as error:  # any error of a constructor that is given unsuitable arrays
        raise ModelFileError(
            f"{Path(path)} cannot be read: {reason(error)}. It is damaged, or was not written by "
            f"save_checkpoint.{advice}"
        ) from error


def _advice(path: Path) -> str:
    """Return where training can go on from instead."""
    previous = path.with_name(path.name + PREVIOUS)
    if previous.is_file():
        return f" The checkpoint before it is {previous}."
    return " Begin again, without it." if not path.name.endswith(PREVIOUS) else ""


def _keep_previous(path: Path) -> None:
    """Let the present checkpoint stay beside the new one, if it is whole."""
    with suppress(OSError, ValueError):
        with open(path, "rb") as file:
            unpack(file, os.fstat(file.fileno()).st_size, [CHECKPOINT_FORMAT], "checkpoint")
        link = path.with_name(f".{path.name}{PREVIOUS}.{os.getpid()}")
        os.link(path, link)
        os.replace(link, path.with_name(path.name + PREVIOUS))


def _write(parts: StreamParts, info: Mapping[str, Any]) -> tuple[Document, Tensors]:
    labels, classes = pack_labels(parts.target.classes)
    params = dict(parts.params)
    costs = params.pop("costs")
    if costs is not None and not isinstance(costs, Costs):
        costs = Costs.per_feature(costs)
    ranges = parts.columns.ranges
    document = {
        "format": CHECKPOINT_FORMAT,
        "checkpoint": _KIND,
        "scrimp": scrimp_version(),
        "task": parts.task,
        "params": pack_parameters(params),
        "costs": None if costs is None else pack_costs(costs),
        "columns": pack_columns(parts.columns),
        "target": pack_target(parts.target, labels),
        "n_passes": parts.n_passes,
        "has_dict_rows": parts.has_dict_rows,
        "market_prices": None if parts.market_prices is None else list(parts.market_prices),
        "info": plain(dict(info)),
    }
    tensors = {_CLASSES: classes}
    if ranges is not None:
        for name in ("low", "high", "binary"):
            tensors[_RANGES + name] = getattr(ranges, name)
    return document, tensors | {_STREAM + name: array for name, array in parts.arrays.items()}


def _read(file: BinaryIO, size: int) -> tuple[Any, dict[str, Any]]:
    from ..learners.streaming.resume import StreamParts, model_of

    document, tensors = unpack(file, size, [CHECKPOINT_FORMAT], "checkpoint", "save_checkpoint")
    kind, task, params, costs, columns, target, n_passes, has_dicts, prices, info, _, _ = fields(
        document, "the document", "checkpoint", "task", "params", "costs", "columns", "target",
        "n_passes", "has_dict_rows", "market_prices", "info", "format", "scrimp",
    )  # fmt: skip
    if kind != _KIND or task not in ("classification", "regression"):
        raise ValueError(f"it holds a {kind!r} of a {task!r}")
    if not isinstance(has_dicts, bool) or not 1 <= whole(n_passes, "n_passes") <= 10_000:
        raise ValueError("n_passes and has_dict_rows must be a number and a truth value")
    tensors = dict(tensors)
    read_params = unpack_parameters(params)
    read_params["costs"] = None if costs is None else read_costs(costs)
    parts = StreamParts(
        text(task, "task"), read_params, _with_ranges(read_columns(columns), tensors),
        read_target(target, tensors.pop(_CLASSES)), n_passes, has_dicts,
        None if prices is None else listed(prices, "market_prices", number), _stream(tensors),
    )  # fmt: skip
    return model_of(parts), mapping(info, "info")


def _with_ranges(columns: Columns, tensors: Tensors) -> Columns:
    """Return the columns with the ranges of their values, which are taken out of the arrays."""
    found = {name: array for name, array in tensors.items() if name.startswith(_RANGES)}
    for name in found:
        del tensors[name]
    if not found:
        return columns
    low, high, binary = (_range(found, name, len(columns)) for name in ("low", "high", "binary"))
    return replace(columns, ranges=NumberRanges(low, high, binary))


def _range(found: Tensors, name: str, n_columns: int) -> NDArray[Any]:
    array = found[_RANGES + name]
    dtype = np.bool_ if name == "binary" else np.float64
    if array.shape != (n_columns,) or array.dtype != dtype:
        raise ValueError(f"the array {_RANGES + name!r} does not fit the columns")
    return array.copy()


def _stream(tensors: Tensors) -> Arrays:
    strange = [name for name in tensors if not name.startswith(_STREAM)]
    if strange:
        raise ValueError(f"the array {strange[0]!r} has no place in a checkpoint")
    return {name.removeprefix(_STREAM): array for name, array in tensors.items()}
