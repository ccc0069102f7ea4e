"""Files that hold models of prefixes, estimators that scrimp cannot look into among them."""

import sys

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from scrimp import RefitClassifier, RefitRegressor, load, save
from scrimp.io import ModelFileError
from scrimp.io.container import pack

from . import models

BUDGETS = [0.0, 1.0, 2.0, 4.0]


class Nearest(KNeighborsClassifier):
    """A type that skops does not know."""


def fitted(estimator):
    X, y = make_classification(60, 4, random_state=0)
    return RefitClassifier(estimator, range(4)).fit(X, y), X


@pytest.mark.parametrize(
    "estimator", [KNeighborsClassifier(3, algorithm="brute"), SVC(kernel="poly")]
)
def test_an_estimator_is_kept_by_skops(estimator, tmp_path):
    pytest.importorskip("skops")
    model, X = fitted(estimator)
    save(model, tmp_path / "m.scrimp")
    with pytest.raises(ModelFileError, match=r"is not read: it holds the estimator '.*' in skops'"):
        load(tmp_path / "m.scrimp")
    same = load(tmp_path / "m.scrimp", trusted=[])
    before, after = model.sweep(X, BUDGETS), same.sweep(X, BUDGETS)
    np.testing.assert_array_equal(before.scores, after.scores)
    np.testing.assert_array_equal(before.spent, after.spent)
    save(same, tmp_path / "again.scrimp")
    assert (tmp_path / "again.scrimp").read_bytes() == (tmp_path / "m.scrimp").read_bytes()


def test_numbers_too(tmp_path):
    pytest.importorskip("skops")
    X, y = make_regression(60, 4, random_state=0)
    model = RefitRegressor(KNeighborsRegressor(algorithm="brute"), range(4)).fit(X, y)
    save(model, tmp_path / "m.scrimp")
    same = load(tmp_path / "m.scrimp", trusted=[])
    np.testing.assert_array_equal(same.predict(X, 2.0), model.predict(X, 2.0))


def test_types_of_others_must_be_named(tmp_path):
    pytest.importorskip("skops")
    model, X = fitted(Nearest(algorithm="brute"))
    save(model, tmp_path / "m.scrimp")
    name = f"{Nearest.__module__}.Nearest"
    with pytest.raises(ModelFileError, match=rf"not trusted\. .*load\(path, trusted=\['{name}'\]"):
        load(tmp_path / "m.scrimp", trusted=[])
    same = load(tmp_path / "m.scrimp", trusted=[name])
    np.testing.assert_array_equal(same.predict(X, 2.0), model.predict(X, 2.0))


def test_what_skops_cannot_keep_is_refused(tmp_path):
    pytest.importorskip("skops")
    doubling = FunctionTransformer(lambda X: 2 * X)
    model, _ = fitted(make_pipeline(doubling, KNeighborsClassifier()))
    with pytest.raises(ValueError, match="cannot be saved: skops cannot keep the Pipeline in a"):
        save(model, tmp_path / "m.scrimp")
    assert list(tmp_path.iterdir()) == []


def test_without_skops_it_is_said_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops", None)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    model, _ = fitted(KNeighborsClassifier())
    with pytest.raises(ValueError, match=r'cannot be saved: .*pip install "scrimp\[skops\]"'):
        save(model, tmp_path / "m.scrimp")


