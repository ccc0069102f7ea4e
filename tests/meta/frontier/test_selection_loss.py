"""What a frontier selects by: losses per row, and jackknifed scorers."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.metrics import log_loss, make_scorer, roc_auc_score

from scrimp import FrontierClassifier, FrontierRegressor
from scrimp.data.target import Target
from scrimp.evaluation import error_cost_scorer, ndcg_scorer
from scrimp.meta.frontier.selection_loss import N_GROUPS, default_loss, selection_loss
from scrimp.meta.frontier.training_target import TrainingTarget

from .tables import COSTS, response, table

CLASSES = np.array(["a", "b"])
COST_MATRIX = np.array([[0.0, 1.0], [7.0, 0.0]])


def problem(n=400, seed=0):
    """Rows with calibrated probabilities at two budgets, the first without information."""
    random = np.random.default_rng(seed)
    p = random.uniform(0.02, 0.98, n)
    y = (random.random(n) < p).astype(float)
    rows = TrainingTarget(y, np.ones(n), 2)
    second = np.stack([np.full(n, y.mean()), p])
    predictions = np.stack([1.0 - second, second], axis=-1)
    return rows, predictions, np.arange(n)


def target(error_costs=None):
    return Target("shares", CLASSES, 1.0, error_costs)


def test_the_default_is_the_brier_score():
    rows, predictions, numbers = problem()
    assert selection_loss(None, target()) is default_loss
    by_name = selection_loss("neg_brier_score", target())(rows, predictions, numbers)
    np.testing.assert_allclose(by_name, default_loss(rows, predictions, numbers))


def test_mistakes_log_losses_and_costs_of_rows():
    rows, predictions, numbers = problem()
    y, tempered = rows.y.astype(int), rows.tempered(predictions)
    found = selection_loss("accuracy", target())(rows, predictions, numbers)
    np.testing.assert_array_equal(found, predictions.argmax(axis=2) != y)
    found = selection_loss("neg_log_loss", target())(rows, predictions, numbers)
    assert found[1].mean() == pytest.approx(log_loss(y, tempered[1]))
    found = selection_loss("neg_error_cost", target(COST_MATRIX))(rows, predictions, numbers)
    decided = (tempered @ COST_MATRIX).argmin(axis=2)
    np.testing.assert_array_equal(found, COST_MATRIX[y, decided])


def test_weights_count():
    rows, predictions, numbers = problem()
    weights = np.linspace(0.5, 1.5, len(rows.y))
    weighted = TrainingTarget(rows.y, weights, 2)
    loss = selection_loss("accuracy", target())
    expected = loss(rows, predictions, numbers) * weights
    np.testing.assert_allclose(loss(weighted, predictions, numbers), expected)


def test_pseudo_values_have_the_mean_and_error_of_the_scorer():
    rows, predictions, numbers = problem()
    values = selection_loss("roc_auc", target())(rows, predictions, numbers)
    assert values.shape == (2, N_GROUPS)
    auc = roc_auc_score(rows.y, predictions[1, :, 1])
    assert values[0].mean() == pytest.approx(-0.5)
    assert values[1].mean() == pytest.approx(-auc, abs=0.002)
    aucs = []
    for seed in range(200):
        rows, predictions, _ = problem(seed=seed)
        aucs.append(roc_auc_score(rows.y, predictions[1, :, 1]))
    assert values[1].std() / np.sqrt(N_GROUPS) == pytest.approx(np.std(aucs), rel=0.5)


def test_a_mean_over_rows_is_itself_when_jackknifed():
    rows, predictions, numbers = problem()
    by_row = selection_loss("neg_error_cost", target(COST_MATRIX))(rows, predictions, numbers)
    scorer = error_cost_scorer(COST_MATRIX)
    grouped = selection_loss(scorer, target(COST_MATRIX))(rows, predictions, numbers)
    np.testing.assert_allclose(grouped.mean(axis=1), by_row.mean(axis=1))


def test_a_callable_gets_the_numbers_of_the_rows():
    seen = []

    def scorer(estimator, X, y):
        seen.append(X)
        assert list(estimator.classes_) == ["a", "b"]
        assert len(estimator.predict(X)) == len(y)
        return 0.0

    rows, predictions, _ = problem(20)
    selection_loss(scorer, target())(rows, predictions, np.arange(100, 120))
    assert set(seen[0]) == set(range(100, 120))


@pytest.mark.parametrize(
    ("scoring", "error", "text"),
    [
        ("acuracy", ValueError, "scoring is 'acuracy'; expected the name of a scorer"),
        (3, TypeError, "scoring is a int; expected the name"),
        (log_loss, ValueError, "scoring is the metric log_loss, which knows no estimator"),
        ("neg_error_cost", ValueError, "but there is no error_cost. Give one"),
    ],
)
def test_refuses(scoring, error, text):
    with pytest.raises(error, match=text):
        selection_loss(scoring, target())


def test_a_scorer_that_fails_is_named():
    rows, predictions, numbers = problem(40)
    with pytest.raises(ValueError, match="scoring failed on a fold: "):
        selection_loss("neg_mean_poisson_deviance", target())(rows, predictions, numbers)
    with pytest.raises(ValueError, match="scoring is nan on a fold of 40 rows"):
        selection_loss(lambda *_: float("nan"), target())(rows, predictions, numbers)


SCORERS = ["accuracy", "neg_log_loss", "neg_error_cost", "roc_auc", make_scorer(roc_auc_score)]


@pytest.mark.parametrize("scoring", SCORERS, ids=str)
def test_a_frontier_of_classes(scoring):
    X, signal = table(150)
    options = {"candidates": ["linear"], "cv": 2, "error_cost": {0: 1, 1: 5}}
    model = FrontierClassifier(COSTS, [3.5, 10.5], scoring=scoring, **options)
    model.fit(X, response(signal, 2))
    assert model.chosen_
    assert "brier" not in model.predictor_.info["chosen"][0]
    assert model.predictor_.info["prior"]["selection_loss"] == model.prior_.selection_loss


@pytest.mark.parametrize(
    "scoring", ["r2", "neg_mean_absolute_error", "explained_variance", ndcg_scorer([0, 1] * 75)],
    ids=["r2", "mae", "explained_variance", "ndcg"],
)  # fmt: skip
def test_a_frontier_of_numbers(scoring):
    X, signal = table(150)
    options = {"candidates": ["linear"], "cv": 2}
    model = FrontierRegressor(COSTS, [3.5, 10.5], scoring=scoring, **options).fit(X, signal)
    assert model.chosen_


def test_the_scorer_decides_which_candidate_wins():
    """One candidate ranks, but its probabilities say nothing; the other is modest and honest."""
    rows, predictions, numbers = problem()
    p = predictions[1, :, 1]
    ranks = np.stack([1 - (0.4999 + 1e-4 * p), 0.4999 + 1e-4 * p], axis=1)[None]
    coarse = np.where(p > 0.5, 0.75, 0.25)
    honest = np.stack([1 - coarse, coarse], axis=1)[None]

    def better(scoring):
        loss = selection_loss(scoring, target())
        first, second = (loss(rows, each, numbers).mean() for each in (ranks, honest))
        return "ranks" if first < second else "honest"

    assert better("roc_auc") == "ranks"
    assert better("neg_log_loss") == better(None) == "honest"


@pytest.mark.parametrize("scoring", ["f1", "precision", "recall", "jaccard", "average_precision"])
@pytest.mark.parametrize("positive", [None, "a"])
def test_scorers_of_one_class_take_text(scoring, positive):
    rows, predictions, numbers = problem()
    values = selection_loss(scoring, target(), positive)(rows, predictions[1:], numbers)
    metric = getattr(metrics, f"{scoring}_score")
    place = 0 if positive == "a" else 1
    said = predictions[1, :, place]
    want = metric(rows.y == place, said if scoring == "average_precision" else said > 0.5)
    assert values.mean() == pytest.approx(-want, abs=0.01)


def test_a_positive_class_that_has_no_effect_is_refused():
    for scoring in (None, "accuracy", "roc_auc"):
        with pytest.raises(ValueError, match="counts no single class; leave it out"):
            selection_loss(scoring, target(), "a")
    with pytest.raises(ValueError, match="positive is 'c'; expected one of the classes"):
        selection_loss("f1", target(), "c")
    with pytest.raises(ValueError, match="positive is 'a', but this is a multiclass"):
        selection_loss("f1", Target("shares", np.array(["a", "b", "c"])), "a")


def test_a_frontier_counts_its_positive_class():
    X, signal = table(150)
    y = np.array(["sick", "well"])[response(signal, 2)]
    options = {"candidates": ["linear"], "cv": 2, "budgets": [10.5]}
    last = FrontierClassifier(COSTS, scoring="recall", **options).fit(X, y)
    first = FrontierClassifier(COSTS, scoring="recall", positive="sick", **options).fit(X, y)
    # of the prior, which predicts one class for all
    assert {last.prior_.selection_loss, first.prior_.selection_loss} == {0.0, -1.0}
