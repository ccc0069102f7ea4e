"""What README.md shows: its commands, and its loop for one case."""

import shlex
from pathlib import Path

import numpy as np
import polars as pl

from scrimp import FrontierClassifier
from scrimp.datasets import load_heart

from .conftest import run

README = (Path(__file__).parents[2] / "README.md").read_text()


def block(heading, holding):
    """The first block of code under a heading that holds a text."""
    under = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return next(own for own in under.split("```")[1::2] if holding in own)


def test_the_commands_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    for name, n in (("data", 80), ("test", 80), ("new", 80), ("held_out", 400)):
        a, b = random.normal(size=(2, n))
        y = np.where(a + b > 0, "yes", "no")
        pl.DataFrame({"a": a, "b": b, "y": y}).write_csv(f"{name}.csv")
    Path("prices.csv").write_text("feature,price\na,5\nb,20\n")
    Path("new_prices.csv").write_text("feature,price\na,6\nb,25\n")
    shown = block("On your own data", "scrimp").strip().splitlines()
    lines = [shlex.split(line, comments=True) for line in shown]
    commands = [line[1:] for line in lines if line[0] == "scrimp" and line[1] != "compare"]
    assert [command[0] for command in commands] == [
        "fit",
        "inspect",
        "curve",
        "predict",
        "ask",
        "reprice",
        "stop",
        "stream",
    ]
    for command in commands:
        result = run(*command, text="1\n1\n")
        assert result.exit_code == 0, result.stderr
    assert Path("new.scrimp").exists()
    assert Path("settled.scrimp").exists()
    assert Path("streamed.scrimp").exists()


def test_in_the_loop_one_item_that_cannot_be_had_leaves_the_others():
    """For 2 the model buys sex and cp, for 30 the ECG at rest and others as well."""
    heart = load_heart()
    row = heart.X.row(0, named=True)
    model = FrontierClassifier(heart.costs, [2.0, 30.0], ["linear"], cv=2).fit(heart.X, heart.y)

    def look_up(columns):
        if "restecg" in columns:
            raise LookupError("restecg")
        return {name: row[name] for name in columns}

    names = {"model": model, "look_up": look_up}
    loop = block("In a program, one case at a time", "session = model.session(")
    exec(loop.removeprefix("python"), names)
    without = np.array([name == "restecg" for name in heart.X.columns])
    expected = model.predict_proba(heart.X[:1], 30.0, failed=without)[0]
    np.testing.assert_allclose(names["answer"].probabilities, expected, atol=0.1)
    assert {"age", "sex", "cp"} < set(names["session"].bought)
    assert "restecg" not in names["session"].bought
