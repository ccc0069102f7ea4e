"""Generated problems for the acquisition of features, with known facts to compare with.

Of CUBE, CUBE-NM and the context problem the exact class probabilities given any known columns can
be computed (`cube_posterior` and its siblings): a reference for every learner. Of the three Syn
problems it is known which columns are relevant to each row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logsumexp, ndtr
from sklearn.utils import check_random_state

from ..costs.costs import Costs
from ..types import Flags, Floats, Ints

#: Classes of CUBE, and the columns of CUBE and of a block of CUBE-NM.
N_CLASSES, CUBE_COLUMNS, BLOCK_COLUMNS = 8, 20, 10
#: Contexts of CUBE-NM and of the context problem.
N_CONTEXTS = 5
#: The noise of the one-hot context of CUBE-NM, and mean and deviation of columns without a bit.
CONTEXT_NOISE, BLOCK_MEAN, BLOCK_NOISE = 0.1, 0.5, 0.3
#: The weights of a block of the context problem, and the noise of its signal.
CONTEXT_WEIGHTS, SIGNAL_NOISE = (1.0, 1.0, 0.8, 0.6), 0.3
#: The columns of each logit of the Syn problems; the last column chooses between two of them.
SYN_COLUMNS = ((0, 1), (2, 3, 4, 5), (6, 7, 8, 9))
_SYN_LOGITS = {1: (0, 1), 2: (0, 2), 3: (1, 2)}
#: The lowest three bits of each class, the lowest first (classes, 3).
_BITS = (np.arange(N_CLASSES)[:, None] >> np.arange(3)) & 1


def make_cube(
    n_samples: int = 1000, *, noise: float = 0.3, random_state: Any = None
) -> tuple[Floats, Ints]:
    """Return rows of the CUBE problem: 20 columns, of which three tell a class of eight.

    All columns are uniform on [0, 1], but of a row of class y the columns y, y + 1 and y + 2 hold
    the bits of y, the lowest first, plus Gaussian noise. Which columns to look at next depends on
    what was seen.

    Parameters
    ----------
    n_samples : int
        The number of rows.
    noise : float
        The standard deviation of the noise: 0.1 (Shim et al., NeurIPS 2018) or 0.3.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    X : float array (rows, 20)
    y : int array (rows,)

    Examples
    --------
    >>> from scrimp.datasets import cube_posterior, make_cube
    >>> X, y = make_cube(2000, noise=0.1, random_state=0)
    >>> known = cube_posterior(X, noise=0.1)
    >>> round(float((known.argmax(axis=1) == y).mean()), 2)
    0.98
    """
    rng = check_random_state(random_state)
    y = rng.randint(N_CLASSES, size=n_samples)
    X = rng.uniform(size=(n_samples, CUBE_COLUMNS))
    _write_bits(X, y, np.zeros(n_samples, dtype=np.int64), noise, rng)
    return X, y


def make_cube_nm(
    n_samples: int = 1000, *, noise: float = 0.3, random_state: Any = None
) -> tuple[Floats, Ints]:
    """Return rows of CUBE-NM: as CUBE in one of five blocks, which a context names.

    The first five columns are a one-hot context plus noise of 0.1; they tell nothing of the class
    and are one item (`cube_nm_costs`). Five blocks of ten columns follow, Gaussian around 0.5;
    in the block of the context three columns hold the bits of the class. One-step greedy choices
    do not buy the context first, which is best ("NM" is for non-myopic).

    Parameters
    ----------
    n_samples, noise, random_state
        As in `make_cube`.

    Returns
    -------
    X : float array (rows, 55)
    y : int array (rows,)

    Examples
    --------
    >>> from scrimp.datasets import make_cube_nm
    >>> X, y = make_cube_nm(500, random_state=0)
    >>> X.shape, int(y.max())
    ((500, 55), 7)
    """
    rng = check_random_state(random_state)
    y, context = rng.randint(N_CLASSES, size=n_samples), rng.randint(N_CONTEXTS, size=n_samples)
    one_hot = np.eye(N_CONTEXTS)[context] + CONTEXT_NOISE * rng.normal(size=(n_samples, N_CONTEXTS))
    shape = (n_samples, N_CONTEXTS * BLOCK_COLUMNS)
    blocks = BLOCK_MEAN + BLOCK_NOISE * rng.normal(size=shape)
    _write_bits(blocks, y, BLOCK_COLUMNS * context, noise, rng)
    return np.hstack([one_hot, blocks]), y


def cube_nm_costs() -> Costs:
    """Return the items of CUBE-NM, at a price of 1 each: the context, and every other column."""
    columns = range(N_CONTEXTS, N_CONTEXTS * (BLOCK_COLUMNS + 1))
    labels = ["context"] * N_CONTEXTS + [f"x{column}" for column in columns]
    return Costs.per_group(labels, dict.fromkeys(labels, 1.0))


def make_context(n_samples: int = 1000, *, random_state: Any = None) -> tuple[Floats, Ints]:
    """Return rows of the context problem: the first column names the block that matters.

    Column 0 is a context, 0 to 4; five blocks of four standard normal columns follow. The class
    is 1 if the block of the context, times (1, 1, 0.8, 0.6), plus noise of 0.3 is positive.

    Parameters
    ----------
    n_samples, random_state
        As in `make_cube`.

    Returns
    -------
    X : float array (rows, 21)
    y : int array (rows,)

    Examples
    --------
    >>> from scrimp.datasets import context_posterior, make_context
    >>> X, y = make_context(2000, random_state=0)
    >>> round(float((context_posterior(X).argmax(axis=1) == y).mean()), 2)
    0.95
    """
    rng = check_random_state(random_state)
    n_columns = len(CONTEXT_WEIGHTS)
    context = rng.randint(N_CONTEXTS, size=n_samples)
    blocks = rng.normal(size=(n_samples, N_CONTEXTS, n_columns))
    signal = blocks[np.arange(n_samples), context] @ np.array(CONTEXT_WEIGHTS)
    y = (signal + SIGNAL_NOISE * rng.normal(size=n_samples) > 0).astype(np.int64)
    return np.column_stack([context, blocks.reshape(n_samples, -1)]), y


def make_syn(
    n_samples: int = 1000, *, rule: int = 1, random_state: Any = None
) -> tuple[Floats, Ints]:
    """Return rows of the problem Syn1, Syn2 or Syn3: the last column chooses what is relevant.

    Eleven standard normal columns. The class is 1 with probability ``expit(-logit)``, where the
    sign of the last column chooses one of two logits, each of other columns (`syn_relevant`).
    The logits are those of Norcliffe et al., ICML 2025, after Yoon et al., ICLR 2019.

    Parameters
    ----------
    n_samples, random_state
        As in `make_cube`.
    rule : {1, 2, 3}
        The number of the problem.

    Returns
    -------
    X : float array (rows, 11)
    y : int array (rows,)

    Examples
    --------
    >>> from scrimp.datasets import make_syn, syn_relevant
    >>> X, y = make_syn(20_000, rule=3, random_state=0)
    >>> round(float(syn_relevant(X, rule=3).sum(axis=1).mean()), 2)
    5.0
    """
    rng = check_random_state(random_state)
    X = rng.normal(size=(n_samples, SYN_COLUMNS[-1][-1] + 2))
    return X, (rng.uniform(size=n_samples) < expit(-_syn_logit(X, rule))).astype(np.int64)


def syn_relevant(X: NDArray[Any], *, rule: int = 1) -> Flags:
    """Return which columns are relevant to each row of a Syn problem (rows, columns)."""
    first, second = (_flags(SYN_COLUMNS[logit], X.shape[1]) for logit in _logits_of(rule))
    relevant = np.where((X[:, -1] < 0)[:, None], first, second)
    relevant[:, -1] = True
    return np.asarray(relevant)


def cube_posterior(X: NDArray[Any], known: ArrayLike = True, *, noise: float = 0.3) -> Floats:
    """Return the exact class probabilities of CUBE, given the known columns.

    Parameters
    ----------
    X : float array (rows, 20)
        Values; those that are not known have no influence.
    known : bool array (columns,) or (rows, columns)
        Which columns are known; by default all.
    noise : float
        As in `make_cube`.
    """
    seen = np.broadcast_to(np.asarray(known, dtype=bool), X.shape)
    uniform = np.where((X >= 0) & (X <= 1), 0.0, -np.inf)
    return _shares(_bit_logs(X, seen, uniform, noise))


def cube_nm_posterior(X: NDArray[Any], known: ArrayLike = True, *, noise: float = 0.3) -> Floats:
    """Return the exact class probabilities of CUBE-NM; arguments as in `cube_posterior`."""
    seen = np.broadcast_to(np.asarray(known, dtype=bool), X.shape)
    contexts, blocks = np.split(X, [N_CONTEXTS], axis=1)
    near = _normal_logs(contexts[:, None], np.eye(N_CONTEXTS), CONTEXT_NOISE)
    of_context = np.where(seen[:, None, :N_CONTEXTS], near, 0.0).sum(axis=2)
    plain = _normal_logs(blocks, BLOCK_MEAN, BLOCK_NOISE)
    joint = []
    for context in range(N_CONTEXTS):
        own = slice(context * BLOCK_COLUMNS, (context + 1) * BLOCK_COLUMNS)
        in_block = _bit_logs(blocks[:, own], seen[:, N_CONTEXTS:][:, own], plain[:, own], noise)
        others = np.where(seen[:, N_CONTEXTS:], plain, 0.0)
        rest = others.sum(axis=1) - others[:, own].sum(axis=1)
        joint.append(in_block + (of_context[:, context] + rest)[:, None])
    return _shares(np.asarray(logsumexp(np.stack(joint), axis=0)))


def context_posterior(X: NDArray[Any], known: ArrayLike = True) -> Floats:
    """Return the exact class probabilities of the context problem.

    Arguments as in `cube_posterior`.
    """
    seen = np.broadcast_to(np.asarray(known, dtype=bool), X.shape)
    weights, n = np.array(CONTEXT_WEIGHTS), len(X)
    shape = (n, N_CONTEXTS, len(weights))
    blocks, seen_blocks = X[:, 1:].reshape(shape), seen[:, 1:].reshape(shape)
    mean = (np.where(seen_blocks, blocks, 0.0) * weights).sum(axis=2)
    variance = SIGNAL_NOISE**2 + (~seen_blocks * weights**2).sum(axis=2)
    of_context = ndtr(mean / np.sqrt(variance))
    named = np.where(seen[:, 0], X[:, 0], 0).astype(np.int64)
    of_named = of_context[np.arange(n), named]
    second = np.where(seen[:, 0], of_named, of_context.mean(axis=1))
    return np.column_stack([1.0 - second, second])


def _write_bits(X: Floats, y: Ints, first: Ints, noise: float, rng: Any) -> None:
    """Write the bits of each row's class, with noise, into three columns from first + class."""
    columns = (first + y)[:, None] + np.arange(3)
    X[np.arange(len(y))[:, None], columns] = _BITS[y] + noise * rng.normal(size=columns.shape)


