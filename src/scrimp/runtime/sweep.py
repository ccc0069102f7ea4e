"""The Sweep: answers and spend of many rows at many budgets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.target import Target
from ..types import Floats


@dataclass(frozen=True, eq=False)
class Sweep:
    """Answers and spend of many rows at many budgets.

    Neighbouring budgets often buy the same items and then give the same answers, which are
    stored once per run of budgets.

    Parameters
    ----------
    budgets : float array (budgets,)
        The budgets.
    spent : float array (rows, budgets)
        The spend of each row; never more than the budget.
    answers : float array (rows, runs, outputs)
        The readout of the plan, once per run of budgets with the same answers.
    target : Target
        The meaning of the scores.
    run_of : int array (budgets,), optional
        The run of each budget; by default every budget is a run.
    """

    budgets: Floats
    spent: Floats
    answers: Floats
    target: Target
    run_of: NDArray[np.intp] | None = None

    def __repr__(self) -> str:
        (rows, n), low, high = self.spent.shape, min(self.budgets), max(self.budgets)
        return f"Sweep({rows:,} rows; {n} budgets from {low:g} to {high:g})"

    @cached_property
    def scores(self) -> Floats:
        """The readout of the plan (rows x budgets x outputs)."""
        return self._at_budgets(self.answers)

    def labels(self) -> NDArray[Any]:
        """Return predicted labels, or values (rows x budgets)."""
        return self._at_budgets(self.target.labels(self.answers))

    def probabilities(self) -> Floats:
        """Return class probabilities (rows x budgets x classes)."""
        return self._at_budgets(self.target.probabilities(self.answers))

    def _at_budgets(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self.run_of is None else values[:, self.run_of]
