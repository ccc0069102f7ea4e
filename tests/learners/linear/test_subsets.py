"""Sequenced models answer from any set of columns: what failed is missing, what is owned counts."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.datasets import load_iris

from scrimp import (
    Costs,
    SequencedClassifier,
    SequencedPoissonRegressor,
    SequencedRegressor,
    load,
    save,
)
from scrimp.learners.linear import sequence
from scrimp.plans.components.subset_models import SubsetModels
from scrimp.plans.kinds import plan_from_parts, plan_to_parts
from scrimp.plans.prefix import PrefixPlan

from ...naive import subsets as naive


def data(n=300, d=8, outputs=1, seed=0):
    """Correlated columns with means, and responses."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    Y = X @ rng.normal(size=(d, outputs)) + 2.0 * rng.normal(size=(n, outputs)) + 1.0
    return X, Y


def random_sets(d, n=12, seed=0):
    """Random sets of columns."""
    rng = np.random.default_rng(seed)
    return [sorted(rng.choice(d, rng.integers(1, d), replace=False).tolist()) for _ in range(n)]


def mask(columns, d):
    """The mask of some columns."""
    return np.isin(np.arange(d), columns)


def follow(session, row, fails=()):
    """Tell a session the values of a row, or that items fail; return the answer."""
    while (request := session.ask()) is not None:
        if fails and set(request.items) & set(fails):
            session.fail()
        else:
            session.tell({name: float(row[int(name[1:])]) for name in request.columns})
    return session.read()


@pytest.mark.parametrize("alpha", [0.0, 1e-5, 0.3])
def test_any_set_has_its_ridge_regression(alpha):
    X, Y = data(outputs=2)
    model = SequencedRegressor(alpha=alpha).fit(X, Y)
    for columns in random_sets(8):
        base, w = naive.ridge(X, Y, columns, alpha)
        answers = model.predict(X, budget=0.0, owned=mask(columns, 8))
        np.testing.assert_allclose(answers, base + X[:, columns] @ w, rtol=1e-9, atol=1e-9)


def test_dependent_columns_of_a_set_do_no_harm():
    X, Y = data(d=3)
    X = np.column_stack([X, X[:, 0] + X[:, 1], X[:, 2], np.ones(len(X))])
    costs = Costs.per_group(["a", "b", "c", "d", "e", "e"], dict.fromkeys("abcde", 1.0))
    model = SequencedRegressor(costs, alpha=0.0)
    model.fit(X, Y)
    plan = model.plan_.plan
    for stages in [(0,), tuple(range(1, len(plan.stages)))]:
        columns = sorted(column for stage in stages for column in plan.reads[stage])
        base, w = naive.ridge(X, Y, columns, 0.0)
        answers = plan._subset_model(stages).scores(X, np.arange(len(X)))
        np.testing.assert_allclose(answers, base + X[:, columns] @ w, rtol=1e-7)


def logistic(X, Y, eta):
    p = expit(eta)
    return p - Y, (p * (1 - p))[:, :, None]


def multinomial(X, Y, eta):
    p = softmax(eta, axis=1)
    return p - Y, p[:, :, None] * np.eye(p.shape[1]) - p[:, :, None] * p[:, None]


def poisson(X, Y, eta):
    return np.exp(eta) - Y, np.exp(eta)[:, :, None]


def glms():
    """Models with their responses as arrays and the derivatives of their losses."""
    X, y = load_iris(return_X_y=True)
    counts = np.random.default_rng(0).poisson(np.exp(0.1 * X[:, 0] - 0.2 * X[:, 1]))
    yield SequencedClassifier(alpha=0.01), X, y == 1, (y == 1)[:, None] * 1.0, logistic
    yield SequencedClassifier(alpha=0.01), X, y, np.eye(3)[y], multinomial
    yield SequencedPoissonRegressor(alpha=0.01), X, counts, counts[:, None] * 1.0, poisson


