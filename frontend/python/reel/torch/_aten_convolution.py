"""PyTorch's convolutions, pools and interpolation: channels first, filters [outputs, channels / groups, ...]."""

from __future__ import annotations

import itertools as _itertools
import math as _math
import typing as _t

from .. import _core
from .. import nn as _nn
from ._gradients import gradients_of
from ._table import aten, cast, repeat

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .._core import Tensor

_CONV: list[Callable[..., Any]] = [_nn.conv1d, _nn.conv2d, _nn.conv3d]
_TRANSPOSED: list[Callable[..., Any]] = [_nn.conv1d_transpose, _nn.conv2d_transpose, _nn.conv3d_transpose]
_MAX_POOL: list[Callable[..., Any]] = [_nn.max_pool1d, _nn.max_pool2d, _nn.max_pool3d]
_AVG_POOL: list[Callable[..., Any]] = [_nn.avg_pool1d, _nn.avg_pool2d, _nn.avg_pool3d]


def _pairs(padding: Sequence[int]) -> list[tuple[int, int]]:
    return [(p, p) for p in padding]


def _batched(x: Tensor, spatial: int, f: Callable[[Tensor], Any]) -> Any:
    """f of x with a batch axis, without it again if x has none."""
    if x.ndim == spatial + 2:
        return f(x)
    y = f(_core.expand_dims(x, 0))
    return tuple(_core.squeeze(t, 0) for t in y) if isinstance(y, tuple) else _core.squeeze(y, 0)


def _extents(x: Tensor, weight: Tensor, stride: Any, padding: Any, dilation: Any) -> list[int]:
    """How many places a filter has along each axis; none where an extent is open."""
    sizes = zip(x.shape[2:], weight.shape[2:], stride, padding, dilation)
    if not all(isinstance(n, int) for n in x.shape):
        return []
    return [(n + 2 * p - (k - 1) * d - 1) // s + 1 for n, k, s, p, d in sizes]


def _product(x: Tensor, weight: Tensor, extents: Sequence[int], stride: Any, padding: Any, dilation: Any) -> Tensor:
    """A convolution as filters times patches: filters are read, and their gradient is written, as PyTorch has them."""
    outputs, channels, *size = weight.shape
    padded = _core.pad(x, [(0, 0), (0, 0), *_pairs(padding)]) if any(padding) else x
    patches = [
        padded[(..., *(slice(k * d, k * d + (n - 1) * s + 1, s) for k, d, n, s in zip(at, dilation, extents, stride)))]
        for at in _itertools.product(*map(range, size))
    ]
    rows = _core.permute_dims(_core.stack(patches, axis=2), (1, 2, 0, *range(3, weight.ndim + 1)))
    depth = channels * _math.prod(size)
    y = _core.matmul(_core.reshape(weight, (outputs, depth)), _core.reshape(rows, (depth, -1)))
    y = _core.reshape(y, (outputs, x.shape[0], *extents))
    return _core.permute_dims(y, (1, 0, *range(2, weight.ndim)))


@aten("convolution.default", "_convolution.default")
def _convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    *_: Any,
) -> Tensor:
    n = weight.ndim - 2
    stride, padding, dilation, output_padding = (repeat(v, n) for v in (stride, padding, dilation, output_padding))
    options: dict[str, Any] = dict(strides=stride, dilation=dilation, groups=groups, data_format="channels_first")
    if transposed:
        y = _TRANSPOSED[n - 1](input, weight, padding=_pairs(padding), output_padding=output_padding, **options)
    else:
        extents = _extents(input, weight, stride, padding, dilation) if groups == 1 else []
        # With more filters than places, to lay out filters for a convolution takes longer than to copy patches.
        if min(extents, default=0) > 0 and 0 < input.shape[0] * _math.prod(extents) <= weight.shape[0]:
            y = _product(input, weight, extents, stride, padding, dilation)
        else:
            y = _CONV[n - 1](input, weight, padding=_pairs(padding), **options)
    return y if bias is None else y + _core.reshape(bias, [-1] + [1] * n)


@aten("convolution_backward.default")
def _convolution_backward(
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias_sizes: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, ...]:
    def forward(x: Tensor, w: Tensor) -> Tensor:
        return _convolution(x, w, None, stride, padding, dilation, transposed, output_padding, groups)

    dx, dw = gradients_of(forward, [input, weight], grad_output, output_mask[:2])
    axes = (0, *range(2, grad_output.ndim))
    return dx, dw, _core.sum(grad_output, axes) if output_mask[2] else None


# --- pools ---


def _average(
    x: Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, with_pad: bool, divisor: Any
) -> Tensor:
    n = x.ndim - 2
    size = repeat(kernel, n)
    y = _AVG_POOL[n - 1](
        x,
        size,
        strides=repeat(stride, n) if stride else size,
        padding=_pairs(repeat(padding, n)),
        ceil_mode=ceil_mode,
        count_include_pad=with_pad or divisor is not None,
        data_format="channels_first",
    )
    return y if divisor is None else y * (_math.prod(size) / divisor)


