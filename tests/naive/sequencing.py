"""Naive twin of feature-group sequencing: Hu (2019), chapter 3, Algorithms 2 to 5.

Every model is refitted from scratch at every step, as in the thesis, and every optimum is
found by trying all subsets. Written from the thesis and not from the fast code. Slow on
purpose. Where the thesis slips: Algorithm 3 is titled CS-G-OMP and is CS-G-FR; ``C = X'X``
in the algorithms lacks the 1/n and the ridge of section 3.2.1, and so does the whitening
``(X_g'X_g)^-1``, here ``C_gg^-1`` as in Lemma 3.3.4; Eq. 3.16 is not doubling capable (after
the item of price 1 every other one costs more than was spent), so that Algorithm 4 needs a
rule for that case even there.

Groups are disjoint lists of column numbers. The ridge constant lambda is ``alpha`` here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

BUDGET_SLACK = 1e-9  # relative
TIE = 1e-9  # a later candidate must be better by more than this, relatively
NO_VALUE = 1e-12  # per response: a value up to this is none
RANK = 1e-10  # eigenvalues up to this, relative to the largest, are 0

Floats = NDArray[np.float64]
Groups = Sequence[Sequence[int]]
SetFunction = Callable[[frozenset[int]], float]


# --- The linear model: Eq. 3.2 to 3.7 ---------------------------------------------------


def standardise(A: ArrayLike, weight: ArrayLike | None = None) -> Floats:
    """Columns of weighted mean 0 and variance 1; a constant column becomes 0."""
    A = np.array(A, dtype=float)
    A = A.reshape(len(A), -1)
    w = np.ones(len(A)) if weight is None else np.asarray(weight, dtype=float)
    out = np.zeros(A.shape)
    for d in range(A.shape[1]):
        counted = A[w > 0, d]
        if counted.max() == counted.min():
            continue
        mean = np.sum(w * A[:, d]) / np.sum(w)
        variance = np.sum(w * (A[:, d] - mean) ** 2) / np.sum(w)
        out[:, d] = (A[:, d] - mean) / math.sqrt(variance)
    return out


def normalise(X: ArrayLike, Y: ArrayLike, weight: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """Columns and responses (rows x responses) of weighted mean 0 and variance 1."""
    return standardise(X, weight), standardise(Y, weight)


def coefficients(X: Floats, Y: Floats, columns: Sequence[int], alpha: float) -> Floats:
    """The ridge optimum w(S) of Eq. 3.4, the shortest one if there are several.

    It minimises ||Y - X_S w||^2 + n alpha ||w||^2, which is the plain least squares problem
    with a row sqrt(n alpha) e_d, of response 0, added for every column d.
    """
    columns = list(columns)
    extra = math.sqrt(len(X) * alpha) * np.eye(len(columns))
    rows = np.vstack([X[:, columns], extra])
    responses = np.vstack([Y, np.zeros((len(columns), Y.shape[1]))])
    return np.linalg.lstsq(rows, responses, rcond=None)[0]


def explained(X: Floats, Y: Floats, columns: Sequence[int], alpha: float) -> float:
    """F(S) of Eq. 3.3; X and Y are normalised already, Y is rows x responses."""
    columns = list(columns)
    if not columns:
        return 0.0
    w = coefficients(X, Y, columns, alpha)
    residual = Y - X[:, columns] @ w
    gained = (np.sum(Y**2) - np.sum(residual**2)) / (2 * len(X))
    return float(gained - alpha / 2 * np.sum(w**2))


def gradient(
    X: Floats, Y: Floats, columns: Sequence[int], g: Sequence[int], alpha: float
) -> Floats:
    """b_g of Eq. 3.6, for a group g outside the columns: len(g) x responses."""
    columns = list(columns)
    residual = Y - X[:, columns] @ coefficients(X, Y, columns, alpha) if columns else Y
    return X[:, list(g)].T @ residual / len(X)


def covariance(X: Floats, columns: Sequence[int], alpha: float) -> Floats:
    """C_S = X_S'X_S / n + alpha I."""
    columns = list(columns)
    return X[:, columns].T @ X[:, columns] / len(X) + alpha * np.eye(len(columns))


