import io

import polars as pl
import pytest

from scrimp import BudgetedBoostingClassifier, SequencedRegressor, load, save

from .conftest import refused, run, run_json, table


@pytest.fixture
def model(trained):
    return trained / "model.scrimp"


def test_answers_as_csv_on_stdout(trained, model):
    result = run("predict", model, trained / "test.csv", "--budget", 5)
    assert result.exit_code == 0
    answers = pl.read_csv(io.StringIO(result.stdout))
    assert answers.columns == ["prediction", "proba_sick", "proba_well", "spent"]
    predictor = load(model)
    X = table(50, seed=1).drop("id", "y")
    assert answers["prediction"].to_list() == predictor.predict(X, 5.0).tolist()
    assert answers["spent"].max() <= 5
    assert "Note: ignored columns that the model does not know: id, y" in result.stderr
    assert "50 rows, mean spend" in result.stderr


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_answers_to_a_file(trained, model, tmp_path, ending):
    out = tmp_path / f"answers.{ending}"
    result = run("predict", model, trained / "test.parquet", "--out", out, "--id", "id")
    assert result.stdout == ""
    answers = pl.read_parquet(out) if ending == "parquet" else pl.read_csv(out)
    assert answers["id"].to_list() == table(50, seed=1)["id"].to_list()
    assert "written to" in result.stderr


def test_order_of_columns_and_columns_never_bought_do_not_matter(trained, model, tmp_path):
    full = run("predict", model, trained / "test.csv").stdout
    table(50, seed=1).select("colour", "b", "a").write_csv(tmp_path / "t.csv")
    assert run("predict", model, tmp_path / "t.csv").stdout == full


def test_a_budget_a_row(trained, model, tmp_path):
    data = table(50, seed=1).with_columns(cap=pl.Series([0.0, 1.5] * 25))
    data.write_csv(tmp_path / "t.csv")
    result = run("predict", model, tmp_path / "t.csv", "--budget-column", "cap")
    spent = pl.read_csv(io.StringIO(result.stdout))["spent"]
    assert spent.to_list() == [0.0, 1.5] * 25
    assert "cap" not in result.stderr


def test_categories_are_text_even_if_they_look_like_numbers(tmp_path):
    rows = "01,0\n02,1\nx,0\n" * 10
    (tmp_path / "train.csv").write_text(f"c,y\n{rows}")
    out = tmp_path / "m.scrimp"
    run("fit", tmp_path / "train.csv", "--target", "y", "--rounds", 3, "--out", out)
    (tmp_path / "new.csv").write_text("c\n01\n02\n")
    record = run_json("predict", out, tmp_path / "new.csv")
    assert [answer["prediction"] for answer in record["answers"]] == [0, 1]


def test_stop_certain_spends_no_more_and_keeps_the_labels(trained, model):
    words = ("predict", model, trained / "test.csv")
    plain, early = run_json(*words), run_json(*words, "--stop", "certain")
    assert early["mean_spent"] < plain["mean_spent"]
    labels = [[a["prediction"] for a in record["answers"]] for record in (plain, early)]
    assert labels[0] == labels[1]


def test_json_with_a_file_is_the_summary_only(trained, model, tmp_path):
    out = tmp_path / "a.csv"
    record = run_json("predict", model, trained / "test.csv", "--out", out)
    assert record["rows"] == 50
    assert record["out"] == str(out)
    assert "answers" not in record


def test_a_budget_too_small_for_anything_warns(trained, model):
    result = run("predict", model, trained / "test.csv", "--budget", 0.1)
    assert "Warning: The cheapest purchase" in result.stderr


def test_columns_out_of_reach_may_be_absent(trained, model, tmp_path):
    full = table(50, seed=1)
    full.drop("b").with_columns(cap=pl.lit(4.9)).write_csv(tmp_path / "t.csv")
    want = run("predict", model, trained / "test.csv", "--budget", 4.9).stdout
    assert run("predict", model, tmp_path / "t.csv", "--budget", 4.9).stdout == want
    assert run("predict", model, tmp_path / "t.csv", "--budget-column", "cap").stdout == want
    # others are bought first, and leave too little for b, which costs 5
    want = run("predict", model, trained / "test.csv", "--budget", 5).stdout
    assert run("predict", model, tmp_path / "t.csv", "--budget", 5).stdout == want
    full.select("id").write_csv(tmp_path / "t.csv")
    assert run_json("predict", model, tmp_path / "t.csv", "--budget", 0)["rows"] == 50


