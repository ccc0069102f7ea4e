import dataclasses
import gzip
import re

import numpy as np
import polars as pl
import pytest
from sklearn.utils import Bunch

from scrimp.datasets import DatasetMismatch, DatasetUnavailable, cache, fetch, target_encoders
from scrimp.datasets.catalog import ENTRIES, Entry, OpenML

TINY = Entry(
    origin="made up",
    rows=3,
    columns=("size", "colour"),
    target="kind",
    encode=target_encoders.binary("no", "yes"),
    openml=OpenML(7, drop=("id",)),
    missing="?",
)


@pytest.fixture
def tiny(offline, monkeypatch):
    monkeypatch.setitem(ENTRIES, "tiny", TINY)
    return offline


@pytest.fixture
def server(tiny, monkeypatch):
    """Stands for OpenML; remembers how it was called."""
    calls = []

    def fetch_openml(**options):
        calls.append(options)
        return Bunch(
            data=np.array([[9.0, 70.0, 1.0], [8.0, np.nan, np.nan], [7.0, 2.0, 0.0]]),
            feature_names=["id", "V1", "V2"],
            categories={"V2": ["red", "green"]},
            target=np.array(["yes", "no", "yes"], dtype=object),
        )

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    return calls


def put_csv(folder, name, text):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def test_unknown_names_are_refused_with_those_there_are():
    with pytest.raises(ValueError, match=r"no dataset 'titanic'\. There are: abalone, adult, "):
        fetch("titanic")


def test_own_folder_comes_first_and_only_known_columns_are_read(tiny, monkeypatch):
    text = "id,size,colour,kind,split\n1,4.0,?,no,train\n2,5.0,red,yes,test\n3,,red,no,test\n"
    monkeypatch.setenv("SCRIMP_DATA", str(put_csv(tiny / "data", "tiny", text)))
    data = fetch("tiny")
    assert data.X.to_dict(as_series=False) == {"size": [4, 5, None], "colour": [None, "red", "red"]}
    assert data.X.dtypes == [pl.Int64, pl.String]
    assert data.y.tolist() == [0, 1, 0]
    assert data.costs is None
    assert data.source == f"made up; read from {tiny / 'data' / 'tiny.csv.gz'}"


def test_a_file_that_is_something_else_is_refused(tiny, monkeypatch):
    monkeypatch.setenv("SCRIMP_DATA", str(put_csv(tiny / "data", "tiny", "size,kind\n1,no\n")))
    expected = "has 1 rows and lacks the columns ['colour']; expected 3 rows and 3 columns"
    with pytest.raises(DatasetMismatch, match=re.escape(expected)):
        fetch("tiny")


def test_a_file_that_is_no_table_is_refused(tiny, monkeypatch):
    monkeypatch.setenv("SCRIMP_DATA", str(put_csv(tiny / "data", "tiny", "")))
    with pytest.raises(DatasetMismatch, match=r"tiny\.csv\.gz cannot be read as CSV"):
        fetch("tiny")


def test_without_the_file_it_falls_through_to_openml(server, tiny, monkeypatch):
    monkeypatch.setenv("SCRIMP_DATA", str(tiny))
    data = fetch("tiny")
    assert data.X.to_dict(as_series=False) == {
        "size": [70, None, 2],
        "colour": ["green", None, "red"],
    }
    assert data.y.tolist() == [1, 0, 1]
    assert [(call["data_id"], call["as_frame"]) for call in server] == [(7, False)]


def test_the_second_time_it_comes_from_the_cache(server):
    first, second = fetch("tiny"), fetch("tiny")
    assert len(server) == 1
    assert first.X.equals(second.X)
    assert first.source == second.source == f"made up; read from {cache.path_of('tiny.csv.gz')}"


def test_the_cache_holds_the_table_and_its_checksum_and_nothing_else(server):
    fetch("tiny")
    names = sorted(path.name for path in cache.path_of("tiny.csv.gz").parent.iterdir())
    assert names == ["tiny.csv.gz", "tiny.csv.gz.sha256"]


def test_a_changed_cache_is_refused_and_the_message_says_what_to_delete(server):
    fetch("tiny")
    path = cache.path_of("tiny.csv.gz")
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(DatasetMismatch, match=re.escape(f"Delete {path} and {path}.sha256")):
        fetch("tiny")


def test_a_table_without_its_checksum_is_fetched_again(server):
    fetch("tiny")
    path = cache.path_of("tiny.csv.gz")
    path.with_name(path.name + ".sha256").unlink()
    fetch("tiny")
    assert len(server) == 2


def test_a_cache_that_cannot_be_written_is_said_so(server, tiny, monkeypatch):
    blocked = tiny / "file"
    blocked.write_text("")
    monkeypatch.setenv("SCRIMP_CACHE", str(blocked / "cache"))
    with pytest.raises(DatasetUnavailable, match="Set SCRIMP_CACHE to a folder that can be writ"):
        fetch("tiny")


def test_another_shape_on_openml_is_refused_and_not_kept(server, monkeypatch):
    monkeypatch.setitem(ENTRIES, "tiny", dataclasses.replace(TINY, rows=4))
    with pytest.raises(DatasetMismatch, match="dataset 7 has 3 rows and 2 features; expected 4"):
        fetch("tiny")
    assert cache.read("tiny.csv.gz") is None


def test_unavailable_says_what_was_tried_and_what_to_do(offline, monkeypatch):
    with pytest.raises(DatasetUnavailable) as caught:
        fetch("sonar")
    assert str(caught.value) == (
        "Dataset 'sonar' is not available. Tried: SCRIMP_DATA (not set); the cache, "
        f"{offline / 'cache' / 'sonar.csv.gz'} (no such file); "
        "OpenML, dataset 40 (OSError: network is unreachable). "
        "Put sonar.csv.gz into a folder and set SCRIMP_DATA to that folder, "
        "or try again with a network."
    )
    monkeypatch.setenv("SCRIMP_DATA", str(offline))
    with pytest.raises(DatasetUnavailable, match=r"sonar\.csv\.gz \(no such file\); the cache"):
        fetch("sonar")


@pytest.mark.parametrize("name", ["musk1", "ann_thyroid"])
def test_what_openml_does_not_have_is_not_asked_of_it(offline, name):
    with pytest.raises(DatasetUnavailable, match=r"OpenML \(not used: .* to that folder\.$"):
        fetch(name)


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "base/scrimp"),
        ("win32", "LOCALAPPDATA", "base/scrimp"),
        ("linux", None, "home/.cache/scrimp"),
        ("darwin", None, "home/Library/Caches/scrimp"),
    ],
)
def test_the_cache_is_where_the_platform_keeps_caches(
    monkeypatch, tmp_path, platform, variable, expected
):
    for name in ("SCRIMP_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "base"))
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(cache.Path, "home", lambda: tmp_path / "home")
    assert cache.path_of("x.csv.gz") == tmp_path / expected / "x.csv.gz"
