"""Boosters on a budget."""

from .budgeted import BudgetedBoostingClassifier

__all__ = ["BudgetedBoostingClassifier"]
