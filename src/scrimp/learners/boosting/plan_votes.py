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
from ...plans import AdditivePlan, StumpTable, TreeTable
from ...plans.ensemble import EnsemblePlan
from ...types import Floats
from ..base import BudgetedEstimator
from .votes import Vote, vote_of_stumps

_SUPPORTED = (
    "Supported of scrimp are classifiers whose answer is a sum of votes: "
    "StreamingBoostingClassifier with learner='tree' and without a radius, and "
    "BudgetedBoostingClassifier with combine='vote'."
)


def is_own(model: Any) -> bool:
    """Return whether a model is an estimator of scrimp."""
    return isinstance(model, BudgetedEstimator)


def vote_of_own(model: Any) -> tuple[Vote, Target]:
    """Return the vote of a fitted estimator of scrimp, and the target of its scores."""
    check_is_fitted(model, "plan_")
    if model.target_.is_number:
        raise ValueError(f"ensemble predicts numbers, which are not voted on. {_SUPPORTED}")
    plan = model.plan_.plan
    if isinstance(plan, EnsemblePlan):
        return Vote(*_of_trees(plan)), model.target_
    if isinstance(plan, AdditivePlan) and isinstance(plan.members, StumpTable):
        return vote_of_stumps(plan.members, plan.prior), model.target_
    raise TypeError(f"ensemble is a {type(model).__name__} whose answer is no sum. {_SUPPORTED}")


def _of_trees(plan: EnsemblePlan) -> tuple[TreeTable, Floats, Floats]:
    """Return the trees with a free one that votes the base, how much each counts, and the prior."""
    if np.isfinite(plan.radius):
        raise ValueError(f"ensemble projects its partial sums, which is no sum. {_SUPPORTED}")
    trees = plan.members
    if not isinstance(trees, TreeTable):
        raise ValueError(
            f"ensemble has weak learners of the kind {trees.kind!r}, whose votes have no bound to "
            f"draw them by. {_SUPPORTED}"
        )
    sizes = np.diff(trees.roots, append=len(trees.column))
    trees = replace(trees, value=trees.value * np.repeat(plan.shares(), sizes)[:, None])
    table = _with_constant(trees, plan.base)
    return table, np.append(trees.bounds(), 0.0), plan.base


def _with_constant(trees: TreeTable, base: Floats) -> TreeTable:
    """Return the trees, and one that is a leaf."""
    leaf = np.array([-1])
    return TreeTable(
        np.append(trees.roots, len(trees.column)), np.append(trees.column, leaf),
        np.append(trees.cut, 0.0), np.append(trees.left, leaf), np.append(trees.right, leaf),
        np.append(trees.missing, leaf),
        np.vstack([trees.value.reshape(-1, len(base)), base[None]]),
    )  # fmt: skip
