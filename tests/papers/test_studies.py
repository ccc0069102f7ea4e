"""Whole studies on made-up data: reports, and runs that are stopped and go on."""

import json
import os
import re

import numpy as np
import pytest

from papers import study
from papers.trials import Runner, TrialLog, divide
from scrimp.datasets import DatasetUnavailable
from scrimp.runtime.events import listening

from .conftest import make


class Stopped(Exception):
    pass


@pytest.mark.parametrize("paper", ["reyzin2011", "huang2015"])
def test_a_run_that_was_stopped_goes_on_and_gives_the_same_report(paper, shrunk, tmp_path):
    small_study = shrunk(study(paper))
    name = next(iter(small_study.settings))

    def run(work):
        return small_study.run(Runner(tmp_path / work), [name], trials=3, load=make)

    seen = []

    def stop(event):
        seen.append(event)
        if len(seen) == 3:  # the second trial is kept, and then the lights go out
            raise Stopped

    with listening(stop), pytest.raises(Stopped):
        run("stopped")
    [log] = (tmp_path / "stopped" / paper).iterdir()
    assert [number for number, _ in TrialLog(log).read()] == [0, 1]
    with open(log, "ab") as file:
        file.write(b'{"trial": 2, "result": {"cut sho')
    events = []
    with listening(events.append):
        page = run("stopped")
    assert [(event.task, event.done) for event in events] == [
        (f"{paper} {name}", 2), (f"{paper} {name}", 3),
    ]  # fmt: skip
    whole = run("whole")
    assert page.text == whole.text
    assert page.pictures == whole.pictures
    assert page.record == whole.record


@pytest.mark.parametrize(
    ("paper", "names"),
    [("reyzin2011", ["census", "ocr17"]), ("huang2015", ["splice", "ecoli", "sonar"])],
)
def test_a_report_has_verdicts_tables_and_pictures(paper, names, shrunk, tmp_path):
    small_study = shrunk(study(paper))
    page = small_study.run(Runner(tmp_path / "work"), names, trials=1, load=make)
    files = page.write(tmp_path / "out" / "deep")
    text = files[-1].read_text(encoding="utf-8")
    assert files[-1].name == f"{paper}.md"
    pictures = re.findall(r"\((\S+\.png)\)", text)
    assert sorted(pictures) == sorted(f"{paper}-{name}.png" for name in names)
    for picture in pictures:
        assert (files[-1].parent / picture).read_bytes().startswith(b"\x89PNG")
    assert (
        text.count("**") == 2 * len(page.verdicts) == 2 * {"reyzin2011": 5, "huang2015": 8}[paper]
    )
    assert all(f"| {name} |" in text for name in names)
    assert "nan" not in text
    json.dumps(page.record)


def test_errors_of_every_method_at_few_budgets_are_shown(shrunk, tmp_path):
    small_study = shrunk(study("huang2015"))
    page = small_study.run(Runner(tmp_path), ["splice", "ecoli"], trials=1, load=make)
    features, errors = page.shown
    assert [row[-2:] for row in features.rows] == [(120, 120), (120, 120)]
    figures = page.record["datasets"]["ecoli"]
    place = page.record["budgets"].index(12.0)
    shown = {row[1]: dict(zip(errors.header, row, strict=True)) for row in errors.rows[-9:]}
    for method, curve in figures["random"]["error"].items():
        assert shown[method]["dataset"] == "ecoli"
        assert shown[method]["random\n12"] == f"{100 * curve[place]:.1f}"
    assert shown["BT"]["equal\n12"] == f"{100 * figures['uniform']['error']['BT'][place]:.1f}"
    assert shown["Greedy"]["equal\n12"] == ""  # with equal prices it is BT
    assert shown["AdaBoost"]["equal\n40"] == f"{100 * figures['uniform']['adaboost']:.1f}"


@pytest.mark.parametrize(
    ("choice", "options"),
    [
        ((None, None, False, 0), ""),
        ((None, 75, False, 0), " --trials 75"),
        ((None, None, True, 3), " --full --seed 3"),
        ((["sonar", "ocr17"], None, False, 0), " --datasets ocr17,sonar"),
    ],
)
def test_the_command_says_all_that_decides_over_the_figures(choice, options):
    assert study("huang2015").command(*choice) == f"python -m papers huang2015{options}"


def test_other_settings_and_seeds_have_other_results_kept_apart(shrunk, tmp_path, small):
    small_study = shrunk(study("reyzin2011"))
    one = small_study.run(Runner(tmp_path, seed=0), ["splice"], trials=1, load=make)
    other = small_study.run(Runner(tmp_path, seed=1), ["splice"], trials=1, load=make)
    assert one.record["datasets"] != other.record["datasets"]
    assert len(list((tmp_path / "reyzin2011").iterdir())) == 2


def test_processes_give_the_same_as_one(tmp_path, small):
    def run(jobs, work):
        runner = Runner(tmp_path / work, jobs=jobs)
        return runner.run("paper", small_trial, make("jobs"), small, 4, "recipe")

    assert run(1, "a") == run(2, "b")


def small_trial(data, setting, rng):
    part = divide(data, setting, rng)
    return {"mean": float(part.y.mean()), "number": float(rng.random())}


def test_what_cannot_be_had_is_left_out_and_named(shrunk, tmp_path):
    def load(name):
        if name == "splice":
            raise DatasetUnavailable("Dataset 'splice' is not available.")
        return make(name)

    small_study = shrunk(study("reyzin2011"))
    page = small_study.run(Runner(tmp_path), ["splice", "census"], trials=1, load=load)
    assert page.record["left_out"] == {"splice": "Dataset 'splice' is not available."}
    assert "**splice** is left out. Dataset 'splice' is not available." in page.text
    with pytest.raises(DatasetUnavailable, match="None of the datasets can be had"):
        small_study.run(Runner(tmp_path), ["splice"], trials=1, load=load)


def test_unknown_datasets_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"reyzin2011 has no dataset 'sonar'\. It has: census, "):
        study("reyzin2011").run(Runner(tmp_path), ["sonar"])


def test_too_few_rows_are_refused(small):
    with pytest.raises(ValueError, match="has 100 rows; expected at least 140"):
        divide(make("tiny", n=100), small, np.random.default_rng(0))


def test_trials_are_as_many_as_asked_for():
    huang = study("huang2015")
    assert huang.n_trials("sonar", 7, full=False) == 7
    assert huang.n_trials("sonar", None, full=True) == 400
    assert huang.n_trials("sonar", None, full=False) < 50


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("SCRIMP_DATA"), reason="SCRIMP_DATA is not set")
def test_tables_5_and_6_of_reyzin_on_splice(tmp_path):
    page = study("reyzin2011").run(Runner(tmp_path), ["splice"], trials=5)
    splice = page.record["datasets"]["splice"]
    for k, printed in enumerate(((25.7, 27.0), (19.2, 20.4))):
        for method, error in zip(("RS_AC", "RS"), printed, strict=True):
            assert 100 * splice[method]["error"][k] == pytest.approx(error, abs=3.0)
    for k, printed in enumerate(((33.8, 20.6), (56.2, 40.0))):
        for method, taken in zip(("RS_AC", "RS"), printed, strict=True):
            assert splice[method]["features"][k] == pytest.approx(taken, rel=0.1)
