"""Tables of the shape and sparsity of large text collections, drawn from a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import norm

from scrimp.types import Floats, Ints

#: The k-th word has a probability in proportion to (k + SHIFT)^-POWER (Zipf and Mandelbrot).
POWER = 1.05
SHIFT = 10.0
#: Sizes of texts differ: the standard deviation of the logarithm of how many words one has.
SPREAD = 0.5
#: Informative words as a part of all; the more frequent a word, the likelier it is one.
TRUE = 0.2
#: Texts that are drawn at a time; more take more memory.
_BLOCK = 2_000


def generated(
    shape: tuple[int, int], nonzeros: float, *, strength: float = 0.9, noise: float = 0.01,
    classes: bool = True, seed: int = 0,
) -> tuple[Any, Floats]:  # fmt: skip
    """Return rows like texts, and labels or numbers that depend on their words.

    Columns are as frequent as words are; values are as those of tf-idf, in rows of length 1. A
    word is exp(b) times as likely in texts of one class as in those of the other, and b, which is
    also its coefficient in the best linear model of counts, is 0 for four fifths. Where
    numbers are predicted, a text mixes the words of both ends. No dense array of this shape is
    made.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    nonzeros : float
        Of a row, in the mean, about.
    strength : float
        The standard deviation of b where it is not 0. The more words a row has the less it takes.
    noise : float
        The part of labels that are turned round, or the standard deviation of normal errors of
        numbers, which have a variance of 1 without them.
    classes : bool
        Whether there are labels, -1 and 1, or numbers.
    seed : int
        Seeds all random draws.

    Returns
    -------
    X : CSR matrix
    y : float array (rows,)

    Examples
    --------
    >>> X, y = generated((500, 2000), 40)
    >>> X.shape, 35 < X.nnz / 500 < 45
    ((500, 2000), True)
    """
    rng = np.random.default_rng(seed)
    n, d = shape
    ends = _chances(d, strength, rng)
    if classes:
        share = rng.integers(0, 2, n).astype(np.float64)
        turned = np.where(rng.random(n) < noise, -1.0, 1.0)
        y = turned * (2.0 * share - 1.0)
    else:
        latent = rng.normal(size=n)
        share, y = norm.cdf(latent), latent + noise * rng.normal(size=n)
    words = rng.permutation(d).astype(np.int32)
    return _weighted(_counts(share, ends, words, nonzeros, rng)), y


def _chances(d: int, strength: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the probabilities of words at both ends, the most frequent word first."""
    chance = (np.arange(d) + SHIFT) ** -POWER
    chance /= chance.sum()
    informative = rng.choice(d, max(int(TRUE * d), 1), replace=False, p=chance)
    likelier = np.zeros(d)
    likelier[informative] = strength * rng.normal(size=len(informative))
    low, high = (chance * np.exp(sign * likelier / 2.0) for sign in (-1.0, 1.0))
    return low / low.sum(), high / high.sum()


def _counts(
    share: Floats, ends: tuple[Floats, Floats], words: Any, nonzeros: float,
    rng: np.random.Generator,
) -> Any:  # fmt: skip
    """Count each word in each text, in blocks of texts."""
    n, d = len(share), len(words)
    low, high = (np.cumsum(chance) for chance in ends)
    mean = _draws_for(ends[0], nonzeros) * np.exp(-(SPREAD**2) / 2.0)
    blocks = []
    for part in np.split(share, np.arange(_BLOCK, n, _BLOCK)):
        lengths = np.maximum(mean * np.exp(SPREAD * rng.normal(size=len(part))), 1.0).astype(
            np.intp
        )
        at, other = rng.random((2, lengths.sum()))
        is_high = other < np.repeat(part, lengths)
        places = np.where(is_high, np.searchsorted(high, at), np.searchsorted(low, at))
        stops = np.append(0, np.cumsum(lengths))
        columns = words[np.minimum(places, d - 1)]
        block = sparse.csr_matrix((np.ones(len(places)), columns, stops), shape=(len(part), d))
        block.sum_duplicates()
        blocks.append(block)
    return sparse.vstack(blocks, format="csr")


def _draws_for(chance: Floats, nonzeros: float) -> float:
    """Return how many words to draw for a number of different ones, on average."""
    if not 0 < nonzeros < len(chance):
        raise ValueError(
            f"nonzeros is {nonzeros!r}; expected more than 0 and fewer than the columns, "
            f"which are {len(chance)}."
        )
    low, high = 0.0, float(nonzeros)
    while _different(chance, high) < nonzeros:
        low, high = high, 2.0 * high
    for _ in range(40):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _different(chance, middle) < nonzeros else (low, middle)
    return high


def _different(chance: Floats, draws: float) -> float:
    return float(-np.expm1(-draws * chance).sum())


def _weighted(counts: Any) -> Any:
    """Return tf-idf weights in rows of length 1."""
    n = counts.shape[0]
    rarity = np.log((1.0 + n) / (1.0 + _texts(counts)))
    X = counts.copy()
    X.data = (1.0 + np.log(counts.data)) * rarity[counts.indices]
    lengths = np.sqrt(np.bincount(_rows(X), X.data**2, minlength=n))
    X.data /= np.maximum(lengths, 1e-300)[_rows(X)]
    return X


def _texts(counts: Any) -> Ints:
    """Count the texts that have each word."""
    return np.bincount(counts.indices, minlength=counts.shape[1])


def _rows(X: Any) -> Ints:
    return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
