"""The problems: generated ones with known posteriors, images, spam, and tables with real prices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.study.datasets import frame_of, problem_of_table
from benchmarks.study.problems import Loader, Problem
from scrimp import Costs
from scrimp.datasets import (
    cube_nm_costs,
    fetch_arrays,
    make_context,
    make_cube,
    make_cube_nm,
    make_syn,
)

#: Training rows and test rows of generated problems and of images, small and full.
SIZES = {
    "cube": ((5_000, 5_000), (5_000, 10_000)),
    "cube_nm": ((10_000, 5_000), (60_000, 10_000)),
    "context": ((6_000, 6_000), (6_000, 6_000)),
    "syn": ((10_000, 5_000), (60_000, 10_000)),
    "mnist20": ((10_000, 10_000), (50_000, 10_000)),
    "mnist196": ((5_000, 5_000), (60_000, 10_000)),
}
#: The pixels of MNIST-20 (Norcliffe et al., ICML 2025), of the flattened image.
MNIST_20 = (
    153, 154, 210, 211, 243, 269, 271, 295, 327, 348,
    350, 375, 405, 409, 427, 430, 461, 514, 543, 655,
)  # fmt: skip
#: Budgets in purchases.
BUDGETS: dict[str, tuple[float, ...]] = {
    "cube": (1, 2, 3, 4, 6, 10),
    "cube_nm": (2, 3, 4, 5, 7, 10, 14),
    "context": (1, 2, 3, 4, 5, 8),
    "syn": (1, 2, 3, 4, 5, 6, 8, 11),
    "mnist20": tuple(range(1, 21)),
    "mnist196": (1, 3, 5, 10),
    "spam": (1, 2, 3, 5, 10, 15, 25),
}
_REAL = {
    "heart": ("heart", "UCI Cleveland heart disease", {}),
    "pima": ("pima_diabetes", "Pima diabetes", {}),
    "hepatitis": ("hepatitis", "UCI Hepatitis", {"positive": None}),
    "bupa": ("bupa_liver", "BUPA liver disorders", {"positive": None}),
    "thyroid": ("ann_thyroid", "UCI ANN-thyroid: ill or not", {"positive": ("1", "2")}),
}


def _generated(
    kind: str, name: str, full: bool, make: Callable[..., Any], **options: Any
) -> Problem:
    """Return a generated problem; the training rows come first."""
    n_train, n_test = SIZES[kind][full]
    X, y = make(n_train + n_test, random_state=0, **options)
    costs = cube_nm_costs() if kind == "cube_nm" else Costs.uniform(X.shape[1])
    frame = frame_of(X)
    task = "binary" if y.max() == 1 else "multiclass"
    return Problem(
        name, f"generated, {n_train:,} training rows", frame, y, task,
        costs.bind(frame.width, frame.columns), n_train=n_train, budgets=BUDGETS[kind],
    )  # fmt: skip


def _mnist(kind: str, name: str, full: bool) -> Problem:
    """Return MNIST in single pixels or blocks of 2 x 2, of the published split."""
    data = fetch_arrays("mnist")
    n_train, n_test = SIZES[kind][full]
    first_test = int(data.n_train or 60_000)
    rng = np.random.default_rng(0)
    train = np.sort(rng.permutation(first_test)[:n_train])
    test = np.sort(first_test + rng.permutation(len(data.y) - first_test)[:n_test])
    rows = np.concatenate([train, test])
    X = np.asarray(data.X[rows], dtype=np.float64)
    if kind == "mnist20":
        X = X[:, list(MNIST_20)]
        costs = Costs.uniform(len(MNIST_20))
    else:
        row, column = np.divmod(np.arange(784), 28)
        labels = [f"block{b}" for b in ((row // 2) * 14 + column // 2).tolist()]
        costs = Costs.per_group(labels, dict.fromkeys(labels, 1.0))
    frame = frame_of(X)
    return Problem(
        name, f"MNIST, {n_train:,} training rows", frame, data.y[rows].astype(np.int64),
        "multiclass", costs.bind(frame.width, frame.columns), n_train=n_train,
        budgets=BUDGETS[kind],
    )  # fmt: skip


def _real(name: str) -> Problem:
    """Return a table with real prices, on the budgets of the study."""
    dataset, about, options = _REAL[name]
    if options.get("positive", ()) is None:
        from scrimp.datasets import fetch

        labels, counts = np.unique(fetch(dataset).y, return_counts=True)
        options = {"positive": (labels[counts.argmin()],)}
    return problem_of_table(name, dataset, f"{about}; Turney's prices", **options)


def problems(full: bool) -> dict[str, Loader]:
    """Return the loaders by name; names of the full size end in ``-full``."""
    made: dict[str, Loader] = {}
    end = "-full" if full else ""
    for kind, make in (("cube", make_cube), ("cube_nm", make_cube_nm), ("context", make_context)):
        made[kind + end] = partial(_generated, kind, kind + end, full, make)
    for rule in (1, 2, 3):
        name = f"syn{rule}{end}"
        made[name] = partial(_generated, "syn", name, full, make_syn, rule=rule)
    for kind in ("mnist20", "mnist196"):
        made[kind + end] = partial(_mnist, kind, kind + end, full)
    made["spam"] = lambda: problem_of_table(
        "spam", "spambase", "UCI Spambase, every column for 1", test_share=0.2,
        budgets=BUDGETS["spam"],
    )  # fmt: skip
    return made | {name: partial(_real, name) for name in _REAL}
