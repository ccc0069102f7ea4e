"""What several test folders share."""

from __future__ import annotations

import os

# Two workers with two OpenMP threads each would wait for each other, by spinning.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

from scrimp.datasets import DatasetUnavailable, fetch


@pytest.fixture
def public_data():
    """A public dataset by name; the test is skipped where it cannot be had."""

    def load(name):
        if "SCRIMP_DATA" not in os.environ:
            pytest.skip("SCRIMP_DATA is not set, and tests do not download")
        try:
            return fetch(name)
        except DatasetUnavailable as reason:
            pytest.skip(f"dataset {name!r} is not here: {reason}")

    return load
