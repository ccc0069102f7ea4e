import numpy as np
import pytest
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    get_scorer,
    log_loss,
    make_scorer,
    mean_absolute_error,
)

from scrimp import Curve, Sweep, at_budget
from scrimp.data.target import Target
from scrimp.evaluation.scoring import find_scorer


class Known(ClassifierMixin, BaseEstimator):
    """Answers that scikit-learn's own scorers can be asked about."""

    def __init__(self, sweep, budget):
        self.sweep, self.budget = sweep, budget
        self.classes_ = sweep.target.classes

    def predict(self, X):
        return self.sweep.labels()[:, self.budget]

    def predict_proba(self, X):
        return self.sweep.probabilities()[:, self.budget]

    def decision_function(self, X):
        return self.sweep.target.decisions(self.sweep.scores)[:, self.budget]


class KnownValues(RegressorMixin, BaseEstimator):
    def __init__(self, sweep, budget):
        self.sweep, self.budget = sweep, budget

    def predict(self, X):
        return self.sweep.labels()[:, self.budget]


@pytest.fixture
def binary(make_sweep):
    random = np.random.default_rng(0)
    y = random.integers(2, size=80)
    scores = (random.normal(size=(80, 4)) + 2 * y[:, None] - 1).round(1)  # with ties
    return make_sweep(scores, range(4)), y


@pytest.fixture
def multiclass(make_sweep):
    random = np.random.default_rng(0)
    y = random.integers(3, size=90)
    scores = random.normal(size=(90, 4, 3)) + 2 * np.eye(3)[y][:, None, :]
    return make_sweep(scores, range(4), "multiclass", ("a", "b", "c")), np.array(["a", "b", "c"])[y]


@pytest.fixture
def regression(make_sweep):
    random = np.random.default_rng(0)
    y = random.normal(50, 2, size=70)
    scores = y[:, None] + random.normal(size=(70, 4)) * [4, 2, 1, 0.5]
    return make_sweep(scores, range(4), "regression"), y


def agrees(problem, scoring, known, **options):
    sweep, y = problem
    X = np.zeros((len(y), 1))
    curve = Curve.from_sweep(sweep, y, scoring=scoring, n_bootstrap=20, **options)
    scorer = get_scorer(scoring)
    expected = [scorer(known(sweep, b), X, y, **options) for b in range(4)]
    assert curve.quality == pytest.approx(expected)
    assert (curve.low <= curve.quality + 0.05).all()
    assert (curve.high >= curve.quality - 0.05).all()
    return curve


@pytest.mark.parametrize(
    "scoring",
    ["accuracy", "balanced_accuracy", "roc_auc", "average_precision", "f1", "neg_log_loss",
     "neg_brier_score", "matthews_corrcoef"],
)  # fmt: skip
def test_scorers_of_two_classes(binary, scoring):
    curve = agrees(binary, scoring, Known)
    best = 0.0 if scoring.startswith("neg_") else 1.0
    assert curve.error == pytest.approx(best - curve.quality)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "neg_log_loss"])
def test_scorers_with_weights(binary, scoring):
    weight = np.random.default_rng(5).random(80)
    agrees(binary, scoring, Known, sample_weight=weight)


@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro", "roc_auc_ovr", "neg_log_loss"])
def test_scorers_of_more_classes(multiclass, scoring):
    agrees(multiclass, scoring, Known)


@pytest.mark.parametrize(
    "scoring", ["r2", "explained_variance", "neg_mean_squared_error", "neg_max_error"]
)
def test_scorers_of_a_regression(regression, scoring):
    agrees(regression, scoring, KnownValues)


def test_r2_with_weights(regression):
    agrees(regression, "r2", KnownValues, sample_weight=np.random.default_rng(5).random(70))


def test_the_default_is_that_of_score(binary, regression):
    assert Curve.from_sweep(*binary).name == "accuracy"
    assert Curve.from_sweep(*regression).name == "r2"


@pytest.mark.parametrize("name", ["accuracy", "roc_auc"])
def test_sums_and_the_scorer_itself_give_the_same_intervals(binary, name):
    scorer = get_scorer(name)
    fast = Curve.from_sweep(*binary, scoring=name)
    slow = Curve.from_sweep(*binary, scoring=lambda model, X, y: scorer(model, X, y))
    assert fast.quality == pytest.approx(slow.quality)
    assert fast.low == pytest.approx(slow.low)
    assert fast.high == pytest.approx(slow.high)


def test_sums_and_the_scorer_itself_give_the_same_intervals_of_r2(regression):
    scorer = get_scorer("r2")
    fast = Curve.from_sweep(*regression)
    slow = Curve.from_sweep(*regression, scoring=lambda model, X, y: scorer(model, X, y))
    assert fast.low == pytest.approx(slow.low)
    assert fast.high == pytest.approx(slow.high)


def test_r2_of_a_constant_truth_is_that_of_scikit_learn(make_sweep):
    curve = Curve.from_sweep(make_sweep([[1.0], [2.0]], [1], "regression"), [3.0, 3.0])
    assert curve.quality[0] == 0.0


def test_a_callable_is_given_row_numbers(binary):
    sweep, y = binary
    dear = np.arange(80) < 40

    def accuracy_of_the_dear(model, X, y):
        return (model.predict(X) == y)[dear[X]].mean()

    curve = Curve.from_sweep(sweep, y, scoring=accuracy_of_the_dear)
    assert curve.name == "accuracy_of_the_dear"
    assert curve.quality == pytest.approx((sweep.labels() == y[:, None])[:40].mean(axis=0))


