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
from ...types import Flags, Floats
from .outcomes import Classes, Outcome
from .set_calibration import calibrated, prefixes, sets_to_try

#: Penalties among which the Cp criterion chooses.
PENALTIES = 4.0 ** np.arange(8)
#: Newton steps to the weights of all functions.
NEWTON_STEPS = 3


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
    weights = _with_all_functions(_at_prior(Z, outcome, prefixes(stage_of)), Z, outcome)
    if isinstance(outcome, Classes):  # the squared loss of numbers is its own quadratic model
        weights = calibrated(weights, Z, outcome, sets_to_try(costs, order, stage_of))
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
