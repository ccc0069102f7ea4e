"""The tree plan does what a row does that walks down scikit-learn's tree and pays."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from scrimp import BudgetedTreeClassifier, Costs
from scrimp.learners.trees.pruning import cross_validated_alpha, leaf_alphas, scores_at
from scrimp.learners.trees.routed_tree import float64_cuts
from tests.naive.trees import naive_proba, naive_right, naive_walk

PriceBlind = partial(BudgetedTreeClassifier, rule="price-blind")

pytestmark = pytest.mark.filterwarnings(
    "ignore:The cheapest purchase", "ignore:The tree's first item"
)

#: x0 and x1 share a fee, x2 requires x0, x3 and x4 come together, x5 is free
GRAPH = Costs(
    ("fee", "a", "b", "c", "pair", "free"),
    (1.5, 0.3, 2.0, 0.7, 1.1, 0.0),
    ((), (0,), (1,), (2,), (3, 4), (5,)),
    ((), (0,), (0,), (1,), (), ()),
)


def make_problem(seed, n_classes, missing):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 6))
    X[:, 1] = np.round(X[:, 1])
    score = X @ rng.normal(size=6) + X[:, 0] * X[:, 3] + rng.normal(size=120)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, y, rng.uniform(0.2, 2.0, size=120)


def check_against_walks(model, X, table, costs, budget, counts=None):
    limit = np.inf if budget is None else budget
    walks = [naive_walk(model.tree_.tree_, row, costs, limit, counts) for row in table]
    labels = model.classes_[[int(np.argmax(frequencies)) for frequencies, _, _ in walks]]
    assert model.predict(X, budget).tolist() == labels.tolist()
    assert model.spend(X, budget).tolist() == [spent for _, _, spent in walks]
    expected = [naive_proba(frequencies, weight) for frequencies, weight, _ in walks]
    np.testing.assert_allclose(model.predict_proba(X, budget), expected, rtol=1e-9)


@pytest.mark.parametrize("prune", ["cv", None, 0.01])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_rows_walk_and_pay(seed, n_classes, missing, prune):
    X, y, weight = make_problem(seed, n_classes, missing)
    model = PriceBlind(GRAPH, prune=prune, random_state=seed)
    model.fit(X, y, sample_weight=weight)
    fresh, _, _ = make_problem(seed + 100, n_classes, True)
    for budget in (None, 0.0, 1.1, 1.8, 2.5, 3.5, 4.6, GRAPH.total):
        check_against_walks(model, fresh, fresh, GRAPH, budget)
    assert prune is not None or len(np.unique(model.spend(fresh))) > 1


@pytest.mark.parametrize("budget", [0.0, 1.1, 1.8, 2.9, 4.6])
def test_a_budget_of_training_cuts_what_it_cannot_pay(budget):
    X, y, weight = make_problem(1, 3, True)
    cut = PriceBlind(GRAPH, budget, prune=None, random_state=0).fit(X, y, weight)
    walks = [naive_walk(cut.tree_.tree_, row, GRAPH, budget) for row in X]
    assert cut.spend(X).tolist() == [spent for _, _, spent in walks]
    assert cut.predict(X).tolist() == [int(np.argmax(f)) for f, _, _ in walks]
    whole = PriceBlind(GRAPH, prune=None, random_state=0).fit(X, y, weight)
    assert len(cut.plan_.plan.stages) < len(whole.plan_.plan.stages)
    np.testing.assert_array_equal(cut.decision_function(X), whole.decision_function(X, budget))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_categories_walk_and_pay(seed, n_classes, missing):
    rng = np.random.default_rng(seed)
    n, counts = 150, [4, None, 3]

    def draw():
        table = np.column_stack(
            [rng.integers(0, 4, n), rng.normal(size=n), rng.integers(0, 3, n)]
        ).astype(float)
        if missing:
            table[rng.random(table.shape) < 0.15] = np.nan
        return table

    def frame_of(table):
        codes = {"c": table[:, 0], "d": table[:, 2]}
        texts = {
            name: [None if np.isnan(c) else "klmn"[int(c)] if c >= 0 else "new" for c in own]
            for name, own in codes.items()
        }
        return pl.DataFrame({"c": texts["c"], "x": table[:, 1], "d": texts["d"]})

    table = draw()
    score = 2.0 * (table[:, 0] == 2) + (table[:, 2] == 1) + np.nan_to_num(table[:, 1])
    y = np.digitize(score + rng.normal(size=n), np.linspace(0, 2, n_classes + 1)[1:-1])
    prices = {"c": 1.0, "x": 2.5, "d": 0.5}
    model = PriceBlind(prices, prune=None, random_state=0).fit(frame_of(table), y)
    fresh = draw()
    fresh[:5, 0] = -1.0  # a category that training did not have
    costs = model.plan_.costs
    for budget in (None, 0.0, 0.5, 1.0, 1.5, 2.5, 3.0):
        check_against_walks(model, frame_of(fresh), fresh, costs, budget, counts)


def test_missing_alone_can_be_a_test():
    x = np.array([[1.0], [2.0], [np.nan], [np.nan], [3.0]] * 4)
    y = np.isnan(x[:, 0]).astype(int)
    model = PriceBlind(prune=None).fit(x, y)
    assert model.predict([[-np.inf], [np.inf], [np.nan], [7.0]]).tolist() == [0, 0, 1, 0]
    frame = pl.DataFrame({"c": [None if label else "a" for label in y]})
    model = PriceBlind(prune=None).fit(frame, y)
    other = pl.DataFrame({"c": ["a", "b", None]})
    assert model.predict(other).tolist() == [0, 0, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1.0, 1e-44, 1e-3, 1e30])
def test_labels_are_those_of_scikit_learn_to_the_last_bit(dtype, scale):
    rng = np.random.default_rng(5)
    # float64 values so near to each other that float32 often cannot tell them apart
    base = (1.0 + rng.integers(-8, 8, size=(400, 2)) * 2.0**-25) * scale
    X = (base * rng.choice([-1.0, 1.0], size=base.shape)).astype(dtype)
    y = rng.integers(0, 3, size=400)
    model = PriceBlind(prune=None, random_state=0).fit(X, y)
    reference = DecisionTreeClassifier(random_state=0).fit(X, y)
    near = np.concatenate([X, np.nextafter(X, dtype(np.inf)), np.nextafter(X, dtype(-np.inf))])
    cuts = reference.tree_.threshold[reference.tree_.children_left >= 0].astype(dtype)
    near = np.concatenate([near, np.column_stack([cuts, cuts])])
    assert model.predict(near).tolist() == reference.predict(near).tolist()


def test_cuts_are_the_largest_numbers_that_scikit_learn_sends_left():
    rng = np.random.default_rng(0)
    singles = rng.integers(0, 2**32, 5000, dtype=np.uint32).view(np.float32)
    singles = singles[np.isfinite(singles) & (np.abs(singles) < 1e38)].astype(np.float64)
    after = np.nextafter(singles.astype(np.float32), np.float32(np.inf)).astype(np.float64)
    tiny = [0.0, -0.0, 1e-50, -1e-50, 1e-45, -1e-45]
    thresholds = np.concatenate([singles, singles / 2 + after / 2, singles * (1 + 1e-12), tiny])
    cuts = float64_cuts(thresholds)
    with np.errstate(over="ignore"):
        assert (cuts.astype(np.float32) <= thresholds).all()
        assert (np.nextafter(cuts, np.inf).astype(np.float32) > thresholds).all()
    assert float64_cuts(np.array([np.inf])).tolist() == [np.inf]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_pruning_agrees_with_brute_force(seed, n_classes, weighted):
    X, y, weight = make_problem(seed, n_classes, seed % 2 == 1)
    weight = weight if weighted else np.ones(len(y))
    tree = DecisionTreeClassifier(random_state=seed)
    folds = StratifiedKFold(4, shuffle=True, random_state=seed)
    path = tree.cost_complexity_pruning_path(X, y, weight).ccp_alphas
    alphas = np.append(np.sqrt(path[:-1] * path[1:]), path[-1])
    slow = naive_right(tree, alphas, X, y, weight, folds)
    fast = np.zeros(len(alphas))
    for learn, rest in folds.split(X, y):
        grown = DecisionTreeClassifier(random_state=seed).fit(X[learn], y[learn], weight[learn])
        fast += scores_at(alphas, grown, X[rest], y[rest], weight[rest])
    np.testing.assert_allclose(fast, slow, rtol=1e-9)
    best = alphas[np.flatnonzero(np.asarray(slow) >= max(slow) - 1e-9)[-1]]
    assert cross_validated_alpha(tree, X, y, weight, list(folds.split(X, y))) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(4))
def test_links_are_cut_where_scikit_learn_cuts_them(seed):
    X, y, weight = make_problem(seed, 3, False)
    tree = DecisionTreeClassifier(random_state=seed)
    path = tree.cost_complexity_pruning_path(X, y, weight).ccp_alphas
    own = leaf_alphas(tree.fit(X, y, weight).tree_)
    cut = np.unique(own[np.isfinite(own)])
    assert all(np.isclose(cut, alpha).any() for alpha in path[1:])
    assert all(np.isclose(path, alpha).any() for alpha in cut)
