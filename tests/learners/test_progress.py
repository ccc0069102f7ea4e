"""`verbose` and callbacks, on every estimator alike."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from scrimp import BudgetedTreeClassifier, SequencedRegressor, compare, load, save
from scrimp.registry import installed

X = np.random.default_rng(0).normal(size=(40, 3))
Y = X @ [3.0, 2.0, 1.0]


def test_every_learner_has_the_parameters():
    for spec in installed():
        for estimator in spec.checked().values():
            params = estimator.get_params(deep=False)
            assert params["max_seconds"] is params["verbose"] is None
            assert "callbacks" not in params


def test_verbose_writes_to_stderr_and_its_default_is_silent(capsys):
    SequencedRegressor().fit(X, Y)
    assert capsys.readouterr() == ("", "")
    SequencedRegressor(verbose=2).fit(X, Y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "fit: 3 of 3, spent 3\n" in err


def test_a_bad_verbosity_is_refused():
    with pytest.raises(ValueError, match="verbose is 'loud'; expected 0"):
        SequencedRegressor(verbose="loud").fit(X, Y)


class Recorder:
    def __init__(self):
        self.events = []

    def __call__(self, event):
        self.events.append(event)


def test_callbacks_see_each_step_of_the_model_and_of_its_clones():
    recorder = Recorder()
    model = SequencedRegressor().set_callbacks(recorder)
    clone(model).fit(X, Y)
    assert [event.done for event in recorder.events if event.task == "fit"] == [1, 2, 3]
    model.set_callbacks().fit(X, Y)
    assert sum(event.task == "fit" for event in recorder.events) == 3


def test_callbacks_stay_out_of_pickles_and_files(tmp_path):
    model = SequencedRegressor(verbose=0).set_callbacks(lambda event: None).fit(X, Y)
    copied = pickle.loads(pickle.dumps(model))
    assert copied.predict(X).tolist() == model.predict(X).tolist()
    assert copied._callbacks == ()
    save(model, tmp_path / "m.scrimp")
    assert not {"verbose", "callbacks"} & set(load(tmp_path / "m.scrimp").info["params"])


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match=r"A callback is \['no'\]; expected functions"):
        SequencedRegressor().set_callbacks(["no"])


def test_an_error_of_a_callback_ends_the_training():
    def stop(event):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        BudgetedTreeClassifier().set_callbacks(stop).fit(X, Y > 0)


def test_a_comparison_shows_its_progress(capsys):
    recorder = Recorder()
    options = {"methods": ["tree"], "n_folds": 2, "n_repeats": 1, "budgets": [0, 3]}
    compare(X, Y > 0, callbacks=[recorder], **options)
    assert capsys.readouterr().err == ""
    assert "pruning" in {event.task for event in recorder.events}
    compare(X, Y > 0, verbose=2, **options)
    lines = capsys.readouterr().err.splitlines()
    assert {line.partition(":")[0] for line in lines} == {"comparison"}
    with pytest.raises(ValueError, match="max_seconds is 'long'; expected a number > 0"):
        compare(X, Y > 0, max_seconds="long", **options)
