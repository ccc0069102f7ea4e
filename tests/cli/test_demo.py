import json

import pytest

from .conftest import refused, run


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    picture = tmp_path_factory.mktemp("demo") / "demo.png"
    result = run("demo", "--quick", "--json", "--out", picture)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout), picture


def test_money_buys_accuracy(demo):
    record, _ = demo
    quality = {point["budget"]: point["quality"] for point in record["curve"]}
    assert quality[0] == pytest.approx(164 / 303)
    assert 0.70 < quality[4] < 0.80
    assert 0.80 < quality[323.97] < 0.87
    assert all(point["spent"] <= point["budget"] for point in record["curve"])


def test_offers_stay_within_their_budgets(demo):
    record, _ = demo
    assert [offer["budget"] for offer in record["offers"]] == [0, 30, 100, 300, 323.97]
    assert all(offer["price"] <= offer["budget"] for offer in record["offers"])
    assert record["offers"][1]["purchases"][0]["item"] == "cp"


def test_conclusion_and_picture(demo):
    record, picture = demo
    assert "the model that may buy everything" in record["conclusion"]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_in_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("demo", "--quick")
    assert result.exit_code == 0
    assert "Boosted stumps, 20 rounds" in result.stdout
    assert "chest pain 1.00" in result.stdout
    assert "Picture: scrimp-demo.png" in result.stdout
    assert (tmp_path / "scrimp-demo.png").exists()


def test_refuses_a_picture_of_another_kind(tmp_path):
    assert "must end in .png" in refused("demo", "--out", tmp_path / "demo.pdf")
