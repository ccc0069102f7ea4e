import json

import numpy as np
import polars as pl
import pytest

from scrimp import FrontierClassifier, save
from scrimp.cli.main import main

from ..quick_learners import make_frontier_quick
from .runner import runner

PRICES = """\
[items.a]
price = 1.0
[items.visit]
price = 2.0
columns = []
[items.b]
price = 3.0
requires = ["visit"]
[items.colour]
price = 0.5
[items.noise]
price = 50.0
"""


def table(n=120, seed=0):
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, n)).round(3)
    colour = random.choice(["red", "green", "blue"], n)
    sick = a + b + (colour == "red") > 0.4
    return pl.DataFrame(
        {
            "id": np.arange(n) + 1000,
            "a": [None if v > 2 else v for v in a.tolist()],
            "b": b,
            "colour": colour,
            "noise": random.integers(0, 9, n),
            "y": np.where(sick, "sick", "well"),
        }
    )


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A folder with tables, prices and two models; not to be changed."""
    folder = tmp_path_factory.mktemp("trained")
    table().write_csv(folder / "train.csv")
    table(50, seed=1).write_csv(folder / "test.csv")
    table(50, seed=1).write_parquet(folder / "test.parquet")
    (folder / "prices.toml").write_text(PRICES)
    for name, budget in (("model", "10"), ("menu", "1,5,10")):
        result = run(
            "fit", folder / "train.csv", "--target", "y", "--drop", "id", "--rounds", 20,
            "--costs", folder / "prices.toml", "--budget", budget, "--rule", "edge",
            "--out", folder / f"{name}.scrimp",
        )  # fmt: skip
        assert result.exit_code == 0, result.stderr
    return folder


@pytest.fixture(scope="session")
def frontier(tmp_path_factory):
    """A model file: for 1.5 it buys a and colour, for 6.5 also b, all at once."""
    path = tmp_path_factory.mktemp("frontier") / "model.scrimp"
    data = table().drop("id")
    prices = {"a": 1.0, "b": 5.0, "colour": 0.5, "noise": 50.0}
    model = FrontierClassifier(prices, [1.5, 6.5], ["linear"], cv=2)
    save(model.fit(data.drop("y"), data["y"].to_numpy()), path)
    return path


@pytest.fixture
def quick_frontier(monkeypatch):
    make_frontier_quick(monkeypatch)


def run(*words, text=None):
    """Run the command; an exception that gets out of it fails the test."""
    result = runner().invoke(main, [str(word) for word in words], input=text)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def run_json(*words, text=None):
    result = run(*words, "--json", text=text)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def refused(*words, text=None):
    """The one line of an error about bad input; nothing is on stdout."""
    result = run(*words, text=text)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]
