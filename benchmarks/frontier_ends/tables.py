"""Small tables of 60 to 800 rows, as problems of the study."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.study.datasets import PROBLEMS
from benchmarks.study.problems import Loader, Problem
from scrimp import Costs
from scrimp.datasets import fetch

#: Rows that a class has, at least.
MIN_CLASS_ROWS = 20


def _frame(X: Any) -> pl.DataFrame:
    values = np.asarray(X, dtype=np.float64)
    return pl.DataFrame({f"x{j}": values[:, j] for j in range(values.shape[1])})


def _problem(name: str, X: pl.DataFrame, y: Any, costs: Costs | None = None) -> Problem:
    """Return a problem without the classes that are too rare for inner folds."""
    codes = np.unique(np.asarray(y), return_inverse=True)[1]
    kept = np.flatnonzero(np.bincount(codes)[codes] >= MIN_CLASS_ROWS)
    X, codes = X[kept], np.unique(codes[kept], return_inverse=True)[1]
    task = "binary" if codes.max() == 1 else "multiclass"
    return Problem(name, name, X, codes, task, costs)


def _fetched(name: str) -> Loader:
    def load() -> Problem:
        data = fetch(name)
        costs = data.costs and data.costs.bind(data.X.width, data.X.columns)
        return _problem(name, data.X, data.y, costs)

    return load


def _sklearn(name: str, label: Callable[[np.ndarray], np.ndarray] = lambda y: y) -> Loader:
    def load() -> Problem:
        from sklearn import datasets

        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        return _problem(name, _frame(X), label(y))

    return load


def _hepatitis() -> Problem:
    folder = Path(os.environ["SCRIMP_DATA"])
    frame = pl.read_csv(folder / "hepatitis.csv.gz").cast(pl.Float64)
    X = frame.drop("class")
    costs = Costs.read(folder / "costs" / "hepatitis.csv").bind(X.width, X.columns)
    return _problem("hepatitis", X, frame["class"].to_numpy(), costs)


def _satimage() -> Problem:
    with np.load(Path(os.environ["SCRIMP_DATA"]) / "satimage.npz") as data:
        return _problem("satimage", _frame(data["X"]), data["y"])


def _arcene() -> Problem:
    with np.load(Path(os.environ["SCRIMP_DATA"]) / "arcene.npz") as data:
        return _problem("arcene", _frame(data["X"]), data["y"])


def _digits() -> Problem:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    rows = np.flatnonzero(np.isin(y, (3, 8, 9)))
    return _problem("digits389", _frame(X[rows]), y[rows])


def _some(load: Loader, n: int) -> Loader:
    """Return the loader of n rows, drawn with a fixed seed."""

    def loaded() -> Problem:
        problem = load()
        rows = np.sort(np.random.default_rng(n).permutation(len(problem.y))[:n])
        y = np.unique(problem.y[rows], return_inverse=True)[1]
        return replace(problem, X=problem.X[rows], y=y, n_train=None)

    return loaded


#: The tables by name.
TABLES: dict[str, Loader] = {
    "hepatitis": _hepatitis,
    "heart": _fetched("heart"),
    "heart_statlog": _fetched("heart_statlog"),
    "pima": _fetched("pima_diabetes"),
    "bupa": _fetched("bupa_liver"),
    "sonar": _fetched("sonar"),
    "ionosphere": _fetched("ionosphere"),
    "breast": _fetched("breast_cancer_wisconsin"),
    "musk1": _fetched("musk1"),
    "ecoli": _fetched("ecoli"),
    "iris": _sklearn("iris"),
    "wine": _sklearn("wine"),
    "wdbc": _sklearn("breast_cancer"),
    "diabetes": _sklearn("diabetes", lambda y: y > np.median(y)),
    "digits389": _some(_digits, 300),
    "spambase": _some(PROBLEMS["spambase"], 120),
    "splice": _some(PROBLEMS["splice"], 250),
    "adult": _some(PROBLEMS["adult"], 500),
    "thyroid": _some(PROBLEMS["thyroid"], 600),
    "covtype": _some(PROBLEMS["covtype"], 800),
    "satimage": _some(_satimage, 400),
    "arcene": _arcene,
}
