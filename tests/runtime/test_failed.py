"""Items that cannot be had, in batches and sessions, for plans of every kind."""

import numpy as np
import pytest

from scrimp.checks.driving import feed
from tests.contract.handmade import KINDS, NAMES, clinic, predictor, table

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("budget", [0.0, 5.0, 11.0, 60.0])
def test_batches_and_sessions_go_on_alike_and_pay_for_nothing_that_failed(kind, budget):
    model, X = predictor(kind, clinic()), table(missing=False)
    costs = model.costs
    failed = np.random.default_rng(0).random((len(X), costs.n_items)) < 0.3
    scores, spent = model.answer(X, budget, failed=failed)
    sweep = model.sweep(X, [0.0, 5.0, 11.0, 60.0], failed=failed)
    position = sweep.budgets.tolist().index(budget)
    np.testing.assert_allclose(sweep.scores[:, position], scores)
    for row, lacking in enumerate(failed):
        names = [costs.names[item] for item in np.flatnonzero(lacking)]
        session = feed(model.session(budget, key=row, failed=names), X[row], NAMES)
        assert not set(names) & set(session.bought)
        assert session.spent == spent[row] <= budget
        np.testing.assert_allclose(session.read().scores, scores[row])