def test_what_is_bought_may_be_absent_if_the_model_answers_without(model, tmp_path):
    full = table(50, seed=1)
    for names, text in (
        (["b"], "t.csv lacks b; it counts as not to be had, in every row\n"),
        (["b", "colour"], "t.csv lacks b, colour; they count as not to be had, in every row\n"),
    ):
        full.drop(names).write_csv(tmp_path / "t.csv")
        result = run("predict", model, tmp_path / "t.csv", "--budget", 6.5)
        assert result.exit_code == 0, result.stderr
        assert text in result.stderr
        answers = pl.read_csv(io.StringIO(result.stdout))
        X = full.drop("id", "y", *names)
        assert answers["prediction"].to_list() == load(model).predict(X, 6.5).tolist()
        assert answers["spent"].to_list() == load(model).spend(X, 6.5).tolist()


def test_a_frontier_buys_something_else_for_what_is_absent(frontier, tmp_path):
    data = table(50, seed=1).drop("a")
    data.write_csv(tmp_path / "t.csv")
    result = run("predict", frontier, tmp_path / "t.csv", "--budget", 6.5)
    assert "t.csv lacks a; it counts as not to be had" in result.stderr
    answers = pl.read_csv(io.StringIO(result.stdout))
    X, predictor = data.drop("id", "y"), load(frontier)
    assert answers["prediction"].to_list() == predictor.predict(X, 6.5).tolist()
    assert answers["spent"].to_list() == predictor.spend(X, 6.5).tolist()


def test_unseen_categories_are_noted(model, tmp_path):
    data = table(1).with_columns(colour=pl.lit("pink"))
    data.write_csv(tmp_path / "t.csv")
    text = run("predict", model, tmp_path / "t.csv").stderr
    assert "Note: colour holds categories that training did not, in 1 row\n" in text
    assert "1 row, mean spend" in text
    assert "training did" not in run("predict", model, tmp_path / "t.csv", "--budget", 0).stderr


def test_many_ignored_columns_are_cut_short(trained, model, tmp_path):
    data = table(2).with_columns(pl.lit(0).alias(f"more{i}") for i in range(9))
    data.write_csv(tmp_path / "t.csv")
    text = run("predict", model, tmp_path / "t.csv").stderr
    assert "know: id, y, more0, more1, more2 and 6 more" in text


def test_warnings_speak_of_options(trained, model):
    text = run("predict", model, trained / "test.csv", "--budget", 0.1).stderr
    assert "Raise the budget or leave --budget out." in text


def test_help_says_what_an_empty_cell_means():
    assert "empty cell" in run("predict", "--help").stdout


