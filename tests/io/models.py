"""The hand-written plans as models with a file, and their files taken apart."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np

from scrimp import Predictor
from scrimp.data.columns import Columns
from scrimp.data.target import Target
from scrimp.io import _bytes_of
from scrimp.io.container import Document, Tensors, unpack
from scrimp.io.format import FORMAT
from tests.contract.handmade import KINDS, NAMES, clinic, wrap

COSTS = clinic()
BUDGETS = [0.0, 0.25, 0.5, 3.6, 9.0, 12.0, 60.0]
PLAIN = (None,) * len(NAMES)


def predictor(kind: str = "menu-mixed", classes: Any = None, categories: Any = PLAIN) -> Predictor:
    model = wrap(KINDS[kind](COSTS), COSTS)
    if classes is not None:
        model = replace(model, target=Target("binary", classes, 2.0))
    return replace(model, columns=Columns(NAMES, categories), info={"learner": "by hand"})


def table(n: int = 40) -> np.ndarray:
    """Rows without gaps, made without a random generator that may change."""
    return np.sin(np.arange(1.0, n * len(NAMES) + 1) ** 2).reshape(n, -1)


def taken_apart(model: Predictor) -> tuple[Document, Tensors]:
    """What is in a model's file, to be changed and packed again with a checksum that fits."""
    data = _bytes_of(model)
    return unpack(io.BytesIO(data), len(data), [FORMAT])
