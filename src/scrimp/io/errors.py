"""What can be wrong with a model file."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file is not a model that this scrimp can read."""
