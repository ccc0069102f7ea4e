"""The ridge of linear models, chosen where rows are few.

With few rows per coefficient a model without a penalty follows its training rows, and is worse
than the prior on others. The penalty is chosen for all columns; a model of a part of them has
that part of it, as the signal is then shared by fewer coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .families import Family
from .glm_path import Sample
from .moments import Moments
from .sequence import Standardised

#: The ridge where rows are many, as in the thesis.
LEAST_ALPHA = 1e-5
#: Rows per coefficient from which on that is enough.
ENOUGH_ROWS = 50
#: What is tried.
ALPHAS = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4, LEAST_ALPHA)
#: Columns up to which a penalty is chosen: that takes eigenvalues of their products.
MAX_EIGEN_COLUMNS = 1_000
#: A model that leaves less than this share of the rows' freedom follows them, and is not tried.
MIN_FREE_SHARE = 0.1


@dataclass(frozen=True)
class RidgePenalty:
    """The ridge of models by their number of inputs.

    Parameters
    ----------
    alpha : float
        That of all inputs.
    n_inputs : int
        Their number; 0 gives every model the same ridge.

    Examples
    --------
    >>> RidgePenalty(0.1, 10).of(5)
    0.05
    """

    alpha: float
    n_inputs: int = 0

    def of(self, n_inputs: int) -> float:
        """Return the ridge of a model with some of the inputs."""
        if not self.n_inputs:
            return self.alpha
        return max(self.alpha * n_inputs / self.n_inputs, LEAST_ALPHA)


def chosen_penalty(alpha: float | str, sample: Sample, family: Family) -> RidgePenalty:
    """Return the ridge that was given, or for "auto" that of a least squares fit of the responses.

    At the prior the curvature of the loss by the linear predictors is v where that of least squares
    is 1, so that a ridge of v times that of least squares shrinks as much. The loss of the rows
    themselves would not do: where they can be separated its curvature vanishes.

    Parameters
    ----------
    alpha : float or "auto"
        As given by the user.
    sample : Sample
        The rows.
    family : Family
        The loss.
    """
    if not isinstance(alpha, str):
        return RidgePenalty(float(alpha))
    (n, d), k = sample.X.shape, sample.Y.shape[1]
    if n >= ENOUGH_ROWS * d * k or d > MAX_EIGEN_COLUMNS:
        return RidgePenalty(LEAST_ALPHA)
    moments = Moments(d, k).add(sample.X, sample.Y, sample.weight)
    middle = np.asarray(family.link(sample.weight @ sample.Y), dtype=np.float64).reshape(1, k)
    curvature = float(np.trace(family.curvature_of(middle)[0]) / k)
    return RidgePenalty(max(least_squares_alpha("auto", moments) * curvature, LEAST_ALPHA), d)


def least_squares_alpha(alpha: float | str, moments: Moments) -> float:
    r"""Return the ridge that was given, or for "auto" that of least generalised cross-validation.

    With G the correlations of n rows and df the degrees of freedom, the trace of
    :math:`G(G+\alpha I)^{-1}` and one for the mean, that is the residual sum of squares over
    :math:`(1-df/n)^2` (Golub, Heath and Wahba 1979): sums over rows are all that it takes.
    """
    if not isinstance(alpha, str):
        return float(alpha)
    n, d = moments.n_rows, moments.n_columns  # whatever the scale of the weights
    if n >= ENOUGH_ROWS * d or d > MAX_EIGEN_COLUMNS:
        return LEAST_ALPHA
    data = Standardised.of(moments, 0.0)
    values, vectors = np.linalg.eigh(data.matrix)
    values = values.clip(0.0)
    squares = (vectors.T @ data.response) ** 2
    total = float((data.scale[d:] > 0).sum())
    criteria = []
    for each in ALPHAS:
        explained = squares * ((values + 2.0 * each) / (values + each) ** 2)[:, None]
        freedom = 1.0 + float((values / (values + each)).sum())
        left = 1.0 - freedom / n
        residual = max(total - float(explained.sum()), 0.0)
        criteria.append(residual / left**2 if left > MIN_FREE_SHARE else np.inf)
    return ALPHAS[int(np.argmin(criteria))]
