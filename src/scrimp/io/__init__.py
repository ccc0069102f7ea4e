"""Saving and loading models: no pickle, one file, safe to open whoever wrote it.

A model file holds a Predictor: the plan, its prices, columns and target. It is a safetensors
file (see `scrimp.io.container`) that says which format it is in. Reading one runs nothing,
writes nowhere, and takes memory in proportion to the file's size: 4 times for arrays, 30 for
the worst of JSON, and a constant.

How to raise the format version
-------------------------------
Raise it whenever the document or a plan's header or arrays change in any way: readers take
just what they know. In `scrimp.io.format`:

1. Check that ``tests/io/old`` holds files of the present format (``tests/io/keep.py``
   wrote them): a test reads them for as long as there is a reader.
2. Add 1 to `FORMAT`, change `write_format`, and keep files of the new format.
3. Add ``read_format_<new>`` to `READERS`, as a copy of the old reader with the change.
4. Let the old reader turn what it reads into what the new one expects, and call that; or, if
   the old format is no longer to be read, remove it from `READERS`: its files then get an
   error that says so.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO

from ..plans.components.models import SEALED, NotTrusted, opening
from ..runtime.predictor import Predictor, as_predictor
from .atomic import write_atomically
from .container import pack, unpack
from .errors import ModelFileError
from .format import READERS, write_format


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted model; an old file at the path is replaced as a whole, or stays.

    Parameters
    ----------
    model : fitted estimator or Predictor
        What is kept is its predictor: all that prediction needs, and nothing of training.
    path : path
        Where to; by custom it ends in ``.scrimp``.

    Raises
    ------
    ValueError
        If `load` could not read it back.
    """
    data = _bytes_of(as_predictor(model))
    write_atomically(path, data)


def load(path: str | os.PathLike[str], *, trusted: Sequence[str] | None = None) -> Predictor:
    """Load a model that `save` wrote: predict, sweep, session and all, but no fit.

    Parameters
    ----------
    path : path
        The file may come from anybody: reading it runs nothing it says.
    trusted : sequence of str, optional
        A model may hold estimators that scrimp cannot look into, kept by skops. They are read
        only if this is given, and making them runs code: types that may be made beside those
        that skops trusts itself, by their full names.

    Raises
    ------
    ModelFileError
        If it is not a model file, is damaged, or was written by a newer scrimp.

    Examples
    --------
    >>> import tempfile
    >>> from scrimp import BudgetedBoostingClassifier, load, save
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = BudgetedBoostingClassifier(heart.costs, n_rounds=50).fit(heart.X, heart.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/heart.scrimp")
    ...     same = load(f"{folder}/heart.scrimp")
    >>> int((same.predict(heart.X, 4.0) != model.predict(heart.X, 4.0)).sum())
    0
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ModelFileError(f"{path} is not a file. Expected one written by scrimp.save.")
    try:
        with opening(trusted), open(path, "rb") as file:
            return _read(file, os.fstat(file.fileno()).st_size)
    except ModelFileError as error:
        raise ModelFileError(f"{Path(path)} {error}") from error.__cause__
    except NotTrusted as error:
        raise ModelFileError(f"{Path(path)} is not read: {error}") from error
    except (OSError, ImportError):
        raise
    except Exception as error:  # whatever a constructor says to arrays it was not made for
        raise ModelFileError(
            f"{Path(path)} cannot be read: {_reason(error)}. It is damaged, or was not written "
            "by scrimp.save: get a good copy, or save the model again."
        ) from error


def _read(file: BinaryIO, size: int) -> Predictor:
    document, tensors = unpack(file, size, READERS)
    return READERS[document["format"]](document, tensors)


def _bytes_of(predictor: Predictor) -> bytes:
    """The content of a model file, once it is known that it can be read."""
    try:
        data = pack(*write_format(predictor, _version()))
        with opening(SEALED):
            _read(io.BytesIO(data), len(data))
    except Exception as error:
        raise ValueError(f"This model cannot be saved: {_reason(error)}.") from error
    return data


def _version() -> str:
    """The scrimp that writes, for people who look for where a file came from."""
    try:
        return version("scrimp")
    except PackageNotFoundError:  # run from its sources
        return "unknown"


def _reason(error: Exception) -> str:
    text = f"{error}".rstrip(".") or type(error).__name__
    if isinstance(error, KeyError):
        text = f"it lacks {text}"
    return text if len(text) <= 300 else f"{text[:300]}..."


__all__ = ["ModelFileError", "load", "save", "write_atomically"]
