"""Which inputs of a fitted scikit-learn transformer each of its outputs is made from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import Flags


def dependencies(transformer: Any, n_inputs: int, n_outputs: int | None = None) -> Flags:
    """Whether an output depends on an input (outputs x inputs).

    Encoders, scalers, imputers, selectors, polynomials, pipelines, unions and
    ColumnTransformers of scikit-learn are known. Of anything else, their subclasses included,
    every output counts as made from all inputs: that may be too dear, but never too cheap.

    Parameters
    ----------
    transformer : fitted transformer, None, "passthrough" or "drop"
        What makes outputs of inputs.
    n_inputs : int
        How many columns it is given.
    n_outputs : int, optional
        How many columns it makes, for those that cannot say so themselves.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import FeatureUnion, Pipeline
    from sklearn.preprocessing import PolynomialFeatures

    if transformer is None or isinstance(transformer, str):
        return _nothing(n_inputs) if transformer == "drop" else _same(n_inputs)
    _check_inputs(transformer, n_inputs)
    kind = type(transformer)  # a subclass may compute anything
    if kind is Pipeline:
        return _in_steps([step for _, step in transformer.steps], n_inputs, n_outputs)
    if kind is FeatureUnion:
        parts = [part for _, part in transformer.transformer_list]
        return np.vstack([dependencies(part, n_inputs) for part in parts])
    if kind is ColumnTransformer:
        return _of_columns(transformer, n_inputs)
    if kind is SimpleImputer:
        return _imputed(transformer, n_inputs)
    if kind is PolynomialFeatures:
        return np.asarray(transformer.powers_) > 0
    if _is_selector(kind):
        return np.asarray(_same(n_inputs)[transformer.get_support()])
    if (each := _outputs_of_each(transformer)) is not None:
        return np.repeat(_same(n_inputs), each, axis=0)
    n_outputs = _n_outputs(transformer, n_inputs) if n_outputs is None else n_outputs
    return np.ones((n_outputs, n_inputs), dtype=bool)


def _is_selector(kind: type) -> bool:
    from sklearn import feature_selection

    return kind in (
        feature_selection.GenericUnivariateSelect,
        feature_selection.RFE,
        feature_selection.RFECV,
        feature_selection.SelectFdr,
        feature_selection.SelectFpr,
        feature_selection.SelectFromModel,
        feature_selection.SelectFwe,
        feature_selection.SelectKBest,
        feature_selection.SelectPercentile,
        feature_selection.SequentialFeatureSelector,
        feature_selection.VarianceThreshold,
    )


def _n_outputs(transformer: Any, n_inputs: int) -> int:
    """Return how many columns an unknown transformer makes."""
    from sklearn.base import OneToOneFeatureMixin

    if isinstance(transformer, OneToOneFeatureMixin):
        return n_inputs
    try:
        return len(transformer.get_feature_names_out())
    except AttributeError:
        raise ValueError(
            f"{transformer!r} does not say how many columns it makes. Give it a method "
            "get_feature_names_out, or a FunctionTransformer feature_names_out='one-to-one'."
        ) from None


def _same(n: int) -> Flags:
    return np.eye(n, dtype=bool)


def _nothing(n: int) -> Flags:
    return np.zeros((0, n), dtype=bool)


def _check_inputs(transformer: Any, n_inputs: int) -> None:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(transformer)
    known = getattr(transformer, "n_features_in_", n_inputs)
    if known != n_inputs:
        raise ValueError(
            f"The {type(transformer).__name__} was fitted on {known} columns, but the prices "
            f"are for {n_inputs}. Fit it on the columns that have prices."
        )


def _in_steps(steps: list[Any], n_inputs: int, n_outputs: int | None) -> Flags:
    """An output depends on what its inputs depend on."""
    total = _same(n_inputs)
    made = [getattr(step, "n_features_in_", None) for step in steps[1:]]
    for step, n_made in zip(steps, [*made, n_outputs], strict=True):
        part = dependencies(step, len(total), n_made)
        total = (part.astype(np.int64) @ total.astype(np.int64)) > 0
    return total


def _of_columns(transformer: Any, n_inputs: int) -> Flags:
    """Each part of a ColumnTransformer by the columns it is given."""
    indices = transformer.output_indices_
    total = np.zeros((max(s.stop for s in indices.values()), n_inputs), dtype=bool)
    inputs = transformer._transformer_to_input_indices
    for name, part, _ in transformer.transformers_:
        columns = np.asarray(inputs[name], dtype=np.intp)
        if len(columns) and indices[name].start < indices[name].stop:
            made = indices[name].stop - indices[name].start
            total[indices[name], columns] = dependencies(part, len(columns), made)
    return total


def _outputs_of_each(transformer: Any) -> Any:
    """How many outputs each input has, where no output has several."""
    from sklearn import preprocessing

    kind = type(transformer)
    if kind is preprocessing.OneHotEncoder:
        return transformer._n_features_outs
    if kind is preprocessing.KBinsDiscretizer:
        return 1 if transformer.encode == "ordinal" else transformer.n_bins_
    if kind is preprocessing.TargetEncoder:
        return len(transformer.classes_) if transformer.target_type_ == "multiclass" else 1
    if kind is preprocessing.SplineTransformer:
        return transformer.n_features_out_ // transformer.n_features_in_
    if kind is preprocessing.FunctionTransformer:  # without a function: "passthrough" within others
        return 1 if transformer.func is None else None
    alone = (
        preprocessing.Binarizer,
        preprocessing.MaxAbsScaler,
        preprocessing.MinMaxScaler,
        preprocessing.OrdinalEncoder,
        preprocessing.PowerTransformer,
        preprocessing.QuantileTransformer,
        preprocessing.RobustScaler,
        preprocessing.StandardScaler,
    )
    return 1 if kind in alone else None


def _imputed(imputer: Any, n_inputs: int) -> Flags:
    """The columns that had values, then those whose missing values are indicated."""
    same = _same(n_inputs)
    empty = np.array([value != value for value in imputer.statistics_], dtype=bool)
    kept = same if imputer.keep_empty_features else same[~empty]
    marked = [] if imputer.indicator_ is None else imputer.indicator_.features_
    return np.vstack([kept, same[np.asarray(marked, dtype=np.intp)]])
