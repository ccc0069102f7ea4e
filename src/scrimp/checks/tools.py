"""Checks of what surrounds a model: parameters, frames, files."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.base import clone

from .cases import COLUMNS, Case
from .driving import feed
from .running import as_decided, assert_same, on_cases, scores_of

NAMES = ("age", "pulse", "chol", "sugar", "scan")


@on_cases
def check_parameters(estimator: Any, case: Case) -> None:
    """Parameters survive a clone, and fit leaves them as they are."""
    model = clone(estimator).set_params(costs=case.costs)
    assert clone(model).get_params()["costs"] == case.costs, "a clone has other costs."
    fitted = case.fit(estimator)
    params = {**fitted.get_params(deep=False)}
    again = fitted.fit(case.X, case.y)
    assert again is fitted, "fit does not return the estimator."
    changed = [name for name, value in params.items() if getattr(fitted, name) is not value]
    assert not changed, f"fit changes the parameters {changed}."
    assert fitted.get_params()["costs"] == case.costs, "fit changes the costs."


@on_cases
def check_frames(estimator: Any, case: Case) -> None:
    """Frames are matched by name, whatever their order and library."""
    expected = case.fit(estimator)
    named = replace(case, costs=replace(case.costs, column_names=NAMES))
    order = case.rng.permutation(len(NAMES))
    for library in filter(find_spec, ("pandas", "polars")):
        frame = _frame(library, case.X, range(len(NAMES)))
        model = named.fit(estimator, frame)
        moved = _frame(library, case.X, order)
        for budget in (*case.budgets, None):
            one, other = scores_of(expected, case.X, budget), scores_of(model, moved, budget)
            assert_same(one, other, f"a {library} frame in the order {order} changes the answer")
            spent = expected.spend(case.X, budget)
            assert_same(spent, model.spend(moved, budget), f"a {library} frame changes the spend")


def _frame(library: str, X: Any, order: Any) -> Any:
    return import_module(library).DataFrame({NAMES[column]: X[:, column] for column in order})


@on_cases
def check_save_and_load(estimator: Any, case: Case) -> None:
    """A model that was saved and loaded gives the same answers at the same price."""
    from ..io import load, save

    model = case.fit(estimator)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.scrimp"
        save(model, path)
        loaded = load(path)
    for budget in (*case.budgets, None):
        one, other = scores_of(model, case.X, budget), loaded.answer(case.X, budget)[0]
        assert_same(one, as_decided(loaded.target, other), "a loaded model answers otherwise")
        assert_same(model.spend(case.X, budget), loaded.spend(case.X, budget), "the spend differs")
        ours, theirs = (feed(m.session(budget), case.X[0], COLUMNS) for m in (model, loaded))
        assert ours.bought == theirs.bought, "a loaded model buys other things."
        assert np.array_equal(ours.read().scores, theirs.read().scores)
