"""PyTorch's operators that reduce, accumulate, sort and select along axes."""

from __future__ import annotations

import typing as _t

from .. import _core
from .. import nn as _nn
from ._table import aten, axes_of, cast, wide

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .._core import Tensor
    from ._nodes import Type


@aten("sum.dim_IntList", "sum.default")
def _sum(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return _core.sum(self, axes_of(self, dim), dtype=dtype, keepdims=keepdim)


@aten("mean.dim", "mean.default")
def _mean(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    x = self if dtype is None else cast(self, dtype)
    return _core.mean(x, axes_of(x, dim), keepdims=keepdim)


@aten("prod.default")
def _prod(self: Tensor, *, dtype: Any = None) -> Tensor:
    return _core.prod(self, dtype=dtype)


@aten("prod.dim_int")
def _prod_dim(self: Tensor, dim: int, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    return _core.prod(self, axes_of(self, dim), dtype=dtype, keepdims=keepdim)


def _plain(f: Callable[..., Any], *names: str) -> None:
    @aten(*names)
    def _(self: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        return _t.cast("Tensor", f(self, axes_of(self, dim), keepdims=keepdim))


_plain(_core.max, "amax.default", "max.default")
_plain(_core.min, "amin.default", "min.default")
_plain(_core.any, "any.default", "any.dim", "any.dims")
_plain(_core.all, "all.default", "all.dim", "all.dims")
_plain(_core.logsumexp, "logsumexp.default")


def _extreme(arg: Callable[..., Any], name: str) -> None:
    @aten(f"arg{name}.default")
    def _(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        if self.ndim == 0:
            return _core.zeros((), dtype=_core.int64)
        return _t.cast("Tensor", arg(self, axis=dim, keepdims=keepdim))

    @aten(f"{name}.dim")
    def _(self: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        if self.ndim == 0:
            return self, _core.zeros((), dtype=_core.int64)
        at = arg(self, axis=dim, keepdims=True)
        values = _core.take_along_axis(self, at, dim)
        return (values, at) if keepdim else (_core.squeeze(values, dim), _core.squeeze(at, dim))


_extreme(_core.argmax, "max")
_extreme(_core.argmin, "min")


def _variance(x: Tensor, dim: Any, correction: Any, keepdim: bool) -> Tensor:
    return _core.var(x, axes_of(x, dim), correction=1.0 if correction is None else correction, keepdims=keepdim)


@aten("var.correction")
def _var(self: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Tensor:
    return _variance(self, dim, correction, keepdim)


@aten("std.correction")
def _std(self: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Tensor:
    return _core.sqrt(_variance(self, dim, correction, keepdim))


@aten("var.dim")
def _var_dim(self: Tensor, dim: Any, unbiased: bool = True, keepdim: bool = False) -> Tensor:
    return _variance(self, dim, 1 if unbiased else 0, keepdim)


@aten("var_mean.correction")
def _var_mean(self: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    return _variance(self, dim, correction, keepdim), _core.mean(self, axes_of(self, dim), keepdims=keepdim)


def _accumulation(f: Callable[..., Any], name: str) -> None:
    @aten(name + ".default")
    def _(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        x = self if dtype is None else cast(self, dtype)
        return _t.cast("Tensor", f(x, axis=dim)) if x.ndim else x


_accumulation(_core.cumulative_sum, "cumsum")
_accumulation(_core.cumulative_prod, "cumprod")
_accumulation(_core.cumulative_logsumexp, "logcumsumexp")


@aten("sort.default")
def _sort(self: Tensor, dim: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    if self.ndim == 0:
        return self, _core.zeros((), dtype=_core.int64)
    order = _core.argsort(self, axis=dim, descending=descending)
    return _core.take_along_axis(self, order, dim), order


@aten("sort.stable")
def _sort_stable(
    self: Tensor, *, stable: bool | None = None, dim: int = -1, descending: bool = False
) -> tuple[Tensor, Tensor]:
    return _sort(self, dim, descending)


@aten("topk.default")
def _topk(self: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    if self.ndim == 0:
        return self, _core.zeros((), dtype=_core.int64)
    return _core.top_k(self, k, dim, largest)


@aten("_softmax.default", "_safe_softmax.default", "softmax.int")
def _softmax(self: Tensor, dim: int, half_to_float: Any = False, *, dtype: Any = None) -> Tensor:
    x = cast(self, dtype or _core.float32) if dtype is not None or half_to_float is True else self
    return _nn.softmax(x, dim) if x.ndim else _core.ones((), dtype=x.dtype)


@aten("_log_softmax.default", "log_softmax.int")
def _log_softmax(self: Tensor, dim: int, half_to_float: Any = False, *, dtype: Any = None) -> Tensor:
    x = cast(self, dtype or _core.float32) if dtype is not None or half_to_float is True else self
    return _nn.log_softmax(x, dim) if x.ndim else _core.zeros((), dtype=x.dtype)


@aten("_softmax_backward_data.default")
def _softmax_backward(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    dy = wide(grad_output) * wide(output)
    return cast(dy - wide(output) * _core.sum(dy, dim if dy.ndim else None, keepdims=True), input_dtype)


@aten("_log_softmax_backward_data.default")
def _log_softmax_backward(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    dy = wide(grad_output)
    total = _core.sum(dy, dim if dy.ndim else None, keepdims=True)
    return cast(dy - _core.exp(wide(output)) * total, input_dtype)


@aten("nonzero.default", eager=True)
def _nonzero(self: Tensor) -> Tensor:
    if self.ndim == 0:
        return _core.zeros((int(bool(_core.not_equal(self, 0).item())), 0), dtype=_core.int64)
    return _core.stack(list(_core.nonzero(self)), axis=1)


@aten("_local_scalar_dense.default", "item.default", eager=True)
def _item(self: Tensor) -> Any:
    return self.item()


@aten("searchsorted.Tensor")
def _searchsorted(
    sorted_sequence: Tensor, self: Tensor, *, out_int32: bool = False, right: bool = False, side: Any = None
) -> Tensor:
    at = _core.searchsorted(sorted_sequence, self, side="right" if right or side == "right" else "left")
    return cast(at, _core.int32) if out_int32 else at


@aten("bucketize.Tensor")
def _bucketize(self: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    return _searchsorted(boundaries, self, out_int32=out_int32, right=right)


@aten("equal.default", eager=True)
def _equal(self: Tensor, other: Tensor, results: Sequence[Type | None] = ()) -> bool:
    return self.shape == other.shape and bool(_core.all(_core.equal(self, other)).item())


@aten("linalg_vector_norm.default")
def _vector_norm(self: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    x, axes = _core.abs(self if dtype is None else cast(self, dtype)), axes_of(self, dim)
    if ord == float("inf"):
        return _core.max(x, axes, keepdims=keepdim)
    if ord == -float("inf"):
        return _core.min(x, axes, keepdims=keepdim)
    if ord == 0:
        return cast(_core.sum(_core.not_equal(x, 0), axes, keepdims=keepdim), x.dtype)
    if ord == 1:
        return _core.sum(x, axes, keepdims=keepdim)
    if ord == 2:
        return _core.sqrt(_core.sum(_core.square(x), axes, keepdims=keepdim))
    return _core.pow(_core.sum(_core.pow(x, ord), axes, keepdims=keepdim), 1 / ord)


@aten("bincount.default", eager=True)
def _bincount(self: Tensor, weights: Any = None, minlength: int = 0) -> Tensor:
    length = max(minlength, int(_core.max(self).item()) + 1 if self.size else 0)
    return _core.bincount(self, length, weights)
