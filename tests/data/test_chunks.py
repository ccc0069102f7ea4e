"""Readers of chunks: iterators, files, Arrow and dicts give the same rows."""

import gzip
import io

import numpy as np
import pandas as pd
import polars as pl
import pytest

from scrimp import SequencedRegressor, StreamingBoostingRegressor, progressive_validation
from scrimp.data.chunks import chunks_of
from scrimp.data.csv_chunks import CsvChunks, UnfinishedRow

RNG = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {
        "a": RNG.normal(size=1_000).round(4),
        "b": RNG.normal(size=1_000).round(4),
        "colour": RNG.choice(["red", "green, light", 'bl"ue'], 1_000),
    }
).with_columns((pl.col("a") + pl.col("b") ** 2).round(4).alias("y"))


def sources(folder):
    """The same rows in all ways that they may come in."""
    pa = pytest.importorskip("pyarrow")
    FRAME.write_csv(folder / "rows.csv")
    (folder / "rows.csv.gz").write_bytes(gzip.compress((folder / "rows.csv").read_bytes()))
    FRAME.write_parquet(folder / "rows.parquet", row_group_size=100)
    table = FRAME.to_arrow()
    y = FRAME["y"].to_numpy()
    X = FRAME.drop("y")
    return {
        "csv": folder / "rows.csv",
        "gz": str(folder / "rows.csv.gz"),
        "parquet": folder / "rows.parquet",
        "arrow table": table,
        "arrow reader": pa.RecordBatchReader.from_batches(
            table.schema, table.to_batches(max_chunksize=100)
        ),
        "arrow batches": iter(table.to_batches(max_chunksize=100)),
        "batches and responses": [
            (batch.drop_columns(["y"]), batch["y"]) for batch in table.to_batches(max_chunksize=100)
        ],
        "polars": [FRAME[i : i + 100] for i in range(0, 1_000, 100)],
        "pandas": [FRAME[i : i + 100].to_pandas() for i in range(0, 1_000, 100)],
        "pairs": [(X[i : i + 100], y[i : i + 100]) for i in range(0, 1_000, 100)],
        "dicts": FRAME.iter_rows(named=True),
        "lists of dicts": [FRAME[i : i + 100].to_dicts() for i in range(0, 1_000, 100)],
        "dicts and responses": zip(X.iter_rows(named=True), y.tolist(), strict=True),
    }


def test_all_sources_give_the_same_rows(tmp_path):
    for name, source in sources(tmp_path).items():
        parts = list(chunks_of(source, "y", 100))
        y = np.concatenate([np.asarray(part[1], dtype=float) for part in parts])
        np.testing.assert_allclose(y, FRAME["y"].to_numpy(), err_msg=name)
        tables = [pd.DataFrame(X) if isinstance(X, list) else X for X, _, _ in parts]
        tables = [table.to_pandas() if hasattr(table, "to_pandas") else table for table in tables]
        joined = pd.concat(tables, ignore_index=True)
        pd.testing.assert_frame_equal(
            joined.astype({"colour": object}),
            FRAME.drop("y").to_pandas().astype({"colour": object}),
        )


def test_models_learn_the_same_from_all_of_them(tmp_path):
    expected = None
    for name, source in sources(tmp_path).items():
        model = StreamingBoostingRegressor(n_learners=3)
        curve = progressive_validation(model, source, "y", chunk_rows=100)
        answers = model.predict(FRAME.drop("y").with_columns(pl.lit("red").alias("colour")))
        if "dicts" in name:  # codes of categories are in the order of their first values
            continue
        expected = answers if expected is None else expected
        assert len(curve.errors) == 9
        np.testing.assert_allclose(answers, expected, err_msg=name)


def test_a_file_of_numbers_is_read_by_other_learners_too(tmp_path):
    FRAME.drop("colour").write_csv(tmp_path / "rows.csv")
    model = SequencedRegressor().fit_chunks(tmp_path / "rows.csv", "y")
    assert model.predict(FRAME.drop("colour", "y")).shape == (1_000,)


def test_weights_stay_with_single_rows():
    rows = [({"a": 1.0}, 2.0, 0.5), ({"a": 2.0}, 3.0, 1.5)]
    [(X, y, weight)] = chunks_of(rows, None)
    assert X == [{"a": 1.0}, {"a": 2.0}]
    assert y.tolist() == [2.0, 3.0]
    assert weight.tolist() == [0.5, 1.5]


