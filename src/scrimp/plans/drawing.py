"""The draws of a sampled plan, handed to a kernel over rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..ledger import Ledger, limit
from ..plan import Floats
from .stumps import _in_threads

if TYPE_CHECKING:
    from .sampled import SampledPlan

#: What drawing for a row is reckoned to cost, in votes of stumps.
_WORK = 1000


def draw_in_threads(
    plan: SampledPlan,
    X: NDArray[Any],
    who: tuple[NDArray[Any], ...],
    ledger: Ledger,
    part: Ledger,
    needs: Sequence[Sequence[int]],
    shift: bool,
    scores: Floats,
    spent: Floats,
) -> None:
    """Write the scores and the spend of rows that draw.

    Parameters
    ----------
    who : tuple of arrays
        Of each row: its key, its place in X and in the answers, its sure votes, its budgets.
    ledger, part : Ledger
        Before and after the sure stumps were bought.
    plan, X, needs, shift, scores, spent
        As in `scrimp.kernels.sampling.draw_votes`.
    """
    from ..kernels.sampling import draw_votes

    sets = {own: number for number, own in enumerate(dict.fromkeys(map(tuple, needs)))}
    owned = np.zeros(ledger.costs.n_items, dtype=bool)
    owned[list(part.owned)] = True
    prices = np.array(ledger.costs.prices)
    paid = prices[sorted(part.owned - ledger.owned)]
    fixed = (
        np.array([limit(budget) for budget in ledger.budgets]), plan.prior, plan.max_draws,
        plan.refusal == "skip", plan.probability, np.array(plan.stages.headroom),
        np.array([sets[tuple(own)] for own in needs]),
        np.cumsum([0, *map(len, sets)]), np.array([i for own in sets for i in own]),
        prices, owned, paid[paid > 0], scores, spent, *plan.stumps.arrays().values(),
    )  # fmt: skip
    seed = np.uint64(plan.seed % 2**64)

    def draw(start: int, stop: int) -> None:
        given = (seed, X, *(array[start:stop] for array in who), shift, *fixed)
        draw_votes(*given)

    _in_threads(draw, len(who[0]), work=len(who[0]) * _WORK)
