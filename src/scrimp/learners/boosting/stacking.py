"""Stacking: from the stumps of a booster to a function per column, weighted for any set of columns.

The vote of a booster needs all its stumps: with some columns missing, what is left may say
less than the prior. So the stumps on a column are joined to one function, and the functions are
weighted by a regression on rows that the stumps were not trained on (stacked generalisation),
for whatever set of columns is at hand.

References
----------
Wolpert. Stacked generalization. Neural Networks 5, 1992.
Breiman. Stacked regressions. Machine Learning 24, 1996.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from ...costs.costs import Costs
from ...plans.components.step_functions import StepFunctions
from ...plans.components.subset_weights import SubsetWeights
from ...plans.contract import StageTable
from ...plans.gam import GamPlan
from ...types import Flags, Floats

#: Penalties among which the Cp criterion chooses.
PENALTIES = 4.0 ** np.arange(8)
#: Sets along the order of purchases at which intercept and scale are fitted.
MAX_KNOTS = 12
#: Newton steps to the weights of all functions.
NEWTON_STEPS = 3
#: Results must not depend on rounding, as another order of columns has it.
_PRECISE = {"gtol": 1e-10, "ftol": 1e-15, "maxiter": 500}
#: The range of scales: the loss is never so far from its quadratic model.
_SCALES = (0.2, 5.0)


class Outcome(Protocol):
    """What is predicted for some rows, and its loss."""

    #: Weights of the rows, 1 in the mean.
    weights: Floats

    @property
    def prior(self) -> Floats:
        """The scores without any column (outputs,)."""

    @property
    def total(self) -> float:
        """The loss that there is to explain."""

    def quadratic(self, Z: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Return the Hessian and the negative gradient by the weights of functions.

        Parameters
        ----------
        Z : float array (rows, functions, outputs)
            The values of the functions.
        scores : float array (rows, outputs)
            Where the loss is developed; the intercept is at its best.
        """

    def calibrate(self, sums: Floats) -> tuple[Floats, float]:
        """Return the intercept and the scale of sums (rows x outputs) of least loss."""


