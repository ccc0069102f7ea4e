"""Checkpoints of streams: training goes on bit by bit, also after a kill, and damage is refused."""

import io
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from scrimp import (
    Costs,
    StreamingBoostingClassifier,
    StreamingBoostingRegressor,
    load,
    load_checkpoint,
    save,
    save_checkpoint,
)
from scrimp.io import ModelFileError, read_checkpoint
from scrimp.io.container import pack, unpack
from scrimp.learners.streaming import Convolution, Network, Newton, RandomFeatures

X, Y = make_friedman1(3_000, 6, noise=1.0, random_state=0)
COUNTS = np.random.default_rng(0).poisson(np.exp(Y / 12)).astype(float)
LABELS = np.where(Y > 14, "high", "low")
COSTS = Costs.per_feature([4.0, 1.0, 2.0, 8.0, 3.0, 1.0])
NAMED = {f"c{j}": 1.0 + j for j in range(6)}


def dicts(part):
    """Rows in which the column c4 comes late and c0 goes."""
    rows = range(len(X))[part]
    return [
        {f"c{j}": float(X[i, j]) for j in range(6) if not (j == 4 and i < 900) and (j or i < 1_500)}
        for i in rows
    ]


def texts(part):
    """Rows with a text whose categories come one after the other."""
    return [{"a": float(X[i, 3]), "b": f"w{i // 500}"} for i in range(len(X))[part]]


def arrays(part):
    return X[part]


def stream(*args, **params):
    return StreamingBoostingRegressor(*args, **{"n_learners": 4, **params})


IMAGE = Convolution((2, 3), side=2, stride=1)

CASES = {
    "plain": (StreamingBoostingRegressor(n_learners=5), arrays, Y),
    "prices": (StreamingBoostingRegressor(COSTS, 10.0, n_learners=5), arrays, Y),
    "blocks": (StreamingBoostingRegressor(n_learners=6, block_size=2), arrays, Y),
    "absolute": (StreamingBoostingRegressor(loss="absolute", n_learners=5), arrays, Y),
    "poisson": (StreamingBoostingRegressor(loss="poisson", n_learners=5), arrays, COUNTS),
    "no drift": (StreamingBoostingRegressor(drift=None, n_learners=5, budget=3.0), arrays, Y),
    "classes": (
        StreamingBoostingClassifier(COSTS, 9.0, n_learners=5, class_weight={"high": 2, "low": 1}),
        arrays,
        LABELS,
    ),
    "dicts": (StreamingBoostingRegressor(NAMED, 12.0, n_learners=5), dicts, Y),
    "mean trees": (stream(iterate="average", combine="weighted"), arrays, Y),
    "linear": (stream(NAMED, 12.0, learner="linear", iterate="average"), dicts, Y),
    "newton": (stream(COSTS, 10.0, learner=Newton(0.5), iterate="average"), arrays, Y),
    "network": (stream(NAMED, 12.0, learner=Network(3, decay=np.inf), block_size=2), dicts, Y),
    "network, texts": (stream(learner="network", combine="momentum"), texts, Y),
    "convolution": (StreamingBoostingClassifier(learner=IMAGE, n_learners=4), arrays, LABELS),
    "mean network": (stream(NAMED, 12.0, learner=Network(3), iterate="average"), dicts, Y),
    "mean convolution": (
        StreamingBoostingClassifier(learner=IMAGE, n_learners=4, iterate="average"),
        arrays,
        LABELS,
    ),
    "random features": (stream(learner=RandomFeatures(20)), dicts, Y),
}


def fed(model, rows, y, start, stop, size=70):
    for first in range(start, stop, size):
        part = slice(first, min(first + size, stop))
        model.partial_fit(rows(part), y[part])
    return model