def inverse_root(C: Floats) -> Floats:
    """A V with V'CV = I, on the part of the space where C is not 0."""
    values, vectors = np.linalg.eigh(C)
    kept = values > RANK * max(values.max(), 0.0)
    return vectors[:, kept] / np.sqrt(values[kept])


def columns_of(groups: Groups, chosen: Sequence[int]) -> list[int]:
    """The columns of the chosen groups, in their order."""
    return [d for g in chosen for d in groups[g]]


# --- The sequences: Algorithms 2, 3 and 4 -----------------------------------------------


def sequence(
    value: Callable[[list[int], int], float],
    prices: Sequence[float],
    responses: int,
    budget: float,
    doubling: bool,
) -> list[int]:
    """Greedy order by value(chosen, g) / price.

    Groups without value are left alone. Free groups come first, the most valuable of them
    first. A group that does not fit into the rest of the budget is passed over. With doubling,
    a group may not cost more than everything before it; where no group qualifies, as at the
    start, the cheapest may.
    """
    chosen: list[int] = []
    while True:
        spent = sum(prices[g] for g in chosen)
        left = [g for g in range(len(prices)) if g not in chosen]
        affordable = [g for g in left if spent + prices[g] <= budget * (1 + BUDGET_SLACK)]
        values = {g: value(chosen, g) for g in affordable}
        candidates = [g for g in affordable if values[g] > NO_VALUE * responses]
        if doubling and candidates:
            candidates = doubling_candidates(candidates, prices, spent)
        if not candidates:
            return chosen
        free = [g for g in candidates if prices[g] == 0]
        if free:
            chosen.append(first_best(free, [values[g] for g in free]))
        else:
            chosen.append(first_best(candidates, [values[g] / prices[g] for g in candidates]))


def doubling_candidates(left: list[int], prices: Sequence[float], spent: float) -> list[int]:
    """Those that at most double what was spent; where there are none, the cheapest."""
    qualified = [g for g in left if prices[g] <= spent]
    if qualified:
        return qualified
    cheapest = min(prices[g] for g in left)
    return [g for g in left if prices[g] == cheapest]


def first_best(candidates: Sequence[int], scores: Sequence[float]) -> int:
    """The candidate of the largest score, the first one of equals."""
    best, best_score = candidates[0], scores[0]
    for g, score in zip(candidates[1:], scores[1:], strict=True):
        if score > best_score + TIE * abs(best_score):
            best, best_score = g, score
    return best


def forward(
    X: ArrayLike,
    Y: ArrayLike,
    groups: Groups,
    prices: Sequence[float],
    alpha: float,
    budget: float = math.inf,
    doubling: bool = False,
) -> list[int]:
    """CS-G-FR, Algorithm 3; with doubling, Algorithm 4. The value is the gain in F."""
    X, Y = normalise(X, Y)

    def gain(chosen: list[int], g: int) -> float:
        after = explained(X, Y, columns_of(groups, [*chosen, g]), alpha)
        return after - explained(X, Y, columns_of(groups, chosen), alpha)

    return sequence(gain, prices, Y.shape[1], budget, doubling)


def pursue(
    X: ArrayLike,
    Y: ArrayLike,
    groups: Groups,
    prices: Sequence[float],
    alpha: float,
    whiten: str = "group",
    budget: float = math.inf,
    doubling: bool = False,
) -> list[int]:
    """CS-G-OMP, Algorithm 2, and its variants no-whiten and single of section 3.2.3."""
    X, Y = normalise(X, Y)

    def value(chosen: list[int], g: int) -> float:
        b = gradient(X, Y, columns_of(groups, chosen), groups[g], alpha)
        if whiten == "group":
            C = covariance(X, groups[g], alpha)
            return float(np.trace(b.T @ np.linalg.pinv(C, rcond=RANK, hermitian=True) @ b))
        if whiten == "none":
            return float(np.sum(b**2))
        if whiten == "single":
            return float(max(np.sum(row**2) for row in b))
        raise ValueError(whiten)

    return sequence(value, prices, Y.shape[1], budget, doubling)


# --- The theorems -----------------------------------------------------------------------


def subsets(items: Sequence[int]) -> Iterator[frozenset[int]]:
    """All subsets, the empty one too."""
    for size in range(len(items) + 1):
        for subset in combinations(items, size):
            yield frozenset(subset)


