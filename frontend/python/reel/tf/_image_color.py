"""Colours, brightness and contrast of images; dtypes of images, whose integers go from 0 to the largest, floats to 1."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import dtypes
from ._convert import to_core
from ._image_shape import at_least_3d
from ._operators import operand
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor


def _most(dtype):
    return 2 ** (8 * dtype.itemsize - (dtype.kind == "i")) - 1


def _saturated(x, dtype):
    """The elements converted to an integer dtype, those outside of it to its ends."""
    least = 0 if dtype.kind == "u" else -_most(dtype) - 1
    if x.dtype.kind == "f":  # the largest float that the integers hold: 2**31 is none of int32
        bits = {"float16": 11, "bfloat16": 8, "float32": 24}.get(x.dtype.name, 53)
        most = _most(dtype)
        x = _core.clip(x, float(least), float(most >> (n := max(0, most.bit_length() - bits)) << n))
    else:
        x = _core.clip(
            x, max(least, 0 if x.dtype.kind == "u" else -_most(x.dtype) - 1), min(_most(dtype), _most(x.dtype))
        )
    return _core.astype(x, dtype)


def _converted(x, dtype, saturate=False):
    if x.dtype.kind not in "fiu":
        raise AttributeError(f"image dtype must be either floating point or integer, not {x.dtype.name}")
    if x.dtype is dtype:
        return _core.identity(x)
    to_int, is_int = dtype.kind in "iu", x.dtype.kind in "iu"
    finish = (lambda y: _saturated(y, dtype)) if saturate and to_int else (lambda y: _core.astype(y, dtype))
    if is_int and to_int:
        have, want = _most(x.dtype), _most(dtype)
        if have > want:
            return finish(x // ((have + 1) // (want + 1)))
        return finish(x) * ((want + 1) // (have + 1))
    if is_int:
        wide = _core.astype(x, dtype)
        return wide * (1.0 / _most(x.dtype))
    return finish(x * (_most(dtype) + 0.5)) if to_int else _core.astype(x, dtype)


def convert_image_dtype(image: ArrayLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """The image in another dtype, its range scaled: floats to 1, integers to the largest. saturate: clip before."""
    kind = dtypes.as_dtype(dtype)
    if not (kind.is_floating or kind.is_integer):
        raise AttributeError("dtype must be either floating point or integer")
    return wrap(_converted(to_core(image), kind.core, saturate))


def _as_float(x):
    """Any image as one of float32."""
    return x if x.dtype is _core.float32 else _converted(x, _core.float32)


def _at_least_half(x):
    """The same, but float16 as it is."""
    return x if x.dtype is _core.float16 else _as_float(x)


def _through_float(image, f, op=None, saturate=True):
    """f of the image in floats, in the image's dtype again."""
    x = to_core(image)
    if op is not None:
        x = at_least_3d(image, op)
    return wrap(_converted(f(_as_float(x)), x.dtype, saturate))


def adjust_brightness(image: ArrayLike, delta: ArrayLike) -> Tensor:
    """delta added to all colours, in [0, 1)."""
    x = to_core(image)
    wide = _at_least_half(x)
    moved = wide + _core.astype(to_core(delta), wide.dtype)
    return wrap(_converted(moved, x.dtype, saturate=True))


def _factor(value, op, what, least=float("-inf"), most=float("inf")):
    """A number as a core tensor without axes, within bounds where it is known; TypeError for lists."""
    if isinstance(value, (list, tuple)):
        raise _core.InvalidTypeError(f"{op}: {what} must be a number, not {value!r}")
    t = to_core(value)
    if t.ndim:
        raise InvalidArgumentError(f"{op}: {what} must be a scalar, got shape {tuple(t.shape)}")
    known = _core._static_value(t)
    if known is not None and not least <= known.item() <= most:
        raise InvalidArgumentError(f"{op}: {what} must be in the interval [{least}, {most}], got {known.item()}")
    return t


def adjust_contrast(images: ArrayLike, contrast_factor: ArrayLike) -> Tensor:
    """(x - mean) contrast_factor + mean, the mean of each channel of each image."""
    x, op = to_core(images), "adjust_contrast"
    if x.ndim < 3:
        raise InvalidArgumentError(f"{op}: input must be at least 3-D, got shape {tuple(x.shape)}")
    factor = _factor(operand(contrast_factor, _core.float32, op, weak=False), op, "contrast_factor")
    wide = _at_least_half(x)
    real = _core.astype(wide, _core.float32)
    mean = _core.mean(real, (-3, -2), keepdims=True)
    out = _core.astype((real - mean) * factor + mean, wide.dtype)
    return wrap(_converted(out, x.dtype, saturate=True))


def adjust_gamma(image: ArrayLike, gamma: ArrayLike = 1, gain: ArrayLike = 1) -> Tensor:
    """gain x^gamma."""
    gamma = _factor(gamma, "adjust_gamma", "gamma", least=0)
    x = to_core(image)
    wide = _at_least_half(x)
    power, scale = (_core.astype(to_core(v), wide.dtype) for v in (gamma, gain))
    return wrap(_converted(scale * wide**power, x.dtype, saturate=True))


def _colours(image, op):
    x = to_core(image)
    if x.ndim < 1 or x.shape[-1] != 3:
        raise InvalidArgumentError(f"{op}: input must have 3 channels but instead has shape {tuple(x.shape)}")
    return x


