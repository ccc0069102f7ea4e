"""The page on any model: it shows what is printed."""

import doctest
from pathlib import Path


def test_the_page_shows_what_is_printed():
    page = Path(__file__).parents[2] / "docs" / "any_model.md"
    text = page.read_text().replace("```", "")  # fences are not part of the output
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    said = []
    results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
        test, out=said.append
    )
    assert results.failed == 0, "".join(said)
    assert results.attempted > 15