def test_a_scorer_made_of_a_loss_has_its_sign_and_name(regression, binary):
    made = make_scorer(mean_absolute_error, greater_is_better=False)
    curve = Curve.from_sweep(*regression, scoring=made)
    assert curve.name == "neg_mean_absolute_error"
    assert curve.error == pytest.approx(-curve.quality)
    made = make_scorer(log_loss, greater_is_better=False, response_method="predict_proba")
    same = Curve.from_sweep(*binary, scoring="neg_log_loss", n_bootstrap=0)
    assert Curve.from_sweep(*binary, scoring=made, n_bootstrap=0).quality == pytest.approx(
        same.quality
    )


def test_a_scorer_by_cost_of_errors(binary):
    def cost(y, predicted):
        (_, false_alarm), (missed, _) = confusion_matrix(y, predicted)
        return false_alarm + 5 * missed

    curve = Curve.from_sweep(*binary, scoring=make_scorer(cost, greater_is_better=False))
    assert (curve.error > 0).all()


def test_a_function_that_is_called_accuracy_is_called(binary):
    def accuracy(model, X, y):
        return 0.123

    assert Curve.from_sweep(*binary, scoring=accuracy).quality[0] == 0.123


def test_the_curve_is_the_models_score_at_the_budget(predictor, data):
    X, y = data
    curve = Curve.from_estimator(predictor, X, y, [0.0, 5.0, 10.0], scoring="neg_log_loss")
    for budget, quality in zip(curve.budgets, curve.quality, strict=True):
        assert quality == pytest.approx(-log_loss(y, at_budget(predictor, budget).predict_proba(X)))


def test_an_unknown_scorer_is_refused_with_a_suggestion(binary):
    with pytest.raises(ValueError, match=r"scoring is 'acuracy'.*Did you mean 'accuracy'"):
        Curve.from_sweep(*binary, scoring="acuracy")
    with pytest.raises(ValueError, match=r"get_scorer_names\(\) lists all"):
        Curve.from_sweep(*binary, scoring="zzzzz")


def test_a_metric_is_no_scorer(binary):
    with pytest.raises(ValueError, match=r"the metric accuracy_score.*make_scorer"):
        Curve.from_sweep(*binary, scoring=accuracy_score)


def test_several_scorers_are_refused(binary):
    with pytest.raises(TypeError, match="Make one Curve for each scorer"):
        Curve.from_sweep(*binary, scoring=["accuracy", "f1"])


def test_a_scorer_for_another_target_is_refused(regression):
    with pytest.raises(ValueError, match=r"'roc_auc' failed.*for a regression target"):
        Curve.from_sweep(*regression, scoring="roc_auc")


def test_a_scorer_that_is_undefined_on_all_rows_is_refused(make_sweep):
    with (
        pytest.warns(UserWarning, match="one class"),
        pytest.raises(ValueError, match="'roc_auc' is undefined on these 3 rows"),
    ):
        Curve.from_sweep(make_sweep([[1.0], [2.0], [3.0]], [1]), [1, 1, 1], scoring="roc_auc")


def test_a_scorer_without_weights_says_so(binary):
    def scorer(model, X, y):
        return 1.0

    with pytest.raises(ValueError, match="one that takes sample_weight"):
        Curve.from_sweep(*binary, scoring=scorer, sample_weight=np.ones(80))


LABELS = Target("binary", np.array(["sick", "well"]))


@pytest.mark.parametrize("name", ["f1", "precision", "recall", "jaccard", "average_precision"])
@pytest.mark.parametrize("positive", [None, "sick"])
def test_scorers_of_one_class_take_text(name, positive):
    y = np.array(["sick", "well", "well", "sick", "well"])
    scores = np.array([-1.0, 2.0, -0.5, 0.5, 1.0])[:, None, None]
    sweep = Sweep(np.array([1.0]), np.ones((5, 1)), scores, LABELS)
    curve = Curve.from_sweep(sweep, y, scoring=name, positive=positive, n_bootstrap=5)
    truth, said = y == (positive or "well"), scores[:, 0, 0] * (-1 if positive else 1)
    metric = getattr(metrics, f"{name}_score")
    want = metric(truth, said if name == "average_precision" else said > 0)
    assert curve.quality[0] == pytest.approx(want)


def test_a_class_named_1_stays_the_positive_one():
    y = np.array([1, 2, 2, 1, 2])
    target = Target("binary", np.array([1, 2]))
    sweep = Sweep(np.array([1.0]), np.ones((5, 1)), np.ones((5, 1, 1)), target)
    assert Curve.from_sweep(sweep, y, scoring="recall", n_bootstrap=0).quality[0] == 0.0
    curve = Curve.from_sweep(sweep, y, scoring="recall", positive=2, n_bootstrap=0)
    assert curve.quality[0] == 1.0


def test_a_positive_class_that_has_no_effect_is_refused():
    with pytest.raises(ValueError, match="counts no single class; leave it out, or score with f1"):
        find_scorer("accuracy", LABELS, positive="sick")
    with pytest.raises(ValueError, match="expected one of the classes"):
        find_scorer("f1", LABELS, positive="ill")
    with pytest.raises(ValueError, match="is 'a', but this is a multiclass; leave"):
        find_scorer("f1", Target("multiclass", np.array(["a", "b", "c"])), positive="a")
