"""All learners of the registry keep all promises, scrimp's and scikit-learn's."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrimp import BudgetedBoostingClassifier
from scrimp.checks import CHECKS
from scrimp.registry import installed

#: Estimators of the learners whose optional dependency is there, by their names.
REGISTERED = {
    f"{spec.name}-{name}": (spec, estimator)
    for spec in installed()
    for name, estimator in spec.checked().items()
}


def expected_failures(estimator):
    [spec] = [spec for spec, each in REGISTERED.values() if repr(each) == repr(estimator)]
    return spec.exemptions_of(estimator)


@parametrize_with_checks(
    [estimator for _, estimator in REGISTERED.values()], expected_failed_checks=expected_failures
)
@pytest.mark.filterwarnings("ignore")
def test_a_learner_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", REGISTERED)
@pytest.mark.filterwarnings("ignore")
def test_a_learner_keeps_what_all_promise(name, check):
    spec, estimator = REGISTERED[name]
    if reason := spec.exemptions_of(estimator).get(check.__name__):
        pytest.skip(reason)
    check(estimator, max_examples=spec.check_examples)


class OfThreeClasses(BudgetedBoostingClassifier):
    """Makes a third class of every third row."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, np.where(np.arange(len(y)) % 3 == 0, 2, y), sample_weight)


#: Other configurations of boosting, on more problems, and the checks that they opt out of.
CONFIGURATIONS = {
    "smoothed": (BudgetedBoostingClassifier(n_rounds=25), ()),
    "greedy": (BudgetedBoostingClassifier(rule="greedy", n_rounds=25), ()),
    "edge": (BudgetedBoostingClassifier(rule="edge", n_rounds=25), ()),
    "trees for several budgets": (
        BudgetedBoostingClassifier(
            budget=[1.0, 2.0], n_rounds=10, max_depth=2, min_samples_leaf=2, loss="exponential"
        ),
        ("check_free_items_are_used",),
    ),
    "trees of three classes": (
        OfThreeClasses(n_rounds=6, max_depth=2, min_samples_leaf=2),
        ("check_free_items_are_used", "check_no_worse_than_prior"),
    ),
    "menu": (BudgetedBoostingClassifier(budget=[1.0, 2.0], n_rounds=10), ()),
    # a third of the labels are made up here, so that errors cannot be told
    "three classes": (OfThreeClasses(n_rounds=25), ("check_no_worse_than_prior",)),
    "three classes, menu": (
        OfThreeClasses(budget=[1.0, 2.0], rule="edge", n_rounds=10),
        ("check_no_worse_than_prior",),
    ),
    # a run that ends at the first stump too dear does not come to free ones after it
    "stop": (
        BudgetedBoostingClassifier(n_rounds=25, unaffordable="stop"),
        ("check_free_items_are_used",),
    ),
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_so_do_other_configurations_of_boosting(name, check):
    estimator, excluded = CONFIGURATIONS[name]
    if check.__name__ in excluded:
        pytest.skip("opted out by name")
    check(estimator, max_examples=4)
