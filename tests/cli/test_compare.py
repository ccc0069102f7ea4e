import re
import shlex

import numpy as np
import polars as pl
import pytest

from scrimp import Costs, load
from scrimp.evaluation.methods import METHODS, Setting

from .conftest import PRICES, refused, run, run_json, table

QUICK = ("--repeats", 1, "--folds", 3, "--rounds", 5)


@pytest.fixture
def here(tmp_path, monkeypatch, quick_frontier):
    """A folder to work in, with a table and its prices."""
    monkeypatch.chdir(tmp_path)
    table().write_csv("train.csv")
    (tmp_path / "prices.toml").write_text(PRICES)
    return tmp_path


def compare(*words, data="train.csv"):
    return run("compare", data, "--target", "y", *QUICK, *words)


def compare_json(*words, data="train.csv"):
    return run_json("compare", data, "--target", "y", *QUICK, *words)


def test_table_advice_and_how_to_train_it(here):
    result = compare("--costs", "prices.toml", "--budget", 6)
    assert result.exit_code == 0, result.stderr
    text = result.stdout
    assert "Compared 9 methods on 120 rows and 4 columns: 3-fold cross-validation, once" in text
    assert "Percent right on rows not trained on, with 95% intervals." in text
    assert "For a budget of 6 take " in text
    assert "The best of 9 methods on the same rows" in text
    assert ":\n  scrimp fit train.csv --target y --costs prices.toml --drop id" in text
    assert "Written: scrimp-compare.png" in text
    assert (here / "scrimp-compare.png").read_bytes().startswith(b"\x89PNG")
    assert "Left out: id (an identifier by its name" in result.stderr
    assert "Read as categories: colour (3 values)" in result.stderr
    assert "Left out: the method" not in result.stderr


@pytest.mark.parametrize(
    "method", ["smoothed", "greedy", "edge", "sampled", "tree", "linear", "frontier"]
)
def test_the_model_that_was_compared_is_what_the_command_trains(here, method):
    words = ("--costs", "prices.toml", "--methods", method, "--budget", 6, "--budgets", "1,6,50")
    shown = run("compare", "train.csv", "--target", "y", *QUICK[:4], *words).stdout
    command = next(line for line in shown.splitlines() if line.startswith("  scrimp fit"))
    assert "--rounds" not in command  # by default both train the same number
    assert "Use it:\n  scrimp predict model.scrimp new.csv --budget 6" in shown
    assert run(*shlex.split(command)[1:]).exit_code == 0
    trained = load("model.scrimp")
    data = table().drop("id")
    X, costs = data.drop("y"), Costs.read("prices.toml")
    setting = Setting("classification", costs, [1.0, 6.0, 50.0])
    compared = METHODS[method].make(setting).fit(X, data["y"].to_numpy())
    assert trained.info["params"].get("rule", method) == {"tree": "eg2"}.get(method, method)
    ours, theirs = (model.sweep(X, [0.0, 1.0, 6.0, 50.0]) for model in (trained, compared))
    np.testing.assert_array_equal(ours.spent, theirs.spent)
    np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-12)


def test_json_and_table(here):
    out = here / "curves.parquet"
    record = compare_json("--budgets", "1,5", "--methods", "edge,tree", "--out", out)
    assert record["methods"] == ["edge", "tree"]
    assert record["columns_left_out"] == {"id": "an identifier by its name and its many values"}
    assert record["files"] == ["scrimp-compare.png", str(out)]
    assert {row["budget"] for row in record["curves"]} == {0, 1, 4}  # 4 buys everything
    saved = pl.read_parquet(out)
    assert saved.columns == ["method", "budget", "spent", "quality", "low", "high"]
    assert len(saved) == 6


def test_several_rounds(here):
    record = compare_json("--methods", "edge", "--rounds", "2, 9", "--budget", 2)
    assert record["methods"] == ["edge/2", "edge/9"]
    best = record["recommendation"]["method"].split("/")[1]
    assert f"--rule edge --rounds {best} --out model.scrimp" in record["train"]


def test_an_error_cost(here):
    text = compare("--methods", "edge,tree", "--error-cost", 50).stdout
    assert "If an error costs 50, take " in text
    assert "for errors is" in text


