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
from dataclasses import replace

import numpy as np

from ...costs.costs import Costs
from ...plans.components.step_functions import StepFunctions
from ...plans.components.subset_weights import SubsetWeights
from ...plans.contract import StageTable
from ...plans.gam import GamPlan
from ...types import Flags, Floats, Ints
from .outcomes import Classes, Outcome
from .purchase_order import purchase_order
from .set_calibration import calibrated, prefixes, sets_to_try

#: Penalties among which the Cp criterion chooses.
PENALTIES = 4.0 ** np.arange(8)
#: The smallest scale of a run: single functions may be of use where their sum is not.
LEAST_SCALE = 1e-3
#: Newton steps to the weights of all functions.
NEWTON_STEPS = 3


def pooled(
    runs: Sequence[tuple[StepFunctions, Floats]], columns: Sequence[int], outcome: Outcome
) -> tuple[StepFunctions, Floats]:
    """Return the functions of several runs, and their values on held-out rows.

    The longer a run, the larger its sums; each is brought to the scale of the outcome, so that
    weights of its functions and of others' may be held to a common one.

    Parameters
    ----------
    runs : sequence of (StepFunctions, float array (rows, functions, outputs))
        The functions of each run and their values.
    columns : sequence of int
        The columns whose functions are kept.
    outcome : Outcome
        What is predicted for these rows.
    """
    # rounded, so that another order of columns does not change them
    scales = [max(round(outcome.calibrate(Z.sum(axis=1))[1], 3), LEAST_SCALE) for _, Z in runs]
    scaled = [part.scaled(scale) for (part, _), scale in zip(runs, scales, strict=True)]
    values = [Z * scale for (_, Z), scale in zip(runs, scales, strict=True)]
    functions = StepFunctions.joined(scaled)
    chosen = functions.distinct()
    chosen = chosen[np.isin(functions.column[chosen], columns)]
    return functions.taken(chosen), np.concatenate(values, axis=1)[:, chosen]


def stacked_plan(
    functions: StepFunctions, costs: Costs, Z: Floats, outcome: Outcome, refusal: str
) -> GamPlan:
    """Return the plan that buys what is worth its price first, weighted for any set.

    Parameters
    ----------
    functions : StepFunctions
        Centred functions, in the order of the booster's purchases.
    costs : Costs
        Which item brings a column.
    Z : float array (rows, functions, outputs)
        Values of the functions on rows that they were not trained on.
    outcome : Outcome
        What is predicted for these rows.
    refusal : {"skip", "stop"}
        As in `GamPlan`.
    """
    items = np.array([costs.item_of[column] for column in functions.column.tolist()], dtype=int)
    order = list(dict.fromkeys(items.tolist()))
    Z = Z - np.einsum("i,ick->ck", outcome.weights, Z) / outcome.weights.sum()
    at_prior = _at_prior(Z, outcome, prefixes(_positions(order, items)))
    order = purchase_order(at_prior, costs, order, items)
    stage_of = _positions(order, items)
    weights = _with_all_functions(at_prior, Z, outcome)
    if isinstance(outcome, Classes):  # the squared loss of numbers is its own quadratic model
        weights = calibrated(weights, Z, outcome, sets_to_try(costs, order, stage_of))
    stages = StageTable(tuple((item,) for item in order))
    return GamPlan(stages, functions, stage_of, weights, refusal)


def _positions(order: Sequence[int], items: Ints) -> Ints:
    """Return the position of each of some items in an order."""
    return np.array([order.index(item) for item in items.tolist()], dtype=np.int64)


def _at_prior(Z: Floats, outcome: Outcome, sets: Sequence[Flags]) -> SubsetWeights:
    """Return the model of the prior, with the penalty of least Mallows' Cp over the sets."""
    scores = np.tile(outcome.prior, (len(Z), 1))
    hessian, gradient = outcome.quadratic(Z, scores)
    model = SubsetWeights(
        np.stack([hessian] * 2), np.stack([gradient] * 2), 0.0, outcome.total, 0.0,
        np.zeros(1), outcome.prior[None], np.ones(1),
    )  # fmt: skip

    def mallows_cp(penalty: float) -> float:
        criteria = []
        for at_hand in sets:
            w, explained, freedom = replace(model, penalty=penalty).minimise(at_hand)
            criteria.append(w @ hessian @ w - 2.0 * explained + 2.0 * freedom)
        return float(sum(criteria))

    return replace(model, penalty=min(PENALTIES, key=mallows_cp))


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