def prefix(order: Sequence[int], prices: Sequence[float], budget: float) -> list[int]:
    """G_<B>: what of the order was bought at budget B. It waits for a dear group."""
    bought: list[int] = []
    spent = 0.0
    for g in order:
        spent += prices[g]
        if spent > budget * (1 + BUDGET_SLACK):
            break
        bought.append(g)
    return bought


def best_subset(
    X: ArrayLike,
    Y: ArrayLike,
    groups: Groups,
    prices: Sequence[float],
    alpha: float,
    budget: float,
) -> float:
    """The largest F over all subsets of the groups of price up to the budget."""
    if len(groups) > 12:
        raise ValueError("too many groups to try all subsets")
    X, Y = normalise(X, Y)
    return best_on(lambda S: explained(X, Y, columns_of(groups, sorted(S)), alpha), prices, budget)


def whitened_gamma(X: ArrayLike, groups: Groups, alpha: float) -> float:
    """Gamma of Theorem 3.3.2 for any data: least eigenvalue of D^-1/2 C D^-1/2.

    D = blockdiag(C_gg). If the groups are whitened (X_g'X_g/n = I), then C_gg = (1 + alpha) I,
    the matrix is C / (1 + alpha), and its least eigenvalue is (lambda* + alpha) / (1 + alpha),
    with lambda* that of X'X/n: the constant of the thesis.

    Lemma 3.3.1 holds with it for any data. By definition C >= gamma D (for matrices), also on
    the columns of G and S alone. F is quadratic and the gradient b at w(G) is 0 on G, so that

        F(S) - F(G) <= F(G + S) - F(G) = 1/2 b'(C_{G+S})^-1 b <= 1/(2 gamma) b'(D_{G+S})^-1 b
                    = 1/(2 gamma) sum_{s in S - G} b_s'(C_ss)^-1 b_s
                    <= 1/(2 gamma) sum_{s in S} c(s) b_h'(C_hh)^-1 b_h / c(h),

    h the next group of CS-G-OMP; and 1/2 b_h'(C_hh)^-1 b_h <= F(G + h) - F(G), since the right
    side is the same with the Schur complement C_hh - C_hG (C_GG)^-1 C_Gh <= C_hh in the place
    of C_hh. CS-G-FR takes the largest (F(G + h) - F(G)) / c(h), no less than that of h.

    Directions in which a group has no variance at all (alpha = 0) are left out: F and b do not
    see them.
    """
    X = standardise(X)
    columns = [d for g in groups for d in g]
    C = covariance(X, columns, alpha)
    blocks = []
    start = 0
    for g in groups:
        end = start + len(g)
        root = inverse_root(C[start:end, start:end])
        block = np.zeros((len(columns), root.shape[1]))
        block[start:end] = root
        blocks.append(block)
        start = end
    half = np.hstack(blocks)
    if half.shape[1] == 0:
        return 1.0  # nothing but constant columns
    return max(float(np.linalg.eigvalsh(half.T @ C @ half).min()), 0.0)


def submodularity_ratio(F: SetFunction, n: int) -> float:
    """The gamma of Eq. 3.15, the largest up to 1, by trying all A' <= A and x outside A."""
    value = {S: F(S) for S in subsets(range(n))}
    gamma = 1.0
    for A in value:
        for x in set(range(n)) - A:
            large = value[A | {x}] - value[A]
            if large <= NO_VALUE:
                continue  # no demand on gamma
            for part in subsets(sorted(A)):
                small = value[part | {x}] - value[part]
                gamma = min(gamma, small / large)
    return max(gamma, 0.0)


def doubling_on(F: SetFunction, costs: Sequence[float]) -> list[int]:
    """Algorithm 4 for any set function of the items 0, 1, ...: the order of all items.

    Where no item qualifies ("not doubling capable", Def. 3.4.2) the cheapest ones do.
    """
    order: list[int] = []
    while len(order) < len(costs):
        left = [x for x in range(len(costs)) if x not in order]
        allowed = doubling_candidates(left, costs, sum(costs[x] for x in order))
        order.append(best_rate(F, costs, order, allowed))
    return order


def greedy_on(F: SetFunction, costs: Sequence[float]) -> list[int]:
    """Algorithm 3 for any set function: as Algorithm 4, but any item may come next."""
    order: list[int] = []
    while len(order) < len(costs):
        left = [x for x in range(len(costs)) if x not in order]
        order.append(best_rate(F, costs, order, left))
    return order


