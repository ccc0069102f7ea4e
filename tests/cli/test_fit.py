import numpy as np
import polars as pl
import pytest

from scrimp import load
from scrimp.cli.errors import InputError

from .conftest import refused, run, run_json, table


@pytest.fixture
def train(tmp_path):
    path = tmp_path / "train.csv"
    table().drop("id").write_csv(path)
    return path


def test_says_what_was_learnt_and_saves_it(trained, tmp_path):
    out = tmp_path / "m.scrimp"
    result = run(
        "fit", trained / "train.csv", "--target", "y", "--drop", "id", "--rounds", 20,
        "--costs", trained / "prices.toml", "--budget", 10, "--out", out,
    )  # fmt: skip
    assert result.exit_code == 0
    assert "Learnt to tell y sick from well on 120 rows in 20 rounds." in result.stdout
    assert "visit (fee)" in result.stdout
    assert "Never bought: noise" in result.stdout
    assert "Full price: 6.50 of 56.50 for everything" in result.stdout
    assert load(out).plan.price == 6.5


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_all_kinds_of_tables_give_the_same_model(tmp_path, ending):
    from scrimp.cli.tables import table_bytes

    path = tmp_path / f"train.{ending}"
    path.write_bytes(table_bytes(table().drop("id"), path))
    record = run_json("fit", path, "--target", "y", "--rounds", 8, "--out", tmp_path / "m.scrimp")
    assert record["rounds"] == 8
    assert record["classes"] == ["sick", "well"]
    assert record["entries"][0]["purchases"][0]["item"] == "b"


def test_one_entry_a_budget(train, tmp_path):
    record = run_json(
        "fit", train, "--target", "y", "--rounds", 5, "--budget", "1, 2,3", "--rule", "edge",
        "--out", tmp_path / "m.scrimp",
    )  # fmt: skip
    assert [entry["price"] for entry in record["entries"]] == [1, 2, 3]


def test_weights_of_zero_leave_rows_out(tmp_path):
    data = table().drop("id").with_columns(w=(pl.col("y") == "sick").cast(pl.Int8))
    data.write_parquet(tmp_path / "t.parquet")
    words = ("fit", tmp_path / "t.parquet", "--target", "y", "--out", tmp_path / "m.scrimp")
    assert "one class only" in refused(*words, "--weight", "w")
    assert not (tmp_path / "m.scrimp").exists()


