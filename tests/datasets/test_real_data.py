import os

import numpy as np
import pytest

from scrimp.datasets import fetch

pytestmark = pytest.mark.skipif(
    not os.environ.get("SCRIMP_DATA"), reason="SCRIMP_DATA is not set to a folder with the data"
)

COUNTS = {
    "sonar": {0: 97, 1: 111},
    "spambase": {0: 2788, 1: 1813},
    "ionosphere": {0: 126, 1: 225},
    "ecoli": {"cp": 143, "im": 77, "imL": 2, "imS": 2, "imU": 35, "om": 20, "omL": 5, "pp": 52},
    "breast_cancer_wisconsin": {0: 458, 1: 241},
    "heart_statlog": {0: 150, 1: 120},
    "pima_diabetes": {0: 500, 1: 268},
    "bupa_liver": {0: 169, 1: 176},
    "ann_thyroid": {"1": 166, "2": 368, "3": 6666},
    "splice": {"EI": 767, "IE": 768, "N": 1655},
    "adult": {0: 37155, 1: 11687},
    "musk1": {0: 269, 1: 207},
}


@pytest.mark.parametrize("name", COUNTS)
def test_class_counts(name):
    labels, counts = np.unique(fetch(name).y, return_counts=True)
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == COUNTS[name]


def test_abalone_is_a_number_of_rings():
    y = fetch("abalone").y
    assert (len(y), y.min(), y.max()) == (4177, 1.0, 29.0)
    assert y.mean() == pytest.approx(9.93, abs=0.01)


def test_missing_values_are_null():
    assert sum(fetch("breast_cancer_wisconsin").X.null_count().row(0)) == 16
    assert sum(fetch("adult").X.null_count().row(0)) == 6465