def test_a_small_error_cost_keeps_its_digits(here):
    for cost, text in (("0.001", "0.001"), ("0.12345", "0.12345"), ("1200.5", "1,200.50")):
        found = compare("--methods", "edge", "--error-cost", cost).stdout
        assert f"If an error costs {text}, " in found


def test_costs_of_each_kind_of_error(here):
    words = ("--methods", "edge,tree", "--error-cost", "sick->well=1000,well->sick=400")
    text = compare(*words).stdout
    assert "At these costs of errors, take " in text
    assert "Cost of errors per row on rows not trained on" in text
    assert "--error-cost 'sick->well=1000,well->sick=400'" in text
    record = compare_json(*words)
    assert record["scoring"] == "neg_error_cost"
    assert record["error_cost"] == {"sick->well": 1000.0, "well->sick": 400.0}
    advised = record["recommendation"]["point"]
    totals = [row["spent"] - row["quality"] for row in record["curves"]]
    assert advised["spent"] - advised["quality"] == pytest.approx(min(totals))


def test_costs_of_errors_that_no_purchase_saves(here):
    text = compare("--methods", "tree", "--error-cost", "sick->well=0.5,well->sick=0.1").stdout
    assert "At these costs of errors, buy nothing: a cost of errors of " in text
    assert "There is nothing to train: the answer of least cost costs nothing." in text


def test_a_budget_of_nothing_is_in_the_table(here):
    asked = compare("--methods", "edge,tree", "--budget", 0, "--costs", "prices.toml").stdout
    assert re.search(r"method +budget 0 .* budget 56\.50 +spent at 0\n", asked)
    given = compare("--methods", "edge,tree", "--budgets", "0,2").stdout
    assert re.search(r"method +budget 0 +budget 2 +spent at", given)


def test_numbers_are_predicted_too(here):
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 80))
    pl.DataFrame({"a": a, "b": b, "y": (10 * (a + b)).round().astype(int)}).write_csv("n.csv")
    words = ("compare", "n.csv", "--target", "y", *QUICK, "--methods", "edge,greedy")
    result = run(*words)
    assert "different values and is predicted as a number" in result.stderr
    assert "r2 on rows not trained on" in result.stdout
    line = next(text for text in result.stdout.splitlines() if "scrimp fit" in text)
    assert "--task regression" in line
    assert run(*shlex.split(line)[1:]).exit_code == 0
    assert load("model.scrimp").target.kind == "regression"


def test_numbers_may_be_classes(here):
    x = np.arange(250) % 25
    pl.DataFrame({"x": x + 0.5, "y": x}).write_csv("n.csv")
    words = ("compare", "n.csv", "--target", "y", *QUICK, "--methods", "sampled")
    assert "'sampled' is for classification only" in refused(*words)
    record = run_json(*words, "--task", "classification", "--budget", 1)
    assert "--task classification --method sampled" in record["train"]
    assert run(*shlex.split(record["train"])[1:]).exit_code == 0
    assert load("model.scrimp").target.kind == "multiclass"


def test_one_method_is_not_ranked(here):
    alone = compare("--methods", "edge").stdout
    assert "Compared 1 method on 120 rows and 4 columns: 3-fold cross-validation, once.\n" in alone
    assert "Best first" not in alone
    width = _width("scrimp-compare.png")
    several = " ".join(compare("--methods", "edge,tree").stdout.split())
    assert "Best first, in their mean over all budgets" in several
    assert "once, the same folds for all." in several
    assert width < 0.7 * _width("scrimp-compare.png")


def _width(png):
    with open(png, "rb") as file:
        return int.from_bytes(file.read(20)[16:], "big")


def test_a_method_looks_the_same_in_all_pictures():
    from scrimp.cli.comparison_picture import _looks
    from scrimp.evaluation import METHODS

    among_all = _looks(tuple(METHODS))
    for name, look in among_all.items():
        assert _looks((name,))[name] == look
        assert _looks(("mine", name))[name] == look
    assert len({look["color"] for look in among_all.values()}) == len(METHODS)
    assert len({look["marker"] for look in among_all.values()}) == len(METHODS)
    few, many = _looks(("edge/2", "edge/9")).values()
    assert few["color"] == many["color"] == among_all["edge"]["color"]
    assert few["linestyle"] != many["linestyle"]