def _hsv(x):
    red, green, blue = (x[..., k] for k in range(3))
    value = _core.maximum(_core.maximum(red, green), blue)
    spread = value - _core.minimum(_core.minimum(red, green), blue)
    some = spread > 0
    scale = 1.0 / (6.0 * _core.where(some, spread, 1.0))
    hue = _core.where(
        _core.equal(red, value),
        (green - blue) * scale,
        _core.where(_core.equal(green, value), (blue - red) * scale + 2.0 / 6.0, (red - green) * scale + 4.0 / 6.0),
    )
    hue = _core.where(some, _core.where(hue < 0, hue + 1.0, hue), 0.0)
    lit = value > 0
    saturation = _core.where(lit, spread / _core.where(lit, value, 1.0), 0.0)
    return _core.stack([hue, saturation, value], axis=-1)


def _rgb(x):
    hue, saturation, value = (x[..., k] for k in range(3))
    place = 6.0 * hue
    parts = (_core.abs(place - 3.0) - 1.0, 2.0 - _core.abs(place - 2.0), 2.0 - _core.abs(place - 4.0))
    return _core.stack([((1.0 - saturation) + saturation * _core.clip(p, 0.0, 1.0)) * value for p in parts], axis=-1)


def rgb_to_hsv(images: ArrayLike, name: str | None = None) -> Tensor:
    """Red, green and blue in [0, 1] as hue, saturation and value."""
    return wrap(_hsv(_colours(images, "RGBToHSV")))


def hsv_to_rgb(images: ArrayLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value in [0, 1] as red, green and blue; no gradient flows back."""
    return wrap(_core.stop_gradient(_rgb(_colours(images, "HSVToRGB"))))


def adjust_hue(image: ArrayLike, delta: ArrayLike, name: str | None = None) -> Tensor:
    """delta, in [-1, 1], added to the hue of colours; 1 is the whole circle."""
    delta = _factor(delta, "adjust_hue", "delta", -1.0, 1.0)

    def turn(x):
        hsv = _hsv(x)
        hue = hsv[..., 0] + _core.astype(delta, x.dtype)
        hue = hue - _core.floor(hue)
        return _rgb(_core.stack([hue, hsv[..., 1], hsv[..., 2]], axis=-1))

    _colours(image, "adjust_hue")
    return _through_float(image, turn, "adjust_hue")


def adjust_saturation(image: ArrayLike, saturation_factor: ArrayLike, name: str | None = None) -> Tensor:
    """The saturation of colours times a factor, at most 1."""
    factor = _factor(to_core(saturation_factor), "adjust_saturation", "saturation_factor")

    def scale(x):
        hsv = _hsv(x)
        more = _core.clip(hsv[..., 1] * _core.astype(factor, x.dtype), 0.0, 1.0)
        return _rgb(_core.stack([hsv[..., 0], more, hsv[..., 2]], axis=-1))

    _colours(image, "adjust_saturation")
    return _through_float(image, scale, "adjust_saturation")


def rgb_to_grayscale(images: ArrayLike, name: str | None = None) -> Tensor:
    """[..., 3] -> [..., 1]: 0.2989 red + 0.587 green + 0.114 blue."""

    def grey(x):
        return _core.expand_dims(_core.tensordot(x, _core.asarray([0.2989, 0.5870, 0.1140], x.dtype), 1), -1)

    x = _colours(images, "rgb_to_grayscale")
    return wrap(_converted(grey(_as_float(x)), x.dtype))


def grayscale_to_rgb(images: ArrayLike, name: str | None = None) -> Tensor:
    """[..., 1] -> [..., 3]: the same in each channel."""
    x = to_core(images)
    if x.ndim < 2 or x.shape[-1] != 1:
        raise ConversionError(
            f"grayscale_to_rgb: an image of two axes or more, the last of size 1, is needed, got {tuple(x.shape)}"
        )
    return wrap(_core.tile(x, (1,) * (x.ndim - 1) + (3,)))


def _define_space(name, rows, doc) -> Callable[..., Tensor]:
    def op(images: ArrayLike) -> Tensor:
        x = _colours(images, op.__name__)
        if not x.dtype.is_floating:
            raise _core.InvalidTypeError(f"{op.__name__}: images must be floating, not {x.dtype.name}; use tf.cast")
        return wrap(_core.tensordot(x, _core.asarray(rows, x.dtype), 1))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = doc
    return op


rgb_to_yiq = _define_space(
    "rgb_to_yiq",
    [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]],
    "Red, green and blue as luma and the two chroma channels of NTSC.",
)
yiq_to_rgb = _define_space(
    "yiq_to_rgb",
    [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]],
    "The inverse of rgb_to_yiq.",
)
rgb_to_yuv = _define_space(
    "rgb_to_yuv",
    [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]],
    "Red, green and blue as luma and the two chroma channels of PAL.",
)
yuv_to_rgb = _define_space(
    "yuv_to_rgb", [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]], "The inverse of rgb_to_yuv."
)


def per_image_standardization(image: ArrayLike) -> Tensor:
    """(x - mean) / max(standard deviation, 1 / sqrt(n)) of each image of n elements."""
    x = at_least_3d(image, "per_image_standardization")
    x = _core.astype(x, _core.float32)
    axes, n = (-3, -2, -1), x.shape[-1] * x.shape[-2] * x.shape[-3]
    mean = _core.mean(x, axes, keepdims=True)
    deviation = _core.std(x, axes, keepdims=True)
    return wrap((x - mean) / _core.maximum(deviation, n**-0.5))


_all_in_graph(globals())
