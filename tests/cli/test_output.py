import math

from scrimp.cli.output import count, plain


def test_json_without_the_dust_of_rounding():
    values = [43.369999999999926, 1 / 3, 1234567890123456.0, math.inf, 7]
    assert plain(values) == [43.37, 0.333333333333, 1234567890123456.0, None, 7]


def test_one_is_no_plural():
    assert [count(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]
