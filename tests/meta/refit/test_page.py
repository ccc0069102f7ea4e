"""The page on any model: it shows what is printed."""

import ast
import doctest
import re
from pathlib import Path

import pytest
from sklearn.datasets import make_classification
from sklearn.neighbors import KNeighborsClassifier

from scrimp import RefitClassifier, load, save

PAGE = Path(__file__).parents[3] / "docs" / "any_model.md"


@pytest.mark.slow
def test_the_page_shows_what_is_printed():
    results = doctest.testfile(str(PAGE), False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0
    assert results.attempted > 15


def test_types_that_the_page_trusts_are_those_that_neighbours_need(tmp_path):
    pytest.importorskip("skops")
    X, y = make_classification(60, 4, random_state=0)
    save(RefitClassifier(KNeighborsClassifier(), range(2)).fit(X, y), tmp_path / "m.scrimp")
    named = re.search(r"trusted=(\[\s*\"[^]]*\])", PAGE.read_text())[1]
    load(tmp_path / "m.scrimp", trusted=ast.literal_eval(named)).predict(X)
