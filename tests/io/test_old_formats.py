"""Files written once and kept: each release reads them, and they say what they always said."""

import json

import numpy as np
import pytest

from scrimp import load
from scrimp.io.format import READERS

from .keep import OLD, answers


@pytest.mark.parametrize("number", READERS)
def test_models_of_every_format_are_still_read(number):
    expected = json.loads((OLD / f"format-{number}.json").read_text())
    assert expected
    for kind, old in expected.items():
        now = answers(load(OLD / f"format-{number}-{kind}.model"))
        np.testing.assert_allclose(now["scores"], old["scores"], rtol=1e-9, err_msg=kind)
        np.testing.assert_array_equal(now["spent"], old["spent"], err_msg=kind)
