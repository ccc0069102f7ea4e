"""Errors of model files."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file is not a model that this scrimp can read."""
