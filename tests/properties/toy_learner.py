"""A toy learner in some 40 lines, and its spec: all that it takes to add one."""

from scrimp.learners.base import BudgetedRegressor
from scrimp.learners.linear import SequencedRegressor
from scrimp.registry import LearnerSpec, Make


class CheapestFirstRegressor(BudgetedRegressor):
    """Ridge regression on the columns in the order of their prices."""

    def __init__(self, costs=None, alpha=1.0, random_state=None):
        self.costs = costs
        self.alpha = alpha
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Learn one model per prefix of the order."""
        model = _InPriceOrder(self.costs, alpha=self.alpha, missing="mean")
        model.fit(X, y, sample_weight=sample_weight)
        self.plan_, self.columns_, self.target_ = model.plan_, model.columns_, model.target_
        self.n_features_in_ = model.n_features_in_
        return self


class _InPriceOrder(SequencedRegressor):
    def _choose(self, data, costs, budget):
        from scrimp.learners.linear.sequence import follow_order

        items = [item for item, columns in enumerate(costs.columns) if columns]
        order = sorted(items, key=lambda item: costs.price_of([item]))
        return follow_order(data, costs, order, budget)


SPEC = LearnerSpec(
    "cheapest",
    "a linear model in the order of prices",
    {"regression": Make("tests.properties.toy_learner.CheapestFirstRegressor")},
    details="ridge regression, the cheapest column first",
    reference="nobody",
    budgets="none",
    exemptions={"check_column_order": "Equal prices are taken in the order of the columns."},
)
