"""The Session: one row at prediction time, without I/O and without a clock."""

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
from ..plans.capabilities import free_stages
from ..plans.priced_plan import PricedPlan
from ..types import Floats
from .session_values import SessionValues, by_name
from .stopping import StopContext, stop_rule

#: The only row of a session's table.
_ROWS = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True)
class Request:
    """The next purchase of a session.

    Parameters
    ----------
    items : tuple of str
        The items to be bought; required items come before those that require them.
    columns : tuple of str
        The columns whose values `Session.tell` expects.
    price : float
        The price of the items, which is held until they arrive or fail.
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
        The class probabilities.
    scores : float array (outputs,)
        The readout of the plan.
    spent : float
        The spend so far.
    expected_cost : float or None
        The expected cost of errors if the label is decided now, under the probabilities; None
        if the model has no `error_cost`.
    """

    label: Any
    probabilities: Floats | None
    scores: Floats
    spent: float
    expected_cost: float | None = None


class Session:
    """A state machine for one row: it requests items, is told values, and answers at any time.

    Parameters
    ----------
    priced : PricedPlan
        The plan and its costs.
    columns : Columns
        The names and the categories of the columns.
    target : Target
        The meaning of the scores.
    budget : float
        The limit of the spend.
    key : int
        The row's key, for plans that draw.
    known : mapping, optional
        Values by column name that are known from the start; their items are owned, for free.
    owned : iterable of str, optional
        Items without columns that are owned from the start, such as a fee that was paid.
    failed : iterable of str, optional
        Items that cannot be had: they are never requested.
    stop : {None, "certain", "confident"}
        The rule for stopping before the budget is used up.

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
        failed: Iterable[str] = (),
        stop: str | None = None,
    ) -> None:
        self._priced, self._target = priced, target
        self._values = SessionValues(priced, columns)
        self._rule = stop_rule(stop, target)
        self._X = np.full((1, len(columns)), np.nan)
        known = by_name("known", known)
        owned_items = self._values.owned_items(known, owned)
        for name, value in known.items():
            column = self._values.position(name)
            self._X[0, column] = self._values.number(column, value)
        self._ledger = Ledger(priced.costs, [budget], owned_items)
        self._ledger.failed = self._values.items(failed) - self._ledger.owned
        keys = np.array([operator.index(key) % 2**64], dtype=np.uint64)
        self._state = priced.plan.start(keys, self._ledger)
        self._stage = -1
        self._waiting: list[int] = []
        self._closed = False
        self._answer: Answer | None = None
        self._advance()

    @property
    def spent(self) -> float:
        """The spend so far."""
        return self._ledger.spent

    @property
    def budget(self) -> float:
        """The limit of the spend."""
        return self._ledger.budgets[0]

    @property
    def bought(self) -> tuple[str, ...]:
        """The names of owned items, including those owned from the start."""
        return tuple(self._priced.costs.names[item] for item in sorted(self._ledger.owned))

    def ask(self) -> Request | None:
        """Return the next purchase; None if there is nothing more to buy."""
        if not self._waiting:
            return None
        costs = self._priced.costs
        return Request(
            tuple(costs.names[item] for item in self._waiting),
            tuple(self._values.columns_of(self._waiting)),
            math.fsum(costs.prices[item] for item in self._waiting),
        )

    def tell(self, values: Mapping[str, Any] | None = None, *, arrived: Iterable[str] = ()) -> None:
        """Receive values by column name; None stands for a missing value.

        They may come in several calls. An item is paid for once all its columns are there,
        together with the items it requires; `arrived` names items without columns.
        """
        costs, told_items = self._priced.costs, self._values.items(arrived)
        numbers = self._values.numbers(values, self._waiting)
        self._values.check_whole(told_items, numbers)
        self._answer = None
        for column, value in numbers.items():
            self._X[0, column] = value
        told_items |= {costs.item_of[column] for column in numbers}
        if not told_items:
            expected = self._values.columns_of(self._waiting)
            if expected:
                raise ValueError(
                    f"Nothing was told; expected {expected}. Call fail() if it cannot be had."
                )
            told_items = set(self._waiting)
        for item in costs.closure(sorted(told_items)):
            if item in self._waiting and self._has_arrived(item, told_items):
                self._ledger.commit(item)
        self._waiting = [item for item in self._waiting if item not in self._ledger.owned]
        if self._stage >= 0 and not self._waiting:
            self._fold(self._stage)
            self._advance()

    def fail(self, item: str | None = None) -> None:
        """Report that requested items failed: they are neither paid for nor requested again.

        Parameters
        ----------
        item : str, optional
            The item that failed; by default all items that the stage still waits for.
        """
        if item is not None and not self._values.items([item]) <= set(self._waiting):
            # an item that the session no longer waits for
            self._ledger.release(*self._values.items([item]), failed=True)
            return
        if not self._waiting:
            return
        wanted = set(self._priced.plan.stages.items[self._stage]) & set(self._waiting)
        failed = self._values.items([item]) if item is not None else wanted or set(self._waiting)
        for waiting in self._waiting:
            self._ledger.release(waiting, failed=waiting in failed)
        self._waiting = []
        self._priced.plan.refuse(self._state, self._stage, self._ledger)
        self._advance()

    def read(self) -> Answer:
        """Return the answer so far, from all owned items, without changing the session."""
        if self._answer is None:
            self._answer = self._read()
        return self._answer

    def _read(self) -> Answer:
        plan, state, target = self._priced.plan, self._state, self._target
        free = free_stages(plan, state, self._priced.owned_stages(self._ledger.owned))
        if free:  # as if nothing more could be bought
            state = state.fork()
            for stage in free:
                plan.tell(state, stage, self._X, _ROWS)
        scores = plan.read(state)
        return Answer(
            target.labels(scores)[0],
            target.probabilities(scores)[0] if not target.is_number else None,
            scores[0],
            self.spent,
            None if target.error_costs is None else float(target.expected_costs(scores)[0]),
        )

    def _advance(self) -> None:
        """Tell owned stages and refuse unaffordable ones, until something must be bought."""
        self._answer = None
        plan, ledger, needs_of = self._priced.plan, self._ledger, self._priced.needs
        owned = ledger.owned
        while True:
            stage = -1 if self._closed else plan.ask(self._state)
            if not isinstance(stage, int):  # one stage per row
                stage = int(np.asarray(stage).item())
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
        """Tell the plan a stage whose columns are owned."""
        self._priced.plan.tell(self._state, stage, self._X, _ROWS)

    def _stop_early(self) -> bool:
        """Return whether the answer is settled; if so, tell the stages on owned columns."""
        assert self._rule is not None
        priced, state = self._priced, self._state
        stops, free = self._rule.decide(
            StopContext(priced, self._target, state, self._ledger, self._X, _ROWS)
        )
        if not stops[0]:
            return False
        for stage in free:
            self._fold(stage)
        self._rule.settle(priced, state)
        return True

    def _has_arrived(self, item: int, told_items: set[int]) -> bool:
        """Return whether an item was told, or is a fee that a told item requires."""
        return item in told_items or not self._priced.costs.columns[item]
