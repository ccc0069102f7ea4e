"""What `wang2018` compares: each method's models at the same budgets, on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import lasso_path
from sklearn.svm import LinearSVC, l1_min_c

from scrimp.learners.linear import SequencedRegressor
from scrimp.learners.svm import BudgetedSVC, BudgetedSVR

from .data import Part

#: Budgets as parts of the price of everything, what C is chosen from, and the width of no loss.
RATIOS = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
CS, EPSILON = (0.01, 0.1, 1.0, 10.0, 100.0), 0.1
#: C is chosen at these budgets, by so many folds of so many training rows at most.
TUNED, FOLDS, TUNING_ROWS = (0.1,), 2, 2_000
#: Up to so many columns; with more it is this one.
TUNED_COLUMNS, GIVEN_C = 100_000, 1.0
#: Penalties on the path of the lasso, and how far it goes down.
PENALTIES, DEPTH = 16, 1e-5
#: Up to so many columns there is CS-G-FR, with this ridge.
MOST_COLUMNS, RIDGE = 1_000, 1e-5


EVERY = slice(None)


@dataclass(frozen=True, eq=False)
class Bought:
    """The model of each budget.

    Parameters
    ----------
    answers : array (test rows, budgets)
        Labels or numbers.
    items : list of int arrays
        What each buys.
    """

    answers: NDArray[Any]
    items: list[NDArray[np.intp]]


def budgets_of(part: Part, ratios: Sequence[float] = RATIOS) -> list[float]:
    """In money."""
    return [ratio * part.costs.total for ratio in ratios]


def machine(part: Part, **params: Any) -> BudgetedSVC | BudgetedSVR:
    """A learner for the response."""
    return BudgetedSVR(epsilon=EPSILON, **params) if part.numbers else BudgetedSVC(**params)


def best_C(part: Part, rng: np.random.Generator, **params: Any) -> float:  # noqa: N802
    """The C of the least mean error over the budgets, by cross-validation on training rows.

    Few rows count for all, so that C means the same. With very many columns it is a given one.
    """
    if part.X.shape[1] > TUNED_COLUMNS:
        return GIVEN_C
    n = len(part.y)
    rows = np.sort(rng.permutation(n)[:TUNING_ROWS])
    model = machine(part, C=list(CS), cv=FOLDS, **params)
    model.fit(part.X[rows], part.y[rows], np.full(len(rows), n / len(rows)))
    return CS[int(model.cv_errors_.mean(axis=1).argmin())]


def ltb(part: Part, C: float, uniform: bool) -> tuple[Bought, Any]:
    """The paper's learner, with the shares rounded within the budget; and the model."""
    model = machine(part, costs=part.costs, budget=budgets_of(part), C=C, uniform=uniform)
    model.fit(part.X, part.y)
    number = {name: i for i, name in enumerate(part.costs.names)}
    items = [np.array([number[name] for name in own], dtype=np.intp) for own in model.items_]
    return Bought(model.sweep(part.X_test, model.budgets_).labels(), items), model


def everything(part: Part, C: float, columns: Any = EVERY) -> NDArray[Any]:
    """Answers of a machine on all columns, or on some; on none, of the mean or majority."""
    if not part.X[:, columns].shape[1]:
        mean = float(part.y.mean())
        return np.full(len(part.y_test), mean if part.numbers else 1.0 if mean > 0 else -1.0)
    costs = part.costs if columns is EVERY else None
    model = machine(part, costs=costs, C=C).fit(part.X[:, columns], part.y)
    return np.asarray(model.predict(part.X_test[:, columns]))


def forward(part: Part) -> Bought:
    """CS-G-FR: least squares, of -1 and 1 where there are classes."""
    model = SequencedRegressor(
        part.costs, budget=budgets_of(part)[-1], criterion="forward", alpha=RIDGE
    ).fit(part.X, part.y)
    sums = model.sweep(part.X_test, budgets_of(part)).labels()
    number = {name: i for i, name in enumerate(part.costs.names)}
    order = np.array([number[name] for name in model.sequence_], dtype=np.intp)
    spent = np.cumsum(part.prices[order])
    items = [order[: np.searchsorted(spent, b * (1 + 1e-9), "right")] for b in budgets_of(part)]
    return Bought(sums if part.numbers else np.where(sums > 0, 1.0, -1.0), items)


def lasso(part: Part, C: float) -> Bought:
    """The dearest set that each budget pays for, on a path where penalties are as prices are."""
    sets, prices = lasso_sets(part), part.prices
    cost = np.array([prices[own].sum() for own in sets])
    known: dict[int, NDArray[Any]] = {}
    items, answers = [], []
    for budget in budgets_of(part):
        best = int(np.where(cost <= budget * (1 + 1e-9), cost, -1.0).argmax())
        if best not in known:
            known[best] = everything(part, C, np.flatnonzero(sets[best]))
        items.append(np.flatnonzero(sets[best]))
        answers.append(known[best])
    return Bought(np.stack(answers, axis=1), items)


def lasso_sets(part: Part) -> list[NDArray[np.bool_]]:
    """What has a coefficient along the path; nothing at first."""
    inverse = 1.0 / part.prices
    X = part.X @ sparse.diags_array(inverse) if sparse.issparse(part.X) else part.X * inverse
    nothing = np.zeros(part.X.shape[1], dtype=bool)
    if part.numbers:
        steps = lasso_path(X, part.y - part.y.mean(), eps=DEPTH, alphas=PENALTIES)[1].T
        return [nothing, *(steps != 0)]
    X, found = sparse.csr_matrix(X) if sparse.issparse(X) else X, [nothing]
    least = l1_min_c(X, part.y, loss="squared_hinge")
    for C in least * np.geomspace(1.5, 1.0 / DEPTH, PENALTIES):
        model = LinearSVC(penalty="l1", dual=False, C=C, tol=1e-3, max_iter=200, random_state=0)
        found.append(model.fit(X, part.y).coef_[0] != 0)
        if part.prices[found[-1]].sum() > budgets_of(part)[-1]:
            break
    return found