@pytest.mark.parametrize("at", [37, 2_430])
@pytest.mark.parametrize("case", CASES)
def test_training_goes_on_bit_by_bit(case, at, tmp_path):
    from sklearn.base import clone

    model, rows, y = CASES[case]
    model = fed(clone(model), rows, y, 0, at, size=at)
    save_checkpoint(model, tmp_path / "a.ckpt")
    resumed = load_checkpoint(tmp_path / "a.ckpt")
    assert resumed.n_rows_ == model.n_rows_
    every = slice(None)
    np.testing.assert_array_equal(resumed.predict(rows(every)), model.predict(rows(every)))
    fed(model, rows, y, at, len(y), size=71)
    fed(resumed, rows, y, at, len(y), size=400)
    np.testing.assert_array_equal(resumed.predict(rows(every)), model.predict(rows(every)))
    np.testing.assert_array_equal(resumed.edges_, model.edges_)
    for name, each in (("a", model), ("b", resumed)):
        save_checkpoint(each, tmp_path / f"{name}.ckpt")
    # categories, ranges, counters, histograms, waiting rows: all is the same
    assert (tmp_path / "a.ckpt").read_bytes() == (tmp_path / "b.ckpt").read_bytes()


def test_rows_that_were_fitted_before_count(tmp_path):
    model = StreamingBoostingRegressor(COSTS, 9.0, n_learners=4).fit(X[:1_000], Y[:1_000])
    save_checkpoint(model, tmp_path / "a.ckpt", {"rows": 1_000})
    resumed, info = read_checkpoint(tmp_path / "a.ckpt")
    assert info == {"rows": 1_000}
    for each in (model, resumed):
        each.partial_fit(X[1_000:], Y[1_000:])
    np.testing.assert_array_equal(resumed.predict(X), model.predict(X))


TRAINING = """
from pathlib import Path

import numpy as np

from scrimp import StreamingBoostingRegressor, save_checkpoint
from scrimp.io import read_checkpoint


def train(path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    model, done = StreamingBoostingRegressor([1, 2, 3, 4], 6.0, n_learners=4), 0
    if Path(path).exists():
        model, info = read_checkpoint(path)
        done = info["rows"]
    while done < len(y):
        model.partial_fit(X[done : done + 25], y[done : done + 25])
        done += 25
        save_checkpoint(model, path, {"rows": done})
        print(done, flush=True)
    return model.predict(X)
"""


def test_training_goes_on_exactly_after_kill_9(tmp_path, capsys):
    names: dict = {}
    exec(TRAINING, names)
    path = tmp_path / "killed.ckpt"
    words = [sys.executable, "-c", f"{TRAINING}\ntrain({str(path)!r})"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:  # some checkpoints, then in the middle of whatever it does
            if line.strip() == "400":
                break
        time.sleep(0.03)
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    done = read_checkpoint(path)[1]["rows"]
    assert 400 <= done < 2_000
    resumed = names["train"](path)
    assert capsys.readouterr().out.splitlines()[0] == str(done + 25)
    np.testing.assert_array_equal(resumed, names["train"](tmp_path / "whole.ckpt"))


@pytest.fixture
def stored(tmp_path):
    """The path of a checkpoint with another one before it."""
    model = fed(
        StreamingBoostingRegressor(COSTS, 9.0, n_learners=3, max_depth=3), arrays, Y, 0, 500
    )
    save_checkpoint(model, tmp_path / "a.ckpt", {"rows": 500})
    fed(model, arrays, Y, 500, 600)
    save_checkpoint(model, tmp_path / "a.ckpt", {"rows": 600})
    return tmp_path / "a.ckpt"


def test_damage_is_an_error_and_the_checkpoint_before_is_kept(stored):
    data = stored.read_bytes()
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 1
    previous = stored.with_name("a.ckpt.previous")
    for content in (damaged, data[:-7], data[:20], b"", b"something else, and long enough" * 9):
        stored.write_bytes(content)
        with pytest.raises(ModelFileError, match=r"a\.ckpt\.previous"):
            load_checkpoint(stored)
        assert stored.read_bytes() == content
    model, info = read_checkpoint(previous)
    assert info == {"rows": 500}
    # a damaged one does not take the place of the good one
    save_checkpoint(model, stored, {"rows": 1})
    assert read_checkpoint(previous)[1] == {"rows": 500}
    assert read_checkpoint(stored)[1] == {"rows": 1}


def test_a_write_that_fails_leaves_the_checkpoint(stored, monkeypatch):
    before = stored.read_bytes()
    model = load_checkpoint(stored)
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "disk full")))
    with pytest.raises(OSError, match="disk full"):
        save_checkpoint(model, stored)
    assert stored.read_bytes() == before


