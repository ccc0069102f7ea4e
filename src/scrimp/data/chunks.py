"""Rows that come in chunks: from arrays, iterators and Parquet files larger than memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

#: Rows of a Parquet file that are held at a time.
CHUNK_ROWS = 65_536


def chunks_of(source: Any, target: str | None) -> Iterator[tuple[Any, Any, Any]]:
    """Yield rows and responses, with weights or None.

    Parameters
    ----------
    source : path of a Parquet file, or iterable of (X, y) or (X, y, sample_weight)
        Frames or arrays. An iterable of frames alone needs `target`.
    target : str, optional
        The column with the responses, for a file or frames.
    """
    if isinstance(source, str | Path):
        if target is None:
            raise ValueError("target is None; name the column of the file with the responses.")
        source = _frames(Path(source))
    elif not isinstance(source, Iterable):
        raise TypeError(
            f"chunks is a {type(source).__name__}; expected an iterable of (X, y), or the path "
            "of a Parquet file."
        )
    for number, chunk in enumerate(source):
        X, y, weight = _parted(chunk, target, number)
        if X.shape[0]:  # filters leave empty ones behind
            yield X, y, weight


def _parted(chunk: Any, target: str | None, number: int) -> tuple[Any, Any, Any]:
    if isinstance(chunk, tuple) and len(chunk) in (2, 3):
        return chunk if len(chunk) == 3 else (*chunk, None)
    names = [str(name) for name in getattr(chunk, "columns", ())]
    if target is None or target not in names:
        what = f"is a {type(chunk).__name__}"
        if names:
            what = f"has no column {target!r}" if target else f"{what} and target is None"
        raise ValueError(
            f"Chunk {number} {what}; expected (X, y), (X, y, sample_weight), or a frame with "
            "the target column."
        )
    import narwhals.stable.v2 as nw

    frame = nw.from_native(chunk, eager_only=True)
    return frame.drop(target).to_native(), frame.get_column(target).to_numpy(), None


def _frames(path: Path) -> Iterator[Any]:
    """Yield a Parquet file in pieces of some rows, without reading it whole."""
    import polars as pl

    yield from pl.scan_parquet(path).collect_batches(chunk_size=CHUNK_ROWS, maintain_order=True)
