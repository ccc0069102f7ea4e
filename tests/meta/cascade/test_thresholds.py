"""Thresholds of cascades: the best there are, within averages, and what is certified holds."""

import numpy as np
import pytest

from scrimp.meta.cascade.gates import sent_on
from scrimp.meta.cascade.thresholds import (
    HeldOut,
    best_cut,
    calibration_of,
    cheapest_thresholds,
    chosen_thresholds,
    threshold_path,
)
from scrimp.runtime.confidence_threshold import StopGoal
from tests.naive import cascades as naive


def rows(n, seed, n_stages=3):
    """Rows whose stages are ever better, and whose scores say how sure each of them is."""
    rng = np.random.default_rng(seed)
    difficulty = rng.random(n)
    chance = np.clip(1.15 - difficulty[:, None] * np.linspace(1.0, 0.3, n_stages), 0.4, 1.0)
    decided = (rng.random((n, n_stages)) > chance).astype(int)  # the true class is 0
    scores = np.clip(chance[:, :-1] + 0.05 * rng.normal(size=(n, n_stages - 1)), 0.0, 1.0)
    spend = np.tile(np.cumsum(2.0 ** np.arange(n_stages)), (n, 1))
    return HeldOut(np.zeros(n, dtype=int), decided, spend, scores)


class TestCheapest:
    @pytest.mark.parametrize("error_cost", [0.0, 3.0, 20.0, 500.0])
    @pytest.mark.parametrize("seed", range(4))
    def test_one_threshold_is_the_best_of_all(self, seed, error_cost):
        held_out = rows(30, seed, n_stages=2)
        outcome = held_out.outcome(cheapest_thresholds(held_out, error_cost))
        least = naive.least_cost(held_out.spend, held_out.wrong, held_out.scores, error_cost)
        cost = outcome.spend.mean() + error_cost * outcome.wrong.mean()
        assert cost == pytest.approx(least)

    @pytest.mark.parametrize("seed", range(4))
    def test_two_are_as_good_or_nearly(self, seed):
        held_out = rows(20, seed)
        outcome = held_out.outcome(cheapest_thresholds(held_out, 20.0))
        least = naive.least_cost(held_out.spend, held_out.wrong, held_out.scores, 20.0)
        assert least <= outcome.spend.mean() + 20.0 * outcome.wrong.mean() + 1e-9 <= 1.02 * least

    def test_equal_scores_are_not_divided(self):
        assert best_cut(np.array([0.7, 0.7, 0.2]), np.array([5.0, -4.0, -3.0])) == pytest.approx(
            0.45
        )
        assert best_cut(np.array([0.7, 0.7]), np.array([5.0, -6.0])) == np.inf
        assert best_cut(np.array([]), np.array([])) == np.inf


class TestGoals:
    def test_the_path_goes_from_the_most_spend_to_the_least(self):
        held_out = rows(400, 0)
        spend = [held_out.outcome(cuts).spend.mean() for cuts in threshold_path(held_out, held_out)]
        assert spend[0] == 7.0
        assert spend[-1] == 1.0
        assert np.mean(np.diff(spend) > 1e-9) < 0.1

    @pytest.mark.parametrize("cap", [1.0, 1.5, 3.0, 5.0, 9.0])
    def test_an_average_is_kept_and_used(self, cap):
        held_out = rows(4000, 1)
        chosen = chosen_thresholds(held_out, StopGoal(average_budget=cap), 0)
        spend = calibration_of(held_out, chosen).spend
        assert spend <= cap * (1 + 1e-9)
        assert spend >= min(0.9 * cap, 7.0)

    def test_an_average_below_the_first_stage_names_the_nearest(self):
        with pytest.raises(ValueError, match="nearest average that can be reached is 1"):
            chosen_thresholds(rows(50, 0), StopGoal(average_budget=0.5), 0)

    def test_a_certified_increase_holds_on_new_rows(self):
        new, misses, saved = rows(40_000, 99), 0, []
        full = new.outcome(np.full(2, np.inf))
        for seed in range(60):
            chosen = chosen_thresholds(rows(1500, seed), StopGoal(max_increase=0.02), seed)
            outcome = new.outcome(chosen)
            misses += (outcome.wrong & ~full.wrong).mean() > 0.02
            saved.append(1 - outcome.spend.mean() / full.spend.mean())
        assert misses <= 6  # 3 of 60 are allowed on average
        assert np.mean(saved) > 0.05

    def test_too_few_rows_certify_nothing_and_say_how_many_it_takes(self):
        with pytest.raises(ValueError, match="it takes 299 rows or more"):
            chosen_thresholds(rows(60, 0), StopGoal(max_increase=0.01), 0)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.95])
def test_rows_sent_on_minimise_the_objective(share):
    rng = np.random.default_rng(0)
    gate, gains = rng.uniform(0.1, 0.9, 12), rng.normal(size=12)
    expected = naive.sent_on(gate, gains, share)
    np.testing.assert_allclose(sent_on(gate, gains, share), expected, atol=2e-4)
