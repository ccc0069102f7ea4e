"""The cost meter on models of LightGBM, XGBoost and CatBoost, each where it is installed."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from scrimp import CostMeter
from tests.evaluation.metering import offered, paid_for, table, with_others
from tests.naive import tree_reads


@pytest.fixture
def lgb():
    return pytest.importorskip("lightgbm")


@pytest.fixture
def xgb():
    return pytest.importorskip("xgboost")


@pytest.fixture
def cat():
    return pytest.importorskip("catboost")


def classes(y):
    return np.digitize(y, np.quantile(y, [0.4, 0.75]))


def mixed_table(text=False):
    """A frame with missing values in numbers and in the categories of c2."""
    X, y = table(400, missing=0.1)
    codes = np.random.default_rng(1).integers(0, 9, len(X))
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    labels = np.char.add("v", codes.astype(str))
    frame["c2"] = labels.astype(object) if text else pd.Categorical(labels)
    if not text:
        frame.loc[frame.index % 9 == 0, "c2"] = None
    return frame, y + 2 * np.isin(codes, [1, 5, 6])


def as_numbers(frame):
    """Rows with the codes of the categories, NaN for missing ones."""
    numbers = frame.copy()
    numbers["c2"] = frame["c2"].cat.codes.where(frame["c2"].notna()).astype(float)
    return numbers.to_numpy(dtype=float)


def with_other_cells(frame, paid, seed):
    """The frame with what was not paid for taken from other rows."""
    rng = np.random.default_rng(seed)
    strange = frame.copy()
    for j, name in enumerate(frame.columns):
        others = frame[name].iloc[rng.permutation(len(frame))].reset_index(drop=True)
        strange[name] = frame[name].where(paid[:, j], others)
    return strange.astype(frame.dtypes.to_dict())


def check_frame(model, frame, answer, **options):
    """What is not paid for has no influence, and no row pays for more than the model does."""
    paid = paid_for(model, frame, **options)
    for seed in range(4):
        np.testing.assert_array_equal(answer(with_other_cells(frame, paid, seed)), answer(frame))
    assert not (paid & ~offered(model, frame.shape[1], **options)).any()
    return paid


def check_twin(paid, walks_of_rows):
    """Each row pays for the columns on its walks, neither more nor less."""
    for own, walks in zip(paid, walks_of_rows, strict=True):
        assert set(np.flatnonzero(own)) == tree_reads.reads_and_sum(walks)[0]


LIGHTGBM = [
    {},
    {"zero_as_missing": True},
    {"use_missing": False},
    {"linear_tree": True, "linear_lambda": 1.0},
    {"boosting_type": "dart"},
    {"boosting_type": "rf", "subsample": 0.6, "subsample_freq": 1},
    {"extra_trees": True, "num_leaves": 3},
]


@pytest.mark.parametrize("options", LIGHTGBM, ids=lambda own: "-".join(own) or "default")
def test_lightgbm_against_its_dump(lgb, options):
    frame, y = mixed_table()
    frame.iloc[::6, 0] = 0.0
    options = {"num_leaves": 4, "n_estimators": 6, "min_data_per_group": 5} | options
    model = lgb.LGBMRegressor(**options, cat_smooth=1.0, verbose=-1).fit(frame, y)
    paid = check_frame(model, frame, model.predict)
    rows = as_numbers(frame)
    walks = tree_reads.lightgbm_walks(model.booster_, rows[::9])
    check_twin(paid[::9], walks)
    assert len({tuple(own) for own in paid.tolist()}) > 1
    sums = [tree_reads.reads_and_sum(own)[1] for own in walks]
    scale = 6 if options.get("boosting_type") == "rf" else 1
    np.testing.assert_allclose(np.array(sums) / scale, model.predict(frame)[::9])


def test_lightgbm_charges_up_to_the_best_iteration(lgb):
    X, y = table(600)
    noise = np.random.default_rng(5).normal(size=600)
    train = lgb.Dataset(X[:300], y[:300])
    booster = lgb.train(
        {"objective": "l2", "num_leaves": 3, "learning_rate": 0.5, "verbose": -1}, train, 60,
        [lgb.Dataset(X[300:], (y + 3 * noise)[300:], reference=train)],
        keep_training_booster=True, callbacks=[lgb.early_stopping(3, verbose=False)],
    )  # fmt: skip
    best = booster.best_iteration
    assert 0 < best < booster.current_iteration()
    for asked, rounds in ((None, best), (1, 1), (best + 2, best + 2), (999, -1)):
        walks = tree_reads.lightgbm_walks(booster, X[:60], rounds)
        check_twin(paid_for(booster, X[:60], num_iteration=asked), walks)


def test_lightgbm_with_several_classes_spaces_in_names_and_tables_of_all_kinds(lgb):
    X, y = table(missing=0.1)
    frame = pd.DataFrame(X, columns=[f"c {j}" for j in range(8)])
    model = lgb.LGBMClassifier(n_estimators=3, num_leaves=3, verbose=-1).fit(frame, classes(y))
    meter = CostMeter({f"c {j}": 2.0**j for j in reversed(range(8))})
    spent = meter.spend(model, frame)
    check_twin(
        (spent.astype(int)[:, None] >> np.arange(8)) & 1 == 1,
        tree_reads.lightgbm_walks(model.booster_, X),
    )
    plain = lgb.LGBMClassifier(n_estimators=3, num_leaves=3, verbose=-1).fit(X, classes(y))
    positions = CostMeter(2.0 ** np.arange(8))
    for same in (X, csr_matrix(X), X.tolist(), frame):
        np.testing.assert_array_equal(positions.spend(plain, same), spent)


def test_lightgbm_without_a_split_reads_nothing(lgb):
    model = lgb.LGBMRegressor(n_estimators=3, verbose=-1).fit(np.zeros((30, 2)), np.ones(30))
    assert CostMeter([1.0, 2.0]).price(model) == 0.0
    np.testing.assert_array_equal(CostMeter([1.0, 2.0]).spend(model, np.ones((4, 2))), np.zeros(4))


XGBOOST = [
    {},
    {"booster": "dart"},
    {"num_parallel_tree": 2, "subsample": 0.5},
    {"max_cat_to_onehot": 1},
    {"gamma": 3.0, "max_depth": 3},
    {"tree_method": "approx", "grow_policy": "lossguide", "max_leaves": 4},
]


@pytest.mark.parametrize("options", XGBOOST, ids=lambda own: "-".join(own) or "default")
def test_xgboost_against_its_dump(xgb, options):
    frame, y = mixed_table()
    options = {"n_estimators": 4, "max_depth": 2, "random_state": 0} | options
    model = xgb.XGBRegressor(enable_categorical=True, **options).fit(frame, y)
    paid = check_frame(model, frame, model.predict)
    booster = model.get_booster()
    check_twin(paid[::9], tree_reads.xgboost_walks(booster, as_numbers(frame)[::9]))
    assert len({tuple(own) for own in paid.tolist()}) > 1
    np.testing.assert_array_equal(paid_for(booster, frame), paid)


def test_xgboost_charges_up_to_the_best_iteration(xgb):
    X, y = table(600)
    noise = np.random.default_rng(5).normal(size=600)
    model = xgb.XGBRegressor(n_estimators=60, max_depth=1, early_stopping_rounds=4)
    model.fit(X[:300], y[:300], eval_set=[(X[300:], (y + 3 * noise)[300:])], verbose=False)
    booster, best = model.get_booster(), model.best_iteration + 1
    there = booster.num_boosted_rounds()
    assert best < there
    cases = [(model, None, best), (model, 2, 2), (booster, None, there), (booster, best, best)]
    for own, asked, rounds in cases:
        paid = paid_for(own, X[:60], num_iteration=asked)
        check_twin(paid, tree_reads.xgboost_walks(booster, X[:60], rounds))
    # a Booster predicts with all its trees, the estimator with those up to the best
    table_ = xgb.DMatrix(X)
    np.testing.assert_array_equal(
        booster.predict(table_), booster.predict(table_, iteration_range=(0, there))
    )
    np.testing.assert_allclose(
        model.predict(X), booster.predict(table_, iteration_range=(0, best)), rtol=1e-6
    )


def test_xgboost_with_several_classes_outputs_or_no_trees(xgb):
    X, y = table(missing=0.1)
    several = xgb.XGBClassifier(n_estimators=3, max_depth=2).fit(X, classes(y))
    check_twin(
        paid_for(several, X),
        tree_reads.xgboost_walks(several.get_booster(), X),
    )
    outputs = xgb.XGBRegressor(n_estimators=2, max_depth=2, multi_strategy="multi_output_tree")
    outputs.fit(X, np.column_stack([y, y**2]))
    paid = paid_for(outputs, X)
    np.testing.assert_array_equal(outputs.predict(with_others(X, paid)), outputs.predict(X))
    linear = xgb.XGBRegressor(
        booster="gblinear", n_estimators=30, reg_alpha=0.3, updater="coord_descent"
    ).fit(np.nan_to_num(X), y)
    np.testing.assert_array_equal(offered(linear, 8), linear.coef_ != 0)
    assert 0 < (linear.coef_ != 0).sum() < 8
    with pytest.raises(ValueError, match="XGBRegressor has no rounds of boosting to cut off"):
        CostMeter(None).price(linear, num_iteration=2)


def stored(model, path):
    model.save_model(str(path), format="json")
    return json.loads(path.read_text())


@pytest.mark.parametrize("policy", ["SymmetricTree", "Depthwise", "Lossguide"])
def test_catboost_against_its_stored_trees(cat, policy, tmp_path):
    X, y = table(400, missing=0.1)
    model = cat.CatBoostRegressor(
        iterations=12, depth=3, grow_policy=policy, verbose=0, allow_writing_files=False,
        random_seed=1, min_data_in_leaf=20,
    ).fit(X, y)  # fmt: skip
    dump = stored(model, tmp_path / "model.json")
    scale, (bias,) = dump["scale_and_bias"]
    paid = paid_for(model, X, num_iteration=4)
    if policy == "SymmetricTree":
        np.testing.assert_array_equal(paid, np.tile(offered(model, 8, num_iteration=4), (400, 1)))
    for row, own, answer in zip(X[::7], paid[::7], model.predict(X)[::7], strict=True):
        walks = tree_reads.catboost_walks(dump, row)
        assert answer == pytest.approx(scale * tree_reads.reads_and_sum(walks)[1] + bias)
        assert set(np.flatnonzero(own)) == tree_reads.reads_and_sum(walks[:4])[0]
    other = with_others(X, paid)
    cut = {"ntree_end": 4}
    np.testing.assert_array_equal(model.predict(other, **cut), model.predict(X, **cut))


@pytest.mark.parametrize("policy", ["SymmetricTree", "Depthwise", "Lossguide"])
@pytest.mark.parametrize("one_hot", [2, 20])
def test_catboost_with_categories(cat, policy, one_hot):
    frame, y = mixed_table(text=True)
    frame["c6"] = frame["c2"].iloc[::-1].to_numpy()
    target = classes(y) > 0
    model = cat.CatBoostClassifier(
        iterations=8, depth=2, grow_policy=policy, cat_features=["c2", "c6"],
        one_hot_max_size=one_hot, max_ctr_complexity=2, verbose=0, allow_writing_files=False,
        min_data_in_leaf=30,
    ).fit(frame, target)  # fmt: skip
    paid = check_frame(model, frame, lambda X: model.predict(X, prediction_type="RawFormulaVal"))
    assert paid[:, 2].any()
    if policy != "SymmetricTree":
        assert len({tuple(own) for own in paid.tolist()}) > 1


def test_catboost_keeps_the_best_trees_only(cat):
    X, y = table(600)
    noise = np.random.default_rng(5).normal(size=600)
    model = cat.CatBoostRegressor(
        iterations=300, depth=2, verbose=0, allow_writing_files=False, grow_policy="Depthwise",
        learning_rate=0.5,
    ).fit(X[:300], y[:300], eval_set=(X[300:], (y + 3 * noise)[300:]))  # fmt: skip
    assert model.tree_count_ < 300
    paid = paid_for(model, X)
    np.testing.assert_array_equal(model.predict(with_others(X, paid)), model.predict(X))


def test_catboost_of_several_classes(cat):
    X, y = table(300)
    model = cat.CatBoostClassifier(
        iterations=4, depth=3, verbose=0, allow_writing_files=False, grow_policy="Lossguide"
    ).fit(X, classes(y))
    paid = paid_for(model, X)
    np.testing.assert_array_equal(model.predict_proba(with_others(X, paid)), model.predict_proba(X))
    assert 0 < paid.sum() < paid.size


def test_models_of_libraries_within_models_of_scikit_learn(lgb):
    X, y = table(300)
    booster = lgb.LGBMClassifier(n_estimators=3, num_leaves=3, verbose=-1)
    stump = DecisionTreeClassifier(max_depth=1)
    for model in (
        make_pipeline(StandardScaler(), booster),
        VotingClassifier([("a", booster), ("b", stump)], voting="soft"),
        CalibratedClassifierCV(booster, cv=2),
    ):  # fmt: skip
        model.fit(X, classes(y))
        paid = paid_for(model, X)
        other = with_others(X, paid)
        np.testing.assert_allclose(model.predict_proba(other), model.predict_proba(X))
        assert 0 < paid.sum() < paid.size


def test_models_of_libraries_that_are_not_fitted(lgb):
    with pytest.raises(NotFittedError, match="This LGBMClassifier is not fitted"):
        CostMeter(None).price(lgb.LGBMClassifier())


def test_xgboost_and_catboost_models_that_are_not_fitted(xgb, cat):
    for model in (xgb.XGBClassifier(), cat.CatBoostRegressor()):
        with pytest.raises(NotFittedError, match=f"This {type(model).__name__} is not"):
            CostMeter(None).price(model)


def test_things_of_libraries_that_are_no_models(lgb):
    with pytest.raises(TypeError, match=r"which columns a Dataset reads\. CostMeter reads fitted"):
        CostMeter(None).price(lgb.Dataset(np.ones((3, 2))))
