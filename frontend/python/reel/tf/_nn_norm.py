"""tf.nn's moments and normalisations."""

from __future__ import annotations

import typing as _t

from .. import _core
from .. import nn as _nn
from ._args import number
from ._convert import cast, to_core
from ._dtypes import BY_CORE
from ._nn_windows import check_float, check_rank
from ._operators import operand
from ._reductions import reduce_mean
from ._tensor import wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError
from .math import _axis, squared_difference

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import TensorLike as ArrayLike
    from ._signatures import Axes
    from ._tensor import Tensor


def moments(
    x: ArrayLike, axes: Axes, shift: object = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """(mean, variance) over axes. shift is not looked at, as in TensorFlow; the second derivative is right, unlike there."""
    t = to_core(x)
    if t.dtype.is_complex:
        mean = reduce_mean(wrap(t), axes, True)
        variance = reduce_mean(squared_difference(wrap(t), mean), axes, keepdims)
        return mean if keepdims else wrap(_core.squeeze(mean._t, _all_axes(_axis(axes), t))), variance
    check_float("moments", t)
    mean, variance = _nn.moments(t, _axis(axes), bool(keepdims))
    return wrap(mean), wrap(variance)


def weighted_moments(
    x: ArrayLike, axes: Axes, frequency_weights: ArrayLike, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """(mean, variance) over axes of elements that count as often as their weights, which broadcast to x, say."""
    t = to_core(x)
    if not t.dtype.is_complex:
        check_float("weighted_moments", t)
    w = cast(frequency_weights, BY_CORE[t.dtype])._t
    wide = _core.astype(t, _core.float32) if t.dtype.itemsize == 2 else t
    w = _core.astype(w, wide.dtype) + _core.zeros_like(wide)
    over = _axis(axes)
    total = _core.sum(w, over, keepdims=True)
    mean = _core.divide_no_nan(_core.sum(w * wide, over, keepdims=True), total)
    squares = squared_difference(wrap(wide), wrap(mean))._t
    variance = _core.divide_no_nan(_core.sum(w * squares, over, keepdims=True), total)
    if not keepdims:
        mean, variance = (_core.squeeze(v, _all_axes(over, wide)) for v in (mean, variance))
    return wrap(_core.astype(mean, t.dtype)), wrap(_core.astype(variance, t.dtype))


def _all_axes(axes, x):
    """The axes as a list; None is all of them."""
    if axes is None:
        return tuple(range(len(x.shape)))
    return (axes,) if isinstance(axes, int) else tuple(axes)


def sufficient_statistics(
    x: ArrayLike, axes: Axes, shift: ArrayLike | None = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Any]:
    """(number of elements, their sum, sum of squares, shift) over axes, each minus the shift if there is one."""
    t = to_core(x)
    if axes is None or getattr(axes, "shape", None) == () or isinstance(axes, int):
        raise _core.InvalidTypeError(f"sufficient_statistics: axes must be a list, received {axes}")
    over = sorted({a % max(len(t.shape), 1) for a in _all_axes(_axis(axes), t)})
    count = 1
    for a in over:
        count *= t.shape[a]
    moved = t
    if shift is not None:
        shift = wrap(operand(shift, t.dtype, "sufficient_statistics", weak=False))
        moved = t - shift._t
    kind = {"dtype": t.dtype} if t.dtype.is_integer else {}
    sums = [_core.sum(v, tuple(over), keepdims=bool(keepdims), **kind) for v in (moved, _core.square(moved))]
    return wrap(_core.full((), count, dtype=t.dtype)), wrap(sums[0]), wrap(sums[1]), shift


def normalize_moments(
    counts: ArrayLike, mean_ss: ArrayLike, variance_ss: ArrayLike, shift: ArrayLike | None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """(mean, variance) from what sufficient_statistics gives."""
    s = to_core(mean_ss)
    n = operand(counts, s.dtype, "normalize_moments", weak=False)
    moved = s / n
    mean = moved if shift is None else moved + operand(shift, s.dtype, "normalize_moments", weak=False)
    variance = operand(variance_ss, s.dtype, "normalize_moments", weak=False) / n - _core.square(moved)
    return wrap(mean), wrap(variance)


def batch_normalization(
    x: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    offset: ArrayLike | None,
    scale: ArrayLike | None,
    variance_epsilon: float,
    name: str | None = None,
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) scale + offset; offset and scale may be None.

    Statistics of a wider dtype than x's are used in theirs, the result is of x's.
    """
    t, v = to_core(x), to_core(variance)
    check_float("batch_normalization", t)

    def like(y):
        return operand(y, v.dtype, "BatchNorm", weak=False)

    inverse = _core.rsqrt(v + operand(variance_epsilon, v.dtype, "AddV2"))
    if scale is not None:
        inverse = inverse * like(scale)
    if v.dtype is t.dtype:
        y = (t - like(mean)) * inverse
        return wrap(y if offset is None else y + like(offset))
    moved = -like(mean) * inverse if offset is None else like(offset) - like(mean) * inverse
    return wrap(t * _core.astype(inverse, t.dtype) + _core.astype(moved, t.dtype))


def batch_norm_with_global_normalization(
    input: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    beta: ArrayLike,
    gamma: ArrayLike,
    variance_epsilon: float,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """batch_normalization of offset beta and, if scale_after_normalization, scale gamma."""
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


def local_response_normalization(
    input: ArrayLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """x / (bias + alpha s)^beta, s the sum of squares of a channel and depth_radius others on both sides of it."""
    op = "local_response_normalization"
    x = to_core(input)
    check_float(op, x)
    check_rank(op, "input", x, [4])
    radius, bias, alpha, beta = (number(v, op) for v in (depth_radius, bias, alpha, beta))
    radius = int(radius)
    if radius < 0:
        raise ConversionError(f"{op}: depth_radius must be non-negative, received {radius}")
    lead, channels = list(x.shape)[:-1], x.shape[-1]
    rows = _core.reshape(_core.square(x), [-1, channels, 1])
    ones = _core.ones((2 * radius + 1, 1, 1), dtype=x.dtype)
    total = _core.reshape(_nn.conv1d(rows, ones, 1, [(radius, radius)]), [*lead, channels])
    return wrap(x * (bias + alpha * total) ** (-beta))


lrn = local_response_normalization


def l2_normalize(
    x: ArrayLike, axis: Axes | None = None, epsilon: float = 1e-12, name: str | None = None, dim: Axes | None = None
) -> Tensor:
    """x / sqrt(max(sum |x|^2, epsilon)) over axes; dim is axis by an older name."""
    if dim is not None:
        if axis is not None:
            raise ConversionError("l2_normalize: Cannot specify both 'axis' and 'dim'")
        axis = dim
    t = to_core(x)
    if not t.dtype.is_complex:
        check_float("l2_normalize", t)
    squares = _core.square(_core.abs(t)) if t.dtype.is_complex else _core.square(t)
    least = operand(epsilon, squares.dtype, "Maximum")
    inverse = _core.rsqrt(_core.maximum(_core.sum(squares, _axis(axis), keepdims=True), least))
    return wrap(t * (_core.astype(inverse, t.dtype) if t.dtype.is_complex else inverse))


_all_in_graph(globals())
