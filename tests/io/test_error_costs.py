"""The costs of errors in model files: kept exactly, and checked when they are read."""

from dataclasses import replace

import numpy as np
import pytest

from scrimp import load, save
from scrimp.io import ModelFileError
from scrimp.io.container import pack

from . import models

COSTS = np.array([[0.0, 0.1], [1000.5, 0.0]])


def costly():
    model = models.predictor()
    return replace(model, target=replace(model.target, error_costs=COSTS))


def test_costs_are_kept_exactly(tmp_path):
    save(costly(), tmp_path / "m.scrimp")
    loaded = load(tmp_path / "m.scrimp")
    np.testing.assert_array_equal(loaded.target.error_costs, COSTS)
    labels = costly().sweep(models.table(), models.BUDGETS).labels()
    np.testing.assert_array_equal(loaded.sweep(models.table(), models.BUDGETS).labels(), labels)


def test_a_file_of_format_1_has_no_costs(tmp_path):
    document, tensors = models.taken_apart(models.predictor())
    document["format"] = 1
    for name in ("error_costs", "max_log_count", "confidence", "exits"):
        del document["target"][name]
    (tmp_path / "old.scrimp").write_bytes(pack(document, tensors))
    assert load(tmp_path / "old.scrimp").target.error_costs is None


@pytest.mark.parametrize(
    ("costs", "text"),
    [
        ([[0.0, 1.0]], r"has the shape \(1, 2\)"),
        ([[0.0, 1.0], [1.0]], "rows of equal length"),
        ([[0.0, -1.0], [1.0, 0.0]], "holds -1.0"),
        ([[1.0, 1.0], [1.0, 0.0]], "on its diagonal"),
        ([["a", "b"], ["c", "d"]], "must be a number"),
        ([], "rows of equal length"),
        ("much", "must be a list"),
    ],
)
def test_costs_that_are_none_are_refused(tmp_path, costs, text):
    document, tensors = models.taken_apart(models.predictor())
    document["target"]["error_costs"] = costs
    (tmp_path / "m.scrimp").write_bytes(pack(document, tensors))
    with pytest.raises(ModelFileError, match=text):
        load(tmp_path / "m.scrimp")


def test_costs_in_a_file_of_format_1_are_refused(tmp_path):
    document, tensors = models.taken_apart(costly())
    document["format"] = 1
    (tmp_path / "m.scrimp").write_bytes(pack(document, tensors))
    with pytest.raises(ModelFileError, match="just the fields kind, scale, classes"):
        load(tmp_path / "m.scrimp")