def best_rate(
    F: SetFunction, costs: Sequence[float], order: Sequence[int], allowed: Sequence[int]
) -> int:
    """The allowed item of the largest gain per cost."""
    G = frozenset(order)
    return first_best(allowed, [(F(G | {x}) - F(G)) / costs[x] for x in allowed])


def doubling_capable(order: Sequence[int], costs: Sequence[float]) -> bool:
    """Definition 3.4.2: at every step after the first, some item left could be afforded."""
    for j in range(1, len(order)):
        spent = sum(costs[x] for x in order[:j])
        if min(costs[x] for x in order[j:]) > spent:
            return False
    return True


def best_on(F: SetFunction, costs: Sequence[float], budget: float) -> float:
    """The largest F over all subsets of the items of cost up to the budget."""
    best = -math.inf
    for S in subsets(range(len(costs))):
        if sum(costs[x] for x in S) <= budget * (1 + BUDGET_SLACK):
            best = max(best, F(S))
    return best


# --- Generalised linear models: Algorithm 5 ---------------------------------------------


def potential(Z: Floats, phi: str) -> Floats:
    """The convex function phi of each row of Z."""
    if phi == "logistic":  # every response by itself
        return np.sum(np.logaddexp(0.0, Z), axis=1)
    if phi == "multinomial":
        return np.logaddexp.reduce(Z, axis=1)
    if phi == "poisson":
        return np.sum(np.exp(Z), axis=1)
    raise ValueError(phi)


def mean_response(Z: Floats, phi: str) -> Floats:
    """The gradient of phi: E[y|x]."""
    if phi == "logistic":
        return np.exp(-np.logaddexp(0.0, -Z))
    if phi == "multinomial":
        return np.exp(Z - np.logaddexp.reduce(Z, axis=1)[:, None])
    if phi == "poisson":
        return np.exp(Z)
    raise ValueError(phi)


def glm_scores(Z: Floats, Y: Floats, alpha: float, phi: str) -> Floats:
    """W x + intercept of every row at the optimum of Eq. 3.27; the intercept is not penalised."""
    n, responses = Y.shape
    A = np.hstack([np.ones((n, 1)), Z])
    penalty = np.full((A.shape[1], 1), alpha)
    penalty[0] = 0.0

    def risk(flat: Floats) -> tuple[float, Floats]:
        W = flat.reshape(A.shape[1], responses)
        scores = A @ W
        with np.errstate(over="ignore", invalid="ignore"):
            loss = np.mean(potential(scores, phi) - np.sum(Y * scores, axis=1))
            slope = A.T @ (mean_response(scores, phi) - Y) / n + penalty * W
        return float(loss + np.sum(penalty * W**2) / 2), slope.ravel()

    start = np.zeros(A.shape[1] * responses)
    found = minimize(risk, start, jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000})
    if np.max(np.abs(risk(found.x)[1])) > 1e-6:
        raise ArithmeticError(f"no optimum found: {found.message}")
    return A @ found.x.reshape(A.shape[1], responses)


def pursue_glm(
    X: ArrayLike,
    Y: ArrayLike,
    groups: Groups,
    prices: Sequence[float],
    alpha: float,
    phi: str,
) -> list[int]:
    """CS-G-OMP for phi "logistic", "multinomial" (Y one-hot) or "poisson": Algorithm 5.

    Groups are whitened on the normalised columns; Y (rows x responses) is left as it is.
    Which whitening is used does not matter: two differ by a rotation, which changes neither
    the ridge nor the length of the gradient.
    """
    X = standardise(X)
    Y = np.array(Y, dtype=float)
    Y = Y.reshape(len(Y), -1)
    white = [X[:, list(g)] @ inverse_root(covariance(X, g, 0.0)) for g in groups]

    def value(chosen: list[int], g: int) -> float:
        Z = np.hstack([np.empty((len(X), 0)), *[white[h] for h in chosen]])
        residual = mean_response(glm_scores(Z, Y, alpha, phi), phi) - Y
        return float(np.sum((white[g].T @ residual / len(X)) ** 2))

    return sequence(value, prices, Y.shape[1], math.inf, doubling=False)
