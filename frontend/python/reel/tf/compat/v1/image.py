"""tf.compat.v1.image."""

from __future__ import annotations as _annotations

import typing as _t

from ... import dtypes as _dtypes
from ... import math as _math
from ..._array import gather as _gather
from ..._convert import convert_to_tensor as _convert
from ..._trace import in_graph as _in_graph
from ...errors import ConversionError as _ConversionError
from ._functions import extract_image_patches as extract_image_patches
from ._table import shared as _shared

if _t.TYPE_CHECKING:
    from typing import Any


class ResizeMethod:
    """How images are resized."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = 0, 1, 2, 3


def _sizes(size):
    size = size.numpy().tolist() if hasattr(size, "numpy") else list(size)
    if len(size) != 2:
        raise _ConversionError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return [int(n) for n in size]


def _source(n, old, align, half):
    """Where the pixels of a new axis lie in the old one."""
    at = [float(i) for i in range(n)]
    if align and n > 1:
        return [i * (old - 1) / (n - 1) for i in at]
    scale = old / n
    return [(i + 0.5) * scale - 0.5 for i in at] if half else [i * scale for i in at]


def _along(x, axis, n, kernel, align, half):
    """One axis resized: a matrix of weights times the axis."""
    import numpy as np

    old = x.shape[axis]
    weights = np.zeros((n, old))
    for i, at in enumerate(_source(n, old, align, half)):
        for j, w in kernel(at, half):
            weights[i, min(max(j, 0), old - 1)] += w
    moved = _math.tensordot(x, _convert(weights.astype("float32")), [[axis], [1]])
    order = list(range(len(x.shape) - 1))
    order.insert(axis, len(x.shape) - 1)
    from ... import _array

    return _array.transpose(moved, order)


def _linear(at, half):
    low = int(at // 1)
    t = at - low
    if low < 0:
        return [(0, 1.0)]
    return [(low, 1 - t), (low + 1, t)]


def _resized(images, size, kernel, align_corners, half_pixel_centers):
    images = _convert(images)
    flat = len(images.shape) == 3
    if flat:
        images = images[None]
    if len(images.shape) != 4:
        raise _ConversionError("'images' must have either 3 or 4 dimensions.")
    height, width = _sizes(size)
    out = _dtypes.cast(images, _dtypes.float32)
    out = _along(out, 1, height, kernel, align_corners, half_pixel_centers)
    out = _along(out, 2, width, kernel, align_corners, half_pixel_centers)
    return out[0] if flat else out


def _check(align, half):
    if align and half:
        raise _ConversionError("If half_pixel_centers is True, align_corners must be False.")


@_in_graph
def resize_bilinear(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """Images resized by linear interpolation, float32."""
    _check(align_corners, half_pixel_centers)
    return _resized(images, size, _linear, align_corners, half_pixel_centers)


@_in_graph
def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """Images resized by taking the nearest pixel, of their dtype."""
    _check(align_corners, half_pixel_centers)
    images = _convert(images)
    axis = len(images.shape) - 3
    for i, n in enumerate(_sizes(size)):
        old = images.shape[axis + i]
        where = _source(n, old, align_corners, False)
        if half_pixel_centers:
            where = [(k + 0.5) * old / n for k in range(n)]
        rows = [int(w + 0.5) if align_corners else int(w) for w in where]
        images = _gather(images, [min(r, old - 1) for r in rows], axis=axis + i)
    return images


def resize_bicubic(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Any:
    """Not here with version 1's kernel."""
    raise _ConversionError("resize_bicubic: version 1's kernel is not here; use tf.image.resize(method='bicubic')")


@_in_graph
def resize_area(images: Any, size: Any, align_corners: bool = False, name: str | None = None) -> Any:
    """Images resized by the means of areas."""
    if align_corners:
        raise _ConversionError("resize_area: align_corners is not here")
    from ...image import resize as resize_v2

    return resize_v2(images, size, method="area")


@_in_graph
def resize(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Any:
    """Images resized as version 1 does: pixels are points at their upper left corners, or align_corners."""
    images = _convert(images)
    if preserve_aspect_ratio:
        height, width = images.shape[-3], images.shape[-2]
        scale = min(_sizes(size)[0] / height, _sizes(size)[1] / width)
        size = [round(height * scale), round(width * scale)]
    if list(images.shape)[-3:-1] == _sizes(size):
        return images
    if method in (ResizeMethod.BILINEAR, "bilinear"):
        return resize_bilinear(images, size, align_corners)
    if method in (ResizeMethod.NEAREST_NEIGHBOR, "nearest"):
        return resize_nearest_neighbor(images, size, align_corners)
    if method in (ResizeMethod.BICUBIC, "bicubic"):
        return resize_bicubic(images, size, align_corners)
    if method in (ResizeMethod.AREA, "area"):
        return resize_area(images, size, align_corners)
    raise _ConversionError("Resize method is not implemented.")


resize_images = resize
__getattr__, __dir__ = _shared("image", globals())
