"""The best of many models at each budget, on item sets that are searched."""

from __future__ import annotations

from .frontier import FrontierClassifier, FrontierRegressor
from .menu import Chosen

__all__ = ["Chosen", "FrontierClassifier", "FrontierRegressor"]
