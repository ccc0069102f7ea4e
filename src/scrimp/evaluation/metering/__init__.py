"""The columns that predictions of fitted models read, for models of several libraries."""

from __future__ import annotations
