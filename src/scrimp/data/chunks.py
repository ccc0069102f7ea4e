"""Rows that come in chunks: iterators, CSV and Parquet files, Arrow batches, and dicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .csv_chunks import CsvChunks
from .dict_rows import is_dict_rows

#: Rows of a file that are held at a time.
CHUNK_ROWS = 65_536
#: Single rows, such as dicts, that are taken together.
SINGLE_ROWS = 1_000
_EXPECTED = "expected (X, y), (X, y, sample_weight), or a frame or dict with the target column"


def chunks_of(
    source: Any, target: str | None, chunk_rows: int | None = None
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield rows and responses, with weights or None.

    Parameters
    ----------
    source : path, Arrow table or reader, or iterable
        The path of a Parquet or CSV file (``.csv``, ``.csv.gz``); a table, reader or record batch
        of Arrow; or an iterable of (X, y) or (X, y, sample_weight), whose X are arrays, frames,
        record batches, dicts or lists of dicts; or of frames or dicts alone, with `target`.
    target : str, optional
        The column with the responses, for a file, frames, batches or dicts.
    chunk_rows : int, optional
        Rows of a chunk, of files and of rows that come one by one: 65,536 of a file and 1,000 of
        single rows by default.

    Examples
    --------
    >>> rows = [{"a": 1.0, "y": 2.0}, {"a": 3.0, "b": 1.0, "y": 0.0}]
    >>> list(chunks_of(rows, "y"))
    [([{'a': 1.0}, {'a': 3.0, 'b': 1.0}], [2.0, 0.0], None)]
    """
    if _is_arrow(source) or isinstance(source, str | Path):
        if target is None:
            raise ValueError(
                f"target is None; name the column of the {_noun(source)} with the responses."
            )
        source = _frames(source, chunk_rows or CHUNK_ROWS)
    elif not isinstance(source, Iterable) or isinstance(source, Mapping):
        raise TypeError(
            f"chunks is a {type(source).__name__}; expected an iterable of (X, y), or the path "
            "of a Parquet or CSV file."
        )
    for number, chunk in enumerate(_gathered(source, chunk_rows or SINGLE_ROWS)):
        X, y, weight = _parted(chunk, target, number)
        if len(y):  # filters leave empty ones behind
            yield X, y, weight


def _is_arrow(source: Any) -> bool:
    return type(source).__module__.partition(".")[0] == "pyarrow"


def _noun(source: Any) -> str:
    return "file" if isinstance(source, str | Path) else type(source).__name__


def _gathered(source: Iterable[Any], n_rows: int) -> Iterator[Any]:
    """Yield chunks; single rows that follow each other are taken together."""
    rows: list[Any] = []
    for chunk in source:
        if _is_single(chunk):
            rows.append(chunk)
            if len(rows) == n_rows:
                yield rows
                rows = []
            continue
        if rows:
            yield rows
            rows = []
        yield chunk
    if rows:
        yield rows


def _is_single(chunk: Any) -> bool:
    """Return whether a chunk is one row: a dict, or a dict with its response."""
    return isinstance(chunk, Mapping) or (
        isinstance(chunk, tuple) and bool(chunk) and isinstance(chunk[0], Mapping)
    )


def _parted(chunk: Any, target: str | None, number: int) -> tuple[Any, Any, Any]:
    if isinstance(chunk, list) and chunk and isinstance(chunk[0], tuple):
        chunk = _joined(chunk, number)
    if isinstance(chunk, tuple) and len(chunk) in (2, 3):
        X = _as_native(chunk[0])
        return (X, *chunk[1:]) if len(chunk) == 3 else (X, chunk[1], None)
    if is_dict_rows(chunk):
        return _parted_dicts(chunk, target, number)
    chunk = _as_native(chunk)
    names = [str(name) for name in getattr(chunk, "columns", ())]
    if target is None or target not in names:
        what = f"is a {type(chunk).__name__}"
        if names:
            what = f"has no column {target!r}" if target else f"{what} and target is None"
        raise ValueError(f"Chunk {number} {what}; {_EXPECTED}.")
    import narwhals.stable.v2 as nw

    frame = nw.from_native(chunk, eager_only=True)
    return frame.drop(target).to_native(), frame.get_column(target).to_numpy(), None


def _joined(rows: list[Any], number: int) -> tuple[Any, ...]:
    """Return single rows (dict, y) or (dict, y, weight) as one chunk."""
    widths = {len(row) if isinstance(row, tuple) else 1 for row in rows}
    if widths not in ({2}, {3}):
        raise ValueError(f"Chunk {number} has rows of different kinds; {_EXPECTED}.")
    X, *others = zip(*rows, strict=True)
    return (list(X), *(np.asarray(part) for part in others))


def _parted_dicts(rows: Any, target: str | None, number: int) -> tuple[Any, Any, Any]:
    if target is None or not all(isinstance(row, Mapping) and target in row for row in rows):
        what = (
            "is a dict and target is None" if target is None else f"has a dict without {target!r}"
        )
        raise ValueError(f"Chunk {number} {what}; {_EXPECTED}.")
    X = [{name: value for name, value in row.items() if name != target} for row in rows]
    return X, [row[target] for row in rows], None


def _as_native(chunk: Any) -> Any:
    """Return a record batch of Arrow as a frame, anything else as it is."""
    if not _is_arrow(chunk) or not hasattr(chunk, "schema"):
        return chunk
    import polars as pl

    return pl.from_arrow(chunk)


def _frames(source: Any, chunk_rows: int) -> Iterator[Any]:
    """Yield a file or Arrow's tables and readers in pieces of some rows, without reading all."""
    import polars as pl

    if isinstance(source, str | Path):
        if str(source).lower().endswith((".csv", ".csv.gz")):
            return iter(CsvChunks(source, chunk_rows))
        scan = pl.scan_parquet(source)
        return iter(scan.collect_batches(chunk_size=chunk_rows, maintain_order=True))
    if hasattr(source, "to_batches"):
        return iter(source.to_batches(max_chunksize=chunk_rows))
    if hasattr(source, "read_next_batch"):
        return iter(source)
    return iter([source])
