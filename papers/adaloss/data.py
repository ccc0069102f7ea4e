"""Images on which the networks are trained."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrimp.datasets import fetch_arrays

#: Channels, height and width, after each square of four pixels has become their mean.
SHAPES = {"mnist": (1, 14, 14), "fashion_mnist": (1, 14, 14), "cifar10_subset": (3, 16, 16)}


@dataclass(frozen=True, eq=False)
class Images:
    """Images as rows of pixels from 0 to 1, channel by channel.

    Parameters
    ----------
    name : str
        Of the dataset.
    X : float32 array (rows, pixels)
        Pixels.
    y : int array (rows,)
        Classes.
    n_train : int
        Leading rows that are for training.
    remark : str
        What it was made of.
    """

    name: str
    X: NDArray[np.float32]
    y: NDArray[np.int64]
    n_train: int
    remark: str

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width."""
        return SHAPES[self.name]


def load(name: str) -> Images:
    """Return a dataset by name."""
    data = fetch_arrays(name)
    channels, height, width = SHAPES[name]
    squares = np.asarray(data.X, np.float32).reshape(-1, channels, height, 2, width, 2)
    X = squares.mean(axis=(3, 5)).reshape(len(squares), -1) / np.float32(255.0)
    y, n_train = np.asarray(data.y).astype(np.int64), int(data.n_train or 0)
    return Images(name, X, y, n_train, data.source)
