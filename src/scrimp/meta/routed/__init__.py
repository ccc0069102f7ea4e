"""Trees of models: what a row has shown decides what is bought next."""

from .estimators import RoutedClassifier, RoutedRegressor

__all__ = ["RoutedClassifier", "RoutedRegressor"]
