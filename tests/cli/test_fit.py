import json
import re

import numpy as np
import polars as pl
import pytest

from scrimp import load
from scrimp.registry import methods

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
    assert "Learnt to tell y sick from well on 120 rows in 3 purchases." in result.stdout
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
    assert record["rounds"] == 3
    assert record["classes"] == ["sick", "well"]
    assert record["entries"][0]["purchases"][0]["item"] == "b"


def test_one_entry_a_budget(train, tmp_path):
    record = run_json(
        "fit", train, "--target", "y", "--rounds", 5, "--budget", "1, 2,3", "--rule", "edge",
        "--out", tmp_path / "m.scrimp",
    )  # fmt: skip
    assert [entry["price"] for entry in record["entries"]] == [1, 2, 3]


def test_the_costs_of_errors_decide(train, tmp_path):
    words = ("fit", train, "--target", "y", "--rounds", 10, "--out")
    costs = ("--error-cost", "sick->well=100,well->sick=1")
    assert run(*words, tmp_path / "plain.scrimp").exit_code == 0
    assert run(*words, tmp_path / "costly.scrimp", *costs).exit_code == 0
    plain, costly = load(tmp_path / "plain.scrimp"), load(tmp_path / "costly.scrimp")
    assert costly.target.error_costs.tolist() == [[0, 100], [1, 0]]
    X = table().drop("id", "y")
    assert (costly.predict(X) == "sick").sum() > (plain.predict(X) == "sick").sum()
    np.testing.assert_array_equal(costly.predict_proba(X), plain.predict_proba(X))
    text = run("inspect", tmp_path / "costly.scrimp").stdout
    assert "Decides by the costs of errors: sick->well 100.00, well->sick 1.00." in text
    record = run_json("inspect", tmp_path / "costly.scrimp")
    assert record["error_costs"] == {"sick->well": 100.0, "well->sick": 1.0}


def test_calibrated_decisions_by_the_costs_of_errors(train, tmp_path):
    words = ("--calibrate", "sigmoid", "--error-cost", "sick=100,well=1")
    out = tmp_path / "m.scrimp"
    assert run("fit", train, "--target", "y", "--rounds", 5, *words, "--out", out).exit_code == 0
    assert load(out).target.error_costs.tolist() == [[0, 100], [1, 0]]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("sick->ill=5", "--error-cost names the class 'ill', which there is not; expected one of"),
        ("sick->well=x", "'sick->well=x' is no cost of an error"),
        ("sick->well=-1", "is -1.0; expected a finite number >= 0"),
        ("sick->well=1", "lacks the cost of well->sick"),
    ],
)
def test_costs_of_errors_that_do_not_fit(train, tmp_path, given, text):
    words = ("fit", train, "--target", "y", "--out", tmp_path / "m.scrimp")
    assert text in refused(*words, "--error-cost", given)
    assert not (tmp_path / "m.scrimp").exists()


def test_costs_of_errors_of_a_number(train, tmp_path):
    words = ("fit", train, "--target", "b", "--drop", "y", "--out", tmp_path / "m.scrimp")
    text = refused(*words, "--error-cost", "1->2=5")
    assert "price of a wrong class; here numbers are predicted" in text


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


def test_columns_to_drop_with_commas_between_them(tmp_path):
    table().rename({"noise": "a,b"}).write_csv(tmp_path / "t.csv")
    words = ("fit", tmp_path / "t.csv", "--target", "y", "--rounds", 3)
    words = (*words, "--out", tmp_path / "m.scrimp", "--drop", "id, colour", "--drop", "a,b")
    run_json(*words)
    assert list(load(tmp_path / "m.scrimp").columns.positions) == ["a", "b"]


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
    assert "on 120 rows in 1 purchase." in run(*words).stdout


