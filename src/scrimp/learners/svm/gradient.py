"""Accelerated gradient steps, as long as the loss allows: for many columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...kernels.gradient import gradient_steps
from ...types import Floats, Ints
from .descent import Bound, Descent, Point
from .groups import per_price
from .machine import Machine

#: Steps between two looks at the gap: few at first, as a good start may be near the end, more after
#: many, and few where the gap is so many times what is asked for, at most, and steps take long.
_FIRST_STEPS, _STEPS, _PART, _LAST_STEPS, _NEAR, _MANY_CELLS = 2, 10, 20, 3, 4.0, 1_000_000
#: Groups take part that are worth this part of the least that is bought, per price. If they have
#: more than this part of the columns, all do.
_NEARLY, _MOST = 0.3, 0.6
#: Momentum at the beginning, as if a step or two had been taken before.
_MOMENTUM = 2.0


class GradientDescent(Descent):
    """Between two looks only groups take part that are in use or look nearly worth their price."""

    def __init__(
        self, machine: Machine, prices: Floats, budget: float, start: Point,
        groups: Ints | None = None,
    ) -> None:  # fmt: skip
        super().__init__(machine, prices, budget, start, groups)
        self._taking = self.groups
        self._numbers = np.array([1.0, start.curvature, 1.0])
        self._pulls, self._new = machine.zeros(), machine.zeros()
        self.start_anew()
        self._numbers[0] = _MOMENTUM

    def start_anew(self) -> None:
        """Without momentum."""
        self._numbers[0] = 1.0
        self._ahead = self.w.copy(), self.z.copy(), self.b.copy()

    def point(self) -> Point:
        """Where it is, with the length of steps there."""
        return replace(super().point(), curvature=float(self._numbers[1]))

    def step(self, tol: float) -> bool:
        """Several steps, each from a point ahead."""
        machine, taking = self.machine, self._taking
        near = self.gap <= _NEAR * tol and machine.n_cells > _MANY_CELLS
        most = _LAST_STEPS if near else max(_STEPS, self.steps // _PART)
        n_steps = min(_FIRST_STEPS + self.steps // 3, most)
        self.w, self.z, self.b = self.w.copy(), self.z.copy(), self.b.copy()
        dense, values, rows, starts = machine.cells
        ahead, ahead_z, ahead_b = self._ahead
        gradient_steps(
            dense, values, rows, starts, machine.loss, machine.targets, machine.weights,
            machine.epsilon, self.width, taking, machine.firsts, self.prices[taking],
            machine.scales[taking], self.budget, self.offsets, self.w, self.z, self.b, ahead,
            ahead_z, ahead_b, self._pulls, self._new, self._numbers, n_steps,
        )  # fmt: skip
        self.steps += n_steps
        self.work += 2.0 * n_steps * machine.n_cells * machine.n_outputs
        return True

    def look(self) -> Bound:
        """See also which groups are to take part."""
        latest = super().look()
        if self.prices.any():
            wanted, takes = self._promising(latest), np.zeros(self.machine.n_groups, dtype=bool)
            takes[self._taking] = True
            if not takes[wanted].all() or 2 * len(wanted) < len(self._taking):
                self._taking = wanted
        return latest

    def _promising(self, latest: Bound) -> Ints:
        """Groups in use, and those whose worth per price is near that of what is bought."""
        machine, values = self.machine, latest.values
        worth = per_price(values, self.prices)
        least = worth[(latest.shares > 0) & (values > 0)].min(initial=np.inf)
        used = machine.squares(self.w, self._taking) + machine.squares(self._ahead[0], self._taking)
        wanted = (worth >= _NEARLY * least) | (used > 0)
        most = machine.sizes[wanted].sum() > _MOST * machine.sizes[self.groups].sum()
        return self.groups if most else np.flatnonzero(wanted)
