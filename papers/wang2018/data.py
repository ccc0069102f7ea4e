"""The datasets of `wang2018`: training rows, prices, and tables generated at their sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from scrimp.costs.costs import Costs
from scrimp.datasets import ArrayDataset, fetch_arrays
from scrimp.types import Floats, Ints

from ..prices import draw_prices
from ..trials import Setting
from .generated import generated

#: Columns of a group, where columns are bought in groups.
GROUP = 1_000


@dataclass(frozen=True)
class LargeTable:
    """The size of a table that is generated in place of a published one."""

    #: Rows and columns, as published.
    shape: tuple[int, int]
    #: Mean number of non-zero values per row.
    nonzeros: float
    #: Rows of the training part.
    n_train: int
    #: Whether classes are predicted, or numbers.
    classes: bool
    #: Standard deviation of the coefficients that are not 0.
    strength: float


LARGE = {
    "real_sim_like": LargeTable((44_476, 20_958), 51.0, 35_582, True, 0.9),
    "news20_like": LargeTable((19_996, 1_355_191), 455.0, 15_998, True, 0.3),
    "e2006_like": LargeTable((19_395, 4_272_227), 300.0, 16_087, False, 1.0),
}


@dataclass(frozen=True, eq=False)
class Priced:
    """A dataset whose columns, or groups of them, have prices.

    Parameters
    ----------
    name : str
        Its short name.
    X : float array or CSR matrix (rows, columns)
        Numbers.
    y : float array (rows,)
        -1 and 1, or what to predict.
    remark : str
        What it was made of.
    n_train : int or None
        Number of first rows for training; None draws them in each trial.
    grouped : bool
        Whether columns are bought in random groups.
    numbers : bool
        Whether numbers are predicted.
    raw : float array (rows,), optional
        What to predict before it was transformed.
    """

    name: str
    X: Any
    y: Floats
    remark: str
    n_train: int | None = None
    grouped: bool = False
    numbers: bool = False
    raw: Floats | None = None


@dataclass(frozen=True, eq=False)
class Part:
    """Training rows, test rows and prices."""

    X: Any
    y: Floats
    X_test: Any
    y_test: Floats
    costs: Costs
    numbers: bool

    @property
    def prices(self) -> Floats:
        """Return the prices of the items."""
        return np.array(self.costs.prices)

    def quality(self, answers: NDArray[Any]) -> list[float]:
        """Return the part of answers (rows, budgets) that is right, or the mean squared error."""
        targets = self.y_test[:, None]
        errors = (answers - targets) ** 2 if self.numbers else answers == targets
        return [float(value) for value in errors.mean(axis=0)]


def priced(name: str) -> Priced:
    """Return a dataset by name.

    Raises
    ------
    DatasetUnavailable
        If the data is not available.
    """
    if name in LARGE:
        return _large(name)
    source = name.removesuffix("_all")
    return _MAKERS[source](name, fetch_arrays(source))


def divide(data: Priced, setting: Setting, rng: np.random.Generator) -> Part:
    """Draw training rows and prices; dense columns are standardised on the former."""
    d = data.X.shape[1]
    train, test = _rows(data, setting, rng)
    X, X_test = data.X[train], data.X[test]
    if not sparse.issparse(X):
        mean, scale = X.mean(axis=0), X.std(axis=0)
        scale[scale == 0] = 1.0
        X, X_test = (X - mean) / scale, (X_test - mean) / scale
    if data.grouped:
        groups = rng.permutation(d) // GROUP
        costs = Costs.per_group(groups, draw_prices(int(groups.max()) + 1, rng).tolist())
    else:
        costs = Costs.per_feature(draw_prices(d, rng))
    return Part(X, data.y[train], X_test, data.y[test], costs, data.numbers)


def _rows(data: Priced, setting: Setting, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return a part of the published training rows and all others, or a random division."""
    n = len(data.y)
    known = n - setting.test if data.n_train is None else data.n_train
    rows = rng.permutation(n) if data.n_train is None else np.arange(n)
    train, test = rows[:known], rows[known:]
    if len(train) > setting.train:
        train = np.sort(rng.permutation(train)[: setting.train])
    return train, test


def _blogfeedback(name: str, data: ArrayDataset) -> Priced:
    y = data.y.astype(np.float64)
    remark = "UCI BlogFeedback: log(1 + comments); the published division"
    if name == data.name:
        remark += ", of whose training part rows are drawn in each trial"
    return Priced(name, data.X.astype(np.float64), np.log1p(y), remark, data.n_train,
                  numbers=True, raw=y)  # fmt: skip


def _a9a(name: str, data: ArrayDataset) -> Priced:
    remark = "UCI Adult in LIBSVM's coding, its 0/1 columns bought one by one"
    return Priced(name, _csr(data), _signs(data.y), remark)


def _texts(name: str, data: ArrayDataset) -> Priced:
    X = _csr(data)
    X.data = np.log1p(X.data)
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X = sparse.csr_matrix(sparse.diags_array(1.0 / np.maximum(lengths, 1e-300)) @ X)
    words = "two groups of 20 Newsgroups: log(1 + counts) of words, in rows of length 1"
    return Priced(name, X, _signs(data.y), words)


def _madelon(name: str, data: ArrayDataset) -> Priced:
    remark = "UCI Madelon, of the same challenge as gisette; not linear"
    return Priced(name, data.X.astype(np.float64), _signs(data.y), remark)


def _large(name: str) -> Priced:
    table = LARGE[name]
    noise = 0.01 if table.classes else 0.3
    X, y = generated(
        table.shape, table.nonzeros, strength=table.strength, noise=noise, classes=table.classes
    )
    remark = f"generated, not the paper's data: {X.nnz / table.shape[0]:.0f} values a row"
    grouped = table.shape[1] > 100_000
    remark += f", columns bought in random groups of {GROUP}" if grouped else ""
    return Priced(name, X, y, remark, table.n_train, grouped, not table.classes)


def _csr(data: ArrayDataset) -> Any:
    return sparse.csr_matrix(data.X, dtype=np.float64)


def _signs(y: NDArray[Any]) -> Floats:
    return np.where(y == y.max(), 1.0, -1.0)


_MAKERS: dict[str, Callable[[str, ArrayDataset], Priced]] = {
    "blogfeedback": _blogfeedback,
    "a9a": _a9a,
    "basehock": _texts,
    "pcmac": _texts,
    "madelon": _madelon,
}
