"""Algorithm 1 of Wang, Zhu and Chi (2018) as it is printed: cutting planes, and no rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from scrimp.types import Floats

from ..trials import Record
from .data import Part
from .methods import EPSILON, make_svm

#: "Algorithm 1 usually converges in less than 20 iterations".
ROUNDS = 20
#: The parts of all prices at which it is run.
RATIOS = (0.01, 0.1, 0.5)
#: A share this near to 0 or 1 counts as 0 or 1.
_WHOLE = 1e-6
#: The relative gap at which the cutting planes stop.
_GAP = 1e-3
#: The tolerance of the support vector machines: tight, so that every cut is valid.
_EXACT = 1e-6
#: The limit of solver steps for the exact relaxation.
_STEPS = 20_000


def cutting_planes(part: Part, C: float, ratio: float) -> Record:
    """Return the shares for a budget, the cost of all that have one, and the test quality.

    Columns are bought one by one.
    """
    prices, budget = part.prices, ratio * part.costs.total
    d = np.full(len(prices), ratio)
    cuts: list[tuple[float, Floats]] = []
    values: list[float] = []
    upper_bound, theta = np.inf, -np.inf
    for _ in range(ROUNDS):
        model, columns = _fit_svm(part, C, d)
        value, cut = _value_and_cut(part, C, model, _scaled(part.X, d, columns))
        upper_bound = min(upper_bound, value)
        if upper_bound - theta <= _GAP * upper_bound:
            break
        cuts.append(cut)
        try:
            d, theta = _programme(cuts, prices, budget)
        except ArithmeticError:  # beyond floating-point precision: keep the last shares
            break
        values.append(theta)
    model, columns = _fit_svm(part, C, d)
    answers = _sums(model, _scaled(part.X_test, d, columns))
    answers = answers if part.numbers else np.where(answers > 0, 1.0, -1.0)
    ones, zeros = int((d > 1 - _WHOLE).sum()), int((d < _WHOLE).sum())
    return {
        "ratio": ratio, "rounds": len(cuts), "values": values,
        "gap": (upper_bound - theta) / upper_bound,
        "shares": [zeros, len(d) - zeros - ones, ones],
        "cost": float(prices[d >= _WHOLE].sum() / budget),
        "quality": part.quality(answers[:, None])[0],
    }  # fmt: skip


def exact_shares(part: Part, C: float) -> Record:
    """Count the shares that are 0, between and 1 at the same budgets, solved far more exactly."""
    budgets = [ratio * part.costs.total for ratio in RATIOS]
    model = make_svm(part, costs=part.costs, budget=budgets, C=C, tol=_EXACT, max_iter=_STEPS)
    model.fit(part.X, part.y)
    return {"shares": model.share_counts_.tolist(), "gap": model.gap_.tolist()}


def _fit_svm(part: Part, C: float, d: Floats) -> tuple[Any, Any]:
    """Fit line 4: the SVM on columns times the roots of their shares; return it and the columns."""
    columns = np.flatnonzero(d >= _WHOLE)
    model = make_svm(part, C=C, tol=_EXACT)
    return model.fit(_scaled(part.X, d, columns), part.y), columns


def _scaled(X: Any, d: Floats, columns: Any) -> Any:
    roots = np.sqrt(d[columns])
    if sparse.issparse(X):
        return sparse.csr_matrix(X[:, columns] @ sparse.diags_array(roots))
    return X[:, columns] * roots


def _sums(model: Any, X: Any) -> Floats:
    return np.asarray(X @ model.coef_[0] + model.intercept_[0])


def _value_and_cut(part: Part, C: float, model: Any, X: Any) -> tuple[float, tuple[float, Floats]]:
    """Return the objective and its cut: h(alpha, d) = start + gradient . d."""
    y, sums = part.y, _sums(model, X)
    if part.numbers:  # below Eq. (19), with the sign that the conditions give
        slack = np.maximum(np.abs(y - sums) - EPSILON, 0.0)
        alpha = 2.0 * C * slack * np.sign(y - sums)
        start = alpha @ y - EPSILON * np.abs(alpha).sum() - alpha @ alpha / (4.0 * C)
    else:  # Eq. (16)
        slack = np.maximum(1.0 - y * sums, 0.0)
        alpha = 2.0 * C * slack * y
        start = 2.0 * C * slack.sum() - C * (slack @ slack)
    value = 0.5 * float((model.coef_**2).sum()) + C * float(slack @ slack)
    return value, (float(start), -0.5 * np.asarray(part.X.T @ alpha) ** 2)


def _programme(
    cuts: Sequence[tuple[float, Floats]], prices: Floats, budget: float
) -> tuple[Floats, float]:
    """Solve Problem (14); return the next shares and the lower bound so far."""
    starts = np.array([start for start, _ in cuts])
    unit = max(float(np.abs(starts).max()), 1e-300)
    rows = np.column_stack(
        [np.array([gradient for _, gradient in cuts]) / unit, -np.ones(len(cuts))]
    )
    for method in ("highs-ds", "highs-ipm"):
        solution = linprog(
            np.append(np.zeros(len(prices)), 1.0),
            A_ub=np.vstack([rows, np.append(prices, 0.0) / budget]),
            b_ub=np.append(-starts / unit, 1.0),
            bounds=[(0.0, 1.0)] * len(prices) + [(None, None)],
            method=method,
        )
        if solution.success:
            return np.clip(solution.x[:-1], 0.0, 1.0), float(solution.fun) * unit
    raise ArithmeticError(f"The linear programme was not solved: {solution.message}")