class TestMethods:
    def test_a_tree_of_many_classes(self, train, tmp_path):
        out = tmp_path / "m.scrimp"
        words = ("fit", train, "--target", "colour", "--method", "tree", "--budget", 2)
        result = run(*words, "--out", out)
        assert result.exit_code == 0, result.stderr
        assert "Learnt to tell the 3 classes of colour apart on 120 rows." in result.stdout
        assert load(out).info["params"]["budget"] == 2.0
        dearest = f"Dearest path: {load(out).plan.price:.2f} (everything costs 4.00)"
        assert dearest in result.stdout

    def test_sampled_columns(self, train, tmp_path):
        words = ("fit", train, "--target", "y", "--method", "sampled", "--rounds", 7)
        out = ("--out", tmp_path / "m.scrimp")
        record = run_json(*words, *out)
        assert record["kind"] == "drawn"
        text = run(*words, *out).stdout
        assert f"on 120 rows: {record['rounds']} purchase" in text
        assert "What it may buy: each row draws its own" in text

    def test_a_sampled_vote(self, train, tmp_path):
        words = ("fit", train, "--target", "y", "--method", "sampled", "--rounds", 7)
        words = (*words, "--combine", "vote")
        out = ("--out", tmp_path / "m.scrimp")
        record = run_json(*words, *out)
        assert record["kind"] == "sampled"
        assert load(tmp_path / "m.scrimp").info["params"]["n_rounds"] == 7
        text = run(*words, *out).stdout
        assert f"on 120 rows: {record['rounds']} different stumps." in text
        assert "What it may buy: each row draws its own" in text
        assert "round" not in text

    @pytest.mark.parametrize(
        ("target", "learner"), [("y", "SequencedClassifier"), ("b", "SequencedRegressor")]
    )
    def test_a_linear_model(self, train, tmp_path, target, learner):
        out = tmp_path / "m.scrimp"
        drop = [word for name in {"y", "colour"} - {target} for word in ("--drop", name)]
        words = ("fit", train, "--target", target, "--method", "linear", *drop, "--out", out)
        result = run(*words)
        assert result.exit_code == 0, result.stderr
        assert re.search(r"on 120 rows in \d purchases?\.", result.stdout)
        assert "What it buys, in order" in result.stdout
        assert "round" not in result.stdout
        model = load(out)
        assert model.info["learner"] == learner
        assert (model.info["params"]["criterion"], model.info["params"]["missing"]) == (
            "forward",
            "mean",
        )
        shown = run("inspect", out).stdout
        assert re.search(r"Plan: prefix, \d purchases?\.", shown)
        first = model.costs.names[model.plan.items[0]]
        assert re.search(rf"item +price +total\n─+\n1 +{first} +1\.00 +1\.00\n", shown)
        answers = run("predict", out, train, "--budget", 1, "--out", tmp_path / "a.csv")
        assert answers.exit_code == 0, answers.stderr  # a is missing in some rows
        assert pl.read_csv(tmp_path / "a.csv")["spent"].max() == 1.0
        assert run("curve", out, train, "--target", target).exit_code == 0

    def test_a_linear_model_for_one_budget(self, train, tmp_path):
        words = ("fit", train, "--target", "y", "--method", "linear", "--drop", "colour")
        record = run_json(*words, "--budget", 2, "--out", tmp_path / "m.scrimp")
        assert record["full_price"] == 2.0

    def test_an_interrupted_linear_model_is_not_saved(self, train, tmp_path, monkeypatch):
        from scrimp.learners.linear import SequencedRegressor

        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(SequencedRegressor, "_choose", interrupted)
        out = tmp_path / "m.scrimp"
        words = ("fit", train, "--target", "b", "--method", "linear", "--drop", "y", "--drop")
        result = run(*words, "colour", "--out", out)
        assert result.exit_code == 130
        assert result.stderr.endswith("Interrupted: nothing was saved.\n")
        assert not out.exists()

    def test_a_tree_with_rare_classes(self, tmp_path):
        labels = ["a"] * 20 + ["b"] * 20 + ["c"] * 2
        pl.DataFrame({"x": np.arange(42) + 0.5, "y": labels}).write_csv(tmp_path / "t.csv")
        words = ("fit", tmp_path / "t.csv", "--target", "y", "--method", "tree")
        said = run(*words, "--out", tmp_path / "m.scrimp").stderr
        assert said == (
            "Note: Class c has fewer rows than the 5 folds of the cross-validation that prunes "
            "the tree, so that little can be learnt of it.\n"
        )

    def test_a_tree_with_rare_classes_only(self, tmp_path):
        pl.DataFrame({"x": range(8), "y": ["a", "b"] * 4}).write_csv(tmp_path / "t.csv")
        words = ("fit", tmp_path / "t.csv", "--target", "y", "--method", "tree")
        text = refused(*words, "--out", tmp_path / "m.scrimp")
        assert "No class has as many rows as the 5 folds" in text

    def test_a_number(self, train, tmp_path):
        words = ("fit", train, "--target", "b", "--task", "regression", "--rounds", 5)
        result = run(*words, "--out", tmp_path / "m.scrimp")
        assert "Learnt to predict b on 120 rows in 1 purchase." in result.stdout
        assert load(tmp_path / "m.scrimp").target.kind == "regression"

    @pytest.mark.parametrize(
        ("words", "text"),
        [
            (("--method", "tree", "--rule", "edge"), "--rule says nothing to --method tree"),
            (("--method", "tree", "--rounds", 5), "--rounds says nothing to --method tree"),
            (("--method", "tree", "--budget", "1,2"), "--method tree takes one budget, or none"),
            (("--method", "sampled", "--budget", 2), "Give the budget to `scrimp predict`"),
            (
                ("--method", "sampled", "--task", "regression"),
                "--task regression needs boosting or",
            ),
            (("--method", "linear", "--rounds", 5), "--rounds says nothing to --method linear"),
            (
                ("--method", "linear", "--budget", "1,2"),
                "--method linear takes one budget, or none: a linear model answers at all of them.",
            ),
            (("--task", "regression"), "'y' of "),
        ],
    )
    def test_refuses(self, train, tmp_path, words, text):
        found = refused("fit", train, "--target", "y", *words, "--out", tmp_path / "m.scrimp")
        assert text in found


