"""Sequences of feature groups, run again: on made-up data, and the parts one by one."""

import dataclasses
import os

import numpy as np
import pytest

from papers import study
from papers.hu2016 import published
from papers.hu2016.claims import verdicts
from papers.hu2016.data import ADULT, BLOG, grouped
from papers.hu2016.orders import RIDGE, Curve, halve, plateau, trial
from papers.hu2016.refits import Rows, forward_by_refits, omp_by_refits
from papers.prices import YAHOO_PRICES, draw_prices
from papers.trials import Runner
from scrimp import Costs, SequencedRegressor

from .conftest import check_report
from .conftest import make_groups as make

pytest.importorskip("skglm")


@pytest.fixture(scope="module")
def small():
    return dataclasses.replace(study("hu2016"), load=make)


@pytest.fixture(scope="module")
def page(small, tmp_path_factory):
    return small.run(Runner(tmp_path_factory.mktemp("work")), ["mslr", "a9a"], trials=5)


def test_a_report_has_verdicts_tables_and_pictures(page, tmp_path):
    check_report(page, tmp_path, "hu2016", ["mslr", "a9a"], 5, 6)


def test_printed_figures_stand_below_those_found(page):
    table = next(t for t in page.shown if "timeliness" in t.title)
    assert table.header == ("dataset", *published.METHODS)
    timeliness = page.record["datasets"]["a9a"]["timeliness"]
    assert table.rows[1] == ("a9a", *(f"{timeliness[m]:.4f}" for m in published.METHODS))
    printed = dict(zip(table.header, table.rows[2], strict=True))
    assert printed["dataset"] == "Agricultural (printed)"
    assert (printed["CS-G-FR"], printed["Sparse"]) == ("0.4525", "0.3997")


def test_the_printed_orderings_are_those_claimed():
    for row in published.TIMELINESS.values():
        forward, omp, *behind = row[:6]
        assert forward > omp > max(behind)


def test_kept_trials_are_not_run_again(small, tmp_path):
    first = small.run(Runner(tmp_path), ["a9a"], trials=2)
    again = small.run(Runner(tmp_path), ["a9a"], trials=2)
    assert first.text == again.text  # times of another run would differ
    assert len(list((tmp_path / "hu2016").iterdir())) == 1


def test_figures_other_than_times_come_from_the_seed(small):
    def run(seed):
        record = trial(make("a9a"), small.settings["a9a"], np.random.default_rng(seed))
        return {name: value for name, value in record.items() if name != "seconds"}

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_oracles_and_learned_orders_end_alike_and_oracles_are_ahead(small):
    timely = trial(make("a9a"), small.settings["a9a"], np.random.default_rng(0))["timeliness"]
    assert set(timely) == set(published.METHODS)
    assert timely["Oracle-FR"] >= timely["CS-G-FR"]
    assert timely["Oracle-OMP"] >= timely["CS-G-OMP"]


@pytest.mark.parametrize(
    ("way", "criterion"), [(forward_by_refits, "forward"), (omp_by_refits, "omp")]
)
def test_refits_give_the_order_found_without_them(way, criterion):
    data = make("refits")
    for seed in range(5):
        prices = draw_prices(6, np.random.default_rng(seed))
        costs = Costs.per_group(data.groups, prices.tolist())
        model = SequencedRegressor(costs, criterion=criterion, alpha=RIDGE).fit(data.X, data.y)
        groups = [np.flatnonzero(data.groups == name) for name in "abcdef"]
        order = way(Rows.of(data.X, data.y, groups, prices, RIDGE))
        assert ["abcdef"[g] for g in order] == model.sequence_


