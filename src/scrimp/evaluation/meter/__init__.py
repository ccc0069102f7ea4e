"""What fitted models of several libraries read, row by row."""

from __future__ import annotations