class TestLearnersOfTheRegistry:
    """All of them can be trained, used and looked at."""

    @pytest.fixture
    def numbers(self, tmp_path):
        path = tmp_path / "n.csv"
        frame = table().drop("id", "colour").with_columns(far=1e5 + 300 * pl.col("b"))
        frame.with_columns(visits=(2 * pl.col("b").abs()).round().cast(pl.Int64)).write_csv(path)
        return path

    def test_an_option_of_numbers_is_refused_for_classes(self, numbers, tmp_path):
        words = ("--target", "y", "--method", "trees", "--quantile", "0.9")
        assert "--quantile is for numbers, and here classes are predicted" in refused(
            "fit", numbers, *words, "--out", tmp_path / "m.scrimp"
        )

    @pytest.mark.parametrize(
        ("words", "learner"),
        [
            (("--target", "y", "--method", "svm"), "BudgetedSVC"),
            (
                ("--target", "b", "--method", "svm", "--budget", "1,2", "--C", "0.1,1"),
                "BudgetedSVR",
            ),
            (
                ("--target", "y", "--method", "svm", "--calibrate", "sigmoid"),
                "CalibratedClassifier",
            ),
            (("--target", "y", "--method", "refit", "--budget", 2), "RefitClassifier"),
            (("--target", "y", "--method", "refit", "--estimator", "logistic"), "RefitClassifier"),
            (("--target", "b", "--method", "refit", "--estimator", "ridge"), "RefitRegressor"),
            (("--target", "b", "--method", "lasso"), "GroupLassoRegressor"),
            (
                ("--target", "y", "--method", "trees", "--rule", "penalty", "--penalty", "0.01"),
                "BudgetedBoostingClassifier",
            ),
            (
                ("--target", "b", "--method", "trees", "--loss", "quantile", "--quantile", "0.9"),
                "BudgetedBoostingRegressor",
            ),
            (("--target", "visits", "--method", "poisson"), "SequencedPoissonRegressor"),
        ],
    )
    def test_are_trained_and_used(self, numbers, tmp_path, words, learner):
        out = tmp_path / "m.scrimp"
        others = {"y", "b", "visits"} - {words[1]}
        drop = [word for name in others for word in ("--drop", name)]
        result = run("fit", numbers, *words, *drop, "--out", out)
        assert result.exit_code == 0, result.stderr
        assert "Warning" not in result.stderr
        assert load(out).info["learner"].startswith(learner)
        answers = run("predict", out, numbers, "--budget", 2, "--out", tmp_path / "a.csv")
        assert answers.exit_code == 0, answers.stderr  # a is missing in some rows
        assert pl.read_csv(tmp_path / "a.csv")["spent"].max() <= 2.0
        assert learner in run("inspect", out).stdout

    def test_a_machine_takes_columns_as_they_are(self, numbers, tmp_path):
        out = tmp_path / "m.scrimp"
        words = ("fit", numbers, "--target", "y", "--method", "svm", "--drop", "visits,b")
        assert run(*words, "--out", out).exit_code == 0
        frame = pl.read_csv(numbers)
        right = load(out).predict(frame.drop("y", "visits", "b")) == frame["y"].to_numpy()
        assert right.mean() > 0.7

    @pytest.mark.parametrize(
        ("words", "text"),
        [
            (("--method", "lasso"), "holds text, and a regression predicts numbers"),
            (
                ("--method", "lasso", "--task", "classification"),
                "--method lasso predicts numbers; --task classification needs boosting or one of",
            ),
            (("--method", "svm", "--rounds", 3), "--rounds says nothing to --method svm"),
            (("--C", 3), "--C says nothing to --method boosting"),
            (
                ("--method", "refit", "--estimator", "ridge"),
                "--estimator ridge is not for a classification. For that there are: hist-grad",
            ),
        ],
    )
    def test_refuse(self, numbers, tmp_path, words, text):
        assert text in refused("fit", numbers, "--target", "y", *words, "--out", tmp_path / "m")

    def test_name_what_is_to_be_installed(self, numbers, tmp_path, monkeypatch):
        from scrimp.registry import spec

        monkeypatch.setattr(spec, "find_spec", lambda name: None)
        words = ("--target", "b", "--method", "lasso", "--out", tmp_path / "m.scrimp")
        text = refused("fit", numbers, *words)
        assert text.endswith("needs skglm. Install it: pip install 'scrimp[lasso]'")
        text = refused("compare", numbers, "--target", "b", "--methods", "lasso")
        assert text.endswith("needs skglm. Install it: pip install 'scrimp[lasso]'")