class TestRefuses:
    def test_columns_that_are_needed(self, trained, tmp_path):
        model = tmp_path / "vote.scrimp"
        X, y = table().drop("id", "y"), table()["y"].to_numpy()
        prices = {"a": 1.0, "b": 5.0, "colour": 0.5, "noise": 50.0}
        booster = BudgetedBoostingClassifier(
            prices, budget=10.0, n_rounds=20, rule="edge", combine="vote"
        )
        save(booster.fit(X, y), model)
        table(5).select("a").write_csv(tmp_path / "t.csv")
        text = refused("predict", model, tmp_path / "t.csv")
        assert "lacks 'b', 'colour', which the model buys without a budget" in text

    def test_columns_of_a_model_that_knows_them_by_position(self, tmp_path):
        X = table().select("a", "b").fill_null(0.0).to_numpy()
        save(SequencedRegressor([1.0, 2.0]).fit(X, X.sum(axis=1)), tmp_path / "m.scrimp")
        pl.DataFrame({"x0": [1.0]}).write_csv(tmp_path / "t.csv")
        text = refused("predict", tmp_path / "m.scrimp", tmp_path / "t.csv")
        assert "t.csv lacks 'x1', which the model buys without a budget" in text

    def test_two_kinds_of_budget(self, trained, model):
        words = ("predict", model, trained / "test.csv", "--budget", 1, "--budget-column", "a")
        assert "exclude each other" in refused(*words)

    def test_a_negative_budget(self, trained, model):
        text = refused("predict", model, trained / "test.csv", "--budget", -2)
        assert "'-2' is not a number >= 0" in text

    def test_negative_budgets_of_rows(self, trained, model):
        text = refused("predict", model, trained / "test.csv", "--budget-column", "b")
        assert "(the budget) is missing or negative in" in text

    def test_an_unknown_id(self, trained, model):
        text = refused("predict", model, trained / "test.csv", "--id", "nobody")
        assert "has no column 'nobody' (the id)" in text

    def test_an_id_named_like_an_answer(self, trained, model, tmp_path):
        table(5).rename({"id": "spent"}).write_csv(tmp_path / "t.csv")
        text = refused("predict", model, tmp_path / "t.csv", "--id", "spent")
        assert "Rename it" in text

    def test_text_where_numbers_were(self, trained, model, tmp_path):
        table(5).with_columns(a=pl.lit("high")).write_csv(tmp_path / "t.csv")
        text = refused("predict", model, tmp_path / "t.csv")
        assert "Column 'a' held numbers in training and holds text now: 'high'" in text
        assert text.endswith("add --missing high")
        pl.DataFrame({"a": ["1"], "b": 1, "colour": "red"}).write_parquet(tmp_path / "t.parquet")
        assert "Save it as numbers" in refused("predict", model, tmp_path / "t.parquet")

    def test_to_overwrite_what_is_read(self, trained, model, tmp_path):
        table(5).write_csv(tmp_path / "t.csv")
        text = refused("predict", model, tmp_path / "t.csv", "--out", tmp_path / "t.csv")
        assert "would be overwritten" in text

    def test_no_rows(self, trained, model, tmp_path):
        table(5).clear().write_csv(tmp_path / "t.csv")
        assert "no rows" in refused("predict", model, tmp_path / "t.csv")

    def test_a_truncated_model(self, trained, model, tmp_path):
        (tmp_path / "m.scrimp").write_bytes(model.read_bytes()[:-10])
        text = refused("predict", tmp_path / "m.scrimp", trained / "test.csv")
        assert text.startswith(f"Error: {tmp_path / 'm.scrimp'}")

    def test_a_model_that_is_none(self, trained):
        text = refused("predict", trained / "train.csv", trained / "test.csv")
        assert text.startswith(f"Error: {trained / 'train.csv'}")

    def test_an_output_of_another_kind(self, trained, model, tmp_path):
        text = refused("predict", model, trained / "test.csv", "--out", tmp_path / "a.txt")
        assert "must end in" in text


def test_amounts_have_no_digits_that_come_from_their_sums(tmp_path):
    prices = {"a": 11.27, "b": 1.05, "c": 1.05}  # 11.27 + 1.05 + 1.05 is 13.370000000000001
    X = pl.DataFrame({name: [0.0, 1.0, 2.0, 3.0] * 10 for name in prices})
    X = X.with_columns(b=X["b"] ** 2, c=X["c"] ** 3)
    y = X["a"] + 2 * X["b"] - 3 * X["c"]
    model = SequencedRegressor(prices, budget=11.27 + 1.05 + 1.05).fit(X, y.to_numpy())
    save(model, tmp_path / "m.scrimp")
    X.with_columns(y=y).write_csv(tmp_path / "t.csv")
    words = (tmp_path / "m.scrimp", tmp_path / "t.csv")
    texts = [
        run("predict", *words).stdout,
        run("inspect", tmp_path / "m.scrimp").stdout,
        run("curve", *words, "--target", "y", "--out", tmp_path / "c.csv").stdout,
        (tmp_path / "c.csv").read_text(),
    ]
    assert all("13.37" in text and "13.370" not in text for text in texts), texts
