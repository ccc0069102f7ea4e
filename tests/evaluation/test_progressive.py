"""Progressive validation: rows are answered before they are learnt from."""

import numpy as np
import pytest

from scrimp import (
    Costs,
    SequencedRegressor,
    StreamingBoostingClassifier,
    StreamingBoostingRegressor,
    progressive_validation,
)

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


def test_one_chunk_leaves_nothing_to_measure():
    with pytest.raises(ValueError, match="one chunk only"):
        progressive_validation(StreamingBoostingRegressor(), [(X, Y)])


def test_it_is_drawn():
    import matplotlib as mpl

    mpl.use("Agg")
    ax = progressive_validation(StreamingBoostingRegressor(), chunks(Y)).plot(name="stream")
    assert ax.get_xlabel() == "Rows seen"
    assert len(ax.lines) == 2