def test_bytes_that_are_no_estimator_are_refused(tmp_path):
    pytest.importorskip("skops")
    model, _ = fitted(KNeighborsClassifier(algorithm="brute"))
    document, tensors = models.taken_apart(model.predictor_)
    for change, message in (
        ({"bytes": 3}, "bytes do not fit the array skops"),
        ({"bytes": -1}, "bytes do not fit the array skops"),
        ({"answers": "guesses"}, "answers is 'guesses'; expected one of"),
        ({"n_outputs": 1}, "probabilities cannot have 1 outputs"),
        ({"missing": 0}, "missing must be true or false"),
        ({"more": 0}, "do not fit its kind"),
    ):
        changed = {**document, "plan": _changed(document["plan"], 0, change)}
        (tmp_path / "m.scrimp").write_bytes(pack(changed, tensors))
        with pytest.raises(ModelFileError, match=message):
            load(tmp_path / "m.scrimp", trusted=[])
    junk = {**tensors, "plan/0/skops": np.zeros_like(tensors["plan/0/skops"])}
    (tmp_path / "m.scrimp").write_bytes(pack(document, junk))
    with pytest.raises(ModelFileError, match="cannot be read: File is not a zip file"):
        load(tmp_path / "m.scrimp", trusted=[])


def _changed(plan, number, change):
    own = [dict(entry) for entry in plan["header"]["models"]]
    own[number]["header"] = own[number]["header"] | change
    return plan | {"header": {"models": own}}


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (0, {"link": "tangent"}, "link is 'tangent'; expected one of"),
        (0, {"link": "logistic"}, "a logistic link cannot have 2 sums"),
        (0, {"link": "identity", "more": 1}, "do not fit its kind"),
        (1, {"link": "softmax"}, "must have the same number of outputs"),
        (1, {"link": ["logistic"]}, "link is"),
        (2, {"members": []}, "an average needs at least one member"),
        (2, {"members": [{"kind": "average", "header": {"members": []}}]}, "weights has 2 dim"),
        (2, {"members": [{"kind": "spell", "header": {}}]}, "unknown kind of model 'spell'"),
        (2, {"members": 3}, "not iterable"),
    ],
)
def test_headers_that_do_not_fit_are_refused(number, change, message, tmp_path):
    document, tensors = models.taken_apart(models.predictor("refits"))
    document["plan"] = _changed(document["plan"], number, change)
    (tmp_path / "m.scrimp").write_bytes(pack(document, tensors))
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "m.scrimp")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("0/prepare/source", np.array([-1]), "columns must not be negative"),
        ("0/prepare/source", np.array([99]), "reads columns beyond the 6"),
        ("0/prepare/source", np.array([5]), "reads columns of ..scan.. without buying"),
        ("0/prepare/scale", np.array([0.0]), "scale not 0"),
        ("0/prepare/fill", np.array([np.inf]), "fill of a preparation must not be infinite"),
        ("0/prepare/center", np.zeros(2), "one entry per column"),
        ("0/weights", np.full((1, 2), np.nan), "weights must be finite"),
        ("0/weights", np.zeros((2, 2)), r"weights must be \(prepared columns x sums\)"),
        ("0/base", np.array([np.nan, 0.0]), "base must be finite"),
        ("1/base", np.zeros(2), "a logistic link cannot have 2 sums"),
        ("1/column", np.array([0, -1, 7, -1, -1]), "a tree reads columns that are not prepared"),
        ("1/left", np.array([0, -1, 3, -1, -1]), "left must hold nodes of the same tree"),
        ("2/weights", np.array([1.0, -1.0, 2.0]), "weights must be finite and >= 0"),
        ("2/0/gamma", np.array([-1.0]), "gamma must be one number >= 0"),
        ("2/0/centers", np.zeros((3, 1)), r"centers must be \(points x prepared columns\)"),
        ("prior", np.array([np.nan, 0.0]), "prior must hold at least one number, all finite"),
        ("prior", np.zeros(3), "must have the same number of outputs"),
        ("stage_sizes", np.array([3]), "1 stages but 3 models|do not add up"),
        ("9/base", np.zeros(2), "do not fit its kind"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, value, message, tmp_path):
    document, tensors = models.taken_apart(models.predictor("refits"))
    assert name == "9/base" or f"plan/{name}" in tensors
    tensors[f"plan/{name}"] = value
    (tmp_path / "m.scrimp").write_bytes(pack(document, tensors))
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "m.scrimp")
