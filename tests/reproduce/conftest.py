"""Made-up data that goes through the same functions as the papers' data."""

import dataclasses

import numpy as np
import pytest

from scrimp.reproduce.features import Binary
from scrimp.reproduce.published import Setting

#: Prices of all features used add up to more than the largest budget of the papers.
SMALL = Setting(n_features=120, train=60, test=80, rounds=100, trials=3)


def make(name, n=200, d=120):
    """Bits of which the first six matter."""
    rng = np.random.default_rng(len(name))
    X = rng.integers(0, 2, size=(n, d)).astype(np.uint8)
    y = (X[:, :6].sum(axis=1) + rng.normal(size=n) > 3).astype(np.int64)
    return Binary(name, X, y, "made up")


@pytest.fixture
def small():
    return SMALL


@pytest.fixture
def shrunk():
    """A study with the sizes of the made-up data."""

    def shrink(study):
        return dataclasses.replace(study, settings=dict.fromkeys(study.settings, SMALL))

    return shrink