class TestTask:
    """Decided as ``compare`` does, unless it is said."""

    @pytest.fixture
    def fit(self, tmp_path):
        x = np.arange(60) % 30
        frame = pl.DataFrame({"x": x + 0.5, "many": x, "few": x % 20, "part": x / 4})
        frame.write_csv(tmp_path / "t.csv")

        def go(target, *words):
            out = ("--rounds", 3, "--out", tmp_path / "m.scrimp")
            result = run("fit", tmp_path / "t.csv", "--target", target, *words, *out)
            assert result.exit_code == 0, result.stderr
            return load(tmp_path / "m.scrimp").target.kind, result.stderr

        return go

    def test_many_whole_numbers_are_numbers_and_that_is_said(self, fit):
        kind, said = fit("many")
        assert kind == "regression"
        assert "has 30 different values and is predicted as a number. --task classification" in said

    def test_what_is_plain_needs_no_word(self, fit):
        for target, expected in (("few", "multiclass"), ("part", "regression")):
            kind, said = fit(target)
            assert kind == expected
            assert "--task" not in said

    def test_may_be_said(self, fit):
        kind, said = fit("many", "--task", "classification")
        assert kind == "multiclass"
        assert "--task" not in said
        assert fit("few", "--task", "regression")[0] == "regression"

    def test_a_sampled_vote_refuses_numbers(self, fit, tmp_path):
        words = ("fit", tmp_path / "t.csv", "--target", "many", "--method", "sampled", "--out")
        text = refused(*words, tmp_path / "m.scrimp")
        assert "--method sampled predicts classes; 'many' holds numbers. --task class" in text

    def test_a_tree_of_numbers_within_an_average(self, fit, tmp_path):
        words = (
            "fit",
            tmp_path / "t.csv",
            "--target",
            "part",
            "--method",
            "tree",
            "--tree-depth",
            2,
        )
        out = tmp_path / "m.scrimp"
        result = run(*words, "--average-budget", 2, "--search", "greedy", "--out", out)
        assert result.exit_code == 0, result.stderr
        params = load(out).info["params"]
        assert (params["average_budget"], params["max_depth"], params["search"]) == (2, 2, "greedy")


