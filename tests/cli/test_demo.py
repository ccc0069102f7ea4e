import json
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from scrimp import Comparison, FrontierClassifier, compare, evaluation
from scrimp.cli.comparison_picture import draw_curves
from scrimp.cli.demo import BUDGETS, bought_for, demo_methods, in_short
from scrimp.datasets import load_heart
from scrimp.evaluation import METHODS

from .conftest import refused, run

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture(scope="module")
def compared_once():
    """Demos with the same number of folds show the same comparison, made by the first of them."""
    made = {}

    def once(*data, n_folds, **options):
        if n_folds not in made:
            made[n_folds] = compare(*data, n_folds=n_folds, **options)
        return made[n_folds]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "compare", once)
        yield


@pytest.fixture(scope="module")
def demo(tmp_path_factory, compared_once):
    picture = tmp_path_factory.mktemp("demo") / "demo.png"
    result = run("demo", "--quick", "--json", "--out", picture)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout), picture


def test_all_methods_at_all_budgets(demo):
    record, picture = demo
    quick = [name for name, method in METHODS.items() if not method.on_request]
    assert record["methods"] == quick
    assert {"linear", "frontier"} < set(quick)
    assert record["left_out"] == {}
    assert (record["rows"], record["folds"], record["repeats"]) == (303, 3, 1)
    assert all(point["spent"] <= point["budget"] for point in record["curves"])
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_money_buys_accuracy(demo):
    record, _ = demo
    quality = {(row["method"], row["budget"]): row["quality"] for row in record["curves"]}
    assert quality["edge", 0] == pytest.approx(164 / 303)
    assert 0.70 < quality["edge", 4] < 0.80
    assert 0.80 < quality["edge", 323.97] < 0.87


def test_offers_stay_within_their_budgets(demo):
    record, _ = demo
    assert [offer["budget"] for offer in record["offers"]][:2] == [30, 100]
    assert record["offers"][-1]["budget"] == record["recommendation"]["point"]["budget"]
    assert all(offer["price"] <= offer["budget"] for offer in record["offers"])
    assert "cp" in [line["item"] for line in record["offers"][0]["purchases"]]


def test_the_frontier_is_bounded_by_work_rather_than_time():
    """What the README shows must not depend on the speed of a machine."""
    frontier = demo_methods(load_heart())["frontier"]
    assert isinstance(frontier, FrontierClassifier)
    assert (frontier.candidates, frontier.cv) == (("linear", "boosted"), 3)
    assert frontier.max_seconds >= 60


def test_purchases_come_in_the_order_of_the_plan():
    heart = load_heart()
    smoothed = demo_methods(heart)["smoothed"].fit(heart.X, heart.y)
    assert bought_for(smoothed, heart, 30.0)[0].item == "cp"
    model = demo_methods(heart)["edge"].fit(heart.X, heart.y)
    every = bought_for(model, heart, 1000.0)
    assert [line.item for line in every] == [line.item for line in model.plan_.summary()]
    some = bought_for(model, heart, 30.0)
    assert some[-1].total <= 30.0
    assert some[-1].total == pytest.approx(sum(line.price for line in some))
    assert bought_for(model, heart, 0.0) == []


def test_in_words(tmp_path, monkeypatch, compared_once):
    monkeypatch.chdir(tmp_path)
    result = run("demo", "--quick")
    assert result.exit_code == 0
    assert "3-fold cross-validation, once, the same folds" in result.stdout
    assert "chest pain 1.00" in result.stdout
    assert "Picture: scrimp-demo.png" in result.stdout
    assert "Left out" not in result.stderr  # linear models take the columns of text too
    assert (tmp_path / "scrimp-demo.png").exists()


@pytest.mark.slow
def test_the_readme_shows_what_it_prints(tmp_path):
    shown = README.read_text().split("<!-- demo -->\n```\n")[1].split("\n```\n<!-- /demo -->")[0]
    printed = run("demo", "--out", tmp_path / "demo.png").stdout
    assert shown == printed.split("\n\nPicture: ")[0]


def test_the_sentence_to_remember(demo):
    text = demo[0]["in_short"]
    assert re.match(r"In short: a guess is 54\.1% right, and all tests, which cost 323\.97 ", text)
    assert re.search(r"; .* dollars? buys? \d\d% of that gain \(\d\d\.\d% right\)\.$", text)


def test_what_a_guess_gets_anyway_is_not_bought():
    """From 50% to 90% right: 62% is 0.3 of the gain, 78% is 0.7, though 87% of the accuracy."""
    quality = np.array([0.5, 0.62, 0.62, 0.62, 0.78, *[0.8] * 5, 0.9])[None, None]
    budgets = np.array(BUDGETS)
    found = Comparison(
        ("edge",), budgets, quality, budgets[None, None], quality[None], budgets[None, None, None],
        "accuracy", 1.0, "classification", 303, 10,
    )  # fmt: skip
    assert in_short(found) == (
        "In short: a guess is 50.0% right, and all tests, which cost 323.97 dollars, make it 90.0%;"
        " 12 dollars buy 70% of that gain (78.0% right)."
    )


def test_budgets_stand_to_scale():
    budgets = np.array([0.0, 1.0, 4.0, 200.0, 205.0, 324.0])
    quality = np.linspace(0.5, 0.8, 6)[None, None]
    spent = budgets[None, None]
    found = Comparison(
        ("edge",), budgets, quality, spent, quality[None], spent[None], "accuracy", 1.0,
        "classification", 303, 10,
    )  # fmt: skip
    ax = Figure().subplots()
    draw_curves(found, found.recommend(205), ax, to_scale=True)
    assert ax.get_xlabel() == "Budget per row (square-root scale)"
    assert ax.get_lines()[0].get_xdata().tolist() == budgets.tolist()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "1", "4", "205", "324"]


def test_refuses_a_picture_of_another_kind(tmp_path):
    assert "must end in .png" in refused("demo", "--out", tmp_path / "demo.pdf")
