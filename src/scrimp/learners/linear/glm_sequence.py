"""The order of groups for a generalised linear model, refitted after each purchase (Alg. 5)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import block_diag, solve_triangular
from sklearn.exceptions import ConvergenceWarning

from ...costs.costs import Costs
from ...kernels.groups import guarded_cholesky
from ...plans.components.subset_models import MAX_COEFFICIENTS, SubsetModels
from ...runtime.events import Progress, emit
from ...runtime.time_limit import is_time_over
from ...types import Floats, Ints
from .factor import FLOOR, GroupFactor
from .families import Family
from .glm_path import GlmPath, Sample
from .moments import Moments
from .ridge_penalty import RidgePenalty
from .sequence import NOTHING, GroupShopper, Sequence, Standardised


@dataclass(frozen=True, eq=False)
class Whitener:
    """How a group's columns become the inputs of the model: z = (x - mean) @ matrix."""

    columns: Ints
    mean: Floats
    matrix: Floats

    @classmethod
    def of(cls, group: Ints, sample: Sample, white: bool) -> Whitener:
        """Return the whitener of a group; without `white` it only standardises the columns."""
        rows = dense_columns(sample.X, group)
        none = np.empty((len(rows), 0), dtype=rows.dtype)
        data = Standardised.of(Moments(len(group), 0).add(rows, none, sample.weight), 0.0)
        inverse = np.diag(data.inverse_scale)
        if not white:
            return cls(group, data.mean, inverse)
        lower = np.zeros((len(group), len(group)))
        dropped = np.zeros(len(group), dtype=bool)
        guarded_cholesky(data.matrix, FLOOR, lower, dropped)
        matrix = solve_triangular(lower, inverse, lower=True).T
        matrix[:, dropped] = 0.0
        return cls(group, data.mean, matrix)

    def inputs(self, X: Any) -> NDArray[Any]:
        """Return the inputs of some rows, in the precision of X."""
        part = dense_columns(X, self.columns)
        return np.asarray((part - self.mean.astype(part.dtype)) @ self.matrix.astype(part.dtype))

    def gradient(self, sums: Floats, total: Floats) -> Floats:
        """Return the gradient by the inputs, from those by the columns and the intercept."""
        return np.asarray(self.matrix.T @ (sums[self.columns] - np.outer(self.mean, total)))


def dense_columns(X: Any, columns: Ints) -> NDArray[Any]:
    """Return some columns of an array or sparse matrix, as an array."""
    part = X[:, columns]
    return np.asarray(part.toarray() if sparse.issparse(part) else part)


#: What the gradient of a group's inputs (inputs x outputs) is worth.
_VALUES: dict[str, Callable[[Floats], float]] = {
    "omp": lambda gradient: float((gradient**2).sum()),
    "no-whiten": lambda gradient: float((gradient**2).sum()),
    "single": lambda gradient: float((gradient**2).sum(axis=1).max()),
}
GLM_CRITERIA = ("forward", *_VALUES)


class _GroupValues:
    """The value of each group at the current model, by a criterion."""

    def __init__(self, criterion: str, sample: Sample, groups: list[Ints], alpha: float) -> None:
        self._criterion, self._sample = criterion, sample
        white = criterion in ("omp", "forward")
        self.whiteners = [Whitener.of(group, sample, white) for group in groups]
        self._factor: GroupFactor | None = None
        if criterion == "forward":
            X, Y = sample.X, sample.Y[:, :0].astype(sample.X.dtype)
            data = Standardised.of(Moments(X.shape[1], 0).add(X, Y, sample.weight), alpha)
            self._factor = GroupFactor(
                data.matrix, np.zeros((X.shape[1], sample.Y.shape[1])), groups
            )
            self._mean, self._inverse = data.mean, data.inverse_scale

    def values(self, residual: Floats, left: Ints) -> Floats:
        """Return the values of the groups left; those of the others are undefined."""
        residual_of_X = residual.astype(self._sample.X.dtype, copy=False)
        sums = np.asarray(self._sample.X.T @ residual_of_X, np.float64)
        total = residual.sum(axis=0)
        if self._factor is not None:
            standardised = (sums - np.outer(self._mean, total)) * self._inverse[:, None]
            return 2.0 * self._factor.gains(standardised)
        value_of, values = _VALUES[self._criterion], np.zeros(len(self.whiteners))
        for group in left:
            values[group] = value_of(self.whiteners[group].gradient(sums, total))
        return values

    def take(self, group: int) -> None:
        """Note that a group is bought."""
        if self._factor is not None:
            self._factor.take(group)


