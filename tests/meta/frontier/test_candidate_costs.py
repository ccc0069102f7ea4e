import numpy as np
import pytest

from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedSVC,
    BudgetedTreeClassifier,
    CalibratedClassifier,
    FrontierClassifier,
    RefitClassifier,
)
from scrimp.data.columns import Columns
from scrimp.meta.frontier.candidate_costs import frontier_costs

PRICES = [1.0, 9.0]
COLUMNS = Columns(None, (None,) * 2)
BOOSTER = BudgetedBoostingClassifier(PRICES, n_rounds=5)


def test_a_frontier_without_prices_has_those_of_its_candidates():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    model = FrontierClassifier(budgets=[5.0], candidates=[BOOSTER, "linear"], cv=2)
    model.fit(X, X[:, 0] + X[:, 1] > 0)
    assert model.plan_.costs.prices == (1.0, 9.0)
    assert model.spend(X).max() == 1.0


@pytest.mark.parametrize(
    "candidates",
    [
        "auto",
        ["linear", "svm"],
        [BudgetedBoostingClassifier()],
        {"booster": BudgetedBoostingClassifier(), "tree": BudgetedTreeClassifier()},
    ],
)
def test_prices_are_one_each_where_nobody_has_any(candidates):
    assert frontier_costs(None, candidates, COLUMNS).prices == (1.0, 1.0)
    assert frontier_costs(PRICES, candidates, COLUMNS).prices == (1.0, 9.0)


@pytest.mark.parametrize(
    "candidate",
    [
        BOOSTER,
        RefitClassifier(order=BudgetedBoostingClassifier(PRICES)),
        CalibratedClassifier(BudgetedTreeClassifier(PRICES)),
    ],
    ids=["booster", "order of a refit", "within a calibrated one"],
)
def test_prices_that_differ_are_refused(candidate):
    assert frontier_costs(None, {"one": candidate}, COLUMNS).prices == (1.0, 9.0)
    assert frontier_costs(PRICES, [candidate], COLUMNS).prices == (1.0, 9.0)
    with pytest.raises(ValueError, match=r"^costs and the costs of the candidate 'one' differ"):
        frontier_costs([2.0, 9.0], {"one": candidate}, COLUMNS)


def test_candidates_with_different_prices_are_refused():
    candidates = {"one": BOOSTER, "none": BudgetedSVC(), "other": BudgetedSVC([3.0, 9.0])}
    text = r"costs of the candidate 'one' and the costs of the candidate 'other' differ.*frontier"
    with pytest.raises(ValueError, match=text):
        FrontierClassifier(candidates=candidates).fit(np.eye(2).repeat(9, axis=0), [0, 1] * 9)