def test_nothing_is_worth_buying(here):
    random = np.random.default_rng(0)
    labels = np.where(random.random(100) < 0.8, "a", "b")
    pl.DataFrame({"x": random.normal(size=100), "y": labels}).write_csv("noise.csv")
    result = compare("--methods", "tree", data="noise.csv")
    assert "Buy nothing: " in result.stdout
    assert "There is nothing to train" in result.stdout
    assert "scrimp fit" not in result.stdout


def test_what_is_free_is_worth_a_model(here):
    x = np.arange(80) % 10
    frame = pl.DataFrame({"x": x, "z": x[::-1], "y": np.where(x > 4, "up", "down")})
    frame.write_csv("free.csv")
    (here / "p.csv").write_text("feature,price\nx,0\nz,3\n")
    record = compare_json("--methods", "smoothed", "--costs", "p.csv", data="free.csv")
    text = record["recommendation"]["text"]
    assert text.startswith("Buy nothing: 100.0% right (100.0 to 100.0%) from what is free alone.")
    assert record["train"].endswith("--rounds 5 --out model.scrimp")
    assert run(*shlex.split(record["train"])[1:]).exit_code == 0
    assert load("model.scrimp").predict(frame.drop("y"), 0.0).tolist() == frame["y"].to_list()


class TestColumns:
    """What becomes of those that tell nothing of new rows."""

    @pytest.fixture
    def odd(self, here):
        n = 60
        random = np.random.default_rng(0)
        x = random.normal(size=n).round(2)
        pl.DataFrame(
            {
                "patient_id": random.permutation(n) * 7,
                "row": np.arange(n) + 1,
                "visit": [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(n)],
                "remark": [f"note {2 * i // 3} of the day" for i in range(n)],
                "letter": [f"free words {i}" for i in range(n)],
                "wide": random.permutation(n) * 13,
                "x": x,
                "y": np.where(x + random.normal(size=n) > 0, "yes", "no"),
            }
        ).write_csv("odd.csv")
        return lambda *words: compare(*words, "--methods", "tree", data="odd.csv")

    def test_are_named_with_the_reason(self, odd):
        result = odd()
        assert "and 2 columns" in result.stdout
        for line in (
            "Left out: patient_id (an identifier by its name and its many values)",
            "Left out: row (row numbers)",
            "Left out: visit (dates)",
            "Left out: remark (free text with 40 values)",
            "Left out: letter (text that differs in nearly every row)",
            "Note: wide differs in nearly every row and may number the rows",
        ):
            assert line in result.stderr
        assert "--drop patient_id --drop row --drop visit" in result.stdout

    def test_may_be_kept(self, odd):
        result = odd("--keep", "visit", "--keep", "letter")
        assert "and 4 columns" in result.stdout
        assert "letter" not in "".join(
            line for line in result.stderr.splitlines() if line.startswith("Left out")
        )

    def test_a_price_keeps_them(self, odd, here):
        (here / "p.csv").write_text("feature,price\nrow,1\nx,2\nwide,1\n")
        result = odd("--costs", "p.csv")
        assert "and 3 columns" in result.stdout

    def test_dates_of_parquet_and_columns_without_a_value(self, here):
        days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 29), eager=True)
        x = np.arange(60) % 10
        frame = pl.DataFrame({"day": days, "x": x, "no": [None] * 60, "y": x > 4})
        frame.write_parquet("t.parquet")
        frame.write_csv("t.csv")
        for data in ("t.parquet", "t.csv"):
            result = compare("--methods", "tree,smoothed", "--budget", 1, data=data)
            assert result.exit_code == 0, result.stderr
            assert "Left out: day (dates)" in result.stderr
            assert "100.0% right" in result.stdout

    def test_nothing_else_is_there(self, here):
        pl.DataFrame({"id": range(30), "y": [0, 1] * 15}).write_csv("ids.csv")
        text = refused("compare", "ids.csv", "--target", "y")
        assert (
            "has no feature besides id, which were left out. Use one after all with --keep" in text
        )


