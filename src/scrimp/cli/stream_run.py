"""The training of ``scrimp stream``: chunk by chunk, measured, checkpointed and resumed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..runtime.events import Progress, emit, muted
from .errors import InputError, one_line, uninterrupted
from .output import count, money, note
from .stream_source import StreamSource, StreamTarget

if TYPE_CHECKING:
    import polars as pl

    from ..costs.costs import Costs


class Interruption:
    """Ctrl-C: what waits for rows ends at once, and what learns from some ends after them."""

    def __init__(self) -> None:
        self.wanted = self.waiting = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Remember Ctrl-C inside the block."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._remember)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _remember(self, *_: Any) -> None:
        self.wanted = True
        if self.waiting:
            raise KeyboardInterrupt

    def next_of(self, chunks: Iterator[Any]) -> Any:
        """Return the next chunk; None at the end, or if Ctrl-C was pressed."""
        if self.wanted:
            return None
        self.waiting = True
        try:
            return next(chunks, None)
        except KeyboardInterrupt:
            self.wanted = True
            return None
        finally:
            self.waiting = False


@dataclass
class Measured:
    """Sums over rows that were answered before they were learnt from.

    Parameters
    ----------
    rows : int
        How many.
    error, spend : float
        Sums of their errors and of what they paid.
    """

    rows: int = 0
    error: float = 0.0
    spend: float = 0.0

    def add(self, rows: int, error: float, spend: float) -> None:
        """Add rows with a mean error and a mean spend."""
        self.rows += rows
        self.error += rows * error
        self.spend += rows * spend

    @property
    def means(self) -> tuple[float, float] | None:
        """The mean error and the mean spend, if there are rows."""
        return (self.error / self.rows, self.spend / self.rows) if self.rows else None

    @property
    def text(self) -> str:
        """The means, in short."""
        return f"error {self.error / self.rows:.4g}, spent {money(self.spend / self.rows)}"


@dataclass
class StreamRun:
    """A stream that is learnt from.

    Parameters
    ----------
    source : StreamSource
        Where rows come from.
    target : StreamTarget
        What is predicted.
    params : dict
        Parameters of the model, prices aside.
    costs : path or None
        The price list.
    drop : tuple of str
        Columns that are no features.
    every : int
        Rows between two checkpoints, and points of the curve.
    checkpoint : path or None
        Where the state is kept.
    """

    source: StreamSource
    target: StreamTarget
    params: Mapping[str, Any]
    costs: Path | None
    drop: tuple[str, ...]
    every: int
    checkpoint: Path | None
    model: Any = None
    rows: int = 0
    n_resumed: int = 0
    all: Measured = field(default_factory=Measured)
    recent: Measured = field(default_factory=Measured)
    curve: list[list[float]] = field(default_factory=list)

    def resume(self) -> None:
        """Go on from the checkpoint, if there is one."""
        from ..io import read_checkpoint

        if self.checkpoint is None or not self.checkpoint.exists():
            return
        self.model, info = read_checkpoint(self.checkpoint)
        self._refuse_other_options(info)
        self.rows = self.n_resumed = int(info["rows"])
        self.all, self.recent = Measured(*info["all"]), Measured(*info["recent"])
        self.curve, self.source.kinds = info["curve"], dict(info["kinds"])
        classes = getattr(self.model, "classes_", None)
        self.target.task = "regression" if classes is None else "classification"
        self.target.classes = classes
        note(
            f"Resumed from {self.checkpoint}: the first {self.rows} rows of {self.source.name} "
            "were learnt before, and are skipped."
        )

    def _refuse_other_options(self, info: Mapping[str, Any]) -> None:
        """Refuse options that contradict those with which the stream began."""
        from ..costs.costs import Costs

        if "rows" not in info or "target" not in info:
            raise InputError(f"{self.checkpoint} was not written by scrimp stream.")
        known = {"target": info["target"], "drop": list(info["drop"])}
        given: dict[str, Any] = {"target": self.source.target, "drop": list(self.drop)}
        for name, option in (("budget", "budget"), ("n_learners", "learners"),
                             ("learner", "learner"), ("max_depth", "depth")):  # fmt: skip
            if name in self.params:
                known[option], given[option] = getattr(self.model, name), self.params[name]
        task = "classification" if hasattr(self.model, "classes_") else "regression"
        if self.target.task is not None:
            known["task"], given["task"] = task, self.target.task
        for option, value in given.items():
            if value != known[option]:
                raise InputError(
                    f"{self.checkpoint} was begun with --{option} {_shown(known[option])}, and "
                    f"not {_shown(value)}. Give the same, or another --checkpoint."
                )
        if self.costs is not None:
            prices = Costs.read(self.costs)
            if prices.bind(len(self.model.columns_), self.model.columns_.names) != self.model.costs:
                raise InputError(
                    f"{self.checkpoint} was begun with other prices than {self.costs}. Give the "
                    "same, or another --checkpoint."
                )

    def learn(self, interruption: Interruption) -> None:
        """Learn from all chunks; each is answered before it is learnt from."""
        frames, n_read = self.source.frames(), 0
        while (frame := interruption.next_of(frames)) is not None:
            start, n_read = n_read, n_read + len(frame)
            if n_read <= self.n_resumed:
                continue
            skipped = max(self.n_resumed - start, 0)
            self._learn_chunk(frame[skipped:], start + skipped)
        if n_read < self.n_resumed and not interruption.wanted:
            raise InputError(
                f"{self.source.name} has {count(n_read, 'row')}, and {self.checkpoint} counts "
                f"{self.n_resumed}. It is not the stream that was begun."
            )

    def _learn_chunk(self, frame: pl.DataFrame, n_before: int) -> None:
        from ..evaluation.progressive import measured
        from .problem import features_of

        if self.model is None:
            self.target.decide(frame)
        y = self.target.read(frame, n_before)
        X = features_of(frame, self.source.target, None, self.drop, self.source.name)
        classes = {} if self.target.classes is None else {"classes": self.target.classes}
        with muted():
            if self.model is None:
                self.model = self._new_model(X)
            else:
                error, spend = measured(self.model, X, y)
                for sums in (self.all, self.recent):
                    sums.add(len(y), error, spend)
            self.model.partial_fit(X, y, **classes)
        self.rows += len(y)
        emit(Progress("rows", self.rows, 0, self.recent.text if self.recent.rows else ""))
        if self.rows // self.every > n_before // self.every:
            self._end_window()
            self.save_checkpoint()

    def _end_window(self) -> None:
        if means := self.recent.means:
            self.curve.append([self.rows, *means])
        self.recent = Measured()

    def _new_model(self, X: pl.DataFrame) -> Any:
        from ..learners.streaming import StreamingBoostingClassifier, StreamingBoostingRegressor
        from .problem import prices_of

        prices: Costs | None = prices_of(self.costs, X, self.source.name, self.source.target)
        kind: Any = StreamingBoostingRegressor
        if self.target.task == "classification":
            kind = StreamingBoostingClassifier
        return kind(prices, **self.params)

    def save_checkpoint(self) -> None:
        """Keep the whole state, if it is to be kept."""
        from ..io import save_checkpoint

        if self.checkpoint is None:
            return
        info = {
            "rows": self.rows, "target": self.source.target, "drop": list(self.drop),
            "kinds": self.source.kinds, "curve": self.curve,
            **{name: [sums.rows, sums.error, sums.spend]
               for name, sums in (("all", self.all), ("recent", self.recent))},
        }  # fmt: skip
        with uninterrupted():
            save_checkpoint(self.model, self.checkpoint, info)


def _shown(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)


def failed_after(run: StreamRun, error: Exception, saved: list[Path]) -> InputError:
    """Return the error of a stream that ends badly, with what became of the rows before."""
    fate = "is lost, as there is neither --out nor --checkpoint"
    if saved:
        fate = f"is kept, and saved to {' and '.join(map(str, saved))}"
    return InputError(
        f"{one_line(error)} What was learnt from {count(run.rows, 'row')} before {fate}."
    )
