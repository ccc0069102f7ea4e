"""Votes of weighted stumps: merged, weighed against prices, and taken from scikit-learn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..costs import Costs
from ..plan import Floats, StageTable
from ..plans import AdditivePlan, SampledPlan, StumpTable

#: A chance of 0 would mean "always voted"; prices that far apart are drawn this rarely.
_RAREST = 1e-300
_SUPPORTED = (
    "Supported is a fitted sklearn.ensemble.AdaBoostClassifier for two classes whose members "
    "are decision trees of depth 1."
)


@dataclass(frozen=True, eq=False)
class Vote:
    """A full vote of stumps, and its answer where nothing is known.

    Parameters
    ----------
    stumps : StumpTable
        Votes with their weights.
    prior : float
        Half the log-odds of the second class.
    """

    stumps: StumpTable
    prior: float

    @property
    def alpha(self) -> Floats:
        """The weight of each stump."""
        return weights_of(self.stumps)

    def merged(self) -> Vote:
        """Equal stumps as one with their weights added, in the order of their first."""
        table, alpha = self.stumps, self.alpha
        if not len(table):
            return self
        signs = np.hstack([table.inside, table.outside, table.missing]) / alpha[:, None]
        tests = np.column_stack([table.column, table.low, table.high, signs]).tolist()
        groups: dict[tuple[float, ...], list[int]] = {}
        for stump, test in enumerate(tests):
            groups.setdefault(tuple(test), []).append(stump)
        first = np.array([own[0] for own in groups.values()])
        total = np.array([math.fsum(alpha[own]) for own in groups.values()])
        votes = (signs[first] * total[:, None]).T[:, :, None]
        return Vote(
            StumpTable(table.column[first], table.low[first], table.high[first], *votes),
            self.prior,
        )

    def taken(self, order: NDArray[np.intp]) -> Vote:
        """The stumps in another order."""
        parts = {name: part[order] for name, part in self.stumps.arrays().items()}
        return Vote(StumpTable.from_arrays(parts), self.prior)

    def prices(self, costs: Costs) -> Floats:
        """c(h): what each stump costs a row that owns nothing, with all it requires."""
        items = [costs.price_of([i]) for i in range(costs.n_items)]
        return np.array([items[costs.item_of[c]] for c in self.stumps.column], dtype=np.float64)


def weights_of(stumps: StumpTable) -> Floats:
    """The weight alpha of each stump, whose votes are alpha, -alpha or 0."""
    votes = np.hstack([stumps.inside, stumps.outside, stumps.missing])
    return np.asarray(np.abs(votes).max(axis=1, initial=0.0))


def best_first(vote: Vote, costs: Costs) -> AdditivePlan:
    """Best alpha/c first, after what is free."""
    prices = vote.prices(costs)
    paid = prices > 0
    vote = vote.taken(np.lexsort((-vote.alpha / np.where(paid, prices, 1.0), paid)))
    return AdditivePlan(_stages(vote, costs), vote.stumps, [vote.prior])


def drawn(
    vote: Vote, costs: Costs, aware: bool, paper: bool, max_draws: int, seed: int
) -> SampledPlan:
    """Draws with p(i) in proportion to alpha, or to alpha/c; what is free is always voted."""
    prices = vote.prices(costs)
    paid = prices > 0
    worth = np.where(paid, vote.alpha / np.where(paid & aware, prices, 1.0), 0.0)
    worth = worth / worth.max(initial=0.0) if paid.any() else worth  # so that the sum is finite
    chance = np.where(paid, np.maximum(worth / max(worth.sum(), 1.0), _RAREST), 0.0)
    stages = _stages(vote, costs, float(prices.max(initial=0.0)) if paper else 0.0)
    refusal = "stop" if paper else "skip"
    return SampledPlan(stages, vote.stumps, chance, [vote.prior], seed, max_draws, refusal)


def reach_of(plan: SampledPlan) -> float:
    """How far from 0 one draw can be, where the full vote is at most 1."""
    alpha, drawn = weights_of(plan.stumps), plan.probability > 0
    return float((alpha[drawn] / plan.probability[drawn]).max(initial=0.0) / alpha.sum())


def _stages(vote: Vote, costs: Costs, headroom: float = 0.0) -> StageTable:
    items = tuple((costs.item_of[column],) for column in vote.stumps.column.tolist())
    return StageTable(items, (headroom,) * len(items))


def vote_of(ensemble: Any) -> Vote:
    """The vote of a fitted scikit-learn AdaBoost of stumps; refuses anything else.

    Weights are halved: scikit-learn's are twice those of AdaBoost.
    """
    if not isinstance(ensemble, AdaBoostClassifier):
        raise TypeError(f"ensemble is a {type(ensemble).__name__}. {_SUPPORTED}")
    check_is_fitted(ensemble)
    if getattr(ensemble, "algorithm", "") == "SAMME.R":
        raise ValueError(f"ensemble votes by probabilities (SAMME.R), not by labels. {_SUPPORTED}")
    if len(ensemble.classes_) != 2:
        raise ValueError(f"ensemble has {len(ensemble.classes_)} classes. {_SUPPORTED}")
    members = ensemble.estimators_
    for number, member in enumerate(members):
        _check_member(number, member, ensemble.n_features_in_)
    nan = bool(get_tags(ensemble).input_tags.allow_nan)
    tests = [_stump(member, ensemble.classes_, nan) for member in members]
    column, high, left, right, missing = map(np.array, zip(*tests, strict=True))
    alpha = 0.5 * np.asarray(ensemble.estimator_weights_, dtype=np.float64)[: len(members)]
    votes = [(side * alpha).reshape(-1, 1) for side in (left, right, missing)]
    keep = alpha != 0
    table = StumpTable(column, np.full(len(column), -np.inf), high, *votes)
    share = members[0].tree_.value[0].ravel()  # the first member sees the rows' own weights
    prior = 0.5 * math.log(share[1] / share[0]) if share.all() else 0.0
    return Vote(table, prior).taken(np.flatnonzero(keep))


def _check_member(number: int, member: Any, n_columns: int) -> None:
    if not isinstance(member, DecisionTreeClassifier):
        raise TypeError(f"Member {number} is a {type(member).__name__}. {_SUPPORTED}")
    if member.n_features_in_ != n_columns:
        raise ValueError(f"Member {number} sees other columns than the ensemble. {_SUPPORTED}")
    if member.tree_.node_count != 3:
        raise ValueError(
            f"Member {number} has depth {member.tree_.max_depth}; expected 1. {_SUPPORTED}"
        )


def _stump(member: Any, classes: NDArray[Any], nan: bool) -> tuple[int, float, float, float, float]:
    """Column, the largest value that goes left, and the signs left, right and missing."""
    tree = member.tree_
    sides = (tree.children_left[0], tree.children_right[0])
    second = [member.classes_[tree.value[side].argmax()] == classes[1] for side in sides]
    left, right = (1.0 if vote else -1.0 for vote in second)
    missing = (left if tree.missing_go_to_left[0] else right) if nan else 0.0
    return int(tree.feature[0]), last_left(float(tree.threshold[0])), left, right, missing


def last_left(threshold: float) -> float:
    """The largest number that scikit-learn sends left: its trees round to 32 bits first."""
    below = np.float32(threshold)
    if float(below) > threshold:
        below = np.nextafter(below, np.float32(-np.inf))
    above = np.nextafter(below, np.float32(np.inf))
    between = (float(below) + float(above)) / 2.0
    goes_left = float(np.float32(between)) <= threshold
    return between if goes_left else math.nextafter(between, -math.inf)