@pytest.mark.parametrize(
    ("source", "target", "match"),
    [
        ("rows.parquet", None, "name the column of the file with the responses"),
        ([{"a": 1}], None, "Chunk 0 is a dict and target is None"),
        ([{"a": 1, "y": 1}, {"a": 1}], "y", "Chunk 0 has a dict without 'y'"),
        ([({"a": 1}, 1), ({"a": 1}, 1, 1.0)], None, "rows of different kinds"),
        ([FRAME.drop("y")], "y", "Chunk 0 has no column 'y'"),
        ([3], "y", "Chunk 0 is a int"),
    ],
)
def test_what_is_no_chunk_is_refused(source, target, match):
    with pytest.raises(ValueError, match=match):
        list(chunks_of(source, target))


@pytest.mark.parametrize("source", [3, {"a": 1}])
def test_what_yields_no_chunks_is_refused(source):
    with pytest.raises(TypeError, match="expected an iterable of"):
        list(chunks_of(source, "y"))


def read(text, size=2, **options):
    return list(CsvChunks(io.BytesIO(text), size, name="a pipe", **options))


class Slow(io.BytesIO):
    """A pipe that gives a few bytes at a time."""

    def read1(self, size=-1):
        return self.read(3)


def test_lines_may_come_in_any_pieces():
    text = b'a,"the ""b"""\n1,"x\ny"\n2,"u, ""v"""\n3,\r\n4,w'
    frames = list(CsvChunks(Slow(text), 2, name="a pipe"))
    assert [len(frame) for frame in frames] == [2, 2]
    assert frames[0].columns == ["a", 'the "b"']
    rows = [row for frame in frames for row in frame.rows()]
    assert rows == [(1.0, "x\ny"), (2.0, 'u, "v"'), (3.0, None), (4.0, "w")]


def test_types_are_those_of_the_first_chunk():
    chunks = CsvChunks(
        io.BytesIO(b"i,x,t,s,e\n1,1.5,true,a,\n2,NA,false,1,\n3,2,true,2,0.5\n"), 2,
        integers=("i",), name="a pipe",
    )  # fmt: skip
    first, second = chunks
    assert chunks.kinds == {"i": "integer", "x": "number", "t": "truth", "s": "text", "e": "number"}
    assert first.dtypes == [pl.Int64, pl.Float64, pl.Boolean, pl.String, pl.Float64]
    assert second.rows() == [(3, 2.0, True, "2", 0.5)]
    again = read(b"s\n1\n2\n", kinds={"s": "text"})
    assert again[0]["s"].to_list() == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"a,b\n1,2\n3,4\n5,x\n", r"Column 'b' of a pipe is 'x' in row 3, .* expected a number"),
        (
            b"a,b\n1,2\n3,4,5\n",
            "Row 2 of a pipe cannot be read: it has more cells than the 2",
        ),
        (b"a,a\n1,2\n", "two columns named 'a'"),
        (b"a;b\n1;2\n", "semicolons between its cells"),
        (b"", "a pipe is empty"),
        (b"a,b\n\xff\xff,2\n", "not UTF-8"),
    ],
)
def test_bad_text_is_refused(text, match):
    with pytest.raises(ValueError, match=match):
        read(text)


@pytest.mark.parametrize("end", [b"5", b'5,"x', b'5,"x\n6,y\n'])
def test_an_end_in_mid_row_comes_after_the_whole_rows(end):
    chunks, frames = (
        iter(CsvChunks(io.BytesIO(b"a,b\n1,u\n2,v\n3,w\n" + end), 2, name="a pipe")),
        [],
    )
    with pytest.raises(UnfinishedRow, match=r"a pipe ends in the middle of row 4: '5.*"):
        frames.extend(chunks)
    assert [len(frame) for frame in frames] == [2, 1]


def test_other_columns_than_before_are_named():
    with pytest.raises(ValueError, match=r"it lacks \['b'\]; it has \['c'\]"):
        read(b"a,c\n1,2\n", kinds={"a": "number", "b": "number"})


def test_a_header_alone_has_no_rows():
    assert read(b"a,b\n") == []
    assert read(b"a,b") == []
    assert read(b"a,b\n1,2\n\n")[0].rows()[0] == (1.0, 2.0)
