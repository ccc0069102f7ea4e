"""Decision trees on a budget."""

from .budgeted import BudgetedTreeClassifier, BudgetedTreeRegressor

__all__ = ["BudgetedTreeClassifier", "BudgetedTreeRegressor"]