def test_rare_classes(here):
    labels = ["a"] * 20 + ["b"] * 20 + ["c"] * 2 + ["d"]
    pl.DataFrame({"x": np.arange(43) % 20 + 0.5, "y": labels}).write_csv("rare.csv")
    result = compare("--methods", "tree", data="rare.csv")
    assert result.exit_code == 0, result.stderr
    assert "on 42 rows" in result.stdout
    assert "Class d has 1 row only" in result.stderr
    assert "Class c has fewer rows than the 3 folds" in result.stderr


def test_rows_are_drawn(here):
    result = compare("--methods", "tree", "--rows", 60)
    assert "on 60 rows" in result.stdout
    assert "Compared on 60 of 120 rows, drawn at random." in result.stderr


def test_without_a_window_of_time(here):
    text = refused("compare", "train.csv", "--target", "y", "--max-seconds", "1e-9")
    assert text.startswith(
        "Error: No method has a result. smoothed, sampled, tree, linear, frontier: no fold"
    )
    assert text.endswith("Give more time with --max-seconds, or fewer rows with --rows.")


class TestInterrupted:
    @pytest.fixture
    def interrupted(self, here, monkeypatch):
        from scrimp.learners.trees import BudgetedTreeClassifier

        fit = BudgetedTreeClassifier.fit

        def go(after):
            left = iter(range(after))

            def interrupting(model, X, y, sample_weight=None):
                if next(left, None) is None:
                    raise KeyboardInterrupt
                return fit(model, X, y, sample_weight)

            monkeypatch.setattr(BudgetedTreeClassifier, "fit", interrupting)
            result = compare("--methods", "tree")
            assert result.exit_code == 130
            return result

        return go

    def test_shows_what_is_complete(self, interrupted):
        result = interrupted(3)  # one of them to warm up
        assert "Compared 1 method on 80 rows" in result.stdout
        assert "only 2 of 3 folds were done." in " ".join(result.stdout.split())
        assert "Only 2 of 3 folds were done before it was interrupted" in result.stderr
        assert result.stderr.endswith("Interrupted: this is what was complete.\n")

    def test_before_anything(self, interrupted):
        result = interrupted(0)
        assert result.stdout == ""
        assert result.stderr.endswith("Interrupted: nothing was compared yet.\n")


class TestRefuses:
    @pytest.mark.parametrize(
        ("words", "text"),
        [
            (("--methods", "smothed"), "no method 'smothed'. Did you mean 'smoothed'?"),
            (("--methods", ","), "names nothing"),
            (("--budget", "abc"), "'abc' is not a number >= 0"),
            (("--rounds", "5,x"), "must be whole numbers >= 1, such as 20,200"),
            (("--max-seconds", "0"), "0.0 is not in the range x>0"),
            (("--costs", "nothere.csv"), "does not exist"),
            (("--costs", "prices.toml", "--keep", "id"), "no price for the columns ['id']"),
            (("--scoring", "acuracy"), "Did you mean 'accuracy'"),
            (("--error-cost", "5", "--scoring", "roc_auc"), "does not count wrong answers"),
            (("--error-cost", "sick=5,well=1", "--scoring", "f1"), "does not count wrong answers"),
            (("--error-cost", "sick=5,ill->well=1"), "--error-cost names the class 'ill'"),
            (("--error-cost", "sick well=5,well=1"), "expected an error such as 'sick->well'"),
            (("--error-cost", "sick->well=-5,well=1"), "is -5.0; expected a finite number >= 0"),
            (("--error-cost", "sick->sick=5,well=1"), "the same class twice"),
            (("--error-cost", "sick->well=5,sick->well=5"), "'sick->well' has two costs"),
            (("--error-cost", "sick->well=5"), "lacks the cost of well->sick"),
            (("--error-cost", "sick->well"), "is no cost of an error; expected a number for all"),
            (("--drop", "y"), "--drop names 'y', which is the target"),
            (("--keep", "z"), "has no column 'z' (to keep)"),
            (("--png", "train.csv"), "must end in .png"),
            (("--out", "train.csv"), "is read here and would be overwritten"),
            (("--task", "regression"), "holds text, and a regression predicts numbers"),
        ],
    )
    def test_options(self, here, words, text):
        assert text in refused("compare", "train.csv", "--target", "y", *words)

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            ("", "it is empty"),
            ("x,y\n", "has no rows"),
            ("x,y\n1,0\n", "has one class only, 0"),
            ("x,y\n1,0\n2,1\n", "two such classes. Give more rows."),
            ("x,y\n1,0\n2,\n", "The target 'y' is missing in 1 of 2 rows"),
            ("x,y\n1,0.5\n2,0.5\n", "is 0.5 in all rows. There is nothing to predict"),
            ("x,y\n1,0.5\n2,0.7\n3,1.5\n", "at least 4 rows; here are 3"),
            ("y\n1\n0\n", "no column besides the target"),
        ],
    )
    def test_tables(self, here, content, text):
        (here / "t.csv").write_text(content)
        assert text in refused("compare", "t.csv", "--target", "y")

    def test_an_identifier_as_target(self, here):
        pl.DataFrame({"x": [0, 1] * 15, "y": [f"n{i}" for i in range(30)]}).write_csv("t.csv")
        text = refused("compare", "t.csv", "--target", "y")
        assert "0 of 30 classes have at least 2 rows" in text
        assert text.endswith("Is this the right target, or an identifier?")

    def test_a_target_that_is_not_there(self, here):
        text = refused("compare", "train.csv", "--target", "z")
        assert "has no column 'z' (the target); it has id, a, b" in text

    def test_an_error_cost_of_numbers(self, here):
        (here / "n.csv").write_text("x,y\n1,0.5\n2,0.7\n3,1.5\n4,2.5\n")
        text = refused("compare", "n.csv", "--target", "y", "--error-cost", 5)
        assert "price of a wrong class; here numbers are predicted" in text


