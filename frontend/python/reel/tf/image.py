"""tf.image: sizes, parts, colours and measures of images [h, w, c] or [n, h, w, c]; random changes of them.

Files of images are read by reel.data; decode_* and encode_* are not here.
"""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from . import dtypes as _dtypes
from . import random as _random
from ._args import ints as _ints
from ._args import number as _number
from ._array import slice as _slice
from ._convert import to_core as _to_core
from ._image_boxes import non_max_suppression as non_max_suppression
from ._image_boxes import non_max_suppression_overlaps as non_max_suppression_overlaps
from ._image_boxes import non_max_suppression_with_scores as non_max_suppression_with_scores
from ._image_color import adjust_brightness as adjust_brightness
from ._image_color import adjust_contrast as adjust_contrast
from ._image_color import adjust_gamma as adjust_gamma
from ._image_color import adjust_hue as adjust_hue
from ._image_color import adjust_saturation as adjust_saturation
from ._image_color import convert_image_dtype as convert_image_dtype
from ._image_color import grayscale_to_rgb as grayscale_to_rgb
from ._image_color import hsv_to_rgb as hsv_to_rgb
from ._image_color import per_image_standardization as per_image_standardization
from ._image_color import rgb_to_grayscale as rgb_to_grayscale
from ._image_color import rgb_to_hsv as rgb_to_hsv
from ._image_color import rgb_to_yiq as rgb_to_yiq
from ._image_color import rgb_to_yuv as rgb_to_yuv
from ._image_color import yiq_to_rgb as yiq_to_rgb
from ._image_color import yuv_to_rgb as yuv_to_rgb
from ._image_detection import combined_non_max_suppression as combined_non_max_suppression
from ._image_detection import draw_bounding_boxes as draw_bounding_boxes
from ._image_detection import non_max_suppression_padded as non_max_suppression_padded
from ._image_measure import image_gradients as image_gradients
from ._image_measure import psnr as psnr
from ._image_measure import sobel_edges as sobel_edges
from ._image_measure import ssim as ssim
from ._image_measure import ssim_multiscale as ssim_multiscale
from ._image_measure import total_variation as total_variation
from ._image_resize import ResizeMethod as ResizeMethod
from ._image_resize import crop_and_resize as crop_and_resize
from ._image_resize import resize as resize
from ._image_resize import resize_with_pad as resize_with_pad
from ._image_shape import batched as _batched
from ._image_shape import central_crop as central_crop
from ._image_shape import crop_to_bounding_box as crop_to_bounding_box
from ._image_shape import extract_patches as extract_patches
from ._image_shape import flip_left_right as flip_left_right
from ._image_shape import flip_up_down as flip_up_down
from ._image_shape import pad_to_bounding_box as pad_to_bounding_box
from ._image_shape import resize_with_crop_or_pad as resize_with_crop_or_pad
from ._image_shape import rot90 as rot90
from ._image_shape import transpose as transpose
from ._tensor import wrap as _wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError as _ConversionError
from .errors import InvalidArgumentError as _InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Callable

    from ..typing import TensorLike as ArrayLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor as _Tensor

    Draw = Callable[..., _Tensor]


def _stateful(seed):
    """Draws of the global generator, or of one of this seed."""
    return lambda shape, low, high, dtype=_dtypes.float32: _random.uniform(shape, low, high, dtype, seed=seed)


def _stateless(seed):
    """Draws that depend on the seed, two integers, alone."""
    return lambda shape, low, high, dtype=_dtypes.float32: _random.stateless_uniform(shape, seed, low, high, dtype)


def _flip(image, axis, draw, op):
    x, restore = _batched(image, op)
    single = _to_core(image).ndim == 3
    chance = _to_core(draw([] if single else [x.shape[0]], 0.0, 1.0))
    mirrored = chance < 0.5 if single else chance > 0.5
    return restore(_core.where(_core.reshape(mirrored, (-1, 1, 1, 1)), _core.flip(x, axis=axis), x))


def random_flip_left_right(image: ArrayLike, seed: int | None = None) -> _Tensor:
    """Mirrored along the width with probability 1 / 2, each image for itself."""
    return _flip(image, 2, _stateful(seed), "random_flip_left_right")


def random_flip_up_down(image: ArrayLike, seed: int | None = None) -> _Tensor:
    """Mirrored along the height with probability 1 / 2, each image for itself."""
    return _flip(image, 1, _stateful(seed), "random_flip_up_down")


def stateless_random_flip_left_right(image: ArrayLike, seed: ArrayLike) -> _Tensor:
    """random_flip_left_right, decided by the seed (two integers) alone."""
    return _flip(image, 2, _stateless(seed), "stateless_random_flip_left_right")


