"""Invariants 3, 9 and 10: sessions do what replay does, can be stopped, and survive failures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrimp.checks.driving import feed, price_of, requests, stumble, values_of
from scrimp.costs.ledger import within
from scrimp.runtime.replay import replay_rows

from .handmade import CERTAIN, KINDS, NAMES, predictor
from .strategies import owned_masks, problems, quick, rows_for

kinds = pytest.mark.parametrize("kind", KINDS)


def session_of(model, budget, key, row, have, stop=None):
    """A session of a row that owns the items of a mask."""
    costs = model.costs
    items = np.flatnonzero(have).tolist()
    known = [NAMES[c] for item in items for c in costs.columns[item]]
    fees = [costs.names[item] for item in items if not costs.columns[item]]
    known = values_of(row, known, NAMES)
    return model.session(budget, key=key, known=known, owned=fees, stop=stop)


def assert_equal_to_sessions(model, budgets, data, stop=None):
    X = rows_for(model)
    n = len(X)
    budgets = np.unique(budgets)
    budget_of = np.array(
        data.draw(st.lists(st.integers(0, len(budgets) - 1), min_size=n, max_size=n))
    )
    keys = np.array(
        data.draw(st.lists(st.integers(0, 2**64 - 1), min_size=n, max_size=n)), np.uint64
    )
    owned = data.draw(st.one_of(st.just(np.zeros((n, model.costs.n_items), bool)),
                                owned_masks(model.costs, n)))  # fmt: skip
    scores, spent = replay_rows(
        model.plan, model.target, X, budgets[budget_of], keys=keys, owned=owned, stop=stop
    )
    for i, row in enumerate(X):
        budget = budgets[budget_of[i]]
        session = feed(session_of(model, budget, int(keys[i]), row, owned[i], stop), row, NAMES)
        assert session.spent == spent[i]
        np.testing.assert_allclose(session.read().scores, scores[i], rtol=1e-12, atol=1e-12)


@kinds
@quick
@given(problem=problems(), data=st.data())
def test_a_batch_equals_the_sessions_of_its_rows(kind, problem, data):
    costs, budgets = problem
    assert_equal_to_sessions(predictor(kind, costs), [*budgets, np.inf], data)


@pytest.mark.parametrize("kind", CERTAIN)
@quick
@given(problem=problems(), data=st.data())
def test_a_batch_that_stops_early_equals_the_sessions_of_its_rows(kind, problem, data):
    costs, budgets = problem
    assert_equal_to_sessions(predictor(kind, costs), [*budgets, np.inf], data, stop="certain")


@kinds
@quick
@given(problem=problems())
def test_reading_changes_nothing_and_is_always_possible(kind, problem):
    costs, budgets = problem
    model = predictor(kind, costs)
    for key, row in enumerate(rows_for(model, 3)):
        silent = feed(model.session(budgets[0], key=key), row, NAMES)
        session = model.session(budgets[0], key=key)
        before = session.read()
        assert before.spent == 0 or not session.bought
        for request in requests(session):
            for _ in range(3):
                answer = session.read()
            assert session.ask() == request
            assert np.isfinite(answer.scores).all()
            assert answer.probabilities.sum() == pytest.approx(1.0)
            assert answer.label in model.classes_
            assert within(answer.spent, budgets[0])
            session.tell(values_of(row, request.columns, NAMES))
        np.testing.assert_array_equal(session.read().scores, silent.read().scores)
        np.testing.assert_array_equal(session.read().scores, session.read().scores)
        assert session.spent == silent.spent


@kinds
@quick
@given(problem=problems(), seed=st.integers(0, 2**32 - 1))
def test_failing_providers_never_raise_and_cost_nothing(kind, problem, seed):
    costs, budgets = problem
    model = predictor(kind, costs)
    rng = np.random.default_rng(seed)
    for key, row in enumerate(rows_for(model, 3)):
        session = model.session(budgets[0] if key else None, key=key)
        kept: set[str] = set()
        for failed in stumble(session, row, NAMES, costs, rng):
            assert kept <= set(session.bought)
            assert not failed & set(session.bought)
            kept = set(session.bought)
            assert session.spent == price_of(costs, kept)
            assert within(session.spent, session.budget)
            assert np.isfinite(session.read().scores).all()
        assert session.ask() is None


@kinds
def test_when_everything_fails_the_prior_stands(kind):
    from .handmade import clinic

    model = predictor(kind, clinic())
    session = model.session()
    prior = session.read().scores
    for _ in requests(session):
        session.fail()
    np.testing.assert_array_equal(session.read().scores, prior)
    assert session.spent == 0
