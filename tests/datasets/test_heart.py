import pytest

from scrimp.datasets import fetch, load_heart


@pytest.fixture(scope="module")
def heart():
    return load_heart()


def test_it_has_the_counts_that_uci_states(heart):
    assert heart.X.shape == (303, 13)
    assert (heart.y == 0).sum() == 164
    assert (heart.y == 1).sum() == 139


def test_six_values_are_missing_and_stay_missing(heart):
    missing = heart.X.null_count().row(0, named=True)
    assert {name: count for name, count in missing.items() if count} == {"ca": 4, "thal": 2}


def test_categories_are_readable_and_numbers_are_numbers(heart):
    first = heart.X.row(0, named=True)
    assert first["sex"] == "male"
    assert first["cp"] == "typical ang"
    assert first["thal"] == "fixed defect"
    assert (first["age"], first["ca"], first["oldpeak"]) == (63, 0, 2.3)


def test_prices_are_those_of_turney(heart):
    """Turney lists what a test costs alone, and what it costs after another of its group."""
    costs = heart.costs
    item = costs.names.index
    assert costs.price_of([item("chol")]) == pytest.approx(7.27)
    assert costs.price_of([item("fbs")]) == pytest.approx(5.20)
    assert costs.price_of([item("chol"), item("fbs")]) == pytest.approx(10.37)
    assert costs.price_of([item("thal")]) == pytest.approx(102.90)
    assert costs.price_of([item("slope")]) == pytest.approx(87.30)
    assert costs.price_of([item("slope"), item("exang")]) == pytest.approx(88.30)
    assert costs.price_of([item("ca")]) == pytest.approx(100.90)


def test_every_column_has_a_price_in_the_same_order(heart):
    assert list(heart.costs.column_names) == heart.X.columns


def test_fetch_knows_the_bundle_without_any_network(offline, heart):
    again = fetch("heart")
    assert again.X.equals(heart.X)
    assert again.source == heart.source
    assert "CC BY 4.0" in again.source
