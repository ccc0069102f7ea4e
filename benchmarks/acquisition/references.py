"""Reference lines from the known posterior: what policies reach that know the distribution.

A problem has joint hypotheses (of a class, and a context), and under each of them a column holds
noise around one of few levels, or background. The posterior is exact; greedy choices maximise the
mutual information of the next column and the class, by quadrature.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from scrimp.datasets import cube_nm_posterior, cube_posterior, make_cube, make_cube_nm
from scrimp.datasets.acquisition import BLOCK_COLUMNS, N_CLASSES, N_CONTEXTS

#: Rows of a simulation: one standard error is up to 0.8 points.
N_ROWS = 4_000
#: Points of the quadrature over the value of a column.
POINTS = np.linspace(-1.0, 2.0, 61)
NOISE = 0.3
#: Background, the bit 0 and the bit 1.
BACKGROUND, ZERO, ONE = range(3)


@dataclass(frozen=True, eq=False)
class World:
    """A problem with exact posteriors: rows, and what each column holds under each hypothesis."""

    X: np.ndarray
    y: np.ndarray
    class_of: np.ndarray  # (hypotheses,)
    level: np.ndarray  # (columns, hypotheses): background, 0 or 1
    background: np.ndarray  # density of the background at POINTS
    n_context: int  # columns of the context, which is one item
    density: np.ndarray  # (rows, columns, 3): densities of each level at the row's value
    prior: np.ndarray  # (rows, hypotheses): after the context, if it is bought


def cube() -> World:
    """Return CUBE."""
    X, y = make_cube(N_ROWS, random_state=1)
    level = np.zeros((X.shape[1], N_CLASSES), dtype=int)
    for label in range(N_CLASSES):
        for place in range(3):
            level[label + place, label] = 1 + ((label >> place) & 1)
    uniform = ((POINTS >= 0) & (POINTS <= 1)).astype(float)
    density = _densities(X, ((X >= 0) & (X <= 1)).astype(float))
    even = np.full((N_ROWS, N_CLASSES), 1 / N_CLASSES)
    return World(X, y, np.arange(N_CLASSES), level, uniform, 0, density, even)


def cube_nm() -> World:
    """Return CUBE-NM; the context names its block without doubt."""
    X, y = make_cube_nm(N_ROWS, random_state=1)
    hypotheses = [(c, label) for c in range(N_CONTEXTS) for label in range(N_CLASSES)]
    level = np.zeros((N_CONTEXTS * BLOCK_COLUMNS, len(hypotheses)), dtype=int)
    for number, (context, label) in enumerate(hypotheses):
        for place in range(3):
            column = context * BLOCK_COLUMNS + label + place
            level[column, number] = 1 + ((label >> place) & 1)
    blocks = X[:, N_CONTEXTS:]
    contexts = np.array([context for context, _ in hypotheses])
    named = (contexts == X[:, :N_CONTEXTS].argmax(axis=1)[:, None]) / N_CLASSES
    return World(
        blocks, y, np.array([label for _, label in hypotheses]), level,
        norm.pdf(POINTS, 0.5, 0.3), N_CONTEXTS, _densities(blocks, norm.pdf(blocks, 0.5, 0.3)),
        named,
    )  # fmt: skip


def _densities(X: np.ndarray, background: np.ndarray) -> np.ndarray:
    return np.stack([background, norm.pdf(X, 0.0, NOISE), norm.pdf(X, 1.0, NOISE)], axis=2)


def greedy(world: World, budgets: tuple[float, ...], context_first: bool = False) -> list[float]:
    """Return the accuracy of buying the column with the largest mutual information, per row."""
    n, n_columns = world.X.shape
    n_hypotheses = len(world.class_of)
    post = world.prior.copy() if context_first else np.full((n, n_hypotheses), 1 / n_hypotheses)
    owned = np.zeros((n, n_columns), dtype=bool)
    spent, results = int(context_first), []
    for budget in budgets:
        while spent < budget and not owned.all():
            gains = np.where(owned, -np.inf, information(world, post))
            chosen = gains.argmax(axis=1)
            rows = np.arange(n)
            owned[rows, chosen] = True
            seen = np.take_along_axis(world.density[rows, chosen], world.level[chosen], axis=1)
            post = post * seen
            post /= post.sum(axis=1, keepdims=True)
            spent += 1
        results.append(float((_by_class(world, post).argmax(axis=1) == world.y).mean()))
    return results


def information(world: World, post: np.ndarray) -> np.ndarray:
    """Return the mutual information of each column and the class (rows, columns)."""
    at = np.stack([world.background, norm.pdf(POINTS, 0, NOISE), norm.pdf(POINTS, 1, NOISE)])
    at = at / at.sum(axis=1, keepdims=True)
    gains = np.empty((len(post), len(world.level)))
    for column, level in enumerate(world.level):
        # the mass of each class and level, and then the mixture at all points
        mass = np.zeros((len(post), N_CLASSES, 3))
        for number, (label, kind) in enumerate(zip(world.class_of, level, strict=True)):
            mass[:, label, kind] += post[:, number]
        joint = mass @ at  # (rows, classes, points)
        total = joint.sum(axis=1, keepdims=True)
        marginal = joint.sum(axis=2, keepdims=True)
        ratio = np.divide(joint, total * marginal, out=np.ones_like(joint), where=joint > 0)
        gains[:, column] = (joint * np.log(ratio)).sum(axis=(1, 2))
    return gains


def _by_class(world: World, post: np.ndarray) -> np.ndarray:
    shares = np.zeros((len(post), N_CLASSES))
    for number, label in enumerate(world.class_of):
        shares[:, label] += post[:, number]
    return shares


def fixed_order(name: str, budgets: tuple[float, ...]) -> list[float]:
    """Return the accuracy of one greedy order for all rows, with the exact posterior."""
    make, posterior, skip = {
        "cube": (make_cube, cube_posterior, 0),
        "cube_nm": (make_cube_nm, cube_nm_posterior, N_CONTEXTS),
    }[name]
    X, y = make(N_ROWS, random_state=2)
    items = [[column] for column in range(skip, X.shape[1])]
    items += [list(range(skip))] if skip else []
    known, order = np.zeros(X.shape[1], dtype=bool), []
    for _ in range(int(max(budgets))):
        left = [item for item in items if not known[item].any()]
        losses = []
        for item in left:
            known[item] = True
            shares = posterior(X, known)[np.arange(N_ROWS), y]
            losses.append(-np.log(np.maximum(shares, 1e-12)).mean())
            known[item] = False
        best = left[int(np.argmin(losses))]
        known[best] = True
        order.append(best)
    X, y = make(N_ROWS, random_state=1)
    results = []
    for budget in budgets:
        known[:] = False
        known[[column for item in order[: int(budget)] for column in item]] = True
        results.append(float((posterior(X, known).argmax(axis=1) == y).mean()))
    return results


def lines(name: str, budgets: tuple[float, ...]) -> dict[str, list[float]]:
    """Return the reference lines of a problem, by title; none where there are none."""
    if name == "cube":
        world = cube()
        return {
            "exact posterior, fixed order": fixed_order(name, budgets),
            "exact posterior, adaptive greedy": greedy(world, budgets),
        }
    if name == "cube_nm":
        world = cube_nm()
        return {
            "exact posterior, fixed order": fixed_order(name, budgets),
            "exact posterior, adaptive greedy": greedy(world, budgets),
            "exact posterior, context and then greedy": greedy(world, budgets, context_first=True),
        }
    return {}
