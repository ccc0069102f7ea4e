"""Networks that have an answer after each block: `AnytimeNetClassifier`, `AnytimeNetRegressor`.

Hu, "Anytime Prediction and Learning for the Balance between Computation and Accuracy", PhD thesis,
Carnegie Mellon University 2019, chapter 4.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..data.target import Target
from ..data.training_rows import TrainingRows, numeric_target, read_rows
from ..learners.base import BudgetedClassifier, BudgetedRegressor
from ..types import Floats
from .anytime_net import AnytimeNet
from .tasks import Task


class AnytimeNetClassifier(BudgetedClassifier, AnytimeNet):
    r"""A network with an exit after each block, which buys columns block by block.

    Each block adds some columns to a hidden state, changes it by residual units and has an exit.
    All exits are trained together; their losses are weighted so that none is neglected
    (`LossBalance`). A prediction computes no block beyond its budget, and buys no column of one.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price per column, prices by column name, or 1 for each column.
    budget : float, list of float or None
        The most that all purchases may cost. None is no limit. With several, for tables, each
        block buys what the next one of them pays for, in place of `n_blocks`.
    architecture : str, list of BlockProgram, or callable
        ``mlp``: residual blocks on encoded columns, for tables; a fitted model predicts in NumPy.
        For images: ``resnet`` (ResANN), ``densenet``, ``msdnet`` and ``lenet``, or layers of your
        own (`BlockProgram`), also as a function of the number of outputs.
    balance : str or callable
        A scheme of `LossBalance`, or a function of the number of exits that returns one.
    order : str, list of items, or estimator of scrimp
        The order of purchases, as in `RefitClassifier`: ``linear`` is that of a
        `SequencedClassifier`, ``smoothed`` and so on those of boosted stumps.
    n_blocks : int
        Blocks, and exits. Purchases are divided among them so that what is spent grows by about
        equal ratios; where there are fewer purchases, the last blocks only compute.
    width, inner_width, n_units : int
        Of the hidden state, of the hidden layer of each residual unit, and units per block.
    n_knots : int
        Quantiles of each number, between which what it brings is interpolated.
    encoding : {"quantile", "periodic"}
        What is learnt of numbers: a value at each quantile, or a linear function of sines and
        cosines with frequencies that are learnt too. These need more `n_knots`, such as 64.
    dropout : float
        The part of the hidden layers that is left out at random in training.
    architecture_options : dict or None
        Of a network on images, as ``{"n": 5, "channels": 16}``: see `scrimp.nets.resnet`.
    layout : {"NCHW", "NHWC"}
        The axes of an array of images: rows, channels, height and width, or channels last. It is
        never guessed.
    image_shape : (int, int, int) or None
        Channels, height and width, where X has rows of pixels, channel by channel.
    augmentation : Augmentation or None
        Random changes of training images.
    n_epochs, batch_size, patience : int
        Passes over the rows, at most; rows per step; epochs without a better validation loss
        (the geometric mean of the exits' losses) after which the training ends.
    learning_rate, weight_decay : float
        Of the optimiser.
    optimiser : {"adamw", "sgd"}
        How steps are made.
    schedule : {"cosine", "step", "constant"}
        How the learning rate falls: by a half cosine to 0, or by ten at a half and at three
        quarters of the epochs.
    validation_part : float
        The part of the rows that is held out for early stopping and for judging exits.
    compute_rate : float or None
        What a unit of computation costs in the unit of the prices: a million multiply-adds, or a
        millisecond per row. At 0 computation is free. None is 0 for tables, and 1 for images.
    block_prices : {"multiply-adds", "milliseconds"} or array (blocks,)
        What is counted; or the price of each block as it is.
    n_networks : int
        Networks that are computed one after the other, each deeper than the one before (EANN); the
        last has the depth that is given. An exit answers if it was better on validation rows than
        all before it. This is for computation that costs: the first network of a table buys all
        columns at once.
    base : float
        How many times as deep each network is, above 1.
    growth : {"exponential", "linear"}
        Linear: depths grow by equal steps, a baseline.
    device : str or None
        As ``"cuda"``, of the training; by default an accelerator if there is one.
    checkpoint : path or None
        A file that keeps the state of the training after each epoch. A training with the same
        parameters and rows goes on from it, to the same result.
    error_cost, class_weight, max_seconds, verbose
        As in `BudgetedBoostingClassifier`. When the time is over, or Ctrl-C is pressed, the best
        weights so far are the model.
    random_state : int, RandomState or None
        Of the first weights, the order of rows, and dropout. The same seed gives the same weights
        on the same machine.

    Attributes
    ----------
    plan_ : PricedPlan
        The network with its prices.
    sequence_ : list of str
        The items in the order bought.
    exit_losses_ : float array (blocks,)
        The log loss of each exit on the validation rows.
    has_exit_ : list of bool
        The exits that are used: those that are better on validation rows than all before them and
        than the prior. A block without one is bought together with the next.
    multiply_adds_ : int array (blocks,)
        Multiplications that a block takes for one row, its exit included.
    block_prices_ : float array (blocks,)
        The price of the computation of each block.
    history_, balance_weights_ : float arrays (epochs, blocks)
        Validation losses after each epoch, and the weights of the losses.
    n_iter_ : int
        The epoch whose weights were kept.
    stop_reason_ : str
        Why the training ended.

    References
    ----------
    Hu, Dey, Hebert, Bagnell. Learning Anytime Predictions in Neural Networks via Adaptive Loss
    Balancing. AAAI 2019. Gorishniy, Rubachev, Babenko. On Embeddings for Numerical Features in
    Tabular Deep Learning. NeurIPS 2022.

    Examples
    --------
    >>> from scrimp.datasets import load_heart
    >>> from scrimp.nets import AnytimeNetClassifier
    >>> heart = load_heart()
    >>> model = AnytimeNetClassifier(heart.costs, n_epochs=5, width=16, random_state=0)
    >>> model = model.fit(heart.X, heart.y)
    >>> float(model.spend(heart.X, budget=20.0).max()) <= 20.0
    True
    """

    def __init__(
        self, costs: Any = None, budget: Any = None, architecture: Any = "mlp",
        balance: Any = "adaloss", order: Any = "linear", n_blocks: int = 6, width: int = 128,
        inner_width: int = 256, n_units: int = 1, n_knots: int = 16, encoding: str = "quantile",
        dropout: float = 0.1,
        architecture_options: Any = None, layout: str = "NCHW", image_shape: Any = None,
        augmentation: Any = None, n_epochs: int = 100, batch_size: int = 256,
        learning_rate: float = 2e-3, weight_decay: float = 1e-4, optimiser: str = "adamw",
        schedule: str = "cosine", patience: int = 16, validation_part: float = 0.15,
        compute_rate: float | None = None, block_prices: Any = "multiply-adds",
        n_networks: int = 1, base: float = 2.0, growth: str = "exponential",
        device: str | None = None, checkpoint: Any = None, error_cost: Any = None,
        class_weight: Any = None, max_seconds: float | None = None, verbose: int | None = None,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            costs, budget, architecture, balance, order, n_blocks, width, inner_width, n_units,
            n_knots, encoding, dropout, architecture_options, layout, image_shape, augmentation,
            n_epochs,
            batch_size, learning_rate, weight_decay, optimiser, schedule, patience,
            validation_part, compute_rate, block_prices, n_networks, base, growth, device,
            checkpoint, max_seconds, verbose, random_state,
        )  # fmt: skip
        self.error_cost = error_cost
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy in which order, and the network.

        Parameters
        ----------
        X : array or data frame (rows, columns), or array of images
            Numbers; a frame may hold text and categories too. Values of tables may be missing.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            Weights of the rows.
        """
        self._check_params()
        X = self._read_images(X)
        rows = read_rows(self, X, y, sample_weight, classes=True).of_positive_weight()
        classes, codes = rows.labelled()
        task = _task(rows, codes.astype(float), len(classes))
        self._learn(X, rows, task, self._class_target(classes))
        return self


class AnytimeNetRegressor(BudgetedRegressor, AnytimeNet):
    """A network with an exit after each block, which buys columns block by block.

    As `AnytimeNetClassifier`, for numbers: it minimises the squared error.

    Parameters
    ----------
    costs, budget, architecture, balance, order, n_blocks, width, inner_width, n_units, n_knots, \
encoding, dropout, architecture_options, layout, image_shape, augmentation, n_epochs, batch_size, \
learning_rate, weight_decay, optimiser, schedule, patience, validation_part, compute_rate, \
block_prices, n_networks, base, growth, device, checkpoint, max_seconds, verbose, random_state
        As in `AnytimeNetClassifier`.

    Attributes
    ----------
    plan_, sequence_, has_exit_, multiply_adds_, block_prices_, history_, balance_weights_, n_iter_
        As in `AnytimeNetClassifier`.
    exit_losses_ : float array (blocks,)
        Half the squared error of each exit on validation rows, in units of the variance.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from scrimp.nets import AnytimeNetRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AnytimeNetRegressor(n_epochs=5, width=16, random_state=0).fit(X, y)
    >>> float(model.spend(X, budget=3.0).max()) <= 3.0
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy in which order, and the network.

        Parameters
        ----------
        X : array or data frame (rows, columns), or array of images
            Numbers; a frame may hold text and categories too. Values of tables may be missing.
        y : array (rows,)
            Numbers.
        sample_weight : array (rows,), optional
            Weights of the rows.
        """
        self._check_params()
        X = self._read_images(X)
        rows = read_rows(self, X, y, sample_weight).of_positive_weight()
        numbers = numeric_target(rows.y, "AnytimeNetClassifier")
        self._learn(X, rows, _task(rows, numbers, 0), Target("regression", np.empty(0)))
        return self


def _task(rows: TrainingRows, y: Floats, n_classes: int) -> Task:
    weights = rows.weights_or_ones
    return Task(rows.table, rows.columns, y, weights / weights.mean(), n_classes)
