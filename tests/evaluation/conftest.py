import matplotlib as mpl
import numpy as np
import pytest

from scrimp import Costs, Item, Predictor, Sweep
from scrimp.data.columns import Columns
from scrimp.data.target import Target
from scrimp.plans import AdditivePlan, StumpTable
from scrimp.plans.contract import StageTable
from scrimp.plans.priced_plan import PricedPlan

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture
def costs():
    """Prices with a fee: a costs 1, b 2 + 3, c 4."""
    return Costs.from_items(
        [
            Item("fee", 2.0, ()),
            Item("a", 1.0, ("a",)),
            Item("b", 3.0, ("b",), ("fee",)),
            Item("c", 4.0, ("c",)),
        ]
    )


def votes(columns, weights):
    """Stumps that vote -weight up to 0 and +weight above."""
    n, up = len(columns), np.array(weights)[:, None]
    return StumpTable(columns, np.full(n, -np.inf), np.zeros(n), -up, up, np.zeros_like(up))


@pytest.fixture
def make_plan(costs):
    """An additive plan that buys columns in an order, each with half the weight of the last."""

    def make(columns, refusal="skip", own_costs=None):
        prices = own_costs or costs
        stages = StageTable(tuple((prices.item_of[c],) for c in columns))
        stumps = votes(list(columns), [0.5**k for k in range(len(columns))])
        return PricedPlan(AdditivePlan(stages, stumps, prior=[-0.1], refusal=refusal), prices)

    return make


@pytest.fixture
def predictor(make_plan):
    """Buys b, then a, then c."""
    columns = Columns(("a", "b", "c"), (None, None, None))
    return Predictor(
        make_plan([1, 0, 2]), columns, Target("binary", np.array([0, 1])), {"learner": "ByHand"}
    )


@pytest.fixture
def data():
    """Rows that b tells well, a and c badly."""
    random = np.random.default_rng(0)
    y = random.integers(2, size=400)
    X = (2 * y[:, None] - 1) * [0.3, 1.0, 0.5] + random.normal(size=(400, 3))
    return X, y


@pytest.fixture
def make_sweep():
    """A sweep from scores (rows x budgets), every row spending the budget."""

    def make(scores, budgets, kind="binary", classes=(0, 1)):
        scores = np.asarray(scores, dtype=float)
        scores = scores[:, :, None] if scores.ndim == 2 else scores
        budgets = np.asarray(budgets, dtype=float)
        spent = np.tile(budgets, (len(scores), 1))
        target = Target(kind, np.array([] if kind == "regression" else classes))
        return Sweep(budgets, spent, scores, target)

    return make
