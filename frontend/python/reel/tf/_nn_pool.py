"""tf.nn's pools and other windows: maxima, means, dilation and erosion, blocks of space as batch or channels."""

from __future__ import annotations

import typing as _t

from .. import _core
from .. import nn as _nn
from . import dtypes
from ._args import index_dtype, ints
from ._convert import to_core
from ._linked import linked
from ._nn_windows import (
    FORMATS,
    channels_first,
    check_float,
    check_rank,
    only_spatial,
    padding_of,
    per_axis,
    to_first,
    to_last,
)
from ._operators import operand
from ._results import MaxPoolWithArgmax
from ._tensor import TensorLike, wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor

    Window = int | Sequence[int]
    Padding = str | Sequence[Sequence[int]]

_MAX = {1: _nn.max_pool1d, 2: _nn.max_pool2d, 3: _nn.max_pool3d}
_AVG = {1: _nn.avg_pool1d, 2: _nn.avg_pool2d, 3: _nn.avg_pool3d}


def _over_channels(op, x, size, step, spatial):
    """The maximum over groups of neighbouring channels, which come last."""
    if max(spatial) > 1:
        raise _core.UnimplementedError(
            f"{op}: exactly one of pooling across depth and pooling across space is supported"
        )
    if size != step or x.shape[-1] % size:
        raise _core.UnimplementedError(
            f"{op}: a window of {size} channels must be as long as its stride {step} and divide the {x.shape[-1]} channels"
        )
    lead = list(x.shape)[:-1]
    parts = _core.reshape(x, [*lead, x.shape[-1] // size, size])
    at = _core.argmax(parts, -1, keepdims=True)
    return _core.squeeze(_core.take_along_axis(parts, at, -1), -1)


def _pooled(op, kinds, spatial, input, ksize, strides, padding, data_format):
    first = channels_first(op, spatial, data_format)
    x = to_core(input)
    maxima = kinds is _MAX
    if not maxima:
        check_float(op, x)
    elif x.dtype.is_complex or x.dtype.is_bool:
        raise _core.InvalidTypeError(f"{op}: DataType {x.dtype.name} is not in the list of allowed values")
    check_rank(op, "input", x, [spatial + 2])
    size, deep = per_axis(op, "ksize", ksize, spatial, first)
    step, deep_step = per_axis(op, "strides", strides, spatial, first)
    around = padding_of(op, padding, spatial, first, explicit=maxima and spatial < 3)
    if not isinstance(around, str) and any(n >= k for pair, k in zip(around, size) for n in pair):
        raise InvalidArgumentError(f"{op}: padding {padding!r} needs to be smaller than the window {tuple(size)}")
    x = linked(x) if maxima else x
    if deep > 1 or deep_step > 1:
        if not maxima:
            raise _core.UnimplementedError(
                f"{op}: a mean over channels is not supported: ksize {ksize}, strides {strides}"
            )
        return wrap(to_first(_over_channels(op, to_last(x, first), deep, deep_step, size + step), first))
    return wrap(to_first(kinds[spatial](to_last(x, first), size, step, around), first))


def max_pool1d(
    input: ArrayLike,
    ksize: Window,
    strides: Window,
    padding: Padding,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The maximum of every window of [batch, width, channels]; the gradient of a tie goes to the first."""
    return _pooled("max_pool1d", _MAX, 1, input, ksize, strides, padding, data_format)


def max_pool2d(
    input: ArrayLike,
    ksize: Window,
    strides: Window,
    padding: Padding,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The maximum of every window of [batch, height, width, channels]; the gradient of a tie goes to the first.

    data_format: 'NHWC' or 'NCHW'; ksize, strides: n, [n], [h, w] or one per axis, or [1, 1, 1, n] over channels alone;
    padding: 'VALID', 'SAME' or a pair (before, after) for every axis, of what is below every number.
    """
    return _pooled("max_pool2d", _MAX, 2, input, ksize, strides, padding, data_format)


def max_pool3d(
    input: ArrayLike, ksize: Window, strides: Window, padding: str, data_format: str = "NDHWC", name: str | None = None
) -> Tensor:
    """The maximum of every window of [batch, depth, height, width, channels]; ties: the gradient goes to the first."""
    return _pooled("max_pool3d", _MAX, 3, input, ksize, strides, padding, data_format)


def avg_pool1d(
    input: ArrayLike, ksize: Window, strides: Window, padding: str, data_format: str = "NWC", name: str | None = None
) -> Tensor:
    """The mean of every window of [batch, width, channels]; padding does not count."""
    return _pooled("avg_pool1d", _AVG, 1, input, ksize, strides, padding, data_format)


def avg_pool2d(
    input: ArrayLike, ksize: Window, strides: Window, padding: str, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """The mean of every window of [batch, height, width, channels]; padding does not count."""
    return _pooled("avg_pool2d", _AVG, 2, input, ksize, strides, padding, data_format)


def avg_pool3d(
    input: ArrayLike, ksize: Window, strides: Window, padding: str, data_format: str = "NDHWC", name: str | None = None
) -> Tensor:
    """The mean of every window of [batch, depth, height, width, channels]; padding does not count."""
    return _pooled("avg_pool3d", _AVG, 3, input, ksize, strides, padding, data_format)


def _by_rank(op, input, data_format):
    """(spatial axes, format) of an input; a format that is given must be one of its rank."""
    spatial = len(input.shape) - 2
    if spatial not in FORMATS:
        raise ConversionError(f"{op}: input {tuple(input.shape)} must have 1 to 3 spatial axes, a batch and channels")
    return spatial, FORMATS[spatial][0] if data_format is None else data_format


def max_pool(
    input: ArrayLike,
    ksize: Window,
    strides: Window,
    padding: Padding,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """max_pool1d, max_pool2d or max_pool3d, by the rank of the input."""
    x = to_core(input)
    spatial, form = _by_rank("max_pool", x, data_format)
    return _pooled("max_pool", _MAX, spatial, x, ksize, strides, padding, form)


def avg_pool(
    input: ArrayLike,
    ksize: Window,
    strides: Window,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """avg_pool1d, avg_pool2d or avg_pool3d, by the rank of the input."""
    x = to_core(input)
    spatial, form = _by_rank("avg_pool", x, data_format)
    return _pooled("avg_pool", _AVG, spatial, x, ksize, strides, padding, form)


def pool(
    input: ArrayLike,
    window_shape: Sequence[int],
    pooling_type: str,
    strides: Sequence[int] | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """A pool ('MAX' or 'AVG') of one to three spatial axes; dilations above 1 exclude strides above 1."""
    x = to_core(input)
    spatial, form = _by_rank("pool", x, data_format)
    first = channels_first("pool", spatial, form)
    if pooling_type not in ("MAX", "AVG"):
        raise ConversionError(f"pool: `pooling_type` must be 'MAX' or 'AVG', received {pooling_type!r}")
    lists = []
    for what, value in (("window_shape", window_shape), ("strides", strides), ("dilations", dilations)):
        value = [1] * spatial if value is None else list(value)
        if len(value) != spatial or min(value) < 1:
            raise ConversionError(f"pool: {what} must be {spatial} positive numbers, received {value}")
        lists.append(value)
    size, step, apart = lists
    if max(step) > 1 and max(apart) > 1:
        raise ConversionError(f"pool: strides > 1 not supported in conjunction with dilations > 1: {step} and {apart}")
    around = padding_of("pool", padding, spatial, first, explicit=False)
    if max(apart) > 1 and around == "same":
        raise ConversionError(
            f"pool: padding 'SAME' is not implemented for dilations > 1: {apart}; use tf.pad and 'VALID'"
        )
    kinds, x = (_MAX, linked(x)) if pooling_type == "MAX" else (_AVG, x)
    return wrap(to_first(kinds[spatial](to_last(x, first), size, step, around, apart), first))


# --- windows of two axes, element by element ---


def _around(extent, size, step, apart, padding, axis):
    """(before, after) of one axis."""
    span = (size - 1) * apart + 1
    if padding == "valid":
        return 0, 0
    if padding == "same":
        total = max((-(-extent // step) - 1) * step + span - extent, 0)
        return total // 2, total - total // 2
    return padding[axis]


def _views(op, x, size, step, apart, padding, fill):
    """(the elements of all windows [size, n, h, w, c], what was padded before): x [n, h, w, c] padded with a number."""
    low, high = zip(*[_around(x.shape[i + 1], size[i], step[i], apart[i], padding, i) for i in (0, 1)])
    counts = [(x.shape[i + 1] + low[i] + high[i] - (size[i] - 1) * apart[i] - 1) // step[i] + 1 for i in (0, 1)]
    if min(counts) < 1:
        raise ConversionError(f"{op}: the window {size} with dilations {apart} does not fit in input {tuple(x.shape)}")
    x = _core.pad(x, [(0, 0), *zip(low, high), (0, 0)], "constant", fill)
    parts = []
    for i in range(size[0]):
        for j in range(size[1]):
            a, b = i * apart[0], j * apart[1]
            rows = slice(a, a + (counts[0] - 1) * step[0] + 1, step[0])
            parts.append(x[:, rows, b : b + (counts[1] - 1) * step[1] + 1 : step[1], :])
    return _core.stack(parts), low


def _lowest(x):
    return float("-inf") if x.dtype.is_floating else dtypes.BY_CORE[x.dtype].min


def max_pool_with_argmax(
    input: ArrayLike,
    ksize: Window,
    strides: Window,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: DTypeLike = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """(max_pool2d, where each maximum stands: (y width + x) channels + channel, the batch before if asked for)."""
    op = "max_pool_with_argmax"
    if data_format != "NHWC":
        raise ConversionError(f"{op}: `data_format` values other than 'NHWC' are not supported: {data_format!r}")
    x = to_core(input)
    check_rank(op, "input", x, [4])
    size, step = only_spatial(op, "ksize", ksize, 2, False), only_spatial(op, "strides", strides, 2, False)
    around = padding_of(op, padding, 2, False, explicit=False)
    views, low = _views(op, x, size, step, [1, 1], around, _lowest(x))
    at = _core.argmax(views, 0, keepdims=True)
    y = _core.squeeze(_core.take_along_axis(views, at, 0), 0)
    n, h, w, c = x.shape
    at = _core.squeeze(at, 0)
    shape = list(y.shape)

    def along(axis, extent, step=1, low=0):
        count = _core.arange(extent, dtype=_core.int64) * step - low
        return _core.reshape(count, [extent if i == axis else 1 for i in range(4)])

    row = along(1, shape[1], step[0], low[0]) + at // size[1]
    column = along(2, shape[2], step[1], low[1]) + at % size[1]
    index = (row * w + column) * c + along(3, c)
    if include_batch_in_index:
        index = index + along(0, n) * (h * w * c)
    return MaxPoolWithArgmax(wrap(y), wrap(_core.astype(index, index_dtype(output_dtype, "max_pool_with_argmax"))))


def _four(op, what, value):
    value = ints(value, what)
    if len(value) != 4 or value[0] != 1 or value[3] != 1 or min(value) < 1:
        raise ConversionError(f"{op}: `{what}` must be [1, height, width, 1], received {value}")
    return list(value[1:3])


def dilation2d(
    input: ArrayLike,
    filters: ArrayLike,
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int],
    name: str | None = None,
) -> Tensor:
    """The maximum of every window of input [n, h, w, c] plus filters [h, w, c]: a grey dilation.

    The gradient of a tie goes to the first. strides and dilations: [1, h, w, 1]; data_format: 'NHWC'.
    """
    op = "dilation2d"
    if data_format != "NHWC":
        raise ConversionError(f"{op}: `data_format` values other than 'NHWC' are not supported: {data_format!r}")
    x = to_core(input)
    f = operand(filters, x.dtype, "Dilation2D", weak=False)
    check_rank(op, "input", x, [4])
    check_rank(op, "filters", f, [3])
    if f.shape[2] != x.shape[3]:
        raise ConversionError(f"{op}: input {tuple(x.shape)} and filters {tuple(f.shape)} must have the same depth")
    size, step, apart = list(f.shape)[:2], _four(op, "strides", strides), _four(op, "dilations", dilations)
    views, _ = _views(op, x, size, step, apart, padding_of(op, padding, 2, False, explicit=False), _lowest(x))
    sums = views + _core.reshape(f, [size[0] * size[1], 1, 1, 1, f.shape[2]])
    at = _core.argmax(sums, 0, keepdims=True)
    return wrap(_core.squeeze(_core.take_along_axis(sums, at, 0), 0))


def erosion2d(
    value: ArrayLike,
    filters: ArrayLike,
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int],
    name: str | None = None,
) -> Tensor:
    """The minimum of every window of value minus the turned filters: -dilation2d of -value."""
    x = to_core(value)
    f = _core.flip(operand(filters, x.dtype, "Dilation2D", weak=False), axis=(0, 1))
    return wrap(-dilation2d(wrap(-x), wrap(f), strides, padding, data_format, dilations)._t)


# --- blocks ---


def space_to_batch(
    input: ArrayLike, block_shape: ShapeLike, paddings: Sequence[Sequence[int]] | Tensor, name: str | None = None
) -> Tensor:
    """Blocks of the axes after the batch, padded with zeros, as more of the batch: every n-th element by itself."""
    x = to_core(input)
    block = ints(block_shape, "block_shape")
    if isinstance(paddings, TensorLike):
        paddings = paddings._core_value().tolist()
    pairs = [tuple(int(n) for n in pair) for pair in paddings]
    count = len(block)
    if len(pairs) != count or len(x.shape) < count + 1 or any(len(p) != 2 or min(p) < 0 for p in pairs):
        raise ConversionError(
            f"space_to_batch: paddings {pairs} must be one pair from 0 on for each of block_shape {list(block)}, whose "
            f"axes input {tuple(x.shape)} must have after its batch"
        )
    if min(block, default=1) < 1:
        raise ConversionError(f"space_to_batch: block_shape {list(block)} must be positive")
    x = _core.pad(x, [(0, 0), *pairs, *[(0, 0)] * (len(x.shape) - count - 1)])
    shape, rest = list(x.shape), list(x.shape)[count + 1 :]
    split = [shape[0]]
    for extent, b in zip(shape[1:], block):
        if extent % b:
            raise ConversionError(
                f"space_to_batch: padded extents {shape[1 : count + 1]} must be divisible by {list(block)}"
            )
        split += [extent // b, b]
    x = _core.reshape(x, split + rest)
    inner, outer = [2 * i + 2 for i in range(count)], [2 * i + 1 for i in range(count)]
    x = _core.transpose(x, [*inner, 0, *outer, *range(2 * count + 1, len(x.shape))])
    out = [n // b for n, b in zip(shape[1:], block)]
    total = shape[0]
    for b in block:
        total *= b
    return wrap(_core.reshape(x, [total, *out, *rest]))


def with_space_to_batch(
    input: ArrayLike,
    dilation_rate: ShapeLike,
    padding: str,
    op: Any,
    filter_shape: ShapeLike | None = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Refused unless all rates are 1, where it is op(input, ones, padding): give dilations to the op itself."""
    rates = ints(dilation_rate, "dilation_rate")
    if any(r != 1 for r in rates):
        raise _core.UnimplementedError(
            f"with_space_to_batch: dilation_rate {list(rates)} above 1 is not supported; use dilations= of tf.nn.convolution "
            "or tf.nn.pool"
        )
    return op(input, num_spatial_dims=len(rates), padding=padding)


def _blocks(op, input, block_size, data_format):
    if data_format not in ("NHWC", "NCHW"):
        raise ConversionError(f"{op}: `data_format` must be 'NHWC' or 'NCHW', received {data_format!r}")
    b = int(block_size)
    if b < 2:
        raise ConversionError(f"{op}: Block size should be > 1, but was: {b}")
    x = to_core(input)
    check_rank(op, "input", x, [4])
    first = data_format == "NCHW"
    return to_last(x, first), b, first


def space_to_depth(input: ArrayLike, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Blocks of block_size x block_size elements as channels."""
    x, b, first = _blocks("space_to_depth", input, block_size, data_format)
    n, h, w, c = x.shape
    if h % b or w % b:
        raise ConversionError(f"space_to_depth: height {h} and width {w} must be divisible by block_size {b}")
    x = _core.transpose(_core.reshape(x, [n, h // b, b, w // b, b, c]), [0, 1, 3, 2, 4, 5])
    return wrap(to_first(_core.reshape(x, [n, h // b, w // b, b * b * c]), first))


def depth_to_space(input: ArrayLike, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Channels as blocks of block_size x block_size elements: the inverse of space_to_depth."""
    x, b, first = _blocks("depth_to_space", input, block_size, data_format)
    n, h, w, c = x.shape
    if c % (b * b):
        raise ConversionError(f"depth_to_space: {c} channels must be divisible by {b * b}, the square of block_size")
    x = _core.transpose(_core.reshape(x, [n, h, w, b, b, c // (b * b)]), [0, 1, 3, 2, 4, 5])
    return wrap(to_first(_core.reshape(x, [n, h * b, w * b, c // (b * b)]), first))


_all_in_graph(globals())
