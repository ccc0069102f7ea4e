"""Plans that draw an order of purchases: its law, its headroom, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

from scrimp.costs.ledger import Ledger
from scrimp.plans import DrawnGamPlan
from scrimp.plans.contract import StageTable

from .handmade import clinic, drawn, gam, table, wrap

CHANCE = np.array([0.4, 0.0, 0.3, 0.2, 0.1])


def plan_with(probability=CHANCE, headroom=0.0, seed=0, **options):
    parts = gam(clinic())
    stages = StageTable(parts.stages.items, (headroom,) * 5)
    refusal = "stop" if headroom else "skip"
    return DrawnGamPlan(
        stages, parts.functions, parts.stage_of, parts.weights, refusal, probability, seed,
        **options,
    )  # fmt: skip


@pytest.mark.parametrize("unaffordable", [(), (0,), (2, 4)])
def test_purchases_follow_the_probabilities_of_what_can_be_paid(unaffordable):
    # leaving stages out of an order is drawing from the others with renormalised probabilities
    orders = np.vstack([plan_with(seed=seed).orders for seed in range(150)])
    assert (orders[:, 0] == 1).all()
    left = ~np.isin(orders, [1, *unaffordable])
    first = orders[np.arange(len(orders)), left.argmax(axis=1)]
    expected = np.where(np.isin(np.arange(5), unaffordable), 0.0, CHANCE)
    expected /= expected.sum()
    found = np.bincount(first, minlength=5) / len(orders)
    errors = np.sqrt(expected * (1 - expected) / len(orders))
    assert (np.abs(found - expected) <= 4 * errors).all()


def test_rows_follow_all_orders_about_equally_often():
    plan = plan_with()
    groups = plan.key_groups(np.arange(6400, dtype=np.uint64))
    counts = np.bincount(groups, minlength=len(plan.orders))
    assert len(counts) == len(plan.orders)
    assert (np.abs(counts - 100) < 45).all()
    with pytest.raises(ValueError, match="must be of one key group"):
        plan.start(np.arange(9, dtype=np.uint64), Ledger(clinic(), [3.0]))


def test_answers_are_those_of_the_columns_bought():
    costs = clinic()
    model, fixed, X = wrap(plan_with(), costs), wrap(gam(costs), costs), table(40)
    budget = 9.0
    scores, spent = model.answer(X, budget)
    assert len(np.unique(spent)) > 1
    for row in range(len(X)):
        session = model.session(budget, key=row)
        while (request := session.ask()) is not None:
            values = {name: X[row, costs.column_names.index(name)] for name in request.columns}
            session.tell(values, arrived=[i for i in request.items if i == "draw"])
        owned = np.isin(costs.names, session.bought)[None]
        np.testing.assert_allclose(fixed.answer(X[[row]], 0.0, owned=owned)[0][0], scores[row])


def test_headroom_is_kept_unless_everything_can_be_paid():
    costs = clinic()
    model = wrap(drawn(costs, headroom=True), costs)
    dearest = max(map(costs.price_of, model.plan.stages.items))
    with pytest.warns(UserWarning, match="Nothing is bought unless"):
        assert not model.spend(table(30), 0.99 * dearest).any()
    assert model.spend(table(30), dearest).all()
    assert (model.spend(table(30), model.plan.price) == model.plan.price).all()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"probability": [0.5, 0.5]}, "one per stage"),
        ({"probability": [-0.5, 0.0, 0.5, 0.5, 0.5]}, "numbers >= 0"),
        ({"probability": [0.5, 0.0, 0.0, 0.0, 0.0]}, "sum to 1"),
        ({"weighting": "best"}, "weighting is 'best'"),
        ({"weighting": "top"}, "alpha must hold one number per stage"),
    ],
)
def test_bad_parts_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        plan_with(**options)
