"""StreamingBoostingClassifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.validation import check_choice, check_labels, check_several
from ...types import Floats
from ..base import BudgetedClassifier
from .base import StreamingBooster
from .losses import CLASS_LOSSES, StreamLoss


class StreamingBoostingClassifier(BudgetedClassifier, StreamingBooster):
    """Gradient boosting of classes from one pass over a stream, within a budget.

    As `StreamingBoostingRegressor`, for two classes or more.

    Parameters
    ----------
    costs, budget, rule, learner, combine, iterate, n_learners, max_depth, step, learning_rate, \
edge, ridge, radius, batch_size, block_size, max_bins, memory, drift, n_passes, shuffle, \
random_state, max_seconds, verbose
        As in `StreamingBoostingRegressor`.
    loss : {"logistic", "hinge"}
        The logistic loss, multinomial for more than two classes; or the hinge loss, for two.
    class_weight : dict or None
        Weights of the classes. ``"balanced"`` needs all rows, and is refused.
    error_cost
        As in `BudgetedBoostingClassifier`.

    Attributes
    ----------
    classes_ : array
        Class labels, sorted.
    plan_, edges_, n_rows_, n_drifts_, n_projected_, n_clipped_
        As in `StreamingBoostingRegressor`.

    References
    ----------
    As in `StreamingBoostingRegressor`.

    Examples
    --------
    >>> from scrimp import StreamingBoostingClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = StreamingBoostingClassifier(budget=5).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.85
    True
    """

    def __init__(
        self,
        costs: Any = None,
        budget: Any = None,
        rule: str = "smoothed",
        loss: str = "logistic",
        *,
        learner: Any = "tree",
        combine: str = "auto",
        iterate: str = "last",
        n_learners: int = 20,
        max_depth: int = 5,
        step: Any = "inverse",
        learning_rate: float = 0.3,
        edge: float = 0.5,
        ridge: float = 0.0,
        radius: float | None = None,
        batch_size: int = 50,
        block_size: int | None = None,
        max_bins: int = 32,
        memory: float = 1_000.0,
        drift: str | None = "reset",
        n_passes: int | None = None,
        shuffle: bool = True,
        random_state: Any = 0,
        class_weight: Any = None,
        error_cost: Any = None,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.rule = rule
        self.loss = loss
        self.learner = learner
        self.combine = combine
        self.iterate = iterate
        self.n_learners = n_learners
        self.max_depth = max_depth
        self.step = step
        self.learning_rate = learning_rate
        self.edge = edge
        self.ridge = ridge
        self.radius = radius
        self.batch_size = batch_size
        self.block_size = block_size
        self.max_bins = max_bins
        self.memory = memory
        self.drift = drift
        self.n_passes = n_passes
        self.shuffle = shuffle
        self.random_state = random_state
        self.class_weight = class_weight
        self.error_cost = error_cost
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows, in `n_passes` passes; forget what was learnt before.

        Parameters
        ----------
        X : array, data frame (rows, columns), dict or list of dicts
            Numbers, with NaN for missing; a frame may hold categories too. Rows that are dicts may
            bring new columns, and lack others, which count as missing.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            A weight of 0 leaves the row out.
        """
        self._add(X, y, sample_weight, None, reset=True, alone=True)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:  # fmt: skip
        """Learn from more rows, one pass.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array, optional
            All classes that the stream may have; needed in the first call, unless its rows have
            all of them.
        """
        reset = not hasattr(self, "_stream")
        self._add(X, y, sample_weight, classes, reset=reset, alone=False)
        return self

    def _add(
        self, X: Any, y: Any, sample_weight: Any, classes: Any, reset: bool, alone: bool
    ) -> None:
        self._check_params()
        if self.class_weight == "balanced" and not alone:
            raise ValueError("class_weight is 'balanced', which needs all rows; give numbers.")
        rows = self._read(X, y, sample_weight, reset, classes=True).of_positive_weight()
        known = self._known_classes(rows.y, classes, reset)
        codes = self._codes(rows.y, known)
        n_passes = self._passes(len(rows)) if alone else 1
        if reset:
            self._begin_classes(known, n_passes)
        self._learn_passes(rows, self._targets(codes), codes, n_passes, alone)

    def _known_classes(self, y: NDArray[Any], classes: Any, reset: bool) -> NDArray[Any]:
        """Return all classes of the stream, sorted."""
        if not reset:
            first = self.target_.classes
            if classes is not None and not np.array_equal(np.unique(classes), first):
                raise ValueError(
                    f"classes are {np.unique(classes).tolist()}; expected "
                    f"{first.tolist()} as in the first call."
                )
            return first
        if classes is not None:
            check_labels(np.asarray(classes))
        known = np.unique(y if classes is None else np.asarray(classes))
        check_several(known)
        if self.loss == "hinge" and len(known) > 2:
            raise ValueError(
                f"y has {len(known)} classes, and the loss 'hinge' is for two. Use 'logistic'."
            )
        return known

    def _codes(self, y: NDArray[Any], known: NDArray[Any]) -> Floats:
        """Return the positions of labels among the classes; refuse others."""
        codes = np.searchsorted(known, y)
        codes[codes == len(known)] = 0
        strange = np.unique(y[known[codes] != y])
        if len(strange):
            raise ValueError(
                f"y holds {strange[:5].tolist()}, which are not among the classes "
                f"{known[:10].tolist()} of the stream. Give all classes in the first call: "
                "partial_fit(X, y, classes=[...])."
            )
        return codes.astype(np.float64)

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("loss", self.loss, CLASS_LOSSES)

    def _begin_again(self, classes: NDArray[Any], n_passes: int) -> None:
        """Make the stream that an earlier one is restored into."""
        self._begin_classes(self._known_classes(classes, None, reset=True), n_passes)

    def _begin_classes(self, known: NDArray[Any], n_passes: int) -> None:
        binary = len(known) == 2
        name = "multinomial" if not binary else self.loss
        target = self._class_target(known, 2.0 if name == "hinge" else 1.0)
        n_outputs = 1 if binary else len(known)
        self._begin(target, StreamLoss(name, float(self.ridge)), n_outputs, 1.0 / n_passes)

    def _targets(self, codes: Floats) -> Floats:
        """Return the targets as the loss takes them."""
        n_classes = len(self.target_.classes)
        if n_classes == 2:
            return 2.0 * codes[:, None] - 1.0
        return np.asarray(codes[:, None] == np.arange(n_classes), dtype=np.float64)
