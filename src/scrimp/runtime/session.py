"""Session: one row at prediction time. It does no I/O and reads no clock."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..costs.ledger import Ledger
from ..data.columns import Columns
from ..data.target import Target
from ..plans.capabilities import bounded, free_stages
from ..plans.priced_plan import PricedPlan
from ..types import Floats
from .session_values import Intake, by_name
from .stopping import outlook, stop_rule

_ROWS = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True)
class Request:
    """What a session needs next.

    Parameters
    ----------
    items : tuple of str
        What is to be bought, in an order that respects what requires what.
    columns : tuple of str
        The values that `Session.tell` expects.
    price : float
        What it costs together; the money is held.
    """

    items: tuple[str, ...]
    columns: tuple[str, ...]
    price: float


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer so far.

    Parameters
    ----------
    label : object
        The predicted class or value.
    probabilities : float array (classes,), or None for a regression
    scores : float array (outputs,)
    spent : float
    """

    label: Any
    probabilities: Floats | None
    scores: Floats
    spent: float


class Session:
    """Says what one row needs next, is told what arrived or failed, answers at any time.

    Parameters
    ----------
    priced : PricedPlan
        The plan and its costs.
    columns : Columns
        Names and categories of the columns.
    target : Target
        What the scores mean.
    budget : float
        The most that may be spent.
    key : int
        The row's key, for plans that draw.
    known : mapping, optional
        Values by column name that the row has already; their items are owned, free.
    owned : iterable of str, optional
        Items without columns that the row has already, such as a fee that was paid.
    stop : {None, "certain"}
        When to stop before the budget does.

    Examples
    --------
    >>> from scrimp.datasets import load_heart
    >>> from scrimp import BudgetedBoostingClassifier
    >>> heart = load_heart()
    >>> model = BudgetedBoostingClassifier(heart.costs, n_rounds=20).fit(heart.X, heart.y)
    >>> session = model.session(budget=2.0)
    >>> session.ask().items
    ('cp',)
    >>> session.tell({"cp": "asymptomatic"})
    >>> session.spent
    1.0
    """

    def __init__(
        self,
        priced: PricedPlan,
        columns: Columns,
        target: Target,
        *,
        budget: float = np.inf,
        key: int = 0,
        known: Mapping[str, Any] | None = None,
        owned: Iterable[str] = (),
        stop: str | None = None,
    ) -> None:
        self._priced, self._target = priced, target
        self._intake = Intake(priced, columns)
        self._rule = stop_rule(stop)
        self._X = np.full((1, len(columns)), np.nan)
        known = by_name("known", known)
        have = self._intake.owned_items(known, owned)
        for name, value in known.items():
            column = self._intake.position(name)
            self._X[0, column] = self._intake.number(column, value)
        self._ledger = Ledger(priced.costs, [budget], have)
        keys = np.array([operator.index(key) % 2**64], dtype=np.uint64)
        self._state = priced.plan.start(keys, self._ledger)
        self._stage = -1
        self._waiting: list[int] = []
        self._closed = False
        self._answer: Answer | None = None
        self._advance()

    @property
    def spent(self) -> float:
        """What has been paid."""
        return self._ledger.spent

    @property
    def budget(self) -> float:
        """The most that may be spent."""
        return self._ledger.budgets[0]

    @property
    def bought(self) -> tuple[str, ...]:
        """Items owned, those from the start included."""
        return tuple(self._priced.costs.names[item] for item in sorted(self._ledger.owned))

    def ask(self) -> Request | None:
        """What is needed next; None when there is nothing more to buy."""
        if not self._waiting:
            return None
        costs = self._priced.costs
        return Request(
            tuple(costs.names[item] for item in self._waiting),
            tuple(self._intake.columns_of(self._waiting)),
            math.fsum(costs.prices[item] for item in self._waiting),
        )

    def tell(self, values: Mapping[str, Any] | None = None, *, arrived: Iterable[str] = ()) -> None:
        """Values arrived, by column name; None stands for a missing one.

        They may come in several calls. An item is paid once all its columns are there,
        together with what it requires; `arrived` names items without columns.
        """
        costs, told = self._priced.costs, self._intake.items(arrived)
        numbers = self._intake.numbers(values, self._waiting)
        self._intake.check_whole(told, numbers)
        self._answer = None
        for column, value in numbers.items():
            self._X[0, column] = value
        told |= {costs.item_of[column] for column in numbers}
        if not told:
            expected = self._intake.columns_of(self._waiting)
            if expected:
                raise ValueError(
                    f"Nothing was told; expected {expected}. Call fail() if it cannot be had."
                )
            told = set(self._waiting)
        for item in costs.closure(sorted(told)):
            if item in self._waiting and self._is_there(item, told):
                self._ledger.commit(item)
        self._waiting = [item for item in self._waiting if item not in self._ledger.owned]
        if self._stage >= 0 and not self._waiting:
            self._fold(self._stage)
            self._advance()

    def fail(self, item: str | None = None) -> None:
        """What was asked for cannot be had: it is not paid for, nor asked for again.

        Parameters
        ----------
        item : str, optional
            The item that failed; by default all that the stage still waits for.
        """
        if item is not None and not self._intake.items([item]) <= set(self._waiting):
            # news of an item that nobody waits for any more
            self._ledger.release(*self._intake.items([item]), failed=True)
            return
        if not self._waiting:
            return
        wanted = set(self._priced.plan.stages.items[self._stage]) & set(self._waiting)
        failed = self._intake.items([item]) if item is not None else wanted or set(self._waiting)
        for waiting in self._waiting:
            self._ledger.release(waiting, failed=waiting in failed)
        self._waiting = []
        self._priced.plan.refuse(self._state, self._stage, self._ledger)
        self._advance()

    def read(self) -> Answer:
        """The answer so far, with all that is owned; reading changes nothing."""
        if self._answer is None:
            self._answer = self._read()
        return self._answer

    def _read(self) -> Answer:
        plan, state, target = self._priced.plan, self._state, self._target
        free = free_stages(plan, state, self._priced.owned_stages(self._ledger.owned))
        if free:  # as if it were cut off now
            state = state.fork()
            for stage in free:
                plan.tell(state, stage, self._X, _ROWS)
        scores = plan.read(state)
        return Answer(
            target.labels(scores)[0],
            target.probabilities(scores)[0] if not target.is_number else None,
            scores[0],
            self.spent,
        )

    def _advance(self) -> None:
        """Fold all that is owned, refuse what is too dear, until something must be bought."""
        self._answer = None
        plan, ledger, needs_of = self._priced.plan, self._ledger, self._priced.needs
        owned = ledger.owned
        while True:
            # a plan may answer with one stage for all rows, or with one a row
            stage = -1 if self._closed else int(np.asarray(plan.ask(self._state)).item())
            self._stage = stage
            if stage < 0:
                return
            needs = needs_of[stage]
            missing = not owned.issuperset(needs)
            headroom = plan.headroom(self._state, stage)
            if (missing or headroom) and ledger.first_affording(needs, headroom):
                plan.refuse(self._state, stage, ledger)
            elif not missing:
                self._fold(stage)
            elif self._rule is not None and self._stop_early():
                self._closed = True
            else:
                self._waiting = ledger.missing(needs)
                ledger.hold(self._waiting)
                return

    def _fold(self, stage: int) -> None:
        self._priced.plan.tell(self._state, stage, self._X, _ROWS)

    def _stop_early(self) -> bool:
        """Whether the answer is settled; what is owned then still counts."""
        assert self._rule is not None
        plan = self._priced.plan
        free, unsure = outlook(self._priced, self._state, self._ledger)
        rule_says = self._rule(
            self._priced, self._target, self._state, free, unsure, self._X, _ROWS
        )
        if not rule_says[0]:
            return False
        for stage in free:
            self._fold(stage)
        bounded(plan).settle(self._state)
        return True

    def _is_there(self, item: int, told: set[int]) -> bool:
        """All columns have a value, or a fee whose dependant arrived."""
        return item in told or not self._priced.costs.columns[item]