def choose_glm_sequence(
    sample: Sample, family: Family, costs: Costs, criterion: str, penalty: RidgePenalty,
    budget: float, doubling: bool, max_iter: int, tol: float,
) -> tuple[Sequence, int]:  # fmt: skip
    """Buy the group whose gradient is worth most per price, refit, and go on (Alg. 5).

    Returns the sequence, and the most steps that a refit took.
    """
    shopper = GroupShopper(costs, budget, doubling)
    groups = shopper.groups
    group_values = _GroupValues(criterion, sample, groups, penalty.alpha)
    path = GlmPath(sample, family, penalty.alpha, max_iter, tol)
    chosen: list[int] = []
    losses, models = [path.loss], [path.model]
    left = np.ones(len(groups), dtype=bool)
    while left.any() and not is_time_over():
        values = group_values.values(path.residual(), np.flatnonzero(left))
        candidates = shopper.candidates(values > NOTHING)
        if not len(candidates):
            break
        choice = shopper.best(values, candidates)
        shopper.take(choice)
        inputs = group_values.whiteners[choice].inputs(sample.X)
        path.alpha = penalty.of(len(path.model) - 1 + inputs.shape[1])
        losses.append(path.grow(inputs))
        group_values.take(choice)
        left[choice] = False
        chosen.append(choice)
        models.append(path.model)
        emit(Progress("fit", len(chosen), len(groups), f"spent {shopper.spent:g}"))
    if path.unfinished:
        warnings.warn(
            f"{path.unfinished} of {len(chosen)} refits ended after max_iter={max_iter} steps "
            "before the gradient fell below tol. Raise max_iter, or alpha.",
            ConvergenceWarning,
            stacklevel=5,
        )
    used = [group_values.whiteners[choice] for choice in chosen]
    items = [int(shopper.items[choice]) for choice in chosen]
    floor = family.saturated_loss(sample.Y, sample.weight)
    explained = (losses[0] - np.array(losses)) / max(losses[0] - floor, 1e-300)
    sequence = _in_units(items, used, models, explained, shopper.doubled)
    return replace(sequence, subsets=_subsets(path, used, models[0])), path.n_iter


def _subsets(path: GlmPath, used: list[Whitener], prior: Floats) -> SubsetModels | None:
    """Return the models of all sets of groups by quadratic models of the loss.

    These are made at the prior and at the longest model. None if nothing was bought, or there
    are too many coefficients.
    """
    (d, k) = path.model.shape
    if not 0 < (d - 1) * k <= MAX_COEFFICIENTS:
        return None
    without = np.vstack([prior, np.zeros((d - 1, k))])
    return SubsetModels(*_objective(path, used, path.model), *_objective(path, used, without))


def _objective(path: GlmPath, used: list[Whitener], model: Floats) -> tuple[Floats, ...]:
    """Return the quadratic model of the loss at some model, as `SubsetModels` takes it."""
    k = model.shape[1]
    hessian, linear = path.quadratic(model)
    # the intercepts b that minimise it, given the other coefficients, are middle - shift.T @ w
    solved = np.linalg.pinv(hessian[:k, :k]) @ np.column_stack([linear[:k], hessian[:k, k:]])
    middle, shift = solved[:, 0], solved[:, 1:].T
    matrix = hessian[k:, k:] - hessian[k:, :k] @ shift.T
    response = linear[k:] - hessian[k:, :k] @ middle
    # from the inputs of the model to the columns: inputs are (x - mean) @ whitening matrix
    to_inputs = np.kron(block_diag(*(np.linalg.pinv(g.matrix) for g in used)), np.eye(k))
    mean = np.concatenate([group.mean for group in used])
    effect = to_inputs.T @ shift + np.kron(mean[:, None], np.eye(k))
    parts = to_inputs.T @ matrix @ to_inputs, (to_inputs.T @ response)[:, None], effect, middle
    return tuple(np.asarray(part, dtype=np.float64) for part in parts)


def _in_units(
    items: list[int], used: list[Whitener], models: list[Floats], explained: Floats, doubled: bool
) -> Sequence:
    """Return models of the inputs as models of the columns."""
    ends = np.cumsum([1, *(len(group.columns) for group in used)])
    coefficients, intercepts = [], [models[0][0]]
    for prefix, model in enumerate(models[1:], start=1):
        parts = [
            group.matrix @ model[ends[g] : ends[g + 1]] for g, group in enumerate(used[:prefix])
        ]
        shift = sum(group.mean @ part for group, part in zip(used, parts, strict=False))
        coefficients.append(np.concatenate(parts))
        intercepts.append(model[0] - shift)
    columns = [int(column) for group in used for column in group.columns]
    dependent = [
        int(group.columns[j]) for group in used for j in np.flatnonzero(~group.matrix.any(axis=0))
    ]
    return Sequence(
        items, columns, coefficients, np.array(intercepts), explained, dependent, doubled
    )
