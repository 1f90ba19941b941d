"""keras.ops.image: sizes, parts and colours of images [height, width, channels] or batches of them."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _image_color, _image_resize
from ..._image_shape import extract_patches as _extract_patches
from ..._tensor import wrap as _wrap
from ...errors import ConversionError as _ConversionError
from ._common import exported as _exported
from ._common import publish as _publish
from ._common import tensor as _tensor

if _t.TYPE_CHECKING:
    from typing import Any


def _last(images, data_format):
    """Images with channels last, and what turns them back."""
    t = _tensor(images)
    if t.ndim not in (3, 4):
        raise _ConversionError(
            f"Invalid images rank: expected rank 3 or rank 4. Received: images.shape={tuple(t.shape)}"
        )
    if data_format != "channels_first":
        return _wrap(t), lambda x: x
    return _wrap(_core.moveaxis(t, -3, -1)), lambda x: _wrap(_core.moveaxis(x._t, -1, -3))


def resize(
    images: Any,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: str | None = None,
) -> Any:
    """Images of another size: 'nearest', 'bilinear', 'bicubic', 'lanczos3' or 'lanczos5'."""
    if crop_to_aspect_ratio or pad_to_aspect_ratio:
        raise _core.UnimplementedError("resize: crop or pad images before; there is no crop_to_aspect_ratio here")
    x, back = _last(images, data_format)
    kept = x.dtype
    out = _image_resize.resize(x, size, method=interpolation, antialias=antialias)
    if out.dtype is not kept:
        from ..._convert import saturate_cast

        out = saturate_cast(_wrap(_core.round(out._t)) if kept.is_integer else out, kept)
    return back(out)


def rgb_to_grayscale(images: Any, data_format: str | None = None) -> Any:
    """One channel of three."""
    x, back = _last(images, data_format)
    return back(_image_color.rgb_to_grayscale(x))


def rgb_to_hsv(images: Any, data_format: str | None = None) -> Any:
    """Hue, saturation and value of red, green and blue."""
    x, back = _last(images, data_format)
    return back(_image_color.rgb_to_hsv(x))


def hsv_to_rgb(images: Any, data_format: str | None = None) -> Any:
    """The inverse of rgb_to_hsv."""
    x, back = _last(images, data_format)
    return back(_image_color.hsv_to_rgb(x))


def _margin(before, after, target, have, names):
    """(before, after) of an axis, of which one of three is not given; they are what is cut or added."""
    if [before, after, target].count(None) != 1:
        raise _ConversionError(f"Must specify exactly two of {', '.join(names)}. Received: {before}, {after}, {target}")
    difference = abs(target - have) if target is not None else 0
    return (difference - after if before is None else before), (difference - before if after is None else after)


def crop_images(
    images: Any,
    top_cropping: int | None = None,
    left_cropping: int | None = None,
    bottom_cropping: int | None = None,
    right_cropping: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Any:
    """A part of images: two of the numbers of rows above and below and of what remains, and so of columns."""
    x, back = _last(images, data_format)
    h, w = x.shape[-3], x.shape[-2]
    rows = ("top_cropping", "bottom_cropping", "target_height")
    columns = ("left_cropping", "right_cropping", "target_width")
    top, bottom = _margin(top_cropping, bottom_cropping, target_height, h, rows)
    left, right = _margin(left_cropping, right_cropping, target_width, w, columns)
    return back(x[..., top : h - bottom, left : w - right, :])


def pad_images(
    images: Any,
    top_padding: int | None = None,
    left_padding: int | None = None,
    bottom_padding: int | None = None,
    right_padding: int | None = None,
    target_height: int | None = None,
    target_width: int | None = None,
    data_format: str | None = None,
) -> Any:
    """Images with zeros around: two of the numbers of rows above and below and of what it gives, and so of columns."""
    x, back = _last(images, data_format)
    rows = ("top_padding", "bottom_padding", "target_height")
    columns = ("left_padding", "right_padding", "target_width")
    vertical = _margin(top_padding, bottom_padding, target_height, x.shape[-3], rows)
    horizontal = _margin(left_padding, right_padding, target_width, x.shape[-2], columns)
    pairs = [(0, 0)] * (len(x.shape) - 3) + [vertical, horizontal, (0, 0)]
    return back(_wrap(_core.pad(x._t, pairs)))


def extract_patches(
    images: Any,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
) -> Any:
    """Windows of images, their elements in a row as channels."""
    x, back = _last(images, data_format)
    single = len(x.shape) == 3
    x = _wrap(_core.expand_dims(x._t, axis=0)) if single else x

    def four(value):
        return [1, *((value, value) if isinstance(value, int) else value), 1]

    out = _extract_patches(x, four(size), four(strides or size), four(dilation_rate), padding.upper())
    return back(_wrap(_core.squeeze(out._t, 0)) if single else out)


_publish(globals())
__all__ = _exported(globals())
