"""Datasets of arrays: files that are found, fetched, kept or refused."""

import dataclasses
import io
import os
import re
import zipfile
from typing import ClassVar

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.utils import Bunch

from scrimp.datasets import DatasetMismatch, DatasetUnavailable, arrays, fetch, fetch_arrays
from scrimp.datasets.arrays import ARRAYS, ArrayEntry
from scrimp.datasets.catalog import OpenML
from scrimp.datasets.uci import UCI

TINY = ArrayEntry("made up", (3, 4), OpenML(7), n_train=2)


@pytest.fixture
def tiny(offline, monkeypatch):
    monkeypatch.setitem(ARRAYS, "tiny", TINY)
    monkeypatch.setenv("SCRIMP_DATA", str(offline))
    return offline


def test_own_file_comes_first_and_images_become_rows(tiny):
    images = np.arange(12, dtype=np.uint8).reshape(3, 2, 2)
    np.savez(tiny / "tiny.npz", X=images, y=np.array([1, 0, 1]), n_train=2)
    data = fetch_arrays("tiny")
    assert data.X.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert (data.y.tolist(), data.n_train, data.query) == ([1, 0, 1], 2, None)
    assert data.source == f"made up; read from {tiny / 'tiny.npz'}"


def test_sparse_files_stay_sparse(tiny, monkeypatch):
    monkeypatch.setitem(ARRAYS, "tiny", ArrayEntry("made up", (2, 3), features=arrays._sparse))
    X = csr_matrix([[0, 1, 0], [2, 0, 3]])
    np.savez(
        tiny / "tiny.npz", data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=[0, 1]
    )
    found = fetch_arrays("tiny").X
    assert issparse(found)
    assert found.toarray().tolist() == [[0, 1, 0], [2, 0, 3]]


def test_what_is_fetched_is_kept(tiny, monkeypatch):
    calls = []

    def fetch_openml(**options):
        calls.append(options["data_id"])
        return Bunch(
            data=np.array([[0.0, 255.0, 3.0, 4.0]] * 3),
            feature_names=list("abcd"),
            target=np.array(["5", "7", "5"], dtype=object),
        )

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    first, second = fetch_arrays("tiny"), fetch_arrays("tiny")
    assert calls == [7]
    assert first.X.dtype == second.X.dtype == np.uint8
    assert second.X[0].tolist() == [0, 255, 3, 4]
    assert (second.y.tolist(), second.n_train) == ([5, 7, 5], 2)


def zipped(file, text):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(file, text)
    return buffer.getvalue()


@pytest.fixture
def uci(tiny, monkeypatch):
    """Stands for UCI; answers with the bytes that `answer` has, and remembers what was asked."""

    class Server:
        asked: ClassVar[list[str]] = []
        answer = zipped("tiny.csv", "id,a,b,y\n1,0.5,-2,7.25\n1,1e3,4,-1\n2,3,5,0\n")

        def __call__(self, url, timeout):
            self.asked.append(url)
            return io.BytesIO(self.answer)

    server = Server()
    location = UCI(9, "a+name", "tiny.csv", target=-1, drop=(0,), has_header=True)
    monkeypatch.setitem(ARRAYS, "tiny", ArrayEntry("made up", (3, 2), location, n_train=2))
    monkeypatch.setattr("scrimp.datasets.uci.urlopen", server)
    server.asked.clear()
    return server


