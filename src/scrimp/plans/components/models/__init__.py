"""Models that answer for a set of columns, as arrays; one file a kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....data.preparation import Preparation
from ....types import Arrays
from .average import AverageModel
from .kernel import KernelModel
from .linear import LinearModel
from .model import Model, PreparedModel
from .opaque import SEALED, NotTrusted, OpaqueModel, opening
from .trees import TreesModel

#: What a model file may name; nothing else is ever made from a file.
MODELS: dict[str, type[Model]] = {
    model.kind: model for model in (TreesModel, LinearModel, KernelModel, AverageModel, OpaqueModel)
}


def models_to_parts(models: Sequence[Model]) -> tuple[list[dict[str, Any]], Arrays]:
    """The parts of several models: a header each, and arrays whose names begin with a number."""
    headers, arrays = [], {}
    for number, model in enumerate(models):
        if MODELS.get(model.kind) is not type(model):
            raise TypeError(
                f"it holds a model of the class {type(model).__name__}; expected one of scrimp's "
                f"own kinds: {', '.join(MODELS)}"
            )
        header, own = model.parts()
        headers.append({"kind": model.kind, "header": header})
        arrays.update({f"{number}/{name}": value for name, value in own.items()})
    return headers, arrays


def models_from_parts(headers: Sequence[dict[str, Any]], arrays: Arrays) -> list[Model]:
    """The inverse of `models_to_parts`; arrays without a number are left aside."""
    own: dict[str, Arrays] = {}
    for name, array in arrays.items():
        number, slash, inner = name.partition("/")
        if slash:
            own.setdefault(number, {})[inner] = array
    return [
        _model_from_parts(entry["kind"], entry["header"], own.get(str(number), {}))
        for number, entry in enumerate(headers)
    ]


def _model_from_parts(kind: str, header: dict[str, Any], arrays: Arrays) -> Model:
    if kind not in MODELS:
        raise ValueError(f"unknown kind of model {kind!r}; expected one of {sorted(MODELS)}.")
    return MODELS[kind].from_parts(header, arrays)


__all__ = [
    "MODELS",
    "SEALED",
    "AverageModel",
    "KernelModel",
    "LinearModel",
    "Model",
    "NotTrusted",
    "OpaqueModel",
    "Preparation",
    "PreparedModel",
    "TreesModel",
    "models_from_parts",
    "models_to_parts",
    "opening",
]
