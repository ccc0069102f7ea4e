"""Trained models of a set of columns, stored as arrays; one file per kind."""

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

#: The kinds of models that a model file may name; a file can create no other.
MODELS: dict[str, type[Model]] = {
    model.kind: model for model in (TreesModel, LinearModel, KernelModel, AverageModel, OpaqueModel)
}


def models_to_parts(models: Sequence[Model]) -> tuple[list[dict[str, Any]], Arrays]:
    """Return the headers of models, and their arrays, whose names begin with the model's number."""
    headers, arrays = [], {}
    for number, model in enumerate(models):
        if MODELS.get(model.kind) is not type(model):
            raise TypeError(
                f"it holds a model of the class {type(model).__name__}; expected one of scrimp's "
                f"own kinds: {', '.join(MODELS)}"
            )
        header, model_arrays = model.parts()
        headers.append({"kind": model.kind, "header": header})
        arrays.update({f"{number}/{name}": value for name, value in model_arrays.items()})
    return headers, arrays


def models_from_parts(headers: Sequence[dict[str, Any]], arrays: Arrays) -> list[Model]:
    """Return the models of stored parts; arrays without a number are ignored."""
    model_arrays: dict[str, Arrays] = {}
    for name, array in arrays.items():
        number, slash, inner = name.partition("/")
        if slash:
            model_arrays.setdefault(number, {})[inner] = array
    return [
        _model_from_parts(entry["kind"], entry["header"], model_arrays.get(str(number), {}))
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