@pytest.mark.parametrize("made_at", ["prior", "longest"])
@pytest.mark.parametrize("glm", list(glms()), ids=["logistic", "multinomial", "poisson"])
def test_any_set_has_the_minimum_of_the_quadratic_models(glm, made_at):
    estimator, X, y, Y, derivatives = glm
    plan = estimator.fit(X, y).plan_.plan
    rows, last = np.arange(len(X)), len(plan.stages)
    eta = plan.models.reader(last)(X, rows)
    subsets = SubsetModels(*plan.subsets._own().values())
    if made_at == "prior":
        eta, subsets = np.tile(plan.models.prior, (len(X), 1)), plan.subsets.at_prior
    fitted = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), eta, rcond=None)[0]
    error, curvature = derivatives(X, Y, eta)
    for columns in random_sets(4):
        part = naive.quadratic(X, error, curvature, fitted, columns, 0.01)
        expected = part[0] + X[:, columns] @ part[1:]
        stages = [s for s in range(last) if plan.reads[s][0] in columns]
        base, weights = subsets.solve(np.array(stages))
        scores = base + X[:, [plan.reads[s][0] for s in stages]] @ weights
        if scores.shape[1] > 1:  # a shift of all classes changes nothing
            scores, expected = (a - a.mean(axis=1, keepdims=True) for a in (scores, expected))
        np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6)


def test_the_objectives_are_mixed_by_the_share_that_a_set_explains():
    X, y = load_iris(return_X_y=True)
    subsets = SequencedClassifier(alpha=0.01).fit(X, y == 1).plan_.plan.subsets
    everything, some = np.arange(4), np.array([0, 2])
    longest = SubsetModels(*subsets._own().values())
    np.testing.assert_allclose(subsets.solve(everything)[1], longest.solve(everything)[1])
    share = subsets.at_prior.explained(some) / subsets.at_prior.explained(everything)
    assert 0 < share < 1
    matrix = share * longest.matrix + (1 - share) * subsets.at_prior.matrix
    response = share * longest.response + (1 - share) * subsets.at_prior.response
    expected = np.linalg.solve(matrix[np.ix_(some, some)], response[some])
    np.testing.assert_allclose(subsets.solve(some)[1], expected)


def test_a_set_has_the_model_of_its_longest_prefix_and_what_the_rest_adds():
    X, y = load_iris(return_X_y=True)
    plan = SequencedClassifier(alpha=0.01).fit(X, y).plan_.plan
    base, weights = plan.models.coefficients_of(2)
    objective = SubsetModels(*plan.subsets._near(np.array([0, 1, 3])))
    (more_base, more), (less_base, less) = (
        objective.solve(np.array(columns)) for columns in ([0, 1, 2], [0, 1])
    )
    model = plan._subset_model((0, 1, 3))
    np.testing.assert_allclose(model.base, base + more_base - less_base)
    np.testing.assert_allclose(model.weights[2], more[2])
    np.testing.assert_allclose(model.weights[:2], weights + more[:2] - less)


