"""Streaming gradient boosting, anytime and on a budget (Hu 2019, chapter 5)."""

from .classifier import StreamingBoostingClassifier
from .divergence import StreamDiverged
from .linear_learners import Linear, Newton
from .network_learners import Convolution, Network
from .random_features import RandomFeatures
from .regressor import StreamingBoostingRegressor
from .weak_learner import SimpleLearner, WeakLearner

__all__ = [
    "Convolution",
    "Linear",
    "Network",
    "Newton",
    "RandomFeatures",
    "SimpleLearner",
    "StreamDiverged",
    "StreamingBoostingClassifier",
    "StreamingBoostingRegressor",
    "WeakLearner",
]
