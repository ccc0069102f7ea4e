"""What a candidate of a frontier is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from .problem import TrainingSet
from .trained import Trained


class Candidate(ABC):
    """A way to make plans, not yet trained.

    Attributes
    ----------
    name : str
        Its name in results.
    wants_sets : bool
        Whether it is trained on item sets that are searched.
    wants_routes : bool
        Whether it is trained on routes, which are searched too.
    takes_sparse : bool
        Whether it can learn from a sparse table.
    """

    name: str
    wants_sets: ClassVar[bool] = True
    wants_routes: ClassVar[bool] = False
    takes_sparse: ClassVar[bool] = False

    @property
    def slow_classes(self) -> bool:
        """Whether its time grows with the number of classes."""
        return True

    @abstractmethod
    def train(self, rows: TrainingSet) -> Trained:
        """Train on the rows of a fold."""
