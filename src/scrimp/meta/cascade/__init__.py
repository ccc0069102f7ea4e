"""Cascades: a cheap model answers the sure rows, and the others go on to dearer ones."""

from __future__ import annotations

from .classifier import CascadeClassifier

__all__ = ["CascadeClassifier"]