def stateless_random_flip_up_down(image: ArrayLike, seed: ArrayLike) -> _Tensor:
    """random_flip_up_down, decided by the seed (two integers) alone."""
    return _flip(image, 1, _stateless(seed), "stateless_random_flip_up_down")


def _crop(value, size, draw):
    x, extents = _to_core(value), _ints(size, "size")
    if len(extents) != x.ndim or any(k > n for k, n in zip(extents, x.shape)):
        raise _InvalidArgumentError(f"random_crop: Need value.shape >= size, got {tuple(x.shape)} and {list(extents)}")
    room = _core.asarray([n - k + 1 for k, n in zip(extents, x.shape)], _core.int32)
    starts = _to_core(draw([x.ndim], 0, 2**31 - 1, _dtypes.int32)) % room
    return _slice(_wrap(x), _wrap(starts), list(extents))


def random_crop(value: ArrayLike, size: ShapeLike, seed: int | None = None, name: str | None = None) -> _Tensor:
    """A part of this size at a random place, all axes included."""
    return _crop(value, size, _stateful(seed))


def stateless_random_crop(value: ArrayLike, size: ShapeLike, seed: ArrayLike, name: str | None = None) -> _Tensor:
    """random_crop at a place that depends on the seed (two integers) alone."""
    return _crop(value, size, _stateless(seed))


def _spread(max_delta, op, most=None):
    max_delta = _number(max_delta, f"{op}: max_delta")
    if max_delta < 0:
        raise _ConversionError(f"{op}: max_delta must be non-negative, got {max_delta}")
    if most is not None and max_delta > most:
        raise _ConversionError(f"{op}: max_delta must be <= {most}, got {max_delta}")
    return -max_delta, max_delta


def _bounds(lower, upper, op):
    lower, upper = _number(lower, f"{op}: lower"), _number(upper, f"{op}: upper")
    if upper <= lower:
        raise _ConversionError(f"{op}: upper must be > lower, got {upper} and {lower}")
    if lower < 0:
        raise _ConversionError(f"{op}: lower must be non-negative, got {lower}")
    return lower, upper


def random_brightness(image: ArrayLike, max_delta: float, seed: int | None = None) -> _Tensor:
    """adjust_brightness by a number in [-max_delta, max_delta)."""
    return adjust_brightness(image, _stateful(seed)([], *_spread(max_delta, "random_brightness")))


def random_contrast(image: ArrayLike, lower: float, upper: float, seed: int | None = None) -> _Tensor:
    """adjust_contrast by a factor in [lower, upper)."""
    return adjust_contrast(image, _stateful(seed)([], *_bounds(lower, upper, "random_contrast")))


def random_hue(image: ArrayLike, max_delta: float, seed: int | None = None) -> _Tensor:
    """adjust_hue by a number in [-max_delta, max_delta), at most 0.5."""
    return adjust_hue(image, _stateful(seed)([], *_spread(max_delta, "random_hue", 0.5)))


def random_saturation(image: ArrayLike, lower: float, upper: float, seed: int | None = None) -> _Tensor:
    """adjust_saturation by a factor in [lower, upper)."""
    return adjust_saturation(image, _stateful(seed)([], *_bounds(lower, upper, "random_saturation")))


def stateless_random_brightness(image: ArrayLike, max_delta: float, seed: ArrayLike) -> _Tensor:
    """random_brightness by a number that depends on the seed (two integers) alone."""
    return adjust_brightness(image, _stateless(seed)([], *_spread(max_delta, "stateless_random_brightness")))


def stateless_random_contrast(image: ArrayLike, lower: float, upper: float, seed: ArrayLike) -> _Tensor:
    """random_contrast by a factor that depends on the seed (two integers) alone."""
    return adjust_contrast(image, _stateless(seed)([], *_bounds(lower, upper, "stateless_random_contrast")))


def stateless_random_hue(image: ArrayLike, max_delta: float, seed: ArrayLike) -> _Tensor:
    """random_hue by a number that depends on the seed (two integers) alone."""
    return adjust_hue(image, _stateless(seed)([], *_spread(max_delta, "stateless_random_hue", 0.5)))


def stateless_random_saturation(image: ArrayLike, lower: float, upper: float, seed: ArrayLike | None = None) -> _Tensor:
    """random_saturation by a factor that depends on the seed (two integers) alone."""
    return adjust_saturation(image, _stateless(seed)([], *_bounds(lower, upper, "stateless_random_saturation")))


_all_in_graph(globals())
