"""The draws of a sampled plan, handed to a kernel over rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...costs.ledger import Ledger, limit
from ...types import Floats, Ints
from .affordable_draws import PATIENCE
from .members import Members
from .stumps import StumpTable, _in_threads

if TYPE_CHECKING:
    from ..sampled import SampledPlan

#: What drawing for a row is reckoned to cost, in votes of stumps.
_WORK = 1000
#: The votes of so many rows, or of fewer if they are many, are worked out at a time.
_BLOCK, _VOTES = 250, 200_000


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
    plan : SampledPlan
        The plan.
    who : tuple of arrays
        Of each row: its key, its place in X and in the answers, its sure votes, its budgets.
    ledger, part : Ledger
        Before and after the sure members were bought.
    X, needs
        As in `SampledPlan.answer_cohort`.
    shift, scores, spent
        As in `scrimp.kernels.sampling.draw_rows`.
    """
    from ...kernels.sampling import draw_rows

    rows = who[1]
    limits = np.array(list(map(limit, ledger.budgets)))
    rules = (limits, plan.max_draws, PATIENCE, plan.affordable, *_sums_and_guide(plan.probability))
    shop = _shop(plan, ledger, needs)
    before = _before(plan, shop, ledger, part)
    plain = [array.view(np.uint8) if array.dtype.names else array for array in (*shop, *before)]
    seed = np.uint64(plan.seed % 2**64)

    def draw(start: int, stop: int, room: Floats) -> None:
        keys_, rows_, place_, sure_, first_, last_ = (array[start:stop] for array in who)
        shape = len(plan.members), plan.n_outputs, stop - start
        votes = plan.members.votes_on(X, rows_, out=room[: math.prod(shape)].reshape(shape))
        draw_rows(
            seed, keys_, place_, first_, last_, shift, votes, sure_, plan.prior, scores, spent,
            *rules, *plain,
        )  # fmt: skip

    def draw_blocks(start: int, stop: int) -> None:
        blocks = list(_blocks(plan.members, start, stop))
        most = max(b - a for a, b in blocks)
        room = np.empty(len(plan.members) * plan.n_outputs * most)  # fresh memory is slow
        for a, b in blocks:
            draw(a, b, room)

    if len(rows):
        _in_threads(draw_blocks, len(rows), work=len(rows) * _WORK)


def add_votes(members: Members, sums: Floats, told: list[int], X: NDArray[Any], rows: Ints) -> None:
    """Add the votes of members to sums, one member after the other."""
    if isinstance(members, StumpTable):
        members.add(sums, told, X, rows)
        return
    for start, stop in _blocks(members, 0, len(rows)):
        votes = members.votes_on(X, rows[start:stop], told)
        for vote in votes:
            sums[start:stop] += vote.T


def _blocks(members: Members, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Runs of rows few enough for a table of all their votes."""
    step = max(1, min(_BLOCK, _VOTES // max(1, len(members) * members.n_outputs)))
    return pairwise([*range(start, stop, step), stop])


def _sums_and_guide(chance: Floats) -> tuple[Floats, NDArray[Any]]:
    """Running sums of chances, and a guide to them."""
    from ...kernels.guide_table import GUIDE, make_guide

    guide = np.empty(GUIDE, dtype=np.int32)
    sums = np.cumsum(chance)
    make_guide(sums, guide)
    return sums, guide


def _shop(
    plan: SampledPlan, ledger: Ledger, needs: Sequence[Sequence[int]]
) -> tuple[NDArray[Any], ...]:
    """The members, the sets of items that those drawn need, each once, and these items."""
    from ...kernels.accounts import ITEM, MEMBER, SET

    drawn, prices = plan.probability > 0, ledger.costs.prices
    wanted = [tuple(own) for own, is_drawn in zip(needs, drawn, strict=True) if is_drawn]
    numbers = {own: number for number, own in enumerate(dict.fromkeys(wanted))}
    members = np.zeros(len(needs), dtype=MEMBER)
    members["item_set"] = len(numbers)
    members["item_set"][drawn] = [numbers[own] for own in wanted]
    members["probability"], members["headroom"] = plan.probability, plan.stages.headroom
    members["scale"][drawn] = 1.0 / plan.probability[drawn]
    sets = np.zeros(len(numbers), dtype=SET)
    sets["start"], sets["stop"] = _bounds(numbers)
    sets["price"] = [math.fsum(prices[i] for i in own) for own in numbers]
    sets["by_price"] = np.argsort(-sets["price"], kind="stable")
    sets["probability"] = np.bincount(
        members["item_set"][drawn], plan.probability[drawn], len(sets)
    )
    in_sets: list[list[int]] = [[] for _ in prices]
    for own, number in numbers.items():
        for item in own:
            in_sets[item].append(number)
    items = np.zeros(len(prices), dtype=ITEM)
    items["start"], items["stop"] = _bounds(in_sets)
    items["price"] = prices
    flat = [
        np.array([i for own in lists for i in own], dtype=np.int64) for lists in (numbers, in_sets)
    ]
    return members, sets, items, *flat


def _bounds(lists: Iterable[Sequence[int]]) -> tuple[Ints, Ints]:
    """Where each list begins and ends once they are put one after the other."""
    ends = np.cumsum([0, *map(len, lists)])
    return ends[:-1], ends[1:]


def _before(
    plan: SampledPlan, shop: tuple[NDArray[Any], ...], ledger: Ledger, part: Ledger
) -> tuple[NDArray[Any], ...]:
    """The state of rows once the sure members are bought."""
    from ...kernels.accounts import LEFT_OUT, SLOT
    from ...kernels.exact_sum import PARTIALS, add_to_sum

    _, sets, items, set_items, _ = shop
    owned = np.zeros(len(items), dtype=bool)
    owned[list(part.owned)] = True
    gaps = np.append(0, np.cumsum(~owned[set_items]))
    missing = gaps[sets["stop"]] - gaps[sets["start"]]
    partials, n = np.zeros(PARTIALS), 0
    for price in items["price"][sorted(part.owned - ledger.owned)].tolist():
        n = add_to_sum(partials, n, price) if price > 0 else n
    slot = np.zeros(1, dtype=SLOT)
    slot["n_partials"], slot["n_open"] = n, np.count_nonzero(missing)
    slot["spent"], slot["fitting"] = part.spent, -1.0
    slot["mass"] = slot["summed_mass"] = np.cumsum(plan.probability)[-1]
    totals = np.zeros((1, 2, plan.n_outputs))
    return slot, owned[None], np.append(missing, LEFT_OUT)[None], partials[None], totals
