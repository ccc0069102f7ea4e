"""The rows of a training, checked at the door."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from scrimp.data.folds import given_splits, kept_positions
from scrimp.data.training_rows import numeric_target, read_rows, seed_from


class Learner(BaseEstimator):
    pass


X = np.arange(8.0).reshape(4, 2)
Y = np.array(["a", "b", "a", "b"])


def test_rows_of_weight_zero_are_left_out_and_can_be_found_again():
    frame = pl.DataFrame({"n": [1.0, 2.0, 3.0, 4.0], "word": ["u", "v", "u", "w"]})
    rows = read_rows(Learner(), frame, Y, [1.0, 0.0, 2.0, 0.0]).of_positive_weight()
    assert rows.kept.tolist() == [0, 2]
    assert rows.weights.tolist() == [1.0, 2.0]
    assert rows.of_given(frame)["word"].to_list() == ["u", "u"]
    assert rows.columns.categories == (None, ("u", "v", "w"))
    with pytest.raises(ValueError, match="y holds one class only"):
        rows.labelled()


def test_an_array_is_not_copied_and_weights_are():
    weights = np.ones(4)
    rows = read_rows(Learner(), X, Y, weights, classes=True)
    assert rows.table is X
    assert rows.weights is not weights
    assert rows.of_positive_weight() is rows
    assert rows.without_equal_weights().weights is None
    assert rows.weights_or_ones.tolist() == [1.0] * 4
    classes, labels = rows.labelled()
    assert (classes.tolist(), labels.tolist()) == (["a", "b"], [0, 1, 0, 1])


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"is 0 for all rows|at least one non-zero"):
        read_rows(Learner(), X, Y, np.zeros(4)).of_positive_weight()
    with pytest.raises(ValueError, match="Unknown label type"):
        read_rows(Learner(), X, np.array([0.5, 1.5, 2.5, 3.5]), classes=True)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        read_rows(Learner(), sparse.csr_matrix(X), Y)
    with pytest.raises(ValueError, match="0 rows"):
        read_rows(Learner(), pl.DataFrame({"n": pl.Series([], dtype=pl.Float64)}), [])
    with pytest.raises(ValueError, match=r"y holds .a.; expected numbers. Use Other for classes"):
        numeric_target(Y, "Other")


def test_sparse_rows_stay_sparse():
    rows = read_rows(Learner(), sparse.csr_matrix(X), Y, [1, 0, 1, 1], accept_sparse=True)
    assert sparse.issparse(rows.of_positive_weight().table)
    assert len(rows.of_positive_weight()) == 3


def test_later_rows_have_the_columns_of_the_first():
    learner = Learner()
    learner.columns_ = read_rows(learner, pl.DataFrame({"w": ["u", "v"]}), [1.0, 2.0]).columns
    rows = read_rows(learner, pl.DataFrame({"w": ["v", "new"]}), [1.0, 2.0], reset=False)
    assert rows.table[:, 0].tolist() == [1.0, -1.0]


def test_folds_of_the_rows_given_are_folds_of_the_rows_kept():
    mask = np.array([True, False, True, True])
    [(train, test)] = kept_positions([(mask, [1, 3])], np.array([0, 3]), 4)
    assert (train.tolist(), test.tolist()) == ([0, 1], [1])
    with pytest.raises(ValueError, match="cv names the row 4; expected positions >= 0 and < 4"):
        kept_positions([([4], [1])], np.array([0, 3]), 4)


def test_seeds_are_drawn_from_the_state():
    state = np.random.RandomState(0)
    assert seed_from(0) == seed_from(np.random.RandomState(0)) == seed_from(state)
    assert seed_from(state) != seed_from(0)


def test_folds_without_a_row_of_positive_weight_are_left_out():
    y, kept = np.arange(6), np.array([2, 3, 4, 5])
    cv = [([0, 1, 2, 3], [4, 5]), ([2, 3, 4, 5], [0, 1]), ([0, 1], [2, 3])]
    [(train, test)] = given_splits(cv, y, y, kept)
    assert (train.tolist(), test.tolist()) == ([0, 1], [2, 3])
    with pytest.raises(ValueError, match="cv has no folds with rows of positive weight"):
        given_splits([([2, 3], [0, 1])], y, y, kept)
