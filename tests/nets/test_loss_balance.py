"""Weights of losses against their formulas, and what is refused."""

import numpy as np
import pytest

from scrimp.nets import LossBalance

RNG = np.random.default_rng(0)
LOSSES = RNG.uniform(0.5, 3.0, size=(40, 4))


def naive_adaloss(losses, gamma, momentum, every):
    """Weights of each step, written from B_i = (1 - g) min_j m_j / m_i + g."""
    mean, weights, out = None, None, []
    for step, row in enumerate(losses):
        if mean is None:
            mean = list(row)
        else:
            mean = [momentum * m + (1 - momentum) * x for m, x in zip(mean, row, strict=True)]
        if step % every == 0:
            weights = [(1 - gamma) * min(mean) / m + gamma for m in mean]
        out.append(weights)
    return np.array(out)


class TestAdaLoss:
    @pytest.mark.parametrize("gamma", [0.0, 0.05, 1.0])
    @pytest.mark.parametrize("momentum", [0.0, 0.9])
    @pytest.mark.parametrize("every", [1, 7])
    def test_against_the_formula(self, gamma, momentum, every):
        balance = LossBalance(4, gamma=gamma, momentum=momentum, every=every)
        ours = np.array([balance(row) for row in LOSSES])
        np.testing.assert_allclose(ours, naive_adaloss(LOSSES, gamma, momentum, every))
        assert ours.max() <= 1.0 + 1e-12

    def test_the_variance_of_gaussian_noise_is_the_mean_loss(self):
        """With one noise per exit, likelihood is greatest where a weight is 1 / its mean loss."""
        squares = RNG.normal(size=(1000, 3)) ** 2 * [4.0, 1.0, 0.25]
        balance = LossBalance(3, gamma=0.0, momentum=0.0)
        weights = balance(squares.mean(axis=0))
        variances = squares.mean(axis=0)
        grid = variances[None] * np.linspace(0.5, 2.0, 61)[:, None]
        likelihood = -0.5 * np.log(grid) - 0.5 * squares.mean(axis=0) / grid
        assert np.argmax(likelihood, axis=0).tolist() == [20, 20, 20]  # the factor of 1
        np.testing.assert_allclose(weights * variances, variances.min())

    def test_weights_are_the_minimum_of_the_penalised_sum(self):
        """The minimum of B l - lambda ln B is at B = lambda / l."""
        losses, grid = np.array([2.0, 0.5]), np.geomspace(1e-2, 1e2, 40_001)
        weights = LossBalance(2, gamma=0.0, momentum=0.0)(losses)
        best = [grid[np.argmin(grid * loss - losses.min() * np.log(grid))] for loss in losses]
        np.testing.assert_allclose(weights, best, rtol=1e-3)

    def test_the_unit_of_a_loss_changes_nothing(self):
        scaled = LOSSES * [1.0, 10.0, 0.1, 1.0]
        one, other = (LossBalance(4, gamma=0.0) for _ in range(2))
        for row, same in zip(LOSSES, scaled, strict=True):
            share, unit = one(row) * row, other(same) * same
        np.testing.assert_allclose(share / share.sum(), unit / unit.sum())

    def test_a_loss_of_zero_leaves_the_others_above_gamma(self):
        balance = LossBalance(2, gamma=0.05, momentum=0.0, floor=0.1)
        balance([1.0, 1.0])
        weights = balance([1.0, 0.0])
        np.testing.assert_allclose(weights, [0.95 * 0.1 + 0.05, 1.0])

    def test_losses_that_can_be_negative(self):
        balance = LossBalance(2, gamma=0.0, momentum=0.0, lower_bounds=[-3.0, 0.0])
        np.testing.assert_allclose(balance([-1.0, 1.0]), [0.5, 1.0])
        with pytest.raises(ValueError, match=r"loss 0 is -4, below its lower bound of -3"):
            balance([-4.0, 1.0])

    def test_normalised_weights_have_a_mean_of_one(self):
        balance = LossBalance(4, normalise=True)
        assert balance(LOSSES[0]).mean() == pytest.approx(1.0)

    def test_a_state_goes_on(self):
        whole, first, second = (LossBalance(4) for _ in range(3))
        expected = [whole(row) for row in LOSSES][-1]
        for row in LOSSES[:20]:
            first(row)
        second.restore(first.state())
        np.testing.assert_array_equal([second(row) for row in LOSSES[20:]][-1], expected)


