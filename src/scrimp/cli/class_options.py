"""Options that name classes: their weights, and the one that a scorer counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from .errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Weights by which all classes count the same.
BALANCED = "balanced"


class ClassWeight(click.ParamType):  # type: ignore[type-arg]
    """Weights of classes: balanced, or a number > 0 for each class that is named."""

    name = "balanced|CLASS=N[,...]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | dict[str, float]:
        """From text."""
        if not isinstance(value, str) or value == BALANCED:
            return value  # type: ignore[no-any-return]
        weights: dict[str, float] = {}
        for part in value.split(","):
            label, _, text = (word.strip() for word in part.rpartition("="))
            if not label or (weight := _positive(text)) is None:
                self.fail(
                    f"{part.strip()!r} is no weight of a class; expected balanced, or numbers > 0 "
                    "with commas between them, such as sick=5,well=1.",
                    param, ctx,
                )  # fmt: skip
            if label in weights:
                self.fail(f"{label!r} has two weights; expected one.", param, ctx)
            weights[label] = weight
        return weights


def _positive(text: str) -> float | None:
    """Return a finite number > 0, or None if it is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number > 0 else None


def with_labels(options: Mapping[str, Any], y: NDArray[Any], task: str) -> dict[str, Any]:
    """Return options in which the classes are labels of the target, which may be numbers."""
    from .problem import positive_label

    labelled, weights = dict(options), options["class_weight"]
    if isinstance(weights, Mapping) and task != "regression":
        labelled["class_weight"] = _by_label(weights, y)
    if options["positive"] is not None or options["scoring"] is not None:
        labelled["positive"] = positive_label(y, task, options["scoring"], options["positive"])
    return labelled


def _by_label(weights: Mapping[str, float], y: NDArray[Any]) -> dict[Any, float]:
    """Return weights by class."""
    import numpy as np

    labels = {str(label): label for label in np.unique(y).tolist()}
    unknown = [name for name in weights if name not in labels]
    if unknown:
        raise InputError(
            f"--class-weight names {unknown[0]!r}, which is not one of the classes: "
            f"{', '.join(labels)}."
        )
    return {labels[name]: weight for name, weight in weights.items()}