def _normal_logs(x: Floats, mean: Any, deviation: float) -> Floats:
    """Return logarithms of normal densities."""
    scaled = (x - mean) / deviation
    return np.asarray(-0.5 * scaled**2 - np.log(deviation) - 0.5 * np.log(2.0 * np.pi))


def _bit_logs(X: Floats, seen: Flags, plain: Floats, noise: float) -> Floats:
    """Return the log-likelihood of the known columns under each class (rows, classes)."""
    logs = []
    for label in range(N_CLASSES):
        columns = plain.copy()
        own = slice(label, label + 3)
        columns[:, own] = _normal_logs(X[:, own], _BITS[label], noise)
        logs.append(np.where(seen, columns, 0.0).sum(axis=1))
    return np.stack(logs, axis=1)


def _shares(logs: Floats) -> Floats:
    """Return probabilities in proportion to exponentials; equal ones where all are 0."""
    top = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - np.where(np.isfinite(top), top, 0.0))
    weights[~np.isfinite(top[:, 0])] = 1.0
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _flags(columns: tuple[int, ...], n: int) -> Flags:
    return np.isin(np.arange(n), columns)


def _logits_of(rule: int) -> tuple[int, int]:
    """Return the two logits of a Syn problem."""
    if rule not in _SYN_LOGITS:
        raise ValueError(f"rule is {rule!r}; expected 1, 2 or 3.")
    return _SYN_LOGITS[rule]


def _syn_logit(X: Floats, rule: int) -> Floats:
    """Return the logit that each row's class is drawn by."""
    logits = (
        4.0 * X[:, 0] * X[:, 1],
        1.2 * (X[:, 2:6] ** 2).sum(axis=1) - 4.2,
        -10.0 * np.sin(0.2 * X[:, 6]) + np.abs(X[:, 7]) + X[:, 8] + np.exp(-X[:, 9]) - 2.4,
    )
    first, second = _logits_of(rule)
    return np.where(X[:, -1] < 0, logits[first], logits[second])
