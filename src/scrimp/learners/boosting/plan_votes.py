r"""Plans of scrimp that are sums as votes whose members can be drawn.

Reyzin (2011, section 3.2) draws from the vote of any booster, also of one that learns online. The
sum of a streaming booster is :math:`y^0+\sum_iv_i(x)`. Where its answer is the mean of the partial
sums :math:`y^1,\ldots,y^N`, member i is in :math:`N-i+1` of them, so that it votes
:math:`\frac{N-i+1}{N}v_i(x)`; weighted means and momentum are sums with other factors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...data.target import Target
from ...plans import StumpTable, TreeTable
from ...plans.capabilities import Summing
from ...types import Floats
from ..base import BudgetedEstimator
from .votes import Vote, vote_of_stumps

_SUPPORTED = (
    "Supported of scrimp are classifiers whose answer is a sum of votes: "
    "StreamingBoostingClassifier with learner='tree' and without a radius, and "
    "BudgetedBoostingClassifier with combine='vote'."
)


def is_scrimp_estimator(model: Any) -> bool:
    """Return whether a model is an estimator of scrimp."""
    return isinstance(model, BudgetedEstimator)


def vote_of_estimator(model: Any) -> tuple[Vote, Target]:
    """Return the vote of a fitted estimator of scrimp, and the target of its scores."""
    check_is_fitted(model, "plan_")
    if model.target_.is_number:
        raise ValueError(f"ensemble predicts numbers, which are not voted on. {_SUPPORTED}")
    plan = model.plan_.plan
    if not isinstance(plan, Summing):
        kind = type(model).__name__
        raise TypeError(f"ensemble is a {kind} whose answer is no sum. {_SUPPORTED}")
    shares, members = plan.shares(), plan.members
    if shares is None:
        raise ValueError(f"ensemble projects its partial sums, which is no sum. {_SUPPORTED}")
    if isinstance(members, StumpTable):
        return vote_of_stumps(members, plan.prior), model.target_
    if not isinstance(members, TreeTable):
        raise ValueError(
            f"ensemble has weak learners of the kind {members.kind!r}, whose votes have no bound "
            f"to draw them by. {_SUPPORTED}"
        )
    sizes = np.diff(members.roots, append=len(members.column))
    trees = replace(members, value=members.value * np.repeat(shares, sizes)[:, None])
    # the base is the vote of one more tree, which is free
    alpha = np.append(trees.bounds(), 0.0)
    return Vote(_with_constant(trees, plan.base), alpha, plan.base), model.target_


def _with_constant(trees: TreeTable, base: Floats) -> TreeTable:
    """Return the trees, and one that is a leaf."""
    leaf = np.array([-1])
    return TreeTable(
        np.append(trees.roots, len(trees.column)), np.append(trees.column, leaf),
        np.append(trees.cut, 0.0), np.append(trees.left, leaf), np.append(trees.right, leaf),
        np.append(trees.missing, leaf),
        np.vstack([trees.value.reshape(-1, len(base)), base[None]]),
    )  # fmt: skip
