"""Images of other sizes: each method is a matrix of weights for the rows and one for the columns."""

from __future__ import annotations

import typing as _t

from .. import _core
from ._args import integer, ints, number, of_ints
from ._convert import to_core
from ._image_shape import batched, pad_to_bounding_box
from ._operators import operand
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from ..typing import TensorLike as ArrayLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor


class ResizeMethod:
    """Names of the methods of tf.image.resize."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def _lanczos(radius):
    def kernel(np, x):
        safe = np.where(x < 1e-3, 1.0, x) * np.pi
        value = radius * np.sin(safe) * np.sin(safe / radius) / (safe * safe)
        return np.where(x > radius, 0.0, np.where(x <= 1e-3, 1.0, value))

    return kernel


def _keys_cubic(np, x):
    near, far = ((1.5 * x - 2.5) * x) * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x >= 2, 0.0, np.where(x >= 1, far, near))


def _mitchell_cubic(np, x):
    near = ((7 / 6 * x - 2) * x) * x + 8 / 9
    far = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 2, 0.0, np.where(x >= 1, far, near))


# Method -> (radius, kernel of distances).
_KERNELS = {
    "bilinear": (1.0, lambda np, x: np.maximum(0.0, 1.0 - x)),
    "bicubic": (2.0, _keys_cubic),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, lambda np, x: np.where(x >= 1.5, 0.0, np.exp(-x * x / 0.5))),
    "mitchellcubic": (2.0, _mitchell_cubic),
}


def _kernel_weights(np, method, n, out, antialias):
    radius, kernel = _KERNELS[method]
    stretch = max(n / out, 1.0) if antialias else 1.0
    centre = (np.arange(out)[:, None] + 0.5) * (n / out)
    place = np.arange(n) + 0.5
    inside = (place >= np.ceil(centre - radius * stretch - 0.5) + 0.5) & (
        place <= np.floor(centre + radius * stretch - 0.5) + 0.5
    )
    weights = np.where(inside, kernel(np, np.abs(place - centre) / stretch), 0.0)
    return weights / weights.sum(1, keepdims=True)


def _linear_weights(np, n, out):
    source = (np.arange(out) + 0.5) * (n / out) - 0.5
    low = np.floor(source)
    weights = np.zeros((out, n))
    rows = np.arange(out)
    np.add.at(weights, (rows, np.clip(low, 0, n - 1).astype(int)), 1 - (source - low))
    np.add.at(weights, (rows, np.clip(np.ceil(source), 0, n - 1).astype(int)), source - low)
    return weights


def _cubic_weights(np, n, out):
    """Keys' cubic at distances in steps of 1 / 1024; what is outside of the image does not count."""
    source = (np.arange(out, dtype=np.float32) + np.float32(0.5)) * np.float32(n / out) - np.float32(0.5)
    low = np.floor(source).astype(int)
    part = np.rint((source - low) * np.float32(1024)) / 1024
    weights = np.zeros((out, n))
    for step in (-1, 0, 1, 2):
        place, weight = low + step, _keys_cubic(np, np.abs(step - part))
        inside = (place >= 0) & (place < n)
        weights[np.arange(out)[inside], place[inside]] += weight[inside]
    return weights / weights.sum(1, keepdims=True)


def _area_weights(np, n, out):
    start = np.arange(out)[:, None] * (n / out)
    place = np.arange(n)
    covered = np.minimum(place + 1, start + n / out) - np.maximum(place, start)
    return np.maximum(covered, 0) / (n / out)


def _weights(method, n, out, antialias):
    import numpy as np

    if method == "area":
        weights = _area_weights(np, n, out)
    elif method == "bilinear" and not antialias:
        weights = _linear_weights(np, n, out)
    elif method == "bicubic" and not antialias:
        weights = _cubic_weights(np, n, out)
    else:
        weights = _kernel_weights(np, method, n, out, antialias)
    return _core.asarray(weights.astype(np.float32))


def _nearest(x, height, width):
    import numpy as np

    for axis, out in ((1, height), (2, width)):
        n = x.shape[axis]
        place = (np.arange(out, dtype=np.float32) + np.float32(0.5)) * np.float32(n / out)
        x = _core.take(x, _core.asarray(np.minimum(np.floor(place), n - 1).astype(np.int64)), axis=axis)
    return x


def _size(size, what="size"):
    if not hasattr(size, "shape") and not isinstance(size, (list, tuple)):
        raise ConversionError(
            f"resize: '{what}' must be a 1-D Tensor of 2 elements: new_height, new_width, got {size!r}"
        )
    numbers = ints(size, what)
    if len(numbers) != 2:
        raise ConversionError(
            f"resize: '{what}' must be a 1-D Tensor of 2 elements: new_height, new_width, got {numbers}"
        )
    return numbers


def _kept_ratio(height, width, size):
    import numpy as np

    scale = min(np.float32(size[0] / height), np.float32(size[1] / width))
    return int(np.rint(scale * np.float32(height))), int(np.rint(scale * np.float32(width)))