@pytest.mark.parametrize("kind", ["classes", "counts"])
def test_a_column_that_says_nothing_changes_no_answer_of_a_prefix(kind):
    """The objective of all sets is far from a prefix that nearly separates the classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 5))
    steep = 6.0 * (X[:, 0] > 1.0) * X[:, 0] - 4.0
    y = rng.random(2_000) < expit(steep)
    model = SequencedClassifier(Costs.per_feature([1.0, 9.0, 9.0, 9.0, 9.0]))
    if kind == "counts":
        y = rng.poisson(np.exp(0.5 * steep))
        model = SequencedPoissonRegressor(model.costs)
    model.fit(X, y)
    assert model.sequence_[0] == "x0"
    last = model.plan_.plan.reads[-1][0]
    plain = model.predictor_.answer(X, 1.0)[0]
    owned = model.predictor_.answer(X, 1.0, owned=mask([last], 5))[0]
    np.testing.assert_allclose(owned, plain, atol=0.2)


def test_groups_of_a_glm_are_penalised_as_in_training():
    X, y = load_iris(return_X_y=True)
    costs = Costs.per_group(["a", "b", "a", "b"], {"a": 1.0, "b": 1.0})
    plan = SequencedClassifier(costs, alpha=0.1).fit(X, y == 1).plan_.plan
    rows = np.arange(len(X))
    np.testing.assert_allclose(
        plan._subset_model((0, 1)).scores(X, rows), plan.models.reader(2)(X, rows), rtol=1e-6
    )


@pytest.mark.parametrize("estimator", [SequencedRegressor(), SequencedClassifier()])
def test_prefixes_keep_their_own_models(estimator):
    X, y = load_iris(return_X_y=True)
    model = estimator.fit(X, y)
    plan, rows = model.plan_.plan, np.arange(len(X))
    for length in range(1, len(plan.stages) + 1):
        scores = plan.models.reader(length)(X, rows)
        bought = model.predictor_.answer(X, float(length))[0]
        owned = mask([plan.reads[stage][0] for stage in range(length)], 4)
        np.testing.assert_array_equal(bought, scores)
        np.testing.assert_array_equal(model.predictor_.answer(X, 0.0, owned=owned)[0], scores)


def test_a_failure_is_passed_over_and_the_rest_is_bought():
    X, Y = data()
    costs = Costs.per_feature(np.arange(1.0, 9.0))
    model = SequencedRegressor(costs, alpha=1e-5).fit(X, Y[:, 0])
    failed = model.sequence_[1]
    session = model.session()
    answer = follow(session, X[0], [failed])
    assert set(session.bought) == set(model.sequence_) - {failed}
    assert session.spent == costs.total - costs.prices[costs.names.index(failed)]
    columns = sorted(int(name[1:]) for name in session.bought)
    base, w = naive.ridge(X, Y, columns, 1e-5)
    assert answer.label == pytest.approx((base + X[0, columns] @ w)[0])


@pytest.mark.parametrize("estimator", [SequencedRegressor(), SequencedClassifier()])
@pytest.mark.parametrize("seed", range(6))
def test_sessions_with_failures_equal_a_batch_that_owns_what_arrived(estimator, seed):
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(seed)
    estimator.set_params(costs=Costs.per_feature([3.0, 1.0, 2.0, 2.0]))
    model = estimator.fit(X, y)
    fails = [name for name in model.sequence_ if rng.random() < 0.4]
    budget = float(rng.integers(0, 9))
    session = model.session(budget)
    answer = follow(session, X[seed], fails)
    assert session.spent <= budget
    owned = mask([int(name[1:]) for name in session.bought], 4)
    scores, _ = model.predictor_.answer(X[[seed]], 0.0, owned=owned)
    np.testing.assert_allclose(answer.scores, scores[0])


def test_a_price_still_ends_the_purchases():
    X = np.random.default_rng(0).normal(size=(200, 3))
    model = SequencedRegressor([1.0, 5.0, 1.0]).fit(X, X @ [0.1, 9.0, 0.2])
    assert model.sequence_[0] == "x1"
    assert (model.spend(X, budget=4.0) == 0.0).all()
    session = model.session(4.0)
    assert session.ask() is None
    assert session.spent == 0.0


def test_an_owned_column_is_used_at_once():
    X, Y = data()
    model = SequencedRegressor(alpha=1e-5).fit(X, Y[:, 0])
    column = int(model.sequence_[3][1:])
    base, w = naive.ridge(X, Y, [column], 1e-5)
    expected = base + X[:, [column]] @ w
    owned = mask([column], 8)
    np.testing.assert_allclose(model.predict(X, budget=0.0, owned=owned), expected[:, 0])
    session = model.session(known={f"x{column}": float(X[0, column])})
    assert session.ask().items == (model.sequence_[0],)
    assert session.read().label == pytest.approx(expected[0, 0])


def test_a_sweep_of_rows_that_own_different_columns():
    X, Y = data(n=40)
    model = SequencedRegressor().fit(X, Y[:, 0])
    owned = np.random.default_rng(1).random(X.shape) < 0.3
    sweep = model.sweep(X, np.arange(9.0), owned=owned)
    for position, budget in enumerate(np.arange(9.0)):
        answers = model.predict(X, budget=budget, owned=owned)
        np.testing.assert_allclose(sweep.scores[:, position, 0], answers)
        assert (sweep.spent[:, position] <= budget).all()


def test_categories_may_fail():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.normal(size=200), "dose": rng.normal(size=200)}
        | {"colour": rng.choice(["blue", "green", "red"], 200)}
    )
    y = frame["age"] + 2.0 * (frame["colour"] == "red") + 0.5 * frame["dose"]
    model = SequencedRegressor(alpha=0.0).fit(frame, y)
    session = model.session()
    while (request := session.ask()) is not None:
        if "age" in request.items:
            session.fail()
        else:
            session.tell({name: frame[name][0] for name in request.columns})
    indicators = np.column_stack(
        [frame["dose"], *(frame["colour"] == c for c in ("blue", "green", "red"))]
    ).astype(float)
    best = indicators @ np.linalg.lstsq(indicators, y, rcond=None)[0]
    assert session.read().label == pytest.approx(best[0])


def test_missing_values_are_filled_in_any_set():
    X, Y = data()
    model = SequencedRegressor(missing="mean").fit(X, Y[:, 0])
    holes = X.copy()
    holes[0, 5] = np.nan
    filled = holes.copy()
    filled[0, 5] = X[:, 5].mean()
    answers = [model.predict(rows, budget=0.0, owned=mask([2, 5], 8)) for rows in (holes, filled)]
    np.testing.assert_allclose(*answers)


@pytest.mark.parametrize("estimator", [SequencedRegressor(), SequencedClassifier()])
def test_files_keep_the_models_of_all_sets(estimator, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = estimator.fit(X, y)
    save(model, tmp_path / "model.scrimp")
    again = load(tmp_path / "model.scrimp")
    for columns in random_sets(4):
        owned = mask(columns, 4)
        np.testing.assert_array_equal(
            again.answer(X, 1.0, owned=owned)[0], model.predictor_.answer(X, 1.0, owned=owned)[0]
        )


def test_a_plan_of_a_file_without_them_ends_at_a_failure():
    X, Y = data()
    model = SequencedRegressor().fit(X, Y[:, 0])
    header, arrays = plan_to_parts(model.plan_.plan)
    kept = {name: array for name, array in arrays.items() if not name.startswith("subset_")}
    old = plan_from_parts(header["kind"], header["header"], kept)
    assert isinstance(old, PrefixPlan)
    assert old.subsets is None
    model.plan_ = type(model.plan_)(old, model.plan_.costs)
    session = model.session()
    follow(session, X[0], [model.sequence_[1]])
    assert session.bought == (model.sequence_[0],)


def test_too_many_coefficients_are_not_kept(monkeypatch):
    X, Y = data()
    monkeypatch.setattr(sequence, "MAX_COEFFICIENTS", 7)
    assert SequencedRegressor().fit(X, Y[:, 0]).plan_.plan.subsets is None


def test_a_tenth_of_failures_leaves_most_of_the_variance_explained():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 20)) + rng.normal(size=(400, 1))
    y = X @ rng.uniform(0.5, 1.5, 20) + rng.normal(size=400)
    model = SequencedRegressor().fit(X[::2], y[::2])
    tests, answers = X[1::2], []
    for row in tests:
        fails = [name for name in model.sequence_ if rng.random() < 0.1]
        answers.append(follow(model.session(), row, fails).label)
    explained = 1.0 - np.var(y[1::2] - answers) / np.var(y[1::2])
    assert explained > 0.9 * model.score(tests, y[1::2])


def test_parts_that_do_not_fit_are_refused():
    one, two = np.eye(1), np.eye(2)
    with pytest.raises(ValueError, match="matrix must be"):
        SubsetModels(one, two[:, :1], two[:, :1], [0.0])
    with pytest.raises(ValueError, match="response must be"):
        SubsetModels(two, two, two[:, :1], [0.0])
    with pytest.raises(ValueError, match="must be finite"):
        SubsetModels(two * np.nan, two[:, :1], two[:, :1], [0.0])
    with pytest.raises(ValueError, match="positive semidefinite"):
        SubsetModels(-two, two[:, :1], two[:, :1], [0.0])
    plan = SequencedRegressor().fit(*data()).plan_.plan
    with pytest.raises(ValueError, match="differ in their columns"):
        PrefixPlan(plan.stages, plan.models, SubsetModels(two, two[:, :1], two[:, :1], [0.0]))
