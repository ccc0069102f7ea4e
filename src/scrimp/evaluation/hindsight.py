"""Reference learners that are fitted in hindsight to a whole stream, for its average regret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier

from ..data.columns import Columns
from ..data.dict_rows import encode_dicts, is_dict_rows
from ..data.validation import check_choice
from ..types import Floats

#: Names of reference learners that need no estimator.
NAMES = ("tree", "boosting")
#: The depth of the tree, the least that Hu (2019, Sec. 5.6.1) measures regret against.
DEPTH = 15
#: Rows of a leaf of it, at least: fewer let it learn more of the noise of single rows.
LEAF_ROWS = 5


def as_references(against: Any, classes: bool) -> dict[str, Any]:
    """Return reference learners by name, from names or a mapping.

    Parameters
    ----------
    against : str, sequence of str, or mapping of str to estimator
        As in `progressive_validation`.
    classes : bool
        Whether classes are predicted.
    """
    if not isinstance(against, Mapping):
        names = [against] if isinstance(against, str) else list(against)
        return {name: _known(name, classes) for name in names}
    for name, estimator in against.items():
        if is_classifier(estimator) != classes:
            kind = "classifier" if classes else "regressor"
            raise ValueError(
                f"The reference learner {name!r} is a {type(estimator).__name__}; expected a "
                f"{kind}."
            )
    return dict(against)


def _known(name: str, classes: bool) -> Any:
    # Importing these takes long, and is rarely needed.
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    check_choice("against", name, NAMES)
    if name == "tree":
        tree = DecisionTreeClassifier if classes else DecisionTreeRegressor
        return tree(max_depth=DEPTH, min_samples_leaf=LEAF_ROWS, random_state=0)
    boosting = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return boosting(random_state=0)


def reference_errors(
    references: Mapping[str, Any], chunks: Sequence[tuple[Any, Any, Any]], columns: Columns,
    n_measured: int,
) -> dict[str, Floats]:  # fmt: skip
    """Return the mean error of each reference learner on each of the last chunks.

    Parameters
    ----------
    references : mapping of str to estimator
        They are cloned, and fitted to the rows of all chunks.
    chunks : sequence of (X, y, sample_weight)
        The rows of the stream.
    columns : Columns
        The columns of the model at the end of the stream.
    n_measured : int
        The number of the last chunks that count.
    """
    if not references:
        return {}
    table = np.concatenate([_numbers(X, columns) for X, _, _ in chunks])
    targets = [np.asarray(y) for _, y, _ in chunks]
    y, ends = np.concatenate(targets), np.cumsum([len(part) for part in targets])
    weights = _weights(chunks)
    errors = {}
    for name, reference in references.items():
        given = {} if weights is None else {"sample_weight": weights}
        fitted = clone(reference).fit(table, y, **given)
        missed = np.split(row_errors(fitted.predict(table), y, is_classifier(fitted)), ends[:-1])
        errors[name] = np.array([float(part.mean()) for part in missed[-n_measured:]])
    return errors


def row_errors(answers: NDArray[Any], y: Any, classes: bool) -> NDArray[Any]:
    """Return the error of each row: whether the class is wrong, or the squared difference."""
    y = np.asarray(y)
    return np.asarray(answers != y if classes else (answers - y) ** 2)


def _numbers(X: Any, columns: Columns) -> NDArray[Any]:
    """Return rows of any kind as numbers, NaN where a value is missing."""
    if is_dict_rows(X):
        return encode_dicts(X, columns)[1]
    return columns.encode(X.toarray() if issparse(X) else X)


def _weights(chunks: Sequence[tuple[Any, Any, Any]]) -> Floats | None:
    """Return the weights of all rows; None if no chunk has any."""
    if all(weight is None for _, _, weight in chunks):
        return None
    return np.concatenate([
        np.ones(len(np.asarray(y))) if weight is None else np.asarray(weight, dtype=np.float64)
        for _, y, weight in chunks
    ])  # fmt: skip
