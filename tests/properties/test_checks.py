"""The checks pass what is sound, and each of them can fail."""

import sys

import pytest

from scrimp import check_budgeted_estimator
from scrimp.checks import CHECKS, running

from . import toys

BROKEN = [
    (toys.LiesAboutPrices(), "check_spend_within_budget", "buys for"),
    (toys.PaysTwice(), "check_items_are_paid_once", "cost .*, paid"),
    (toys.ForgetsRequirements(), "check_items_are_paid_once", "lacks what it requires"),
    (toys.SessionsWithOtherScores(), "check_batch_equals_sessions", "scores in row"),
    (toys.PeeksWithoutMoney(), "check_prior_without_money", "rows differ without money"),
    (toys.ScornsFreeItems(), "check_free_items_are_used", "are not used"),
    (toys.LikesNoBudget(), "check_no_budget_is_the_full_price", "pays for all and changes"),
    (toys.LooksAtAllColumns(), "check_unbought_columns_are_ignored", "full of nan"),
    (toys.ReadsWithoutBuying(), "check_unbought_columns_are_ignored", "without buying"),
    (toys.LikesTheFirstColumn(), "check_column_order", "of columns changes the answer"),
    (toys.CountsInDollars(), "check_currency", "change the answer"),
    (toys.KeepsASecret(), "check_save_and_load", "a loaded model answers otherwise"),
    (toys.CannotBeSaved(), "check_save_and_load", "cannot be saved"),
    (toys.ChangesWhenRead(), "check_read_is_pure", "reads on the way change the last answer"),
    (toys.RaisesOnFailure(), "check_failing_providers", "the provider failed"),
    (toys.SweepsElsewhere(), "check_sweep_equals_predicts", "at a budget of"),
    (toys.ForgetsWhatIsOwned(), "check_owned_is_free", "pays for what is owned"),
    (toys.IgnoresNamedBudgets(), "check_at_budget", "at a budget of"),
    (toys.MatchesByPosition(), "check_frames", "frame in the order"),
    (toys.VotesAgainst(), "check_no_worse_than_prior", "where the prior has"),
    (
        toys.MisjudgesThePrior(),
        "check_no_worse_than_prior",
        "at 0% of the full price.* where the prior has",
    ),
    (toys.ForgetsWithMoney(), "check_no_worse_than_prior", "where .* of it has"),
    (toys.StingyToTheRich(), "check_no_worse_than_prior", "owned.* where nothing owned has"),
    (toys.RewritesItsCosts(), "check_parameters", r"fit changes the parameters \['costs'\]"),
]


@pytest.mark.parametrize("toy", [toys.Toy(), toys.ToyRegressor()], ids=["Toy", "ToyRegressor"])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_sound_estimator_passes(toy, check):
    check(toy, max_examples=10)


@pytest.mark.parametrize(
    ("toy", "name", "text"), BROKEN, ids=[type(toy).__name__ for toy, _, _ in BROKEN]
)
def test_a_broken_estimator_is_found_out(monkeypatch, toy, name, text):
    monkeypatch.setattr(running, "PHASES", ("generate",))
    others = [check.__name__ for check in CHECKS if check.__name__ != name]
    with pytest.raises(
        AssertionError, match=rf"(?s)^{name} failed for {type(toy).__name__}.*{text}"
    ):
        check_budgeted_estimator(toy, exclude=others)


def test_every_check_can_fail():
    assert {name for _, name, _ in BROKEN} == {check.__name__ for check in CHECKS}


def test_a_check_can_be_left_out_by_name():
    check_budgeted_estimator(
        toys.LikesTheFirstColumn(),
        max_examples=5,
        exclude=["check_column_order", "check_no_worse_than_prior"],
    )
    with pytest.raises(ValueError, match=r"exclude names \['check_magic'\], which are no checks"):
        check_budgeted_estimator(toys.Toy(), exclude=["check_magic"])


def test_without_hypothesis_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(ImportError, match=r'pip install "scrimp\[check\]"'):
        check_budgeted_estimator(toys.Toy())
