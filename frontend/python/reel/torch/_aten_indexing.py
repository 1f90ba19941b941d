"""PyTorch's operators that gather, scatter and look up."""

from __future__ import annotations

import typing as _t

from .. import _core
from ._table import aten, cast, tensor, wide

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .._core import Tensor


def _integers(index: Tensor) -> Tensor:
    return index if index.dtype in (_core.int32, _core.int64) else cast(index, _core.int64)


def _clean(indices: Sequence[Any]) -> tuple[Any, ...]:
    """An index of PyTorch's: tensors, None for whole axes; masks as they are."""
    return tuple(slice(None) if i is None else i if tensor(i).dtype.is_bool else _integers(tensor(i)) for i in indices)


@aten("index.Tensor", "_unsafe_index.Tensor")
def _index(self: Tensor, indices: Sequence[Any]) -> Tensor:
    return self[_clean(indices)]


@aten("index_put.default", "_unsafe_index_put.default", "index_put_.default")
def _index_put(self: Tensor, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Tensor:
    values = cast(values, self.dtype)
    mask = indices[0]
    if len(indices) == 1 and mask is not None and mask.dtype.is_bool and values.size == 1:
        wanted = _core.reshape(mask, list(mask.shape) + [1] * (self.ndim - mask.ndim))
        return _core.where(wanted, self + values if accumulate else values, self)
    key = _clean(indices)
    # Where each element of x[key] comes from, in the order of x[key].
    places = _core.reshape(_core.arange(self.size), self.shape)[key]
    new = _core.broadcast_to(values, places.shape)
    flat = _core.scatter(
        _core.reshape(self, [-1]),
        _core.reshape(places, [-1]),
        _core.reshape(new, [-1]),
        mode="add" if accumulate else "set",
    )
    return _core.reshape(flat, self.shape)


@aten("index_select.default")
def _index_select(self: Tensor, dim: int, index: Tensor) -> Tensor:
    if self.ndim == 0:
        return self
    return _core.take(self, _core.reshape(_integers(index), [-1]), axis=dim)


def _cut(x: Tensor, index: Tensor, dim: int) -> Tensor:
    """x without what lies outside of index, on the axes that are not indexed."""
    axis = dim % x.ndim
    if all(a == axis or n == m for a, (n, m) in enumerate(zip(x.shape, index.shape))):
        return x
    return x[tuple(slice(None) if a == axis else slice(0, n) for a, n in enumerate(index.shape))]


@aten("gather.default")
def _gather(self: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    if self.ndim == 0 or index.ndim == 0:
        return _core.broadcast_to(_core.reshape(self, []), index.shape)
    return _core.take_along_axis(_cut(self, index, dim), _integers(index), dim)


def _put(x: Tensor, dim: int, index: Tensor, values: Tensor, mode: str) -> Tensor:
    """x with values written or combined at index along an axis; index may be smaller than x on all axes."""
    if x.ndim == 0:
        return _core.reshape(
            _put(_core.reshape(x, [1]), 0, _core.reshape(index, [1]), _core.reshape(values, [-1]), mode), []
        )
    axis, index = dim % x.ndim, _integers(index)
    values = _core.broadcast_to(cast(values, x.dtype), index.shape) if values.ndim == 0 else cast(values, x.dtype)
    if values.shape != index.shape:
        values = values[tuple(slice(0, n) for n in index.shape)]
    if all(a == axis or n == m for a, (n, m) in enumerate(zip(x.shape, index.shape))):
        return _core.put_along_axis(x, index, values, axis, mode)
    # Places in the flat x.
    at, step = _core.zeros(index.shape, dtype=_core.int64), 1
    for a in reversed(range(x.ndim)):
        own = cast(index, _core.int64)
        if a != axis:
            own = _core.reshape(_core.arange(index.shape[a]), [-1] + [1] * (x.ndim - 1 - a))
        at, step = at + own * step, step * x.shape[a]
    flat = _core.scatter(_core.reshape(x, [-1]), _core.reshape(at, [-1]), _core.reshape(values, [-1]), mode=mode)
    return _core.reshape(flat, x.shape)


@aten("scatter.src")
def _scatter_src(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return _put(self, dim, index, src, "set")


@aten("scatter.value")
def _scatter_value(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    return _put(self, dim, index, cast(value, self.dtype), "set")


@aten("scatter_add.default")
def _scatter_add(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return _put(self, dim, index, src, "add")


_MODES = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min", "mean": "add"}


@aten("scatter_reduce.two")
def _scatter_reduce(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    if index.size == 0:
        return self
    mode, x = _MODES[reduce], self
    if include_self and reduce != "mean":
        return _put(x, dim, index, src, mode)
    one = cast(1, self.dtype)
    hits = _put(_core.zeros_like(self), dim, index, one, "add")  # how many values come to a place
    touched = _core.greater(hits, 0)
    if not include_self:
        x = _core.where(touched, _neutral(self, reduce), self)
    out = _put(x, dim, index, src, mode)
    if reduce != "mean":
        return out
    n = _core.maximum(hits + (1 if include_self else 0), 1)
    return _core.divide(out, n) if not self.dtype.is_integer else _core.floor_divide(out, n)


def _neutral(x: Tensor, reduce: str) -> Tensor:
    """What changes nothing in a reduction, of x's dtype."""
    if reduce in ("sum", "mean", "prod"):
        return cast(1 if reduce == "prod" else 0, x.dtype)
    if x.dtype.is_integer:
        info = _core.iinfo(x.dtype) if hasattr(_core, "iinfo") else None
        low, high = (info.min, info.max) if info else (-(2**31), 2**31 - 1)
        return cast(low if reduce == "amax" else high, x.dtype)
    return cast(-float("inf") if reduce == "amax" else float("inf"), x.dtype)


@aten("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    return _core.where(mask, cast(value, self.dtype), self)


@aten("masked_scatter.default")
def _masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    mask = _core.broadcast_to(mask, self.shape)
    order = _core.cumulative_sum(_core.reshape(cast(mask, _core.int64), [-1]), axis=0) - 1
    at = _core.clip(_core.reshape(order, self.shape), 0, max(source.size - 1, 0))
    if source.size == 0:
        return self
    return _core.where(mask, _core.take(_core.reshape(source, [-1]), at, axis=0), self)


@aten("masked_select.default", eager=True)
def _masked_select(self: Tensor, mask: Tensor) -> Tensor:
    x, m = _core.broadcast_arrays(self, mask)
    return x[m]


# --- embeddings ---


@aten("embedding.default")
def _embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    return _core.take(weight, _integers(indices), axis=0)


@aten("embedding_dense_backward.default")
def _embedding_backward(
    grad_output: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    at = _core.reshape(_integers(indices), [-1])
    dy = _core.reshape(grad_output, [-1, grad_output.shape[-1]])
    if scale_grad_by_freq:
        counts = cast(_core.bincount(at, num_weights), wide(dy).dtype)
        dy = dy / _core.expand_dims(_core.take(counts, at, axis=0), -1)
    if padding_idx >= 0:
        dy = _core.where(_core.expand_dims(_core.equal(at, padding_idx), -1), cast(0, dy.dtype), dy)
    return _core.segment_sum(dy, at, num_weights)


@aten("_embedding_bag.default", "_embedding_bag_forward_only.default")
def _embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Tensor, ...]:
    at, n = _integers(indices), indices.shape[0]
    starts = _integers(offsets)
    bags = starts.shape[0] - (1 if include_last_offset else 0)
    starts = starts[:bags]
    bag = _core.searchsorted(starts, cast(_core.arange(n), starts.dtype), side="right") - 1
    rows = _core.take(weight, at, axis=0)
    if per_sample_weights is not None:
        rows = rows * _core.expand_dims(cast(per_sample_weights, rows.dtype), -1)
    keep = _core.not_equal(at, padding_idx) if padding_idx >= 0 else _core.ones_like(at, dtype=_core.bool)
    sizes = _core.segment_sum(cast(keep, _core.int64), bag, bags)
    neutral = -float("inf") if mode == 2 else 0.0
    rows = _core.where(_core.expand_dims(keep, -1), rows, cast(neutral, rows.dtype))
    if mode == 2:
        out = _core.segment_max(rows, bag, bags)
        out = _core.where(_core.expand_dims(_core.equal(sizes, 0), -1), cast(0, out.dtype), out)
    else:
        out = _core.segment_sum(rows, bag, bags)
        if mode == 1:
            out = out / _core.expand_dims(_core.maximum(cast(sizes, out.dtype), 1), -1)
    return out, bag, sizes, _core.zeros((bags,), dtype=at.dtype)


@aten("one_hot.default")
def _one_hot(self: Tensor, num_classes: int = -1) -> Tensor:
    return _core.one_hot(self, num_classes, dtype=_core.int64)
