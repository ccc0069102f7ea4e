"""The group lasso as a baseline."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrimp import Costs, GroupLassoRegressor, SequencedRegressor, check_budgeted_estimator

pytest.importorskip("skglm")


@parametrize_with_checks([GroupLassoRegressor(n_penalties=20)])
@pytest.mark.filterwarnings("ignore")
def test_it_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
def test_it_keeps_the_promises_of_every_estimator():
    check_budgeted_estimator(GroupLassoRegressor(n_penalties=10), max_examples=5)


def test_cheap_groups_come_first_and_each_prefix_is_refitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    y = X @ [1.0, 1.0, 1.0, 1.0, 0.0, 0.0] + 0.1 * rng.normal(size=400)
    costs = Costs.per_group([0, 0, 1, 1, 2, 2], [3.0, 1.0, 1.0])
    model = GroupLassoRegressor(costs).fit(X, y)
    assert model.sequence_[:2] == ["1", "0"]
    best = SequencedRegressor(costs).fit(X, y)
    np.testing.assert_allclose(model.predict(X, 4.0), best.predict(X, 4.0), rtol=1e-6)


def test_several_responses_are_refused():
    X = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(ValueError, match="y should be a 1d array"):
        GroupLassoRegressor().fit(X, X[:, :2])
