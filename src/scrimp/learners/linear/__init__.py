"""Linear prediction that is near its best whenever it is interrupted."""

from .bounds import SequenceBounds
from .glm_estimators import SequencedClassifier, SequencedPoissonRegressor
from .lasso import GroupLassoRegressor
from .regression import SequencedRegressor

__all__ = [
    "GroupLassoRegressor",
    "SequenceBounds",
    "SequencedClassifier",
    "SequencedPoissonRegressor",
    "SequencedRegressor",
]