@dataclass(frozen=True, eq=False)
class Classes:
    """Two or more classes, under the log loss.

    Parameters
    ----------
    labels : int array (rows,)
        Class numbers.
    weights : float array (rows,)
        Weights of the rows, 1 in the mean.
    n_classes : int
        The number of classes; two have one output, the log-odds of the second.
    """

    labels: NDArray[Any]
    weights: Floats
    n_classes: int

    @cached_property
    def prior(self) -> Floats:
        """The logits of the classes' shares; of two classes their difference.

        A share is above 0 also where some rows of many have none of its class.
        """
        masses = np.bincount(self.labels, self.weights, minlength=self.n_classes)
        masses = np.maximum(masses, 0.5)
        logs = np.log(masses / masses.sum())
        return np.asarray(logs[1:] - logs[0] if self.n_classes == 2 else logs - logs.mean())

    @property
    def total(self) -> float:
        """The number of rows, times that of classes less one: shares are then those of squares."""
        return float(self.weights.sum() * (self.n_classes - 1))

    @cached_property
    def _indicators(self) -> Floats:
        classes = np.arange(self.n_classes)[int(self.n_classes == 2) :]
        return np.asarray(self.labels[:, None] == classes, dtype=np.float64)

    def _probabilities(self, scores: Floats) -> Floats:
        return np.asarray(expit(scores) if self.n_classes == 2 else softmax(scores, axis=1))

    def quadratic(self, Z: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Return the terms of a Newton step, those of the intercept eliminated."""
        p, weights = self._probabilities(scores), self.weights[:, None]
        residuals = weights * (self._indicators - p)
        constants = np.broadcast_to(np.eye(p.shape[1]), (len(Z), p.shape[1], p.shape[1]))
        columns = np.concatenate([Z, constants], axis=1)  # rows x functions and constants x outputs
        hessian = np.zeros((columns.shape[1], columns.shape[1]))
        for k in range(p.shape[1]):
            part = np.sqrt(weights * p[:, k : k + 1]) * columns[:, :, k]
            hessian += part.T @ part
        mean = np.sqrt(weights) * np.einsum("ick,ik->ic", columns, p)
        hessian -= mean.T @ mean
        gradient, n = np.einsum("ick,ik->c", columns, residuals), Z.shape[1]
        cross = hessian[:n, n:] @ np.linalg.pinv(hessian[n:, n:])
        return hessian[:n, :n] - cross @ hessian[n:, :n], gradient[:n] - cross @ gradient[n:]

    def calibrate(self, sums: Floats) -> tuple[Floats, float]:
        """Fit a logistic regression of one slope, slightly held to the prior and to 1."""
        prior, y, weights = self.prior, self._indicators, self.weights[:, None]

        def loss(parameters: Floats) -> tuple[float, Floats]:
            scores = parameters[:-1] + parameters[-1] * sums
            if self.n_classes == 2:
                losses = np.logaddexp(0.0, scores) - y * scores
            else:
                losses = -y * log_softmax(scores, axis=1)
            residuals = weights * (self._probabilities(scores) - y)
            away = parameters - np.append(prior, 1.0)
            slopes = np.append(residuals.sum(axis=0), (residuals * sums).sum())
            return float((weights * losses).sum() + 0.5 * away @ away), slopes + away

        result = minimize(
            loss, np.append(prior, 1.0), jac=True, method="L-BFGS-B", options=_PRECISE
        )
        return result.x[:-1], float(np.clip(result.x[-1], *_SCALES))


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers, under the squared loss over the variance of the residuals from the start.

    Parameters
    ----------
    residuals : float array (rows,)
        What is left to explain after the start.
    weights : float array (rows,)
        Weights of the rows, 1 in the mean.
    start : float
        The answer without any column.
    """

    residuals: Floats
    weights: Floats
    start: float

    @property
    def prior(self) -> Floats:
        """The start."""
        return np.array([self.start])

    @property
    def total(self) -> float:
        """The number of rows: residuals are in units of their spread."""
        return float(self.weights.sum())

    def quadratic(self, Z: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Return the squared loss, which is the same wherever it is developed."""
        variance = float(self.weights @ self.residuals**2) / self.total or 1.0
        weighted = self.weights[:, None] * Z[:, :, 0] / variance
        residuals = self.residuals - (scores[:, 0] - self.start)
        return weighted.T @ Z[:, :, 0], weighted.T @ residuals

    def calibrate(self, sums: Floats) -> tuple[Floats, float]:
        """Return the start and 1: the squared loss is its own quadratic model."""
        return self.prior, 1.0


def stacked_plan(
    functions: StepFunctions, costs: Costs, Z: Floats, outcome: Outcome, refusal: str
) -> GamPlan:
    """Return the plan of functions that buys their items in order, weighted for any set.

    Parameters
    ----------
    functions : StepFunctions
        Centred functions, in the order of their purchase.
    costs : Costs
        Which item brings a column.
    Z : float array (rows, functions, outputs)
        Values of the functions on rows that they were not trained on.
    outcome : Outcome
        What is predicted for these rows.
    refusal : {"skip", "stop"}
        As in `GamPlan`.
    """
    items = [costs.item_of[column] for column in functions.column.tolist()]
    order = list(dict.fromkeys(items))
    stage_of = np.array([order.index(item) for item in items], dtype=np.int64)
    Z = Z - np.einsum("i,ick->ck", outcome.weights, Z) / outcome.weights.sum()
    ends = np.linspace(0, len(order) - 1, min(len(order), MAX_KNOTS))  # evenly spread stages
    sets = [stage_of <= stage for stage in np.unique(np.round(ends).astype(np.int64))]
    weights = _calibrated(
        _with_all_functions(_at_prior(Z, outcome, sets), Z, outcome), Z, outcome, sets
    )
    stages = StageTable(tuple((item,) for item in order))
    return GamPlan(stages, functions, stage_of, weights, refusal)


def _at_prior(Z: Floats, outcome: Outcome, sets: Sequence[Flags]) -> SubsetWeights:
    """Return the model of the prior, with the penalty of least Mallows' Cp over the sets."""
    scores = np.tile(outcome.prior, (len(Z), 1))
    hessian, gradient = outcome.quadratic(Z, scores)
    model = SubsetWeights(
        np.stack([hessian] * 2), np.stack([gradient] * 2), 0.0, outcome.total, 0.0,
        np.zeros(1), outcome.prior[None], np.ones(1),
    )  # fmt: skip

    def cp(penalty: float) -> float:
        criteria = []
        for at_hand in sets:
            w, explained, freedom = replace(model, penalty=penalty).minimise(at_hand)
            criteria.append(w @ hessian @ w - 2.0 * explained + 2.0 * freedom)
        return float(sum(criteria))

    return replace(model, penalty=min(PENALTIES, key=cp))


def _with_all_functions(model: SubsetWeights, Z: Floats, outcome: Outcome) -> SubsetWeights:
    """Return the weights with a second model, developed where all functions are at hand."""
    everything = np.ones(model.n_functions, dtype=bool)
    full_share = model.explained_share(everything)
    if not full_share > 0:
        return model
    weights = model.minimise(everything)[0]
    for _ in range(NEWTON_STEPS):
        intercept, scale = outcome.calibrate(np.einsum("ick,c->ik", Z, weights))
        weights = scale * weights
        scores = intercept + np.einsum("ick,c->ik", Z, weights)
        hessian, gradient = outcome.quadratic(Z, scores)
        gradient = gradient + hessian @ weights
        model = replace(
            model, full_share=full_share, hessian=np.stack([model.hessian[0], hessian]),
            gradient=np.stack([model.gradient[0], gradient]),
        )  # fmt: skip
        weights = model.minimise(everything, 1.0)[0]
    return model


def _calibrated(
    model: SubsetWeights, Z: Floats, outcome: Outcome, sets: Sequence[Flags]
) -> SubsetWeights:
    """Return the weights with intercept and scale at the shares that the sets explain."""
    knots: dict[float, tuple[Floats, float]] = {0.0: (model.prior, 1.0)}
    for at_hand in sets:
        share = round(model.explained_share(at_hand), 6)
        if share not in knots:
            _, weights = model.of(at_hand)
            knots[share] = outcome.calibrate(np.einsum("ick,c->ik", Z, weights))
    shares = sorted(knots)
    return replace(
        model,
        shares=np.array(shares),
        intercepts=np.array([knots[share][0] for share in shares]),
        scales=np.array([knots[share][1] for share in shares]),
    )