def test_models_and_checkpoints_are_told_apart(stored, tmp_path):
    with pytest.raises(ModelFileError, match="is a checkpoint, not a model"):
        load(stored)
    save(load_checkpoint(stored), tmp_path / "m.scrimp")
    with pytest.raises(ModelFileError, match="is a model, which cannot learn any further"):
        load_checkpoint(tmp_path / "m.scrimp")
    with pytest.raises(ModelFileError, match="is not a file"):
        load_checkpoint(tmp_path)
    with pytest.raises(FileNotFoundError):
        load_checkpoint(tmp_path / "none.ckpt")


class Mean:
    """A user's weak learner."""

    def predict(self, inputs):
        return np.tile(self.mean, (len(inputs), 1))

    def update(self, inputs, targets, weights):
        self.mean = targets.mean(axis=0)


def test_what_cannot_be_stored_is_refused(tmp_path):
    model = StreamingBoostingRegressor(random_state=np.random.RandomState(0)).fit(X[:60], Y[:60])
    with pytest.raises(ValueError, match="the parameter random_state is a RandomState"):
        save_checkpoint(model, tmp_path / "a.ckpt")
    own = stream(learner=Mean).fit(X[:60], Y[:60])
    with pytest.raises(ValueError, match="the weak learners are of Mean, a user's class, which"):
        save_checkpoint(own, tmp_path / "a.ckpt")
    with pytest.raises(ValueError, match="not fitted"):
        save_checkpoint(StreamingBoostingRegressor(), tmp_path / "a.ckpt")
    with pytest.raises(ValueError, match="model is a int; expected a StreamingBoosting"):
        save_checkpoint(3, tmp_path / "a.ckpt")
    assert not list(tmp_path.iterdir())


def changed(data, change):
    """Return a checkpoint with something changed, whose checksum is right."""
    document, tensors = unpack(io.BytesIO(data), len(data), [1], "checkpoint")
    tensors = {name: array.copy() for name, array in tensors.items()}
    change(document, tensors)
    return pack(document, tensors)


def put(name, index, value):
    def change(document, tensors):
        tensors[name][index] = value

    return change


def leave_out(name):
    return lambda document, tensors: tensors.pop(name)


def parameter(name, value):
    return lambda document, tensors: document["params"].update({name: value})


