"""Real processes: signals, and what they leave behind."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

from scrimp import load

from .conftest import table

SCRIMP = (sys.executable, "-m", "scrimp.cli.main")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "noise.parquet"
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000, 6))
    y = (X.sum(axis=1) + 4 * random.normal(size=len(X)) > 0).astype(int)
    pl.DataFrame({**{f"x{j}": X[:, j] for j in range(6)}, "y": y}).write_parquet(path)
    return path


@pytest.fixture
def endless_fit(data, tmp_path):
    """A training without end, under way."""
    out, log = tmp_path / "m.scrimp", tmp_path / "log"
    words = (*SCRIMP, "fit", data, "--target", "y", "--rounds", 10**7, "--progress", "--out", out)
    with open(log, "wb") as stderr:
        process = subprocess.Popen(
            list(map(str, words)), stdout=subprocess.PIPE, stderr=stderr, text=True
        )
        deadline = time.monotonic() + 30
        while b"spent" not in log.read_bytes():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield process, out, log
        process.kill()
        process.wait()
        process.stdout.close()


def test_ctrl_c_saves_what_was_learnt(endless_fit, data):
    process, out, log = endless_fit
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    assert re.search(r"after \d+ rounds?: saved what was learnt to", log.read_text())
    assert "Traceback" not in log.read_text()
    assert "What it buys, in order" in stdout
    model = load(out)
    assert len(model.plan.plan.stages) > 0
    X = pl.read_parquet(data).drop("y").head(3)
    assert len(model.predict(X, 2.0)) == 3


def test_impatient_ctrl_c_leaves_no_half_file(endless_fit):
    process, out, log = endless_fit
    for _ in range(20):
        process.send_signal(signal.SIGINT)
        time.sleep(0.005)
    process.communicate(timeout=20)
    assert process.returncode in (130, -signal.SIGINT)
    assert not out.exists() or len(load(out).plan.plan.stages) > 0
    assert [path for path in out.parent.iterdir() if path not in (out, log)] == []


def test_a_killed_fit_leaves_nothing(endless_fit):
    process, out, log = endless_fit
    process.kill()
    process.wait()
    assert list(out.parent.iterdir()) == [log]


def test_ctrl_c_while_saving_waits(trained, tmp_path):
    code = """
import os, signal, sys
import scrimp.io
from scrimp.cli.main import main
save = scrimp.io.save
def interrupted(model, path):
    os.kill(os.getpid(), signal.SIGINT)
    save(model, path)
    os.kill(os.getpid(), signal.SIGINT)
scrimp.io.save = interrupted
main()
"""
    out = tmp_path / "m.scrimp"
    words = ("fit", trained / "train.csv", "--target", "y", "--rounds", 5, "--out", out)
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert len(load(out).plan.plan.stages) == 3


def test_a_killed_prediction_leaves_the_old_answers_or_the_new(trained, tmp_path):
    data, out = tmp_path / "new.parquet", tmp_path / "answers.csv"
    table(50_000).write_parquet(data)
    predict = list(map(str, (*SCRIMP, "predict", trained / "model.scrimp", data, "--out", out)))
    start = time.monotonic()
    subprocess.run(predict, check=True, capture_output=True)
    lasts, whole = time.monotonic() - start, out.read_bytes()
    out.write_bytes(b"old")
    process = subprocess.Popen(predict, stderr=subprocess.DEVNULL)
    time.sleep(0.95 * lasts)
    process.kill()
    process.wait()
    assert out.read_bytes() in (b"old", whole)


def test_a_closed_pipe_is_no_error(trained):
    command = f"{' '.join(SCRIMP)} predict {trained}/model.scrimp {trained}/test.csv | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "Error" not in done.stderr
    assert "Traceback" not in done.stderr


def test_output_that_nobody_reads_is_no_bug(data, tmp_path):
    out = tmp_path / "m.scrimp"
    words = map(str, (*SCRIMP, "fit", data, "--target", "y", "--rounds", 3, "--out", out))
    process = subprocess.Popen(list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 141
    assert b"Traceback" not in stderr
    assert load(out).plan.price > 0
