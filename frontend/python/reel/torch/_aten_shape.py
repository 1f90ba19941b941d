"""PyTorch's operators that move, join, cut, pad and make elements. Tensors here are always row-major: a view is its values."""

from __future__ import annotations

import math as _math
import typing as _t

from .. import _core
from ._table import aten, cast, result_dtype, tensor

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .._core import Tensor
    from ._nodes import Type


class OpenExtent:
    """An extent that is open while a trace runs: what sym_size gives of it."""

    def __init__(self, of: Tensor, axis: int) -> None:
        self.of, self.axis = of, axis


def _numbers(extents: Sequence[Any], who: str) -> list[int]:
    """Extents for reshape and expand: one that is open is -1."""
    out = [-1 if isinstance(n, OpenExtent) else int(n) for n in extents]
    if sum(n == -1 for n in out) > 1 and who == "view":
        raise _core.UnimplementedError(
            f"from_torch: {who} to {len(out)} axes of which several are open; fix all but one"
        )
    return out


@aten("sym_size.int")
def _sym_size(self: Tensor, dim: int) -> Any:
    n = self.shape[dim]
    return OpenExtent(self, dim) if n is None else n


@aten("sym_numel.default")
def _sym_numel(self: Tensor) -> int:
    return self.size


@aten("sym_stride.int")
def _sym_stride(self: Tensor, dim: int) -> int:
    return _math.prod(self.shape[dim % self.ndim + 1 :])


@aten("sym_storage_offset.default")
def _sym_storage_offset(self: Tensor) -> int:
    return 0


@aten("sym_is_contiguous.default")
def _sym_is_contiguous(self: Tensor) -> bool:
    return True


@aten(
    "alias.default",
    "clone.default",
    "detach.default",
    "lift_fresh_copy.default",
    "lift_fresh.default",
    "contiguous.default",
    "view_of.default",
)
def _same(self: Tensor) -> Tensor:
    return self


