"""Markdown pages with pictures beside them, their tables, and marked parts of a page."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scrimp import __version__
from scrimp.io.atomic import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass
class Page:
    """A Markdown page and its pictures.

    Parameters
    ----------
    name : str
        The page is written to ``name.md``.
    picture_prefix : str
        What the paths of its pictures begin with, relative to the page: ``"name-"`` or
        ``"name/"``.
    parts : list of str
        Paragraphs, headings and tables.
    pictures : dict
        Contents of PNG files by their paths.
    """

    name: str
    picture_prefix: str
    parts: list[str] = field(default_factory=list)
    pictures: dict[str, bytes] = field(default_factory=dict)

    def add(self, *parts: str) -> None:
        """Add paragraphs."""
        self.parts.extend(parts)

    def add_picture(self, name: str, figure: Figure, caption: str) -> None:
        """Add a picture, kept as ``<picture_prefix>name.png``."""
        from scrimp.evaluation.displays.axes import png_bytes

        path = f"{self.picture_prefix}{name}.png"
        self.pictures[path] = png_bytes(figure)
        self.add(f"![{caption}]({path})")

    @property
    def text(self) -> str:
        """Return the whole page as Markdown."""
        return "\n\n".join(part.strip("\n") for part in self.parts) + "\n"

    def write(self, folder: Path) -> list[Path]:
        """Write all files into a folder, which is made if need be; the page comes last."""
        files = self.pictures | {f"{self.name}.md": self.text.encode()}
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / path, content)
        return [folder / path for path in files]


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table; columns of numbers, other than the first, are aligned right.

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


def write_parts(page: Path, parts: Mapping[str, str]) -> None:
    """Replace the marked parts of a page, by their marks."""
    text = page.read_text(encoding="utf-8")
    for mark, part in parts.items():
        text = replace_part(text, mark, part)
    write_atomically(page, text.encode())


def replace_part(page: str, mark: str, part: str) -> str:
    r"""Return a page with a new text between two marks.

    >>> replace_part("before <!-- a -->old<!-- /a --> after", "a", "new")
    'before <!-- a -->\nnew<!-- /a --> after'
    """
    before, start, rest = page.partition(f"<!-- {mark} -->")
    _, end, after = rest.partition(f"<!-- /{mark} -->")
    if not (start and end):
        raise ValueError(f"The page has no part marked {mark!r}.")
    return f"{before}{start}\n{part}{end}{after}"


def versions() -> str:
    """Return the versions of what the figures were computed with."""
    import sklearn

    return (
        f"scrimp {__version__}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}"
    )
