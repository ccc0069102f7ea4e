"""Experiments of the papers, run again: one folder per paper."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .experiment import Study

#: Papers by their short names; each has a folder whose `experiment` holds its `STUDY`.
PAPERS = ("reyzin2011", "huang2015", "hu2016", "wang2018", "sgb2017", "adaloss")


def study(paper: str) -> Study:
    """Return the study of a paper."""
    paper_study: Study = import_module(f"{__name__}.{paper}.experiment").STUDY
    return paper_study
