"""scrimp: prediction when features cost something.

Names are imported when they are first used, so that ``import scrimp`` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

#: Where names are imported from that are no learners; the registry knows those.
_HOMES = {
    "Comparison": "scrimp.evaluation",
    "CostCurveDisplay": "scrimp.evaluation",
    "CostMeter": "scrimp.evaluation",
    "Costs": "scrimp.costs",
    "Curve": "scrimp.evaluation",
    "Item": "scrimp.costs",
    "Ledger": "scrimp.costs",
    "Predictor": "scrimp.runtime.predictor",
    "PriceHistogramDisplay": "scrimp.evaluation",
    "ProgressiveCurve": "scrimp.evaluation",
    "PurchaseDisplay": "scrimp.evaluation",
    "RouteDisplay": "scrimp.evaluation",
    "Session": "scrimp.runtime.session",
    "Sweep": "scrimp.runtime.sweep",
    "at_budget": "scrimp.learners.at_budget",
    "check_budgeted_estimator": "scrimp.checks",
    "compare": "scrimp.evaluation",
    "load": "scrimp.io",
    "load_checkpoint": "scrimp.io",
    "progressive_validation": "scrimp.evaluation",
    "save": "scrimp.io",
    "save_checkpoint": "scrimp.io",
    "to_river": "scrimp.learners.streaming.to_river",
}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    home = _HOMES.get(name) or (None if name.startswith("_") else _learners().get(name))
    if home is None:
        raise AttributeError(f"module 'scrimp' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return ["__version__", *sorted({**_HOMES, **_learners()})]


def _learners() -> dict[str, str]:
    """Return the module of each learner."""
    from .registry import homes

    return homes()


if TYPE_CHECKING:
    from .checks import check_budgeted_estimator as check_budgeted_estimator
    from .costs.costs import Costs as Costs
    from .costs.ledger import Ledger as Ledger
    from .costs.price_list import Item as Item
    from .evaluation import Comparison as Comparison
    from .evaluation import CostCurveDisplay as CostCurveDisplay
    from .evaluation import CostMeter as CostMeter
    from .evaluation import Curve as Curve
    from .evaluation import PriceHistogramDisplay as PriceHistogramDisplay
    from .evaluation import ProgressiveCurve as ProgressiveCurve
    from .evaluation import PurchaseDisplay as PurchaseDisplay
    from .evaluation import RouteDisplay as RouteDisplay
    from .evaluation import compare as compare
    from .evaluation import progressive_validation as progressive_validation
    from .io import load as load
    from .io import load_checkpoint as load_checkpoint
    from .io import save as save
    from .io import save_checkpoint as save_checkpoint
    from .learners.at_budget import at_budget as at_budget
    from .learners.boosting import BudgetedBoostingClassifier as BudgetedBoostingClassifier
    from .learners.boosting import BudgetedBoostingRegressor as BudgetedBoostingRegressor
    from .learners.boosting import SampledBoostingClassifier as SampledBoostingClassifier
    from .learners.linear import GroupLassoRegressor as GroupLassoRegressor
    from .learners.linear import SequencedClassifier as SequencedClassifier
    from .learners.linear import SequencedPoissonRegressor as SequencedPoissonRegressor
    from .learners.linear import SequencedRegressor as SequencedRegressor
    from .learners.streaming import StreamingBoostingClassifier as StreamingBoostingClassifier
    from .learners.streaming import StreamingBoostingRegressor as StreamingBoostingRegressor
    from .learners.streaming.to_river import to_river as to_river
    from .learners.svm import BudgetedSVC as BudgetedSVC
    from .learners.svm import BudgetedSVR as BudgetedSVR
    from .learners.trees import BudgetedTreeClassifier as BudgetedTreeClassifier
    from .learners.trees import BudgetedTreeRegressor as BudgetedTreeRegressor
    from .meta.calibration import CalibratedClassifier as CalibratedClassifier
    from .meta.cascade import CascadeClassifier as CascadeClassifier
    from .meta.frontier import FrontierClassifier as FrontierClassifier
    from .meta.frontier import FrontierRegressor as FrontierRegressor
    from .meta.refit import RefitClassifier as RefitClassifier
    from .meta.refit import RefitRegressor as RefitRegressor
    from .meta.routed import RoutedClassifier as RoutedClassifier
    from .meta.routed import RoutedRegressor as RoutedRegressor
    from .runtime.predictor import Predictor as Predictor
    from .runtime.session import Session as Session
    from .runtime.sweep import Sweep as Sweep
