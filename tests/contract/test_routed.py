"""Routed plans: each row pays for its own path, and refusals have branches of their own."""

import numpy as np
import pytest

from scrimp.checks.driving import feed, requests
from scrimp.plans import Nodes, RoutedPlan
from scrimp.plans.contract import StageTable

from .handmade import AGE, CHOL, NAMES, SUGAR, clinic, wrap

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")

LEAF = -1


def tree(refused=(-1, -1, -1, -1, -1, -1), **changes):
    """age <= 0 ? chol : sugar, each with a leaf on either side of 0."""
    parts = {
        "column": np.array([AGE, CHOL, SUGAR, LEAF, LEAF, LEAF]),
        "low": np.full(6, -np.inf),
        "high": np.zeros(6),
        "inside": np.array([1, 3, 4, 0, 0, 0]),
        "outside": np.array([2, 4, 5, 0, 0, 0]),
        "missing": np.array([2, 5, 5, 0, 0, 0]),
        "refused": np.array(refused),
        "value": np.arange(1.0, 7.0)[:, None],
    }
    costs = clinic()
    tests = parts["column"].tolist()
    items = tuple((costs.item_of[c],) if c >= 0 else () for c in tests)
    return wrap(RoutedPlan(StageTable(items), Nodes(**(parts | changes))), costs)


def row(**values):
    return np.array([values.get(name, 0.0) for name in NAMES])


PATHS = [
    (row(age=-1, chol=-1), 4.0, 7.77),
    (row(age=-1, chol=1), 5.0, 7.77),
    (row(age=-1, chol=np.nan), 6.0, 7.77),
    (row(age=1, sugar=-1), 5.0, 5.7),
    (row(age=np.nan, sugar=np.nan), 6.0, 5.7),
]


@pytest.mark.parametrize(("x", "value", "price"), PATHS)
def test_a_row_pays_for_its_own_path(x, value, price):
    session = feed(tree().session(), x, NAMES)
    assert session.read().scores == value
    assert session.spent == pytest.approx(price)


def test_a_batch_takes_all_paths_at_once():
    scores, spent = tree().answer(np.array([x for x, _, _ in PATHS]))
    assert scores[:, 0].tolist() == [value for _, value, _ in PATHS]
    np.testing.assert_allclose(spent, [price for _, _, price in PATHS])


@pytest.mark.parametrize(
    ("refused", "budget", "value", "bought"),
    [
        ((-1, -1, -1, -1, -1, -1), 0.5, 2.0, ("age",)),  # stays where chol would be tested
        ((-1, 3, -1, -1, -1, -1), 0.5, 4.0, ("age",)),  # goes round to a leaf
        ((-1, 2, -1, -1, -1, -1), 6.0, 5.0, ("age", "draw", "sugar")),  # or to a cheaper test
        ((1, -1, -1, -1, -1, -1), 0.4, 2.0, ()),
        ((2, -1, 3, -1, -1, -1), 0.4, 4.0, ()),  # twice in a row
    ],
)
def test_a_test_that_is_too_dear_has_a_branch(refused, budget, value, bought):
    x = row(age=-1, chol=-1, sugar=-1)
    session = feed(tree(refused).session(budget), x, NAMES)
    assert session.read().scores == value
    assert session.bought == bought
    assert tree(refused).answer(x[None], budget)[0] == value


def test_a_failed_test_takes_the_same_branch_as_one_that_is_too_dear():
    session = tree((-1, 2, -1, -1, -1, -1)).session()
    session.tell({"age": -1.0})
    session.fail()
    assert [request.items for request in requests_of(session, row(sugar=-1))] == [("draw", "sugar")]
    assert session.read().scores == 5.0


def requests_of(session, x):
    for request in requests(session):
        yield request
        session.tell({name: x[NAMES.index(name)] for name in request.columns})


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"inside": np.array([0, 3, 4, 0, 0, 0])}, "children of a node must be nodes after it"),
        ({"outside": np.array([2, 4, 9, 0, 0, 0])}, "children of a node must be nodes after it"),
        ({"refused": np.array([0, -1, -1, -1, -1, -1])}, "refused must be -1 or a node after"),
        ({"value": np.full((6, 1), np.nan)}, "value must be finite"),
        ({"low": np.zeros(5)}, "one entry per node"),
    ],
)
def test_trees_that_lead_nowhere_are_refused(changes, text):
    with pytest.raises(ValueError, match=text):
        tree(**changes)


def test_the_price_is_that_of_the_dearest_path():
    from scrimp.costs.costs import Costs
    from scrimp.plans import Nodes, RoutedPlan
    from scrimp.plans.contract import StageTable
    from scrimp.plans.priced_plan import PricedPlan

    def plan(second):
        column = np.array([0, 1, 2, -1, -1])
        nodes = Nodes(
            column=column,
            low=np.full(5, -np.inf),
            high=np.zeros(5),
            inside=np.array([1, 3, 3, 0, 0]),
            outside=np.array([second, 4, 4, 0, 0]),
            missing=np.array([1, 3, 3, 0, 0]),
            refused=np.full(5, -1),
            value=np.zeros((5, 1)),
        )
        stages = StageTable(tuple((c,) if c >= 0 else () for c in column.tolist()))
        return PricedPlan(RoutedPlan(stages, nodes), Costs.per_feature([1.0, 2.0, 4.0]))

    assert plan(second=4).price == 3.0  # column 2 is on no path from the root
    assert plan(second=2).price == 7.0  # paths meet again: all items, to be safe
