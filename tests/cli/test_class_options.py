"""``scrimp fit`` with weights of classes, and a scorer that a frontier selects by."""

import numpy as np
import polars as pl
import pytest

from scrimp import load
from scrimp.cli.class_options import with_labels
from scrimp.registry import installed

from .conftest import refused, run, run_json, table

QUICK = ("--method", "frontier", "--budget", "1.5,6.5")


@pytest.fixture
def train(tmp_path):
    path = tmp_path / "train.csv"
    data = table().drop("id")
    data.with_columns(code=(pl.col("y") == "sick").cast(int), size=pl.col("b") * 1.5).write_csv(
        path
    )
    return path


def fit(train, *words, target="y"):
    others = [name for name in ("y", "code", "size") if name != target]
    out = train.parent / "m.scrimp"
    base = ("fit", train, "--target", target, "--drop", ",".join(others), "--out", out)
    run_json(*base, *words)
    return load(out)


def share_sick(model):
    return float((model.predict(table().drop("id", "y")) == "sick").mean())


def test_weights_of_classes_count(train):
    plain, balanced, sick = (
        fit(train, "--rounds", 5, *words)
        for words in ((), ("--class-weight", "balanced"), ("--class-weight", "sick=50,well=1"))
    )
    assert balanced.info["params"]["class_weight"] == "balanced"
    assert share_sick(sick) > share_sick(plain)


def test_classes_may_be_numbers(train):
    options = {"class_weight": {"1": 5.0}, "positive": "0", "scoring": "f1"}
    found = with_labels(options, np.array([0, 1, 1]), "classification")
    assert found == {"class_weight": {1: 5.0}, "positive": 0, "scoring": "f1"}
    weighted = fit(train, "--method", "tree", "--class-weight", "1=1000", target="code")
    assert weighted.predict(table().drop("id", "y")).all()


@pytest.mark.parametrize(
    "method", [spec.name for spec in installed() if "class-weight" in spec.options]
)
def test_all_classifiers_take_it(train, method, quick_frontier):
    words = ("--class-weight", "balanced", "--budget", 2) if method != "sampled" else ()
    fit(train, "--method", method, *words)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            ["--class-weight", "ill=5"],
            "--class-weight names 'ill', which is not one of the classes",
        ),
        (["--class-weight", "sick=0"], "'sick=0' is no weight of a class; expected balanced, or"),
        (["--class-weight", "sick"], "'sick' is no weight of a class"),
        (["--class-weight", "sick=1,sick=2"], "'sick' has two weights; expected one"),
        (["--scoring", "f1"], "--scoring says nothing to --method boosting"),
        ([*QUICK, "--positive", "ill", "--scoring", "f1"], "'ill' is not one of the classes"),
        ([*QUICK, "--positive", "sick"], "the scorer counts no single class"),
        ([*QUICK, "--scoring", "acuracy"], "scoring is 'acuracy'"),
    ],
)
def test_refuses(train, words, text):
    base = (
        "fit",
        train,
        "--target",
        "y",
        "--drop",
        "code,size",
        "--out",
        train.parent / "m.scrimp",
    )
    assert text in refused(*base, *words)


def test_weights_of_numbers_are_refused(train):
    base = (
        "fit",
        train,
        "--target",
        "size",
        "--drop",
        "code,y",
        "--out",
        train.parent / "m.scrimp",
    )
    assert "--class-weight is for classes, and here" in refused(*base, "--class-weight", "balanced")


def test_a_frontier_is_selected_by_a_scorer(train, quick_frontier):
    model = fit(train, *QUICK, "--scoring", "recall", "--positive", "sick")
    params = model.info["params"]
    assert (params["scoring"], params["positive"]) == ("recall", "sick")
    assert -1.0 <= model.info["prior"]["selection_loss"] <= 0.0
    out = run("fit", train, "--target", "y", "--drop", "code,size", *QUICK, "--scoring", "f1",
              "--out", train.parent / "m.scrimp")  # fmt: skip
    assert "f1 counts the class well; --positive sick the other." in out.stderr