def test_missing_values_may_be_spelled(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,0\n?,1\nNA,1\n4,1\n" * 5)
    out = tmp_path / "m.scrimp"
    words = ("fit", path, "--target", "y", "--rounds", 3, "--out", out)
    assert run(*words, "--missing", "?").exit_code == 0
    assert load(out).columns.categories == (None,)


def test_labels_are_whole_numbers_however_they_are_written(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,0.0\n2,1.0\n" * 5)
    record = run_json("fit", path, "--target", "y", "--out", tmp_path / "m.scrimp")
    assert record["classes"] == [0, 1]


def test_a_column_without_a_name_is_pointed_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(",x,y\n" + "0,1,0\n1,2,1\n" * 5)
    result = run("fit", path, "--target", "y", "--out", tmp_path / "m.scrimp")
    assert "Warning: a column of the data has no name" in result.stderr


def test_a_budget_that_buys_nothing_warns(trained, tmp_path):
    result = run(
        "fit", trained / "train.csv", "--target", "y", "--drop", "id",
        "--costs", trained / "prices.toml", "--budget", 0.1, "--out", tmp_path / "m.scrimp",
    )  # fmt: skip
    assert result.exit_code == 0
    assert "Warning: The cheapest item 'colour' costs 0.5" in result.stderr


def test_a_model_that_buys_nothing_says_so(train, tmp_path):
    words = ("fit", train, "--target", "y", "--budget", 0.1, "--out", tmp_path / "m.scrimp")
    text = run(*words).stdout
    assert "It buys nothing" in text
    assert "total" not in text


def test_one_row_and_one_round_are_no_plural(train, tmp_path):
    words = ("fit", train, "--target", "y", "--rounds", 1, "--out", tmp_path / "m.scrimp")
    assert "on 120 rows in 1 round." in run(*words).stdout


class TestMethods:
    def test_a_tree_of_many_classes(self, train, tmp_path):
        out = tmp_path / "m.scrimp"
        words = ("fit", train, "--target", "colour", "--method", "tree", "--budget", 2)
        result = run(*words, "--out", out)
        assert result.exit_code == 0, result.stderr
        assert "Learnt to tell the 3 classes of colour apart on 120 rows." in result.stdout
        assert load(out).info["params"]["budget"] == 2.0

    def test_a_sampled_vote(self, train, tmp_path):
        words = ("fit", train, "--target", "y", "--method", "sampled", "--rounds", 7)
        record = run_json(*words, "--out", tmp_path / "m.scrimp")
        assert record["kind"] == "sampled"
        assert load(tmp_path / "m.scrimp").info["params"]["n_rounds"] == 7

    def test_a_number(self, train, tmp_path):
        words = ("fit", train, "--target", "b", "--task", "regression", "--rounds", 5)
        result = run(*words, "--out", tmp_path / "m.scrimp")
        assert "Learnt to predict b on 120 rows in 5 rounds." in result.stdout
        assert load(tmp_path / "m.scrimp").target.kind == "regression"

    @pytest.mark.parametrize(
        ("words", "text"),
        [
            (("--method", "tree", "--rule", "edge"), "--rule says nothing to --method tree"),
            (("--method", "tree", "--rounds", 5), "--rounds says nothing to --method tree"),
            (("--method", "tree", "--budget", "1,2"), "--method tree takes one budget, or none"),
            (("--method", "sampled", "--budget", 2), "Give the budget to `scrimp predict`"),
            (("--method", "tree", "--task", "regression"), "--task regression needs boosting"),
            (("--task", "regression"), "'y' of "),
        ],
    )
    def test_refuses(self, train, tmp_path, words, text):
        found = refused("fit", train, "--target", "y", *words, "--out", tmp_path / "m.scrimp")
        assert text in found


class TestInterrupted:
    """After some events of training."""

    @pytest.fixture
    def fit(self, train, tmp_path, monkeypatch):
        from scrimp.boosting import budgeted

        def go(after, *more):
            emit, left = budgeted.emit, iter(range(after))

            def interrupting(event):
                emit(event)
                if next(left, None) is None:
                    raise KeyboardInterrupt

            monkeypatch.setattr(budgeted, "emit", interrupting)
            out = ("--out", tmp_path / "m.scrimp")
            result = run("fit", train, "--target", "y", "--rounds", 3, *more, *out)
            assert result.exit_code == 130
            return result.stderr.splitlines()[-1]

        return go

    def test_says_which_budgets_have_no_model(self, fit, tmp_path):
        text = fit(4, "--budget", "4,1,2,3,2")
        assert text.endswith("m.scrimp. No model yet for the budgets 3.00; 4.00")
        assert "Unfinished" in run("inspect", tmp_path / "m.scrimp").stdout
        assert not run_json("inspect", tmp_path / "m.scrimp")["finished"]

    def test_one_budget(self, fit):
        assert "Interrupted after 1 round: saved" in fit(0)

    def test_says_that_nothing_was_saved(self, train, tmp_path, monkeypatch):
        from scrimp.boosting import BudgetedBoostingClassifier

        def interrupted(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(BudgetedBoostingClassifier, "fit", interrupted)
        result = run("fit", train, "--target", "y", "--out", tmp_path / "m.scrimp")
        assert result.exit_code == 130
        assert result.stderr.endswith("Interrupted: nothing was saved.\n")


class TestRefuses:
    @pytest.fixture
    def words(self, trained, tmp_path):
        out = ("--out", tmp_path / "m.scrimp")
        yield lambda *more: ("fit", trained / "train.csv", *more, *out)
        assert not (tmp_path / "m.scrimp").exists()

    def test_a_target_that_is_not_there(self, words):
        assert "has no column 'z' (the target); it has id, a, b" in refused(*words("--target", "z"))

    def test_a_column_to_drop_that_is_not_there(self, words):
        text = refused(*words("--target", "y", "--drop", "z"))
        assert "has no column 'z' (to drop)" in text

    def test_a_price_list_that_does_not_fit(self, words, trained):
        text = refused(*words("--target", "y", "--costs", trained / "prices.toml"))
        assert "no price for the columns ['id']" in text
        assert "left out with --drop" in text

    @pytest.mark.parametrize("budget", ["-1", "nan", "1,x"])
    def test_a_bad_budget(self, words, budget):
        assert "is not a number >= 0" in refused(*words("--target", "y", "--budget", budget))

    def test_text_as_weight(self, words):
        text = refused(*words("--target", "y", "--weight", "colour"))
        assert "(the weight) holds text; expected numbers" in text

    def test_more_classes_than_a_learner_can_tell_apart(self):
        from scrimp.cli.training import check_classes

        text = "has 3 values: blue, green, red. Expected two classes"
        with pytest.raises(InputError, match=text):
            check_classes(np.array(["blue", "green", "red"]), "The target 'colour'", many=False)

    def test_fractions_and_one_class(self, tmp_path):
        path, out = tmp_path / "t.csv", ("--out", tmp_path / "m.scrimp")
        path.write_text("x,y,z\n1,0.5,1\n2,1.5,1\n")
        assert "'y' of " in (text := refused("fit", path, "--target", "y", *out))
        assert "holds the fractions 0.5 and 1.5" in text
        assert "has one class only, 1. Expected two" in refused("fit", path, "--target", "z", *out)

    @pytest.mark.parametrize("option", ["--drop", "--weight"])
    def test_the_target_as_something_else(self, words, option):
        text = refused(*words("--target", "y", option, "y"))
        assert f"{option} names 'y', which is the target" in text

    def test_a_comma_without_a_number(self, words):
        text = refused(*words("--target", "y", "--budget", "10,"))
        assert "'10,' lacks a number beside a comma" in text

    @pytest.mark.parametrize("name", ["m.csv", "m.csv.gz", "m.parquet", "m.PNG"])
    def test_a_model_named_like_something_else(self, train, tmp_path, name):
        text = refused("fit", train, "--target", "y", "--out", tmp_path / name)
        assert "Let it end in .scrimp" in text

    def test_to_overwrite_what_is_read(self, trained, tmp_path):
        (tmp_path / "prices.toml").write_bytes((trained / "prices.toml").read_bytes())
        (tmp_path / "link").symlink_to(tmp_path / "prices.toml")
        words = ("fit", trained / "train.csv", "--target", "y", "--drop", "id", "--costs")
        text = refused(*words, tmp_path / "prices.toml", "--out", tmp_path / "link")
        assert "is read here and would be overwritten" in text

    def test_a_target_that_is_not_always_known(self, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text("x,y\n1,0\n2,NA\n3,1\n4,\n")
        text = refused("fit", path, "--target", "y", "--out", tmp_path / "m.scrimp")
        assert "The target 'y' is missing in 2 of 4 rows" in text
        assert "Remove these rows" in text

    def test_a_target_alone(self, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text("y\n1\n0\n")
        text = refused("fit", path, "--target", "y", "--out", tmp_path / "m.scrimp")
        assert "no column besides the target" in text

    def test_an_output_that_cannot_be_written_before_any_work(self, trained, tmp_path):
        words = ("fit", trained / "train.csv", "--target", "y", "--out")
        assert "there is no folder" in refused(*words, tmp_path / "no" / "m.scrimp")
        assert "is a directory" in refused(*words, tmp_path)

    def test_other_endings(self, tmp_path):
        (tmp_path / "t.xlsx").write_text("")
        text = refused("fit", tmp_path / "t.xlsx", "--target", "y", "--out", tmp_path / "m")
        assert "must end in .csv or .csv.gz or .parquet" in text


def test_all_rules_can_be_chosen():
    from scrimp.boosting.rules import RULES
    from scrimp.cli.fit import RULE_NAMES

    assert set(RULES) == set(RULE_NAMES)
