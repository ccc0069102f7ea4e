"""Networks that are computed one after the other, each deeper than the one before, as a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from ..costs.costs import Costs
from ..plans import BlocksPlan, PrefixPlan
from ..plans.components.network_blocks import NetworkBlock
from ..plans.contract import Plan
from ..types import Floats, Ints
from .fitting import TrainedNet
from .purchase_blocks import stages_of, with_computation

#: Rows with which a block is timed, and how often.
_TIMED_ROWS, _TIMED_REPEATS = 256, 5


def network_depths(n_networks: int, depth: int, base: float, growth: str) -> list[int]:
    """Return the depths of networks, of which the last is the deepest.

    Parameters
    ----------
    n_networks, depth : int
        Networks, and the depth of the last one.
    base : float
        Of exponential growth: each is about so many times as deep as the one before.
    growth : {"exponential", "linear"}
        Linear growth has equal steps: the baseline of the thesis.

    Examples
    --------
    >>> network_depths(4, 8, 2.0, "exponential"), network_depths(4, 8, 2.0, "linear")
    ([1, 2, 4, 8], [2, 4, 6, 8])
    """
    if growth == "linear":
        depths = [depth * (k + 1) / n_networks for k in range(n_networks)]
    else:
        depths = [depth / base ** (n_networks - 1 - k) for k in range(n_networks)]
    return sorted({max(round(each), 1) for each in depths})


@dataclass(frozen=True, eq=False)
class NetworkSequence:
    """One network or several; an exit answers if it was better on validation rows than all before.

    Parameters
    ----------
    networks : sequence of TrainedNet
        In the order in which they are computed.
    """

    networks: Sequence[TrainedNet]

    @cached_property
    def losses(self) -> Floats:
        """The loss of each exit on validation rows."""
        return np.concatenate([network.losses for network in self.networks])

    @cached_property
    def has_exit(self) -> list[bool]:
        """Which exits are better than all before them, and than the prior."""
        lowest, kept = self.networks[0].prior_loss, []
        for loss in self.losses.tolist():
            kept.append(loss < lowest)
            lowest = min(lowest, loss)
        return kept

    @cached_property
    def multiply_adds(self) -> Ints:
        """The multiplications of each block for one row."""
        return np.concatenate([network.net.multiply_adds for network in self.networks])

    @cached_property
    def purchases(self) -> list[list[int]]:
        """The items of each block."""
        return [block for network in self.networks for block in network.blocks]

    def blocks(self, has_exit: Sequence[bool]) -> list[NetworkBlock]:
        """Return all blocks, with some of their exits."""
        blocks: list[NetworkBlock] = []
        for network in self.networks:
            own = has_exit[len(blocks) : len(blocks) + len(network.blocks)]
            task = network.task
            shifts = np.full((len(own), len(task.prior)), task.center)
            blocks += network.net.blocks(own, network.slopes * task.scale, shifts)
        return blocks

    def plan(self, costs: Costs, prices: Sequence[float]) -> tuple[Plan[Any], Costs]:
        """Return the plan, and prices that include those of the computation of each block."""
        task, kept = self.networks[0].task, self.has_exit
        prior = task.prior * task.scale + task.center
        if not any(kept):
            return PrefixPlan.constant(prior), costs
        stages = stages_of(self.purchases, kept, costs.n_items, any(prices))
        plan = BlocksPlan(stages, self.blocks(kept)[: len(stages)], prior)
        return plan, with_computation(costs, list(prices)[: len(stages)])


def milliseconds(networks: NetworkSequence) -> Floats:
    """Return the time that each block takes for a row, in batches as predictions take it."""
    blocks = networks.blocks([True] * len(networks.multiply_adds))
    table = networks.networks[0].task.table[:_TIMED_ROWS]
    rows = np.arange(len(table))
    times = np.full((_TIMED_REPEATS + 1, len(blocks)), np.inf)
    for repeat in range(_TIMED_REPEATS + 1):
        hidden = np.empty((len(rows), 0))
        for number, block in enumerate(blocks):
            start = perf_counter()
            hidden = block.forward(hidden, table, rows)
            block.answer(hidden)
            times[repeat, number] = perf_counter() - start
    return np.asarray(1e3 * times[1:].min(axis=0) / len(rows))  # the first may compile
