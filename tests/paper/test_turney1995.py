"""Turney (1995), Cost-Sensitive Classification: rules that look at prices pay less than C4.5."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import cross_val_predict

from scrimp import BudgetedTreeClassifier
from scrimp.datasets import load_heart
from scrimp.learners.trees.split_rules import SPLIT_RULES


def test_the_rules_are_those_of_section_3():
    information, cost = np.array([1.0, 0.5]), np.array([3.0, 0.0])
    assert SPLIT_RULES["eg2"](information, cost, 1.0) == pytest.approx([0.25, 2**0.5 - 1])
    assert SPLIT_RULES["eg2"](information, cost, 0.0) == pytest.approx([1.0, 2**0.5 - 1])
    assert SPLIT_RULES["cs-id3"](information[:1], cost[:1], 1.0) == pytest.approx([1 / 3])
    assert SPLIT_RULES["idx"](information[:1], cost[:1], 1.0) == pytest.approx([1 / 3])


@pytest.mark.parametrize("rule", ["eg2", "cs-id3", "idx"])
def test_rules_that_look_at_prices_pay_less_on_heart_disease(rule):
    heart = load_heart()
    tree, blind = (
        BudgetedTreeClassifier(heart.costs, rule=each, random_state=0)
        for each in (rule, "price-blind")
    )
    paid, paid_blind = (m.fit(heart.X, heart.y).average_spend_ for m in (tree, blind))
    assert paid < 0.5 * paid_blind
    right = (cross_val_predict(tree, heart.X, heart.y) == heart.y).mean()
    assert right > 0.7  # the prior has 0.54
