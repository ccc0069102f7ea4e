"""The datasets of `hu2016`: columns in the groups that they come in, and a number to predict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from scrimp.datasets import ArrayDataset, fetch_arrays
from scrimp.types import Floats

#: Adult's variables in the order of a9a's columns, and how many columns each has.
ADULT = {
    "age": 5, "workclass": 8, "fnlwgt": 5, "education": 16, "education_num": 5,
    "marital_status": 7, "occupation": 14, "relationship": 6, "race": 5, "sex": 2,
    "capital_gain": 2, "capital_loss": 2, "hours_per_week": 5, "native_country": 41,
}  # fmt: skip
#: BlogFeedback's columns in order: five statistics of the source for each of ten counts, and so on.
BLOG = {
    **{f"source{k}": 5 for k in range(10)},
    "comments": 5, "links": 5, "time": 1, "length": 1, "words": 200,
    "weekday": 7, "weekday_published": 7, "parents": 4,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Grouped:
    """A dataset for regression whose columns are bought in groups.

    Parameters
    ----------
    name : str
        Its short name.
    X : float array (rows, columns)
        Numbers.
    y : float array (rows,)
        What to predict.
    groups : str array (columns,)
        The group of each column.
    remark : str
        What it was made of.
    query : array (rows,), optional
        The query of each row, where rows are to be ranked.
    """

    name: str
    X: NDArray[np.float32]
    y: Floats
    groups: NDArray[Any]
    remark: str
    query: NDArray[Any] | None = None

    @property
    def n_groups(self) -> int:
        """Return the number of groups."""
        return len(np.unique(self.groups))


def grouped(name: str) -> Grouped:
    """Return a dataset by name.

    Raises
    ------
    DatasetUnavailable
        If the data is not available.
    """
    source, make = _MAKERS[name]
    return make(fetch_arrays(source))


def _mslr(data: ArrayDataset) -> Grouped:
    return _of_mslr(data, "mslr", _ranks(data.X), "each column as ranks from 0 to 1")


def _mslr_query(data: ArrayDataset) -> Grouped:
    queries, ranks = np.asarray(data.query), np.empty_like(data.X)
    for query in np.unique(queries):
        ranks[queries == query] = _ranks(data.X[queries == query])
    return _of_mslr(data, "mslr_query", ranks, "each column as ranks from 0 to 1 within its query")


def _of_mslr(data: ArrayDataset, name: str, X: NDArray[np.float32], how: str) -> Grouped:
    groups = np.array([column.split(".")[0] for column in data.feature_names or ()])
    remark = (
        f"MSLR-WEB10K, 10000 rows of fold 1, {how}: relevance; 25 statistics of 5 streams each, "
        "and 11 columns about the page that are groups of their own"
    )
    return Grouped(name, X, _numbers(data.y), groups, remark, data.query)


def _ranks(X: NDArray[np.float32]) -> NDArray[np.float32]:
    ranks: NDArray[np.float32] = (rankdata(X, axis=0) / len(X)).astype(np.float32)
    return ranks


def _blogfeedback(data: ArrayDataset) -> Grouped:
    n = data.n_train
    remark = (
        "UCI BlogFeedback, training part: log(1 + comments); 5 statistics of the source for each "
        "of 10 counts, comments, links, time, length, 200 words, two weekdays, parent pages"
    )
    return Grouped(data.name, data.X[:n], np.log1p(_numbers(data.y[:n])), _runs(BLOG), remark)


def _a9a(data: ArrayDataset) -> Grouped:
    X = data.X.toarray().astype(np.float32)
    remark = "UCI Adult in LIBSVM's coding, both parts: income as -1 and +1; adult's 14 variables"
    return Grouped(data.name, X, _numbers(data.y), _runs(ADULT), remark)


def _numbers(y: NDArray[Any]) -> Floats:
    return y.astype(np.float64)


def _runs(sizes: dict[str, int]) -> NDArray[Any]:
    """Return one label per column, from the sizes of adjacent groups of columns."""
    return np.repeat(list(sizes), list(sizes.values()))


_MAKERS: dict[str, tuple[str, Callable[[ArrayDataset], Grouped]]] = {
    "mslr": ("mslr", _mslr),
    "mslr_query": ("mslr", _mslr_query),
    "blogfeedback": ("blogfeedback", _blogfeedback),
    "a9a": ("a9a", _a9a),
}
