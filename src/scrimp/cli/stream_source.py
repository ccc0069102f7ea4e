"""What ``scrimp stream`` learns from: chunks of a file or of standard input, and their target."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .tables import labels, some

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

#: Rows that are read at a time where all classes of a file are looked for.
_SCAN_ROWS = 65_536


@dataclass
class StreamSource:
    """A table that is read in chunks.

    Parameters
    ----------
    path : path or None
        A CSV or Parquet file; None is standard input, which is CSV.
    chunk_rows : int
        Rows of a chunk.
    missing : sequence of str
        Text that stands for a missing value.
    target : str
        The column to predict, whose whole numbers may be classes.
    kinds : dict
        What columns of a CSV hold, once that is known.
    """

    path: Path | None
    chunk_rows: int
    missing: Sequence[str]
    target: str
    kinds: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> Path:
        """What errors call it."""
        return Path("standard input") if self.path is None else self.path

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield the table in chunks."""
        from ..data.csv_chunks import CsvChunks

        if self.path is not None and self.path.suffix.lower() == ".parquet":
            yield from self._parquet(self.path, self.chunk_rows)
            return
        source = sys.stdin.buffer if self.path is None else self.path
        chunks = CsvChunks(
            source, self.chunk_rows, self.missing, self.kinds, (self.target,), str(self.name)
        )
        for frame in chunks:
            self.kinds = chunks.kinds  # the same dict: a target may turn out to be numbers
            yield frame

    def _parquet(self, path: Path, n_rows: int) -> Iterator[pl.DataFrame]:
        import polars as pl

        waiting = pl.DataFrame()
        try:
            scan = pl.scan_parquet(path, glob=False)
            for frame in scan.collect_batches(chunk_size=n_rows, maintain_order=True):
                waiting = frame if not len(waiting) else pl.concat([waiting, frame])
                while len(waiting) >= n_rows:
                    yield waiting[:n_rows]
                    waiting = waiting[n_rows:]
        except pl.exceptions.PolarsError as error:
            reason = str(error).partition("\n")[0]
            raise InputError(f"{path} cannot be read as a table: {reason}.") from error
        if len(waiting):
            yield waiting

    def all_labels(self) -> NDArray[Any]:
        """Return the labels of the whole file."""
        import numpy as np

        whole = StreamSource(self.path, _SCAN_ROWS, self.missing, self.target, dict(self.kinds))
        found = [np.unique(labels(frame, self.target, self.name)) for frame in whole.frames()]
        return np.unique(np.concatenate(found))


class StreamTarget:
    """The target of a stream: classes or numbers, as its first chunk tells.

    Parameters
    ----------
    source : StreamSource
        Where it comes from.
    task : str or None
        What was asked for.
    classes : sequence of str, or None
        All classes, if they were given.
    """

    def __init__(
        self, source: StreamSource, task: str | None, classes: Sequence[str] | None
    ) -> None:
        self.source, self.task, self._given = source, task, classes
        self.classes: NDArray[Any] | None = None

    def decide(self, frame: pl.DataFrame) -> None:
        """Decide on the task and the classes by the first chunk."""
        from ..evaluation.methods import check_task

        y = labels(frame, self.source.target, self.source.name)
        asked = "classification" if self._given and self.task is None else self.task
        self.task = check_task(asked, y)
        if self.task == "regression":
            if self._given:
                raise InputError("--classes names classes, and here numbers are predicted.")
            if self.source.kinds.get(self.source.target) == "integer":
                self.source.kinds[self.source.target] = "number"
            self._as_numbers(y)
            return
        self.classes = self._all_classes(y)

    def _all_classes(self, y: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        if self._given is not None:
            try:
                classes = np.unique(np.array(list(self._given)).astype(y.dtype))
            except ValueError:
                raise InputError(
                    f"--classes names {some(list(self._given))}, and the target "
                    f"{self.source.target!r} holds whole numbers."
                ) from None
            if y.dtype.kind == "U":
                classes = np.unique(np.array(list(self._given)))
        elif self.source.path is not None:
            classes = self.source.all_labels()
        else:
            classes = np.unique(y)
        if len(classes) < 2:
            raise InputError(
                f"The target {self.source.target!r} of {self.source.name} has one class only in "
                f"its first {len(y)} rows, {classes[0]}. Name all of them with --classes A,B."
            )
        return classes

    def read(self, frame: pl.DataFrame, n_before: int) -> NDArray[Any]:
        """Return the target of a chunk; refuse a label that was not among the classes."""
        import numpy as np

        y = labels(frame, self.source.target, self.source.name)
        if self.classes is None:
            return self._as_numbers(y)
        strange = ~np.isin(y, self.classes)
        if strange.any():
            row = int(strange.argmax())
            raise InputError(
                f"Row {n_before + row + 1} of {self.source.name} has the label {y[row]}, which is "
                f"not among the classes {some([str(label) for label in self.classes])}. Name all "
                "classes with --classes when the stream begins."
            )
        return y

    def _as_numbers(self, y: NDArray[Any]) -> NDArray[Any]:
        import numpy as np

        if y.dtype.kind not in "iuf":
            raise InputError(
                f"The target {self.source.target!r} of {self.source.name} holds text, and a "
                "regression predicts numbers. Leave out --task regression."
            )
        return y.astype(np.float64)
