"""What commands print and write: tables, JSON, files."""

from __future__ import annotations

import errno
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

#: Of less than this, cents say too little.
_SMALL = 0.1


def note(text: str) -> None:
    """A remark beside the result, on stderr."""
    click.echo(text, err=True)


def print_json(result: Any) -> None:
    """The result for machines; what is infinite or undefined becomes null."""
    click.echo(json.dumps(plain(result), indent=2, ensure_ascii=False, allow_nan=False))


def plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, dict):
        return {str(plain(key)): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return _plain_number(value) if isinstance(value, float) else value


def _plain_number(value: float) -> float | None:
    return short(value) if math.isfinite(value) else None


def short(value: float) -> float:
    """A number without the dust of rounding; a whole one may be somebody's id and stays."""
    return value if value.is_integer() else float(f"{value:.12g}")


def print_table(header: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> None:
    """A table; what is a number in all rows stands at the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    cells = [[_cell(value) for value in row] for row in rows]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for number, name in enumerate(header):
        right = all(_is_number(row[number]) for row in cells)
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for row in cells:
        table.add_row(*row)
    # on a pipe nothing is lost to a narrow page
    width = None if sys.stdout.isatty() else 200
    console = Console(file=sys.stdout, width=width, highlight=False, markup=False)
    console.on_broken_pipe = _unread  # type: ignore[method-assign]
    if title:
        console.print(title, style="bold")
    console.print(table)
    console.print()


def _unread() -> None:
    """Let a closed pipe be met where all errors are."""
    raise BrokenPipeError(errno.EPIPE, "nobody reads the output")


def money(amount: float) -> str:
    """An amount as people write it; what has no limit says so."""
    if not math.isfinite(amount):
        return "no limit"
    return f"{amount:.2g}" if 0 < abs(amount) < _SMALL else f"{amount:,.2f}"


def count(n: int, thing: str) -> str:
    """So many things, or one."""
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def digits(value: float) -> str:
    """A number to six significant digits."""
    return f"{value:.6g}" if abs(value) < 1e6 else f"{float(f'{value:.6g}'):.0f}"


def _cell(value: Any) -> str:
    return money(value) if isinstance(value, float) else str(value)


def _is_number(text: str) -> bool:
    return not text or text.lstrip("+-")[:1].isdigit()


def draw_without_window() -> None:
    """Let matplotlib draw into files, whatever screen there is."""
    import matplotlib

    matplotlib.use("Agg")


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write each file in one step: it is whole or as it was before."""
    from ..io.atomic import write_atomically

    for path, content in contents.items():
        write_atomically(path, content)
