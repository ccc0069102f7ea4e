"""The way of a fit, of a prediction and of a session through the files of scrimp.

Run it as ``python -m benchmarks.hops`` (or ``make hops``). Another checkout is traced with
``PYTHONPATH=/path/to/it/src``.

Counted are Python functions and methods whose code lies in the package, each once however often
it is called, and the files that hold them. A nested function counts separately. Not counted
are lambdas, comprehensions, class bodies and module bodies, methods that ``dataclass`` writes, and
kernels that only other kernels call. Each job is run before on another model, so that neither lazy
imports nor compilation are on the way, and is traced the first time that its own model does it.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import scrimp

PACKAGE = Path(scrimp.__file__).parent
#: Code that counts as a part of the function around it.
ANONYMOUS = {"<module>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


@dataclass(frozen=True)
class Hop:
    """A function on the way: its file, relative to the package, and its qualified name."""

    file: str
    function: str


def trace(prepare: Callable[[], Callable[[], Any]]) -> list[Hop]:
    """Return the distinct functions of the package that a job calls, in order of first call.

    Parameters
    ----------
    prepare : callable
        Returns the job, with a model of its own.
    """
    hops: dict[Hop, None] = {}

    def on_event(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and _is_counted(frame.f_code):
            file = Path(frame.f_code.co_filename).relative_to(PACKAGE).as_posix()
            hops.setdefault(Hop(file, frame.f_code.co_qualname.replace(".<locals>", "")))

    prepare()()
    job = prepare()
    sys.setprofile(on_event)
    try:
        job()
    finally:
        sys.setprofile(None)
    return list(hops)


def _is_counted(code: CodeType) -> bool:
    is_function = bool(code.co_flags & inspect.CO_NEWLOCALS)  # a class body has no such flag
    in_package = code.co_filename.startswith(f"{PACKAGE}/")
    return is_function and in_package and code.co_name not in ANONYMOUS


def by_file(hops: list[Hop]) -> dict[str, list[str]]:
    """Return the functions of each file, files and functions in order of first call."""
    files: dict[str, list[str]] = {}
    for hop in hops:
        files.setdefault(hop.file, []).append(hop.function)
    return files


def jobs(combine: str = "stacked") -> dict[str, Callable[[], Callable[[], Any]]]:
    """Return what is traced, by name: on an array of numbers, two classes, a price per column.

    Parameters
    ----------
    combine : {"stacked", "vote"}
        As in `BudgetedBoostingClassifier`: its default, or the paper's booster.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = np.where(X[:, 0] + X[:, 3] > 0, "yes", "no")
    costs = scrimp.Costs.per_feature([1.0, 2.0, 4.0, 8.0, 16.0])
    row = {f"x{column}": float(value) for column, value in enumerate(X[0])}

    def fit() -> Callable[[], Any]:
        estimator = scrimp.BudgetedBoostingClassifier(
            costs, n_rounds=20, random_state=0, combine=combine
        )
        return lambda: estimator.fit(X, y)

    def predict() -> Callable[[], Any]:
        model = fit()()
        return lambda: model.predict(X, budget=10)

    def predict_again() -> Callable[[], Any]:
        model = fit()()
        model.predict(X, budget=10)  # what is bought at this budget is kept
        return lambda: model.predict(X, budget=10)

    def session() -> Callable[[], Any]:
        model = fit()()
        return lambda: _talk(model.session(budget=10), row)

    return {"fit": fit, "predict": predict, "predict_again": predict_again, "session": session}


def _talk(session: Any, row: dict[str, float]) -> Any:
    """Tell a session of one row all that it asks for, and return its answer."""
    while (request := session.ask()) is not None:
        session.tell({column: row[column] for column in request.columns})
    return session.read()


TITLES = {
    "fit": "BudgetedBoostingClassifier.fit(X, y)",
    "predict": "model.predict(X, budget=10)",
    "predict_again": "the same once more",
    "session": "model.session(budget=10): ask, tell, read",
}
#: The paper's booster, and the default.
COMBINATIONS = ("vote", "stacked")


def main() -> None:
    """Print the hops of each job, and how many they are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--counts", action="store_true", help="print the numbers only")
    options = parser.parse_args()
    traced = [(combine, *job) for combine in COMBINATIONS for job in jobs(combine).items()]
    for combine, name, prepare in traced:
        hops = trace(prepare)
        files = by_file(hops)
        counts = f"{len(files)} files, {len(hops)} functions"
        print(f"{TITLES[name]}, combine={combine!r}: {counts}")
        if not options.counts:
            for number, (file, functions) in enumerate(files.items(), start=1):
                print(f"{number:>4}. {file}: {', '.join(functions)}")
            print()


if __name__ == "__main__":
    main()
