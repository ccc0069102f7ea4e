"""Evaluation: curves of quality against cost, comparisons, metering and displays."""

from __future__ import annotations

from .advice import Advice, Difference, Rival
from .anytime import ndcg_scorer, oracle_order, stopping_cost, timeliness
from .budget_grid import default_budgets, price_steps
from .calibration import calibration_error, reliability
from .comparison import Comparison
from .cross import cross_curve, cross_sweep
from .cross_validated_comparison import compare
from .curve import Curve, Point
from .displays.cost_curve import CostCurveDisplay
from .displays.price_histogram import PriceHistogramDisplay
from .displays.purchase import PurchaseDisplay
from .displays.route import RouteDisplay
from .error_cost import error_cost_scorer
from .metering.cost_meter import CostMeter
from .methods import METHODS, Method
from .progressive import ProgressiveCurve, progressive_validation

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
    "ProgressiveCurve",
    "PurchaseDisplay",
    "Rival",
    "RouteDisplay",
    "calibration_error",
    "compare",
    "cross_curve",
    "cross_sweep",
    "default_budgets",
    "error_cost_scorer",
    "ndcg_scorer",
    "oracle_order",
    "price_steps",
    "progressive_validation",
    "reliability",
    "stopping_cost",
    "timeliness",
]
