"""What networks with exits share: purchases, training, and prices of blocks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..costs.costs import Costs, as_costs
from ..costs.shopper import warn_if_nothing_is_affordable
from ..data.target import Target
from ..data.training_rows import TrainingRows, seed_from
from ..data.validation import check_budget, check_budgets, check_choice, check_number, check_whole
from ..learners.base import BudgetedEstimator
from ..learners.purchase_order import check_order, learn_order
from ..plans.components.layer_programs import BlockProgram
from ..plans.priced_plan import PricedPlan
from ..runtime.time_limit import time_share
from ..types import Floats
from .augmentation import Augmentation
from .fitting import NetTraining, TrainedNet, train_image_net, train_table_net
from .image_arrays import LAYOUTS, flattened, shape_of
from .image_nets import ARCHITECTURES, DEFAULT_DEPTH, DEPTHS
from .loss_balance import SCHEMES, LossBalance
from .network_sequence import NetworkSequence, milliseconds, network_depths
from .purchase_blocks import divided, divided_by_budgets
from .table_net import TableSizes
from .tasks import Task
from .training import TrainingOptions

#: The part of the time that learning an order may take.
ORDER_SHARE = 0.25
#: What the price of a block may be.
BLOCK_PRICES = ("multiply-adds", "milliseconds")
_WHOLE = (
    "n_blocks", "width", "inner_width", "n_units", "n_knots", "n_epochs", "batch_size", "patience",
    "n_networks",
)  # fmt: skip
_RANGES = {
    "dropout": (0.0, 0.9), "learning_rate": (1e-8, 10.0), "weight_decay": (0.0, 10.0),
    "validation_part": (0.01, 0.5),
}  # fmt: skip


class AnytimeNet(BudgetedEstimator):
    """What `AnytimeNetClassifier` and `AnytimeNetRegressor` share."""

    _takes_missing = True

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
        device: str | None = None, checkpoint: Any = None, max_seconds: float | None = None,
        verbose: int | None = None, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.costs = costs
        self.budget = budget
        self.architecture = architecture
        self.balance = balance
        self.order = order
        self.n_blocks = n_blocks
        self.width = width
        self.inner_width = inner_width
        self.n_units = n_units
        self.n_knots = n_knots
        self.encoding = encoding
        self.dropout = dropout
        self.architecture_options = architecture_options
        self.layout = layout
        self.image_shape = image_shape
        self.augmentation = augmentation
        self.n_epochs = n_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.optimiser = optimiser
        self.schedule = schedule
        self.patience = patience
        self.validation_part = validation_part
        self.compute_rate = compute_rate
        self.block_prices = block_prices
        self.n_networks = n_networks
        self.base = base
        self.growth = growth
        self.device = device
        self.checkpoint = checkpoint
        self.max_seconds = max_seconds
        self.verbose = verbose
        self.random_state = random_state

    @property
    def _is_table(self) -> bool:
        return isinstance(self.architecture, str) and self.architecture == "mlp"

    def _check_params(self) -> None:
        if isinstance(self.architecture, str):
            check_choice("architecture", self.architecture, ("mlp", *ARCHITECTURES))
        if len(self._budgets()) > 1 and (self.n_networks > 1 or not self._is_table):
            raise ValueError(
                f"budget has {len(self._budgets())} numbers; expected one, as several are the ends "
                "of the blocks of one network for tables."
            )
        check_choice("optimiser", self.optimiser, ("adamw", "sgd"))
        check_choice("schedule", self.schedule, ("cosine", "step", "constant"))
        check_choice("layout", self.layout, LAYOUTS)
        check_choice("encoding", self.encoding, ("quantile", "periodic"))
        check_choice("growth", self.growth, ("exponential", "linear"))
        check_number("base", self.base, 1.0, 1e6, above=True)
        check_order(self.order)
        for name in _WHOLE:
            check_whole(name, getattr(self, name), 1)
        for name, limits in _RANGES.items():
            check_number(name, getattr(self, name), *limits)
        if self.compute_rate is not None:
            check_number("compute_rate", self.compute_rate, 0.0, finite=True)
        if isinstance(self.block_prices, str):
            check_choice("block_prices", self.block_prices, BLOCK_PRICES)
        if not callable(self.balance):
            check_choice("balance", self.balance, SCHEMES)
        if self.augmentation is not None and not isinstance(self.augmentation, Augmentation):
            raise TypeError("augmentation must be an Augmentation, or None.")

    def _read_images(self, X: Any) -> Any:
        """Note the shape of images to train on, and return them as rows of pixels."""
        if self._is_table:
            return X
        self.image_shape_ = shape_of(X, self.layout, self.image_shape)
        return flattened(X, self.layout, self.image_shape_)

    def _validated(self, X: Any) -> Any:
        is_table = self._is_table
        return super()._validated(X if is_table else flattened(X, self.layout, self.image_shape_))

    def _learn(self, X: Any, rows: TrainingRows, task: Task, target: Target) -> None:
        """Find the order of purchases, train the network, become its plan."""
        costs = self._costs(rows)
        budget, seed = max(self._budgets()), seed_from(self.random_state)
        warn_if_nothing_is_affordable(costs, [budget])
        groups: list[list[int]] = []
        if self._is_table:
            with time_share(ORDER_SHARE):
                given = rows.of_given(X)
                groups = learn_order(self.order, given, rows, costs, budget, seed, target.is_number)
        networks: list[TrainedNet] = []
        interrupt, depths = None, self._depths()
        for k, depth in enumerate(depths):
            with time_share(depth / sum(depths[k:])):
                trained, interrupt = self._one_network(depth, groups, task, costs, seed)
            networks.append(trained)
            if interrupt is not None:
                break
        self._become(NetworkSequence(networks), costs, rows, target)
        if interrupt is not None:
            raise interrupt

    def _budgets(self) -> list[float]:
        """Return the budgets, ascending; without one it is infinite."""
        budget = check_budget(self.budget) if np.ndim(self.budget) == 0 else self.budget
        return sorted(check_budgets(budget).tolist())

    def _depths(self) -> list[int]:
        """Return the depths of the networks, of which there is one by default."""
        options = dict(self.architecture_options or {})
        depth = self.n_blocks
        if not self._is_table:
            name = DEPTHS.get(self.architecture) if isinstance(self.architecture, str) else None
            if self.n_networks > 1 and name is None:
                raise ValueError(
                    f"n_networks is {self.n_networks}, but the depth of this architecture is not "
                    f"an option; expected one of {', '.join(('mlp', *DEPTHS))}."
                )
            depth = options.get(name, DEFAULT_DEPTH[self.architecture]) if name else 1
        return network_depths(self.n_networks, depth, self.base, self.growth)

    def _one_network(
        self, depth: int, groups: list[list[int]], task: Task, costs: Costs, seed: int
    ) -> tuple[TrainedNet, KeyboardInterrupt | None]:
        """Train a network of some depth."""
        training = NetTraining(
            self._balance_of, self._options(seed), self.validation_part, _device(self.device),
            None if self.checkpoint is None else _numbered(self.checkpoint, depth, self.n_networks),
        )  # fmt: skip
        if self._is_table:
            budgets = self._budgets()
            is_one = len(budgets) == 1
            blocks = (
                divided(groups, costs, depth)
                if is_one
                else divided_by_budgets(groups, costs, budgets)
            )
            sizes = TableSizes(
                self.width, self.inner_width, self.n_units, self.dropout, self.encoding
            )
            return train_table_net(task, costs, blocks, sizes, self.n_knots, training)
        programs = self._programs(len(task.prior), depth)
        augmentation = self.augmentation or Augmentation()
        return train_image_net(task, costs, programs, self.image_shape_, augmentation, training)

    def _costs(self, rows: TrainingRows) -> Costs:
        """Return the prices; without any, an image is one item that is free."""
        n = len(rows.columns)
        if self.costs is None and not self._is_table:
            return Costs(("image",), (0.0,), (tuple(range(n)),), ((),))
        return as_costs(self.costs, n, rows.columns.names)

    def _programs(self, n_outputs: int, depth: int) -> Sequence[BlockProgram]:
        """Return the blocks of a network on images: by name, or as a user's function makes them."""
        options = dict(self.architecture_options or {})
        make = self.architecture
        if isinstance(make, str):
            if make in DEPTHS:
                options[DEPTHS[make]] = depth
            make = ARCHITECTURES[make]
        programs: Sequence[BlockProgram] = make(n_outputs, **options) if callable(make) else make
        is_list = isinstance(programs, list | tuple) and len(programs) > 0
        if not is_list or not all(isinstance(each, BlockProgram) for each in programs):
            raise TypeError(
                "architecture must be a name, a list of BlockProgram, or a function of the number "
                "of outputs that returns such a list."
            )
        if not all(each.exit_layers for each in programs):
            raise ValueError("each block of an architecture needs an exit.")
        return programs

    def _become(
        self, networks: NetworkSequence, costs: Costs, rows: TrainingRows, target: Target
    ) -> None:
        """Set what was learnt."""
        self.multiply_adds_ = networks.multiply_adds
        self.block_prices_ = self._prices(networks)
        plan, costs = networks.plan(costs, self.block_prices_.tolist())
        self.columns_, self.target_ = rows.columns, target
        self.plan_ = PricedPlan(plan, costs)
        bought = dict.fromkeys(item for block in networks.purchases for item in block)
        self.sequence_ = [costs.names[item] for item in bought]
        self.exit_losses_, self.has_exit_ = networks.losses, networks.has_exit
        last = networks.networks[-1].fitted
        self.history_, self.balance_weights_ = last.losses, last.weights
        self.n_iter_, self.stop_reason_ = last.best_epoch, last.reason

    def _options(self, seed: int) -> TrainingOptions:
        names = (
            "n_epochs", "batch_size", "learning_rate", "weight_decay", "optimiser", "schedule",
            "patience",
        )  # fmt: skip
        return TrainingOptions(**{name: getattr(self, name) for name in names}, seed=seed)

    def _balance_of(self, n_exits: int) -> LossBalance:
        """Return the weights of the exits: those of a scheme, or what a user's function returns."""
        if not callable(self.balance):
            return LossBalance(n_exits, self.balance)
        balance = self.balance(n_exits)
        if not isinstance(balance, LossBalance):
            raise TypeError(
                f"balance returned a {type(balance).__name__}; expected a LossBalance, as "
                "balance=lambda n_exits: LossBalance(n_exits, gamma=0.15)."
            )
        return balance

    def _prices(self, networks: NetworkSequence) -> Floats:
        """Return the price of the computation of each block."""
        n = len(networks.multiply_adds)
        if isinstance(self.block_prices, str):
            rate = self.compute_rate
            rate = (0.0 if self._is_table else 1.0) if rate is None else rate
            is_time = self.block_prices == "milliseconds" and rate > 0
            amounts = milliseconds(networks) if is_time else networks.multiply_adds / 1e6
            return np.asarray(rate * amounts)
        prices = np.asarray(self.block_prices, dtype=float)
        if prices.shape != (n,) or not (np.isfinite(prices) & (prices >= 0)).all():
            raise ValueError(f"block_prices must be {n} finite numbers >= 0, one per block.")
        return prices


def _numbered(path: str | os.PathLike[str], depth: int, n_networks: int) -> Path:
    """Return the checkpoint of one of several networks."""
    one = Path(path)
    return one if n_networks == 1 else one.with_name(f"{one.name}-{depth}")


def _device(name: str | None) -> torch.device:
    """Return the device of a name; by default an accelerator, where there is one."""
    if name is not None:
        return torch.device(name)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
