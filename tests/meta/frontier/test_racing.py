"""Candidates on the same folds: who saw what, who is out, and when it ends."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import pytest

from scrimp.data.columns import Columns
from scrimp.data.folds import splits_of
from scrimp.meta.frontier import racing
from scrimp.meta.frontier.candidates import Candidate, candidates_of, in_training_order
from scrimp.meta.frontier.problem import Problem, TrainingSet
from scrimp.meta.frontier.racing import Race
from scrimp.meta.frontier.trained import Trained, mean_of
from scrimp.meta.frontier.training_target import TrainingTarget
from scrimp.plans.priced_plan import PricedPlan
from scrimp.runtime.events import listening
from scrimp.runtime.replay import replay

from .tables import COSTS, response, table

X, SIGNAL = table(150)
BUDGETS = (0.0, 3.5, 10.5)


def problem(n_classes=2):
    y = response(SIGNAL, n_classes)
    target = TrainingTarget(y.astype(np.float64), np.ones(len(y)), n_classes)
    classes = np.arange(n_classes)
    columns = Columns(None, (None,) * 6)
    return Problem(X, y, classes, columns, X, target, COSTS, BUDGETS, 0)


#: Shares of mistakes at each budget: none of the two is better than the other everywhere.
EARLY, LATE = (0.1, 0.2, 0.4), (0.4, 0.2, 0.1)


@dataclass
class Oracle(Trained):
    """Right about all rows but a share of them."""

    target: TrainingTarget
    wrong: tuple[float, ...]

    def predictions(self, rows):
        said = np.eye(2)[np.stack([self.target.y[rows].astype(int)] * len(BUDGETS))]
        for own, share in zip(said, self.wrong, strict=True):
            turned = np.arange(len(rows)) < share * len(rows)
            own[turned] = own[turned, ::-1]
        return said

    def plan(self, budget):
        raise AssertionError("not asked for here")


@dataclass
class Spy(Candidate):
    """Notes the rows it is given, and fails in some of the folds."""

    name: str = "spy"
    wrong: tuple[float, ...] = EARLY
    fails_at: tuple[int, ...] = ()
    given: list[TrainingSet] = field(default_factory=list)

    def train(self, fold):
        self.given.append(fold)
        if len(self.given) in self.fails_at:
            raise ValueError("no luck")
        return Oracle(fold.problem.target, self.wrong)


def race(*candidates, n_classes=2, folds=3, seconds=np.inf):
    own = problem(n_classes)
    fold_of = own.target.folds(folds, np.random.default_rng(0))
    return Race(own, candidates, splits_of(fold_of, folds), None, seconds)


def test_no_candidate_and_no_search_sees_a_row_that_it_is_tested_on():
    spy = Spy()
    held = race(spy)
    held.run()
    assert len(spy.given) == held.validation.n_complete == 3
    assert sorted(np.concatenate(held.validation.tested()).tolist()) == list(range(150))
    for fold, test in zip(spy.given, held.validation.tested(), strict=True):
        assert not set(fold.index) & set(test)
        assert len(fold.index) + len(test) == 150
        np.testing.assert_array_equal(fold.design.table, X[fold.index])
        np.testing.assert_array_equal(fold.target.y, fold.problem.target.y[fold.index])
        searched = fold.scorer.design  # what sets are searched with
        np.testing.assert_array_equal(searched.table, fold.design.table)
        assert {len(sets) for sets in fold.sets.values()} == {len(BUDGETS)}


def test_losses_are_those_of_the_answers():
    held = race(Spy(wrong=EARLY))
    held.run()
    assert held.losses()["spy"].shape == (3, 150)
    np.testing.assert_allclose(held.losses()["spy"].mean(axis=1), EARLY)
    shares = np.bincount(held.problem.labels) / 150
    assert held.out_of_fold().prior_selection.mean() == pytest.approx((1.0 - (shares**2).sum()) / 2)


def test_brier_scores_are_of_probabilities_that_are_no_surer_than_they_may_be():
    """A model that is right three times in four: it counts for that, however sure it is."""
    y = np.arange(400) % 2.0
    right = np.where(np.arange(400) % 8 < 2, 1 - y, y)
    target = TrainingTarget(y, np.ones(400), 2)
    modest = np.where(np.eye(2)[right.astype(int)] > 0, 0.75, 0.25)
    sure = np.where(np.eye(2)[right.astype(int)] > 0, 0.9999, 0.0001)
    one, other = target.row_brier_scores(np.stack([modest, sure])).mean(axis=1)
    assert one == pytest.approx(0.75 * 0.25, rel=1e-3)
    assert other == pytest.approx(one, rel=0.05)
    prior = target.row_brier_scores(np.full((1, 400, 2), 0.5)).mean()
    assert other < prior == pytest.approx(0.25)


def test_a_last_training_is_begun_only_if_it_ends_in_time(monkeypatch):
    spy = Spy()
    held = race(spy, seconds=100.0)
    now = [held.validation.started]
    for module in ("frontier.racing", "cross_validation"):
        monkeypatch.setattr(f"scrimp.meta.{module}.monotonic", lambda: now[0])
    held.run()
    held.validation.seconds = {"search": 30.0, "spy": 45.0}  # of three folds of 100 rows of 150
    now[0] = held.validation.started + 80.0
    assert held.has_time_for(["spy"])  # 75 / 3 * 1.5 = 37.5 of the 45 that are left
    now[0] = held.validation.started + 90.0
    assert not held.has_time_for(["spy"])


def test_who_fails_is_out_and_the_others_go_on():
    sound, late, first = Spy(), Spy("late", LATE, fails_at=(2,)), Spy("first", fails_at=(1,))
    held = race(sound, late, first)
    held.run()
    assert held.validation.failures == {
        "late": "ValueError: no luck",
        "first": "ValueError: no luck",
    }
    assert list(held.scores) == ["spy"]
    assert [len(spy.given) for spy in (sound, late, first)] == [3, 2, 1]
    assert held.validation.n_complete == len(held.scores["spy"]) == 3


def test_nothing_is_left_of_who_failed_last():
    held = race(Spy(fails_at=(3,)))
    held.run()
    assert held.validation.candidates == []
    assert held.scores == {}
    assert held.validation.failures == {"spy": "ValueError: no luck"}


@pytest.fixture
def many_rows(monkeypatch):
    """The rows of these tests count as many, so that one fold is enough to be eliminated."""
    monkeypatch.setattr(racing, "FEW_ROWS", 0)


def test_on_few_rows_nobody_is_eliminated_before_the_third_fold():
    good, bad = Spy("good"), Spy("bad", wrong=(0.9, 0.9, 0.9))
    held = race(good, bad)
    held.run()
    assert [len(good.given), len(bad.given)] == [3, 3]
    assert list(held.scores) == ["good"]


@pytest.mark.usefixtures("many_rows")
def test_who_makes_nothing_better_is_not_tried_again():
    good, bad = Spy("good"), Spy("bad", wrong=(0.9, 0.9, 0.9))
    held = race(good, bad)
    held.run()
    assert [len(good.given), len(bad.given)] == [3, 1]
    assert list(held.scores) == ["good"]
    assert not held.validation.failures


@pytest.mark.usefixtures("many_rows")
def test_who_leaves_early_leaves_its_losses():
    """A tenth, and nine tenths, of the 50 rows of the one fold in which it took part."""
    held = race(Spy("good"), Spy("bad", wrong=(0.1, 0.9, 0.9)))
    held.run()
    assert list(held.eliminated) == ["bad"]
    np.testing.assert_allclose(held.eliminated["bad"], [0.1, 0.9, 0.9])


@pytest.mark.usefixtures("many_rows")
def test_who_is_called_back_has_not_left():
    held = race(Spy("good", fails_at=(2,)), Spy("bad", wrong=(0.9, 0.9, 0.9)))
    held.run()
    assert list(held.eliminated) == ["bad"]
    held.rerun_eliminated()
    assert held.eliminated == {}
    np.testing.assert_allclose(held.losses()["bad"].mean(axis=1), [0.9, 0.9, 0.9])


def test_of_two_that_say_the_same_the_first_stays():
    first, second = Spy("first"), Spy("second")
    held = race(first, second)
    held.run()
    assert list(held.scores) == ["first"]


def test_without_time_one_candidate_of_one_fold_is_finished():
    one, two = Spy("one"), Spy("two")
    held = race(one, two, seconds=1e-9)
    held.run()
    assert [len(one.given), len(two.given)] == [1, 0]
    assert list(held.scores) == ["one"]
    assert held.validation.candidates == ["one"]


def test_a_fold_that_not_all_have_finished_in_time_does_not_count(monkeypatch):
    one, two = Spy("one", EARLY), Spy("two", LATE)
    held = race(one, two, seconds=100.0)
    now = [held.validation.started]
    for module in ("frontier.racing", "cross_validation"):
        monkeypatch.setattr(f"scrimp.meta.{module}.monotonic", lambda: now[0])
    train = one.train

    def slow(fold):  # quick at first, so that a second fold seems to be affordable
        now[0] += 10.0 if not one.given else 200.0
        return train(fold)

    one.train = slow
    held.run()
    assert [len(one.given), len(two.given)] == [2, 1]
    assert held.validation.n_complete == 1
    assert set(held.scores) == {"one", "two"}
    assert held.losses()["two"].shape == (3, 50)


@pytest.mark.parametrize(
    ("n_classes", "names"),
    [
        (3, ["linear", "boosted", "kernel", "forest"]),
        (12, ["kernel", "forest", "linear", "boosted"]),
    ],
)
def test_with_many_classes_what_they_slow_down_is_trained_last(n_classes, names):
    own = problem(n_classes)
    given = candidates_of(["linear", "boosted", "kernel", "forest"], own)
    assert in_training_order(given, own) == names
    fold_of = own.target.folds(3, np.random.default_rng(0))
    assert list(Race(own, given, splits_of(fold_of, 3), None, np.inf).candidates) == [
        "linear", "boosted", "kernel", "forest",
    ]  # fmt: skip


def test_progress_and_time_are_told():
    seen = []
    held = race(Spy("one", EARLY), Spy("two", LATE))
    with listening(seen.append):
        held.run()
    trainings = [event for event in seen if event.task == "trainings"]
    assert [event.note for event in trainings] == ["one", "two"] * 3 + [""]
    assert [event.done for event in trainings] == list(range(7))
    assert {event.total for event in trainings} == {6}
    assert set(held.validation.seconds) == {"one", "two", "search"}


@pytest.mark.parametrize("shared", [(True, False, True), (False, True, True)])
def test_a_mean_whose_members_differ_in_their_sets_in_a_fold_is_out(monkeypatch, shared):
    """Its losses are those of some folds only, and cannot be compared with the others'."""
    monkeypatch.setattr(racing, "MEANS", (("spy", "late"),))
    held = race(Spy(), Spy("late", LATE))
    answers = iter(shared)
    monkeypatch.setattr(held, "_share_sets", lambda members: next(answers))
    monkeypatch.setattr(racing, "FEW_ROWS", 0)  # candidates may be eliminated from the first fold
    held.run()
    assert list(held.scores) == ["spy", "late"]
    assert {losses.shape for losses in held.losses().values()} == {(3, 150)}


