"""Fitted models of scikit-learn as arrays."""

from __future__ import annotations

from .conversion import array_model

__all__ = ["array_model"]
