"""How alike images are, and their edges."""

from __future__ import annotations

import typing as _t

from .. import _core
from ._args import integer
from ._convert import to_core
from ._image_color import _converted
from ._operators import operand
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor


def _pair(a, b, max_val):
    """Two images of one shape and the largest value, as float32 images."""
    x = to_core(a)
    y = operand(b, x.dtype, "images", weak=False)
    if x.ndim < 3:
        raise ConversionError(
            f"images: shape {tuple(x.shape)} must have rank at least 3: [..., height, width, channels]"
        )
    if tuple(x.shape) != tuple(y.shape):
        raise InvalidArgumentError(f"images: Incompatible shapes: {tuple(x.shape)} vs. {tuple(y.shape)}")
    most = _converted(_core.astype(to_core(max_val), x.dtype), _core.float32)  # in the dtype of the images first
    return _converted(x, _core.float32), _converted(y, _core.float32), most


def psnr(a: ArrayLike, b: ArrayLike, max_val: ArrayLike, name: str | None = None) -> Tensor:
    """20 log10(max_val) - 10 log10(mean squared difference), of each image [..., h, w, c]."""
    x, y, most = _pair(a, b, max_val)
    error = _core.mean(_core.square(x - y), (-3, -2, -1))
    return wrap(20.0 * _core.log(most) / 2.302585092994046 - 10.0 / 2.302585092994046 * _core.log(error))


def _blurred(x, size, sigma):
    """Each channel filtered by a normalised Gaussian window, where it fits."""
    places = _core.astype(_core.arange(size), _core.float32) - (size - 1) / 2.0
    line = _core.exp(-0.5 / (sigma * sigma) * _core.square(places))
    line = line / _core.sum(line)
    for axis in (-3, -2):
        n = x.shape[axis] - size + 1
        at = _core.expand_dims(_core.arange(n), -1) + _core.arange(size)
        windows = _core.take(_core.moveaxis(x, axis, -1), at, axis=-1)  # [..., n, size]
        x = _core.moveaxis(_core.matmul(windows, line), -1, axis)
    return x


def _likeness(x, y, most, size, sigma, k1, k2):
    """(luminance and contrast terms multiplied, contrast terms), of each place and channel."""
    if min(x.shape[-3:-1]) < size:
        raise InvalidArgumentError(f"ssim: images of shape {tuple(x.shape)} are smaller than the filter, {size}")
    c1, c2 = _core.square(k1 * most), _core.square(k2 * most)
    mean_x, mean_y = _blurred(x, size, sigma), _blurred(y, size, sigma)
    product, squares = mean_x * mean_y * 2.0, _core.square(mean_x) + _core.square(mean_y)
    luminance = (product + c1) / (squares + c1)
    both, own = _blurred(x * y, size, sigma) * 2.0, _blurred(_core.square(x) + _core.square(y), size, sigma)
    contrast = (both - product + c2) / (own - squares + c2)
    return luminance * contrast, contrast


def ssim(
    img1: ArrayLike,
    img2: ArrayLike,
    max_val: ArrayLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """Structural similarity of each image [..., h, w, c]; return_index_map: of each place."""
    x, y, most = _pair(img1, img2, max_val)
    index, _ = _likeness(x, y, most, integer(filter_size, "filter_size"), filter_sigma, k1, k2)
    return wrap(_core.mean(index, -1) if return_index_map else _core.mean(index, (-3, -2, -1)))


def _halved(x):
    """Means of blocks of 2 by 2, an odd edge doubled."""
    odd = [n % 2 for n in x.shape[-3:-1]]
    if any(odd):
        x = _core.pad(x, [(0, 0)] * (x.ndim - 3) + [(0, odd[0]), (0, odd[1]), (0, 0)], "symmetric")
    h, w, c = x.shape[-3:]
    return _core.mean(_core.reshape(x, (*x.shape[:-3], h // 2, 2, w // 2, 2, c)), (-4, -2))


def ssim_multiscale(
    img1: ArrayLike,
    img2: ArrayLike,
    max_val: ArrayLike,
    power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The product of similarities at sizes that halve, to the power of these factors."""
    x, y, most = _pair(img1, img2, max_val)
    size, factors, terms = integer(filter_size, "filter_size"), list(power_factors), []
    for k in range(len(factors)):
        if k > 0:
            x, y = _halved(x), _halved(y)
        whole, contrast = _likeness(x, y, most, size, filter_sigma, k1, k2)
        last = whole if k == len(factors) - 1 else contrast
        terms.append(_core.maximum(_core.mean(last, (-3, -2)), 0.0))
    powers = [t**f for t, f in zip(terms, factors)]
    return wrap(_core.mean(_core.prod(_core.stack(powers, axis=-1), -1), -1))


def total_variation(images: ArrayLike, name: str | None = None) -> Tensor:
    """The sum of absolute differences of neighbours, of each image."""
    x = to_core(images)
    if x.ndim not in (3, 4):
        raise ConversionError(f"total_variation: 'images' must be either 3 or 4-dimensional, got {tuple(x.shape)}")
    if x.dtype.kind in "ub":
        raise _core.InvalidTypeError(f"total_variation: a signed number is needed, not {x.dtype.name}; use tf.cast")
    down = _core.abs(x[..., 1:, :, :] - x[..., :-1, :, :])
    across = _core.abs(x[..., :, 1:, :] - x[..., :, :-1, :])
    axes = (-3, -2, -1)
    return wrap(_core.sum(down, axes, dtype=x.dtype) + _core.sum(across, axes, dtype=x.dtype))


def sobel_edges(image: ArrayLike) -> Tensor:
    """[n, h, w, c] -> [n, h, w, c, 2]: Sobel's filters along the height and the width."""
    x = _core.pad(to_core(image), [(0, 0), (1, 1), (1, 1), (0, 0)], "reflect")
    smooth_w = x[:, :, :-2] + 2.0 * x[:, :, 1:-1] + x[:, :, 2:]
    smooth_h = x[:, :-2] + 2.0 * x[:, 1:-1] + x[:, 2:]
    return wrap(_core.stack([smooth_w[:, 2:] - smooth_w[:, :-2], smooth_h[:, :, 2:] - smooth_h[:, :, :-2]], axis=-1))


def image_gradients(image: ArrayLike) -> tuple[Tensor, Tensor]:
    """(dy, dx) of [n, h, w, c]: differences to the next pixel down and right, 0 at the edge."""
    x = to_core(image)
    if x.ndim != 4:
        raise ConversionError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {tuple(x.shape)}.")
    down = _core.pad(x[:, 1:] - x[:, :-1], [(0, 0), (0, 1), (0, 0), (0, 0)], "constant", 0)
    right = _core.pad(x[:, :, 1:] - x[:, :, :-1], [(0, 0), (0, 0), (0, 1), (0, 0)], "constant", 0)
    return wrap(down), wrap(right)


_all_in_graph(globals())
