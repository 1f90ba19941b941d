"""Parts of images, images in larger ones, and images turned and mirrored: [h, w, c] or batches of them."""

from __future__ import annotations

import typing as _t

from .. import _core
from ._args import integer, number
from ._convert import to_core
from ._space import patches
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..typing import TensorLike as ArrayLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor


def batched(image: ArrayLike, op: str) -> tuple[_core.Tensor, Callable[[_core.Tensor], Tensor]]:
    """The images as [n, h, w, c], and what makes of such a result one of the rank that was given."""
    x = to_core(image)
    if x.ndim not in (3, 4):
        raise ConversionError(f"{op}: 'image' (shape {tuple(x.shape)}) must have either 3 or 4 dimensions")
    _check_extents(x, op)
    if x.ndim == 4:
        return x, wrap
    return _core.expand_dims(x, 0), lambda y: wrap(_core.squeeze(y, 0))


def at_least_3d(image: ArrayLike, op: str) -> _core.Tensor:
    """The core tensor. ValueError unless it has three axes or more."""
    x = to_core(image)
    if x.ndim < 3:
        raise ConversionError(f"{op}: 'image' (shape {tuple(x.shape)}) must be at least three-dimensional.")
    _check_extents(x, op)
    return x


def _check_extents(x, op):
    if 0 in tuple(x.shape)[-3:]:
        raise ConversionError(f"{op}: inner 3 dims of 'image.shape' must be > 0: {tuple(x.shape)}")


def flip_left_right(image: ArrayLike) -> Tensor:
    """Mirrored along the width."""
    x, restore = batched(image, "flip_left_right")
    return restore(_core.flip(x, axis=2))


def flip_up_down(image: ArrayLike) -> Tensor:
    """Mirrored along the height."""
    if to_core(image).ndim < 3:
        at_least_3d(image, "flip_up_down")
    x, restore = batched(image, "flip_up_down")
    return restore(_core.flip(x, axis=1))


def transpose(image: ArrayLike, name: str | None = None) -> Tensor:
    """Height and width swapped."""
    x, restore = batched(image, "transpose")
    return restore(_core.swapaxes(x, 1, 2))


def rot90(image: ArrayLike, k: int = 1, name: str | None = None) -> Tensor:
    """Turned k times by 90 degrees, counter-clockwise."""
    x, restore = batched(image, "rot90")
    turns = integer(k, "k") % 4
    if turns % 2:
        x = _core.swapaxes(x, 1, 2)
    flips = {0: (), 1: (1,), 2: (1, 2), 3: (2,)}[turns]
    return restore(_core.flip(x, axis=flips) if flips else x)


def crop_to_bounding_box(
    image: ArrayLike, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Tensor:
    """The part of this height and width from the offsets on."""
    x, restore = batched(image, "crop_to_bounding_box")
    parts = []
    for what, first, size, n in (
        ("height", offset_height, target_height, x.shape[1]),
        ("width", offset_width, target_width, x.shape[2]),
    ):
        first, size = integer(first, f"offset_{what}"), integer(size, f"target_{what}")
        if first < 0 or size <= 0 or first + size > n:
            raise ConversionError(
                f"crop_to_bounding_box: {what} must be >= target + offset and offset >= 0: {n}, {size}, {first}"
            )
        parts.append(slice(first, first + size))
    return restore(x[:, parts[0], parts[1]])


def pad_to_bounding_box(
    image: ArrayLike, offset_height: int, offset_width: int, target_height: int, target_width: int
) -> Tensor:
    """The image at these offsets in zeros of the target's height and width."""
    x, restore = batched(image, "pad_to_bounding_box")
    widths = [(0, 0)]
    for what, first, size, n in (
        ("height", offset_height, target_height, x.shape[1]),
        ("width", offset_width, target_width, x.shape[2]),
    ):
        first, size = integer(first, f"offset_{what}"), integer(size, f"target_{what}")
        if first < 0 or first + n > size:
            raise ConversionError(
                f"pad_to_bounding_box: {what} must be <= target - offset and offset >= 0: {n}, {size}, {first}"
            )
        widths.append((first, size - first - n))
    return restore(_core.pad(x, [*widths, (0, 0)], "constant", 0))


def resize_with_crop_or_pad(image: ArrayLike, target_height: int, target_width: int) -> Tensor:
    """The middle of the image, or the image in the middle of zeros."""
    x, restore = batched(image, "resize_with_crop_or_pad")
    key, widths = [slice(None)], [(0, 0)]
    for what, size, n in (("height", target_height, x.shape[1]), ("width", target_width, x.shape[2])):
        size = integer(size, f"target_{what}")
        if size <= 0:
            raise ConversionError(f"resize_with_crop_or_pad: target_{what} must be > 0, got {size}")
        cut, more = max(n - size, 0), max(size - n, 0)
        key.append(slice(cut // 2, cut // 2 + min(size, n)))
        widths.append((more // 2, more - more // 2))
    return restore(_core.pad(x[tuple(key)], [*widths, (0, 0)], "constant", 0))


def central_crop(image: ArrayLike, central_fraction: float) -> Tensor:
    """The middle of the image: this part of its height and of its width, in (0, 1]."""
    fraction = number(central_fraction, "central_fraction")
    if not 0.0 < fraction <= 1.0:
        raise ConversionError(f"central_crop: central_fraction must be within (0, 1], got {fraction}")
    x, restore = batched(image, "central_crop")
    starts = [int((n - n * fraction) / 2) for n in x.shape[1:3]]
    return restore(x[(slice(None), *(slice(s, n - s) for s, n in zip(starts, x.shape[1:3])))])


def extract_patches(
    images: ArrayLike, sizes: ShapeLike, strides: ShapeLike, rates: ShapeLike, padding: str, name: str | None = None
) -> Tensor:
    """[n, h, w, c] -> [n, h', w', sizes[1] sizes[2] c]: windows as channels, rates between their pixels."""
    return patches(images, sizes, strides, rates, padding, "ExtractImagePatches")


_all_in_graph(globals(), "batched", "at_least_3d")