def resize(
    images: ArrayLike,
    size: ShapeLike,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """[n, h, w, c] or [h, w, c] -> [..., *size, c], float32; 'nearest' keeps the dtype.

    method: bilinear, nearest, bicubic, area, lanczos3, lanczos5, gaussian or mitchellcubic. preserve_aspect_ratio: the
    largest size of the same shape inside. antialias: kernels as wide as the pixels of the result.
    """
    x, restore = batched(images, "resize")
    new = _size(size)
    if method not in (*_KERNELS, "nearest", "area"):
        raise ConversionError(
            f"resize: Resize method is not implemented: {method!r}; there are {sorted(_KERNELS)}, nearest, area"
        )
    height, width = x.shape[1:3]
    if preserve_aspect_ratio:
        new = _kept_ratio(height, width, new)
    if min(new) < 1:
        raise InvalidArgumentError(f"resize: output dimensions must be positive, got {new}")
    if method == "nearest":
        return restore(x if new == (height, width) else _nearest(x, *new))
    x = _core.astype(x, _core.float32)
    if new == (height, width):
        return restore(x)
    rows, columns = (_weights(method, n, out, antialias) for n, out in zip((height, width), new))
    x = _core.einsum("ih,nhwc->niwc", rows, x)
    return restore(_core.einsum("jw,niwc->nijc", columns, x))


def resize_with_pad(
    image: ArrayLike,
    target_height: int,
    target_width: int,
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """The largest size of the same shape inside the target, with zeros around."""
    import numpy as np

    x, restore = batched(image, "resize_with_pad")
    target = integer(target_height, "target_height"), integer(target_width, "target_width")
    if min(target) < 1:
        raise ConversionError(f"resize_with_pad: target_height and target_width must be > 0, got {target}")
    height, width = x.shape[1:3]
    ratio = max(width / target[1], height / target[0])
    new = [max(int(np.floor(n / ratio)), 0) for n in (height, width)]
    offsets = [max(int(np.floor((t - n / ratio) / 2)), 0) for t, n in zip(target, (height, width))]
    resized = resize(wrap(x), new, method, antialias=antialias)
    return restore(pad_to_bounding_box(resized, *offsets, *target)._t)


def crop_and_resize(
    image: ArrayLike,
    boxes: ArrayLike,
    box_indices: ArrayLike,
    crop_size: ShapeLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """[boxes, *crop_size, c], float32: parts [y1, x1, y2, x2] (1 is the far edge) of the images box_indices, resized."""
    extrapolation = number(extrapolation_value, "crop_and_resize: extrapolation_value")
    x = _core.astype(to_core(image), _core.float32)
    corners, which = (
        operand(boxes, _core.float32, "CropAndResize", weak=False),
        of_ints(box_indices, "CropAndResize", "box_indices"),
    )
    height, width = _size(crop_size, "crop_size")
    if method not in ("bilinear", "nearest"):
        raise ConversionError(f"crop_and_resize: method must be 'bilinear' or 'nearest', got {method!r}")
    if x.ndim != 4 or corners.ndim != 2 or corners.shape[1] != 4 or tuple(which.shape) != (corners.shape[0],):
        raise InvalidArgumentError(
            f"CropAndResize: image must be 4-D, boxes [n, 4] and box_indices [n], got {tuple(x.shape)}, "
            f"{tuple(corners.shape)} and {tuple(which.shape)}"
        )
    top, left, bottom, right = (corners[:, k] for k in range(4))
    y = _places(top, bottom, x.shape[1], height)
    z = _places(left, right, x.shape[2], width)
    out = _sampled(x, which, y, z, method)
    inside = _core.logical_and(
        _core.expand_dims(_inside(y, x.shape[1]), 2), _core.expand_dims(_inside(z, x.shape[2]), 1)
    )
    return wrap(_core.where(_core.expand_dims(inside, -1), out, extrapolation))


def _places(first, last, n, out):
    """[boxes, out]: where in an axis of n pixels the samples are."""
    if out == 1:
        return _core.expand_dims(0.5 * (first + last) * (n - 1), -1)
    step = _core.astype(_core.arange(out), first.dtype)
    return _core.expand_dims(first * (n - 1), -1) + step * _core.expand_dims((last - first) * (n - 1) / (out - 1), -1)


def _inside(place, n):
    return _core.logical_and(place >= 0, place <= n - 1)


def _sampled(x, which, y, z, method):
    rows, columns = y.shape[1], z.shape[1]
    boxes = _core.reshape(_core.astype(which, _core.int64), (-1, 1, 1))

    def at(row, column):
        parts = (boxes, _core.expand_dims(row, 2), _core.expand_dims(column, 1))
        shape = (which.shape[0], rows, columns)
        return _core.gather_nd(x, _core.stack([_core.broadcast_to(p, shape) for p in parts], axis=-1))

    def whole(place, n):
        return _core.astype(_core.clip(place, 0, n - 1), _core.int64)

    h, w = x.shape[1:3]
    if method == "nearest":
        y, z = (_core.stop_gradient(_core.floor(p + 0.5)) for p in (y, z))
        return at(whole(y, h), whole(z, w))
    top, left = _core.stop_gradient(_core.floor(y)), _core.stop_gradient(_core.floor(z))
    bottom, right = _core.stop_gradient(_core.ceil(y)), _core.stop_gradient(_core.ceil(z))
    dy = _core.reshape(y - top, (*y.shape, 1, 1))
    dz = _core.reshape(z - left, (z.shape[0], 1, z.shape[1], 1))
    top, bottom, left, right = whole(top, h), whole(bottom, h), whole(left, w), whole(right, w)
    upper = at(top, left) + (at(top, right) - at(top, left)) * dz
    lower = at(bottom, left) + (at(bottom, right) - at(bottom, left)) * dz
    return upper + (lower - upper) * dy


_all_in_graph(globals())
