"""``scrimp reprice``."""

from __future__ import annotations

import json

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
