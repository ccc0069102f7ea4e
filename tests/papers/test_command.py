import dataclasses

import pytest

import papers
from tests.papers.conftest import SMALL, make, refused, run, run_json


@pytest.fixture
def public(monkeypatch, tmp_path):
    """Made-up data in the place of the public ones."""
    study = papers.study("reyzin2011")
    small = dataclasses.replace(study, settings=dict.fromkeys(study.settings, SMALL))
    monkeypatch.setattr("papers.experiment.binary", make)
    monkeypatch.setattr(papers, "study", lambda paper: small)
    return tmp_path


def test_a_report_is_written_and_said_where(public):
    out = public / "out"
    result = run("reyzin2011", "--trials", 2, "--datasets", "splice, census",
                 "--out", out, "--work", public / "work")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    words = [line.split() for line in result.stdout.splitlines()]
    assert ["census", "2", "3", "120", "120"] in words  # trials and features, with the paper's
    assert "AdaBoostRS_AC beats AdaBoostRS" in result.stdout
    assert f"Report, with all figures: {out / 'reyzin2011.md'}" in result.stdout
    assert sorted(file.name for file in out.iterdir()) == [
        "reyzin2011-census.png", "reyzin2011-splice.png", "reyzin2011.md",
    ]  # fmt: skip
    text = (out / "reyzin2011.md").read_text(encoding="utf-8")
    assert "Written by `python -m papers reyzin2011 --trials 2 --datasets census,splice`" in text


def test_figures_stand_beside_the_published_ones(public):
    options = ("reyzin2011", "--trials", 1, "--datasets", "splice", "--out",
               public / "out", "--work", public / "work")  # fmt: skip
    lines = run(*options).stdout.splitlines()
    record = run_json(*options)
    here, printed = record["datasets"]["splice"], record["published"]["splice"]

    def row(title, start):
        below = lines[next(i for i, line in enumerate(lines) if line.startswith(title)) :]
        return next(line.split() for line in below if line.split()[: len(start)] == start)

    assert row("Table 2", ["splice"]) == ["splice", f"{100 * here['adaboost']:.1f}", "8.1"]
    assert row("Tables 3", ["published"]) == ["published", "97", "205", "421", "823"]
    errors = row("Table 5", ["splice", "21"])
    assert errors[2:4] == [f"{100 * here['RS_AC']['error'][1]:.1f}", "19.2"]
    bought = row("Table 6", ["splice", "11"])
    assert bought[5:7] == [f"{here['RS']['features'][0]:.1f}", "20.6"]
    assert [printed["adaboost"], printed["RS_AC"]["error"][1]] == pytest.approx([0.081, 0.192])
    assert printed["RS"]["features"] == [20.6, 40.0]
    assert record["features"] == {"splice": {"here": 120, "published": 120}}


def test_json(public):
    record = run_json("reyzin2011", "--trials", 1, "--datasets", "splice",
                      "--out", public / "out", "--work", public / "work")  # fmt: skip
    assert record["trials"] == {"splice": 1}
    assert len(record["verdicts"]) == 5
    assert record["files"][-1].endswith("reyzin2011.md")


def test_refusals(public):
    assert "exclude each other" in refused("reyzin2011", "--full", "--trials", 3)
    assert "has no dataset 'iris'" in refused("reyzin2011", "--datasets", "iris")
    assert "'darwin1859' is not one of" in refused("darwin1859")
