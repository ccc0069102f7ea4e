import math

from scrimp.cli.output import count, money, plain


def test_json_without_the_dust_of_rounding():
    values = [43.369999999999926, 1 / 3, 1234567890123456.0, math.inf, 7]
    assert plain(values) == [43.37, 0.333333333333, 1234567890123456.0, None, 7]


def test_one_is_no_plural():
    assert [count(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]


def test_small_amounts_are_not_nothing():
    values = (0.0, 0.0004, 0.05, -0.001, 0.5, 1234.5, math.inf)
    assert [money(value) for value in values] == [
        "0.00", "0.0004", "0.05", "-0.001", "0.50", "1,234.50", "no limit",
    ]  # fmt: skip
