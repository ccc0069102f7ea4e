"""The chapter on boosted trees of huang2015: its trial, its verdicts, and its place."""

import json
import re

import numpy as np
import pytest

from papers import study
from papers.huang2015 import boosted_trees
from papers.huang2015.boosted_trees_report import DEPTHS, GREEDY_MISER, RULES, verdicts
from papers.trials import Runner

from .conftest import make, refused

METHODS = list(boosted_trees._methods())


def _records(lower, n_trials=6):
    """Errors of 20% everywhere, and lower ones of some methods."""
    rng = np.random.default_rng(0)
    return [
        {
            "error": {
                method: (0.2 - lower.get(method, 0.0) + 0.001 * rng.normal(size=3)).tolist()
                for method in METHODS
            },
            "seconds": dict.fromkeys(METHODS, 0.1),
        }
        for _ in range(n_trials)
    ]


def test_every_rule_has_every_depth_beside_greedy_miser():
    assert {f"{rule} {depth}" for rule in RULES for depth in DEPTHS} < set(METHODS)
    assert set(GREEDY_MISER) < set(METHODS)
    options = boosted_trees._methods()["Smoothed 5"]
    assert (options["max_depth"], options["rule"], options["combine"]) == (5, "smoothed", "vote")


def test_verdicts_follow_the_errors():
    lower = {f"{rule} 3": 0.05 for rule in RULES} | {"GreedyMiser 0.03": 0.1}
    answers = {v.claim: v for v in verdicts({"a": _records(lower), "b": _records(lower)})}
    outcomes = {
        re.search(r"depth (\d) have lower errors than stumps", claim)[1]: v.outcome
        for claim, v in answers.items()
        if "cuts off" in claim
    }
    assert outcomes["3"] == "confirmed"
    assert outcomes["2"] != "confirmed"
    [greedy_miser] = [v for claim, v in answers.items() if "GreedyMiser" in claim]
    assert greedy_miser.outcome == "refuted"
    assert "-10.0" in greedy_miser.evidence  # by the penalty that is best in hindsight


def test_the_chapter_has_a_report_of_its_own(shrunk, tmp_path, monkeypatch):
    few = {name: boosted_trees._methods()[name] for name in METHODS if name[-1] in "13"}
    monkeypatch.setattr(boosted_trees, "_methods", lambda: few)
    monkeypatch.setattr(boosted_trees, "ROUNDS", 5)
    chapter = shrunk(study("huang2015").chapters["boosted_trees"])
    record = boosted_trees.trial(make("heart"), chapter.settings["heart"], np.random.default_rng(0))
    assert list(record["error"]) == list(few)
    assert all(len(errors) == len(boosted_trees.BUDGETS) for errors in record["error"].values())
    assert all(0.0 <= error <= 1.0 for errors in record["error"].values() for error in errors)
    assert chapter.command(None, 3, False, 0).endswith(
        "huang2015 --chapter boosted_trees --trials 3"
    )
    assert chapter.name == "huang2015-boosted_trees"


@pytest.mark.slow
def test_a_whole_run_of_the_chapter(shrunk, tmp_path):
    chapter = shrunk(study("huang2015").chapters["boosted_trees"])
    page = chapter.run(Runner(tmp_path), ["heart"], trials=2, load=make)
    text = page.write(tmp_path / "out")[-1].read_text(encoding="utf-8")
    assert "huang2015-boosted_trees-heart.png" in text
    assert "nan" not in text
    json.dumps(page.record)


def test_a_chapter_that_a_paper_does_not_have_is_named():
    line = refused("huang2015", "--chapter", "forests")
    assert "no chapter 'forests'" in line
    assert "boosted_trees" in line
