"""Saving and loading models: one file without pickle, safe to read from any source.

A model file holds a Predictor: the plan, its prices, columns and target. It is a safetensors
file (see `scrimp.io.container`) with a format number. Reading one runs no code, writes
nothing, and takes memory in proportion to the size of the file: 4 times for arrays, 30 for the
worst of JSON, and a constant.

How to raise the format version
-------------------------------
Raise it whenever the document or a plan's header or arrays change in any way: readers accept
exactly what they know. In `scrimp.io.format`:

1. Check that ``tests/io/old`` holds files of the present format (written by
   ``tests/io/keep.py``): a test reads them for as long as there is a reader.
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
from pathlib import Path
from typing import Any, BinaryIO

from ..plans.components.models import SEALED, NotTrusted, opening
from ..runtime.predictor import Predictor, as_predictor
from .atomic import write_atomically
from .checkpoint import load_checkpoint, read_checkpoint, save_checkpoint
from .container import pack, scrimp_version, unpack
from .errors import ModelFileError, reason
from .format import READERS, write_format


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted model; an old file at the path is replaced atomically, or stays.

    Parameters
    ----------
    model : fitted estimator or Predictor
        Its predictor is saved: all that prediction needs, and nothing of training.
    path : path
        The file to write; by convention it ends in ``.scrimp``.

    Raises
    ------
    ValueError
        If `load` could not read it back.
    """
    data = _bytes_of(as_predictor(model))
    write_atomically(path, data)


def load(path: str | os.PathLike[str], *, trusted: Sequence[str] | None = None) -> Predictor:
    """Return the Predictor of a model file, which can predict, sweep and open sessions, not fit.

    Parameters
    ----------
    path : path
        The file may come from any source: reading it runs no code.
    trusted : sequence of str, optional
        Full names of types that may be created beside those that skops trusts. Needed for
        models with estimators stored by skops: these are read only if this is given, and
        creating them runs code.

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
    except Exception as error:  # any error of a constructor that is given unsuitable arrays
        raise ModelFileError(
            f"{Path(path)} cannot be read: {reason(error)}. It is damaged, or was not written "
            "by scrimp.save: get a good copy, or save the model again."
        ) from error


def _read(file: BinaryIO, size: int) -> Predictor:
    document, tensors = unpack(file, size, READERS)
    if "checkpoint" in document:
        raise ModelFileError("is a checkpoint, not a model. Open it with load_checkpoint.")
    return READERS[document["format"]](document, tensors)


def _bytes_of(predictor: Predictor) -> bytes:
    """Return the content of a model file, after checking that it can be read."""
    try:
        data = pack(*write_format(predictor, scrimp_version()))
        with opening(SEALED):
            _read(io.BytesIO(data), len(data))
    except Exception as error:
        raise ValueError(f"This model cannot be saved: {reason(error)}.") from error
    return data


__all__ = [
    "ModelFileError",
    "load",
    "load_checkpoint",
    "read_checkpoint",
    "save",
    "save_checkpoint",
    "write_atomically",
]
