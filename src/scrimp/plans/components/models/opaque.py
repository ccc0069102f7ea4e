"""Fitted estimators that are kept as objects, and stored through skops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ....data.preparation import Preparation
from ....data.validation import check_choice, int_array
from ....types import Arrays, Floats, Ints
from .model import Model

#: The kinds of answers of an estimator: probabilities, log-odds, labels, or numbers.
ANSWERS = ("probabilities", "decisions", "labels", "numbers")
#: The value of `trusted` that keeps stored estimators as bytes.
SEALED = "sealed"

_trusted: ContextVar[Sequence[str] | str | None] = ContextVar("scrimp_trusted", default=None)


class NotTrusted(ValueError):
    """A file holds estimators of types that are not trusted."""


@contextmanager
def opening(trusted: Sequence[str] | str | None) -> Iterator[None]:
    """Set the types of estimators in files that may be created inside the block.

    Parameters
    ----------
    trusted : sequence of str, "sealed" or None
        Types that may be created, beside those that skops trusts itself; ``sealed`` creates
        nothing and keeps the bytes; None refuses.
    """
    token = _trusted.set(trusted)
    try:
        yield
    finally:
        _trusted.reset(token)


class OpaqueModel(Model):
    """A fitted estimator, whose own methods answer.

    Parameters
    ----------
    preparation : Preparation
        The preparation of the columns.
    estimator : fitted estimator
        An estimator with predict_proba, decision_function or predict, according to `answers`.
    answers : {"probabilities", "decisions", "labels", "numbers"}
        The kind of its answers. ``decisions`` are log-odds of the second of two classes,
        ``labels`` become probabilities of 0 and 1.
    n_outputs : int
        The number of classes, or 1 for a number.
    missing : bool
        Whether it accepts missing values.
    """

    kind: ClassVar[str] = "opaque"
    estimator: Any
    _data: bytes | None

    def __init__(
        self, preparation: Preparation, estimator: Any, answers: str, n_outputs: int, missing: bool
    ) -> None:
        self._set(preparation, answers, n_outputs, missing, type(estimator).__name__)
        self.estimator = estimator

    def _set(
        self, preparation: Preparation, answers: str, n_outputs: int, missing: bool, name: str
    ) -> None:
        check_choice("answers", answers, ANSWERS)
        min_outputs = 1 if answers == "numbers" else 2
        if not isinstance(n_outputs, int) or n_outputs < min_outputs:
            raise ValueError(f"{answers} cannot have {n_outputs!r} outputs.")
        if n_outputs > 2 and answers == "decisions":
            raise ValueError("decisions are between two classes.")
        if not isinstance(missing, bool) or not isinstance(name, str):
            raise ValueError("missing must be true or false, and name text.")
        self.preparation = preparation
        self.answers = answers
        self.n_outputs = n_outputs
        self.missing = missing
        self.name = name
        self.columns = preparation.columns
        self.accepts_missing = missing or preparation.fills
        self.estimator = None
        self._data = None

    def scores(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the answers of the estimator."""
        if self.estimator is None:
            raise TypeError(f"The {self.name} of this file was not opened. {_how_to_open([])}")
        table = self.preparation.table(X, rows)
        if not len(table):
            return np.empty((0, self.n_outputs))
        if self.answers == "probabilities":
            return np.asarray(self.estimator.predict_proba(table), dtype=np.float64)
        if self.answers == "decisions":
            second = expit(np.asarray(self.estimator.decision_function(table), dtype=np.float64))
            return np.stack([1.0 - second, second], axis=1)
        predicted = np.asarray(self.estimator.predict(table))
        if self.answers == "labels":
            return np.eye(self.n_outputs)[np.searchsorted(self.estimator.classes_, predicted)]
        return predicted.astype(np.float64).reshape(len(rows), 1)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays, with the estimator in the format of skops."""
        if self._data is None:
            self._data = _as_bytes(self.estimator)
        header = {
            "name": self.name, "answers": self.answers, "n_outputs": self.n_outputs,
            "missing": self.missing, "bytes": len(self._data),
        }  # fmt: skip
        padded = self._data + bytes(-len(self._data) % 8)
        return header, {"skops": np.frombuffer(padded, dtype="<i8").astype(np.int64)} | (
            self.preparation.arrays()
        )

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> OpaqueModel:
        """Return the model of stored `parts`, as far as `opening` allows."""
        model = cls.__new__(cls)
        named = (header[key] for key in ("answers", "n_outputs", "missing", "name"))
        model._set(Preparation.from_arrays(arrays), *named)
        padded = int_array("skops", arrays["skops"]).astype("<i8").tobytes()
        length = header["bytes"]
        if not isinstance(length, int) or not len(padded) - 8 < length <= len(padded):
            raise ValueError("bytes do not fit the array skops.")
        model._data = padded[:length]
        trusted = _trusted.get()
        if trusted is None:
            raise NotTrusted(
                f"it holds the estimator {model.name[:80]!r} in skops' form, and making it runs "
                f"code of the packages that it names. {_how_to_open([])}"
            )
        if not isinstance(trusted, str):
            model.estimator = _from_bytes(model._data, trusted)
        return model


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise ImportError(
            "keeping estimators that are not trees, linear models or kernel machines in files "
            'needs skops. Install it: pip install "scrimp[skops]"'
        ) from None
    return skops.io


def _as_bytes(estimator: Any) -> bytes:
    """Return the estimator in the format of skops, after checking that it can be read back."""
    io = _skops()
    try:
        data: bytes = io.dumps(estimator)
        same = io.loads(data, trusted=io.get_untrusted_types(data=data))
    except Exception as error:
        raise ValueError(
            f"skops cannot keep the {type(estimator).__name__} in a file: {error}. Use an "
            "estimator that becomes arrays (trees, linear models), or keep the model in memory"
        ) from error
    if type(same) is not type(estimator):
        raise ValueError(f"skops reads the {type(estimator).__name__} back as another type")
    return data


def _from_bytes(data: bytes, trusted: Sequence[str]) -> Any:
    io = _skops()
    unknown = sorted(set(io.get_untrusted_types(data=data)) - set(trusted))
    if unknown:
        shown = [name[:80] for name in unknown[:8]]
        raise NotTrusted(f"it holds types that are not trusted. {_how_to_open(shown)}")
    return io.loads(data, trusted=list(trusted))


def _how_to_open(types: list[str]) -> str:
    return f"If you trust where the file comes from: load(path, trusted={types!r})"
