"""The problems: public data, read by `scrimp.datasets`."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from benchmarks.study.problems import Loader, Problem
from scrimp.datasets import fetch, fetch_arrays

#: Rows drawn of covtype.
COVTYPE_ROWS = 60_000


def problem_of_table(name: str, dataset: str, about: str, **options: Any) -> Problem:
    """Return the problem of a dataset that `fetch` knows; options are those of `Problem`."""
    data = fetch(dataset)
    y, task = data.y, options.pop("task", "binary")
    if "positive" in options:
        y = np.isin(y, options.pop("positive"))
    if task == "multiclass":
        y = np.unique(y, return_inverse=True)[1]
    y = y.astype(np.float64 if task == "regression" else np.int64)
    costs = data.costs and data.costs.bind(data.X.width, data.X.columns)
    return Problem(name, about, data.X, y, task, costs, **options)


def frame_of(X: Any) -> pl.DataFrame:
    """Return numbers as a frame with the columns x0, x1, ..."""
    values = np.asarray(X, dtype=np.float64)
    return pl.DataFrame({f"x{j}": values[:, j] for j in range(values.shape[1])})


def _covtype() -> Problem:
    data = fetch_arrays("covtype")
    rows = np.sort(np.random.default_rng(0).choice(len(data.y), COVTYPE_ROWS, replace=False))
    X = np.asarray(data.X[rows])
    areas, soils = X[:, 10:14].argmax(axis=1), X[:, 14:].argmax(axis=1)
    frame = frame_of(X[:, :10]).with_columns(
        wilderness=pl.Series([f"w{code}" for code in areas]),
        soil=pl.Series([f"s{code:02d}" for code in soils]),
    )
    about = f"UCI Covertype, {COVTYPE_ROWS:,} rows drawn: lodgepole pine or not"
    return Problem("covtype", about, frame, (data.y[rows] == 2).astype(np.int64), "binary")


def _letter() -> Problem:
    data = fetch_arrays("letter")
    y = np.unique(data.y, return_inverse=True)[1]
    about = "UCI Letter: 26 letters; the first 16,000 rows are trained on"
    return Problem("letter", about, frame_of(data.X), y, "multiclass", n_train=16_000)


def _isolet() -> Problem:
    data = fetch_arrays("isolet")
    y = np.unique(data.y, return_inverse=True)[1]
    return Problem(
        "isolet", "UCI ISOLET, a fifth of it: 26 letters", frame_of(data.X), y, "multiclass"
    )


def _mnist49() -> Problem:
    data = fetch_arrays("mnist")
    rows = np.flatnonzero(np.isin(data.y, (4, 9)))
    n_train = int((rows < (data.n_train or 0)).sum())
    y = (data.y[rows] == 9).astype(np.int64)
    about = "MNIST, 4 against 9; one item a pixel"
    return Problem("mnist49", about, frame_of(data.X[rows]), y, "binary", n_train=n_train)


def _blogfeedback() -> Problem:
    data = fetch_arrays("blogfeedback")
    y = np.log1p(data.y.astype(np.float64))
    about = "UCI BlogFeedback: log(1 + comments)"
    return Problem("blogfeedback", about, frame_of(data.X), y, "regression", n_train=data.n_train)


def _mslr() -> Problem:
    data = fetch_arrays("mslr")
    about = "MSLR-WEB10K, 10,000 rows of fold 1: relevance, queries kept apart"
    return Problem(
        "mslr", about, frame_of(data.X), data.y.astype(np.float64), "regression",
        n_train=data.n_train, queries=np.asarray(data.query),
    )  # fmt: skip


def _gdfs() -> Problem:
    about = "UCI Spambase, every column for 1, split 80 to 20, as Covert et al. (2023) have it"
    return problem_of_table(
        "spam_unit", "spambase", about, test_share=0.2, budgets=(1, 2, 3, 5, 10, 15, 25)
    )


PROBLEMS: dict[str, Loader] = {
    "heart": lambda: problem_of_table(
        "heart", "heart", "UCI Cleveland heart disease; Turney's prices, shared fees"
    ),
    "pima": lambda: problem_of_table(
        "pima", "pima_diabetes", "Pima diabetes; Turney's prices, a shared fee"
    ),
    "musk1": lambda: problem_of_table("musk1", "musk1", "UCI Musk, version 1"),
    "splice": lambda: problem_of_table(
        "splice", "splice", "UCI Splice: a junction or not", positive=("EI", "IE")
    ),
    "spambase": lambda: problem_of_table("spambase", "spambase", "UCI Spambase"),
    "thyroid": lambda: problem_of_table(
        "thyroid", "ann_thyroid", "UCI ANN-thyroid: ill or not; Turney's prices",
        positive=("1", "2"), n_train=3772,
    ),
    "thyroid3": lambda: problem_of_table(
        "thyroid3", "ann_thyroid", "UCI ANN-thyroid: 3 classes; Turney's prices",
        task="multiclass", n_train=3772,
    ),
    "adult": lambda: problem_of_table("adult", "adult", "UCI Adult without `fnlwgt`: income"),
    "covtype": _covtype,
    "mnist49": _mnist49,
    "letter": _letter,
    "isolet": _isolet,
    "abalone": lambda: problem_of_table(
        "abalone", "abalone", "UCI Abalone: rings", task="regression"
    ),
    "blogfeedback": _blogfeedback,
    "mslr": _mslr,
}  # fmt: skip

#: The problem of the comparison with published figures, which no other table includes.
UNIT_PROBLEM = "spam_unit"
ALL_PROBLEMS: dict[str, Loader] = {**PROBLEMS, UNIT_PROBLEM: _gdfs}
