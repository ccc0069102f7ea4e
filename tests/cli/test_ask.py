import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from scrimp import Costs, SequencedRegressor, load, save

from .conftest import refused, run, run_json, table

VALUES = {"a": 0.7, "b": 1.2, "colour": "red"}


@pytest.fixture
def ask(trained):
    return ("ask", trained / "model.scrimp")


@pytest.fixture
def order(trained):
    """The columns in the order in which the model asks for them."""
    session = load(trained / "model.scrimp").session()
    names = []
    while request := session.ask():
        names.extend(request.columns)
        session.tell({name: VALUES[name] for name in request.columns})
    return names


def typed(names):
    return "".join(f"{VALUES[name]}\n" for name in names)


def test_the_expected_cost_of_errors_is_shown(trained, order, tmp_path):
    model = load(trained / "model.scrimp")
    costs = np.array([[0.0, 100.0], [2.0, 0.0]])
    costly = replace(model, target=replace(model.target, error_costs=costs))
    save(costly, tmp_path / "m.scrimp")
    text = run("ask", tmp_path / "m.scrimp", text=typed(order)).stdout
    assert "expected cost of errors" in text.splitlines()[1]
    record = run_json("ask", tmp_path / "m.scrimp", text=typed(order))
    p = record["probabilities"]
    assert record["expected_cost"] == pytest.approx(min(2.0 * p["well"], 100.0 * p["sick"]))


def test_a_conversation_ends_where_a_prediction_ends(ask, order, trained):
    import polars as pl

    record = run_json(*ask, text=typed(order))
    X = pl.DataFrame({**{name: [value] for name, value in VALUES.items()}, "noise": [None]})
    model = load(trained / "model.scrimp")
    assert record["prediction"] == model.predict(X)[0]
    assert record["probabilities"]["sick"] == pytest.approx(model.predict_proba(X)[0, 0])
    assert record["spent"] == model.spend(X)[0] == 6.5
    assert not record["ended_early"]
    assert record["budget"] is None


def test_names_the_test_its_fee_its_price_and_what_is_left(ask, order):
    text = run(*ask, "--budget", 8, text=typed(order)).stdout
    assert "b (with visit): costs 5.00 of the" in text
    assert "one of: 1 blue; 2 green; 3 red" in text
    assert "Answer: sick (probability" in text
    assert "6.50  in all" in text


def test_the_budget_holds(ask):
    record = run_json(*ask, "--budget", 1.5, text="0\n" * 9 + "red\n" * 9)
    assert record["spent"] <= 1.5


def test_bad_values_are_asked_again(ask, order):
    text = "".join(f"purple?\n{VALUES[name]}\n" for name in order)
    result = run(*ask, text=text)
    assert "'purple?' is not a number. Once more, please." in result.stdout
    assert "'purple?' is not one of: blue, green, red." in result.stdout
    assert "6.50  in all" in result.stdout


@pytest.mark.parametrize("word", ["", "?"])
def test_what_cannot_be_had_is_not_paid_for(ask, order, word):
    record = run_json(*ask, text=f"{word}\n" * len(order))
    assert record["spent"] == 0
    assert sorted(record["could_not_be_had"]) == sorted(order)


def test_what_is_missing_is_paid_for(ask, order):
    record = run_json(*ask, text="missing\n" * len(order))
    assert record["spent"] == 6.5
    assert [value for line in record["bought"] for value in line["values"].values()] == [None] * 3


@pytest.mark.parametrize("end", ["quit\n", ""])
def test_one_may_leave(ask, end):
    result = run(*ask, text=end)
    assert result.exit_code == 0
    assert "Nothing was bought." in result.stdout
    assert run_json(*ask, text=end)["ended_early"]


def test_what_is_known_is_not_asked_for(ask):
    known = [word for name, value in VALUES.items() for word in ("--known", f"{name}={value}")]
    record = run_json(*ask, *known, text="")
    assert record["spent"] == 0
    assert record["bought"] == []
    assert not record["ended_early"]


def test_the_end_lists_what_was_known(ask):
    text = run(*ask, "--known", "a=0.7", "--known", "b=missing", text="").stdout
    assert "known  a = 0.7\n" in text
    assert "known  b = missing\n" in text
    assert run_json(*ask, "--known", "a=0.7", text="")["known"] == {"a": 0.7}


def test_after_a_refusal_the_answer_so_far(ask):
    assert " is not paid for. So far: " in run(*ask, text="?\n").stdout


class TestOneOfSeveralCannotBeHad:
    """A frontier asks for all columns of an entry at once: a, b and colour."""

    def test_the_cheaper_entry_without_it_answers(self, frontier):
        record = run_json("ask", frontier, text="0.7\n\nred\n")
        assert record["could_not_be_had"] == ["b"]
        cheaper = load(frontier).session(1.5, known={"a": 0.7, "colour": "red"}).read()
        assert record["probabilities"]["sick"] == pytest.approx(cheaper.probabilities[0])
        assert record["probabilities"]["sick"] != load(frontier).session().read().probabilities[0]

    def test_what_arrived_before_is_paid_for_and_not_asked_for_again(self, frontier):
        record = run_json("ask", frontier, text="0.7\n?\nred\n")
        assert [purchase["values"] for purchase in record["bought"]] == [
            {"a": 0.7},
            {"colour": "red"},
        ]
        assert [purchase["price"] for purchase in record["bought"]] == [1.0, 0.5]
        assert record["spent"] == 1.5

    def test_it_is_named(self, frontier):
        assert "b is not paid for. So far: " in run("ask", frontier, text="0.7\n\n").stdout

    def test_an_item_of_two_columns_is_refused_as_a_whole(self, tmp_path):
        X, y = table().select("a", "b"), table()["b"].to_numpy()
        costs = Costs.per_group(["both", "both"], {"both": 2.0})
        save(SequencedRegressor(costs, missing="mean").fit(X, y), tmp_path / "m.scrimp")
        record = run_json("ask", tmp_path / "m.scrimp", text="0.7\n?\n")
        assert record["could_not_be_had"] == ["a", "b"]
        assert record["bought"] == []


