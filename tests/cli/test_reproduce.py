import dataclasses

import pytest

from scrimp import reproduce
from tests.reproduce.conftest import SMALL, make

from .conftest import refused, run, run_json


@pytest.fixture
def public(monkeypatch, tmp_path):
    """Made-up data in the place of the public ones."""
    own = reproduce.study("reyzin2011")
    small = dataclasses.replace(own, settings=dict.fromkeys(own.settings, SMALL))
    monkeypatch.setattr("scrimp.reproduce.experiment.binary", make)
    monkeypatch.setattr(reproduce, "study", lambda paper: small)
    return tmp_path


def test_a_report_is_written_and_said_where(public):
    out = public / "out"
    result = run("reproduce", "reyzin2011", "--trials", 2, "--datasets", "splice, census",
                 "--out", out, "--work", public / "work")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "Trials: census 2, splice 2" in result.stdout
    assert "AdaBoostRS_AC beats AdaBoostRS" in result.stdout
    assert f"Report, with all figures: {out / 'reyzin2011.md'}" in result.stdout
    assert (out / "reyzin2011-samples.png").exists()


def test_json(public):
    record = run_json("reproduce", "reyzin2011", "--trials", 1, "--datasets", "splice",
                      "--out", public / "out", "--work", public / "work")  # fmt: skip
    assert record["trials"] == {"splice": 1}
    assert len(record["verdicts"]) == 5
    assert record["files"][-1].endswith("reyzin2011.md")


def test_refusals(public):
    assert "exclude each other" in refused("reproduce", "reyzin2011", "--full", "--trials", 3)
    assert "has no dataset 'iris'" in refused("reproduce", "reyzin2011", "--datasets", "iris")
    assert "'darwin1859' is not one of" in refused("reproduce", "darwin1859")
