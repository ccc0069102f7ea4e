import polars as pl
import pytest

from scrimp.cli.training_columns import note_column_types


@pytest.fixture
def said(capsys):
    def say(**columns):
        note_column_types(pl.DataFrame(columns))
        return capsys.readouterr().err

    return say


def test_categories_are_listed(said):
    text = said(colour=["red", "blue", None], x=[1, 2, 3], one=["a"] * 3)
    assert text == "Read as categories: colour (2 values), one (1 value)\n"


def test_numbers_with_something_else_among_them(said):
    text = said(age=["1", "2", "3.5", "4", "?"] * 3, size=["1", "XL"] * 7 + [None])
    assert "Note: age would be numbers but for '?'. " in text
    assert "add --missing '?'" in text
    assert "size would" not in text


def test_only_three_values_are_named(said):
    text = said(x=["1"] * 30 + ["a", "b", "c", "d"])
    assert "but for 'a', 'b', 'c', ..." in text