@aten("copy.default")
def _copy(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    return _core.broadcast_to(cast(src, self.dtype), self.shape)


@aten("view.default", "_unsafe_view.default", "reshape.default", "view_copy.default", "_reshape_alias.default")
def _view(self: Tensor, size: Sequence[Any], stride: Any = None) -> Tensor:
    return _core.reshape(self, _numbers(size, "view"))


@aten("view.dtype")
def _view_dtype(self: Tensor, dtype: Any) -> Tensor:
    return _core.bitcast(self, dtype)


@aten("permute.default")
def _permute(self: Tensor, dims: Sequence[int]) -> Tensor:
    return _core.permute_dims(self, [d % self.ndim for d in dims])


@aten("transpose.int")
def _transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    return _core.swapaxes(self, dim0, dim1) if self.ndim else self


@aten("t.default")
def _matrix_t(self: Tensor) -> Tensor:
    return _core.swapaxes(self, 0, 1) if self.ndim == 2 else self


@aten("expand.default")
def _expand(self: Tensor, size: Sequence[Any], *, implicit: bool = False) -> Tensor:
    sizes = _numbers(size, "expand")
    new = len(sizes) - self.ndim
    return _core.broadcast_to(self, [self.shape[i - new] if n == -1 else n for i, n in enumerate(sizes)])


@aten("squeeze.default", "squeeze.dim", "squeeze.dims")
def _squeeze(self: Tensor, dim: Any = None) -> Tensor:
    if self.ndim == 0:
        return self
    dims = range(self.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    return _core.squeeze(self, tuple(d % self.ndim for d in dims if self.shape[d] == 1))


@aten("unsqueeze.default")
def _unsqueeze(self: Tensor, dim: int) -> Tensor:
    return _core.expand_dims(self, dim)


@aten("cat.default")
def _cat(tensors: Sequence[Tensor], dim: int = 0, results: Sequence[Type | None] = ()) -> Tensor:
    dtype = result_dtype(results, tensors[0])
    # PyTorch skips vectors without elements, whatever the others' rank.
    parts = [cast(t, dtype) for t in tensors if not (t.ndim == 1 and t.shape[0] == 0)]
    return _core.concat(parts, axis=dim) if parts else cast(tensors[0], dtype)


@aten("stack.default")
def _stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    return _core.stack(list(tensors), axis=dim)


def along(x: Tensor, dim: int, key: Any) -> tuple[Any, ...]:
    """The index that is `key` on one axis and everything on the others."""
    return (slice(None),) * (dim % x.ndim) + (key,)


def _bounds(x: Tensor, dim: int, start: Any, end: Any) -> tuple[int, int]:
    n = x.shape[dim]
    lo, hi = (0 if start is None else start), (n if end is None else end)
    lo, hi = (max(k + n, 0) if k < 0 else min(k, n) for k in (lo, hi))
    return lo, max(lo, hi)


@aten("slice.Tensor")
def _slice(self: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Tensor:
    if self.shape[dim] is None and start in (None, 0) and (end is None or end > 1 << 40) and step == 1:
        return self
    lo, hi = _bounds(self, dim, start, end)
    return self if (lo, hi, step) == (0, self.shape[dim], 1) else self[along(self, dim, slice(lo, hi, step))]


@aten("select.int")
def _select(self: Tensor, dim: int, index: int) -> Tensor:
    return self[along(self, dim, index)]


@aten("slice_scatter.default")
def _slice_scatter(
    self: Tensor, src: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Tensor:
    lo, hi = _bounds(self, dim, start, end)
    src = cast(src, self.dtype)
    if step == 1:
        parts = [self[along(self, dim, slice(0, lo))], src, self[along(self, dim, slice(hi, None))]]
        return _core.concat([p for p in parts if p.shape[dim]], axis=dim) if self.shape[dim] else self
    return _core.scatter(self, _core.arange(lo, hi, step), src, axis=dim)


@aten("select_scatter.default")
def _select_scatter(self: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    at = index % self.shape[dim]
    return _slice_scatter(self, _core.expand_dims(src, dim), dim, at, at + 1)


@aten("diagonal.default", "diagonal_copy.default")
def _diagonal(self: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    return _core.linalg.diagonal(_core.moveaxis(self, [dim1, dim2], [-2, -1]), offset=offset)


@aten("split_with_sizes.default", "split_with_sizes_copy.default")
def _split_with_sizes(self: Tensor, split_sizes: Sequence[int], dim: int = 0) -> list[Tensor]:
    return _core.split(self, list(split_sizes), dim)


@aten("split.Tensor")
def _split(self: Tensor, split_size: int, dim: int = 0) -> list[Tensor]:
    n = self.shape[dim]
    sizes = [min(split_size, n - i) for i in range(0, n, max(split_size, 1))] or [0]
    return _core.split(self, sizes, dim)


@aten("unbind.int")
def _unbind(self: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    return _core.unstack(self, axis=dim)


@aten("repeat.default")
def _repeat(self: Tensor, repeats: Sequence[int]) -> Tensor:
    shape = [1] * (len(repeats) - self.ndim) + list(self.shape)
    return _core.tile(_core.reshape(self, shape), list(repeats))


@aten("flip.default")
def _flip(self: Tensor, dims: Sequence[int]) -> Tensor:
    return _core.flip(self, axis=tuple(dims)) if dims and self.ndim else self


@aten("roll.default")
def _roll(self: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    if not dims:
        return _core.reshape(_core.roll(_core.reshape(self, [-1]), shifts, axis=0), self.shape)
    return _core.roll(self, shifts, axis=dims)


@aten("tril.default")
def _tril(self: Tensor, diagonal: int = 0) -> Tensor:
    return _core.tril(self, k=diagonal)


@aten("triu.default")
def _triu(self: Tensor, diagonal: int = 0) -> Tensor:
    return _core.triu(self, k=diagonal)


@aten("as_strided.default", "as_strided_copy.default")
def _as_strided(self: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    # Of a row-major tensor, which those that a graph makes are.
    at = cast(storage_offset or 0, _core.int64)
    for n, step in zip(size, stride):
        at = _core.expand_dims(at, -1) + _core.arange(n) * step
    return _core.take(_core.reshape(self, [-1]), _core.reshape(at, [-1]), axis=0).reshape(*size)


# --- padding ---


@aten("constant_pad_nd.default")
def _constant_pad(self: Tensor, pad: Sequence[int], value: Any = 0) -> Tensor:
    pairs = [(0, 0)] * (self.ndim - len(pad) // 2) + [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    for dim, (before, after) in enumerate(pairs):
        if before < 0 or after < 0:  # these cut
            self = _slice(self, dim, max(-before, 0), self.shape[dim] - max(-after, 0))
    return _core.pad(self, [(max(a, 0), max(b, 0)) for a, b in pairs], constant_values=value)


def _padded_by_index(x: Tensor, padding: Sequence[int], at: Any) -> Tensor:
    """Padding by elements of x: at(i, n) is the place in [0, n) of what stands at place i."""
    for k in range(0, len(padding), 2):
        dim, (before, after) = x.ndim - 1 - k // 2, padding[k : k + 2]
        n = x.shape[dim]
        x = _core.take(x, _core.asarray([at(i, n) for i in range(-before, n + after)], _core.int64), axis=dim)
    return x


@aten("reflection_pad1d.default", "reflection_pad2d.default", "reflection_pad3d.default")
def _reflection_pad(self: Tensor, padding: Sequence[int]) -> Tensor:
    return _padded_by_index(self, padding, lambda i, n: n - 1 - abs(n - 1 - abs(i)))


@aten("replication_pad1d.default", "replication_pad2d.default", "replication_pad3d.default")
def _replication_pad(self: Tensor, padding: Sequence[int]) -> Tensor:
    return _padded_by_index(self, padding, lambda i, n: min(max(i, 0), n - 1))


# --- new tensors ---


@aten("full.default")
def _full(size: Sequence[int], fill_value: Any, *, dtype: Any = None, results: Sequence[Type | None] = ()) -> Tensor:
    return _core.broadcast_to(cast(fill_value, dtype or result_dtype(results, fill_value)), list(size))


@aten("full_like.default")
def _full_like(self: Tensor, fill_value: Any, *, dtype: Any = None) -> Tensor:
    return _core.full_like(self, fill_value, dtype=dtype or self.dtype)


@aten("zeros_like.default", "empty_like.default", "new_zeros.default", "new_empty.default")
def _zeros_like(self: Tensor, size: Any = None, *, dtype: Any = None) -> Tensor:
    if size is None:
        return _core.zeros_like(self, dtype=dtype or self.dtype)
    return _core.zeros(list(size), dtype=dtype or self.dtype)


@aten("ones_like.default")
def _ones_like(self: Tensor, *, dtype: Any = None) -> Tensor:
    return _core.ones_like(self, dtype=dtype or self.dtype)


@aten("fill.Scalar", "fill.Tensor")
def _fill(self: Tensor, value: Any) -> Tensor:
    return _core.broadcast_to(cast(value, self.dtype), self.shape)


@aten("empty.memory_format", "empty_strided.default", "zeros.default", "new_empty_strided.default")
def _empty(
    size: Sequence[int], stride: Any = None, *, dtype: Any = None, results: Sequence[Type | None] = ()
) -> Tensor:
    return _core.zeros(list(size), dtype=dtype or result_dtype(results, 0.0))


@aten("ones.default")
def _ones(size: Sequence[int], *, dtype: Any = None, results: Sequence[Type | None] = ()) -> Tensor:
    return _core.ones(list(size), dtype=dtype or result_dtype(results, 1.0))


@aten("empty_permuted.default")
def _empty_permuted(
    size: Sequence[int], physical_layout: Any, *, dtype: Any = None, results: Sequence[Type | None] = ()
) -> Tensor:
    return _empty(size, dtype=dtype, results=results)


@aten("scalar_tensor.default")
def _scalar_tensor(s: Any, *, dtype: Any = None) -> Tensor:
    return cast(s, dtype or _core.float32)


@aten("arange.start_step", "prims.iota.default")
def _arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, results: Sequence[Type | None] = (), **_: Any
) -> Tensor:
    if "start" in _:  # prims.iota(length, start=, step=)
        step = _.get("step", 1)
        return cast(_core.arange(start) * step + _["start"], dtype or _core.int64)
    return _core.arange(start, end, step, dtype=dtype or result_dtype(results, start))


@aten("arange.default")
def _arange_end(end: Any, *, dtype: Any = None, results: Sequence[Type | None] = ()) -> Tensor:
    return _core.arange(0, end, dtype=dtype or result_dtype(results, end))


@aten("eye.default", "eye.m")
def _eye(n: int, m: int | None = None, *, dtype: Any = None) -> Tensor:
    return _core.eye(n, n if m is None else m, dtype=dtype or _core.float32)


@aten("real.default")
def _real(self: Tensor) -> Tensor:
    return _core.real(self)


@aten("imag.default")
def _imag(self: Tensor) -> Tensor:
    return _core.imag(self)


@aten("complex.default")
def _complex(real: Tensor, imag: Tensor) -> Tensor:
    return _core.complex(real, imag)


@aten("view_as_real.default")
def _view_as_real(self: Tensor) -> Tensor:
    return _core.stack([_core.real(self), _core.imag(self)], axis=-1)


@aten("view_as_complex.default")
def _view_as_complex(self: Tensor) -> Tensor:
    return _core.complex(self[..., 0], self[..., 1])


@aten("_conj.default", "conj.default", "_conj_physical.default", "resolve_conj.default")
def _conj(self: Tensor) -> Tensor:
    return _core.conj(self)


@aten("prims.view_element_type.default")
def _view_element_type(self: Tensor, dtype: Any) -> Tensor:
    return _core.bitcast(tensor(self), dtype)


@aten("prims.device_put.default")
def _device_put(self: Tensor, device: Any = None, non_blocking: bool = False) -> Tensor:
    return self


@aten("_assert_tensor_metadata.default", "_assert_scalar.default", "sym_constrain_range_for_size.default",
      "sym_constrain_range.default", "_assert_async.msg", "_assert_async.default")  # fmt: skip
def _nothing(*args: Any, **kwargs: Any) -> None:
    return None
