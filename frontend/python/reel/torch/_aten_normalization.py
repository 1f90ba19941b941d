"""PyTorch's normalizations: results beside the first are means and reciprocal deviations, for their gradients."""

from __future__ import annotations

import typing as _t

from .. import _core
from ._table import aten, cast, wide

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .._core import Tensor


def _normalized(x: Tensor, axes: Sequence[int], eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """(x - mean) rstd, mean and rstd, the latter with axes of extent 1."""
    mean = _core.mean(x, tuple(axes), keepdims=True)
    rstd = _core.rsqrt(_core.var(x, tuple(axes), keepdims=True) + eps)
    return (x - mean) * rstd, mean, rstd


def _affine(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    y = x if weight is None else x * weight
    return y if bias is None else y + bias


@aten("native_layer_norm.default")
def _layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    x = wide(input)
    y, mean, rstd = _normalized(x, range(x.ndim - len(normalized_shape), x.ndim), eps)
    return cast(_affine(y, weight, bias), input.dtype), mean, rstd


@aten("native_layer_norm_backward.default")
def _layer_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    normalized_shape: Sequence[int],
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, ...]:
    first = input.ndim - len(normalized_shape)
    inner, outer = tuple(range(first, input.ndim)), tuple(range(first))
    dy, xhat = wide(grad_out), (wide(input) - mean) * rstd
    dx = None
    if output_mask[0]:
        g = dy if weight is None else dy * wide(weight)
        along = _core.mean(g * xhat, inner, keepdims=True)
        dx = cast((g - _core.mean(g, inner, keepdims=True) - xhat * along) * rstd, input.dtype)
    dw = cast(_core.sum(dy * xhat, outer), input.dtype) if output_mask[1] else None
    return dx, dw, cast(_core.sum(dy, outer), input.dtype) if output_mask[2] else None


def _by_channel(x: Tensor | None, ndim: int) -> Tensor | None:
    """A vector of channels beside [batch, channels, ...]."""
    return None if x is None else _core.reshape(x, [-1] + [1] * (ndim - 2))


def _batch_norm(
    x: Tensor, weight: Any, bias: Any, mean: Tensor | None, variance: Tensor | None, training: bool, eps: float
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The result, the mean and reciprocal deviation that it was made with, and the variance."""
    axes = (0, *range(2, x.ndim))
    if training or mean is None or variance is None:
        mean, variance = _core.mean(x, axes), _core.var(x, axes)
    rstd = _core.rsqrt(variance + eps)
    scale = rstd if weight is None else rstd * weight
    y = (x - _t.cast("Tensor", _by_channel(mean, x.ndim))) * _t.cast("Tensor", _by_channel(scale, x.ndim))
    return y if bias is None else y + _t.cast("Tensor", _by_channel(bias, x.ndim)), mean, rstd, variance


@aten("_native_batch_norm_legit_functional.default", "_native_batch_norm_legit.default")
def _batch_norm_functional(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, ...]:
    x = wide(input)
    y, mean, rstd, variance = _batch_norm(x, weight, bias, running_mean, running_var, training, eps)
    if not training:
        empty = _core.zeros((0,), dtype=x.dtype)
        return cast(y, input.dtype), empty, empty, running_mean, running_var
    n = input.size // input.shape[1]
    unbiased = variance * (n / max(n - 1, 1))
    new = [(1 - momentum) * old + momentum * now for old, now in ((running_mean, mean), (running_var, unbiased))]
    return cast(y, input.dtype), mean, rstd, *new


@aten("_native_batch_norm_legit.no_stats")
def _batch_norm_no_stats(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, training: bool, momentum: float, eps: float
) -> tuple[Tensor, ...]:
    y, mean, rstd, _ = _batch_norm(wide(input), weight, bias, None, None, True, eps)
    return cast(y, input.dtype), mean, rstd


@aten("_native_batch_norm_legit_no_training.default")
def _batch_norm_inference(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> tuple[Tensor, ...]:
    y, _, _, _ = _batch_norm(wide(input), weight, bias, running_mean, running_var, False, eps)
    empty = _core.zeros((0,), dtype=wide(input).dtype)
    return cast(y, input.dtype), empty, empty


@aten("native_batch_norm_backward.default")
def _batch_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    weight: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    save_mean: Tensor | None,
    save_invstd: Tensor | None,
    train: bool,
    eps: float,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, ...]:
    x, dy, axes = wide(input), wide(grad_out), (0, *range(2, input.ndim))
    mean = save_mean if train else running_mean
    rstd = save_invstd if train else _core.rsqrt(_t.cast("Tensor", running_var) + eps)
    wide_mean, wide_rstd = (_t.cast("Tensor", _by_channel(v, x.ndim)) for v in (mean, rstd))
    xhat = (x - wide_mean) * wide_rstd
    dw, db = _core.sum(dy * xhat, axes), _core.sum(dy, axes)
    scale = wide_rstd if weight is None else wide_rstd * _t.cast("Tensor", _by_channel(weight, x.ndim))
    dx = dy
    if train:
        n = input.size // input.shape[1]
        sums = [_t.cast("Tensor", _by_channel(v / n, x.ndim)) for v in (db, dw)]
        dx = dy - sums[0] - xhat * sums[1]
    return tuple(g if keep else None for g, keep in zip((cast(dx * scale, input.dtype), dw, db), output_mask))


def _group_norm_of(x: Tensor, weight: Any, bias: Any, group: int, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    n, c = x.shape[:2]
    grouped = _core.reshape(x, [n, group, -1])
    y, mean, rstd = _normalized(grouped, [2], eps)
    y = _core.reshape(y, x.shape)
    out = _affine(y, _by_channel(weight, x.ndim), _by_channel(bias, x.ndim))
    return out, _core.reshape(mean, [n, group]), _core.reshape(rstd, [n, group])


@aten("native_group_norm.default")
def _group_norm(
    input: Tensor, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    y, mean, rstd = _group_norm_of(wide(input), weight, bias, group, eps)
    return cast(y, input.dtype), cast(mean, input.dtype), cast(rstd, input.dtype)


@aten("native_group_norm_backward.default")
def _group_norm_backward(
    grad_out: Tensor,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, ...]:
    shape, size = [N, group, C // group, HxW], (C // group) * HxW
    x, dy = _core.reshape(wide(input), shape), _core.reshape(wide(grad_out), shape)
    m, r = (_core.reshape(wide(v), [N, group, 1, 1]) for v in (mean, rstd))
    xhat = (x - m) * r
    g = dy if weight is None else dy * _core.reshape(wide(weight), [1, group, C // group, 1])
    dx = (g - (_core.sum(g, (2, 3), keepdims=True) + xhat * _core.sum(g * xhat, (2, 3), keepdims=True)) / size) * r
    dw, db = (_core.reshape(_core.sum(v, (0, 3)), [C]) for v in (dy * xhat, dy))
    results = (_core.reshape(dx, input.shape), dw, db)
    return tuple(cast(v, input.dtype) if keep else None for v, keep in zip(results, output_mask))
