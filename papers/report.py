"""Reports of papers: a page, verdicts on claims, and the same figures as a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reporting.page import Page, markdown_table

from .verdicts import Verdict


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
        """Return the table without its title."""
        return markdown_table(self.header, self.rows)


@dataclass
class PaperPage(Page):
    """The report of a paper under way.

    Parameters
    ----------
    record : dict
        The figures, as JSON holds them.
    verdicts : list of Verdict
        The verdicts on the claims.
    shown : list of Table
        The tables that the command line prints.
    """

    record: dict[str, Any] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)
    shown: list[Table] = field(default_factory=list)

    def add_table(self, table: Table, *words: str) -> None:
        """Add a section with a table below some words, and show the table."""
        self.add(f"## {table.title}", *words, table.markdown)
        self.shown.append(table)

    def add_verdicts(self, verdicts: Sequence[Verdict]) -> None:
        """Add the claims with their outcomes."""
        self.verdicts.extend(verdicts)
        rows = [(v.claim, f"**{v.outcome}**", v.evidence) for v in verdicts]
        self.add("## Verdicts", markdown_table(("claim", "outcome", "figures"), rows))


def percent(share: float, digits: int = 1) -> str:
    """Return a share in percent, without the sign."""
    return f"{100.0 * share:.{digits}f}"


def left_out_text(left_out: Mapping[str, str]) -> list[str]:
    """Return a list of the datasets that are not available, one line each."""
    if not left_out:
        return []
    lines = [f"- **{name}** is left out. {reason}" for name, reason in left_out.items()]
    return ["\n".join(lines)]
