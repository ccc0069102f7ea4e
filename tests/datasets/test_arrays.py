"""Datasets of arrays: files that are found, fetched, kept or refused."""

import os
import re

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.utils import Bunch

from scrimp.datasets import DatasetMismatch, DatasetUnavailable, arrays, fetch, fetch_arrays
from scrimp.datasets.arrays import ARRAYS, ArrayEntry
from scrimp.datasets.catalog import OpenML

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
