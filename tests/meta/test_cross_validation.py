"""The runner that all cross-validations share: order, resumption, failures and time."""

import time

import numpy as np
import pytest

from scrimp.meta.cross_validation import CrossValidation, evaluate_folds
from scrimp.runtime.events import Progress, emit, listening

SPLITS = [(np.arange(6) % 3 != fold, np.flatnonzero(np.arange(6) % 3 == fold)) for fold in range(3)]


class Recorder:
    """Remembers the cells that it was asked for, and fails or waits in some of them."""

    def __init__(self, **actions):
        self.cells, self.prepared, self.actions = [], 0, actions

    def prepare(self, train):
        self.prepared += 1
        return train.sum()

    def evaluate(self, name, n_train, test):
        cell = (name, int(test[0]))
        self.cells.append(cell)
        self.actions.get(f"{name}{test[0]}", lambda: None)()
        return cell

    def over(self, *names, **options):
        return CrossValidation("folds", SPLITS, list(names), self.prepare, self.evaluate, **options)


def failing(error):
    def fail():
        raise error

    return fail


def once(error):
    """Raise an error at the first call alone."""
    errors = [error]

    def fail():
        if errors:
            raise errors.pop()

    return fail


def slow():
    for step in range(100):
        time.sleep(0.02)
        emit(Progress("fit", step, 100))


def test_fold_by_fold_each_candidate_in_its_turn():
    recorder = Recorder()
    runner = recorder.over("a", "b")
    assert list(runner.run()) == [0, 1, 2]
    assert recorder.cells == [(name, fold) for fold in range(3) for name in "ab"]
    assert recorder.prepared == 3
    assert runner.results["b"] == {fold: ("b", fold) for fold in range(3)}
    assert [test.tolist() for test in runner.tested()] == [[0, 3], [1, 4], [2, 5]]
    assert runner.in_time


def test_an_interrupted_run_goes_on_with_the_open_cells():
    recorder = Recorder(b1=once(KeyboardInterrupt()))
    runner, finished = recorder.over("a", "b"), []
    with pytest.raises(KeyboardInterrupt):
        finished.extend(runner.run())
    assert runner.n_complete == 1
    assert runner.results == {"a": {0: ("a", 0), 1: ("a", 1)}, "b": {0: ("b", 0)}}
    assert list(runner.run()) == [1, 2]
    assert recorder.cells[3:] == [("b", 1), ("b", 1), ("a", 2), ("b", 2)]


def test_a_run_without_time_goes_on_when_it_is_given_more():
    recorder = Recorder()
    runner = recorder.over("a", "b", max_seconds=1e-9)
    assert list(runner.run()) == []
    assert recorder.cells == [("a", 0)]  # the first cell is always finished
    assert not runner.in_time
    assert list(runner.run(max_seconds=np.inf)) == [0, 1, 2]
    assert recorder.cells == [(name, fold) for fold in range(3) for name in "ab"]
    assert runner.in_time


def test_an_incomplete_first_fold_can_be_settled_for():
    runner = Recorder().over("a", "b", max_seconds=1e-9)
    list(runner.run())
    assert runner.settle() == ["b"]
    assert (runner.candidates, runner.n_complete, runner.failures) == (["a"], 1, {})


def test_the_first_fold_has_a_share_of_the_time_and_others_the_rest():
    recorder = Recorder(a0=lambda: time.sleep(0.06))
    runner = recorder.over("a", "b", max_seconds=100.0, first_share=5e-4)
    assert list(runner.run()) == []
    assert recorder.cells == [("a", 0)]
    assert runner.settle() == ["b"]
    assert list(runner.run()) == [1, 2]


def test_a_candidate_that_fails_is_dropped_with_its_reason():
    recorder = Recorder(a1=failing(ValueError("no")))
    runner = recorder.over("a", "b", explain=str)
    assert list(runner.run()) == [0, 1, 2]
    assert runner.failures == {"a": "no"}
    assert list(runner.results) == ["b"]
    with pytest.raises(ValueError, match="no"):
        list(Recorder(a1=failing(ValueError("no"))).over("a").run())


def test_no_fold_is_complete_when_nobody_is_left():
    runner = Recorder(a0=failing(ValueError("no"))).over("a", explain=str)
    assert list(runner.run()) == []
    assert runner.n_complete == 0


def test_who_is_dropped_between_folds_is_not_tried_again():
    recorder = Recorder()
    runner = recorder.over("a", "b")
    for _ in runner.run():
        runner.drop("b")
    assert recorder.cells == [("a", 0), ("b", 0), ("a", 1), ("a", 2)]
    assert runner.failures == {}


def test_a_cell_that_takes_more_than_its_share_is_ended():
    runner = Recorder(a0=slow).over("a", "b", max_seconds=1.0, max_share=0.1)
    assert list(runner.run()) == [0, 1, 2]
    assert runner.failures == {"a": "one fold takes more than 0.1 seconds"}


def test_the_last_candidate_may_take_all_of_the_time():
    begin = time.monotonic()
    runner = Recorder(a1=slow).over("a", max_seconds=0.3, max_share=0.1)
    assert list(runner.run()) == [0]
    assert time.monotonic() - begin < 1.0
    assert not runner.in_time
    assert runner.failures == {}


def test_there_is_an_event_before_each_cell():
    seen = []
    runner = Recorder(b0=failing(ValueError())).over("a", "b", explain=str)
    with listening(seen.append):
        list(runner.run())
    assert [(event.done, event.total, event.note) for event in seen] == [
        (0, 6, "a"), (1, 6, "b"), (2, 4, "a"), (3, 4, "a"),
    ]  # fmt: skip


def test_the_time_of_each_candidate_is_noted():
    runner = Recorder(a0=lambda: time.sleep(0.02)).over("a", "b")
    list(runner.run())
    assert runner.seconds["a"] >= 0.02
    assert set(runner.seconds) == {"a", "b"}


def test_one_function_on_every_fold():
    seen = []
    with listening(seen.append):
        assert evaluate_folds("work", SPLITS, lambda train, test: int(test[0])) == [0, 1, 2]
    assert [(event.task, event.done, event.total) for event in seen] == [
        ("work", done, 3) for done in range(4)
    ]