def test_tables_of_uci_are_fetched_once(uci):
    first, second = fetch_arrays("tiny"), fetch_arrays("tiny")
    assert uci.asked == ["https://archive.ics.uci.edu/static/public/9/a+name.zip"]
    assert second.X.tolist() == [[0.5, -2.0], [1000.0, 4.0], [3.0, 5.0]]
    assert second.y.tolist() == first.y.tolist() == [7.25, -1.0, 0.0]
    assert second.n_train == 2


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        (zipped("tiny.csv", "id,a,b,y\n1,0.5,2,7\n"), "has 1 rows of 4 numbers; expected 3 of 4"),
        (zipped("tiny.csv", "id,a,y\n1,0.5,2\n"), "has no such table|has 1 rows of 3 numbers"),
        (zipped("tiny.csv", "id,a,b,y\n1,0.5,?,7\n"), "has no such table"),
        (zipped("other.csv", "id,a,b,y\n"), r"has no such table: .*tiny\.csv"),
    ],
)
def test_other_tables_of_uci_are_refused(uci, answer, match):
    uci.answer = answer
    with pytest.raises(DatasetMismatch, match=match):
        fetch_arrays("tiny")


def test_a_page_in_place_of_an_archive_is_no_dataset(uci):
    uci.answer = b"<html>moved</html>"
    expected = r"UCI, dataset 9 \(BadZipFile: .*\)\. Put tiny\.npz .* or try again with a network"
    with pytest.raises(DatasetUnavailable, match=expected):
        fetch_arrays("tiny")


@pytest.mark.parametrize(("name", "number"), [("slice", 206), ("year", 203)])
def test_the_targets_of_uci_are_no_features(uci, monkeypatch, name, number):
    n, d = ARRAYS[name].shape
    location = ARRAYS[name].location
    width = d + 1 + len(location.drop)
    monkeypatch.setitem(ARRAYS, name, dataclasses.replace(ARRAYS[name], shape=(2, d)))
    head = ",".join(f"c{j}" for j in range(width)) + "\n" if location.has_header else ""
    rows = "".join(",".join(str(j + 0.5 * i) for j in range(width)) + "\n" for i in range(2))
    uci.answer = zipped(location.file, head + rows)
    data = fetch_arrays(name)
    assert f"/{number}/" in uci.asked[0]
    assert data.X.shape == (2, d)
    target = width - 1 if name == "slice" else 0
    assert data.y.tolist() == [target, target + 0.5]
    assert data.X[0].tolist() == list(range(1, d + 1))
    assert (data.n_train, n) == ((None, 53_500) if name == "slice" else (463_715, 515_345))


def test_another_shape_is_refused(tiny):
    np.savez(tiny / "tiny.npz", X=np.zeros((2, 4)), y=np.zeros(2))
    with pytest.raises(DatasetMismatch, match="has 2 rows, 4 features and 2 labels; expected 3 ro"):
        fetch_arrays("tiny")


@pytest.mark.parametrize("content", [b"", b"not a zip file", b"PK\x03\x04 cut short"])
def test_a_file_without_arrays_is_refused(tiny, content):
    (tiny / "tiny.npz").write_bytes(content)
    with pytest.raises(DatasetMismatch, match=r"tiny\.npz cannot be read as arrays"):
        fetch_arrays("tiny")


def test_names_lead_to_the_right_function():
    with pytest.raises(ValueError, match=r"no dataset of arrays 'sonar'\. There are: a9a, "):
        fetch_arrays("sonar")
    with pytest.raises(ValueError, match=re.escape("use fetch_arrays('mnist')")):
        fetch("mnist")


def test_unavailable_names_the_file(offline):
    with pytest.raises(DatasetUnavailable, match=r"Put mslr_fold1_5k\.npz into a folder"):
        fetch_arrays("mslr")


@pytest.mark.skipif(not os.environ.get("SCRIMP_DATA"), reason="SCRIMP_DATA is not set")
@pytest.mark.parametrize("name", ARRAYS)
def test_real_files(name):
    try:
        data = fetch_arrays(name)
    except DatasetUnavailable as reason:
        pytest.skip(str(reason))
    assert data.X.shape == ARRAYS[name].shape
    assert np.isfinite(data.X.data if issparse(data.X) else data.X[:100]).all()
    if name == "covtype":
        assert (data.X[:, 10:].sum(axis=1) == 2).all()
