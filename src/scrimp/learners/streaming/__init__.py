"""Streaming gradient boosting, anytime and on a budget (Hu 2019, chapter 5)."""

from .divergence import StreamDiverged
from .estimators import StreamingBoostingClassifier, StreamingBoostingRegressor

__all__ = ["StreamDiverged", "StreamingBoostingClassifier", "StreamingBoostingRegressor"]
