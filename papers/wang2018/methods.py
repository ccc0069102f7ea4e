"""The methods that `wang2018` compares, at the same budgets and on the same rows."""

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

#: Budgets as parts of the price of everything.
RATIOS = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
#: The values that C is chosen from.
CS = (0.01, 0.1, 1.0, 10.0, 100.0)
#: Half the width of the insensitive zone in regression.
EPSILON = 0.1
#: The budgets at which C is chosen.
TUNED = (0.1,)
#: The folds by which C is chosen.
FOLDS = 2
#: The limit of training rows on which C is chosen: more would take too long.
TUNING_ROWS = 2_000
#: With more columns than this C is not tuned.
TUNED_COLUMNS = 100_000
#: The C of tables that are not tuned.
GIVEN_C = 1.0
#: Penalties on the path of the lasso.
PENALTIES = 16
#: The last penalty of the path over the first.
DEPTH = 1e-5
#: With more columns than this CS-G-FR is not run: it would take too long.
MAX_COLUMNS = 1_000
#: The ridge of CS-G-FR.
RIDGE = 1e-5
#: All columns.
EVERY = slice(None)


@dataclass(frozen=True, eq=False)
class Bought:
    """The answers and items of the model of each budget.

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
    """Return the budgets in money."""
    return [ratio * part.costs.total for ratio in ratios]


def make_svm(part: Part, **params: Any) -> BudgetedSVC | BudgetedSVR:
    """Return an unfitted budgeted SVM for the kind of response."""
    return BudgetedSVR(epsilon=EPSILON, **params) if part.numbers else BudgetedSVC(**params)


def best_C(part: Part, rng: np.random.Generator, **params: Any) -> float:  # noqa: N802
    """Return the C of the least cross-validated mean error over the budgets.

    The drawn rows are weighted to count for all, so that C has the same meaning. With very many
    columns a given C is returned.
    """
    if part.X.shape[1] > TUNED_COLUMNS:
        return GIVEN_C
    n = len(part.y)
    rows = np.sort(rng.permutation(n)[:TUNING_ROWS])
    model = make_svm(part, C=list(CS), cv=FOLDS, **params)
    model.fit(part.X[rows], part.y[rows], np.full(len(rows), n / len(rows)))
    return CS[int(model.cv_errors_.mean(axis=1).argmin())]


def ltb(part: Part, C: float, uniform: bool) -> tuple[Bought, Any]:
    """Return the paper's learner, with the shares rounded within the budget, and the model."""
    model = make_svm(part, costs=part.costs, budget=budgets_of(part), C=C, uniform=uniform)
    model.fit(part.X, part.y)
    number = {name: i for i, name in enumerate(part.costs.names)}
    items = [np.array([number[name] for name in names], dtype=np.intp) for names in model.items_]
    return Bought(model.sweep(part.X_test, model.budgets_).labels(), items), model


def everything(part: Part, C: float, columns: Any = EVERY) -> NDArray[Any]:
    """Return the answers of an SVM on all or some columns; on none, the mean or majority."""
    if not part.X[:, columns].shape[1]:
        mean = float(part.y.mean())
        return np.full(len(part.y_test), mean if part.numbers else 1.0 if mean > 0 else -1.0)
    costs = part.costs if columns is EVERY else None
    model = make_svm(part, costs=costs, C=C).fit(part.X[:, columns], part.y)
    return np.asarray(model.predict(part.X_test[:, columns]))


def forward(part: Part) -> Bought:
    """Return CS-G-FR: least squares, of -1 and 1 where there are classes."""
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
    """Return the costliest affordable set per budget, on a path with penalties as prices."""
    sets, prices = lasso_sets(part), part.prices
    cost = np.array([prices[selected].sum() for selected in sets])
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
    """Return which columns have a coefficient along the path; none at first."""
    inverse = 1.0 / part.prices
    X = part.X @ sparse.diags_array(inverse) if sparse.issparse(part.X) else part.X * inverse
    nothing = np.zeros(part.X.shape[1], dtype=bool)
    if part.numbers:
        steps = lasso_path(X, part.y - part.y.mean(), eps=DEPTH, alphas=PENALTIES)[1].T
        return [nothing, *(steps != 0)]
    X, sets = sparse.csr_matrix(X) if sparse.issparse(X) else X, [nothing]
    smallest_c = l1_min_c(X, part.y, loss="squared_hinge")
    for C in smallest_c * np.geomspace(1.5, 1.0 / DEPTH, PENALTIES):
        model = LinearSVC(penalty="l1", dual=False, C=C, tol=1e-3, max_iter=200, random_state=0)
        sets.append(model.fit(X, part.y).coef_[0] != 0)
        if part.prices[sets[-1]].sum() > budgets_of(part)[-1]:
            break
    return sets
