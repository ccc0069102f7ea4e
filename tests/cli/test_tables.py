import gzip

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from scrimp.cli.errors import InputError
from scrimp.cli.tables import labels, numbers, read_table, table_bytes

from .conftest import table


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "CSV"])
def test_round_trip(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    path.write_bytes(table_bytes(table(), path))
    assert_frame_equal(read_table(path), table())


def test_gzip_is_gzip(tmp_path):
    data = table_bytes(pl.DataFrame({"a": [1]}), tmp_path / "t.csv.gz")
    assert gzip.decompress(data) == b"a\n1\n"


def test_types_come_from_the_whole_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x\n" + "1\n" * 5000 + "1.5\n")
    assert read_table(path)["x"].dtype == pl.Float64


def test_text_columns_stay_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,z\n01,1\n")
    frame = read_table(path, text=["x", "not there"])
    assert frame.to_dicts() == [{"x": "01", "z": 1}]


@pytest.mark.parametrize("word", ["", "NA", "NaN", "nan", "null"])
def test_words_for_missing(tmp_path, word):
    path = tmp_path / "t.csv"
    path.write_text(f"x,z\n1.5,a\n{word},b\n")
    assert read_table(path)["x"].to_list() == [1.5, None]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("t.csv", b"", "it is empty."),
        ("t.csv", b"a,b\n1,2,3\n", "a line has more cells than the header"),
        ("t.csv", b"a\n\xff\xfe\n", "save it as UTF-8"),
        ("t.csv", b"a,\xe9\n1,2\n", "save it as UTF-8"),
        ("t.csv", "a,b\n1,2\n".encode("utf-16"), "save it as UTF-8"),
        ("t.csv", b'a,b\n1,"x\n', "a quotation mark is not closed"),
        ("t.csv.gz", gzip.compress(b"a\n" + b"123\n" * 999, mtime=0)[:-20], "end of file"),
        ("t.parquet", b"PAR1 not really", "out of specification"),
    ],
    ids=["empty", "ragged", "no UTF-8", "header", "UTF-16", "quote", "cut gzip", "no Parquet"],
)
def test_what_is_no_table_is_refused_in_one_line(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match="cannot be read as a table") as caught:
        read_table(tmp_path / name)
    assert "\n" not in caught.value.message
    assert reason in caught.value.message
    assert "=" not in caught.value.message


@pytest.mark.parametrize(("mark", "name"), [(";", "semicolons"), ("\t", "tabs")])
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_other_separators(tmp_path, mark, name, ending):
    path = tmp_path / f"t.{ending}"
    content = f"a{mark}b\n1,5{mark}2\n".encode()
    path.write_bytes(gzip.compress(content) if ending == "csv.gz" else content)
    with pytest.raises(InputError, match=f"has {name} between its cells"):
        read_table(path)


def test_a_header_alone(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n")
    with pytest.raises(InputError, match=r"t\.csv has no rows"):
        read_table(tmp_path / "t.csv")


def test_blanks_around_names_are_taken_off(tmp_path):
    (tmp_path / "t.csv").write_text(" a , b\n01,2\n")
    assert read_table(tmp_path / "t.csv", text=["a"]).to_dicts() == [{"a": "01", "b": 2}]
    (tmp_path / "t.csv").write_text("a,a \n1,2\n")
    with pytest.raises(InputError, match="two columns named 'a'"):
        read_table(tmp_path / "t.csv")


def test_two_columns_of_one_name(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,a\n1,2,3\n")
    with pytest.raises(InputError, match="two columns named 'a'"):
        read_table(tmp_path / "t.csv")


def test_labels_of_all_types(tmp_path):
    frame = pl.DataFrame({"f": [0.0, 1.0], "h": [0.5, 1.0], "b": [True, False], "t": ["x", "y"]})
    frame = frame.with_columns(c=pl.col("t").cast(pl.Categorical))
    kinds = {name: labels(frame, name, tmp_path).dtype.kind for name in frame.columns}
    assert kinds == {"f": "i", "h": "f", "b": "b", "t": "U", "c": "U"}


def test_numbers_must_be_there(tmp_path):
    frame = pl.DataFrame({"x": [1.0, None, -2.0, float("nan")]})
    with pytest.raises(InputError, match=r"\(the budget\) is missing or negative in 3 of 4 rows"):
        numbers(frame, "x", tmp_path, "the budget")
