"""Random changes of training images."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Augmentation:
    """Random crops of padded images, mirror images, and squares that are cut out.

    Parameters
    ----------
    pad : int
        Pixels that are added on each side, by 0, before the image is cut to its size again.
    flip : bool
        Whether half of the images are mirrored.
    cutout : int
        The side of a square that is set to the mean of its image; 0 for none.
    """

    pad: int = 0
    flip: bool = False
    cutout: int = 0

    def __call__(self, images: Tensor, generator: torch.Generator) -> Tensor:
        """Return images (rows, channels, height, width), each changed on its own."""
        if self.pad:
            images = self._cropped(images, generator)
        if self.flip:
            mirrored = torch.rand(len(images), generator=generator) < 0.5
            images = torch.where(mirrored[:, None, None, None], images.flip(3), images)
        return self._cut(images, generator) if self.cutout else images

    def _cropped(self, images: Tensor, generator: torch.Generator) -> Tensor:
        n, _, height, width = images.shape
        padded = functional.pad(images, (self.pad,) * 4)
        top, left = torch.randint(2 * self.pad + 1, (2, n), generator=generator)
        rows = top[:, None] + torch.arange(height)
        columns = left[:, None] + torch.arange(width)
        each = torch.arange(n)[:, None, None]
        cropped: Tensor = padded.permute(0, 2, 3, 1)[each, rows[:, :, None], columns[:, None, :]]
        return cropped.permute(0, 3, 1, 2)

    def _cut(self, images: Tensor, generator: torch.Generator) -> Tensor:
        n, _, height, width = images.shape
        top = torch.randint(height, (n, 1), generator=generator) - self.cutout // 2
        left = torch.randint(width, (n, 1), generator=generator) - self.cutout // 2
        rows, columns = torch.arange(height), torch.arange(width)
        inside_rows = (rows >= top) & (rows < top + self.cutout)
        inside_columns = (columns >= left) & (columns < left + self.cutout)
        hole = (inside_rows[:, :, None] & inside_columns[:, None, :])[:, None]
        return torch.where(hole, images.mean(dim=(1, 2, 3), keepdim=True), images)
