"""Digits and groups of their features: the parts one by one, and on made-up images."""

import json
import os

import numpy as np
import pytest
from scipy.linalg import eigh

from papers import study
from papers.hu2016.mnist import (
    GAMMA,
    GROUPS,
    METHODS,
    TOP,
    Digits,
    features,
    filters,
    load,
    trial,
)
from papers.hu2016.mnist_report import FIFTH, FLAT, SHOWN, table, verdicts
from papers.trials import Runner, Setting

#: So many that models are soon too large for Newton steps, which take long.
CLASSES = 10


def make(name="mnist", n=320, n_train=220):
    """Kinds of images that differ in which pixels vary together."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, n)
    mixes = rng.normal(size=(CLASSES, 16, 16)) ** 2
    X = np.einsum("nij,nj->ni", mixes[y], rng.exponential(size=(n, 16)))
    return Digits(name, (255 * X / X.max()).astype(np.uint8), y, n_train, "made up")


@pytest.fixture(scope="module")
def record():
    return trial(make(), Setting(0, 200, 0, 0, 1), np.random.default_rng(0))


def test_mistakes_are_counted_for_each_number_of_groups(record):
    assert set(record["mistakes"]) == set(record["explained"]) == set(METHODS)
    guess = record["mistakes"]["CS-G-OMP"][0]
    for counts in record["mistakes"].values():
        assert len(counts) == GROUPS + 1
        assert counts[0] == guess
        assert counts[-1] < 0.6 * guess
    assert record["n_test"] == 100
    json.dumps(record)


def test_figures_other_than_times_come_from_the_seed(record):
    def run(seed):
        again = trial(make(), Setting(0, 200, 0, 0, 1), np.random.default_rng(seed))
        return again["mistakes"]

    assert run(0) == record["mistakes"]
    assert run(1) != record["mistakes"]


def test_test_rows_teach_nothing(record):
    data = make()
    wrong = data.y.copy()
    wrong[data.n_train :] = (wrong[data.n_train :] + 1) % CLASSES
    other = Digits("mnist", data.X, wrong, data.n_train, "")
    again = trial(other, Setting(0, 200, 0, 0, 1), np.random.default_rng(0))
    assert again["explained"] == record["explained"]
    assert again["mistakes"] != record["mistakes"]


def test_filters_are_the_first_generalised_eigenvectors_of_each_ordered_pair():
    data = make()
    X = data.X.astype(np.float32) / 255
    directions = filters(X, data.y)
    assert directions.shape == (16, TOP * CLASSES * (CLASSES - 1))
    moments = [X[data.y == k].T.astype(float) @ X[data.y == k] / (data.y == k).sum()
               for k in range(CLASSES)]  # fmt: skip
    pairs = [(i, j) for j in range(CLASSES) for i in range(CLASSES) if i != j]
    for k, (i, j) in enumerate(pairs):
        below = moments[j] + GAMMA * np.trace(moments[j]) / 16 * np.eye(16)
        v = directions[:, TOP * k : TOP * (k + 1)].astype(float)
        values = np.einsum("pv,pq,qv->v", v, moments[i], v)
        assert values == pytest.approx(eigh(moments[i], below)[0][-TOP:], rel=1e-3)
        assert v.T @ below @ v == pytest.approx(np.eye(TOP), abs=1e-3)


def test_a_direction_has_a_feature_for_each_side():
    made = features(np.array([[3.0], [-8.0], [0.0]], np.float32), np.ones((1, 1), np.float32))
    assert made.tolist() == [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]
    assert made.dtype == np.float32


def records(early, end, n=6):
    rng = np.random.default_rng(0)
    made = []
    for _ in range(n):
        counts = np.full(GROUPS + 1, float(end))
        counts[0], counts[1:FIFTH], counts[FIFTH:FLAT] = 8865, 1000, early
        counts[1:] += rng.integers(-2, 3, GROUPS)
        seconds = dict.fromkeys(METHODS, 1.0)
        made.append({"mistakes": dict.fromkeys(METHODS, counts.tolist()), "seconds": seconds,
                      "n_test": 10000})  # fmt: skip
    return made


@pytest.mark.parametrize(
    ("early", "end", "outcomes"),
    [
        (140, 100, ["confirmed", "confirmed"]),
        (300, 250, ["not decided", "confirmed"]),  # too many, with fewer rows to learn from
        (500, 250, ["not decided", "refuted"]),
        (140, 140, ["not decided", "confirmed"]),
    ],
)
def test_verdicts_follow_the_figures(early, end, outcomes):
    results = verdicts(records(early, end))
    assert [verdict.outcome for verdict in results] == outcomes
    assert f"with {FIFTH} of {GROUPS} groups {early}" in results[0].evidence
    assert {v.outcome for v in verdicts(records(early, end, n=4))} == {"not decided"}


def test_a_fifth_of_the_features_is_that_of_the_thesis():
    assert (FIFTH, FLAT) == (11, 29)
    assert pytest.approx(2200 / 11000, abs=0.5 / GROUPS) == FIFTH / GROUPS


def test_printed_figures_stand_below_those_found():
    shown = table(records(300, 250))
    printed = dict(zip(shown.header, shown.rows[-1], strict=True))
    assert printed["method"] == "CS-G-OMP (printed)"
    assert [printed[f"{k} of 54"] for k in SHOWN if k >= FIFTH] == [
        "< 150", "", "100 to 105", "101",
    ]  # fmt: skip
    assert dict(zip(shown.header, shown.rows[0], strict=True))["54 of 54"].startswith("2")


def test_a_report_of_digits_alone_has_a_picture_and_two_verdicts(tmp_path):
    page = study("hu2016").run(Runner(tmp_path), ["mnist"], trials=1, load=make)
    assert list(page.pictures) == ["hu2016-mnist.png"]
    assert [verdict.outcome for verdict in page.verdicts] == ["not decided"] * 2
    assert "at a reduced size" in page.text
    assert "nan" not in page.text
    mistakes = page.record["datasets"]["mnist"]["mistakes"]
    assert set(mistakes) == set(METHODS)
    json.dumps(page.record)


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("SCRIMP_DATA"), reason="SCRIMP_DATA is not set")
def test_real_digits_are_told_apart():
    record = trial(load(), Setting(0, 4000, 10000, 0, 1), np.random.default_rng(0))
    counts = record["mistakes"]["CS-G-OMP"]
    assert record["n_test"] == 10000
    assert counts[0] == 8865  # all are taken for ones
    assert counts[FIFTH] < 700
    assert counts[-1] < 500
