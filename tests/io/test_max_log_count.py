"""The largest count that a model predicts, in its file."""

from dataclasses import replace

import numpy as np
import pytest

from scrimp import SequencedPoissonRegressor, load, save
from scrimp.data.target import Target
from scrimp.io import ModelFileError
from scrimp.io.container import pack
from tests.io import models

from .keep_learners import LEARNERS


@pytest.fixture
def counting():
    X = np.linspace(-1, 1, 40)[:, None]
    return SequencedPoissonRegressor().fit(X, np.arange(40)), np.array([[0.3], [1e6]])


def test_it_is_kept(tmp_path, counting):
    model, X = counting
    save(model, tmp_path / "m.scrimp")
    loaded = load(tmp_path / "m.scrimp")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.predict(X)[1] == pytest.approx(39_000)


def test_files_of_before_answer_as_before(tmp_path):
    old = load(LEARNERS / "sequenced-poisson.model")
    assert old.target.max_log_count == 709.78
    save(old, tmp_path / "again.scrimp")
    assert load(tmp_path / "again.scrimp").target.max_log_count == 709.78
    # its answers are compared in test_old_formats


@pytest.mark.parametrize("limit", [None, "much", 1e9])
def test_a_limit_that_is_none_is_refused(tmp_path, counting, limit):
    document, tensors = models.taken_apart(counting[0].predictor_)
    document["target"]["max_log_count"] = limit
    (tmp_path / "m.scrimp").write_bytes(pack(document, tensors))
    with pytest.raises(ModelFileError, match="max_log_count"):
        load(tmp_path / "m.scrimp")


def test_a_limit_of_classes_or_of_format_2_is_refused(tmp_path):
    document, tensors = models.taken_apart(models.predictor())
    changed = {**document, "target": {**document["target"], "max_log_count": 3.0}}
    (tmp_path / "m.scrimp").write_bytes(pack(changed, tensors))
    with pytest.raises(ModelFileError, match="must be a number for counts"):
        load(tmp_path / "m.scrimp")
    (tmp_path / "m.scrimp").write_bytes(pack({**document, "format": 2}, tensors))
    with pytest.raises(ModelFileError, match="just the fields kind, scale, classes, error_costs"):
        load(tmp_path / "m.scrimp")


@pytest.mark.parametrize("limit", [np.nan, np.inf, -np.inf, 710.0])
def test_a_target_refuses_it(limit):
    with pytest.raises(ValueError, match=r"expected a number <= 709\.78"):
        Target("counts", np.array([]), max_log_count=limit)
    with pytest.raises(ValueError, match="max_log_count is for counts"):
        replace(Target("regression", np.array([])), max_log_count=3.0)