def test_a_curve_pays_the_true_prices_whatever_the_order_was_chosen_by():
    data = make("curve")
    part = halve(data, np.random.default_rng(0))
    costs = Costs.per_group(data.groups, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    equal = Costs.per_group(data.groups, [1.0] * 6)
    model = SequencedRegressor(equal, criterion="omp", alpha=RIDGE).fit(part.X, part.y)
    curve = Curve(model, costs, part)
    first = "abcdef".index(model.sequence_[0])
    assert curve.spent[[0, 1, -1]].tolist() == [0.0, 2.0**first, 63.0]
    assert curve.explained[0] == 0.0
    risk = ((model.predict(part.X_test) - part.y_test) ** 2).mean()
    assert curve.explained[-1] == pytest.approx(
        1.0 - risk / ((part.y_test - part.y.mean()) ** 2).mean()
    )
    before = curve.within(2.0**first - 0.5)
    assert np.allclose(before, part.y.mean())
    assert np.array_equal(curve.within(100.0), curve.answers[:, -1])


def test_halves_do_not_share_queries():
    data = make("queries", kind="rank")
    part = halve(data, np.random.default_rng(3))
    known = {row.tobytes() for row in part.X}
    of = np.array([row.tobytes() in known for row in data.X])
    assert len(part.X) == len(part.X_test) == 150
    assert not set(data.query[of]) & set(data.query[~of])


def test_quality_is_accuracy_of_signs_and_ndcg_of_ranks():
    signs = halve(make("signs"), np.random.default_rng(0))
    assert signs.quality(signs.y_test) == 1.0
    assert signs.quality(-signs.y_test) == 0.0
    ranks = halve(make("ranks", kind="rank"), np.random.default_rng(0))
    assert ranks.quality(ranks.y_test) == pytest.approx(1.0)
    assert ranks.quality(-ranks.y_test) < 0.7
    assert halve(make("numbers", kind="number"), np.random.default_rng(0)).quality is None


def test_the_plateau_begins_where_a_hundredth_more_is_dear():
    spent = np.array([0.0, 10.0, 20.0, 60.0, 100.0])
    assert plateau(spent, np.array([0.0, 0.5, 0.975, 0.985, 1.0]), 100.0) == 0.97
    assert plateau(spent, np.array([0.0, 0.5, 0.99, 0.995, 1.0]), 100.0) == 0.99
    assert plateau(spent, np.array([0.0, 0.3, 0.5, 0.9, 1.0]), 1000.0) == 1.0


def test_prices_are_as_frequent_as_yahoos():
    prices = draw_prices(20_000, np.random.default_rng(0))
    assert sum(YAHOO_PRICES.values()) == 519
    assert set(prices) == set(YAHOO_PRICES)
    assert np.mean(prices == 20.0) == pytest.approx(191 / 519, abs=0.02)


def records(gap, ratio, n=6):
    """Trials in which CS-G-FR leads CS-G-OMP by about a gap, and that leads the others."""
    noise = np.random.default_rng(0).normal(scale=1e-4, size=n)
    seconds = {name: {"order": 1.0} for name in ("CS-G-FR", "CS-G-OMP", "OMP by refits")}
    seconds["FR by refits"] = {"order": ratio}
    behind = dict.fromkeys(("Single", "No-Whiten", "G-OMP", "Sparse"), 0.3)
    trials = [{"CS-G-FR": 0.4 + gap + e, "CS-G-OMP": 0.4, **behind} for e in noise]
    return [{"timeliness": t, "training": t, "seconds": seconds} for t in trials]


def test_verdicts_follow_the_figures():
    def outcomes(**every):
        return [verdict.outcome for verdict in verdicts(every)]

    both = outcomes(a=records(0.01, 9.0), b=records(0.02, 12.0))
    assert both == ["confirmed"] * 6
    assert outcomes(a=records(-0.01, 2.0))[::5] == ["refuted", "refuted"]
    mixed = outcomes(a=records(-0.01, 2.0), b=records(0.01, 9.0))
    assert mixed[::5] == ["confirmed in part", "confirmed in part"]
    assert outcomes(a=records(0.01, 9.0, n=4)) == ["not decided"] * 6
    first = verdicts({"a": records(-0.01, 2.0), "b": records(0.01, 9.0)})[0]
    assert first.evidence.endswith("In training it is ahead in the mean on 1 of 2")


@pytest.mark.parametrize(("sizes", "columns", "groups"), [(ADULT, 123, 14), (BLOG, 280, 18)])
def test_groups_cover_all_columns(sizes, columns, groups):
    assert (sum(sizes.values()), len(sizes)) == (columns, groups)


@pytest.mark.skipif(not os.environ.get("SCRIMP_DATA"), reason="SCRIMP_DATA is not set")
def test_groups_of_real_data_are_where_they_are_said_to_be():
    mslr, blog, adult = map(grouped, ("mslr", "blogfeedback", "a9a"))
    assert mslr.n_groups == 36
    assert 0.0 < mslr.X.min() < mslr.X.max() <= 1.0
    within, first = grouped("mslr_query"), mslr.query == mslr.query[0]
    assert np.ptp(within.X[first][:, within.groups == "idf"], axis=0).max() == 0.0
    assert np.ptp(mslr.X[:, mslr.groups == "idf"], axis=0).max() > 0.5
    for k in range(10):  # mean, spread, lowest, highest, median
        mean, _, lowest, highest, median = blog.X[:, blog.groups == f"source{k}"].T
        assert ((lowest <= mean + 1e-3) & (mean <= highest + 1e-3)).all()
        assert ((lowest <= median) & (median <= highest)).all()
    for name in ADULT:  # one level of a variable at most
        assert adult.X[:, adult.groups == name].sum(axis=1).max() == 1.0
