"""Which inputs of a fitted scikit-learn transformer each of its outputs is made from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import Flags


def dependencies(transformer: Any, n_inputs: int, n_outputs: int | None = None) -> Flags:
    """Whether an output depends on an input (outputs x inputs).

    Encoders, scalers, imputers, selectors, polynomials, pipelines, unions and
    ColumnTransformers are known. Of anything else every output counts as made from all
    inputs: that may be too dear, but never too cheap.

    Parameters
    ----------
    transformer : fitted transformer, None, "passthrough" or "drop"
        What makes outputs of inputs.
    n_inputs : int
        How many columns it is given.
    n_outputs : int, optional
        How many columns it makes, for those that cannot say so themselves.
    """
    from sklearn.base import OneToOneFeatureMixin
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_selection import SelectorMixin
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import FeatureUnion, Pipeline

    if transformer is None or isinstance(transformer, str):
        return _nothing(n_inputs) if transformer == "drop" else _same(n_inputs)
    _check_inputs(transformer, n_inputs)
    if isinstance(transformer, Pipeline):
        return _in_steps([step for _, step in transformer.steps], n_inputs, n_outputs)
    if isinstance(transformer, FeatureUnion):
        parts = [part for _, part in transformer.transformer_list]
        return np.vstack([dependencies(part, n_inputs) for part in parts])
    if isinstance(transformer, ColumnTransformer):
        return _of_columns(transformer, n_inputs)
    if isinstance(transformer, SelectorMixin):
        return np.asarray(_same(n_inputs)[transformer.get_support()])
    if isinstance(transformer, SimpleImputer):
        return _imputed(transformer, n_inputs)
    if (each := _outputs_of_each(transformer)) is not None:
        return np.repeat(_same(n_inputs), each, axis=0)
    if hasattr(transformer, "powers_"):
        return np.asarray(transformer.powers_) > 0
    alone = isinstance(transformer, OneToOneFeatureMixin) and not _mixes(transformer)
    if alone or _is_identity(transformer):
        return _same(n_inputs)
    if n_outputs is None:
        n_outputs = len(transformer.get_feature_names_out())
    return np.ones((n_outputs, n_inputs), dtype=bool)


def _mixes(transformer: Any) -> bool:
    """Whether each output has its input's name, but is made from the whole row."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.preprocessing import Normalizer

    return isinstance(transformer, Normalizer | TfidfTransformer)


def _is_identity(transformer: Any) -> bool:
    """What "passthrough" becomes within others."""
    from sklearn.preprocessing import FunctionTransformer

    return isinstance(transformer, FunctionTransformer) and transformer.func is None


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
    from sklearn.preprocessing import (
        KBinsDiscretizer,
        OneHotEncoder,
        SplineTransformer,
        TargetEncoder,
    )

    if isinstance(transformer, OneHotEncoder):
        return transformer._n_features_outs
    if isinstance(transformer, KBinsDiscretizer):
        return 1 if transformer.encode == "ordinal" else transformer.n_bins_
    if isinstance(transformer, TargetEncoder) and transformer.target_type_ == "multiclass":
        return len(transformer.classes_)
    if isinstance(transformer, SplineTransformer):
        return transformer.n_features_out_ // transformer.n_features_in_
    return None


def _imputed(imputer: Any, n_inputs: int) -> Flags:
    """The columns that had values, then those whose missing values are indicated."""
    same = _same(n_inputs)
    empty = np.array([value != value for value in imputer.statistics_], dtype=bool)
    kept = same if imputer.keep_empty_features else same[~empty]
    marked = [] if imputer.indicator_ is None else imputer.indicator_.features_
    return np.vstack([kept, same[np.asarray(marked, dtype=np.intp)]])
