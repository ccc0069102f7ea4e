import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut

from scrimp import BudgetedTreeClassifier, FrontierClassifier, FrontierRegressor
from scrimp.meta.frontier.folds import race_splits
from scrimp.meta.frontier.training_target import TrainingTarget

from .tables import COSTS, response, table

X, SIGNAL = table(150)
GROUPS = np.array([f"patient {i % 30}" for i in range(150)])
NUMBERS = np.unique(GROUPS, return_inverse=True)[1]
OPTIONS = {"candidates": ["linear"], "budgets": [10.5]}


def splits(cv, n_classes, kept):
    y = response(SIGNAL, n_classes).astype(float)
    target = TrainingTarget(y[kept], np.ones(len(kept)), n_classes)
    return race_splits(cv, target, np.zeros((150, 6)), y, kept, 0, NUMBERS)


@pytest.mark.parametrize("cv", [None, 3, GroupKFold(3)])
@pytest.mark.parametrize("n_classes", [0, 2])
def test_groups_stay_in_one_fold(cv, n_classes):
    kept = np.flatnonzero(np.arange(150) % 7 > 0)
    found = splits(cv, n_classes, kept)
    assert len(found) == (10 if cv is None else 3)
    for train, test in found:
        assert not set(NUMBERS[kept[train]]) & set(NUMBERS[kept[test]])


@pytest.mark.parametrize("kind", [FrontierClassifier, FrontierRegressor])
@pytest.mark.parametrize("cv", [GroupKFold(3), 2])
def test_a_frontier_passes_groups_to_its_folds(kind, cv):
    y = response(SIGNAL, 2 if kind is FrontierClassifier else 0)
    model = kind(COSTS, cv=cv, **OPTIONS).fit(X, y, groups=GROUPS)
    assert model.n_tested_ == 150


@pytest.mark.parametrize(
    ("cv", "groups", "text"),
    [
        (GroupKFold(3), None, "cv is a GroupKFold, which needs the group of each row.*Give groups"),
        (LeaveOneGroupOut(), None, "cv is a LeaveOneGroupOut, which needs the group of each row"),
        ([(range(75), range(75, 150))], GROUPS, "cv holds positions, which know no groups"),
        (3, GROUPS[:5], "groups has 5 entries; expected one per row: 150"),
        (3, ["one"] * 150, "groups has 1 group; expected at least 2"),
    ],
)
def test_refuses(cv, groups, text):
    model = FrontierClassifier(COSTS, cv=cv, **OPTIONS)
    with pytest.raises(ValueError, match=text):
        model.fit(X, response(SIGNAL, 2), groups=groups)


def test_other_learners_say_what_to_give_instead():
    y = response(SIGNAL, 2)
    with pytest.raises(ValueError, match=r"or positions: cv=list\(splitter.split\(X, y, groups\)"):
        BudgetedTreeClassifier(COSTS, cv=GroupKFold(3)).fit(X, y)
    positions = list(GroupKFold(3).split(X, y, GROUPS))
    assert BudgetedTreeClassifier(COSTS, cv=positions).fit(X, y).plan_ is not None
