"""``scrimp stop``."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from scrimp.cli.main import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("stop")
    rng = np.random.default_rng(0)
    for name, n in (("train", 400), ("held", 600), ("new", 50)):
        X = rng.normal(size=(n, 4))
        z = 2 * X[:, 0] + X[:, 1:].sum(axis=1) / 2 + 0.5 * rng.normal(size=n)
        frame = pl.DataFrame(X, schema=list("abcd")).with_columns(y=pl.Series(z > 0).cast(str))
        frame.write_csv(place / f"{name}.csv")
    (place / "prices.csv").write_text("feature,price\na,1\nb,2\nc,3\nd,4\n")
    words = ["fit", "train.csv", "--costs", "prices.csv", "--target", "y", "--method", "linear"]
    done = run(place, *words, "--out", "m.scrimp")
    assert done.exit_code == 0, done.output
    return place


def run(folder, *words):
    words = [str(folder / word) if word.endswith((".csv", ".scrimp")) else word for word in words]
    return CliRunner().invoke(main, words)


def test_a_threshold_is_set_kept_and_used(folder):
    words = ["stop", "m.scrimp", "held.csv", "--target", "y", "--max-increase", "0.02"]
    done = run(folder, *words, "--out", "settled.scrimp")
    assert done.exit_code == 0, done.output
    assert "A row stops when its answer is" in done.output
    assert "600 held-out rows" in done.output
    used = run(
        folder, "predict", "settled.scrimp", "new.csv", "--stop", "confident", "--out", "a.csv"
    )
    assert used.exit_code == 0, used.output
    spent = pl.read_csv(folder / "a.csv")["spent"]
    assert spent.mean() < 10.0
    assert spent.max() <= 10.0


def test_json_has_the_same(folder):
    words = ["stop", "m.scrimp", "held.csv", "--target", "y", "--average-budget", "5", "--json"]
    done = run(folder, *words, "--out", "average.scrimp")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert record["spend"] <= 5.0 < record["full_spend"]
    assert record["n_rows"] == 600


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "No goal given; expected one of --max-increase, --max-error"),
        (["--max-increase", "0.01", "--max-error", "0.1"], "--max-increase and --max-error given"),
        (["--max-increase", "0.001"], "it takes 2995 rows or more"),
        (["--average-budget", "0.5"], "--average-budget is 0.5, and no threshold"),
    ],
)
def test_what_cannot_be_reached_is_said(folder, words, message):
    done = run(folder, "stop", "m.scrimp", "held.csv", "--target", "y", *words, "--out", "x.scrimp")
    assert done.exit_code == 2
    assert message in done.output.replace("\n", " ")
    assert not (folder / "x.scrimp").exists()


def test_without_a_threshold_the_way_to_one_is_named(folder):
    done = run(folder, "predict", "m.scrimp", "new.csv", "--stop", "confident")
    assert done.exit_code == 2
    assert "scrimp stop MODEL DATA" in done.output.replace("\n", " ")


@pytest.fixture(scope="module")
def ranking(folder):
    rng = np.random.default_rng(0)
    for name in ("ranked", "queries"):
        X = rng.normal(size=(2000, 4))
        relevance = np.clip(np.round(2 * X[:, 0] + X[:, 1:].sum(axis=1) / 2), 0, 4)
        frame = pl.DataFrame(X, schema=list("abcd")).with_columns(
            relevance=relevance, query=np.repeat(np.arange(50), 40)
        )
        frame.write_csv(folder / f"{name}.csv")
    words = ["fit", "ranked.csv", "--costs", "prices.csv", "--target", "relevance"]
    words += ["--task", "regression", "--method", "linear", "--drop", "query"]
    done = run(folder, *words, "--out", "ranker.scrimp")
    assert done.exit_code == 0, done.output
    return folder


def test_a_ranker_has_early_exits_by_query(ranking):
    words = ["stop", "ranker.scrimp", "queries.csv", "--target", "relevance", "--query", "query"]
    done = run(ranking, *words, "--max-loss", "0.02", "--out", "exits.scrimp")
    assert done.exit_code == 0, done.output
    assert "held-out queries" in done.output
    words = ["predict", "exits.scrimp", "queries.csv", "--stop", "confident", "--out", "b.csv"]
    assert run(ranking, *words).exit_code == 0
    assert pl.read_csv(ranking / "b.csv")["spent"].mean() < 9.0


def test_goals_of_classes_and_of_rankings_are_kept_apart(ranking):
    of_ranker = [
        "stop",
        "ranker.scrimp",
        "queries.csv",
        "--target",
        "relevance",
        "--out",
        "n.scrimp",
    ]
    of_classes = ["stop", "m.scrimp", "held.csv", "--target", "y", "--out", "n.scrimp"]
    for words, message in (
        (of_ranker, "predicts numbers"),
        ([*of_ranker, "--max-error", "0.1"], "predicts numbers"),
        ([*of_classes, "--query", "a"], "predicts classes"),
        ([*of_ranker, "--query", "nobody"], "has no column 'nobody' (the query)"),
        ([*of_ranker, "--query", "query", "--max-loss", "3"], "max_loss is 3.0"),
    ):
        done = run(ranking, *words)
        assert done.exit_code == 2, done.output
        assert message in done.output.replace("\n", " ")
