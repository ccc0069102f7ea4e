"""Drives sessions in checks: feeds rows, lets items fail, and counts what is paid."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs.costs import Costs
from ..runtime.session import Request, Session

#: Far more events than a small problem has: a session that goes on for longer never ends.
MAX_EVENTS = 10_000

Row = NDArray[Any]


def requests(session: Session) -> Iterator[Request]:
    """Yield the requests of a session until it is done; the loop's body must answer."""
    for _ in range(MAX_EVENTS):
        request = session.ask()
        if request is None:
            return
        yield request
    raise AssertionError(f"a session still asks after {MAX_EVENTS} events.")


def values_of(row: Row, names: Iterable[str], columns: tuple[str, ...]) -> dict[str, Any]:
    """Return values of a row by name; `columns` names all its columns."""
    return {name: row[columns.index(name)] for name in names}


def feed(session: Session, row: Row, columns: tuple[str, ...]) -> Session:
    """Tell a session all that it asks for."""
    for request in requests(session):
        session.tell(values_of(row, request.columns, columns))
    return session


def stumble(
    session: Session,
    row: Row,
    columns: tuple[str, ...],
    costs: Costs,
    rng: np.random.Generator,
) -> Iterator[set[str]]:
    """Answer in pieces and let items fail; yield the failed items after each event."""
    failed: set[str] = set()
    for request in requests(session):
        again = failed & set(request.items)
        assert not again, f"the items {sorted(again)} failed and are asked for again."
        chance = rng.random()
        if chance < 0.15:
            session.fail()
        elif chance < 0.4:
            failed.add(str(rng.choice(request.items)))
            session.fail(str(*failed.intersection(request.items)))
        else:
            _tell_some(session, request, row, columns, costs, rng)
        yield failed


def _tell_some(
    session: Session,
    request: Request,
    row: Row,
    columns: tuple[str, ...],
    costs: Costs,
    rng: np.random.Generator,
) -> None:
    """Tell all that was asked for, or one item of it."""
    item = costs.names.index(str(rng.choice(request.items)))
    item_columns = [columns[c] for c in costs.columns[item]]
    if rng.random() < 0.5:
        session.tell(values_of(row, request.columns, columns))
    elif item_columns:
        session.tell(values_of(row, item_columns, columns))
    else:
        session.tell(arrived=[costs.names[item]])


def price_of(costs: Costs, names: Iterable[str]) -> float:
    """Return the total price of items by name, each counted once."""
    return math.fsum(costs.prices[costs.names.index(name)] for name in set(names))
