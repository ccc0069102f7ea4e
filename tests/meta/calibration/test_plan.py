"""Calibrated plans: which map applies, and what is certain."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit

from scrimp import Costs, load, save
from scrimp.checks.driving import feed
from scrimp.data.target import Target
from scrimp.plans import CalibratedPlan
from scrimp.plans.components.calibrators import IsotonicCalibrators, PowerCalibrators
from scrimp.plans.priced_plan import PricedPlan
from scrimp.runtime.predictor import Predictor
from tests.contract.handmade import AGE, KINDS, NAMES, PULSE, additive, clinic, predictor, table
from tests.contract.strategies import problems, quick, rows_for

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")


def power(k, shift=1.0):
    """Three maps that move the line between labels, not all alike."""
    slope = np.linspace(0.3, 1.5, 3 * k).reshape(3, k) if k > 2 else np.array([[0.5] * 2] * 3)
    return PowerCalibrators(slope, shift * np.sin(np.arange(3.0 * k)).reshape(3, k))


def isotonic(k):
    odds, weights = np.array([-2.0, 0.0, 0.5, 2.0]), np.array([0.1, 0.3, 0.3, 0.8])
    return IsotonicCalibrators(
        [[(odds + 0.2 * c, weights**p) for c in range(k)] for p in (0.5, 1.0, 1.7)]
    )


def calibrated(kind, costs, maps=power, at=(0.0, 0.3, 0.8)):
    """A hand-written plan with maps at three fractions."""
    plain = predictor(kind, costs)
    k = len(plain.target.classes)
    prior = np.linspace(1.0, 2.0, k) / np.linspace(1.0, 2.0, k).sum()
    plan = CalibratedPlan(plain.plan.plan, plain.target, at, maps(k), prior)
    target = Target("shares", plain.target.classes)
    return Predictor(PricedPlan(plan, costs), plain.columns, target, {})


kinds = pytest.mark.parametrize("kind", sorted(KINDS))


@kinds
@quick
@given(problem=problems())
def test_it_buys_as_the_plan_within_and_a_batch_equals_sessions(kind, problem):
    costs, budgets = problem
    model, plain = calibrated(kind, costs), predictor(kind, costs)
    X = rows_for(plain)
    sweep = model.sweep(X, budgets)
    np.testing.assert_array_equal(sweep.spent, plain.sweep(X, budgets).spent)
    np.testing.assert_allclose(sweep.scores.sum(axis=2), 1.0)
    for key, row in enumerate(X):
        session = feed(model.session(budgets[-1], key=key), row, NAMES)
        assert session.spent == sweep.spent[key, -1]
        np.testing.assert_allclose(session.read().scores, sweep.scores[key, -1], atol=1e-9)


def by_hand(score, at, slope, shift, fraction):
    """Interpolated sigmoids, from their definition."""
    said = [expit(a * score + b) for a, b in zip(slope, shift, strict=True)]
    return np.interp(fraction, at, said)


def test_the_map_is_that_of_what_is_known():
    costs, at = clinic(), [0.1, 0.5, 1.0]
    inner = additive(costs, [AGE, PULSE])  # 0.5, then 1.0 for the ward
    slopes, shifts = [0.3, 1.0, 2.0], [0.5, -1.0, 0.2]
    maps = PowerCalibrators(np.array([slopes] * 2).T, np.array([[0.0] * 3, shifts]).T)
    plan = CalibratedPlan(inner, Target("binary", np.arange(2)), at, maps, [0.4, 0.6])
    model = Predictor(
        PricedPlan(plan, costs), predictor("additive", costs).columns,
        Target("shares", np.arange(2)), {},
    )  # fmt: skip
    plain = Predictor(PricedPlan(inner, costs), model.columns, Target("binary", np.arange(2)), {})
    X = table(5, missing=False)
    for budget, fraction in ((0.5, 1 / 3), (1.0, 1 / 3), (1.5, 1.0), (60.0, 1.0)):
        scores = plain.answer(X, budget)[0][:, 0]
        expected = [by_hand(score, at, slopes, shifts, fraction) for score in scores]
        np.testing.assert_allclose(model.predict_proba(X, budget)[:, 1], expected, rtol=1e-6)
    np.testing.assert_array_equal(model.predict_proba(X, 0.0), [[0.4, 0.6]] * 5)
    # what is owned is known, though nothing was paid
    owned = np.zeros(costs.n_items, dtype=bool)
    owned[costs.names.index("ward")] = True
    stump = plain.answer(X, 0.0, owned=owned)[0][:, 0]
    expected = [by_hand(score, at, slopes, shifts, 2 / 3) for score in stump]
    said = model.predict_proba(X, 0.0, owned=owned)[:, 1]
    np.testing.assert_allclose(said, expected, rtol=1e-6)


def test_a_free_item_that_no_row_gets_is_not_known():
    """The draw of the dearest is not affordable, so that nothing at all is drawn."""
    columns = ((5,), (0, 1, 2, 3, 4))
    costs = Costs(("free", "dear"), (0.0, 0.1), columns, ((), ()), tuple(NAMES))
    model = calibrated("sampled-stop", costs)
    X = rows_for(model)
    session = feed(model.session(0.0, key=0), X[0], NAMES)
    assert not session.bought
    np.testing.assert_allclose(session.read().scores, [1 / 3, 2 / 3])
    np.testing.assert_allclose(model.predict_proba(X, 0.0), [[1 / 3, 2 / 3]] * len(X))


class Interrupted(CalibratedPlan):
    """Is asked at other prices, as from another thread, whenever it looks at its notes."""

    other = None

    @property
    def _full(self):
        self._ask_at_other_prices(kept := self._kept)
        return kept

    @_full.setter
    def _full(self, full):
        self._kept = full
        self._ask_at_other_prices(full)

    def _ask_at_other_prices(self, full):
        if self.other is not None and (full is None or full.costs is not self.other):
            costs, self.other = self.other, None
            self._full_price(costs)
            self.other = costs


def test_models_at_two_prices_that_share_a_plan_do_not_mix_them_up():
    cheap = clinic()
    dear = replace(cheap, prices=tuple(3.0 * price for price in cheap.prices))
    inner, target = additive(cheap, [AGE, PULSE]), Target("binary", np.arange(2))
    plan = Interrupted(inner, target, [0.0, 0.3, 0.8], power(2), [0.4, 0.6])
    plan.other = dear
    for _ in range(3):  # made, and then from the notes
        assert plan._full_price(cheap).price == 1.5
        assert plan._full_price(dear).price == 4.5


@pytest.mark.parametrize("kind", ["additive", "additive-stop", "menu"])
@pytest.mark.parametrize("maps", [power, isotonic], ids=["power", "isotonic"])
@quick
@given(problem=problems())
def test_certain_keeps_calibrated_labels_though_maps_move_them(kind, maps, problem):
    costs, budgets = problem
    model = calibrated(kind, costs, maps)
    X = table(30)
    whole = model.sweep(X, [*budgets, np.inf])
    early = model.sweep(X, [*budgets, np.inf], stop="certain")
    np.testing.assert_array_equal(whole.labels(), early.labels())
    assert (early.spent <= whole.spent).all()
    for key, row in enumerate(X[:4]):
        session = feed(model.session(budgets[0], key=key, stop="certain"), row, NAMES)
        assert session.read().label == whole.labels()[key, 0]


def test_certain_saves_money_and_the_maps_in_fact_move_labels():
    model, plain = calibrated("additive", clinic()), predictor("additive", clinic())
    X = table(200)
    assert (model.predict(X) != plain.predict(X)).any()
    assert model.spend(X, stop="certain").sum() < model.spend(X).sum()


def test_a_plan_that_cannot_bound_itself_still_says_so():
    model = calibrated("routed", clinic())
    with pytest.raises(TypeError, match="A routed plan cannot bound what is still to come"):
        model.predict(table(3), stop="certain")


@kinds
@pytest.mark.parametrize("maps", [power, isotonic], ids=["power", "isotonic"])
def test_it_is_saved_and_loaded(kind, maps, tmp_path):
    model = calibrated(kind, clinic(), maps)
    save(model, tmp_path / "m.scrimp")
    same, X = load(tmp_path / "m.scrimp"), rows_for(model)
    for budget in (0.0, 0.5, 3.6, 60.0):
        np.testing.assert_array_equal(model.predict_proba(X, budget), same.predict_proba(X, budget))


@pytest.mark.parametrize(
    ("at", "prior", "text"),
    [
        ([0.1, 0.1, 0.5], [0.5, 0.5], "grid points must be ascending"),
        ([0.1, 0.5, 1.5], [0.5, 0.5], "grid points must be ascending fractions from 0 to 1"),
        ([0.1, 0.5], [0.5, 0.5], "maps must be one per grid point"),
        ([0.1, 0.5, 1.0], [0.0, 1.0], "prior must hold probabilities > 0"),
        ([0.1, 0.5, 1.0], [0.3, 0.3, 0.4], "a binary target cannot have 3 classes"),
    ],
)
def test_what_does_not_fit_is_refused(at, prior, text):
    inner, target = additive(clinic()), Target("binary", np.arange(2))
    with pytest.raises(ValueError, match=text):
        CalibratedPlan(inner, target, at, power(2), prior)
