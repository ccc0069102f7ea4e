"""The order of groups for a generalised linear model, refitted after each purchase (Alg. 5)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ...costs.costs import Costs
from ...kernels.groups import guarded_cholesky
from ...runtime.events import Progress, emit
from ...types import Floats, Ints
from .factor import FLOOR, GroupFactor
from .families import Family
from .moments import Moments
from .sequence import NOTHING, GroupShopper, Sequence, Standardised

#: Coefficients up to which L-BFGS is followed by Newton steps: each forms a whole Hessian.
_NEWTON_SIZE = 200
#: The most Newton steps; near the optimum a few are enough.
_NEWTON_STEPS = 50


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows with their responses (rows x outputs) and weights that sum to 1."""

    X: Any
    Y: Floats
    weight: Floats


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


class GlmPath:
    """A model that grows by one group at a time.

    Parameters
    ----------
    sample : Sample
        The rows.
    family : Family
        The loss.
    alpha : float
        The ridge on the coefficients of the inputs; the intercept has none.
    max_iter, tol : int, float
        When a refit ends.
    """

    def __init__(
        self, sample: Sample, family: Family, alpha: float, max_iter: int, tol: float
    ) -> None:
        self._sample, self._family, self._alpha = sample, family, alpha
        self._max_iter, self._tol = max_iter, tol
        n, k = sample.Y.shape
        self._inputs = np.empty((n, 0), dtype=sample.X.dtype)
        middle = family.link(sample.weight @ sample.Y)
        #: The intercept, then one row per column of the inputs.
        self.model = np.asarray(middle, dtype=np.float64).reshape(1, k)
        self.unfinished = self.n_iter = 0

    def grow(self, new: NDArray[Any]) -> float:
        """Add inputs, refit with a warm start, and return the loss."""
        self._inputs = np.hstack([self._inputs, new])
        start = np.vstack([self.model, np.zeros((new.shape[1], self.model.shape[1]))])
        solution = minimize(
            self._objective, start.ravel(), jac=True, method="L-BFGS-B",
            options={"maxiter": self._max_iter, "gtol": self._tol, "ftol": 1e-12, "maxcor": 20},
        )  # fmt: skip
        self.n_iter = max(self.n_iter, int(solution.nit))
        self.unfinished += solution.nit >= self._max_iter
        self.model = solution.x.reshape(start.shape)
        if self.model.size <= _NEWTON_SIZE:
            self._polish()
        if self.model.shape[1] > 1:  # a shift of all classes changes nothing: take the least
            self.model -= self.model.mean(axis=1, keepdims=True)
        return self.loss

    def _polish(self) -> None:
        """Take Newton steps from near the optimum until rounding ends them."""
        loss, gradient = self._objective(self.model.ravel())
        for _ in range(_NEWTON_STEPS):
            step = np.linalg.lstsq(self._curvature(), gradient, rcond=None)[0]
            for part in (1.0, 0.5, 0.25, 0.125):
                better = self.model.ravel() - part * step
                lower, after = self._objective(better)
                # near the optimum the loss is flat: only its gradient still tells points apart
                flat = abs(lower - loss) <= 1e-12 * abs(loss)
                shorter = np.linalg.norm(after) < np.linalg.norm(gradient)
                if shorter if flat else lower < loss:
                    break
            else:
                return
            self.model, loss, gradient = better.reshape(self.model.shape), lower, after

    def _curvature(self) -> Floats:
        """Return the Hessian of the loss by the model's entries, row by row."""
        inputs = np.column_stack([np.ones(len(self._inputs)), self._inputs]).astype(np.float64)
        blocks = self._family.curvature(self._predictors(self.model), self._sample.weight)
        d, k = self.model.shape
        hessian = np.einsum("na,nkl,nb->akbl", inputs, blocks, inputs, optimize=True)
        hessian = hessian.reshape(d * k, d * k)
        ridge = np.full(d * k, self._alpha)
        ridge[:k] = 0.0
        return np.asarray(hessian + np.diag(ridge))

    @property
    def loss(self) -> float:
        """The loss, penalty included."""
        return float(self._objective(self.model.ravel())[0])

    def residual(self) -> Floats:
        """Return weighted residuals of the responses (rows x outputs)."""
        expected = self._family.mean(self._predictors(self.model))
        return np.asarray((self._sample.Y - expected) * self._sample.weight[:, None])

    def _predictors(self, model: Floats) -> Floats:
        weights = model[1:].astype(self._inputs.dtype)
        return np.asarray(np.asarray(self._inputs @ weights, dtype=np.float64) + model[0])

    def _objective(self, flat: Floats) -> tuple[float, Floats]:
        sample, model = self._sample, flat.reshape(-1, self._sample.Y.shape[1])
        eta = self._predictors(model)
        loss = sample.weight @ (self._family.phi(eta) - (sample.Y * eta).sum(axis=1))
        loss += 0.5 * self._alpha * float((model[1:] ** 2).sum())
        error = (self._family.mean(eta) - sample.Y) * sample.weight[:, None]
        gradient = np.empty_like(model)
        gradient[0] = error.sum(axis=0)
        gradient[1:] = self._inputs.T @ error.astype(self._inputs.dtype)
        gradient[1:] += self._alpha * model[1:]
        return float(loss), gradient.ravel()


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
        sums = np.asarray(self._sample.X.T @ residual.astype(self._sample.X.dtype), np.float64)
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
    sample: Sample, family: Family, costs: Costs, criterion: str, alpha: float, budget: float,
    doubling: bool, max_iter: int, tol: float,
) -> tuple[Sequence, int]:  # fmt: skip
    """Buy the group whose gradient is worth most per price, refit, and go on (Alg. 5).

    Returns the sequence, and the most steps that a refit took.
    """
    shopper = GroupShopper(costs, budget, doubling)
    groups = shopper.groups
    group_values = _GroupValues(criterion, sample, groups, alpha)
    path = GlmPath(sample, family, alpha, max_iter, tol)
    chosen: list[int] = []
    losses, models = [path.loss], [path.model]
    left = np.ones(len(groups), dtype=bool)
    while left.any():
        values = group_values.values(path.residual(), np.flatnonzero(left))
        candidates = shopper.candidates(values > NOTHING)
        if not len(candidates):
            break
        choice = shopper.best(values, candidates)
        shopper.take(choice)
        losses.append(path.grow(group_values.whiteners[choice].inputs(sample.X)))
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
            stacklevel=3,
        )
    used = [group_values.whiteners[choice] for choice in chosen]
    items = [int(shopper.items[choice]) for choice in chosen]
    floor = family.saturated_loss(sample.Y, sample.weight)
    explained = (losses[0] - np.array(losses)) / max(losses[0] - floor, 1e-300)
    return _in_units(items, used, models, explained, shopper.doubled), path.n_iter


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
