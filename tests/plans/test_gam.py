"""Step functions and the weights of any set of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from scrimp.plans import StepFunctions, StumpTable, SubsetWeights
from scrimp.plans.components.step_readers import StepReader
from scrimp.plans.components.step_tables import StepTables, WeightedSum

RNG = np.random.default_rng(0)


def stumps(n=40, columns=3, outputs=2):
    high = RNG.integers(-3, 4, n) / 2.0
    low = np.where(RNG.random(n) < 0.5, -np.inf, high - 1.0)
    high = np.where(RNG.random(n) < 0.1, np.inf, high)
    votes = RNG.normal(size=(3, n, outputs))
    return StumpTable(RNG.integers(0, columns, n), low, high, *votes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_step_functions_are_the_sums_of_the_stumps_of_a_column(dtype):
    table = stumps()
    X = np.concatenate([RNG.integers(-4, 5, (60, 3)) / 2.0, RNG.normal(size=(60, 3))])
    X[RNG.random(X.shape) < 0.2] = np.nan
    X[0], X[1] = np.inf, -np.inf
    X = X.astype(dtype)
    functions = StepFunctions.from_stumps(table, 2.0)
    votes = table.votes_on(X, np.arange(len(X)))
    for at, column in enumerate(functions.column):
        expected = 2.0 * votes[table.column == column].sum(axis=0).T
        found = functions.on(X, np.arange(len(X)))[:, at]
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_sums_of_several_sets_are_those_of_each():
    functions = StepFunctions.from_stumps(stumps())
    X, rows = RNG.normal(size=(300, 3)), np.arange(300)[::2]
    X[RNG.random(X.shape) < 0.2] = np.nan
    weights = np.array([[1.0, 0.0, -2.0], [0.0, 0.0, 0.0], [0.5, 3.0, 1.0]])
    base = RNG.normal(size=(3, 2))
    sums = [WeightedSum(*part) for part in zip(base, [functions] * 3, weights, strict=True)]
    expected = base + np.einsum("ick,sc->isk", functions.on(X, rows), weights)
    np.testing.assert_allclose(StepTables.of(sums).read(X, rows), expected, atol=1e-12)
    for one in range(3):
        scores = np.tile(base[one], (len(rows), 1))
        functions.add(scores, X, rows, weights[one])
        np.testing.assert_array_equal(StepReader(sums[one])(X, rows), scores)


def test_ranges_hold_all_values():
    functions = StepFunctions.from_stumps(stumps())
    X = RNG.normal(size=(500, 3)) * 3
    X[::7] = np.nan
    lowest, highest = functions.ranges()
    values = functions.on(X, np.arange(500))
    assert (values >= lowest - 1e-12).all()
    assert (values <= highest + 1e-12).all()


@pytest.fixture
def quadratic():
    rng = np.random.default_rng(1)  # of its own: the same model whichever tests ran before
    factors = rng.normal(size=(2, 5, 40))
    hessian = factors @ factors.transpose(0, 2, 1)
    return hessian, rng.normal(size=(2, 5)) * 60


def weights_of(hessian, gradient, **options):
    options = {
        "penalty": 3.0, "total": 400.0, "full_share": 0.8, "shares": [0.0, 0.3, 0.9],
        "intercepts": [[-1.0], [-0.5], [-0.2]], "scales": [1.0, 1.5, 2.0],
    } | options  # fmt: skip
    return SubsetWeights(hessian, gradient, **options)


def naive_minimum(hessian, gradient, penalty, chosen):
    """The weights of a set, by an optimiser, from the formula alone."""

    def loss(w):
        common = penalty * w.sum() / (penalty * len(w) + SubsetWeights.common_penalty)
        spread = penalty * ((w - common) ** 2).sum() + SubsetWeights.common_penalty * common**2
        return 0.5 * w @ hessian[np.ix_(chosen, chosen)] @ w - gradient[chosen] @ w + 0.5 * spread

    return minimize(loss, np.zeros(len(chosen)), method="BFGS", options={"gtol": 1e-9}).x


@pytest.mark.parametrize("chosen", [[0], [1, 3], [0, 2, 3, 4], [0, 1, 2, 3, 4]])
@pytest.mark.parametrize("mixed", [0.0, 0.4, 1.0])
def test_weights_minimise_the_penalised_model(quadratic, chosen, mixed):
    hessian, gradient = quadratic
    model = weights_of(hessian, gradient)
    at_hand = np.isin(np.arange(5), chosen)
    found, explained, freedom = model.minimise(at_hand, mixed)
    H = (1 - mixed) * hessian[0] + mixed * hessian[1]
    g = (1 - mixed) * gradient[0] + mixed * gradient[1]
    np.testing.assert_allclose(found[chosen], naive_minimum(H, g, 3.0, chosen), rtol=1e-4)
    assert (found[~at_hand] == 0).all()
    assert explained == pytest.approx(g @ found)
    assert 0 < freedom < len(chosen) + 1e-9


def test_a_set_that_explains_no_more_than_chance_has_the_prior(quadratic):
    hessian, _ = quadratic
    noise = np.full((2, 5), 0.8 * np.sqrt(np.diagonal(hessian[0])).min())
    model = weights_of(hessian, noise)
    intercept, weights = model.of(np.array([True, False, False, False, False]))
    assert intercept.tolist() == [-1.0]
    assert not weights.any()
    assert not model.of(np.zeros(5, dtype=bool))[1].any()


def test_intercept_and_scale_follow_the_share_that_is_explained(quadratic):
    hessian, gradient = quadratic
    at_hand = np.array([True, True, False, True, False])
    explained = weights_of(hessian, gradient, total=1.0).explained_share(at_hand)
    assert explained > 0
    for share, expected in [(0.15, -0.75), (0.3, -0.5), (0.6, -0.35), (1.5, -0.2)]:
        model = weights_of(hessian, gradient, total=explained / share)
        assert model.explained_share(at_hand) == pytest.approx(share)
        assert model.of(at_hand)[0][0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shares": [0.1, 0.3, 0.9]}, "ascending from 0"),
        ({"shares": [0.0, 0.3, 0.3]}, "ascending from 0"),
        ({"scales": [1.0, 1.5]}, "one entry per share"),
        ({"total": 0.0}, "the total > 0"),
        ({"penalty": -1.0}, "must be >= 0"),
        ({"penalty": 1e200}, r"all <= 1e\+150"),
        ({"intercepts": [[np.nan]] * 3}, "finite"),
    ],
)
def test_what_does_not_fit_is_refused(quadratic, change, message):
    with pytest.raises(ValueError, match=message):
        weights_of(*quadratic, **change)


def test_functions_of_several_parts_are_joined_and_those_that_repeat_are_left_out():
    rng = np.random.default_rng(1)
    one, two = StepFunctions.from_stumps(stumps()), StepFunctions.from_stumps(stumps(columns=5))
    joined = StepFunctions.joined([one, two, one.taken(np.array([1]))])
    distinct = joined.distinct()
    assert len(distinct) == len(one) + len(two) == len(joined) - 1
    part = joined.taken(distinct)
    assert (np.diff(np.flatnonzero(part.column == one.column[0])) == 1).all()
    X, rows = rng.normal(size=(50, 5)), np.arange(50)
    X[::7] = np.nan
    values = np.concatenate([one.on(X, rows), two.on(X, rows)], axis=1)
    np.testing.assert_array_equal(part.on(X, rows), values[:, distinct])
