"""CascadeClassifier: against its naive twin, within budgets, and with bad input."""

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from scrimp import BudgetedTreeClassifier, CascadeClassifier, Costs, load, save
from tests.naive import cascades as naive

PRICES = [1.0, 1.0, 4.0, 4.0, 2.0]


def table(n=900, seed=0):
    """The first columns settle easy rows; the hard ones need the third and the fourth."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = (2 * X[:, 0] + X[:, 1] + 1.5 * X[:, 2] * (np.abs(X[:, 0]) < 1) + X[:, 3] > 0).astype(int)
    return X, y


def stages(**options):
    return [
        (LogisticRegression(**options), [0, 1]),
        (DecisionTreeClassifier(max_depth=6, min_samples_leaf=5, random_state=0), [0, 1, 2, 3]),
    ]


@pytest.fixture(scope="module")
def fitted():
    X, y = table()
    model = CascadeClassifier(stages(), PRICES, average_budget=5.0, cv=0.4, random_state=0)
    return model.fit(X, y)


class TestAnswers:
    @pytest.mark.parametrize("budget", [0.0, 1.9, 2.0, 9.9, 10.0, 100.0])
    def test_are_those_of_the_twin(self, fitted, budget):
        X, _ = table(60, seed=1)
        parts = [(LogisticRegression(), [0, 1]), (stages()[1][0], [0, 1, 2, 3])]
        index = _trained_on(fitted)
        X_train, y_train = (part[index] for part in table())
        twins = [(model.fit(X_train[:, c], y_train), c) for model, c in parts]
        prior = np.bincount(y_train) / len(y_train)
        expected = [
            naive.follow_row(twins, PRICES, fitted.calibration_.thresholds, prior, row, budget)
            for row in X
        ]
        np.testing.assert_allclose(
            fitted.predict_proba(X, budget), [answer for answer, _ in expected], atol=1e-6
        )
        assert fitted.spend(X, budget).tolist() == [spent for _, spent in expected]

    def test_easy_rows_leave_early_and_an_average_is_kept(self, fitted):
        X, y = table(4000, seed=2)
        spent = fitted.spend(X)
        assert set(spent.tolist()) == {2.0, 10.0}
        assert 4.0 < spent.mean() < 5.4
        assert fitted.score(X, y) > fitted.score(X, y, budget=2.0) + 0.02
        assert fitted.calibration_.error <= fitted.calibration_.full_error + 0.03

    def test_an_allowed_increase_is_kept_on_new_rows(self):
        X, y = table(3000)
        model = CascadeClassifier(stages(), PRICES, max_increase=0.02, cv=0.4, random_state=0)
        model.fit(X, y)
        new, truth = table(8000, seed=3)
        early = model.predict(new) != truth
        full = model.predict(new, owned=np.ones(5, dtype=bool)) != truth
        assert (early & ~full).mean() <= 0.02
        assert model.spend(new).mean() < 0.9 * 10.0

    def test_sessions_and_files_answer_alike(self, fitted, tmp_path):
        X, _ = table(20, seed=1)
        save(fitted, tmp_path / "cascade.model")
        loaded = load(tmp_path / "cascade.model")
        np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
        for row, expected, spent in zip(X, fitted.predict(X), fitted.spend(X), strict=True):
            session = loaded.session()
            while (request := session.ask()) is not None:
                session.tell({name: row[int(name[1:])] for name in request.columns})
            assert (session.read().label, session.spent) == (expected, spent)

    def test_rows_that_own_a_stage_begin_there(self, fitted):
        X, _ = table(30, seed=1)
        owned = [f"x{column}" for column in range(4)]
        assert not fitted.spend(X, 0.0, owned=owned).any()
        dear = fitted.plan_.plan.entries[1].models.models[0].scores(X, np.arange(30))
        np.testing.assert_allclose(fitted.predict_proba(X, 0.0, owned=owned), dear)

    def test_a_failed_item_leaves_the_last_complete_stage(self, fitted):
        X, _ = table(30, seed=1)
        without = fitted.predict_proba(X, failed=["x3"])
        np.testing.assert_allclose(without, fitted.predict_proba(X, 2.0))
        prior = fitted.predict_proba(X, 0.0)
        np.testing.assert_allclose(fitted.predict_proba(X, failed=["x0"]), prior)

    def test_other_thresholds_are_chosen_on_other_rows(self, fitted):
        X, y = table(2000, seed=4)
        model = CascadeClassifier(stages(), PRICES, random_state=0).fit(*table())
        model.calibrate_thresholds(X, y, average_budget=3.0)
        assert model.calibration_.n_rows == 2000
        assert 2.5 < model.spend(table(3000, seed=5)[0]).mean() < 3.2


def _trained_on(model):
    """The rows that are not held out by the share of the fixture."""
    from scrimp.data.training_rows import seed_from
    from scrimp.meta.cascade.held_out import splits_for
    from scrimp.meta.cascade.training import CascadeProblem

    X, y = table()
    rows = type("Rows", (), {"y": y, "__len__": lambda self: len(y)})()
    problem = CascadeProblem(X, rows, None, model.target_, [], "auto", seed_from(0))
    return splits_for(problem, 0.4)[1]


class TestStages:
    def test_may_be_estimators_of_scrimp(self):
        X, y = table()
        model = CascadeClassifier(
            [BudgetedTreeClassifier(budget=2.0, max_depth=3), stages()[1]], PRICES,
            average_budget=6.0, cv=0.4, random_state=0,
        ).fit(X, y)  # fmt: skip
        spent = model.spend(X)
        assert spent.max() <= 10.0
        assert len(set(spent.tolist())) > 2  # the tree buys by the row
        assert (model.spend(X, 1.5) <= 1.5).all()

    def test_are_prefixes_of_an_order_by_default(self):
        X, y = table(400)
        model = CascadeClassifier(costs=PRICES, n_stages=2, random_state=0).fit(X, y)
        assert len(model.stages_) <= 2
        assert model.stage_prices_[-1] == 12.0

    def test_that_cost_nothing_more_are_always_reached(self):
        X, y = table()
        shared = [(DecisionTreeClassifier(max_depth=1), [0, 1, 2, 3]), stages()[1]]
        model = CascadeClassifier(shared, PRICES, random_state=0, max_increase=0.3).fit(X, y)
        assert model.calibration_.thresholds == (np.inf,)
        assert (model.spend(X) == 10.0).all()

    def test_are_named_by_columns_or_items(self):
        X, y = table(300)
        frame = pl.DataFrame(X, schema=list("abcde"))
        costs = Costs.per_group(["cheap", "cheap", "dear", "dear", "rest"], [1.0, 8.0, 2.0])
        by_item = [(LogisticRegression(), "cheap"), (LogisticRegression(), ["cheap", "dear"])]
        model = CascadeClassifier(by_item, costs, random_state=0, average_budget=8.0)
        assert model.fit(frame, y).stage_prices_.tolist() == [1.0, 9.0]

    def test_of_classes_and_categories(self):
        X, y = table(400)
        three = np.array(["no", "perhaps", "yes"])[y + (X[:, 4] > 0.5)]
        frame = pl.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "u", "v"), "c": X[:, 4]})
        parts = [
            (LogisticRegression(), ["b"]), (LogisticRegression(), ["a", "b"]),
            RandomForestClassifier(20, min_samples_leaf=5),
        ]  # fmt: skip
        model = CascadeClassifier(parts, [1.0, 1.0, 1.0], average_budget=2.5, random_state=0)
        model.fit(frame, three)
        assert model.predict_proba(frame).shape == (400, 3)
        assert model.score(frame, three) > 0.6


class TestGates:
    def test_a_learned_gate_keeps_the_average(self):
        X, y = table(1500)
        model = CascadeClassifier(
            stages(), PRICES, average_budget=5.0, gate="learned", imitate=True, cv=0.4,
            random_state=0,
        ).fit(X, y)  # fmt: skip
        new, truth = table(3000, seed=2)
        assert 3.5 < model.spend(new).mean() < 5.5
        assert model.score(new, truth) > model.score(new, truth, budget=2.0) + 0.02

    def test_gates_are_saved_as_arrays(self, tmp_path):
        X, y = table(300)
        gate = DecisionTreeClassifier(max_depth=2)
        model = CascadeClassifier(
            stages(), PRICES, average_budget=6.0, gate=gate, cv=0.4, random_state=0
        ).fit(X, y)
        save(model, tmp_path / "gates.model")
        loaded = load(tmp_path / "gates.model")
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(loaded.spend(X), model.spend(X))


class TestBadInput:
    def test_rows_without_any_value(self, fitted):
        X, y = table(300)
        X[::10] = np.nan
        model = CascadeClassifier(stages(), PRICES, average_budget=6.0, random_state=0).fit(X, y)
        empty = np.full((3, 5), np.nan)
        assert np.isfinite(model.predict_proba(empty)).all()
        assert (model.spend(empty) <= 10.0).all()

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ([(LogisticRegression(), ["x9"])], "Stage 1 .* reads 'x9', which the table lacks"),
            ([(LogisticRegression(), [])], "Stage 1 .* has no columns"),
            ([(LogisticRegression(), [7])], "reads 7, which the table lacks"),
            ([(LogisticRegression(), [0], 1)], "Stage 1 has 3 parts"),
            ([(BudgetedTreeClassifier(), [0])], "chooses what it buys"),
            ([], "estimators is empty"),
        ],
    )
    def test_stages_that_lack_columns(self, given, message):
        with pytest.raises(ValueError, match=message):
            CascadeClassifier(given, PRICES).fit(*table(60))

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"cv": 1}, "cv is 1"),
            ({"cv": 1.5}, "cv is 1.5"),
            ({"gate": "sure"}, "gate"),
            ({"imitate": True}, "imitate=True is for learned gates"),
            ({"n_stages": 0}, "n_stages is 0"),
            ({"average_budget": 1.0, "max_increase": 0.1}, "expected one of"),
            ({"average_budget": 1.0}, "nearest average that can be reached is 2"),
            ({"max_increase": 1e-4}, "rows cannot certify"),
        ],
    )
    def test_parameters_and_goals(self, options, message):
        with pytest.raises(ValueError, match=message):
            CascadeClassifier(stages(), PRICES, random_state=0).set_params(**options).fit(*table())

    def test_a_stage_that_is_no_classifier(self):
        with pytest.raises(TypeError, match="Stage 2 is a str; expected a classifier"):
            CascadeClassifier([LogisticRegression(), "forest"], PRICES).fit(*table(60))

    def test_a_stage_beyond_the_budget_is_left_out(self):
        with pytest.warns(UserWarning, match="would have paid 10, but the budget is 5"):
            model = CascadeClassifier(stages(), PRICES, budget=5.0).fit(*table(200))
        assert model.stage_prices_.tolist() == [2.0]

    def test_a_useless_stage_is_left_out(self):
        X, y = table(400)
        given = [(KNeighborsClassifier(1), [4]), *stages()]
        with pytest.warns(UserWarning, match=r"stage 1 \(KNeighborsClassifier\) has a Brier score"):
            model = CascadeClassifier(given, PRICES, random_state=0).fit(X, y)
        assert model.stages_ == ["stage 2 (LogisticRegression)", "stage 3 (DecisionTreeClassifier)"]

    def test_too_few_rows_for_a_goal(self):
        X, y = table(30)
        y[:] = 0
        y[0] = 1
        with pytest.raises(ValueError, match="too few rows of some class"):
            CascadeClassifier(stages(), PRICES, average_budget=5.0).fit(X, y)


def test_rows_without_any_value_are_answered_by_the_prior_and_others_by_what_they_know():
    """Trees send missing values that they never saw somewhere: that is no answer."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] + X[:, 2] > 0.8).astype(int)
    stages = [(DecisionTreeClassifier(max_depth=3), [0, 1]), (DecisionTreeClassifier(), [2, 3])]
    model = CascadeClassifier(stages, np.ones(4), average_budget=4.0, cv=3, random_state=0)
    model.fit(X, y)
    rows = X[:2].copy()
    rows[0] = np.nan
    rows[1, 2:] = np.nan
    answers = model.predict_proba(rows)
    np.testing.assert_allclose(answers[0], [1 - y.mean(), y.mean()])
    np.testing.assert_array_equal(answers[1], model.predict_proba(rows[1:], budget=2.0)[0])
