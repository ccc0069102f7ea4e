"""Evaluation: quality against cost, as data first and pictures from the data."""

from __future__ import annotations

from .advice import Advice, Difference, Rival
from .budget_grid import default_budgets
from .comparing import compare
from .comparison import Comparison
from .cost_curve_display import CostCurveDisplay
from .cross import cross_curve, cross_sweep
from .curve import Curve, Point
from .methods import METHODS, Method
from .price_steps import price_steps
from .purchase_display import PurchaseDisplay

__all__ = [
    "METHODS",
    "Advice",
    "Comparison",
    "CostCurveDisplay",
    "Curve",
    "Difference",
    "Method",
    "Point",
    "PurchaseDisplay",
    "Rival",
    "compare",
    "cross_curve",
    "cross_sweep",
    "default_budgets",
    "price_steps",
]
