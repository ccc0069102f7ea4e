"""Generalised additive plans that draw what they buy: an order of purchases per row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.costs import Costs
from ..costs.ledger import Ledger
from ..data.validation import check_choice, float_array
from ..types import Arrays, Floats, Ints
from .components.counter_rng import uniforms
from .components.sampling_weights import WEIGHTINGS, best_first, draw_probabilities
from .components.step_functions import StepFunctions
from .components.subset_weights import SubsetWeights
from .contract import Outline, StageTable
from .gam import GamPlan, GamState

#: Orders that rows draw from. More of them make the draws of rows less alike, and leave fewer rows
#: that are answered together.
N_ORDERS = 64


@dataclass
class DrawnState(GamState):
    """The state of a `GamPlan`, and the stages that must leave headroom to the budget."""

    reserving: frozenset[int]


class DrawnGamPlan(GamPlan):
    r"""A plan whose purchases are drawn, and whose answer weights the columns at hand.

    Drawing members of an ensemble with replacement and paying for items that are not owned
    (Reyzin 2011) buys items in a random order: next comes item j with a probability in
    proportion to :math:`p_j` among those not owned. Independent exponential variables with the
    rates :math:`p_j`, sorted, have that law, and items left out because they cost too much or
    have failed do not change it for the others. So an order is drawn once, and followed like a
    fixed one. Each row draws one of `N_ORDERS` such orders by its key: the law of every single
    row is the same as with an order of its own.

    Parameters
    ----------
    stages, functions, stage_of, weights, refusal
        As in `GamPlan`; a headroom is the loop condition of Reyzin's algorithm.
    probability : float array (stages,)
        The probability of each stage to be the first; those with 0 come before all others, in
        order.
    seed : int
        Seeds the orders, and which of them is the order of a key.
    weighting : {"", "uniform", "cost-aware", "top"}
        The rule that gave the probabilities, or the order if nothing is drawn; unknown by
        default.
    alpha : float array (stages,)
        The weight of each stage, where there is a weighting.
    """

    kind = "drawn"

    def __init__(
        self,
        stages: StageTable,
        functions: StepFunctions,
        stage_of: Sequence[int] | Ints,
        weights: SubsetWeights,
        refusal: str,
        probability: ArrayLike,
        seed: int = 0,
        weighting: str = "",
        alpha: ArrayLike = (),
    ) -> None:
        super().__init__(stages, functions, stage_of, weights, refusal)
        self.probability = float_array("probability", probability)
        self.seed = int(seed)
        self.weighting, self.alpha = str(weighting), float_array("alpha", alpha)
        self._check_draws()
        self._n_orders = N_ORDERS if np.count_nonzero(self.probability) > 1 else 1
        order = "fixed" if self._n_orders == 1 else "drawn"
        self.outline = Outline(order, super().outline.stage_noun)
        self._all_items = tuple(dict.fromkeys(i for items in stages.items for i in items))
        self.decisive = [self._all_items] if any(stages.headroom) else []

    def _check_draws(self) -> None:
        n, p = len(self.stages), self.probability
        if p.shape != (n,) or not (p >= 0).all() or (p.any() and not np.isclose(p.sum(), 1.0)):
            raise ValueError("probability must hold numbers >= 0, one per stage, that sum to 1.")
        check_choice("weighting", self.weighting, ("", *WEIGHTINGS))
        if len(self.alpha) != (n if self.weighting else 0):
            raise ValueError("alpha must hold one number per stage, if there is a weighting.")

    @cached_property
    def orders(self) -> Ints:
        """The orders of purchase (orders x stages)."""
        n, p = len(self.stages), self.probability
        numbers = np.repeat(np.arange(self._n_orders, dtype=np.uint64), n)
        counters = np.tile(np.arange(1, n + 1, dtype=np.uint64), self._n_orders)
        exponential = -np.log1p(-uniforms(self.seed, numbers, counters)).reshape(self._n_orders, n)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(p > 0, exponential / p, -1.0)
        return np.argsort(times, axis=1, kind="stable")

    def key_groups(self, keys: NDArray[np.uint64]) -> Ints:
        """Return the number of the order that each row follows."""
        if self._n_orders == 1:
            return np.zeros(len(keys), dtype=np.int64)
        drawn = uniforms(self.seed, keys, np.zeros(len(keys), dtype=np.uint64))
        return (drawn * self._n_orders).astype(np.int64)

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> DrawnState:
        """Return the state of fresh rows, all of which follow one order."""
        numbers = set(self.key_groups(keys).tolist()) or {0}
        if len(numbers) > 1:
            raise ValueError("rows that are followed together must be of one key group.")
        free, paid = self.free_and_paid(ledger)
        number = numbers.pop()
        coming = [*free, *sorted(paid, key=self._positions[number].__getitem__)]
        reserves = bool(self.decisive) and not ledger.can_pay(self._all_items)
        reserving = frozenset(paid if reserves else ())
        return DrawnState(len(keys), coming, [], None, None, [], reserving)

    @cached_property
    def _positions(self) -> list[list[int]]:
        """The position of each stage in each order."""
        positions: list[list[int]] = np.argsort(self.orders, axis=1).tolist()
        return positions

    def headroom(self, state: GamState, stage: int) -> float:
        """Return the headroom of a stage, 0 if it is free or the budget pays for all stages."""
        assert isinstance(state, DrawnState)
        return self.stages.headroom[stage] if stage in state.reserving else 0.0

    def repriced(self, costs: Costs) -> DrawnGamPlan:
        """Return the plan with new probabilities, or a new order, by its weighting."""
        prices = np.array([costs.price_of(items) for items in self.stages.items])
        order, probability = np.arange(len(prices)), self.probability
        if self.weighting == "top":
            order = best_first(self.alpha, prices)
        elif self.weighting:
            probability = draw_probabilities(self.alpha, prices, self.weighting == "cost-aware")
        rooms = [float(prices.max(initial=0.0)) if room else 0.0 for room in self.stages.headroom]
        return self._with_draws(order, tuple(rooms), probability)

    def _with_draws(
        self, order: Ints, headroom: tuple[float, ...], probability: Floats
    ) -> DrawnGamPlan:
        """Return the plan with its stages in another order, and other probabilities."""
        stages = StageTable(self.stages.items, headroom).reordered(order)
        alpha = self.alpha[order] if self.weighting else ()
        return DrawnGamPlan(
            stages, self.functions, np.argsort(order)[self.stage_of], self.weights, self.refusal,
            probability[order], self.seed, self.weighting, alpha,
        )  # fmt: skip

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the plan."""
        header, arrays = super().parts()
        drawn = {"probability": self.probability, "alpha": self.alpha}
        return header | {"seed": self.seed, "weighting": self.weighting}, arrays | drawn

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> DrawnGamPlan:
        """Return the plan of stored `parts`."""
        gam = GamPlan.from_parts(header, arrays)
        return cls(
            gam.stages, gam.functions, gam.stage_of, gam.weights, gam.refusal,
            arrays["probability"], header["seed"], header["weighting"], arrays["alpha"],
        )  # fmt: skip
