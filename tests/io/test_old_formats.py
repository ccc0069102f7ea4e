"""Files written once and kept: each release reads them, and they say what they always said."""

import json

import numpy as np
import pytest

from scrimp import load
from scrimp.io.format import READERS

from . import keep_learners
from .keep import OLD, answers

LEARNERS = json.loads(keep_learners.EXPECTED.read_text())


@pytest.mark.parametrize("number", READERS)
def test_models_of_every_format_are_still_read(number):
    expected = json.loads((OLD / f"format-{number}.json").read_text())
    assert expected
    for kind, old in expected.items():
        now = answers(load(OLD / f"format-{number}-{kind}.model"))
        np.testing.assert_allclose(now["scores"], old["scores"], rtol=1e-9, err_msg=kind)
        np.testing.assert_array_equal(now["spent"], old["spent"], err_msg=kind)


@pytest.mark.parametrize("name", LEARNERS)
def test_models_of_every_learner_are_still_read(name):
    now = keep_learners.answers(name, load(keep_learners.LEARNERS / f"{name}.model"))
    np.testing.assert_allclose(now["scores"], LEARNERS[name]["scores"], rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(now["spent"], LEARNERS[name]["spent"])
    if now["labels"] and isinstance(now["labels"][0][0], float):
        np.testing.assert_allclose(now["labels"], LEARNERS[name]["labels"], rtol=1e-9, atol=1e-9)
    else:
        np.testing.assert_array_equal(now["labels"], LEARNERS[name]["labels"])


def test_every_learner_has_a_file_and_every_file_is_read():
    assert set(LEARNERS) == set(keep_learners.MODELS)
    assert {path.stem for path in keep_learners.LEARNERS.glob("*.model")} == set(LEARNERS)
