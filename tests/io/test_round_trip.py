import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from scrimp import BudgetedBoostingClassifier, at_budget, load, save
from scrimp.data.columns import Columns
from scrimp.data.target import Target
from scrimp.datasets import load_heart
from scrimp.io import _bytes_of
from scrimp.plans import AdditivePlan, MenuPlan
from tests.contract.handmade import KINDS, prefix, stages, stumps, wrap

from . import models


def again(model, tmp_path):
    save(model, tmp_path / "m.scrimp")
    return load(tmp_path / "m.scrimp")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_answers_and_pays_as_before(kind, tmp_path):
    model = models.predictor(kind)
    same = again(model, tmp_path)
    X = models.table()
    before, after = (m.sweep(X, models.BUDGETS) for m in (model, same))
    np.testing.assert_array_equal(before.scores, after.scores)
    np.testing.assert_array_equal(before.spent, after.spent)
    np.testing.assert_array_equal(before.labels(), after.labels())
    assert same.plan.summary() == model.plan.summary()
    assert (same.costs, same.columns, same.info) == (model.costs, model.columns, model.info)
    assert same.target.scale == model.target.scale


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_the_same_each_time(kind, tmp_path):
    model = models.predictor(kind)
    assert _bytes_of(model) == _bytes_of(model) == _bytes_of(again(model, tmp_path))


def test_a_fitted_estimator_comes_back_as_its_predictor(tmp_path):
    heart = load_heart()
    model = BudgetedBoostingClassifier(heart.costs, n_rounds=20).fit(heart.X, heart.y)
    same = again(model, tmp_path)
    before, after = (m.sweep(heart.X, [0, 1, 7.27, 200]) for m in (model, same))
    np.testing.assert_array_equal(before.scores, after.scores)
    np.testing.assert_array_equal(before.spent, after.spent)
    assert same.info["learner"] == "BudgetedBoostingClassifier"
    assert same.info["params"]["n_rounds"] == 20
    assert same.info["params"]["costs"] == "<Costs>"


@pytest.mark.parametrize(
    "classes",
    [
        np.array([-5, 2**62]),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([1, 2], dtype=np.int8),
        np.array([1, 2], dtype=np.uint32),
        np.array([False, True]),
        np.array([0.1, 1 / 3]),
        np.array([0.5, 1.0], dtype=np.float16),
        np.array(["", "größer 🙂"]),
        np.array(["no", "yes"], dtype="U40"),
        np.array(["no", "yes"], dtype=object),
        np.array([1, 2], dtype=object),
        np.array([False, True], dtype=object),
    ],
    ids=lambda classes: f"{classes.dtype}-{classes[1]}",
)
def test_labels_keep_their_type_to_the_bit(classes, tmp_path):
    same = again(models.predictor("prefix", classes), tmp_path)
    assert same.classes_.dtype == classes.dtype
    assert same.classes_.tolist() == classes.tolist()
    assert [type(c) for c in same.classes_.tolist()] == [type(c) for c in classes.tolist()]
    assert set(same.predict(models.table())) <= set(classes.tolist())


@pytest.mark.parametrize(
    "classes",
    [
        np.array([b"no", b"yes"]),
        np.array([1j, 2j]),
        np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"),
        np.array([1, "yes"], dtype=object),
        np.array([1, 2.5], dtype=object),
        np.array([(1,), ()], dtype=object),
        np.array(["a\0", "b"], dtype=object),
        np.array([-1, 2**64], dtype=object),
        np.array([1, 2], dtype=np.longdouble),
    ],
)
def test_other_labels_are_refused_before_anything_is_written(classes, tmp_path):
    with pytest.raises(ValueError, match="cannot be saved: class labels are"):
        save(models.predictor("prefix", classes), tmp_path / "m.scrimp")
    assert list(tmp_path.iterdir()) == []


def test_categories_come_back_as_text_and_numbers(tmp_path):
    categories = (None, ("no", "yes", "1"), (1.0, 2.5, math.inf, -math.inf), (), None, None)
    model = models.predictor("additive", categories=categories)
    same = again(model, tmp_path)
    assert same.columns == model.columns
    assert [type(c) for own in same.columns.categories[1:3] for c in own] == [str] * 3 + [float] * 4
    X = pd.DataFrame({"age": [0.1, 2], "pulse": ["yes", "?"], "chol": [2.5, None]})
    X = X.assign(sugar=[1, 2], ecg=0.0, scan=1.0).astype({"chol": "category", "sugar": "category"})
    np.testing.assert_array_equal(same.sweep(X, [100]).scores, model.sweep(X, [100]).scores)


def test_a_regression_and_columns_without_names(tmp_path):
    model = models.predictor("prefix")
    model = replace(
        model, target=Target("regression", np.array([])), columns=Columns(None, models.PLAIN)
    )
    same = again(model, tmp_path)
    X = models.table()
    np.testing.assert_array_equal(same.predict(X, 4.0), model.predict(X, 4.0))
    assert same.columns.names is None


def test_arrays_that_do_not_lie_in_one_piece_are_kept(tmp_path):
    model = models.predictor("blocks")
    block = model.plan.plan.blocks[1]
    carry = np.asfortranarray(block.carry)
    object.__setattr__(block, "carry", carry)
    assert not carry.flags.c_contiguous
    np.testing.assert_array_equal(again(model, tmp_path).plan.plan.blocks[1].carry, carry)


def test_information_is_kept_as_far_as_json_can(tmp_path):
    loop: list = []
    loop.append(loop)
    info = {"params": {"budget": math.inf, "seed": 2**200, "rest": [np.zeros(2), None, True]}}
    same = again(replace(models.predictor(), info={**info, "loop": loop, 3: 1.5}), tmp_path)
    params = {"budget": "inf", "seed": hex(2**200), "rest": ["<ndarray>", None, True]}
    assert same.info["params"] == params
    assert same.info["3"] == 1.5
    assert "<list>" in json.dumps(same.info["loop"])


def test_a_plan_of_another_class_is_refused(tmp_path):
    class Mine(AdditivePlan):
        def read(self, state):
            return super().read(state) + 1.0

    own = Mine(stages(models.COSTS, (0,)), stumps([0]), [0.1])
    for plan in (own, MenuPlan([prefix(models.COSTS), own])):
        with pytest.raises(ValueError, match="a plan of the class Mine; expected one of"):
            save(wrap(plan, models.COSTS), tmp_path / "m.scrimp")


def test_what_could_not_be_read_back_is_not_saved(tmp_path):
    plan = prefix(models.COSTS)
    for _ in range(20):
        plan = MenuPlan([plan])
    model = wrap(plan, models.COSTS)
    with pytest.raises(ValueError, match="cannot be saved: its JSON is nested more than 32 deep"):
        save(model, tmp_path / "m.scrimp")


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(TypeError, match="model is a dict; expected a fitted scrimp estimator"):
        save({}, tmp_path / "m.scrimp")
    with pytest.raises(TypeError, match="model is a AtBudget"):
        save(at_budget(models.predictor(), 1.0), tmp_path / "m.scrimp")
    with pytest.raises(ValueError, match="not fitted"):
        save(BudgetedBoostingClassifier(), tmp_path / "m.scrimp")


def test_a_loaded_plan_may_be_written_to_by_kernels(tmp_path):
    """Read-only arrays would be another type to Numba, and be compiled for again."""
    column = again(models.predictor("additive"), tmp_path).plan.plan.stumps.column
    assert column.flags.writeable
    assert column.flags.aligned
