"""Checks of spending: budgets hold, no item is paid twice, owned items are free."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..costs.costs import Costs
from ..costs.ledger import within
from .cases import COLUMNS, Case
from .driving import feed, price_of, values_of
from .running import assert_same, on_cases, scores_of


@on_cases
def check_spend_within_budget(estimator: Any, case: Case) -> None:
    """No row spends more than its budget, at the prices that were given."""
    model = case.fit(estimator)
    for budget in case.budgets:
        spent = model.spend(case.X, budget)
        assert all(within(row, budget) for row in spent), f"spends {spent.max()} of {budget}."
        session = feed(model.session(budget), case.X[0], COLUMNS)
        real = price_of(case.costs, session.bought)
        assert within(real, budget), f"buys for {real} with a budget of {budget}."
    row_budgets = case.rng.choice(case.budgets, len(case.X))
    spent = model.spend(case.X, row_budgets)
    assert all(map(within, spent, row_budgets)), "a row spends more than its own budget."


@on_cases
def check_items_are_paid_once(estimator: Any, case: Case) -> None:
    """The spend is the price of the items bought, each once, with all they require."""
    model, costs = case.fit(estimator), case.costs
    for key, row in enumerate(case.X[:3]):
        for budget in (*case.budgets, None):
            session = feed(model.session(budget, key=key), row, COLUMNS)
            bought = session.bought
            assert len(set(bought)) == len(bought), f"{bought} holds an item twice."
            items = {costs.names.index(name) for name in bought}
            assert items == set(costs.closure(items)), f"{bought} lacks what it requires."
            expected = price_of(costs, bought)
            assert session.spent == expected, f"{bought} cost {expected}, paid {session.spent}."


@on_cases
def check_currency(estimator: Any, case: Case) -> None:
    """Prices and budgets times a power of two change nothing."""
    factor = 2.0 ** int(case.rng.integers(-20, 20))
    other = case.scaled(factor)
    ours, theirs = case.fit(estimator), other.fit(estimator)
    for mine, yours in zip((*case.budgets, None), (*other.budgets, None), strict=True):
        one, two = scores_of(ours, case.X, mine), scores_of(theirs, case.X, yours)
        assert_same(one, two, f"prices times {factor} change the answer", rtol=1e-9)
        spent = factor * ours.spend(case.X, mine)
        assert_same(spent, theirs.spend(case.X, yours), f"prices times {factor} change the spend")


@on_cases
def check_owned_is_free(estimator: Any, case: Case) -> None:
    """Items that a row owns cost nothing and are used."""
    model, costs, rng = case.fit(estimator), case.costs, case.rng
    everything = _owned(costs, costs.names, len(case.X))
    assert not model.spend(case.X, owned=everything).any(), "pays for what is owned."
    all_bought = scores_of(model, case.X)
    assert_same(scores_of(model, case.X, 0.0, owned=everything), all_bought, "owned is not used")
    for budget in case.budgets:
        some = costs.closure(rng.choice(costs.n_items, 2).tolist())
        columns = [COLUMNS[c] for item in some for c in costs.columns[item]]
        session = model.session(budget, known=values_of(case.X[0], columns, COLUMNS))
        before = set(session.bought)
        feed(session, case.X[0], COLUMNS)
        spent = model.spend(case.X[:1], budget, owned=_owned(costs, columns, 1))[0]
        assert spent == session.spent, f"owning {columns}, a batch pays otherwise than a session."
        real = price_of(costs, set(session.bought) - before)
        assert session.spent == real, f"owning {sorted(before)}, pays {session.spent} for {real}."


def _owned(costs: Costs, owned: Collection[str], n: int) -> Any:
    """Return a mask by the names of columns and items; a bare array may be ambiguous."""
    from polars import DataFrame

    return DataFrame({name: [name in owned] * n for name in (*COLUMNS, *costs.names)})
