"""CSV text in chunks of rows, from a file or a pipe: types are those of the first chunk."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import polars as pl

#: Text that stands for a missing value in every CSV file.
MISSING = ("", "NA", "NaN", "nan", "null")
#: Bytes that are read at a time; a pipe gives what it has.
_BLOCK = 2**20
_BOM = b"\xef\xbb\xbf"
_TRUTH = {"true": True, "false": False}


class UnfinishedRow(ValueError):
    """The text ends in the middle of a row."""


class CsvChunks:
    r"""An iterator of data frames with the rows of a CSV text, all but the last of one length.

    A column holds numbers, truth values (true and false) or text, as its first chunk does; one
    without any value in it holds numbers.

    Parameters
    ----------
    source : path or binary file
        A file, which may be compressed with gzip if its name ends in ``.gz``, or a pipe.
    chunk_rows : int
        Rows of a chunk.
    missing : iterable of str
        Text that stands for a missing value, besides an empty cell, NA, NaN, nan and null.
    kinds : dict, optional
        What columns hold, ``number``, ``integer``, ``truth`` or ``text``, if it is known: the
        attribute of the same name, of an earlier run.
    integers : iterable of str
        Columns whose whole numbers stay integers.
    name : str, optional
        What errors call the source; by default its path.

    Examples
    --------
    >>> chunks = CsvChunks(io.BytesIO(b"a,b\n1,x\n2,y\n3,\n"), 2, name="a pipe")
    >>> [frame.rows() for frame in chunks]
    [[(1.0, 'x'), (2.0, 'y')], [(3.0, None)]]
    """

    def __init__(
        self, source: str | Path | BinaryIO, chunk_rows: int, missing: Iterable[str] = (),
        kinds: dict[str, str] | None = None, integers: Iterable[str] = (), name: str | None = None,
    ) -> None:  # fmt: skip
        self.source, self.chunk_rows = source, chunk_rows
        self.missing = list(dict.fromkeys([*MISSING, *missing]))
        self.kinds, self.integers = dict(kinds or {}), set(integers)
        self.name = str(source) if name is None else name
        self._header: list[str] = []

    def __iter__(self) -> Iterator[pl.DataFrame]:
        if not isinstance(self.source, str | Path):
            yield from self._chunks(self.source)
            return
        zipped = str(self.source).lower().endswith(".gz")
        with gzip.open(self.source) if zipped else open(self.source, "rb") as file:
            try:
                yield from self._chunks(file)  # type: ignore[arg-type]
            except (EOFError, gzip.BadGzipFile) as error:
                raise ValueError(f"{self.name} cannot be read as a table: {error}.") from error

    def _chunks(self, file: BinaryIO) -> Iterator[pl.DataFrame]:
        import polars as pl

        waiting: list[pl.DataFrame] = []
        n_waiting = n_given = 0
        failure: ValueError | None = None
        for block, whole in self._blocks(file):
            n_before = n_given + n_waiting
            rows, failure = self._as_text(block, n_before) if whole else (None, self._ends(
                block, n_before
            ))  # fmt: skip
            if rows is not None:
                waiting.append(rows)
                n_waiting += len(rows)
            if failure is not None:
                break
            if n_waiting < self.chunk_rows:
                continue
            rows = pl.concat(waiting)
            while len(rows) >= self.chunk_rows:
                yield self._typed(rows[: self.chunk_rows], n_given)
                n_given, rows = n_given + self.chunk_rows, rows[self.chunk_rows :]
            waiting, n_waiting = [rows], len(rows)
        for rows in self._sliced(waiting):
            yield self._typed(rows, n_given)
            n_given += len(rows)
        if failure is not None:  # after the rows before it
            raise failure

    def _sliced(self, waiting: list[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        import polars as pl

        if waiting:
            yield from pl.concat(waiting).iter_slices(self.chunk_rows)

    def _ends(self, rest: bytes, n_before: int) -> UnfinishedRow:
        return UnfinishedRow(
            f"{self.name} ends in the middle of row {n_before + 1}: {_shown(rest)}."
        )

    def _blocks(self, file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
        """Yield whole lines; at the end, perhaps, what is no whole one."""
        read = getattr(file, "read1", file.read)
        buffer = b""
        while block := read(_BLOCK):
            buffer += block
            if not self._header:
                buffer = self._without_header(buffer)
                if not self._header:
                    continue
            end = _end_of_rows(buffer)
            if end:
                yield buffer[:end], True
                buffer = buffer[end:]
        if not self._header and not buffer.strip():
            raise ValueError(f"{self.name} is empty; expected a line with the names of columns.")
        if not self._header:
            self._set_header(buffer)
            buffer = b""
        if buffer.strip():
            n_cells = 0 if buffer.count(b'"') % 2 else len(_cells(buffer))
            yield buffer, n_cells >= len(self._header)

    def _without_header(self, buffer: bytes) -> bytes:
        """Take the names of columns from the first line, once it is there."""
        end = _end_of_rows(buffer, first=True)
        if end:
            self._set_header(buffer[:end])
        return buffer[end:]

    def _set_header(self, line: bytes) -> None:
        names = [name.strip() for name in _cells(line.removeprefix(_BOM))]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"{self.name} has two columns named {twice[0]!r}. Rename one of them.")
        for mark, what in ((";", "semicolons"), ("\t", "tabs")):
            if len(names) == 1 and mark in names[0]:
                raise ValueError(f"{self.name} has {what} between its cells; expected commas.")
        lacking = [name for name in self.kinds if name not in names]
        unknown = [name for name in names if self.kinds and name not in self.kinds]
        if lacking or unknown:
            parts = [f"it lacks {lacking}"] if lacking else []
            parts += [f"it has {unknown}, which were not there"] if unknown else []
            raise ValueError(
                f"{self.name} has other columns than the stream began with: {'; '.join(parts)}."
            )
        self._header = names

    def _as_text(
        self, block: bytes, n_before: int
    ) -> tuple[pl.DataFrame | None, ValueError | None]:
        """Return lines as columns of text; those before a bad one, with the error."""
        import polars as pl

        try:
            rows = pl.read_csv(
                io.BytesIO(block), has_header=False, null_values=self.missing, glob=False,
                schema=dict.fromkeys(self._header, pl.String),
            )  # fmt: skip
            return rows, None
        except pl.exceptions.NoDataError:
            return None, None
        except pl.exceptions.PolarsError as error:
            text = str(error).partition("\n")[0]
            good, n_good = b"", 0
            if "more fields" in text:
                good, n_good = _before_long_row(block, len(self._header))
                text = f"it has more cells than the {len(self._header)} of the header"
            elif "utf-8" in text:
                text = "it, or one after it, is not UTF-8 text; save it as UTF-8"
            before = self._as_text(good, n_before)[0] if good else None
            row = n_before + n_good + 1
            return before, ValueError(f"Row {row} of {self.name} cannot be read: {text}.")

    def _typed(self, rows: pl.DataFrame, n_before: int) -> pl.DataFrame:
        """Return rows whose columns hold what they held in the first chunk."""
        if not self.kinds:
            self.kinds = {name: self._kind(rows[name]) for name in self._header}
        return rows.with_columns([self._cast(rows[name], n_before) for name in self._header])

    def _kind(self, column: pl.Series) -> str:
        """Return what a column of text holds."""
        if not _lost(column, _as(column, "integer")) and column.name in self.integers:
            return "integer"
        if not _lost(column, _as(column, "number")):
            return "number"
        return "text" if _lost(column, _as(column, "truth")) else "truth"

    def _cast(self, column: pl.Series, n_before: int) -> pl.Series:
        kind = self.kinds[column.name]
        cast = _as(column, kind)
        if lost := _lost(column, cast):
            row = (column.is_not_null() & cast.is_null()).arg_max() or 0
            expected = {"truth": "true or false", "integer": "a whole number"}.get(kind, "a number")
            raise ValueError(
                f"Column {column.name!r} of {self.name} is {column[row]!r} in row "
                f"{n_before + row + 1}, and in {lost} rows of this chunk no such value as in the "
                f"first; expected {expected}."
            )
        return cast


def _as(column: pl.Series, kind: str) -> pl.Series:
    """Return text as values; those that cannot be are missing."""
    import polars as pl

    if kind == "truth":
        return column.replace_strict(_TRUTH, default=None, return_dtype=pl.Boolean)
    types: dict[str, Any] = {"number": pl.Float64, "integer": pl.Int64, "text": pl.String}
    return column.cast(types[kind], strict=False)


def _lost(column: pl.Series, cast: pl.Series) -> int:
    """Return how many values could not be cast."""
    return cast.null_count() - column.null_count()


def _end_of_rows(buffer: bytes, first: bool = False) -> int:
    """Return where the last, or the first, whole row ends: at a line end outside of quotes."""
    find = buffer.find if first else buffer.rfind
    end = find(b"\n")
    while end >= 0 and buffer.count(b'"', 0, end) % 2:
        end = buffer.find(b"\n", end + 1) if first else buffer.rfind(b"\n", 0, end)
    return end + 1


def _before_long_row(block: bytes, n_columns: int) -> tuple[bytes, int]:
    """Return the lines before the first one with too many cells, and their number."""
    reader = csv.reader(io.StringIO(block.decode("utf-8", errors="surrogateescape"), newline=""))
    n_rows = n_lines = 0
    for cells in reader:
        if len(cells) > n_columns:
            return b"".join(block.splitlines(keepends=True)[:n_lines]), n_rows
        n_rows, n_lines = n_rows + 1, reader.line_num
    return b"", 0


def _cells(line: bytes) -> list[str]:
    text = line.decode("utf-8", errors="replace")
    return next(csv.reader(io.StringIO(text, newline="")), [])


def _shown(text: bytes) -> str:
    line = re.sub(r"\s+", " ", text.decode("utf-8", errors="replace")).strip()
    return repr(line if len(line) <= 40 else f"{line[:40]}...")
