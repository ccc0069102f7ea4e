"""Progressive validation: rows are answered before they are learnt from."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from scrimp import (
    Costs,
    SequencedRegressor,
    StreamingBoostingClassifier,
    StreamingBoostingRegressor,
    progressive_validation,
)
from scrimp.evaluation.progressive import measured
from scrimp.runtime.shared_history import answer_all

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2_000, 4))
Y = X[:, 0] + X[:, 1] ** 2 + 0.1 * RNG.normal(size=2_000)
COSTS = Costs.per_feature([1.0, 2.0, 3.0, 4.0])


def chunks(y, size=200):
    return [(X[i : i + size], y[i : i + size]) for i in range(0, len(y), size)]


def test_errors_are_those_of_answers_before_learning():
    curve = progressive_validation(StreamingBoostingRegressor(COSTS, 5.0), chunks(Y), budget=3.0)
    model, errors = StreamingBoostingRegressor(COSTS, 5.0), []
    for rows, y in chunks(Y):
        if errors or hasattr(model, "columns_"):
            errors.append(np.mean((model.predict(rows, 3.0) - y) ** 2))
        model.partial_fit(rows, y)
    np.testing.assert_array_equal(curve.errors, errors)
    np.testing.assert_array_equal(curve.n_rows, np.arange(200, 2_000, 200))
    assert curve.error == pytest.approx(np.mean(errors))
    assert (curve.spend <= 3.0).all()
    assert curve.running_errors[-1] == pytest.approx(curve.error)


def test_a_model_that_is_fitted_is_measured_from_the_first_chunk():
    model = StreamingBoostingClassifier(n_learners=3).fit(X[:500], Y[:500] > 0.5)
    curve = progressive_validation(model, chunks(Y > 0.5), classes=[False, True])
    assert len(curve.errors) == 10
    assert curve.measure == "share of wrong answers"


def test_other_learners_of_streams_take_part():
    curve = progressive_validation(SequencedRegressor(COSTS), chunks(Y))
    assert curve.error < Y.var()


def test_answers_and_spend_come_from_one_pass(monkeypatch):
    model = StreamingBoostingRegressor(COSTS, 5.0).fit(X, Y)
    expected = np.mean((model.predict(X, 3.0) - Y) ** 2), model.spend(X, 3.0).mean()
    passes = []

    def counted(*args):
        passes.append(args)
        return answer_all(*args)

    monkeypatch.setattr("scrimp.runtime.predictor.answer_all", counted)
    assert measured(model, X, Y, 3.0) == expected
    assert len(passes) == 1


def test_regret_is_against_learners_fitted_to_the_whole_stream():
    own = DecisionTreeRegressor(max_depth=2)
    curve = progressive_validation(
        StreamingBoostingRegressor(), chunks(Y), against={"stump": own, "flat": DummyRegressor()}
    )
    fitted = DecisionTreeRegressor(max_depth=2).fit(X, Y)
    losses = (fitted.predict(X) - Y) ** 2
    running = [np.mean(losses[200:stop]) for stop in range(400, 2_001, 200)]
    np.testing.assert_allclose(curve.average_regret["stump"], curve.running_errors - running)
    flat = np.mean((Y[200:] - Y.mean()) ** 2)
    assert curve.average_regret["flat"][-1] == pytest.approx(curve.error - flat)
    assert not hasattr(own, "tree_")


def test_regret_falls_along_a_stream():
    curve = progressive_validation(
        StreamingBoostingRegressor(), chunks(Y), against=("tree", "boosting")
    )
    for regret in curve.average_regret.values():
        assert 0.0 < regret[-1] < 0.6 * regret[0]
    assert curve.reference_errors["tree"].shape == curve.errors.shape


def test_regret_counts_weights_classes_and_rows_before_which_nothing_was_learnt():
    y = np.where(Y > 0.5, "high", "low")
    weights = np.where(X[:, 3] > 0, 5.0, 1.0)
    model = StreamingBoostingClassifier(n_learners=3).fit(X[:500], y[:500])
    rows = [(X[i : i + 200], y[i : i + 200], weights[i : i + 200]) for i in range(0, 2_000, 200)]
    rows[0] = rows[0][:2]
    weights[:200] = 1.0
    curve = progressive_validation(
        model, rows, against={"linear": LogisticRegression()}, classes=["high", "low"]
    )
    wrong = LogisticRegression().fit(X, y, weights).predict(X) != y
    expected = wrong.reshape(10, 200).mean(axis=1)
    np.testing.assert_array_equal(curve.reference_errors["linear"], expected)


def test_regret_of_dicts_whose_columns_come_late_and_hold_categories():
    kinds = np.array(list("abc"))[np.arange(2_000) % 3]
    y = X[:, 0] + 2.0 * (kinds == "b")
    rows = [
        {"n": float(x[0])} | ({"kind": str(kind)} if i >= 500 else {})
        for i, (x, kind) in enumerate(zip(X, kinds, strict=True))
    ]
    pairs = [(rows[i : i + 250], y[i : i + 250]) for i in range(0, 2_000, 250)]
    curve = progressive_validation(StreamingBoostingRegressor(), pairs, against="tree")
    assert curve.reference_errors["tree"][0] > 0.5  # nobody knows the category
    assert curve.reference_errors["tree"][1:].max() < 0.3


def test_references_must_be_known_and_of_the_right_kind():
    with pytest.raises(ValueError, match="against is 'forest'; expected one of 'tree', 'boosting'"):
        progressive_validation(StreamingBoostingRegressor(), chunks(Y), against="forest")
    with pytest.raises(ValueError, match="'linear' is a LogisticRegression; expected a regressor"):
        progressive_validation(
            StreamingBoostingRegressor(), chunks(Y), against={"linear": LogisticRegression()}
        )
    curve = progressive_validation(StreamingBoostingRegressor(), chunks(Y))
    assert curve.average_regret == {}
    with pytest.raises(ValueError, match=r"The curve has no reference learners\. Name them"):
        curve.plot_regret()


def test_one_chunk_leaves_nothing_to_measure():
    with pytest.raises(ValueError, match="one chunk only"):
        progressive_validation(StreamingBoostingRegressor(), [(X, Y)])


def test_it_is_drawn():
    import matplotlib as mpl

    mpl.use("Agg")
    curve = progressive_validation(StreamingBoostingRegressor(), chunks(Y), against="tree")
    ax = curve.plot(name="stream")
    assert ax.get_xlabel() == "Rows seen"
    assert len(ax.lines) == 2
    ax = curve.plot_regret()
    assert ax.get_ylabel() == "Average regret, mean squared error"
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), curve.average_regret["tree"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["against tree"]