class TestColumnsThatCompareLeavesOut:
    @pytest.fixture
    def odd(self, tmp_path):
        n = 60
        x = np.arange(n) * 7 % 60 % 11
        pl.DataFrame(
            {
                "patient id": np.maximum(np.arange(n) * 7919 % 997, 100),
                "visit": [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(n)],
                "left": [f"2023-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(n)],
                "row": np.arange(n),
                "wide": np.arange(n) * 13 % 61,
                "x": x,
                "y": x > 5,
            }
        ).write_csv(tmp_path / "odd.csv")
        (tmp_path / "p.csv").write_text(
            "feature,price\npatient id,1\nvisit,1\nleft,1\nrow,1\nwide,1\nx,1\n"
        )
        out = ("--rounds", 2, "--out", tmp_path / "m.scrimp")
        return lambda *more: run("fit", tmp_path / "odd.csv", "--target", "y", *more, *out)

    def test_are_pointed_out_and_taken(self, odd, tmp_path):
        said = odd().stderr
        for line in (
            "Note: patient id looks like an identifier by its name and its many values: leave it "
            "out with --drop 'patient id'.",
            "Note: visit, left look like dates: leave them out with --drop visit --drop left.",
            "Note: row looks like row numbers: leave it out with --drop row.",
            "Note: wide differs in nearly every row and may number the rows; --drop",
        ):
            assert line in said
        names = ["patient id", "visit", "left", "row", "wide", "x"]
        assert list(load(tmp_path / "m.scrimp").columns.positions) == names

    def test_not_those_that_are_dropped_or_priced(self, odd, tmp_path):
        assert "visit" not in odd("--drop", "visit").stderr
        assert "looks like" not in odd("--costs", tmp_path / "p.csv").stderr


class TestInterrupted:
    """After some events of training."""

    @pytest.fixture
    def fit(self, train, tmp_path, monkeypatch):
        from scrimp.learners.boosting import budgeted

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
        from scrimp.learners.boosting import BudgetedBoostingClassifier

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
        for drop in ("z", "a,z", "z,a"):
            text = refused(*words("--target", "y", "--drop", drop))
            assert "has no column 'z' (to drop)" in text

    def test_the_target_among_columns_to_drop(self, words):
        text = refused(*words("--target", "y", "--drop", "a,y"))
        assert "--drop names 'y', which is the target" in text

    def test_a_price_list_that_does_not_fit(self, words, trained):
        text = refused(*words("--target", "y", "--costs", trained / "prices.toml"))
        assert "no price for the columns ['id']" in text
        assert "left out with --drop" in text

    def test_a_price_for_the_target(self, words, tmp_path):
        prices = tmp_path / "prices.csv"
        prices.write_text("feature,price\na,1\nb,1\ncolour,1\ny,1\n")
        text = refused(*words("--target", "y", "--drop", "id", "--costs", prices))
        assert "has a price for 'y', which is the target and is never bought" in text

    @pytest.mark.parametrize("budget", ["-1", "nan", "1,x"])
    def test_a_bad_budget(self, words, budget):
        assert "is not a number >= 0" in refused(*words("--target", "y", "--budget", budget))

    def test_text_as_weight(self, words):
        text = refused(*words("--target", "y", "--weight", "colour"))
        assert "(the weight) holds text; expected numbers" in text

    def test_fractions_and_one_class(self, tmp_path):
        path, out = tmp_path / "t.csv", ("--out", tmp_path / "m.scrimp")
        path.write_text("x,y,z\n1,0.5,1\n2,1.5,1\n")
        words = ("fit", path, "--target", "y", "--task", "classification", *out)
        assert "'y' of " in (text := refused(*words))
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
    from scrimp import registry
    from scrimp.learners.boosting.rules import RULES

    assert set(RULES) == set(registry.RULES)


class TestCalibration:
    def test_probabilities_are_calibrated_and_purchases_stay(self, train, tmp_path):
        plain = ("fit", train, "--target", "y", "--rounds", 8, "--out")
        before = run_json(*plain, tmp_path / "p.scrimp")
        after = run_json(*plain, tmp_path / "c.scrimp", "--calibrate", "sigmoid")
        assert (before.pop("calibrated"), after.pop("calibrated")) == (False, True)
        assert {**before, "model": ""} == {**after, "model": ""}
        X = table().drop("id", "y")
        said = load(tmp_path / "c.scrimp").predict_proba(X)
        assert not np.allclose(said, load(tmp_path / "p.scrimp").predict_proba(X))
        result = run("inspect", tmp_path / "c.scrimp")
        assert "CalibratedClassifier(" in result.stdout
        assert "Plan: gam, " in result.stdout

    def test_numbers_have_no_probabilities(self, tmp_path):
        path = tmp_path / "n.csv"
        pl.DataFrame({"a": np.arange(40.0), "y": np.arange(40.0) ** 1.5}).write_csv(path)
        text = refused("fit", path, "--target", "y", "--calibrate", "sigmoid", "--out",
                       tmp_path / "m.scrimp")  # fmt: skip
        assert (
            "--calibrate makes probabilities of classes, and 'y' is predicted as a number" in text
        )

    def test_the_methods_are_those_of_the_library(self):
        from scrimp.meta.calibration.calibrators import METHODS
        from scrimp.registry import CALIBRATIONS

        assert tuple(METHODS) == CALIBRATIONS


class TestMaxSeconds:
    def test_every_method_takes_it(self):
        assert all("max-seconds" in spec.options for spec in methods())

    @pytest.mark.parametrize("calibrate", [(), ("--calibrate", "temperature")])
    def test_what_was_learnt_by_then_is_saved(self, trained, tmp_path, calibrate):
        words = ("fit", trained / "train.csv", "--target", "y", "--drop", "id", *calibrate)
        words += ("--rounds", 10**7, "--combine", "vote", "--max-seconds", 1.5)
        result = run(*words, "--json", "--out", tmp_path / "m.scrimp")
        assert result.exit_code == 0, result.stderr
        record = json.loads(result.stdout)
        assert (record["finished"], record["in_time"]) == (True, False)
        assert "The time of --max-seconds was over" in result.stderr
        assert load(tmp_path / "m.scrimp").plan.items

    def test_an_end_within_the_time_is_not_remarked_upon(self, trained, tmp_path):
        words = ("fit", trained / "train.csv", "--target", "y", "--method", "tree")
        result = run(*words, "--max-seconds", 600, "--json", "--out", tmp_path / "m.scrimp")
        assert json.loads(result.stdout)["in_time"] is True
        assert "--max-seconds" not in result.stderr