def _average_pool(spatial: int) -> Callable[..., Any]:
    def pool(
        self: Tensor,
        kernel_size: Any,
        stride: Any = (),
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Any:
        def run(x: Tensor) -> Tensor:
            return _average(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

        return _batched(self, spatial, run)

    return aten(f"avg_pool{spatial}d.default")(pool)


_average_pools = [_average_pool(n) for n in (1, 2, 3)]


@aten("avg_pool2d_backward.default", "avg_pool3d_backward.default")
def _average_backward(grad_output: Tensor, self: Tensor, *options: Any) -> Tensor:
    kernel = options[0]
    pool = _average_pools[(3 if self.ndim == 5 or len(kernel) == 3 else 2) - 1]
    return _t.cast("Tensor", gradients_of(lambda x: pool(x, *options), [self], grad_output)[0])


def _largest(x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Tensor:
    n = x.ndim - 2
    size = repeat(kernel, n)
    return _t.cast(
        "Tensor",
        _MAX_POOL[n - 1](
            x,
            size,
            strides=repeat(stride, n) if stride else size,
            padding=_pairs(repeat(padding, n)),
            dilation=repeat(dilation, n),
            ceil_mode=ceil_mode,
            data_format="channels_first",
        ),
    )


def _places(x: Tensor, y: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Tensor:
    """Where in its plane the maximum of each window is, the first of equal ones."""
    n = x.ndim - 2
    size, pad, dilation = repeat(kernel, n), repeat(padding, n), repeat(dilation, n)
    step, extent, out = repeat(stride, n) if stride else size, x.shape[2:], y.shape[2:]
    high = [max((o - 1) * s + (k - 1) * d + 1 - m - p, 0)
            for o, s, k, d, m, p in zip(out, step, size, dilation, extent, pad)]  # fmt: skip
    low = -float("inf") if not x.dtype.is_integer else _core.iinfo(x.dtype).min
    padded = _core.pad(x, [(0, 0), (0, 0), *zip(pad, high)], constant_values=low)
    windows, at = [], []
    for offset in _itertools.product(*map(range, size)):
        cut = tuple(slice(k * d, k * d + (o - 1) * s + 1, s) for k, d, o, s in zip(offset, dilation, out, step))
        windows.append(padded[(slice(None), slice(None), *cut)])
        place = _core.zeros(out, dtype=_core.int64)
        for axis, (k, d, o, s, p, m) in enumerate(zip(offset, dilation, out, step, pad, extent)):
            own = _core.arange(o) * s + (k * d - p)
            place = place * m + _core.reshape(own, [-1] + [1] * (n - 1 - axis))
        at.append(_core.broadcast_to(place, y.shape))
    first = _core.expand_dims(_core.argmax(_core.stack(windows), axis=0), 0)
    return _core.squeeze(_core.take_along_axis(_core.stack(at), first, 0), 0)


def _max_pool(spatial: int) -> None:
    @aten(f"max_pool{spatial}d_with_indices.default")
    def _(
        self: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
    ) -> Any:
        def run(x: Tensor) -> tuple[Tensor, Tensor]:
            y = _largest(x, kernel_size, stride, padding, dilation, ceil_mode)
            return y, _places(x, y, kernel_size, stride, padding, dilation)

        return _batched(self, spatial, run)


_max_pool(2)
_max_pool(3)


@aten("max_pool2d_with_indices_backward.default", "max_pool3d_with_indices_backward.default")
def _max_pool_backward(
    grad_output: Tensor,
    self: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    indices: Tensor | None = None,
) -> Tensor:
    spatial = len(kernel_size) if len(kernel_size) > 1 else 2

    def run(x: Tensor) -> Any:
        return _batched(x, spatial, lambda t: _largest(t, kernel_size, stride, padding, dilation, ceil_mode))

    return _t.cast("Tensor", gradients_of(run, [self], grad_output)[0])


def _adaptive(x: Tensor, output_size: Sequence[int]) -> Tensor:
    """Means over windows from floor(i n / m) to ceil((i + 1) n / m), on the last axes."""
    for k, m in enumerate(output_size):
        axis = x.ndim - len(output_size) + k
        n = x.shape[axis]
        if m == n:
            continue
        if n % m == 0:
            x = _core.mean(_core.reshape(x, [*x.shape[:axis], m, n // m, *x.shape[axis + 1 :]]), axis + 1)
            continue
        rows = []
        for i in range(m):
            low, high = i * n // m, -(-(i + 1) * n // m)
            rows.append([1 / (high - low) if low <= j < high else 0.0 for j in range(n)])
        x = _along(x, rows, axis)
    return x


def _along(x: Tensor, rows: Sequence[Sequence[float]], axis: int) -> Tensor:
    """A matrix of numbers times x along an axis."""
    matrix = _core.asarray(rows, _core.float64)
    y = _core.matmul(_core.moveaxis(x, axis, -1), _core.swapaxes(cast(matrix, x.dtype), 0, 1))
    return _core.moveaxis(y, -1, axis)


@aten("_adaptive_avg_pool2d.default", "_adaptive_avg_pool3d.default", "adaptive_avg_pool1d.default")
def _adaptive_pool(self: Tensor, output_size: Any) -> Tensor:
    return _adaptive(self, output_size)


@aten("_adaptive_avg_pool2d_backward.default", "_adaptive_avg_pool3d_backward.default")
def _adaptive_backward(grad_output: Tensor, self: Tensor) -> Tensor:
    n = 3 if self.ndim == 5 else 2
    return _t.cast("Tensor", gradients_of(lambda x: _adaptive(x, grad_output.shape[-n:]), [self], grad_output)[0])


# --- interpolation ---


def _ratios(x: Tensor, output_size: Any, scales: Sequence[Any] | None) -> list[tuple[int, int, float]]:
    """Of each axis: extent, new extent, how many old elements go into a new one."""
    out = []
    for k, n in enumerate(x.shape[2:]):
        scale = None if scales is None else scales[k]
        m = int(n * scale) if output_size is None else int(output_size[k])
        out.append((n, m, 1 / scale if scale else n / m))
    return out


def _nearest(x: Tensor, output_size: Any, scales: Sequence[Any] | None) -> Tensor:
    for k, (n, m, ratio) in enumerate(_ratios(x, output_size, scales)):
        x = _core.take(x, _core.asarray([min(int(i * ratio), n - 1) for i in range(m)], _core.int64), axis=2 + k)
    return x


def _linear_rows(n: int, m: int, ratio: float, align_corners: bool) -> list[list[float]]:
    """Weights of the old elements in each new one."""
    rows = []
    for i in range(m):
        if align_corners:
            at = i * (n - 1) / (m - 1) if m > 1 else 0.0
        else:
            at = max((i + 0.5) * ratio - 0.5, 0.0)
        low = min(int(at), n - 1)
        row = [0.0] * n
        row[low] += 1 - (at - low)
        row[min(low + 1, n - 1)] += at - low
        rows.append(row)
    return rows


def _linear(x: Tensor, output_size: Any, align_corners: bool, scales: Sequence[Any] | None) -> Tensor:
    for k, (n, m, ratio) in enumerate(_ratios(x, output_size, scales)):
        x = _along(x, _linear_rows(n, m, ratio, align_corners), 2 + k)
    return x


@aten("upsample_nearest1d.vec", "upsample_nearest2d.vec", "upsample_nearest3d.vec")
def _nearest_vec(input: Tensor, output_size: Any, scale_factors: Any) -> Tensor:
    return _nearest(input, output_size, scale_factors)


@aten("upsample_nearest1d.default", "upsample_nearest2d.default", "upsample_nearest3d.default")
def _nearest_of(self: Tensor, output_size: Any, *scales: Any) -> Tensor:
    return _nearest(self, output_size, scales or None)


@aten("upsample_linear1d.vec", "upsample_bilinear2d.vec", "upsample_trilinear3d.vec")
def _linear_vec(input: Tensor, output_size: Any, align_corners: bool, scale_factors: Any) -> Tensor:
    return _linear(input, output_size, align_corners, scale_factors)


@aten("upsample_linear1d.default", "upsample_bilinear2d.default", "upsample_trilinear3d.default")
def _linear_of(self: Tensor, output_size: Any, align_corners: bool, *scales: Any) -> Tensor:
    return _linear(self, output_size, align_corners, scales or None)


# --- columns ---


@aten("col2im.default")
def _col2im(self: Tensor, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:
    def run(x: Tensor) -> Tensor:
        taps = _math.prod(kernel_size)
        channels = x.shape[1] // taps
        out = [(s + 2 * p - d * (k - 1) - 1) // t + 1
               for s, p, d, k, t in zip(output_size, padding, dilation, kernel_size, stride)]  # fmt: skip
        columns = _core.reshape(x, [x.shape[0], channels, *kernel_size, *out])
        full = [s + 2 * p for s, p in zip(output_size, padding)]
        y = _core.zeros((x.shape[0], channels, *full), dtype=x.dtype)
        flat = _core.reshape(y, [x.shape[0], channels, -1])
        places = _core.zeros((), dtype=_core.int64)
        for k in range(2):
            rows = _core.reshape(_core.arange(kernel_size[k]) * dilation[k], [-1, 1])
            own = rows + _core.reshape(_core.arange(out[k]) * stride[k], [1, -1])
            shape = [1, 1, 1, 1]
            shape[k], shape[k + 2] = own.shape
            places = places * full[k] + _core.reshape(own, shape)
        at = _core.reshape(places, [-1])
        flat = _core.scatter(flat, at, _core.reshape(columns, [x.shape[0], channels, -1]), axis=2, mode="add")
        y = _core.reshape(flat, y.shape)
        cut = tuple(slice(p, p + s) for p, s in zip(padding, output_size))
        return y[(slice(None), slice(None), *cut)]

    return _core.squeeze(run(_core.expand_dims(self, 0)), 0) if self.ndim == 2 else run(self)
