"""Networks that can be cut off at any moment; they need the extra ``scrimp[nets]``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..plans.components.layer_programs import BlockProgram, Layer
from .exponential import CompetitiveRatio, largest_ratio, printed_ratio, simulated_ratio
from .image_nets import densenet, lenet, msdnet, resnet
from .loss_balance import LossBalance

if TYPE_CHECKING:
    from .augmentation import Augmentation
    from .estimators import AnytimeNetClassifier, AnytimeNetRegressor

__all__ = [
    "AnytimeNetClassifier",
    "AnytimeNetRegressor",
    "Augmentation",
    "BlockProgram",
    "CompetitiveRatio",
    "Layer",
    "LossBalance",
    "densenet",
    "largest_ratio",
    "lenet",
    "msdnet",
    "printed_ratio",
    "resnet",
    "simulated_ratio",
]

#: Names that need PyTorch, and where they are.
_WITH_TORCH = {
    "AnytimeNetClassifier": "estimators",
    "AnytimeNetRegressor": "estimators",
    "Augmentation": "augmentation",
}


def __getattr__(name: str) -> Any:
    """Import what needs PyTorch when it is asked for."""
    if name not in _WITH_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_WITH_TORCH[name]}")
    except ImportError as error:
        if error.name != "torch":
            raise
        raise ImportError(
            f"{name} needs PyTorch, which is not installed: pip install 'scrimp[nets]'"
        ) from error
    return getattr(module, name)
