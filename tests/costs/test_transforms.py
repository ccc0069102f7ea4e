"""Prices follow columns through transformers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

from scrimp import Costs, SequencedRegressor
from scrimp.costs.transforms import dependencies

X = np.random.default_rng(0).normal(size=(40, 3))
TWO = Costs.per_group([0, 0, 1], [5.0, 6.0])


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "a": [1.0, 2.0, np.nan, 4.0],
            "b": list("xyzx"),
            "c": [3.0, 1.0, 2.0, 5.0],
            "d": list("uuvv"),
        }
    )


def test_children_of_a_column_are_one_item(frame):
    costs = Costs.per_feature({"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0})
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    mixed = make_column_transformer(
        (numbers, ["a", "c"]), (OneHotEncoder(drop="if_binary"), ["b", "d"])
    ).fit(frame)
    through = costs.through(mixed)
    assert through.names == costs.names
    assert through.prices == costs.prices
    assert through.columns == ((0, 2), (3, 4, 5), (1,), (6,))
    assert through.column_names == tuple(mixed.get_feature_names_out())
    model = SequencedRegressor(through)
    table = pd.DataFrame(mixed.transform(frame), columns=mixed.get_feature_names_out())
    assert set(model.fit(table, [1.0, 2.0, 3.0, 5.0]).sequence_) <= {"a", "b", "c", "d"}


def test_what_is_made_of_several_items_requires_them_all():
    through = TWO.through(PolynomialFeatures(2).fit(X))
    assert through.names == ("0", "1", "constant", "0*1")
    assert through.prices == (5.0, 6.0, 0.0, 0.0)
    assert through.requires[3] == (0, 1)
    assert through.price_of([3]) == 11.0
    whole = TWO.through(PCA(2).fit(X))
    assert whole.columns == ((), (), (0, 1))
    assert whole.price_of([2]) == 11.0


@pytest.mark.parametrize(
    ("transformer", "columns"),
    [
        (StandardScaler(), ((0, 1), (2,))),
        (OrdinalEncoder(), ((0, 1), (2,))),
        (KBinsDiscretizer(3), ((0, 1, 2, 3, 4, 5), (6, 7, 8))),
        (KBinsDiscretizer(3, encode="ordinal"), ((0, 1), (2,))),
        (SplineTransformer(n_knots=2, degree=1), ((0, 1, 2, 3), (4, 5))),
        (VarianceThreshold(), ((0, 1), (2,))),
        (FeatureUnion([("a", StandardScaler()), ("b", "passthrough")]), ((0, 1, 3, 4), (2, 5))),
        (make_pipeline(StandardScaler(), "passthrough"), ((0, 1), (2,))),
        (make_column_transformer(("drop", [0]), remainder="passthrough"), ((0,), (1,))),
    ],
)
def test_known_transformers(transformer, columns):
    assert TWO.through(transformer.fit(X)).columns == columns


def test_what_is_made_of_a_whole_row_needs_all_of_it():
    assert dependencies(Normalizer().fit(X), 3).all()
    assert TWO.through(Normalizer().fit(X)).columns == ((), (), (0, 1, 2))


def test_an_encoder_by_target_makes_a_column_for_each_of_several_classes():
    encoder = TargetEncoder().fit(X.round(), np.arange(40) % 3)
    assert TWO.through(encoder).columns == ((0, 1, 2, 3, 4, 5), (6, 7, 8))
    assert TWO.through(encoder.fit(X.round(), np.arange(40) % 2)).columns == ((0, 1), (2,))


def test_functions_that_do_not_name_what_they_make():
    some = make_column_transformer((FunctionTransformer(np.tanh), [0, 2]), (StandardScaler(), [1]))
    np.testing.assert_array_equal(
        dependencies(some.fit(X), 3), [[True, False, True]] * 2 + [[False, True, False]]
    )
    steps = make_pipeline(FunctionTransformer(np.tanh), StandardScaler()).fit(X)
    assert dependencies(steps, 3).all()
    alone = FunctionTransformer(np.tanh).fit(X)
    assert dependencies(alone, 3, n_outputs=3).shape == (3, 3)


def test_an_imputer_leaves_out_columns_without_a_value():
    data = X.copy()
    data[:, 0] = np.nan
    assert TWO.through(SimpleImputer().fit(data)).columns == ((0,), (1,))
    assert dependencies(SimpleImputer(keep_empty_features=True).fit(data), 3).shape == (3, 3)


def test_transformers_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="was fitted on 3 columns, but the prices are for 2"):
        Costs.uniform(2).through(StandardScaler().fit(X))
    with pytest.raises(NotFittedError):
        TWO.through(StandardScaler())


def test_prices_go_by_position_where_an_encoder_makes_a_sparse_table():
    frame = pd.DataFrame({"town": ["a", "b", "c", "a"] * 5, "age": list(range(20))})
    encoder = make_column_transformer(
        (OneHotEncoder(), ["town"]), remainder="passthrough", sparse_threshold=1.0
    )
    table = encoder.fit_transform(frame)
    costs = Costs.per_feature({"town": 3.0, "age": 1.0})
    with pytest.raises(ValueError, match="names=False"):
        SequencedRegressor(costs.through(encoder)).fit(table, np.arange(20.0))
    model = SequencedRegressor(costs.through(encoder, names=False)).fit(table, np.arange(20.0))
    assert model.sequence_[0] == "age"


class RowCentred(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Subtracts the mean of each row."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return X - np.asarray(X).mean(axis=1, keepdims=True)


class RowCentredScaler(StandardScaler):
    """Subtracts the mean of each row after scaling."""

    def transform(self, X, copy=None):
        scaled = super().transform(X, copy)
        return scaled - scaled.mean(axis=1, keepdims=True)


class RowCentredSelector(VarianceThreshold):
    """Subtracts the mean of each row before selecting."""

    def transform(self, X):
        return super().transform(X - X.mean(axis=1, keepdims=True))


@pytest.mark.parametrize("own", [RowCentred(), RowCentredScaler(), RowCentredSelector()])
def test_what_a_transformer_of_ones_own_makes_requires_all_inputs(own):
    costs = Costs.per_feature([1.0, 2.0, 100.0])
    through = costs.through(own.fit(X))
    assert through.columns == ((), (), (), (0, 1, 2))
    assert through.price_of([3]) == 103.0
    steps = make_pipeline(StandardScaler(), own).fit(X)
    assert costs.through(steps).columns == ((), (), (), (0, 1, 2))


def test_a_function_requires_all_inputs_and_has_to_tell_its_outputs():
    costs = Costs.per_feature({"a": 1.0, "b": 2.0, "c": 100.0})
    frame = pd.DataFrame(X, columns=list("abc"))
    silent = FunctionTransformer(lambda table: table.sub(table.mean(axis=1), axis=0)).fit(frame)
    with pytest.raises(ValueError, match="does not say how many columns it makes"):
        costs.through(silent)
    with pytest.raises(ValueError, match="does not say how many columns it makes"):
        costs.through(FeatureUnion([("rows", silent)]).fit(frame))
    some = make_column_transformer((silent, ["a", "b"]), (StandardScaler(), ["c"])).fit(frame)
    with pytest.raises(ValueError, match=r"does not name the columns.*names=False"):
        costs.through(some)
    assert costs.through(some, names=False).columns == ((), (), (2,), (0, 1))
    named = FunctionTransformer(silent.func, feature_names_out="one-to-one").fit(frame)
    assert costs.through(named).price_of([3]) == 103.0
