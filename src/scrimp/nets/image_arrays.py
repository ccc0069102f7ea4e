"""Arrays of images: the order of their axes, and rows of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..plans.components.layer_programs import Shape

#: The orders of the axes of an array of images.
LAYOUTS = ("NCHW", "NHWC")


def flattened(X: Any, layout: str, shape: Shape) -> Any:
    """Return images as rows of pixels, channel by channel; rows of pixels as they are.

    Parameters
    ----------
    X : array
        Images, with axes as `layout` says; or rows of pixels.
    layout : {"NCHW", "NHWC"}
        Rows, channels, height and width, or channels last.
    shape : tuple of int
        Channels, height and width of the images of the training.
    """
    if getattr(X, "ndim", 2) != 4:
        return X
    images: NDArray[Any] = np.asarray(X)
    if layout == "NHWC":
        images = images.transpose(0, 3, 1, 2)
    if images.shape[1:] != shape:
        raise ValueError(
            f"X holds images of {images.shape[1:]} (channels, height, width, as "
            f"layout={layout!r} says); the model was trained on {shape}."
        )
    return np.ascontiguousarray(images).reshape(len(images), -1)


def shape_of(X: Any, layout: str, image_shape: Any) -> Shape:
    """Return channels, height and width of images to train on.

    Parameters
    ----------
    X, layout
        As in `flattened`.
    image_shape : (int, int, int) or None
        Channels, height and width, for rows of pixels.
    """
    ndim = getattr(X, "ndim", 2)
    if ndim == 4:
        _, *axes = (int(length) for length in np.shape(X))
        return tuple(axes) if layout == "NCHW" else (axes[2], axes[0], axes[1])
    if ndim != 2:
        raise ValueError(
            f"X has {ndim} dimensions; expected images (rows, channels, height, width), or rows of "
            "pixels and image_shape."
        )
    if image_shape is None:
        raise ValueError(
            "This architecture needs images: give X as (rows, channels, height, width), or "
            "image_shape=(channels, height, width) with rows of pixels."
        )
    shape, n_columns = tuple(int(length) for length in image_shape), np.shape(X)[1]
    if len(shape) != 3 or int(np.prod(shape)) != n_columns:
        raise ValueError(
            f"image_shape is {image_shape!r}; expected channels, height and width of {n_columns} "
            "pixels."
        )
    return shape
