"""Figures that stay true for the best of many."""

import numpy as np
import pytest

from scrimp import FrontierClassifier
from scrimp.meta.frontier import base
from scrimp.meta.frontier.selection_bias import OutOfFold, corrected_losses

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest")


def coins(n=60, n_candidates=12, seed=0):
    """Candidates that are right by chance, each row half of the time; the prior has 0.6 wrong."""
    rng = np.random.default_rng(seed)
    losses = {f"c{k}": (rng.random((3, n)) < 0.5).astype(float) for k in range(n_candidates)}
    prior = (rng.random(n) < 0.6).astype(float)
    return OutOfFold(losses, losses, prior, prior, False)


def test_the_luckiest_of_many_is_not_taken_at_its_word():
    raw, corrected = [], []
    for seed in range(8):
        oof = coins(seed=seed)
        raw.append(min(losses[-1].mean() for losses in oof.losses.values()))
        corrected.append(corrected_losses(oof, 0)[1][-1])
    assert np.mean(raw) < 0.42
    assert 0.47 < np.mean(corrected) < 0.53


def test_one_candidate_keeps_its_loss():
    rng = np.random.default_rng(0)
    own = {"a": 0.2 + 0.01 * rng.normal(size=(2, 400))}
    oof = OutOfFold(own, own, np.ones(400), np.ones(400), False)
    np.testing.assert_allclose(corrected_losses(oof, 0), 0.2, atol=0.002)


def test_what_is_not_better_than_before_is_not_offered():
    rows = np.full((4, 10), 1.0)
    oof = OutOfFold({"a": rows * [[3], [1], [2], [0]]}, {}, rows[0] * 2, rows[0] * 2, False)
    assert oof.offered(["a"] * 4) == [1, 3]
    assert oof.offered([None, None, "a", "a"]) == [3]


def test_noise_is_not_offered_and_the_prior_is_shown():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 40)), rng.integers(0, 2, 120)
    model = FrontierClassifier(candidates=["linear", "boosted"], cv=3).fit(X, y)
    assert all(entry.brier < model.prior_.brier for entry in model.chosen_)
    assert all(entry.loss > 0.35 for entry in model.chosen_)
    assert model.prior_.loss == pytest.approx(min(y.mean(), 1 - y.mean()))
    assert model.n_tested_ == 120
    assert model.predictor_.info["prior"]["loss"] == model.prior_.loss


def test_few_tested_rows_are_warned_of():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    model = FrontierClassifier(candidates=["linear"], cv=3)
    with pytest.warns(UserWarning, match="rest on 60 rows that were held out"):
        model.fit(X, X[:, 0] > 0)


def test_few_rows_are_divided_again():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    model = FrontierClassifier(candidates=["linear"], budgets=[1.0, 3.0])
    race = []
    adopt = base.FrontierBase._adopt
    model._adopt = lambda *args: (race.append(args[0]), adopt(model, *args))
    model.fit(X, X[:, 0] + 0.5 * rng.normal(size=200) > 0)
    assert race[0].validation.n_complete == 10
    assert model.n_tested_ == 200
    losses = race[0].losses()["linear"]
    assert losses.shape == (2, 200)
    one = [np.flatnonzero(test == 7) for test in race[0].validation.tested()]
    own = [
        s.losses[:, at[0]] for s, at in zip(race[0].scores["linear"], one, strict=True) if len(at)
    ]
    np.testing.assert_allclose(losses[:, 7], np.mean(own, axis=0))
