from .conftest import refused, run, run_json


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
    assert "1. From 1.00: 20 rounds" in text
    record = run_json("inspect", trained / "menu.scrimp")
    assert record["kind"] == "menu"
    assert record["entries"][0]["price"] == 1.0
    last = record["entries"][-1]["purchases"]
    assert last[-1]["total"] == record["entries"][-1]["price"]


def test_a_wrapped_forest_draws_trees(trained, tmp_path):
    from sklearn.datasets import make_classification
    from sklearn.ensemble import RandomForestClassifier

    from scrimp import SampledBoostingClassifier, save

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
