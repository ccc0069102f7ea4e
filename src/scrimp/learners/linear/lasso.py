"""The order in which a cost-weighted group lasso takes up groups: the thesis's "Sparse"."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...costs.costs import Costs
from ...data.validation import check_share, check_whole
from ...runtime.time_limit import is_time_over
from ...types import Floats
from .factor import FLOOR
from .regression import SequencedRegressor
from .sequence import Sequence, Standardised, follow_order


class GroupLassoRegressor(SequencedRegressor):
    r"""Ridge regression on groups of columns, bought in the order of a group lasso's path.

    A baseline: :math:`\min_w\frac1{2n}\|Y-Xw\|^2+\mu\sum_g c_g\|w_g\|_2` is solved for falling
    :math:`\mu`, and groups are bought in the order in which they first have a coefficient,
    at a tie the one of larger norm first. Each prefix has the ridge regression on its own
    columns, as in `SequencedRegressor`; the lasso's own coefficients are shrunk and do worse.

    Needs ``pip install scrimp[lasso]`` (skglm does the solving).

    Parameters
    ----------
    costs, alpha, budget, missing
        As in `SequencedRegressor`. What is free weighs as little as the cheapest.
    n_penalties : int
        Values of :math:`\mu`, evenly spaced in logarithms.
    least : float
        The last of them, as a part of the first, where all coefficients are 0.
    max_seconds, verbose
        As in `SequencedRegressor`.

    References
    ----------
    Yuan, Lin. Model selection and estimation in regression with grouped variables. 2006.
    """

    _takes_several = False

    def __init__(
        self,
        costs: Any = None,
        alpha: Any = "auto",
        budget: float | None = None,
        missing: Any = "error",
        n_penalties: int = 200,
        least: float = 1e-4,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        super().__init__(
            costs, alpha=alpha, budget=budget, missing=missing, max_seconds=max_seconds,
            verbose=verbose,
        )  # fmt: skip
        self.n_penalties = n_penalties
        self.least = least

    def _check_params(self) -> None:
        super()._check_params()
        check_whole("n_penalties", self.n_penalties, 2)
        check_share("least", self.least)

    def _why_no_theorem(self, costs: Costs) -> str:
        return "The theorems are not about the order of a group lasso."

    def _choose(self, data: Standardised, costs: Costs, budget: float) -> Sequence:
        items = [item for item, columns in enumerate(costs.columns) if columns]
        groups = [np.array(costs.columns[item]) for item in items]
        prices = np.array([costs.price_of([item]) for item in items])
        prices[prices == 0] = min((p for p in prices if p > 0), default=1.0)
        order = lasso_order(data, groups, prices, self.n_penalties, self.least)
        return follow_order(data, costs, [items[g] for g in order], budget)


def lasso_order(
    data: Standardised, groups: list[Any], weights: Floats, n_penalties: int, smallest: float
) -> list[int]:
    """Return groups in the order in which they enter the path, without those that never do.

    Only correlations are needed: the rows of the Cholesky factor stand for those of X.
    """
    try:
        from skglm import GroupLasso
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "GroupLassoRegressor needs skglm: pip install 'scrimp[lasso]'."
        ) from None
    matrix = data.matrix + max(FLOOR - data.matrix.diagonal().min(), 0.0) * np.eye(len(data.matrix))
    values, vectors = np.linalg.eigh(matrix)
    root = np.sqrt(values.clip(FLOOR))
    scale = np.sqrt(len(matrix))
    rows = scale * root[:, None] * vectors.T
    response = scale * (vectors.T @ data.response[:, 0]) / root
    first = max(
        np.linalg.norm(data.response[group, 0]) / weight
        for group, weight in zip(groups, weights, strict=True)
    )
    solver = GroupLasso(
        [group.tolist() for group in groups], alpha=first, weights=weights, fit_intercept=False,
        warm_start=True, tol=1e-6,
    )  # fmt: skip
    order: list[int] = []
    for penalty in first * np.geomspace(1.0, smallest, n_penalties)[1:]:
        if is_time_over():
            break
        solver.alpha = float(penalty)
        solver.fit(np.asfortranarray(rows), response)
        norms = np.array([np.linalg.norm(solver.coef_[group]) for group in groups])
        new = [g for g in np.flatnonzero(norms).tolist() if g not in order]
        order += sorted(new, key=lambda g: -norms[g])
    return order
