"""Evaluation: quality against cost, as data first and pictures from the data."""

from __future__ import annotations

from .budget_grid import default_budgets
from .cost_curve_display import CostCurveDisplay
from .cross import cross_curve, cross_sweep
from .curve import Curve, Point
from .purchase_display import PurchaseDisplay

__all__ = [
    "CostCurveDisplay",
    "Curve",
    "Point",
    "PurchaseDisplay",
    "cross_curve",
    "cross_sweep",
    "default_budgets",
]
