"""Reports: Markdown, pictures beside it, and the same figures as a record."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scrimp import __version__
from scrimp.io.atomic import write_atomically

from .verdicts import Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Table:
    """Figures beside those that a paper prints.

    Parameters
    ----------
    title : str
        What it shows.
    header : sequence of str
        Names of the columns.
    rows : sequence of sequences
        The cells, as they are read.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def markdown(self) -> str:
        """The table without its title."""
        return markdown_table(self.header, self.rows)


@dataclass
class Page:
    """A report under way.

    Parameters
    ----------
    paper : str
        The short name of the paper; the Markdown file is called after it.
    parts : list of str
        Paragraphs, headings and tables.
    pictures : dict
        PNG files by name.
    record : dict
        The figures for machines.
    verdicts : list of Verdict
        What became of the claims.
    shown : list of Table
        What a reader without the report sees of the figures.
    """

    paper: str
    parts: list[str] = field(default_factory=list)
    pictures: dict[str, bytes] = field(default_factory=dict)
    record: dict[str, Any] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)
    shown: list[Table] = field(default_factory=list)

    def add(self, *parts: str) -> None:
        """Add paragraphs."""
        self.parts.extend(parts)

    def add_table(self, table: Table, *words: str) -> None:
        """Add a section with a table below some words, and show the table."""
        self.add(f"## {table.title}", *words, table.markdown)
        self.shown.append(table)

    def add_verdicts(self, verdicts: Sequence[Verdict]) -> None:
        """Add the claims with what became of them."""
        self.verdicts.extend(verdicts)
        rows = [(v.claim, f"**{v.outcome}**", v.evidence) for v in verdicts]
        self.add("## Verdicts", markdown_table(("claim", "outcome", "figures"), rows))

    def add_picture(self, name: str, figure: Figure, caption: str) -> None:
        """Add a picture, kept as ``name.png`` beside the text."""
        from scrimp.evaluation.displays.axes import png_bytes

        file = f"{self.paper}-{name}.png"
        self.pictures[file] = png_bytes(figure)
        self.add(f"![{caption}]({file})")

    @property
    def text(self) -> str:
        """All of it as Markdown."""
        return "\n\n".join(self.parts) + "\n"

    def write(self, folder: Path) -> list[Path]:
        """Write the files into a folder, which is made if need be; the text last."""
        folder.mkdir(parents=True, exist_ok=True)
        files = self.pictures | {f"{self.paper}.md": self.text.encode()}
        for name, content in files.items():
            write_atomically(folder / name, content)
        return [folder / name for name in files]


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; columns other than the first stand at the right if they hold numbers.

    >>> print(markdown_table(("set", "error"), [("sonar", "20.1")]))
    | set | error |
    |---|--:|
    | sonar | 20.1 |
    """
    cells = [[str(cell) for cell in row] for row in rows]
    marks = ["--:" if j and all(_numeric(row[j]) for row in cells) else "---"
             for j in range(len(header))]  # fmt: skip
    lines = [f"| {' | '.join(header)} |", f"|{'|'.join(marks)}|"]
    lines += [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join(lines)


def _numeric(text: str) -> bool:
    return not text or (text[0] in "0123456789+-" and not any(c.isalpha() for c in text))


def versions() -> str:
    """What the figures were computed with."""
    import sklearn

    return (
        f"scrimp {__version__}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}"
    )


def percent(share: float, digits: int = 1) -> str:
    """A share in percent, without the sign."""
    return f"{100.0 * share:.{digits}f}"


def left_out_text(left_out: Mapping[str, str]) -> list[str]:
    """What could not be had, one line each."""
    if not left_out:
        return []
    lines = [f"- **{name}** is left out. {reason}" for name, reason in left_out.items()]
    return ["\n".join(lines)]
