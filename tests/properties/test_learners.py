"""All learners of scrimp keep all promises."""

import numpy as np
import pytest

from scrimp import BudgetedBoostingClassifier
from scrimp.checks import CHECKS


class OfThreeClasses(BudgetedBoostingClassifier):
    """Makes a third class of every third row."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, np.where(np.arange(len(y)) % 3 == 0, 2, y), sample_weight)


#: Learners, and the checks that they cannot pass by their nature.
LEARNERS = {
    "smoothed": (BudgetedBoostingClassifier(n_rounds=25), ()),
    "greedy": (BudgetedBoostingClassifier(rule="greedy", n_rounds=25), ()),
    "edge": (BudgetedBoostingClassifier(rule="edge", n_rounds=25), ()),
    "menu": (BudgetedBoostingClassifier(budget=[1.0, 2.0], n_rounds=10), ()),
    "three classes": (OfThreeClasses(n_rounds=25), ()),
    "three classes, menu": (OfThreeClasses(budget=[1.0, 2.0], rule="edge", n_rounds=10), ()),
    # a run that ends at the first stump too dear does not come to free ones after it
    "stop": (
        BudgetedBoostingClassifier(n_rounds=25, unaffordable="stop"),
        ("check_free_items_are_used",),
    ),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_keeps_what_all_promise(name, check):
    learner, excluded = LEARNERS[name]
    if check.__name__ in excluded:
        pytest.skip("opted out by name")
    check(learner, max_examples=12)
