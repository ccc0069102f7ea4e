"""The datasets of `sgb2017`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrimp.datasets import DatasetUnavailable, fetch, fetch_arrays
from scrimp.types import Floats


@dataclass(frozen=True, eq=False)
class Rows:
    """Numbers, targets, and how many leading rows are the published training part.

    Parameters
    ----------
    name : str
        Of the experiment.
    X : float32 array (rows, columns)
        Numbers.
    y : float array (rows,)
        Numbers; -1 and 1; or 0, 1, ... for more classes.
    remark : str
        What it was made of.
    n_train : int or None
        Rows of the training part; None if there is no given division.
    """

    name: str
    X: NDArray[np.float32]
    y: Floats
    remark: str
    n_train: int | None = None


def load(name: str) -> Rows:
    """Return a dataset by name.

    Raises
    ------
    DatasetUnavailable
        If the data is not available.
    """
    return _MAKERS[name]()


def _abalone() -> Rows:
    data = fetch("abalone")
    numbers: Any = data.X.drop("sex").to_numpy()
    sex = data.X["sex"].to_numpy().astype(str)
    flags = [sex == value for value in np.unique(sex)]
    X = np.column_stack([*flags, numbers]).astype(np.float32)
    return Rows("abalone", X, np.asarray(data.y, dtype=np.float64), "UCI's abalone, sex as 3 flags")


def _a9a() -> Rows:
    data = fetch_arrays("a9a")
    X, y = data.X.toarray().astype(np.float32), np.asarray(data.y, dtype=np.float64)
    return Rows("a9a", X, y, "UCI's adult in LIBSVM's coding", data.n_train)


def _mnist() -> Rows:
    data = fetch_arrays("mnist")
    y = np.asarray(data.y, dtype=np.float64)
    return Rows("mnist", data.X.astype(np.float32), y, "MNIST, 28 x 28 pixels", data.n_train)


def _a9a_stream() -> Rows:
    data = _a9a()
    n = data.n_train
    return Rows("regret_a9a", data.X[:n], data.y[:n], "training rows of a9a")


def _blogfeedback_stream() -> Rows:
    data = fetch_arrays("blogfeedback")
    n = data.n_train
    y = np.log1p(np.asarray(data.y[:n], dtype=np.float64))
    remark = "training rows of UCI's BlogFeedback, in place of SLICE; log(1 + comments)"
    return Rows("regret_blogfeedback", np.asarray(data.X[:n], dtype=np.float32), y, remark)


def _made_in_trials(name: str, remark: str) -> Callable[[], Rows]:
    """Return a maker of a stand-in without rows, for what each trial makes itself."""
    return lambda: Rows(name, np.empty((0, 0), np.float32), np.empty(0), remark)


def _of_uci(name: str, title: str) -> Callable[[], Rows]:
    """Return a maker of a dataset that is fetched from UCI, if the network allows."""

    def make() -> Rows:
        try:
            data = fetch_arrays(name)
        except DatasetUnavailable as error:
            raise DatasetUnavailable(
                f"{title} is neither in the data folder, as {name}.npz, nor could UCI be reached."
            ) from error
        X, y = np.asarray(data.X, dtype=np.float32), np.asarray(data.y, dtype=np.float64)
        return Rows(name, X, y, title, data.n_train)

    return make


_MAKERS: dict[str, Callable[[], Rows]] = {
    "abalone": _abalone,
    "a9a": _a9a,
    "mnist": _mnist,
    "year": _of_uci("year", "UCI's YearPredictionMSD"),
    "slice": _of_uci("slice", "UCI's Relative location of CT slices"),
    "regret_a9a": _a9a_stream,
    "regret_blogfeedback": _blogfeedback_stream,
    "generated": _made_in_trials("generated", "Friedman's first problem, drawn in each trial"),
    "counterexample": _made_in_trials("counterexample", "the loss 2 abs(y1) + abs(y2), no data"),
}
