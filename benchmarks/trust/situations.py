"""What may be at hand when a model is asked: budgets, owned items, failures, lacking columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks.study.prices import GRID, generator
from benchmarks.trust.trials import SEED, Caps, Trial
from scrimp import SequencedRegressor

#: Random sets of owned items, and single ones.
N_SETS, N_SINGLE = 4, 4
FAILING = 0.1
#: Lengths of the prefixes that frames are cut to, per order.
N_PREFIXES = 6
#: Names of the budgets of the grid.
SHARES = [f"{share:.1%}" for share in GRID]

#: Losses of the test rows by kind, situation and loss.
Measured = dict[tuple[str, str, str], np.ndarray]


def asked_at_budgets(trial: Trial, model: Any) -> Measured:
    """Return the losses at each budget of the grid."""
    sweep = model.sweep(trial.problem.X[trial.test], trial.budgets)
    return losses_of_sweep(trial, trial.test, "budget", SHARES, sweep, model)


def asked_with_owned(trial: Trial, model: Any) -> Measured:
    """Return the losses with items owned, without money and with half of the full price."""
    X, budgets = trial.problem.X[trial.test], [0.0, 0.5 * trial.costs.total]
    measured: Measured = {}
    nothing = model.sweep(X, budgets)
    measured |= losses_of_sweep(
        trial, trial.test, "owned", ["nothing, 0%", "nothing, 50%"], nothing, model
    )
    for name, owned in owned_sets(trial):
        sweep = model.sweep(X, budgets, owned=owned)
        names = [f"{name}, 0%", f"{name}, 50%"]
        measured |= losses_of_sweep(trial, trial.test, "owned", names, sweep, model)
    return measured


def owned_sets(trial: Trial) -> Iterator[tuple[str, np.ndarray]]:
    """Yield masks over the items: some alone, and random sets."""
    rng = generator(trial.problem.name, SEED, "owned")
    n = trial.costs.n_items
    for item in rng.permutation(n)[:N_SINGLE].tolist():
        yield f"{trial.costs.names[item]} owned", np.arange(n) == item
    for number in range(N_SETS):
        owned = rng.random(n) < rng.random()
        yield f"set {number} of {owned.sum()} items owned", owned


def asked_with_failures(trial: Trial, model: Any, caps: Caps) -> Measured:
    """Return the losses where each item of each row fails at random, at two budgets."""
    rows = failing_rows(trial, caps)
    rng = generator(trial.problem.name, SEED, "failed")
    failed = rng.random((len(rows), trial.costs.n_items)) < FAILING
    budgets = [0.1 * trial.costs.total, trial.costs.total]
    sweep = model.sweep(trial.problem.X[rows], budgets, failed=failed)
    return losses_of_sweep(trial, rows, "failed", ["10%", "100%"], sweep, model)


def failing_rows(trial: Trial, caps: Caps) -> np.ndarray:
    """Return the rows that are asked for with failures."""
    return trial.test[: caps.of(trial.problem).failing]


def scores_of_failing(trial: Trial, model: Any, caps: Caps) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities of the second class without and with failures, at the full price."""
    rows = failing_rows(trial, caps)
    rng = generator(trial.problem.name, SEED, "failed")
    failed = rng.random((len(rows), trial.costs.n_items)) < FAILING
    X = trial.problem.X[rows]
    whole = model.predict_proba(X, budget=trial.costs.total)[:, 1]
    return whole, model.predict_proba(X, budget=trial.costs.total, failed=failed)[:, 1]


def asked_with_lacking_columns(trial: Trial, model: Any) -> tuple[Measured, Measured, int]:
    """Return the losses for frames cut to prefixes, and those of LightGBM with NaN for the rest.

    The last is the number of frames that the model refuses; the items are then said to have failed.
    """
    booster = _lightgbm(trial)
    X, coded = trial.problem.X[trial.test], trial.problem.coded.values[trial.test]
    ours: Measured = {}
    theirs: Measured = {}
    refused = 0
    for name, columns in prefixes(trial):
        frame, options = X.select([X.columns[column] for column in columns]), {}
        try:
            labels = model.predict(frame)
        except ValueError:
            refused += 1
            lacking = ~np.isin(np.arange(X.width), columns)
            frame, options = X, {"failed": lacking}
            labels = model.predict(frame, **options)
        shares = model.predict_proba(frame, **options) if hasattr(model, "predict_proba") else None
        for loss, values in trial.losses(trial.test, labels, shares).items():
            ours["lacking", name, loss] = values
        filled = np.full(coded.shape, np.nan)
        filled[:, columns] = coded[:, columns]
        shares = None if trial.is_regression else booster.predict_proba(filled)
        for loss, values in trial.losses(trial.test, booster.predict(filled), shares).items():
            theirs["lacking", name, loss] = values
    return ours, theirs, refused


@lru_cache(maxsize=4)
def prefixes(trial: Trial) -> list[tuple[str, list[int]]]:
    """Return columns that a frame has: prefixes of a learned order and of a random one."""
    costs = trial.costs
    rng = generator(trial.problem.name, SEED, "order")
    orders = {"linear order": _linear_order(trial), "random order": rng.permutation(costs.n_items)}
    chosen = []
    for name, order in orders.items():
        items = [int(item) for item in order if costs.columns[int(item)]]
        for length in np.unique(np.geomspace(1, len(items), N_PREFIXES).round().astype(int)):
            columns = sorted(c for item in items[:length] for c in costs.columns[item])
            chosen.append((f"{name}, {length} of {len(items)} items", columns))
    return chosen


def _linear_order(trial: Trial) -> list[int]:
    """Return all items in the order in which a linear regression buys them."""
    X, y = trial.fitted_on
    responses = y if trial.problem.n_classes < 3 else np.eye(trial.problem.n_classes)[y]
    model = SequencedRegressor(trial.costs, criterion="forward", missing="mean")
    bought = [
        trial.costs.names.index(name) for name in model.fit(X, responses.astype(float)).sequence_
    ]
    return bought + [item for item in range(trial.costs.n_items) if item not in set(bought)]


@lru_cache(maxsize=4)
def _lightgbm(trial: Trial) -> Any:
    from lightgbm import LGBMClassifier, LGBMRegressor

    table = trial.problem.coded
    kind = LGBMRegressor if trial.is_regression else LGBMClassifier
    model = kind(verbose=-1, n_jobs=2, random_state=SEED)
    categories = np.flatnonzero(table.categorical).tolist()
    y = trial.problem.y[trial.train]
    return model.fit(table.values[trial.train], y, categorical_feature=categories)


def losses_of_sweep(
    trial: Trial, rows: np.ndarray, kind: str, names: list[str], sweep: Any, model: Any
) -> Measured:
    """Return the losses of rows at each budget of a sweep, under a name per budget."""
    labels = sweep.labels()
    shares = sweep.probabilities() if hasattr(model, "predict_proba") else None
    measured: Measured = {}
    for position, name in enumerate(names):
        share = None if shares is None else shares[:, position]
        for loss, values in trial.losses(rows, labels[:, position], share).items():
            measured[kind, name, loss] = values
    return measured
