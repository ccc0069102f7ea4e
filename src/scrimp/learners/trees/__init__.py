"""Decision trees on a budget."""

from .budgeted import BudgetedTreeClassifier

__all__ = ["BudgetedTreeClassifier"]