HOSTILE = {
    "a column that is not there": put("stream/learner/0/links", (0, 0), 6),
    "a child that is its parent": put("stream/learner/0/links", (0, 1), 0),
    "a child beyond the nodes": put("stream/learner/0/links", (0, 2), 2**30),
    "a histogram beyond the others": put("stream/learner/1/leaves", (1, 1), 1e9),
    "a histogram that is no number": put("stream/learner/1/leaves", (1, 1), np.nan),
    "more nodes than room": put("stream/learner/2/counts", 0, 2**40),
    "more cut points than bins": put("stream/n_cuts", 0, 32),
    "negative rows": put("stream/counts", 0, -1),
    "an answer that is infinite": put("stream/learner/0/value", (0, 0), np.inf),
    "a kept tree that loops": put("stream/kept/0/links", (0, 1), 0),
    "no recent rows' weights": leave_out("stream/recent/weights"),
    "no learner 1": lambda d, t: [t.pop(n) for n in list(t) if n.startswith("stream/learner/1/")],
    "an array too many": lambda d, t: t.update({"stream/other": np.zeros(3)}),
    "an array of another kind": lambda d, t: t.update({"plan/other": np.zeros(3)}),
    "shorter recent rows": lambda d, t: t.update({"stream/recent/y": t["stream/recent/y"][:-1]}),
    "many learners": parameter("n_learners", 10_000),
    "deep trees": parameter("max_depth", 12),
    "another loss": parameter("loss", "gradients"),
    "an unknown parameter": parameter("n_trees", 3),
    "a parameter of the wrong type": parameter("batch_size", "many"),
    "a class of another task": lambda d, t: d.update(task="classification"),
    "no price": lambda d, t: d.update(market_prices=None),
    "no field": lambda d, t: d.pop("n_passes"),
}


def setting(name, value):
    """Change a setting of the learner, which is stored as pairs."""

    def change(document, tensors):
        pairs = document["params"]["learner"]["pairs"]
        pairs[:] = [pair for pair in pairs if pair[0] != name]
        if value is not None:
            pairs.append([name, value])

    return change


HOSTILE_NETWORK = {
    "a weight that is infinite": put("stream/learner/0/first", (0, 0, 0), np.inf),
    "a kept weight that is no number": put("stream/kept/1/second", (0, 0, 0), np.nan),
    "negative rows of a learner": put("stream/learner/0/numbers", 0, -1.0),
    "a negative seed": put("stream/learner/0/draws", 0, -1),
    "a column that may not be read": put("stream/learner/0/allowed", 0, False),
    "other inputs": lambda d, t: t.update({"stream/moments/mean": np.zeros(4)}),
    "a negative spread": put("stream/moments/spread", 0, -1.0),
    "no moments": leave_out("stream/moments/count"),
    "numbers of another type": lambda d, t: t.update({"stream/learner/0/numbers": np.arange(3)}),
    "more hidden units": setting("hidden", 7),
    "another kind": setting("kind", "forest"),
    "no kind": setting("kind", None),
    "a setting too many": setting("depth", 3),
    "a learner that is no settings": parameter("learner", 3),
    "trees": parameter("learner", "tree"),
}


@pytest.fixture(scope="module")
def long_streams(tmp_path_factory):
    """Checkpoints of streams so long that trees have split and a good state is kept."""
    path = tmp_path_factory.mktemp("long") / "a.ckpt"
    models = {"trees": stream(COSTS, 9.0, n_learners=3, max_depth=3),
              "networks": stream(learner=Network(3), n_learners=2)}  # fmt: skip
    stored = {}
    for kind, model in models.items():
        save_checkpoint(fed(model, arrays, Y, 0, 3_000, size=600), path)
        stored[kind] = path.read_bytes()
    return stored


@pytest.mark.parametrize(
    ("kind", "what"),
    [("trees", what) for what in HOSTILE] + [("networks", what) for what in HOSTILE_NETWORK],
)
def test_hostile_content_is_refused(long_streams, kind, what, tmp_path):
    change = (HOSTILE if kind == "trees" else HOSTILE_NETWORK)[what]
    (tmp_path / "a.ckpt").write_bytes(changed(long_streams[kind], change))
    with pytest.raises(ModelFileError, match="cannot be read"):
        load_checkpoint(tmp_path / "a.ckpt")


def test_unchanged_content_is_read(stored):
    content = changed(stored.read_bytes(), lambda document, tensors: None)
    stored.write_bytes(content)
    load_checkpoint(stored)


def test_another_format_says_so(stored):
    stored.write_bytes(changed(stored.read_bytes(), lambda d, t: d.update(format=2)))
    with pytest.raises(ModelFileError, match="was written by a newer scrimp"):
        load_checkpoint(stored)
