"""The softmax of rows and the logarithms of its sums agree with SciPy's."""

import numpy as np
import pytest
from scipy.special import logsumexp, softmax

from scrimp.kernels.softmax import softmax_rows


@pytest.mark.parametrize("width", [1, 2, 7, 8, 1001])
@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 30.0, 1e3])
def test_softmax_rows(width, scale):
    eta = scale * np.random.default_rng(width).normal(size=(20, width)) + scale
    p, log_totals = np.empty_like(eta), np.empty(20)
    softmax_rows(eta, p, log_totals)
    np.testing.assert_allclose(p, softmax(eta, axis=1), rtol=1e-14, atol=1e-300)
    np.testing.assert_allclose(log_totals, logsumexp(eta, axis=1), rtol=1e-14, atol=1e-14)
