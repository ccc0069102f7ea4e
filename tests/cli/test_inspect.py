from scrimp import FrontierRegressor, save

from .conftest import refused, run, run_json, table


def test_one_plan(trained):
    result = run("inspect", trained / "model.scrimp")
    assert result.exit_code == 0
    assert "BudgetedBoostingClassifier(budget=10.0" in result.stdout
    assert "Predicts sick, well from 4 columns." in result.stdout
    assert "visit (fee)" in result.stdout
    assert "Never bought: noise" in result.stdout


def test_a_menu_entry_by_entry(trained):
    text = run("inspect", trained / "menu.scrimp").stdout
    assert "3 models, of which a budget chooses the last that it pays for" in text
    assert "1. From 1.00: " in text
    record = run_json("inspect", trained / "menu.scrimp")
    assert record["kind"] == "menu"
    assert record["entries"][0]["price"] == 1.0
    last = record["entries"][-1]["purchases"]
    assert last[-1]["total"] == record["entries"][-1]["price"]


class TestAFrontier:
    def test_says_who_answers_and_how_good_it_was(self, frontier):
        text = run("inspect", frontier).stdout
        entries = run_json("inspect", frontier)["entries"]
        for number, entry in enumerate(entries[1:], start=1):
            wrong = f"{100 * entry['loss']:.1f}% wrong ± {100 * entry['standard_error']:.1f}"
            wrong += f", Brier score {entry['brier']:.3f}"
            assert f"; linear, {wrong} in cross-validation\n" in text
            assert f"{number}. From {entry['price']:.2f}: one model of " in text
            assert entry["candidate"] == "linear"
            assert 0 < entry["standard_error"] < entry["loss"] < 0.5

    def test_to_buy_nothing_is_no_model(self, frontier):
        text = run("inspect", frontier).stdout
        assert "Plan: menu, 2 models." in text
        assert "\n2 models, of which a budget chooses" in text
        prior = run_json("inspect", frontier)["entries"][0]
        assert prior["candidate"] == "prior"
        wrong = f"{100 * prior['loss']:.1f}% wrong"
        assert f"\nFrom 0.00: nothing is bought; prior, {wrong}" in text

    def test_of_numbers(self, tmp_path):
        X, y = table().select("a", "noise"), table()["b"].to_numpy() + table()["noise"].to_numpy()
        model = FrontierRegressor(candidates=["linear"], budgets=[1.0], cv=2).fit(X, y)
        save(model, tmp_path / "m.scrimp")
        (own,) = model.chosen_
        said = f"; linear, mean squared error {own.loss:.6g} ± {own.standard_error:.6g} in cross-"
        assert said in run("inspect", tmp_path / "m.scrimp").stdout

    def test_new_prices_leave_it_as_it_was(self, frontier, tmp_path):
        (tmp_path / "new.csv").write_text("feature,price\na,2\nb,9\ncolour,2\nnoise,2\n")
        words = ("--costs", tmp_path / "new.csv", "--out", tmp_path / "new.scrimp")
        new = run_json("reprice", frontier, *words)["entries"]
        old = run_json("inspect", frontier)["entries"]
        assert [own["loss"] for own in new[1:]] == [own["loss"] for own in old[1:]]
        assert [own["price"] for own in new] == [0.0, 4.0, 13.0]


def test_a_wrapped_forest_draws_trees(trained, tmp_path):
    from sklearn.datasets import make_classification
    from sklearn.ensemble import RandomForestClassifier

    from scrimp import SampledBoostingClassifier

    X, y = make_classification(60, 5, random_state=0)
    forest = RandomForestClassifier(4, max_depth=2, random_state=0).fit(X, y)
    save(SampledBoostingClassifier.from_ensemble(forest), tmp_path / "f.scrimp")
    text = run("inspect", tmp_path / "f.scrimp").stdout
    assert "Plan: sampled, 4 different trees." in text
    assert "What it may buy: each row draws its own" in text


def test_picture(trained, tmp_path):
    record = run_json("inspect", trained / "menu.scrimp", "--png", tmp_path / "p.png")
    assert record["png"] == str(tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_refuses_what_is_no_model(trained, tmp_path):
    (tmp_path / "m.scrimp").write_bytes((trained / "model.scrimp").read_bytes()[:100])
    assert refused("inspect", tmp_path / "m.scrimp").startswith(f"Error: {tmp_path}")
    assert "does not exist" in refused("inspect", tmp_path / "none.scrimp")
