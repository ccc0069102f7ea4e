"""Made-up data that goes through the same functions as the papers' data."""

import dataclasses
import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from papers.__main__ import reproduce
from papers.features import Binary
from papers.hu2016.data import Grouped
from papers.trials import Setting

#: Prices of all features used add up to more than the largest budget of the papers.
SMALL = Setting(n_features=120, train=60, test=80, rounds=100, trials=3)


def make(name, n=200, d=120):
    """Bits of which the first six matter."""
    rng = np.random.default_rng(len(name))
    X = rng.integers(0, 2, size=(n, d)).astype(np.uint8)
    y = (X[:, :6].sum(axis=1) + rng.normal(size=n) > 3).astype(np.int64)
    return Binary(name, X, y, "made up")


def make_groups(name, n=300, kind="sign"):
    """Six groups of three columns that overlap in what they tell."""
    rng = np.random.default_rng(len(name))
    hidden = rng.normal(size=(n, 6))
    X = np.repeat(hidden, 3, axis=1) + 0.5 * rng.normal(size=(n, 18)) + hidden[:, :1]
    y = hidden @ np.arange(6.0) + rng.normal(size=n)
    groups = np.repeat(list("abcdef"), 3)
    query = None
    if kind == "sign":
        y = np.sign(y)
    elif kind == "rank":
        y, query = np.digitize(y, [-3.0, 3.0]).astype(float), np.repeat(np.arange(n // 10), 10)
    return Grouped(name, X.astype(np.float32), y, groups, "made up", query)


@pytest.fixture
def small():
    return SMALL


@pytest.fixture
def shrunk():
    """A study with the sizes of the made-up data."""

    def shrink(study):
        return dataclasses.replace(study, settings=dict.fromkeys(study.settings, SMALL))

    return shrink


def check_report(page, folder, paper, names, trials, n_verdicts):
    """A page as it is written: a picture a dataset, all verdicts, no number that is none."""
    text = page.write(folder)[-1].read_text(encoding="utf-8")
    pictures = re.findall(r"\((\S+\.png)\)", text)
    assert pictures == [f"{paper}-{name}.png" for name in names]
    assert all((folder / name).read_bytes().startswith(b"\x89PNG") for name in pictures)
    assert len(page.verdicts) == n_verdicts
    assert "nan" not in text
    assert f"Trials run: {', '.join(f'{name} {trials}' for name in names)}." in text
    json.dumps(page.record)


def run(*words):
    """Run the command; an exception that gets out of it fails the test."""
    result = CliRunner().invoke(reproduce, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def run_json(*words):
    result = run(*words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def refused(*words):
    """The one line of an error about bad input; nothing is on stdout."""
    result = run(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]
