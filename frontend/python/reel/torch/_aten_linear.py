"""PyTorch's matrix products, attention, distances and Fourier transforms."""

from __future__ import annotations

import math as _math
import typing as _t

from .. import _core
from .. import fft as _fft
from .. import nn as _nn
from ._aten_random import dropout
from ._table import aten, cast

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .._core import Tensor


@aten("mm.default", "bmm.default", "mv.default", "dot.default", "matmul.default")
def _mm(self: Tensor, mat2: Tensor) -> Tensor:
    return _core.matmul(self, mat2)


def _sum_of(x: Tensor, y: Tensor, beta: Any, alpha: Any) -> Tensor:
    """beta x + alpha y, where a beta of 0 ignores x, NaN too."""
    y = y if alpha == 1 else y * alpha
    return y if beta == 0 else _core.add(x if beta == 1 else x * beta, y)


@aten("addmm.default", "addmv.default", "baddbmm.default")
def _addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _sum_of(self, _core.matmul(mat1, mat2), beta, alpha)


@aten("linear.default")
def _linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    y = _core.matmul(input, _core.swapaxes(weight, 0, 1) if weight.ndim == 2 else weight)
    return y if bias is None else y + bias


@aten("scaled_dot_product_attention.default")
def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    if enable_gqa:
        heads = query.shape[-3] // key.shape[-3]
        key, value = (_core.repeat(x, heads, axis=-3) for x in (key, value))
    scale = 1 / _math.sqrt(query.shape[-1]) if scale is None else scale
    mask = attn_mask if attn_mask is None or attn_mask.dtype.is_bool else cast(attn_mask, query.dtype)
    if not dropout_p:
        return _nn.attention(query, key, value, mask, is_causal, scale)
    scores = _core.matmul(query, _core.swapaxes(key, -1, -2)) * scale
    if is_causal:
        mask = _core.tril(_core.ones(scores.shape[-2:], dtype=_core.bool))
    if mask is not None:
        below = cast(-float("inf"), scores.dtype)
        scores = _core.where(mask, scores, below) if mask.dtype.is_bool else scores + mask
    return _core.matmul(dropout(_nn.softmax(scores, -1), dropout_p, True)[0], value)


# --- distances ---


def _distance(difference: Tensor, p: float) -> Tensor:
    """The p-norm along the last axis."""
    d = _core.abs(difference)
    if p == 0:
        return cast(_core.sum(_core.not_equal(d, 0), -1), d.dtype)
    if p == 1:
        return _core.sum(d, -1)
    if p == float("inf"):
        return _core.max(d, -1)
    total = _core.sum(_core.square(d) if p == 2 else _core.pow(d, p), -1)
    # The derivative at 0 is 0, as PyTorch has it.
    safe = _core.where(_core.equal(total, 0), cast(1, total.dtype), total)
    root = _core.sqrt(safe) if p == 2 else _core.pow(safe, 1 / p)
    return _core.where(_core.equal(total, 0), cast(0, total.dtype), root)


@aten("_cdist_forward.default")
def _cdist(x1: Tensor, x2: Tensor, p: float, compute_mode: int | None = None) -> Tensor:
    return _distance(_core.expand_dims(x1, -2) - _core.expand_dims(x2, -3), p)


@aten("_pdist_forward.default")
def _pdist(self: Tensor, p: float = 2) -> Tensor:
    n = self.shape[0]
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    first, second = (_core.asarray([pair[k] for pair in pairs], _core.int64) for k in (0, 1))
    return _distance(_core.take(self, first, axis=0) - _core.take(self, second, axis=0), p)


# --- Fourier transforms: PyTorch's normalization is 0 (none), 1 (1 / sqrt n) or 2 (1 / n) ---


def _normalized(x: Tensor, n: int, normalization: int) -> Tensor:
    return x if normalization == 0 else x * (1 / _math.sqrt(n) if normalization == 1 else 1 / n)


def _count(shape: Sequence[int], dim: Sequence[int]) -> int:
    return _math.prod(shape[d] for d in dim)


@aten("_fft_r2c.default")
def _fft_r2c(self: Tensor, dim: Sequence[int], normalization: int, onesided: bool) -> Tensor:
    last = dim[-1]
    x = _fft.rfft(self, axis=last) if onesided else _fft.fft(self, axis=last)
    for d in dim[:-1]:
        x = _fft.fft(x, axis=d)
    return _normalized(x, _count(self.shape, dim), normalization)


@aten("_fft_c2c.default")
def _fft_c2c(self: Tensor, dim: Sequence[int], normalization: int, forward: bool) -> Tensor:
    n, x = _count(self.shape, dim), self
    for d in dim:
        x = _fft.fft(x, axis=d) if forward else _fft.ifft(x, axis=d, norm="forward")
    return _normalized(x, n, normalization)


@aten("_fft_c2r.default")
def _fft_c2r(self: Tensor, dim: Sequence[int], normalization: int, last_dim_size: int) -> Tensor:
    x = self
    for d in dim[:-1]:
        x = _fft.ifft(x, axis=d, norm="forward")
    x = _fft.irfft(x, n=last_dim_size, axis=dim[-1], norm="forward")
    return _normalized(x, _count(x.shape, dim), normalization)
