"""tf.nn's convolutions: of one to three spatial axes, both formats, explicit paddings, transposed, depthwise, dilated."""

from __future__ import annotations

import typing as _t

from .. import _core
from .. import nn as _nn
from ._args import ints, only
from ._convert import to_core
from ._nn_windows import (
    FORMATS,
    batched,
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
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..typing import TensorLike as ArrayLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor

    Window = int | Sequence[int]
    Padding = str | Sequence[Sequence[int]]

_FORWARD = {1: _nn.conv1d, 2: _nn.conv2d, 3: _nn.conv3d}
_TRANSPOSED = {1: _nn.conv1d_transpose, 2: _nn.conv2d_transpose, 3: _nn.conv3d_transpose}


def _operands(op, input, filters, spatial, more=True):
    x = to_core(input)
    w = operand(filters, x.dtype, op, weak=False)
    check_float(op, x, integers=spatial == 2 and "depthwise" not in op)
    check_rank(op, "input", x, [spatial + 2], more)
    check_rank(op, "filters", w, [spatial + 2])
    return x, w


def _groups(op, x, w, spatial):
    """How many groups of channels a filter [..., channels / groups, outputs] has; x has its channels last."""
    channels, depth = x.shape[-1], w.shape[spatial]
    if depth == 0 or channels is None or channels % depth:
        raise ConversionError(
            f"{op}: input depth must be evenly divisible by filter depth: {channels} vs {depth}; input "
            f"{tuple(x.shape)}, filters {tuple(w.shape)}"
        )
    groups = channels // depth
    if groups == 0 or w.shape[-1] % groups:
        raise ConversionError(f"{op}: {w.shape[-1]} outputs are not divisible by {groups} groups of channels")
    return groups


def _convolve(op, spatial, input, filters, strides, padding, data_format, dilations):
    first = channels_first(op, spatial, data_format)
    x, w = _operands(op, input, filters, spatial)
    steps = only_spatial(op, "strides", strides, spatial, first)
    apart = 1 if dilations is None else only_spatial(op, "dilations", dilations, spatial, first)
    around = padding_of(op, padding, spatial, first)

    def run(x):
        x = to_last(x, first)
        return to_first(_FORWARD[spatial](x, w, steps, around, apart, _groups(op, x, w, spatial)), first)

    return wrap(batched(x, spatial + 2, run))


def conv1d(
    input: ArrayLike,
    filters: ArrayLike,
    stride: Window,
    padding: str,
    data_format: str = "NWC",
    dilations: Window | None = None,
    name: str | None = None,
) -> Tensor:
    """input [..., width, channels] with filters [width, channels, outputs], as a cross-correlation.

    data_format: 'NWC' or 'NCW'; padding: 'VALID' or 'SAME'. Channels may be a multiple of the filters': groups of them
    then have filters of their own.
    """
    padding_of("conv1d", padding, 1, False, explicit=False)
    form = {"NHWC": "NWC", "NCHW": "NCW"}.get(data_format, data_format)  # as a height of 1 has them
    return _convolve("conv1d", 1, input, filters, stride, padding, form, dilations)


def conv2d(
    input: ArrayLike,
    filters: ArrayLike,
    strides: Window,
    padding: Padding,
    data_format: str = "NHWC",
    dilations: Window | None = None,
    name: str | None = None,
) -> Tensor:
    """input [..., height, width, channels] with filters [height, width, channels, outputs], as a cross-correlation.

    data_format: 'NHWC' or 'NCHW'; strides and dilations: n, [n], [h, w] or one per axis; padding: 'VALID', 'SAME' or a
    pair (before, after) for every axis. Channels may be a multiple of the filters': groups of them then have filters of
    their own.
    """
    return _convolve("conv2d", 2, input, filters, strides, padding, data_format, dilations)


def conv3d(
    input: ArrayLike,
    filters: ArrayLike,
    strides: Window,
    padding: Padding,
    data_format: str = "NDHWC",
    dilations: Window | None = None,
    name: str | None = None,
) -> Tensor:
    """input [..., depth, height, width, channels] with filters [depth, height, width, channels, outputs].

    data_format: 'NDHWC' or 'NCDHW'; padding: 'VALID' or 'SAME'.
    """
    padding_of("conv3d", padding, 3, False, explicit=False)
    if not hasattr(strides, "__len__") or len(strides) != 5:
        raise _core.InvalidTypeError(f"conv3d: `strides` must be one number for each of 5 axes, received {strides!r}")
    return _convolve("conv3d", 3, input, filters, strides, padding, data_format, dilations)


def _spatial_axes(op, filters, data_format, given=None):
    """The number of spatial axes, from the filters, and whether channels come first."""
    spatial = len(filters.shape) - 2
    if spatial not in FORMATS:
        raise ConversionError(f"{op}: filters {tuple(filters.shape)} must have 1 to 3 spatial axes")
    if data_format is not None and data_format.startswith("NC"):
        return spatial, FORMATS[spatial][1]
    if data_format is not None and not data_format.endswith("C"):
        raise ConversionError(f"{op}: `data_format` must be one of {FORMATS[spatial]}, received {data_format!r}")
    return spatial, FORMATS[spatial][0]


def convolution(
    input: ArrayLike,
    filters: ArrayLike,
    strides: Window | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Window | None = None,
    name: str | None = None,
) -> Tensor:
    """conv1d, conv2d or conv3d, by the rank of the filters; strides and dilations above 1 exclude each other."""
    x = to_core(input)
    w = operand(filters, x.dtype, "convolution", weak=False)
    spatial, form = _spatial_axes("convolution", w, data_format)
    padding_of("convolution", padding, spatial, False, explicit=False)
    steps = [1] * spatial if strides is None else strides
    apart = [1] * spatial if dilations is None else dilations
    first = form == FORMATS[spatial][1]
    _exclude("convolution", per_axis("convolution", "strides", steps, spatial, first)[0], apart, spatial, first)
    return _convolve("convolution", spatial, x, w, steps, padding, form, apart)


def _exclude(op, steps, dilations, spatial, first):
    apart = only_spatial(op, "dilations", dilations, spatial, first)
    if max(steps) > 1 and max(apart) > 1:
        raise ConversionError(
            f"{op}: `strides > 1` not supported in conjunction with `dilations > 1`, received strides {steps} and "
            f"dilations {apart}"
        )
    return apart


def atrous_conv2d(value: ArrayLike, filters: ArrayLike, rate: int, padding: str, name: str | None = None) -> Tensor:
    """conv2d whose filters skip rate - 1 elements between two."""
    return _convolve("atrous_conv2d", 2, value, filters, 1, padding, "NHWC", _rate("atrous_conv2d", rate))


def _rate(op, rate):
    rate = only(rate, op, "rate")
    if rate < 1:
        raise ConversionError(f"{op}: `rate` must be at least 1, received {rate}")
    return rate


# --- transposed ---


def _transposed(op, spatial, input, filters, output_shape, strides, padding, data_format, dilations):
    first = channels_first(op, spatial, data_format)
    x, w = _operands(op, input, filters, spatial, more=False)
    steps = only_spatial(op, "strides", strides, spatial, first)
    apart = [1] * spatial if dilations is None else only_spatial(op, "dilations", dilations, spatial, first)
    around = padding_of(op, padding, spatial, first)
    wanted = ints(output_shape, "output_shape")
    if len(wanted) == 1:
        wanted *= spatial
    if len(wanted) == spatial + 2:
        ends = (wanted[0], wanted[1] if first else wanted[-1])
        if ends != (x.shape[0], w.shape[spatial]):
            raise ConversionError(
                f"{op}: `output_shape` {list(wanted)} must have the batch {x.shape[0]} of the input and the "
                f"{w.shape[spatial]} channels of filters {tuple(w.shape)}"
            )
        wanted = wanted[2:] if first else wanted[1:-1]
    if len(wanted) != spatial:
        raise ConversionError(f"{op}: `output_shape` must have {spatial + 2} entries, received {output_shape!r}")
    channels = x.shape[1] if first else x.shape[-1]
    if channels != w.shape[-1]:
        raise ConversionError(
            f"{op}: input channels does not match filter's input channels: {channels} and {w.shape[-1]}, input "
            f"{tuple(x.shape)}, filters {tuple(w.shape)} of [..., outputs, channels]"
        )
    if 0 in x.shape or 0 in wanted:
        shape = [*x.shape[:1], *wanted, w.shape[spatial]]
        y = _core.zeros(shape, dtype=x.dtype) + 0 * (_core.sum(x) + _core.sum(w))
    else:
        y = _TRANSPOSED[spatial](to_last(x, first), w, steps, around, apart, None, list(wanted))
    return wrap(to_first(y, first))


def conv1d_transpose(
    input: ArrayLike,
    filters: ArrayLike,
    output_shape: ShapeLike,
    strides: Window,
    padding: Padding = "SAME",
    data_format: str = "NWC",
    dilations: Window | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of a conv1d whose input has output_shape: filters [width, outputs, channels]."""
    return _transposed(
        "conv1d_transpose", 1, input, filters, output_shape, strides, padding, data_format or "NWC", dilations
    )


def conv2d_transpose(
    input: ArrayLike,
    filters: ArrayLike,
    output_shape: ShapeLike,
    strides: Window,
    padding: Padding = "SAME",
    data_format: str = "NHWC",
    dilations: Window | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of a conv2d whose input has output_shape: filters [height, width, outputs, channels]."""
    return _transposed(
        "conv2d_transpose", 2, input, filters, output_shape, strides, padding, data_format or "NHWC", dilations
    )


def conv3d_transpose(
    input: ArrayLike,
    filters: ArrayLike,
    output_shape: ShapeLike,
    strides: Window,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    dilations: Window | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of a conv3d whose input has output_shape: filters [depth, height, width, outputs, channels]."""
    padding_of("conv3d_transpose", padding, 3, False, explicit=False)
    return _transposed(
        "conv3d_transpose", 3, input, filters, output_shape, strides, padding, data_format or "NDHWC", dilations
    )


def conv_transpose(
    input: ArrayLike,
    filters: ArrayLike,
    output_shape: ShapeLike,
    strides: Window,
    padding: Padding = "SAME",
    data_format: str | None = None,
    dilations: Window | None = None,
    name: str | None = None,
) -> Tensor:
    """conv1d_transpose, conv2d_transpose or conv3d_transpose, by the rank of the filters."""
    x = to_core(input)
    w = operand(filters, x.dtype, "conv_transpose", weak=False)
    spatial, form = _spatial_axes("conv_transpose", w, data_format)
    return _transposed("conv_transpose", spatial, x, w, output_shape, strides, padding, form, dilations)


def atrous_conv2d_transpose(
    value: ArrayLike, filters: ArrayLike, output_shape: ShapeLike, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """The transpose of atrous_conv2d."""
    op = "atrous_conv2d_transpose"
    padding_of(op, padding, 2, False, explicit=False)
    return _transposed(op, 2, value, filters, output_shape, 1, padding, "NHWC", _rate(op, rate))


# --- depthwise ---


def _depthwise(op, input, filter, strides, padding, data_format, dilations):
    first = channels_first(op, 2, data_format)
    x, w = _operands(op, input, filter, 2, more=False)
    if not hasattr(strides, "__len__") or len(strides) != 4:
        raise _core.InvalidTypeError(f"{op}: `strides` must be one number for each of 4 axes, received {strides!r}")
    steps = only_spatial(op, "strides", strides, 2, first)
    apart = [1, 1] if dilations is None else _exclude(op, steps, dilations, 2, first)
    x = to_last(x, first)
    if x.shape[-1] != w.shape[2]:
        raise ConversionError(
            f"{op}: input and filter must have the same depth: {x.shape[-1]} vs {w.shape[2]}; input {tuple(x.shape)}, "
            f"filter {tuple(w.shape)}"
        )
    return to_first(_nn.depthwise_conv2d(x, w, steps, padding_of(op, padding, 2, first), apart), first)


def depthwise_conv2d(
    input: ArrayLike,
    filter: ArrayLike,
    strides: Sequence[int],
    padding: Padding,
    data_format: str | None = None,
    dilations: Window | None = None,
    name: str | None = None,
) -> Tensor:
    """Every channel by itself: filter [height, width, channels, multiplier] gives channels x multiplier outputs.

    strides: one per axis; above 1 they exclude dilations above 1.
    """
    return wrap(_depthwise("depthwise_conv2d", input, filter, strides, padding, data_format, dilations))


def separable_conv2d(
    input: ArrayLike,
    depthwise_filter: ArrayLike,
    pointwise_filter: ArrayLike,
    strides: Sequence[int],
    padding: Padding,
    data_format: str | None = None,
    dilations: Window | None = None,
    name: str | None = None,
) -> Tensor:
    """depthwise_conv2d, then a conv2d of 1 x 1 filters [1, 1, channels x multiplier, outputs]."""
    op = "separable_conv2d"
    first = channels_first(op, 2, data_format)
    x = to_core(input)
    point = operand(pointwise_filter, x.dtype, op, weak=False)
    check_rank(op, "pointwise_filter", point, [4])
    if tuple(point.shape)[:2] != (1, 1):
        raise ConversionError(f"{op}: pointwise_filter must have shape [1, 1, ...], received {tuple(point.shape)}")
    y = to_last(_depthwise(op, x, depthwise_filter, strides, padding, data_format, dilations), first)
    if y.shape[-1] != point.shape[2]:
        raise ConversionError(
            f"{op}: pointwise_filter {tuple(point.shape)} must have {y.shape[-1]} channels, those of the depthwise filter"
        )
    return wrap(to_first(_nn.conv2d(y, point), first))


# --- gradients by name ---


def depthwise_conv2d_backprop_input(
    input_sizes: ShapeLike,
    filter: ArrayLike,
    out_backprop: ArrayLike,
    strides: Sequence[int],
    padding: Padding,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """What a gradient of a depthwise_conv2d's result is to its input, of shape input_sizes."""
    w = to_core(filter)
    return _pulled_back(
        lambda x: _depthwise("depthwise_conv2d_backprop_input", x, w, strides, padding, data_format, dilations),
        ints(input_sizes),
        w.dtype,
        out_backprop,
    )


def depthwise_conv2d_backprop_filter(
    input: ArrayLike,
    filter_sizes: ShapeLike,
    out_backprop: ArrayLike,
    strides: Sequence[int],
    padding: Padding,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """What a gradient of a depthwise_conv2d's result is to its filter, of shape filter_sizes."""
    x = to_core(input)
    return _pulled_back(
        lambda w: _depthwise("depthwise_conv2d_backprop_filter", x, w, strides, padding, data_format, dilations),
        ints(filter_sizes),
        x.dtype,
        out_backprop,
    )


def _pulled_back(f: Any, shape: tuple[int, ...], dtype: _core.DType, seed: ArrayLike) -> Tensor:
    """The gradient of a linear f at zeros."""
    with _core.GradientTape() as tape:
        at = _core.zeros(shape, dtype=dtype)
        tape.watch(at)
        y = f(at)
    return wrap(tape.gradient(y, at, to_core(seed, y.dtype)))


_all_in_graph(globals())
