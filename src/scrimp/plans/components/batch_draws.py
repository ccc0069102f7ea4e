"""The answers of a sampled plan to a batch of rows, computed by a kernel."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...costs.ledger import Ledger, limit
from ...kernels.threads import run_over_rows
from ...types import Floats, Ints
from .affordable_draws import MAX_REJECTIONS
from .draw_tables import cumulative_with_guide, initial_slot, kernel_arguments, purchase_tables
from .members import Members
from .stumps import StumpTable

#: The cost of the draws of one row, in evaluations of a stump: it decides the number of threads.
_EVALUATIONS_PER_ROW = 1000
#: Rows whose votes are computed at a time: more amortise calls better, fewer fit in the cache.
_BLOCK_ROWS = 250
#: Votes computed at a time, which limits the rows of a block where members are many.
_BLOCK_VOTES = 200_000


@dataclass(frozen=True, eq=False)
class DrawSettings:
    """An ensemble and the rules by which its members are drawn.

    Parameters
    ----------
    members : Members
        The ensemble.
    probability : float array (members,)
        The probability of each member in one draw; 0 for free members, which always vote.
    headroom : sequence of float
        The headroom of each member.
    prior : float array (outputs,)
        The answer without a vote.
    seed, max_draws : int
        The seed of the draws, and their maximum number per row.
    affordable : bool
        Whether a member that cannot be paid for is left out, or ends the draws.
    """

    members: Members
    probability: Floats
    headroom: Sequence[float]
    prior: Floats
    seed: int
    max_draws: int
    affordable: bool

    @cached_property
    def draws_any(self) -> bool:
        """Whether any member is drawn, rather than always voted."""
        return bool(self.probability.any())

    def fixed_members(self, full: bool) -> list[int]:
        """Return the members that vote without a draw: the free ones first, then all if `full`."""
        free: list[int] = np.flatnonzero(self.probability == 0).tolist()
        return free + np.flatnonzero(self.probability > 0).tolist() if full else free


@dataclass(frozen=True, eq=False)
class RowBatch:
    """Rows to be answered: their values, keys, and budgets.

    Parameters
    ----------
    X, rows, keys
        As in `scrimp.plans.contract.Plan.tell` and ``start``.
    budget_of : int array (rows,), optional
        The position of each row's budget; without it every row is answered at all budgets.
    """

    X: NDArray[Any]
    rows: Ints
    keys: NDArray[np.uint64]
    budget_of: Ints | None


@dataclass(frozen=True, eq=False)
class _BudgetRun:
    """Consecutive budgets that pay for the same fixed members, from the number `start` on."""

    start: int
    ledger: Ledger
    voted: list[int]

    @property
    def stop(self) -> int:
        return self.start + len(self.ledger.budgets)


@dataclass(frozen=True, eq=False)
class _DrawingRows:
    """Rows that draw: keys, rows of X, places in the answers, sums of fixed votes, budgets."""

    keys: NDArray[np.uint64]
    rows: Ints
    place: Ints
    fixed_sums: Floats
    first: Ints
    last: Ints

    def part(self, start: int, stop: int) -> _DrawingRows:
        """Return some consecutive rows."""
        return _DrawingRows(*(getattr(self, field.name)[start:stop] for field in fields(self)))


def answer_rows(
    settings: DrawSettings,
    batch: RowBatch,
    ledger: Ledger,
    needs: Sequence[Sequence[int]],
    full: bool,
) -> tuple[Floats, Floats]:
    """Return scores (lanes x rows x outputs) and spend (lanes x rows).

    Parameters
    ----------
    settings : DrawSettings
        The ensemble and the rules of its draws.
    batch : RowBatch
        The rows.
    ledger : Ledger
        The items that the rows own, and the budgets.
    needs : sequence of sequences of int
        The items of each member with all they require.
    full : bool
        Whether the budgets pay for the vote of all members.
    """
    lanes = len(ledger.budgets) if batch.budget_of is None else 1
    n_rows, n_outputs = len(batch.rows), len(settings.prior)
    scores, spent = np.empty((lanes, n_rows, n_outputs)), np.empty((lanes, n_rows))
    for run in _budget_runs(settings.fixed_members(full), ledger, needs):
        drawing = _rows_of_run(settings, batch, run)
        if full or not settings.draws_any:
            sums, place = drawing.fixed_sums, drawing.place
            sums[(sums == 0).all(axis=1)] = settings.prior
            to = slice(run.start, run.stop) if batch.budget_of is None else slice(1)
            scores[to, place], spent[to, place] = sums, run.ledger.spent
        elif len(drawing.rows):
            _draw_in_threads(settings, batch, drawing, ledger, run.ledger, needs, scores, spent)
    return scores, spent


def _budget_runs(
    members: list[int], ledger: Ledger, needs: Sequence[Sequence[int]]
) -> Iterator[_BudgetRun]:
    """Yield runs of budgets that pay for the same of some members, bought in order."""
    todo: list[tuple[int, _BudgetRun]] = [(0, _BudgetRun(0, ledger, []))]
    while todo:
        position, run = todo.pop()
        start, voted = run.start, run.voted
        part = run.ledger.at(0, len(run.ledger.budgets))
        for number, member in enumerate(members[position:], start=position + 1):
            poor = part.first_affording(needs[member])
            if poor == len(part.budgets):
                continue
            if poor:
                todo.append((number, _BudgetRun(start, part.at(0, poor), list(voted))))
                start, part = start + poor, part.at(poor, len(part.budgets))
            part.buy(needs[member])
            voted.append(member)
        yield _BudgetRun(start, part, voted)


def _rows_of_run(settings: DrawSettings, batch: RowBatch, run: _BudgetRun) -> _DrawingRows:
    """Return the rows with a budget of a run, and the sums of their fixed votes."""
    place = np.arange(len(batch.rows))
    first, last = np.full(len(place), run.start), np.full(len(place), run.stop)
    if batch.budget_of is not None:
        place = np.flatnonzero((run.start <= batch.budget_of) & (batch.budget_of < run.stop))
        first, last = batch.budget_of[place], batch.budget_of[place] + 1
    rows, sums = batch.rows[place], np.zeros((len(place), len(settings.prior)))
    _add_votes(settings.members, sums, run.voted, batch.X, rows)
    return _DrawingRows(batch.keys[place], rows, place, sums, first, last)


def _draw_in_threads(
    settings: DrawSettings,
    batch: RowBatch,
    drawing: _DrawingRows,
    before: Ledger,
    after: Ledger,
    needs: Sequence[Sequence[int]],
    scores: Floats,
    spent: Floats,
) -> None:
    """Write the scores and the spend of rows that draw.

    `before` and `after` are the ledgers before and after the fixed members were bought.
    """
    from ...kernels.sampling import draw_rows

    members, probability, n_outputs = settings.members, settings.probability, len(settings.prior)
    limits = np.array(list(map(limit, before.budgets)))
    tables = purchase_tables(probability, settings.headroom, before, needs)
    slot = initial_slot(tables, probability, n_outputs, before, after)
    rules = (limits, settings.max_draws, MAX_REJECTIONS, settings.affordable)
    shared = (*rules, *cumulative_with_guide(probability), *kernel_arguments(tables, slot))
    seed, first_lane_is_0 = np.uint64(settings.seed % 2**64), batch.budget_of is not None

    def draw_block(part: _DrawingRows, buffer: Floats) -> None:
        shape = len(members), n_outputs, len(part.rows)
        votes = members.votes_on(batch.X, part.rows, out=buffer[: math.prod(shape)].reshape(shape))
        draw_rows(
            seed, part.keys, part.place, part.first, part.last, first_lane_is_0, votes,
            part.fixed_sums, settings.prior, scores, spent, *shared,
        )  # fmt: skip

    def draw_blocks(start: int, stop: int) -> None:
        blocks = list(_blocks(members, start, stop))
        largest = max(b - a for a, b in blocks)
        buffer = np.empty(len(members) * n_outputs * largest)  # fresh memory is slow
        for a, b in blocks:
            draw_block(drawing.part(a, b), buffer)

    n_rows = len(drawing.rows)
    run_over_rows(draw_blocks, n_rows, n_rows * _EVALUATIONS_PER_ROW)


def _add_votes(
    members: Members, sums: Floats, voted: list[int], X: NDArray[Any], rows: Ints
) -> None:
    """Add the votes of members to sums, one member after the other."""
    if isinstance(members, StumpTable):
        members.add(sums, voted, X, rows)
        return
    for start, stop in _blocks(members, 0, len(rows)):
        for vote in members.votes_on(X, rows[start:stop], voted):
            sums[start:stop] += vote.T


def _blocks(members: Members, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Return runs of rows that are few enough for a table of all their votes."""
    votes_per_row = max(1, len(members) * members.n_outputs)
    step = max(1, min(_BLOCK_ROWS, _BLOCK_VOTES // votes_per_row))
    return pairwise([*range(start, stop, step), stop])
