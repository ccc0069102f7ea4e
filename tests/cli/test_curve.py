import polars as pl
import pytest

from .conftest import refused, run, run_json, table


@pytest.fixture
def words(trained):
    return ("curve", trained / "model.scrimp", trained / "test.csv", "--target", "y")


def test_table_area_and_best_budget(words):
    result = run(*words, "--budgets", "0,1.5,6.5", "--error-cost", 10)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["0.00", "0.00"] in [line[:2] for line in lines]
    assert "(timeliness):" in result.stdout
    assert "If an error costs 10.00, the best budget is" in result.stdout


def test_json(words):
    record = run_json(*words, "--error-cost", 0)
    points = record["curve"]
    assert points[0]["budget"] == 0
    assert points[-1]["budget"] == 6.5
    assert all(p["low"] <= p["quality"] <= p["high"] and p["spent"] <= p["budget"] for p in points)
    assert record["best"]["budget"] == 0
    assert record["scoring"] == "accuracy"


def test_costs_of_each_kind_of_error(words):
    given = ("--budgets", "0,1.5,6.5", "--error-cost", "sick->well=100,well->sick=1")
    text = run(*words, *given).stdout
    assert "If errors cost sick->well 100.00, well->sick 1.00, the best budget is" in text
    best = run_json(*words, *given)["best"]
    assert best["error_cost"] == {"sick->well": 100.0, "well->sick": 1.0}
    assert best["cost_in_all"] >= best["spent"]
    assert "--error-cost names 'ill'; expected" in refused(*words, "--error-cost", "ill=5")


def test_table_and_picture_are_saved(words, tmp_path):
    table_file, picture = tmp_path / "c.parquet", tmp_path / "c.png"
    assert run(*words, "--out", table_file, "--png", picture).exit_code == 0
    assert pl.read_parquet(table_file).columns == ["budget", "spent", "quality", "low", "high"]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_other_scorers_and_stop(words):
    record = run_json(*words, "--scoring", "roc_auc", "--stop", "certain")
    assert record["scoring"] == "roc_auc"


def test_no_limit_is_a_budget(words):
    record = run_json(*words, "--budgets", "1,inf")
    assert record["curve"][1]["budget"] is None
    assert "no limit" in run(*words, "--budgets", "1,inf").stdout


def test_one_budget_has_no_area(words):
    record = run_json(*words, "--budgets", "5")
    assert record["area"] is None


def test_columns_out_of_reach_may_be_absent(trained, tmp_path):
    table(50, seed=1).drop("b").write_csv(tmp_path / "t.csv")
    words = ("curve", trained / "model.scrimp", tmp_path / "t.csv", "--target", "y")
    assert run_json(*words, "--budgets", "0,4.9")["rows"] == 50
    result = run(*words, "--budgets", "4.9,6.5")
    assert result.exit_code == 0
    assert "t.csv lacks b; it counts as not to be had, in every row\n" in result.stderr
    cheap, dear = run_json(*words, "--budgets", "4.9,6.5")["curve"]
    assert cheap["spent"] == dear["spent"] == 1.5


def test_models_that_do_not_answer_without_columns_refuse(trained, tmp_path):
    model = tmp_path / "tree.scrimp"
    prices = ("--costs", trained / "prices.toml")
    run("fit", trained / "train.csv", "--target", "y", "--drop", "id", *prices,
        "--method", "tree", "--out", model)  # fmt: skip
    table(50, seed=1).drop("b").write_csv(tmp_path / "t.csv")
    text = refused("curve", model, tmp_path / "t.csv", "--target", "y")
    assert "t.csv lacks 'b', which the model buys at a budget of" in text


def test_a_scorer_of_one_class_takes_text(trained):
    words = ("curve", trained / "model.scrimp", trained / "test.csv", "--target", "y")
    well = run_json(*words, "--scoring", "recall")
    sick = run_json(*words, "--scoring", "recall", "--positive", "sick")
    assert {well["curve"][0]["quality"], sick["curve"][0]["quality"]} == {0.0, 1.0}


def test_the_picture_names_the_model_and_marks_the_best_budget():
    from scrimp import Curve
    from scrimp.cli.curve import _picture

    curve = Curve([0, 1], [0, 1], [0.6, 0.7], [0.5, 0.6], [0.7, 0.8], "accuracy")
    ax = _picture(curve, {"budget": 1.0, "error_cost": 50.0}, "m_$1$.scrimp").axes[0]
    assert ax.get_title() == "m_$1$.scrimp: accuracy"
    assert ax.get_lines()[-1].get_linestyle() == ":"
    assert ax.get_legend().get_texts()[0].get_text().startswith("best budget 1.00 if")
    assert _picture(curve, None, "m").axes[0].get_legend() is None


class TestRefuses:
    def test_a_price_of_errors_that_are_none(self, words):
        text = refused(*words, "--scoring", "roc_auc", "--error-cost", 5)
        assert "--error-cost is the price of a wrong answer" in text
        assert run(*words, "--scoring", "accuracy", "--error-cost", 5).exit_code == 0

    def test_to_overwrite_what_is_read(self, words, trained, tmp_path):
        text = refused(*words, "--out", trained / "test.csv")
        assert "would be overwritten" in text
        (tmp_path / "m.png").symlink_to(trained / "model.scrimp")
        assert "would be overwritten" in refused(*words, "--png", tmp_path / "m.png")

    def test_an_unknown_scorer(self, words):
        text = refused(*words, "--scoring", "acuracy")
        assert "acuracy" in text
        assert "callable" not in text

    def test_labels_the_model_does_not_know(self, words, trained, tmp_path):
        data = table(20).with_columns(y=pl.Series(["sick", "dead"] * 10))
        data.write_csv(tmp_path / "t.csv")
        text = refused("curve", trained / "model.scrimp", tmp_path / "t.csv", "--target", "y")
        assert "holds the labels ['dead'], which the model does not know" in text
        assert "['sick', 'well']" in text

    def test_a_target_that_is_not_there(self, trained):
        text = refused("curve", trained / "model.scrimp", trained / "test.csv", "--target", "z")
        assert "has no column 'z'" in text

    def test_a_picture_in_no_folder(self, words, tmp_path):
        assert "there is no folder" in refused(*words, "--png", tmp_path / "no" / "c.png")

    def test_a_picture_without_limit_and_then_writes_nothing(self, words, tmp_path):
        files = ("--out", tmp_path / "c.csv", "--png", tmp_path / "c.png")
        assert "no place for a budget without limit" in refused(
            *words, "--budgets", "1,inf", *files
        )
        assert list(tmp_path.iterdir()) == []
