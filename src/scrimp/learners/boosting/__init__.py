"""Boosters on a budget."""

from .budgeted import BudgetedBoostingClassifier
from .regression import BudgetedBoostingRegressor
from .sampled import SampledBoostingClassifier

__all__ = ["BudgetedBoostingClassifier", "BudgetedBoostingRegressor", "SampledBoostingClassifier"]
