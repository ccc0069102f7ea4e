"""``scrimp reprice``."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from scrimp import BudgetedBoostingClassifier, SampledBoostingClassifier, load, save
from scrimp.cli.main import main
from scrimp.datasets import load_heart

from .runner import runner


@pytest.fixture
def files(tmp_path):
    """A model of the heart data, and a price list in which fluoroscopy is cheap."""
    heart = load_heart()
    save(BudgetedBoostingClassifier(heart.costs, n_rounds=15).fit(heart.X, heart.y),
         tmp_path / "m.scrimp")  # fmt: skip
    costs = heart.costs
    lines = ["feature,price,item,requires"]
    for name, price, own, needs in zip(
        costs.names, costs.prices, costs.columns, costs.requires, strict=True
    ):
        column = costs.column_name(own[0]) if own else ""
        required = "|".join(costs.names[r] for r in needs)
        lines.append(f"{column},{9.5 if name == 'ca' else price},{name},{required}")
    (tmp_path / "new.csv").write_text("\n".join(lines))
    return tmp_path


def run(folder, *words, model="m.scrimp"):
    arguments = [str(folder / model), "--costs", str(folder / "new.csv")]
    return runner().invoke(main, ["reprice", *arguments, "--out", str(folder / "n.scrimp"), *words])


def test_a_model_gets_new_prices(files):
    result = run(files)
    assert result.exit_code == 0, result.stderr
    assert "1 new price: ca 100.90 to 9.50. The order is part of what was learnt" in result.stdout
    old, new = load(files / "m.scrimp"), load(files / "n.scrimp")
    assert new.costs.prices[new.costs.names.index("ca")] == 9.5
    assert new.plan.price == pytest.approx(old.plan.price - 91.4)
    heart = load_heart()
    assert (new.predict(heart.X) == old.predict(heart.X)).all()


def test_json_says_what_changed(files):
    found = json.loads(run(files, "--json").stdout)
    assert found["changed"] == [{"item": "ca", "was": 100.9, "is": 9.5}]
    assert found["replanned"] is False
    assert found["kind"] == "gam"


def test_chances_are_planned_anew(files):
    heart = load_heart()
    model = SampledBoostingClassifier(heart.costs, n_rounds=15, random_state=0)
    save(model.fit(heart.X, heart.y), files / "s.scrimp")
    result = run(files, model="s.scrimp")
    assert "What follows from prices was planned anew." in result.stdout


def test_other_items_are_bad_input(files):
    text = (files / "new.csv").read_text().replace("ca,9.5,ca,", "ca,9.5,fluoroscopy,")
    (files / "new.csv").write_text(text)
    result = run(files)
    assert result.exit_code == 2
    assert "no price for 'ca' and prices for 'fluoroscopy'" in " ".join(result.stderr.split())
    assert not (files / "n.scrimp").exists()


def test_the_model_is_not_overwritten(files):
    arguments = ["--costs", str(files / "new.csv"), "--out", str(files / "m.scrimp")]
    result = runner().invoke(main, ["reprice", str(files / "m.scrimp"), *arguments])
    assert result.exit_code == 2
    assert "is read here and would be overwritten" in result.stderr


@pytest.mark.parametrize("saved_by", ["fit", "python"])
def test_a_price_for_the_target_is_named(tmp_path, saved_by):
    """A model of `scrimp fit` knows the name of its target; one saved in Python does not."""
    (tmp_path / "data.csv").write_text("a,b,y\n" + "1,2,yes\n2,1,no\n3,5,yes\n4,0,no\n" * 9)
    (tmp_path / "new.csv").write_text("feature,price\na,1\nb,2\ny,3\n")
    words = [tmp_path / "data.csv", "--target", "y", "--rounds", 3, "--out", tmp_path / "m.scrimp"]
    assert runner().invoke(main, ["fit", *map(str, words)]).exit_code == 0
    model = load(tmp_path / "m.scrimp")
    assert model.info["target"] == "y"
    if saved_by == "python":
        info = {name: value for name, value in model.info.items() if name != "target"}
        save(replace(model, info=info), tmp_path / "m.scrimp")
    result = run(tmp_path)
    assert result.exit_code == 2
    text = " ".join(result.stderr.split())
    if saved_by == "fit":
        assert "has a price for 'y', which is the target and is never bought. Remove it" in text
    else:
        assert "prices for 'y', which the model does not have" in text
        assert "remove what was no feature, such as the target" in text
