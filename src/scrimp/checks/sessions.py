"""Checks of sessions: they do what a batch does, can be read and stopped, survive failures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..costs.ledger import within
from .cases import COLUMNS, Case
from .driving import feed, price_of, requests, stumble, values_of
from .running import as_decided, assert_same, on_cases, scores_of


@on_cases
def check_batch_equals_sessions(estimator: Any, case: Case) -> None:
    """A batch equals the sessions of its rows with the same keys."""
    model = case.fit(estimator)
    X, keys = case.X[:5], case.rng.integers(0, 2**63, 5)
    for budget in (*case.budgets, None):
        labels = model.predict(X, budget, keys=keys)
        scores = scores_of(model, X, budget, keys=keys)
        spent = model.spend(X, budget, keys=keys)
        for i, row in enumerate(X):
            session = feed(model.session(budget, key=int(keys[i])), row, COLUMNS)
            answer = session.read()
            where = f"in row {i} at a budget of {budget}"
            assert session.spent == spent[i], f"spends {session.spent}, a batch {spent[i]} {where}."
            decided = as_decided(model.predictor_.target, answer.scores)
            assert_same(decided, scores[i], f"scores {where}", rtol=1e-9)
            same = answer.label == labels[i] or np.isclose(scores[i], 0.0, atol=1e-9).any()
            assert same or answer.probabilities is None, f"another label {where}."


@on_cases
def check_read_is_pure(estimator: Any, case: Case) -> None:
    """Reading changes nothing, and a session may be stopped after any event."""
    model, row = case.fit(estimator), case.X[0]
    for budget in (*case.budgets, None):
        expected = feed(model.session(budget), row, COLUMNS).read()
        session = model.session(budget)
        for request in requests(session):
            first, second = session.read(), session.read()
            assert_same(first.scores, second.scores, "a second read gives another answer")
            assert np.isfinite(first.scores).all(), f"the answer is {first.scores}."
            assert first.spent == second.spent == session.spent
            assert session.ask() == request, "a read changes what is asked for."
            session.tell(values_of(row, request.columns, COLUMNS))
        answer = session.read()
        assert_same(answer.scores, expected.scores, "reads on the way change the last answer")
        assert answer.spent == expected.spent, "reads on the way change the spend."


@on_cases
def check_failing_providers(estimator: Any, case: Case) -> None:
    """Failures never raise; only what arrived is paid, and what failed is not asked for again."""
    model, costs, rng = case.fit(estimator), case.costs, case.rng
    for budget in (*case.budgets, None):
        session = model.session(budget)
        kept: set[str] = set()
        for failed in stumble(session, case.X[0], COLUMNS, costs, rng):
            bought = set(session.bought)
            assert kept <= bought, f"{sorted(kept - bought)} had arrived and is gone."
            assert not failed & bought, f"{sorted(failed & bought)} failed and was paid for."
            assert session.spent == price_of(costs, bought), "pays for what did not arrive."
            assert within(session.spent, session.budget), "spends more than the budget."
            assert np.isfinite(session.read().scores).all(), "the answer is not finite."
            kept = bought
