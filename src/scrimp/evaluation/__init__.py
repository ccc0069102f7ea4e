"""Evaluation: quality against cost, as data first and pictures from the data."""

from __future__ import annotations

from .advice import Advice, Difference, Rival
from .anytime import ndcg_scorer, oracle_order, stopping_cost, timeliness
from .budget_grid import default_budgets
from .calibration import calibration_error, reliability
from .comparing import compare
from .comparison import Comparison
from .cost_curve_display import CostCurveDisplay
from .cost_meter import CostMeter
from .cross import cross_curve, cross_sweep
from .curve import Curve, Point
from .methods import METHODS, Method
from .price_histogram_display import PriceHistogramDisplay
from .price_steps import price_steps
from .purchase_display import PurchaseDisplay

__all__ = [
    "METHODS",
    "Advice",
    "Comparison",
    "CostCurveDisplay",
    "CostMeter",
    "Curve",
    "Difference",
    "Method",
    "Point",
    "PriceHistogramDisplay",
    "PurchaseDisplay",
    "Rival",
    "calibration_error",
    "compare",
    "cross_curve",
    "cross_sweep",
    "default_budgets",
    "ndcg_scorer",
    "oracle_order",
    "price_steps",
    "reliability",
    "stopping_cost",
    "timeliness",
]
