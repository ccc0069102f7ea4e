"""Any model on a budget: what to buy is searched, and the best model chosen at each budget."""

from __future__ import annotations

from .frontier import Chosen, FrontierClassifier, FrontierRegressor

__all__ = ["Chosen", "FrontierClassifier", "FrontierRegressor"]
