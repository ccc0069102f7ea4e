"""Verdicts: what intervals and counts say."""

import numpy as np
import pytest

from papers.huang2015.claims import verdicts
from papers.verdicts import (
    CONFIRMED,
    IN_PART,
    OPEN,
    REFUTED,
    Tally,
    interval,
    joined,
    rise,
    tally,
)

BUDGETS = np.arange(2.0, 41.0, 2.0)
METHODS = ("RS", "RS_AC", "BT", "Greedy", "SpeedBoost", "Smoothed", "tree, pruned", "tree, full")


def test_intervals_hold_the_mean_and_shrink_with_trials():
    rng = np.random.default_rng(0)
    few, many = (interval(rng.normal(1.0, 1.0, size=n)) for n in (6, 600))
    assert few.low < few.mean < few.high
    assert many.high - many.low < few.high - few.low
    assert (many.sign, interval([0.0] * 9).sign, interval([-1.0] * 9).sign) == (1, 0, -1)


def test_widened_intervals_hold_together():
    rng = np.random.default_rng(0)
    cells = [interval(rng.normal(size=60)) for _ in range(400)]
    assert 5 < sum(cell.sign != 0 for cell in cells) < 40  # one in twenty by chance
    assert sum(cell.widened(len(cells)).sign != 0 for cell in cells) <= 1


def test_a_few_trials_decide_nothing():
    assert interval([5.0] * 4).sign == 0
    assert str(interval([5.0] * 4)) == "+5.0 (few trials)"


@pytest.mark.parametrize(
    ("counts", "always", "mostly"),
    [
        ((8, 0, 8), CONFIRMED, CONFIRMED),
        ((7, 0, 8), OPEN, CONFIRMED),
        ((7, 1, 8), REFUTED, CONFIRMED),
        ((3, 2, 8), REFUTED, OPEN),
        ((2, 3, 8), REFUTED, REFUTED),
        ((0, 1, 8), REFUTED, OPEN),
        ((0, 0, 0), OPEN, OPEN),
    ],
)
def test_outcomes(counts, always, mostly):
    assert (Tally(*counts).always(), Tally(*counts).mostly()) == (always, mostly)


def test_tally_counts_signs():
    cells = [interval([1.0, 1.1] * 5), interval([-1.0, -1.1] * 5), interval([-1.0, 1.0] * 5)]
    assert str(tally(cells)) == "for it 1 of 3, against it 1, open 1"


def test_rise_is_above_zero_only_where_the_error_rises():
    rng = np.random.default_rng(1)
    noise = rng.normal(0.0, 0.1, size=(40, 5))
    rising, falling = np.array([3.0, 1.0, 2.0, 3.0, 4.0]), np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    assert interval(rise(noise + rising)).mean == pytest.approx(3.0, abs=0.1)
    assert interval(rise(noise + falling)).sign == 0
    # noise alone: the best of the same trials would look better than the last by chance
    assert interval(rise(rng.normal(size=(400, 20)))).sign == 0


def records(curve_of, n=12, spent=1.0):
    """Trials with a curve for each method, and a little noise that all methods share."""
    made = []
    for trial in range(n):
        wobble = 0.001 * (trial % 3)
        one = {
            "error": {m: (np.asarray(curve_of(m)) + wobble).tolist() for m in METHODS},
            "spent": {"Greedy": spent + trial / 100},
            "adaboost": 0.05,
            "full": 80.0,
        }
        made.append({"uniform": one, "random": one})
    return made


def as_the_paper_says(method):
    levels = {
        "RS": 0.5 - BUDGETS / 200,
        "RS_AC": 0.45 - BUDGETS / 200,
        "BT": 0.2 - BUDGETS / 400,
        "Smoothed": 0.17 - BUDGETS / 380,
        "tree, full": 0.1 + BUDGETS / 200,
        "tree, pruned": 0.12 + BUDGETS / 300,
    }
    return levels.get(method, 0.16 - BUDGETS / 500)


def test_claims_hold_on_curves_that_are_as_the_paper_says():
    names = ("ecoli", "heart", "sonar", "ionosphere")
    every = {name: records(as_the_paper_says) for name in names}
    outcomes = [verdict.outcome for verdict in verdicts(every, BUDGETS)]
    assert outcomes[:2] == [CONFIRMED, CONFIRMED]
    assert outcomes[3:5] == [CONFIRMED, CONFIRMED]
    assert outcomes[7] == CONFIRMED


def test_claims_fail_on_curves_that_are_the_other_way_round():
    def turned(method):
        levels = {"RS": 0.1, "BT": 0.3, "Greedy": 0.4, "Smoothed": 0.5, "SpeedBoost": 0.2}
        level = np.full(len(BUDGETS), levels.get(method, 0.3))
        return level + BUDGETS / 2000 if method in ("BT", "Smoothed", "tree, full") else level

    every = {name: records(turned, spent=3.0) for name in ("ecoli", "heart", "sonar", "ionosphere")}
    outcomes = [verdict.outcome for verdict in verdicts(every, BUDGETS)]
    assert outcomes[2] == IN_PART  # Greedy wins at small budgets, and at large ones too
    assert outcomes[:2] + outcomes[3:6] == [REFUTED] * 5
    assert outcomes[7] == REFUTED


def test_a_claim_of_which_one_part_holds_is_confirmed_in_part():
    def mixed(method):
        return 0.3 - BUDGETS / 400 if method == "Greedy" else as_the_paper_says(method)

    every = {name: records(mixed) for name in ("ecoli", "heart", "sonar", "ionosphere")}
    verdict = next(v for v in verdicts(every, BUDGETS) if "tend to improve" in v.claim)
    assert verdict.outcome == IN_PART
    assert "against it 80, open 0" in verdict.evidence
    assert joined([CONFIRMED, OPEN, REFUTED]) == OPEN


def test_an_even_tally_is_no_tendency():
    assert Tally(23, 23, 63).mostly() == REFUTED
    assert Tally(5, 5, 63).mostly() == OPEN


def test_four_trials_decide_no_claim():
    names = ("ecoli", "heart", "sonar", "ionosphere")
    results = verdicts({name: records(as_the_paper_says, n=4) for name in names}, BUDGETS)
    assert {verdict.outcome for verdict in results} == {OPEN}
    assert all(verdict.evidence.startswith("4 trials decide nothing.") for verdict in results)


def test_claims_about_sets_that_were_not_run_stay_open():
    every = {"splice": records(as_the_paper_says)}
    by_claim = {verdict.claim: verdict for verdict in verdicts(every, BUDGETS)}
    evidence = {v.evidence: v.outcome for v in by_claim.values()}
    assert evidence["sonar was not run"] == evidence["ecoli was not run"] == OPEN


def test_ecoli_is_judged_by_the_budget_that_early_stopping_needs():
    def curve(method):
        return {"BT": 0.2 - BUDGETS / 200, "Smoothed": 0.2 - 3 * BUDGETS / 200}.get(
            method, 0.3 + 0 * BUDGETS
        )

    [verdict] = [
        v for v in verdicts({"ecoli": records(curve)}, BUDGETS) if "budget of 18" in v.claim
    ]
    assert verdict.outcome == CONFIRMED
    assert "comes to that with 18" in verdict.evidence
