"""Conversion of scikit-learn's support vector machines with a Gaussian kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

from ..components.models import KernelModel, Model, Preparation


def _convert_support_vectors(estimator: Any, preparation: Preparation) -> Model | None:
    """Return a regressor, or a classifier of two classes without calibrated probabilities."""
    if estimator.kernel != "rbf" or not isinstance(estimator.support_vectors_, np.ndarray):
        return None
    link = "identity"
    if is_classifier(estimator):
        if len(estimator.classes_) != 2 or estimator.probability is True:
            return None
        link = "logistic"
    return KernelModel(
        preparation, estimator.support_vectors_, estimator.dual_coef_.T, [estimator._gamma],
        np.asarray(estimator.intercept_, dtype=np.float64), link,
    )  # fmt: skip


#: The converter of each type.
KERNELS: dict[type, Callable[[Any, Preparation], Model | None]] = dict.fromkeys(
    (SVC, NuSVC, SVR, NuSVR), _convert_support_vectors
)
