"""Keep a file of each kind of plan in the format of today: ``python -m tests.io.keep``.

Run it once, before a format is changed; from then on its files are never written again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrimp import Predictor, save
from scrimp.io.format import FORMAT
from tests.contract.handmade import KINDS

from . import models

OLD = Path(__file__).parent / "old"


def answers(model: Predictor) -> dict[str, Any]:
    """What a model says and pays on a few rows."""
    sweep = model.sweep(models.table(4), models.BUDGETS)
    return {"scores": sweep.scores.tolist(), "spent": sweep.spent.tolist()}


def keep() -> None:
    """Write the files, and the answers they must always give."""
    OLD.mkdir(exist_ok=True)
    expected = {}
    for kind in KINDS:
        model = models.predictor(kind)
        save(model, OLD / f"format-{FORMAT}-{kind}.model")
        expected[kind] = answers(model)
    (OLD / f"format-{FORMAT}.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    keep()
