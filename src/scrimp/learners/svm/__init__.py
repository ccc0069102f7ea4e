"""Linear support vector machines whose groups of columns cost no more than a budget."""

from .estimators import BudgetedSVC, BudgetedSVR

__all__ = ["BudgetedSVC", "BudgetedSVR"]
