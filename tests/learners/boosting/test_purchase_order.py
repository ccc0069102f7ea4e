"""The order of purchases of stacked columns, against refits of every set."""

from __future__ import annotations

import numpy as np
import pytest

from scrimp import BudgetedBoostingClassifier, BudgetedBoostingRegressor, Costs
from scrimp.learners.boosting.purchase_order import ForwardSelection, purchase_order
from scrimp.plans import SubsetWeights


def quadratic_model(n_functions=7, penalty=4.0, seed=0):
    """A model of functions that overlap, and the last of which says nothing."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(500, n_functions)) + rng.normal(size=(500, 1))
    y = Z[:, :-1] @ rng.normal(size=n_functions - 1) + rng.normal(size=500)
    Z[:, -1] = rng.permutation(Z[:, -1])
    hessian, gradient = Z.T @ Z, Z.T @ y
    return SubsetWeights(
        np.stack([hessian] * 2), np.stack([gradient] * 2), penalty, 500.0, 0.0,
        np.zeros(1), np.zeros((1, 1)), np.ones(1),
    )  # fmt: skip


def naive_explained(model, functions):
    """The loss that functions explain, each weight held to the mean weight of all."""
    if not len(functions):
        return 0.0
    common = model.minimise(np.ones(model.n_functions, dtype=bool))[0].mean()
    H = model.hessian[0][np.ix_(functions, functions)]
    g = model.gradient[0][functions]
    w = np.linalg.solve(H + model.penalty * np.eye(len(functions)), g + model.penalty * common)
    return 2 * g @ w - w @ H @ w - model.penalty * ((w - common) ** 2).sum()


def naive_freedom(model, before, functions):
    """The trace of the conditional Hessian over the same with its penalty."""
    both = [*before, *functions]
    A = model.hessian[0][np.ix_(both, both)] + model.penalty * np.eye(len(both))
    inverse = np.linalg.inv(A)[len(before) :, len(before) :]
    return len(functions) - model.penalty * np.trace(inverse)


@pytest.mark.parametrize("penalty", [1.0, 64.0])
def test_gains_are_those_of_refits(penalty):
    model, items = quadratic_model(penalty=penalty), [[0], [1, 2], [3], [4, 6], [5]]
    selection = ForwardSelection(model, [np.array(item) for item in items])
    selected = []
    for chosen in (1, 4, 0):
        gains = selection.gains()
        for item, functions in enumerate(items):
            if item not in selected:
                before = [f for other in selected for f in items[other]]
                gain = naive_explained(model, [*before, *functions])
                gain -= naive_explained(model, before)
                gain -= 2 * naive_freedom(model, before, functions)
                assert gains[item] == pytest.approx(gain, rel=1e-6, abs=1e-6)
        selection.select(chosen)
        selected.append(chosen)


def naive_order(model, costs, items, item_of):
    order, left = [], list(items)
    while left:
        owned = costs.closure(order)
        before = [f for f, item in enumerate(item_of) if item in order]
        best, best_worth = None, 0.0
        for item in left:
            functions = [f for f, other in enumerate(item_of) if other == item]
            gain = naive_explained(model, [*before, *functions]) - naive_explained(model, before)
            gain -= 2 * naive_freedom(model, before, functions)
            price = sum(costs.prices[i] for i in set(costs.closure([item])) - set(owned))
            worth = 0.0 if gain <= 0 else gain / price if price else np.inf
            if worth > best_worth:
                best, best_worth = item, worth
        if best is None:
            break
        order.append(best)
        left.remove(best)
    return order + left


@pytest.mark.parametrize("seed", range(8))
def test_the_order_is_by_gain_over_price_with_fees_paid_once(seed):
    rng = np.random.default_rng(seed)
    costs = Costs(
        ("visit", *"abcdefg"), (3.0, *rng.uniform(0.1, 5.0, 6), 0.0),
        ((), *((c,) for c in range(7))), ((), (0,), (0,), (), (), (0,), (), ()),
    )  # fmt: skip
    model, items = quadratic_model(seed=seed), [3, 1, 7, 2, 6, 5, 4]
    item_of = np.array([1, 2, 3, 4, 5, 6, 7])
    order = purchase_order(model, costs, items, item_of)
    assert order == naive_order(model, costs, items, item_of)
    assert sorted(order) == sorted(items)


def table(n=600, seed=0):
    """A dear column that says nearly all, and cheap ones that say much of it."""
    rng = np.random.default_rng(seed)
    signal = rng.normal(size=n)
    cheap = signal[:, None] + rng.normal(size=(n, 3))
    X = np.column_stack([signal + 0.1 * rng.normal(size=n), cheap, rng.normal(size=(n, 2))])
    return X, signal


@pytest.mark.parametrize("rule", ["smoothed", "edge"])
@pytest.mark.parametrize("regression", [False, True])
def test_a_model_for_much_money_makes_good_use_of_little(rule, regression):
    """It is as good at a small budget as one that was trained for that, or nearly so."""
    kind = BudgetedBoostingRegressor if regression else BudgetedBoostingClassifier
    costs = [100.0, 2.0, 2.0, 2.0, 1.0, 1.0]

    def target(signal):
        return signal if regression else signal > 0

    X, signal = table()
    new_X, new_signal = table(4000, 1)
    model = kind(costs, rule=rule, random_state=0).fit(X, target(signal))
    small = kind(costs, budget=6.5, rule=rule, random_state=0).fit(X, target(signal))
    score = model.score(new_X, target(new_signal), budget=6.5)
    assert score > small.score(new_X, target(new_signal)) - 0.01
    assert model.score(new_X, target(new_signal)) > score + 0.05


def test_few_functions_need_no_order():
    model = SubsetWeights(
        np.zeros((2, 0, 0)), np.zeros((2, 0)), 1.0, 1.0, 0.0,
        np.zeros(1), np.zeros((1, 1)), np.ones(1),
    )  # fmt: skip
    assert purchase_order(model, Costs.per_feature([1.0]), [], np.zeros(0, dtype=int)) == []