def test_ctrl_c_gives_the_answer_so_far(ask, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    result = run(*ask)
    assert result.exit_code == 130
    assert "Answer: " in result.stdout
    assert "Nothing was bought." in result.stdout


def test_categories_by_number_and_in_capitals(ask):
    words = (*ask, "--known", "a=1", "--known", "b=missing")
    for text in ("3\n", "RED\n", " red \n"):
        assert run_json(*words, text=text)["bought"][0]["values"] == {"colour": "red"}


def test_only_the_record_is_on_stdout(ask, order):
    result = run(*ask, "--json", text=typed(order))
    assert result.stdout.startswith("{")
    assert "So far:" in result.stderr


def test_stop_certain_asks_for_no_more_than_it_needs(ask, order):
    full = run_json(*ask, text=typed(order))
    early = run_json(*ask, "--stop", "certain", text=typed(order))
    assert early["prediction"] == full["prediction"]
    assert early["spent"] <= full["spent"]


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("z=1", "is not COL=VALUE with a column of the model: a, b, colour, noise"),
        ("a", "is not COL=VALUE"),
        ("a=high", "'high' is not a number"),
        (f"a={math.inf}", "'inf' is not a number"),
        ("colour=pink", "'pink' is not one of: blue, green, red"),
    ],
)
def test_refuses_what_cannot_be_known(ask, known, text):
    assert text in refused(*ask, "--known", known)


def test_a_number_is_rounded_for_people_only(trained, tmp_path):
    out = tmp_path / "m.scrimp"
    words = ("fit", trained / "train.csv", "--target", "b", "--drop", "id", "--rounds", 3)
    assert run(*words, "--out", out).exit_code == 0
    record = run_json("ask", out, text="quit\n")
    exact = f"{record['prediction']:.6g}"
    assert len(str(record["prediction"])) > len(exact)
    assert f"Answer: {exact}, spent 0.00" in run("ask", out, text="quit\n").stdout


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (13.879935722, "13.8799"),
        (3.0, "3"),
        (1234567.8, "1234570"),
        (-0.00012345678, "-0.000123457"),
    ],
)
def test_six_digits(value, text):
    from scrimp.cli.output import digits

    assert digits(value) == text


@pytest.fixture(scope="module")
def patient(tmp_path_factory):
    """A model file that asks for age (20 to 79), sex coded 1 and 2, and smoker, true or false."""
    n = 80
    X = pl.DataFrame(
        {
            "age": [20.0 + i % 60 for i in range(n)],
            "sex": [1 + i % 2 for i in range(n)],
            "smoker": [i % 3 == 0 for i in range(n)],
        }
    )
    y = X["age"] + 10.0 * X["sex"] + 7.0 * X["smoker"]
    path = tmp_path_factory.mktemp("patient") / "m.scrimp"
    save(SequencedRegressor().fit(X, y.to_numpy()), path)
    return path


def values_of(record):
    return {name: v for line in record["bought"] for name, v in line["values"].items()}


@pytest.mark.parametrize("column", ["age", "sex"])
@pytest.mark.parametrize("text", ["yes", "true", "1_000", "0x10", "nan", "inf", "1,5"])
def test_only_a_plain_number_is_a_number(patient, column, text):
    line = refused("ask", patient, "--known", f"{column}={text}")
    assert f"{text!r} is not a number." in line


def test_yes_and_no_are_for_columns_of_two_truth_values(patient):
    assert run_json("ask", patient, "--known", "smoker=yes", text="")["known"] == {"smoker": 1.0}
    assert run_json("ask", patient, "--known", "smoker=0", text="")["known"] == {"smoker": 0.0}


def test_a_value_outside_the_range_of_training_must_be_typed_twice(patient):
    known = ("--known", "sex=1", "--known", "smoker=no")
    result = run("ask", patient, *known, text="-3\n33\n")
    doubt = "-3 is outside the range of age in training, 20 to 79. If it is right, type it once"
    assert doubt in result.stdout
    assert "age = 33" in result.stdout
    assert values_of(run_json("ask", patient, *known, text="80\n80\n")) == {"age": 80.0}


def test_a_known_value_outside_the_range_of_training_is_noted(patient):
    result = run("ask", patient, "--known", "age=-3", text="")
    assert "Note: --known age=-3: -3 is outside the range of age in training" in result.stderr
    assert "known  age = -3\n" in result.stdout


@pytest.mark.parametrize("info", [{}, {"ranges": 3, "binary": 4}, {"ranges": {"age": ["a"]}}])
def test_a_model_without_ranges_takes_any_number(patient, tmp_path, info):
    old = replace(load(patient), info=info)
    save(old, tmp_path / "old.scrimp")
    known = ("--known", "sex=1", "--known", "smoker=0")
    assert values_of(run_json("ask", tmp_path / "old.scrimp", *known, text="-3\n")) == {"age": -3}
