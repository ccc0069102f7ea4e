"""Errors of model files."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file is not a model that this scrimp can read."""


def reason(error: Exception) -> str:
    """Return what an error says, in short, without a full stop."""
    text = f"{error}".rstrip(".") or type(error).__name__
    if isinstance(error, KeyError):
        text = f"it lacks {text}"
    return text if len(text) <= 300 else f"{text[:300]}..."
