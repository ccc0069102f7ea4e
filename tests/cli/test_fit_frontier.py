"""``scrimp fit --method frontier``."""

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from scrimp import datasets, load
from scrimp.costs.ledger import within
from scrimp.datasets import load_heart
from scrimp.meta import cross_validation
from scrimp.meta.frontier import racing

from .conftest import refused, run, run_json, table

#: Budgets that buy nothing are remarked upon, and here they are on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")

#: One candidate, tested once: enough to see how it is called.
QUICK = ("--method", "frontier", "--max-seconds", 1e-6)


@pytest.fixture
def train(tmp_path):
    path = tmp_path / "train.csv"
    table().drop("id").write_csv(path)
    return path


def features():
    return table().drop("id", "y")


def test_says_what_was_learnt_and_saves_it(train, trained, tmp_path):
    words = ("fit", train, "--target", "y", "--costs", trained / "prices.toml", "--budget", "1,10")
    result = run(*words, *QUICK, "--out", tmp_path / "m.scrimp")
    assert result.exit_code == 0, result.stderr
    assert "Learnt to tell y sick from well on 120 rows in" in result.stdout
    assert "\nFrom 0.00: nothing is bought" in result.stdout
    assert re.search(r"one model of 3 columns; \w+, \d+\.\d% wrong ± \d", result.stdout)
    record = run_json("inspect", tmp_path / "m.scrimp")
    assert record["full_price"] <= 10.0
    model = load(tmp_path / "m.scrimp")
    for budget in (0.0, 1.0, 6.0, 10.0):
        assert all(within(spent, budget) for spent in model.spend(features(), budget))
    assert model.score(features(), table()["y"].to_numpy()) > 0.8


def test_numbers(tmp_path):
    data = table().with_columns(amount=pl.col("b") * 2.5 + 0.1).drop("id", "y")
    data.write_csv(tmp_path / "t.csv")
    words = (
        "fit",
        tmp_path / "t.csv",
        "--target",
        "amount",
        *QUICK,
        "--out",
        tmp_path / "m.scrimp",
    )
    assert run_json(*words)["entries"][-1]["purchases"][0]["item"] == "b"
    assert load(tmp_path / "m.scrimp").score(features(), data["amount"].to_numpy()) > 0.8


def interrupted(train, out, monkeypatch, when):
    """The result of a training that is interrupted at an event of a candidate."""
    emit, left = cross_validation.emit, iter(range(when))

    def interrupting(event):
        emit(event)
        if event.note == "linear" and next(left, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr(cross_validation, "emit", interrupting)
    monkeypatch.setattr(racing.Race, "_eliminate", lambda _: None)
    words = ("--method", "frontier", "--budget", "1,3", "--out", out)
    return run("fit", train, "--target", "y", *words)


def test_interrupted_it_saves_what_the_last_fold_has_trained(train, tmp_path, monkeypatch):
    result = interrupted(train, tmp_path / "m.scrimp", monkeypatch, 1)
    assert result.exit_code == 130
    assert "models: saved what was learnt to" in result.stderr
    model = load(tmp_path / "m.scrimp")
    for budget in (0.0, 1.0, 2.9, 3.0):
        assert all(within(spent, budget) for spent in model.spend(features(), budget))
    assert model.score(features(), table()["y"].to_numpy()) > 0.7
    assert "Unfinished" in run("inspect", tmp_path / "m.scrimp").stdout


def test_interrupted_in_its_first_fold_it_saves_nothing(train, tmp_path, monkeypatch):
    result = interrupted(train, tmp_path / "m.scrimp", monkeypatch, 0)
    assert result.exit_code == 130
    text = "Interrupted before the first fold was finished: nothing was saved.\n"
    assert result.stderr.endswith(text)
    assert not (tmp_path / "m.scrimp").exists()


def test_progress_is_drawn(train, tmp_path):
    words = ("fit", train, "--target", "y", *QUICK, "--progress", "--out", tmp_path / "m.scrimp")
    assert "trainings" in run(*words).stderr


def test_a_budget_below_the_cheapest_item_warns(train, trained, tmp_path):
    words = ("fit", train, "--target", "y", "--costs", trained / "prices.toml", *QUICK)
    result = run(*words, "--budget", "0.1,3", "--out", tmp_path / "m.scrimp")
    text = "Warning: The cheapest item 'colour' costs 0.5 but the budget is 0.1, so nothing is "
    assert text + "bought there and every row gets the same answer." in result.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--method", "frontier", "--rounds", 9), "--rounds says nothing to --method frontier"),
        (("--method", "frontier", "--rule", "edge"), "--rule says nothing to --method frontier"),
        (
            ("--method", "frontier", "--calibrate", "sigmoid"),
            "--calibrate says nothing to --method frontier. Leave it out. Its probabilities are",
        ),
        (("--method", "frontier", "--max-seconds", 0), "0.0 is not in the range x>0"),
    ],
)
def test_what_would_have_no_effect_is_refused(train, tmp_path, words, text):
    out = ("--out", tmp_path / "m.scrimp")
    assert text in refused("fit", train, "--target", "y", *words, *out)


@pytest.mark.parametrize("command", ["predict", "curve", "ask"])
def test_it_cannot_stop_early(train, frontier, command):
    words = {"predict": (train,), "curve": (train, "--target", "y"), "ask": ()}[command]
    result = run(command, frontier, *words, "--stop", "certain", text="1\n")
    assert result.exit_code == 2
    assert "so it cannot stop early. Leave --stop out." in result.stderr
    assert "stop=" not in result.stderr


def test_heart(tmp_path):
    heart = load_heart()
    data = heart.X.with_columns(sick=pl.Series(heart.y))
    data.write_csv(tmp_path / "heart.csv")
    prices = Path(datasets.__file__).with_name("heart.toml")
    words = ("fit", tmp_path / "heart.csv", "--target", "sick", "--costs", prices, *QUICK)
    run_json(*words, "--budget", "5,30,205", "--out", tmp_path / "m.scrimp")
    model = load(tmp_path / "m.scrimp")
    for budget in (0.0, 3.0, 5.0, 30.0, 100.0, 205.0):
        assert all(within(spent, budget) for spent in model.spend(heart.X, budget))
    assert model.score(heart.X, heart.y, budget=205.0) > 0.75


def test_pima(public_data, tmp_path):
    pima = public_data("pima_diabetes")
    train = pima.X[::2].with_columns(y=pl.Series(np.asarray(pima.y)[::2]))
    train.write_csv(tmp_path / "pima.csv")
    prices = Path(datasets.__file__).with_name("pima.toml")
    words = ("fit", tmp_path / "pima.csv", "--target", "y", "--costs", prices, *QUICK)
    run_json(*words, "--budget", "20,44", "--out", tmp_path / "m.scrimp")
    model = load(tmp_path / "m.scrimp")
    assert model.score(pima.X[1::2], pima.y[1::2], budget=20.0) > 0.68
    assert all(within(spent, 20.0) for spent in model.spend(pima.X, 20.0))