def test_the_help_tells_of_all_methods():
    from scrimp.evaluation import METHODS

    lines = run("compare", "--help").stdout.splitlines()
    told = [" ".join(line.split()) for line in lines[-len(METHODS) :]]
    assert told == [f"{method.name} {method.about}" for method in METHODS.values()]


def test_a_scorer_of_one_class_takes_text(here):
    words = ("--methods", "tree", "--scoring", "f1")
    result = compare(*words)
    assert result.exit_code == 0, result.stderr
    assert "f1 counts the class well; --positive sick the other.\n" in result.stderr
    record, other = compare_json(*words), compare_json(*words, "--positive", "sick")
    assert record["scoring"] == other["scoring"] == "f1"
    assert record["curves"] != other["curves"]
    text = refused("compare", "train.csv", "--target", "y", *words, "--positive", "ill")
    assert "--positive 'ill' is not one of the classes: sick, well." in text
    text = refused("compare", "train.csv", "--target", "y", "--positive", "sick")
    assert "--positive is 'sick', but the scorer counts no single class" in text


@pytest.mark.parametrize("command", ["compare", "fit"])
def test_all_columns_that_cannot_be_used_are_named_at_once(here, command):
    columns = {"tags": [[1, 2]] * 120, "place": [{"x": 1}] * 120}
    table().with_columns(**{n: pl.Series(v) for n, v in columns.items()}).write_parquet("t.parquet")
    out = ("--out", "m.scrimp") if command == "fit" else ()
    text = refused(command, "t.parquet", "--target", "y", *out)
    assert "'tags' holds List(Int64), 'place' holds Struct({'x': Int64}); expected numbers" in text
    assert text.endswith("or leave them out with --drop.")


def test_rows_of_a_group_stay_together_and_the_column_is_no_feature(here):
    table().with_columns(patient=pl.lit("p") + (pl.col("id") // 10).cast(str)).write_csv("g.csv")
    words = ("--methods", "tree", "--budget", 2)
    record = compare_json(*words, "--groups", "patient", data="g.csv")
    assert "patient" not in record["columns"]
    assert "--drop patient" in record["train"]
    text = refused("compare", "g.csv", "--target", "y", "--groups", "ward")
    assert "g.csv has no column 'ward' (the groups)" in text
    text = refused("compare", "g.csv", "--target", "y", "--groups", "y")
    assert "--groups names 'y', which is the target" in text


def test_the_order_of_time(here):
    record = compare_json("--methods", "tree", "--cv", "time")
    assert (record["rows"], record["folds"], record["repeats"]) == (90, 3, 1)
    assert "Each fold trains on the rows before those it tests" in record["remarks"][0]
