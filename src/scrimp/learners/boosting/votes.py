"""Votes of the members of an ensemble: merged, and weighed against prices."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...costs.costs import Costs
from ...plans import AdditivePlan, DrawnGamPlan, GamPlan, SampledPlan, StumpTable
from ...plans.components import sampling_weights
from ...plans.components.members import Members
from ...plans.contract import StageTable
from ...types import Floats


@dataclass(frozen=True, eq=False)
class Vote:
    """A full vote, and its answer where nothing is known.

    Parameters
    ----------
    members : Members
        Votes with their weights.
    alpha : float array (members,)
        How much each member counts.
    prior : float array (outputs,)
        The answer without a vote.
    """

    members: Members
    alpha: Floats
    prior: Floats

    def taken(self, order: NDArray[np.intp]) -> Vote:
        """Return the members in another order."""
        return Vote(self.members.taken(order), self.alpha[order], self.prior)

    def prices(self, costs: Costs) -> Floats:
        """Return c(h), the price of each member for a row that owns nothing."""
        needs = self.items(costs)
        prices = {items: costs.price_of(items) for items in set(needs)}
        return np.array([prices[items] for items in needs], dtype=np.float64)

    def items(self, costs: Costs) -> tuple[tuple[int, ...], ...]:
        """Return the items that each member needs."""
        item_of = costs.item_of
        return tuple(tuple(sorted({item_of[c] for c in reads})) for reads in self.members.reads)

    def stages(self, costs: Costs, headroom: float = 0.0) -> StageTable:
        """Return one stage per member."""
        items = self.items(costs)
        return StageTable(items, (headroom,) * len(items))


def vote_of_stumps(table: StumpTable, prior: Floats) -> Vote:
    """Return a vote in which equal stumps are one, with their weights added."""
    alpha = table.bounds()
    if not len(table):
        return Vote(table, alpha, prior)
    signs = np.hstack([table.inside, table.outside, table.missing]) / alpha[:, None]
    tests = np.column_stack([table.column, table.low, table.high, signs]).tolist()
    groups: dict[tuple[float, ...], list[int]] = {}
    for stump, test in enumerate(tests):
        groups.setdefault(tuple(test), []).append(stump)
    first = np.array([equal[0] for equal in groups.values()])
    total = np.array([math.fsum(alpha[equal]) for equal in groups.values()])
    votes = np.split(signs[first] * total[:, None], 3, axis=1)
    merged = StumpTable(table.column[first], table.low[first], table.high[first], *votes)
    return Vote(merged, total, prior)


def best_first(vote: Vote, costs: Costs) -> AdditivePlan | SampledPlan:
    """Return the plan that votes what is free, then in descending order of alpha/c."""
    vote = vote.taken(sampling_weights.best_first(vote.alpha, vote.prices(costs)))
    stages = vote.stages(costs)
    if isinstance(vote.members, StumpTable):
        return AdditivePlan(stages, vote.members, vote.prior, ranked=True)
    # members with the chance 0 are voted in turn, for as long as there is money
    chance = np.zeros(len(vote.members))
    return SampledPlan(stages, vote.members, chance, vote.prior, weighting="top", alpha=vote.alpha)


def drawn(
    vote: Vote, costs: Costs, aware: bool, paper: bool, max_draws: int, seed: int
) -> SampledPlan:
    """Return the plan that draws members with p(i) proportional to alpha, or to alpha/c."""
    prices = vote.prices(costs)
    stages = vote.stages(costs, float(prices.max(initial=0.0)) if paper else 0.0)
    probability = sampling_weights.draw_probabilities(vote.alpha, prices, aware)
    return SampledPlan(
        stages, vote.members, probability, vote.prior, seed, max_draws,
        "stop" if paper else "skip", affordable=not paper,
        weighting="cost-aware" if aware else "uniform", alpha=vote.alpha,
    )  # fmt: skip


def drawn_columns(
    gam: GamPlan, vote: Vote, costs: Costs, sampling: str, paper: bool, seed: int
) -> DrawnGamPlan:
    """Return the plan that buys as the draws of a vote do, and answers as a plan of columns.

    Parameters
    ----------
    gam : GamPlan
        The functions of the columns, one item per stage.
    vote : Vote
        The stumps that the functions are made of.
    costs : Costs
        Prices.
    sampling : {"uniform", "cost-aware", "top"}
        As in `SampledBoostingClassifier`.
    paper : bool
        Whether a purchase must leave headroom for the most expensive one.
    seed : int
        The seed of the draws.
    """
    items = [needed for (needed,) in gam.stages.items]
    stage_of_vote = np.array([items.index(needed) for (needed,) in vote.items(costs)], np.intp)
    join = np.maximum if sampling == "top" else np.add
    alpha = np.zeros(len(items))
    join.at(alpha, stage_of_vote, vote.alpha)
    headroom = (1.0 if paper else 0.0,) * len(items)  # the price follows
    return DrawnGamPlan(
        StageTable(gam.stages.items, headroom), gam.functions, gam.stage_of, gam.weights,
        "stop" if paper else "skip", np.zeros(len(items)), seed, sampling, alpha,
    ).repriced(costs)  # fmt: skip
