"""Runs of `hu2016` that are stopped, killed, or lack an extra."""

import dataclasses
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest

import papers
from papers import study
from papers.hu2016.doubling import load as generated
from papers.trials import Runner, TrialLog
from scrimp.runtime.events import listening
from tests.papers.conftest import run

from .conftest import make_groups
from .test_hu2016_mnist import make as make_digits

needs_lasso = pytest.mark.skipif(find_spec("skglm") is None, reason="skglm is not installed")


class Stopped(Exception):
    pass


def without_times(record):
    """All but what a clock says."""
    if isinstance(record, dict):
        return {k: without_times(v) for k, v in record.items() if k not in ("seconds", "slower")}
    return record


@pytest.mark.parametrize(
    ("name", "make"),
    [
        pytest.param("a9a", make_groups, marks=needs_lasso),
        ("mnist", make_digits),
        ("generated", lambda name: generated()),
    ],
)
def test_a_run_that_was_stopped_goes_on_and_gives_the_same(name, make, tmp_path):
    def page(work):
        return study("hu2016").run(Runner(tmp_path / work), [name], trials=3, load=make)

    seen = []

    def stop(event):
        seen.append(event)
        if len(seen) == 3:  # the second trial is kept, and then the lights go out
            raise Stopped

    with listening(stop), pytest.raises(Stopped):
        page("stopped")
    [log] = (tmp_path / "stopped" / "hu2016").iterdir()
    kept = log.read_bytes()
    assert [number for number, _ in TrialLog(log).read()] == [0, 1]
    with open(log, "ab") as file:
        file.write(b'{"trial": 2, "result": {"cut sho')
    events = []
    with listening(events.append):
        resumed = page("stopped")
    assert [event.done for event in events] == [2, 3]
    assert log.read_bytes().startswith(kept)
    whole = page("whole")
    assert resumed.record["datasets"][name]
    assert without_times(resumed.record["datasets"]) == without_times(whole.record["datasets"])
    if name == "generated":  # nothing in it is timed
        assert resumed.text == whole.text


def test_a_run_that_was_killed_goes_on_and_gives_the_same_report(tmp_path):
    def start(work):
        command = [sys.executable, "-m", "papers", "hu2016", "--datasets",
                   "generated", "--trials", "60", "--work", str(tmp_path / work),
                   "--out", str(tmp_path / f"{work}-out")]  # fmt: skip
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def lines():
        logs = list((tmp_path / "killed").glob("hu2016/*.jsonl"))
        return logs[0].read_bytes().count(b"\n") if logs else 0

    first, until = start("killed"), time.monotonic() + 120
    while lines() < 3 and first.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    first.kill()
    first.communicate()
    assert 3 <= lines() < 60
    reports = []
    for work in ("killed", "whole"):
        again = start(work)
        _, errors = again.communicate(timeout=240)
        assert again.returncode == 0, errors
        reports.append((tmp_path / f"{work}-out" / "hu2016.md").read_bytes())
    assert lines() == 60
    assert reports[0] == reports[1]


def test_without_the_extra_it_is_said_what_to_install(monkeypatch, tmp_path):
    small = dataclasses.replace(study("hu2016"), load=make_groups)
    monkeypatch.setattr(papers, "study", lambda paper: small)
    monkeypatch.setitem(sys.modules, "skglm", None)
    result = run("hu2016", "--datasets", "a9a", "--trials", 1,
                 "--work", tmp_path, "--out", tmp_path / "out")  # fmt: skip
    assert result.exit_code == 2
    assert "needs skglm: pip install 'scrimp[lasso]'" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()
