"""The figures of documentation pages are those that their examples give."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["imbalanced.md"])
def test_the_examples_of_a_page_give_its_figures(page):
    blocks = re.findall(r"```python\n(>>>.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)
    assert blocks
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, page, page, 0)
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert result.failed == 0