def test_means_are_of_what_their_members_say(monkeypatch):
    monkeypatch.setattr("scrimp.meta.frontier.racing._helps", lambda *_: True)
    own = problem()
    held = race(*candidates_of(["boosted", "forest"], own), folds=2)
    with ThreadPoolExecutor(2) as held.pool:
        held.run()
    for mean, one, two in zip(
        *(held.scores[n] for n in ("boosted+forest", "boosted", "forest")), strict=True
    ):
        np.testing.assert_allclose(mean.predictions, (one.predictions + two.predictions) / 2)
    rows = held.validation.tested()[-1]
    merged = mean_of("boosted+forest", held.models)
    oof = held.scores["boosted+forest"][-1].predictions
    np.testing.assert_allclose(merged.predictions(rows), oof, atol=1e-12)


@pytest.mark.parametrize("name", ["linear", "boosted", "smoothed"])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_plan_of_a_candidate_says_what_the_candidate_said(name, n_classes):
    """What the race has judged is what is put on the menu."""
    own = problem(n_classes)
    held = race(*candidates_of([name], own), n_classes=n_classes, folds=2)
    held.run()
    rows = held.validation.tested()[-1]
    said = held.models[name].predictions(rows)
    for budget in (1, 2):
        plan, target = held.models[name].plan(budget)
        found = replay(
            PricedPlan(plan, COSTS), target, np.ascontiguousarray(X[rows]),
            np.array(BUDGETS[budget : budget + 1]),
        )  # fmt: skip
        assert (found.spent <= BUDGETS[budget]).all()
        scores = found.scores[:, 0]
        answers = target.probabilities(scores) if n_classes else scores
        np.testing.assert_allclose(answers, said[budget], atol=1e-9)
