"""Slow twin of LTB, a linear predictor under a budget for groups of columns, from the paper alone.

Wang, Zhu and Chi, "Efficient Test-Time Predictor Learning with Group-Based Budget", AAAI 2018.
Equation numbers are the paper's. Group m has the price c_m and a share d_m in [0, 1] of being
bought; the least of problem (1) over w and b, with d fixed, is called F(d) here:

    F(d) = min over w, b of  1/2 sum_m ||w_m||^2 / d_m + C sum_i loss(y_i, f_i),
    f_i = sum_m <w_m, x_im> + b.

With w_m = sqrt(d_m) v_m it is a support vector machine in (v, b) on the columns times sqrt(d_m).
Its dual is h(alpha, d) = S(alpha) - 1/2 sum_m d_m ||X_m' alpha||^2, to be made large over the
alpha that sum to 0, with S(alpha) = sum_i min over f_i of C loss(y_i, f_i) + alpha_i f_i. So F is
the largest of functions that are linear in d and do not rise: convex and non-increasing.

Where this differs from the print:
- b is not regularised in (1), (17) and (19). Only then is sum(alpha) = 0 as in (3), and only with
  sum(alpha) = 0 does an alpha bound F from below. LIBLINEAR's machines have no such b.
- Below (19) stands alpha = 2C (xi - xi*); it is 2C (xi* - xi), as derived below.
- S is minus infinity outside the domains given below, so that (12) is for the alpha inside them.
- Algorithm 1 leaves the first d open and ends on h <= theta. Here d starts with equal shares, and
  the end is a small gap between the least F seen and the value of the linear programme.
- Proposition 1 splits what is left of the budget equally among the groups that are bought in part.
  Such a d fits the conditions on d alone, but alpha need not be the best one there: not used.

Everything is dense and solved from scratch: for some 60 rows, 12 columns and 8 groups.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

LOSSES = ("squared_hinge", "hinge", "squared_epsilon_insensitive", "epsilon_insensitive")
ACCURACY = 1e-8  # of an SVM: the duality gap relative to the objective
NOTHING = 1e-11  # a gap is none below this, in parts of C times rows: objectives can be 0
EDGE = 1e-9  # an alpha this far outside its domain, in parts of C, is rounding
TIE = 1e-8  # a larger set must be better by more than this, relatively


class Machine(NamedTuple):
    """A support vector machine: f(x) = <w, x> + b on columns that are not scaled."""

    objective: float
    w: np.ndarray
    b: float
    alpha: np.ndarray


class Relaxed(NamedTuple):
    """The relaxation: F(d) = upper, its least value is at least lower."""

    d: np.ndarray
    upper: float
    lower: float
    iterations: int
    values: list[float]  # theta, the objective of (14), after each cut


# Losses and their part of the dual


def is_regression(loss):
    if loss not in LOSSES:
        raise ValueError(f"unknown loss {loss!r}")
    return loss.endswith("epsilon_insensitive")


def total_loss(y, f, loss, epsilon=0.1):
    """The sum over rows of max(0, excess), squared or not."""
    excess = np.abs(y - f) - epsilon if is_regression(loss) else 1.0 - y * f
    slack = np.maximum(0.0, excess)
    return float(np.sum(slack**2 if loss.startswith("squared") else slack))


def dual_squared_hinge(alpha, y, C):
    """S for max(0, 1 - y f)^2.

    Per row, with the slack xi and multipliers beta for xi >= 1 - y f, tau for xi >= 0:

        min over f, xi of  C xi^2 + alpha f + beta (1 - y f - xi) - tau xi.

    f is free, so alpha = beta y, that is beta = alpha y >= 0. In xi: 2 C xi = beta + tau, which
    leaves beta - (beta + tau)^2 / (4C), largest at tau = 0. So S = sum beta - sum beta^2 / (4C),
    minus infinity if some alpha y < 0, and at the optimum beta = 2 C xi, alpha = 2 C y xi.
    """
    beta = alpha * y
    if np.any(beta < -EDGE * C):
        return -np.inf
    return float(np.sum(beta) - np.sum(beta**2) / (4.0 * C))


def dual_hinge(alpha, y, C):
    """S for max(0, 1 - y f).

    As above with C xi in place of C xi^2: again alpha = beta y, but now xi only appears times
    C - beta - tau, which must be 0; with tau >= 0 that is beta <= C. So S = sum beta for
    0 <= alpha y <= C and minus infinity elsewhere. Where y f < 1, beta = C; where y f > 1,
    beta = 0; where y f = 1, the loss does not say.
    """
    beta = alpha * y
    if np.any(beta < -EDGE * C) or np.any(beta > C * (1.0 + EDGE)):
        return -np.inf
    return float(np.sum(beta))


def dual_squared_epsilon_insensitive(alpha, y, C, epsilon):
    """S for max(0, |y - f| - epsilon)^2.

    Per row: xi >= f - y - epsilon with beta >= 0, xi* >= y - f - epsilon with beta* >= 0, and
    xi, xi* >= 0 with multipliers that are 0 at the optimum, as above:

        min over f, xi, xi* of  C (xi^2 + xi*^2) + alpha f
            + beta (f - y - xi - epsilon) + beta* (y - f - xi* - epsilon).

    f is free: alpha + beta - beta* = 0, alpha = beta* - beta. In the slacks: beta = 2 C xi and
    beta* = 2 C xi*, so alpha = 2 C (xi* - xi), positive where f is too small (the print below (19)
    has it reversed). What is left is

        (beta* - beta) y - epsilon (beta* + beta) - (beta^2 + beta*^2) / (4C).

    Adding the same amount to both beta only lowers it, so one of the two is 0, and
    S = sum alpha y - epsilon sum |alpha| - sum alpha^2 / (4C) for every alpha.
    """
    return float(alpha @ y - epsilon * np.sum(np.abs(alpha)) - alpha @ alpha / (4.0 * C))


def dual_epsilon_insensitive(alpha, y, C, epsilon):
    """S for max(0, |y - f| - epsilon).

    As above with C (xi + xi*): the slacks now ask for beta <= C and beta* <= C, and one of the two
    is 0 again. So S = sum alpha y - epsilon sum |alpha| for |alpha| <= C, else minus infinity.
    """
    if np.any(np.abs(alpha) > C * (1.0 + EDGE)):
        return -np.inf
    return float(alpha @ y - epsilon * np.sum(np.abs(alpha)))


def dual_part(alpha, y, C, loss, epsilon=0.1):
    """S(alpha) of one of the four losses."""
    if is_regression(loss):
        squared = dual_squared_epsilon_insensitive
        return (squared if loss.startswith("squared") else dual_epsilon_insensitive)(
            alpha, y, C, epsilon
        )
    return (dual_squared_hinge if loss == "squared_hinge" else dual_hinge)(alpha, y, C)


# A support vector machine


def quadratic_programme(P, q, G, h, z, rounds=200, small=1e-13):
    """The x of least 1/2 x'Px + q'x with Gx <= h and z'x = 0, and the multiplier of z'x = 0.

    Mehrotra's predictor and corrector, a primal-dual interior point method (Nocedal and Wright,
    "Numerical Optimization", 16.6). With slacks s = h - Gx and their multipliers t, both positive
    throughout: Px + q + G't + nu z = 0, Gx + s = h, z'x = 0, and every product t s goes to 0.
    """
    x, nu = np.full(len(q), 0.5), 0.0
    s, t = np.ones(len(h)), np.ones(len(h))
    last = np.inf
    for _ in range(rounds):
        residuals = P @ x + q + G.T @ t + nu * z, G @ x + s - h, z @ x
        mean = t @ s / len(h)
        worst = max(np.abs(r).max() for r in residuals)
        if mean < small and (worst < 100 * small or worst >= last):
            break  # good, or as good as rounding allows
        last = worst
        try:
            _, _, ds, dt = newton_step(P, G, z, s, t, residuals, t * s)
            length = longest_step(s, t, ds, dt)
            share = ((t + length * dt) @ (s + length * ds) / len(h) / mean) ** 3
            wanted = t * s + ds * dt - share * mean
            dx, dnu, ds, dt = newton_step(P, G, z, s, t, residuals, wanted)
        except np.linalg.LinAlgError:
            break  # equal rows can make it singular to rounding, near the end; see the check in svm
        length = 0.995 * longest_step(s, t, ds, dt)
        x, nu, s, t = x + length * dx, nu + length * dnu, s + length * ds, t + length * dt
    return x, nu


def newton_step(P, G, z, s, t, residuals, products):
    """Moves of x, nu, s and t that take away the residuals and this much of the products t s."""
    dual, primal, balance = residuals
    system = np.zeros((len(z) + 1, len(z) + 1))
    system[:-1, :-1] = P + G.T @ np.diag(t / s) @ G
    system[:-1, -1] = system[-1, :-1] = z
    right = -dual + G.T @ ((products - t * primal) / s)
    # The diagonal has huge entries near the end: take out its size, then solve.
    unit = 1.0 / np.sqrt(np.diag(system)[:-1])
    unit = np.append(unit, 1.0 / np.linalg.norm(z * unit))
    move = unit * np.linalg.solve(unit[:, None] * system * unit, unit * np.append(right, -balance))
    dx, dnu = move[:-1], move[-1]
    ds = -primal - G @ dx
    return dx, dnu, ds, -(products + t * ds) / s


def longest_step(s, t, ds, dt):
    """The part of a step, at most all of it, before some s or t is negative."""
    now, change = np.append(s, t), np.append(ds, dt)
    return min(1.0, np.min(-now[change < 0] / change[change < 0], initial=np.inf))


def multipliers(K, y, C, loss, epsilon):
    """The alpha of the largest S(alpha) - 1/2 alpha'K alpha with sum(alpha) = 0, and the bias.

    In x = beta / C: (16) for the hinges, with alpha = C y x; (18) for the others, with
    x = (beta*, beta) / C and alpha = beta* - beta. The multiplier of sum(alpha) = 0 is b.
    """
    one = np.eye(len(y))
    if is_regression(loss):
        to_alpha = C * np.hstack([one, -one])
        gain = np.append(y - epsilon, -y - epsilon)
    else:
        to_alpha = C * np.diag(y)
        gain = np.ones(len(y))
    count = len(gain)
    P = to_alpha.T @ K @ to_alpha / C
    G, h = -np.eye(count), np.zeros(count)
    if loss.startswith("squared"):
        P = P + 0.5 * np.eye(count)
    else:
        G, h = np.vstack([G, np.eye(count)]), np.append(h, np.ones(count))
    x, b = quadratic_programme(P, -gain, G, h, to_alpha.sum(axis=0) / C)
    return to_alpha @ x, b


def svm(X, y, scale, C, loss, epsilon=0.1):
    """The least 1/2 ||v||^2 + C sum loss(y, X_scaled v + b), and where it is.

    Columns are multiplied by `scale`, which is sqrt(d) of their group; w = scale * v, for the
    columns as they are. The gap to the dual value proves the accuracy; too large a gap raises.
    """
    X, y, scale = np.asarray(X, float), np.asarray(y, float), np.asarray(scale, float)
    if not is_regression(loss) and set(y) != {-1.0, 1.0}:
        raise ValueError("the hinges need both classes, -1 and 1")
    scaled = X * scale
    alpha, b = multipliers(scaled @ scaled.T, y, C, loss, epsilon)
    v = scaled.T @ alpha
    objective = 0.5 * v @ v + C * total_loss(y, scaled @ v + b, loss, epsilon)
    gap = objective - (dual_part(alpha, y, C, loss, epsilon) - 0.5 * v @ v)
    if not gap <= ACCURACY * objective + NOTHING * C * len(y):
        raise ArithmeticError(f"objective {objective} with a gap of {gap}")
    return Machine(float(objective), scale * v, float(b), alpha)


# The relaxation, by cutting planes


def column_scale(columns, groups, d):
    """sqrt(d) of the group of each column; a column of no group is not used."""
    scale = np.zeros(columns)
    for group, share in zip(groups, d, strict=True):
        scale[list(group)] = np.sqrt(share)
    return scale


def cut(X, y, groups, alpha, C, loss, epsilon=0.1):
    """h(alpha, d) = start + slopes . d, at most F(d) for every d."""
    slopes = [-0.5 * np.sum((X[:, list(group)].T @ alpha) ** 2) for group in groups]
    return dual_part(alpha, y, C, loss, epsilon), np.array(slopes)


def master(cuts, prices, budget):
    """The linear programme (14) over d and theta: the next d, and theta."""
    starts = np.array([start for start, _ in cuts])
    slopes = np.array([slope for _, slope in cuts])
    unit = max(1e-12, np.abs(starts).max())  # so that the solver's tolerances are relative
    rows = np.column_stack([slopes / unit, -np.ones(len(cuts))])
    result = linprog(
        np.append(np.zeros(len(prices)), 1.0),
        A_ub=np.vstack([rows, np.append(prices, 0.0)]),
        b_ub=np.append(-starts / unit, budget),
        bounds=[(0.0, 1.0)] * len(prices) + [(None, None)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not result.success:
        raise ArithmeticError(result.message)
    return np.clip(result.x[:-1], 0.0, 1.0), float(result.fun) * unit


def relaxed(X, y, groups, prices, budget, C, loss, epsilon=0.1, tol=1e-6, max_iter=500):
    """Algorithm 1: the least F(d) with 0 <= d <= 1 and prices . d <= budget.

    Ends when upper - lower <= tol * upper, or after max_iter cuts.
    """
    X, y, prices = np.asarray(X, float), np.asarray(y, float), np.asarray(prices, float)
    total = prices.sum()
    d = np.full(len(groups), 1.0 if total <= budget else budget / total)
    best, upper, cuts, values = d, np.inf, [], []
    while len(cuts) < max_iter:
        machine = svm(X, y, column_scale(X.shape[1], groups, d), C, loss, epsilon)
        if machine.objective < upper:
            best, upper = d, machine.objective
        cuts.append(cut(X, y, groups, machine.alpha, C, loss, epsilon))
        d, theta = master(cuts, prices, budget)
        values.append(theta)
        if upper - theta <= tol * upper + NOTHING * C * len(y):
            break
    return Relaxed(best, upper, max(values), len(cuts), values)


# The problem before the relaxation


def best_integer(X, y, groups, prices, budget, C, loss, epsilon=0.1):
    """The least objective on an affordable set of groups, and the set: (objective, groups).

    Tries all of them, smaller ones first; the others have w = 0.
    """
    X, prices = np.asarray(X, float), np.asarray(prices, float)
    least, chosen = np.inf, ()
    for size in range(len(groups) + 1):
        for some in combinations(range(len(groups)), size):
            if prices[list(some)].sum() > budget * (1.0 + 1e-9):
                continue
            d = [float(m in some) for m in range(len(groups))]
            machine = svm(X, y, column_scale(X.shape[1], groups, d), C, loss, epsilon)
            if machine.objective < least - TIE * abs(least) or not np.isfinite(least):
                least, chosen = machine.objective, some
    return least, chosen