class TestOtherSchemes:
    def test_fixed_ones(self):
        assert LossBalance(3, "const")([1, 2, 3]).tolist() == [1.0, 1.0, 1.0]
        assert LossBalance(4, "linear")([1, 1, 1, 1]).tolist() == [0.25, 0.5, 0.75, 1.0]
        assert LossBalance(5, "half-end")([1] * 5).tolist() == [0.625] * 4 + [2.5]
        assert LossBalance(3, "opt")([1, 1, 1]).tolist() == [0.0, 0.0, 1.0]
        assert LossBalance(3, "opt", exit=0)([1, 1, 1]).tolist() == [1.0, 0.0, 0.0]
        for scheme in ("const", "linear", "half-end", "opt"):
            assert LossBalance(1, scheme)([2.0]).tolist() == [1.0]

    def test_scale_once(self):
        balance = LossBalance(2, "scale-once", momentum=0.0, gamma=0.0, warm_up=2)
        assert balance([4.0, 1.0]).tolist() == [1.0, 1.0]
        assert balance([4.0, 1.0]).tolist() == [0.25, 1.0]
        assert balance([1.0, 1.0]).tolist() == [0.25, 1.0]

    def test_gradient_norms(self):
        balance = LossBalance(2, "gradient-norm", momentum=0.0, gamma=0.0)
        assert balance([1.0, 1.0], [2.0, 1.0]).tolist() == [0.5, 1.0]
        with pytest.raises(ValueError, match="needs gradient_norms"):
            balance([1.0, 1.0])

    def test_minimax_raises_the_weight_of_the_largest_excess(self):
        balance = LossBalance(2, "minimax", experts=[1.0, 1.0], rate=0.5, momentum=0.0)
        for _ in range(50):
            first, last = balance([3.0, 1.0])
        assert (first, last) == (1.0, 0.05)

    def test_minimax_evens_out_two_quadratics(self):
        """Two losses of one weight, with equal minima: the largest excess becomes the least."""
        theta, curves = 0.0, np.array([1.0, 9.0])
        balance = LossBalance(2, "minimax", experts=[1.0, 1.0], rate=0.05, gamma=0.0, momentum=0.0)
        for _ in range(4000):
            losses = 1.0 + curves * (theta - np.array([-1.0, 1.0])) ** 2
            weights = balance(losses)
            slope = (weights * 2 * curves * (theta - np.array([-1.0, 1.0]))).sum()
            theta -= 0.01 * slope
        assert theta == pytest.approx(0.5, abs=0.02)  # where (t + 1)^2 = 9 (t - 1)^2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_losses": 0}, "n_losses is 0"),
        ({"scheme": "best"}, "scheme is 'best'"),
        ({"gamma": 1.5}, "gamma is 1.5"),
        ({"momentum": 1.0}, "momentum is 1.0"),
        ({"every": 0}, "every is 0"),
        ({"exit": 4, "scheme": "opt"}, "exit is 4"),
        ({"scheme": "minimax"}, "needs experts"),
        ({"scheme": "minimax", "experts": [1.0]}, "experts must be 4"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LossBalance(**{"n_losses": 4} | options)


@pytest.mark.parametrize(
    ("losses", "message"), [([1.0, np.nan], "loss 1 is not finite"), ([1.0], "1 losses were given")]
)
def test_losses_that_are_refused(losses, message):
    with pytest.raises(ValueError, match=message):
        LossBalance(2)(losses)
