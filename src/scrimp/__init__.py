"""scrimp: prediction when features cost something.

Names are imported when they are first used, so that ``import scrimp`` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "BudgetedBoostingClassifier": "boosting",
    "BudgetedBoostingRegressor": "boosting",
    "BudgetedSVC": "svm",
    "BudgetedSVR": "svm",
    "BudgetedTreeClassifier": "trees",
    "CalibratedClassifier": "calibration",
    "Comparison": "evaluation",
    "CostCurveDisplay": "evaluation",
    "CostMeter": "evaluation",
    "Costs": "costs",
    "Curve": "evaluation",
    "FrontierClassifier": "frontier",
    "FrontierRegressor": "frontier",
    "GroupLassoRegressor": "linear",
    "Item": "price_list",
    "Ledger": "ledger",
    "Predictor": "predictor",
    "PriceHistogramDisplay": "evaluation",
    "PurchaseDisplay": "evaluation",
    "RefitClassifier": "refit",
    "RefitRegressor": "refit",
    "SampledBoostingClassifier": "boosting",
    "SequencedClassifier": "linear",
    "SequencedPoissonRegressor": "linear",
    "SequencedRegressor": "linear",
    "Session": "session",
    "Sweep": "sweep",
    "at_budget": "estimator",
    "check_budgeted_estimator": "checks",
    "compare": "evaluation",
    "load": "store",
    "save": "store",
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'scrimp' has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__


if TYPE_CHECKING:
    from .boosting import BudgetedBoostingClassifier as BudgetedBoostingClassifier
    from .boosting import BudgetedBoostingRegressor as BudgetedBoostingRegressor
    from .boosting import SampledBoostingClassifier as SampledBoostingClassifier
    from .calibration import CalibratedClassifier as CalibratedClassifier
    from .checks import check_budgeted_estimator as check_budgeted_estimator
    from .costs import Costs as Costs
    from .estimator import at_budget as at_budget
    from .evaluation import (
        Comparison as Comparison,
    )
    from .evaluation import (
        CostCurveDisplay as CostCurveDisplay,
    )
    from .evaluation import (
        CostMeter as CostMeter,
    )
    from .evaluation import (
        Curve as Curve,
    )
    from .evaluation import (
        PriceHistogramDisplay as PriceHistogramDisplay,
    )
    from .evaluation import (
        PurchaseDisplay as PurchaseDisplay,
    )
    from .evaluation import (
        compare as compare,
    )
    from .frontier import FrontierClassifier as FrontierClassifier
    from .frontier import FrontierRegressor as FrontierRegressor
    from .ledger import Ledger as Ledger
    from .linear import (
        GroupLassoRegressor as GroupLassoRegressor,
    )
    from .linear import (
        SequencedClassifier as SequencedClassifier,
    )
    from .linear import (
        SequencedPoissonRegressor as SequencedPoissonRegressor,
    )
    from .linear import (
        SequencedRegressor as SequencedRegressor,
    )
    from .predictor import Predictor as Predictor
    from .price_list import Item as Item
    from .refit import RefitClassifier as RefitClassifier
    from .refit import RefitRegressor as RefitRegressor
    from .session import Session as Session
    from .store import load as load
    from .store import save as save
    from .svm import BudgetedSVC as BudgetedSVC
    from .svm import BudgetedSVR as BudgetedSVR
    from .sweep import Sweep as Sweep
    from .trees import BudgetedTreeClassifier as BudgetedTreeClassifier
