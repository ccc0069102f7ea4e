"""scrimp: prediction when features cost something.

Names are imported when they are first used, so that ``import scrimp`` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "BudgetedBoostingClassifier": "learners.boosting",
    "BudgetedBoostingRegressor": "learners.boosting",
    "BudgetedSVC": "learners.svm",
    "BudgetedSVR": "learners.svm",
    "BudgetedTreeClassifier": "learners.trees",
    "CalibratedClassifier": "meta.calibration",
    "Comparison": "evaluation",
    "CostCurveDisplay": "evaluation",
    "CostMeter": "evaluation",
    "Costs": "costs",
    "Curve": "evaluation",
    "FrontierClassifier": "meta.frontier",
    "FrontierRegressor": "meta.frontier",
    "GroupLassoRegressor": "learners.linear",
    "Item": "costs",
    "Ledger": "costs",
    "Predictor": "runtime.predictor",
    "PriceHistogramDisplay": "evaluation",
    "PurchaseDisplay": "evaluation",
    "RefitClassifier": "meta.refit",
    "RefitRegressor": "meta.refit",
    "SampledBoostingClassifier": "learners.boosting",
    "SequencedClassifier": "learners.linear",
    "SequencedPoissonRegressor": "learners.linear",
    "SequencedRegressor": "learners.linear",
    "Session": "runtime.session",
    "Sweep": "runtime.sweep",
    "at_budget": "learners.base",
    "check_budgeted_estimator": "checks",
    "compare": "evaluation",
    "load": "io",
    "save": "io",
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'scrimp' has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__


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
    from .evaluation import PurchaseDisplay as PurchaseDisplay
    from .evaluation import compare as compare
    from .io import load as load
    from .io import save as save
    from .learners.base import at_budget as at_budget
    from .learners.boosting import BudgetedBoostingClassifier as BudgetedBoostingClassifier
    from .learners.boosting import BudgetedBoostingRegressor as BudgetedBoostingRegressor
    from .learners.boosting import SampledBoostingClassifier as SampledBoostingClassifier
    from .learners.linear import GroupLassoRegressor as GroupLassoRegressor
    from .learners.linear import SequencedClassifier as SequencedClassifier
    from .learners.linear import SequencedPoissonRegressor as SequencedPoissonRegressor
    from .learners.linear import SequencedRegressor as SequencedRegressor
    from .learners.svm import BudgetedSVC as BudgetedSVC
    from .learners.svm import BudgetedSVR as BudgetedSVR
    from .learners.trees import BudgetedTreeClassifier as BudgetedTreeClassifier
    from .meta.calibration import CalibratedClassifier as CalibratedClassifier
    from .meta.frontier import FrontierClassifier as FrontierClassifier
    from .meta.frontier import FrontierRegressor as FrontierRegressor
    from .meta.refit import RefitClassifier as RefitClassifier
    from .meta.refit import RefitRegressor as RefitRegressor
    from .runtime.predictor import Predictor as Predictor
    from .runtime.session import Session as Session
    from .runtime.sweep import Sweep as Sweep
