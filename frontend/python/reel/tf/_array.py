"""Shapes, joins, gathers and constants: what is directly in tf."""

from __future__ import annotations

import typing as _t
from builtins import range as _range
from builtins import slice as _slice

from .. import _core
from . import dtypes
from ._range import TracedRange
from ._shape import TensorShape
from ._tensor import TensorLike, convert_to_tensor, operand, to_core, wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..typing import AxisLike, DTypeLike
    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig
    from ._signatures import Axes, ShapeLike, Spec
    from ._tensor import Tensor

newaxis: None = None


def ints(shape: ShapeLike, what: str = "shape") -> tuple[int, ...]:
    """A tuple of ints from a shape, an int, or an int tensor."""
    if isinstance(shape, TensorLike):
        shape = shape._core_value().tolist()
    if isinstance(shape, int):
        return (shape,)
    if isinstance(shape, TensorShape) and not shape.is_fully_defined():
        raise InvalidArgumentError(f"{what} {shape} is not fully known")
    return tuple(int(d) for d in shape)


def identity(input: ArrayLike, name: str | None = None) -> Tensor:
    """The value as a new tensor. Gradient: dy."""
    return wrap(_core.identity(to_core(input)))


def stop_gradient(input: ArrayLike, name: str | None = None) -> Tensor:
    """The value as a new tensor; no gradient flows back."""
    return wrap(_core.stop_gradient(to_core(input)))


def zeros(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """Zeros of a shape."""
    return wrap(_core.zeros(ints(shape), dtype=dtypes.core_dtype(dtype)))


def ones(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """Ones of a shape."""
    return wrap(_core.ones(ints(shape), dtype=dtypes.core_dtype(dtype)))


def fill(dims: ShapeLike, value: ArrayLike, name: str | None = None) -> Tensor:
    """One value everywhere."""
    return wrap(_core.broadcast_to(to_core(value), ints(dims)))


def zeros_like(input: ArrayLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Zeros of the shape and dtype of a tensor."""
    return wrap(_core.zeros_like(to_core(input), dtype=dtypes.core_dtype(dtype)))


def ones_like(input: ArrayLike, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Ones of the shape and dtype of a tensor."""
    return wrap(_core.ones_like(to_core(input), dtype=dtypes.core_dtype(dtype)))


def eye(
    num_rows: int,
    num_columns: int | None = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    m = _core.eye(num_rows, num_columns, dtype=dtypes.core_dtype(dtype))
    return wrap(m if batch_shape is None else _core.broadcast_to(m, ints(batch_shape) + tuple(m.shape)))


def range(
    start: ArrayLike,
    limit: ArrayLike | None = None,
    delta: ArrayLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = "range",
) -> Tensor | Any:
    """start, start + delta, ... below limit; range(n) counts from 0. int32, or float32 if a number is a float.

    Of traced tensors it is what a `for` in a tf.function goes through, and no tensor.
    """
    if limit is None:
        start, limit = 0, start
    if any(isinstance(x, TensorLike) and x._core_value().symbolic for x in (start, limit, delta)):
        return TracedRange(start, limit, delta)
    numbers = [x._core_value().item() if isinstance(x, TensorLike) else x for x in (start, limit, delta)]
    if dtype is None:
        given = [x.dtype for x in (start, limit, delta) if isinstance(x, TensorLike)]
        dtype = given[0] if given else dtypes.float32 if any(isinstance(x, float) for x in numbers) else dtypes.int32
    return wrap(_core.arange(*numbers, dtype=dtypes.core_dtype(dtype)))


def linspace(start: ArrayLike, stop: ArrayLike, num: int, name: str | None = None, axis: int = 0) -> Tensor:
    """num numbers from start to stop, evenly apart; of the dtype of start."""
    a, b = to_core(start), to_core(stop)
    if a.dtype.kind in "iu":
        a, b = _core.astype(a, _core.float64), _core.astype(b, _core.float64)
    if a.ndim == 0 and not a.symbolic and not b.symbolic:
        return wrap(_core.linspace(a.item(), b.item(), int(num), dtype=a.dtype))
    steps = _core.linspace(0, 1, int(num), dtype=a.dtype)
    steps = _core.reshape(steps, (int(num),) + (1,) * a.ndim)
    return wrap(_core.moveaxis(_core.expand_dims(a, 0) + steps * _core.expand_dims(b - a, 0), 0, axis))


def reshape(tensor: ArrayLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Row-major elements in another shape; one extent may be -1."""
    return wrap(_core.reshape(to_core(tensor), ints(shape)))


def transpose(
    a: ArrayLike, perm: ShapeLike | None = None, conjugate: bool = False, name: str | None = "transpose"
) -> Tensor:
    """Axes in another order; reversed by default."""
    x = to_core(a)
    x = _core.transpose(x, None if perm is None else ints(perm))
    return wrap(_core.conj(x) if conjugate else x)


def expand_dims(input: ArrayLike, axis: int, name: str | None = None) -> Tensor:
    """A new axis of extent 1 at a place."""
    return wrap(_core.expand_dims(to_core(input), int(axis)))


def squeeze(input: ArrayLike, axis: Axes | None = None, name: str | None = None) -> Tensor:
    """Without axes of extent 1: all of them, or those named."""
    return wrap(_core.squeeze(to_core(input), None if axis is None or axis == [] else ints(axis)))


def broadcast_to(input: ArrayLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The tensor repeated to a shape by NumPy's rule."""
    return wrap(_core.broadcast_to(to_core(input), ints(shape)))


def reverse(tensor: ArrayLike, axis: Axes, name: str | None = None) -> Tensor:
    """Elements in the opposite order along axes."""
    return wrap(_core.flip(to_core(tensor), axis=ints(axis)))


def roll(input: ArrayLike, shift: ShapeLike, axis: Axes, name: str | None = None) -> Tensor:
    """Elements moved along axes; what leaves the end enters at the start."""
    return wrap(_core.roll(to_core(input), ints(shift), axis=ints(axis)))


def tile(input: ArrayLike, multiples: ShapeLike, name: str | None = None) -> Tensor:
    """The tensor repeated as a whole along each axis."""
    return wrap(_core.tile(to_core(input), ints(multiples)))


def repeat(input: ArrayLike, repeats: int | Sequence[int], axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element repeated along an axis."""
    return wrap(_core.repeat(to_core(input), ints(repeats), axis=axis))


def pad(
    tensor: ArrayLike,
    paddings: Sequence[Sequence[int]] | Tensor,
    mode: str = "CONSTANT",
    constant_values: float = 0,
    name: str | None = None,
) -> Tensor:
    """Elements before and after every axis: pairs of numbers. mode: CONSTANT, REFLECT or SYMMETRIC."""
    if isinstance(paddings, TensorLike):
        paddings = paddings._core_value().tolist()
    return wrap(_core.pad(to_core(tensor), [tuple(p) for p in paddings], mode.lower(), constant_values))


def _same_dtype(values, op):
    tensors = [v for v in values if isinstance(v, TensorLike)]
    if not tensors:
        return [to_core(v) for v in values]
    first = tensors[0]._core_value()
    return [operand(v, first.dtype, op, weak=False) for v in values]


def stack(values: Iterable[ArrayLike], axis: int = 0, name: str | None = "stack") -> Tensor:
    """Tensors of one shape along a new axis."""
    return wrap(_core.stack(_same_dtype(list(values), "Pack"), axis=axis))


def unstack(value: ArrayLike, num: int | None = None, axis: int = 0, name: str | None = "unstack") -> list[Tensor]:
    """The slices along an axis, a list."""
    return [wrap(t) for t in _core.unstack(to_core(value), axis=axis)]


def concat(values: ArrayLike, axis: int, name: str | None = "concat") -> Tensor:
    """Tensors joined along an axis that exists."""
    if isinstance(values, TensorLike):
        return identity(values)
    return wrap(_core.concat(_same_dtype(list(values), "ConcatV2"), axis=int(axis)))


def split(
    value: ArrayLike, num_or_size_splits: ShapeLike, axis: int = 0, num: int | None = None, name: str | None = "split"
) -> list[Tensor]:
    """Parts of equal extent along an axis, or of these extents; a list."""
    sizes = num_or_size_splits if isinstance(num_or_size_splits, int) else list(ints(num_or_size_splits))
    x = to_core(value)
    if not isinstance(sizes, int) and -1 in sizes:
        sizes[sizes.index(-1)] = tuple(x.shape)[axis] - sum(s for s in sizes if s != -1)
    return [wrap(t) for t in _core.split(x, sizes, axis)]


def meshgrid(*args: ArrayLike, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """The coordinates of a grid: one tensor per vector."""
    return [wrap(t) for t in _core.meshgrid(*[to_core(x) for x in args], indexing=indexing)]


def slice(input_: ArrayLike, begin: ShapeLike, size: ShapeLike, name: str | None = None) -> Tensor:
    """size elements from begin on along every axis; -1 means all that are left."""
    x = to_core(input_)
    key = tuple(_slice(b, None if n == -1 else b + n) for b, n in zip(ints(begin), ints(size)))
    return wrap(x[key])


def strided_slice(
    input_: ArrayLike, begin: ShapeLike, end: ShapeLike, strides: ShapeLike | None = None, name: str | None = None
) -> Tensor:
    """x[begin:end:strides] along every axis."""
    strides = strides if strides is not None else [1] * len(ints(begin))
    return wrap(to_core(input_)[tuple(_slice(*k) for k in zip(ints(begin), ints(end), ints(strides)))])


def where(
    condition: ArrayLike, x: ArrayLike | None = None, y: ArrayLike | None = None, name: str | None = None
) -> Tensor:
    """x where the condition is true, else y; all broadcast. Without x and y: the places where it is true, [n, rank]."""
    c = to_core(condition)
    if c.dtype is not _core.bool:
        c = _core.not_equal(c, 0)
    if x is None and y is None:
        return wrap(_core.stack(list(_core.nonzero(c)), axis=-1))
    if x is None or y is None:
        raise InvalidArgumentError("x and y must both be non-None or both be None.")
    if isinstance(x, TensorLike) or not isinstance(y, TensorLike):
        a = to_core(x)
        b = operand(y, a.dtype, "SelectV2", weak=False)
    else:
        b = to_core(y)
        a = operand(x, b.dtype, "SelectV2", weak=False)
    return wrap(_core.where(c, a, b))


def boolean_mask(
    tensor: ArrayLike, mask: ArrayLike, axis: int | None = None, name: str | None = "boolean_mask"
) -> Tensor:
    """The slices where the mask is true. Eager only."""
    x, m = to_core(tensor), to_core(mask)
    key = (_slice(None),) * (axis or 0) + (m,)
    return wrap(x[key])


def gather(
    params: ArrayLike,
    indices: ArrayLike,
    validate_indices: bool | None = None,
    axis: int | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Slices of params along axis at integer indices."""
    x, i = to_core(params), to_core(indices)
    if batch_dims:
        axis = batch_dims if axis is None else axis
        if axis != batch_dims or i.ndim != batch_dims + 1 or x.ndim != batch_dims + 1:
            raise _core.UnimplementedError(
                "gather: batch_dims is supported for params and indices of batch_dims + 1 axes"
            )
        return wrap(_core.take_along_axis(x, i, axis))
    return wrap(_core.take(x, i, axis=0 if axis is None else int(axis)))


def gather_nd(params: ArrayLike, indices: ArrayLike, batch_dims: int = 0, name: str | None = None) -> Tensor:
    """params[indices[i, 0], ..., indices[i, k - 1]]."""
    return wrap(_core.gather_nd(to_core(params), to_core(indices)))


def scatter_nd(indices: ArrayLike, updates: ArrayLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Zeros with the updates added at the indices."""
    return wrap(_core.scatter_nd(to_core(indices), to_core(updates), ints(shape)))


def _tensor_scatter(mode, doc) -> _sig.TensorScatter:
    def op(tensor: ArrayLike, indices: ArrayLike, updates: ArrayLike, name: str | None = None) -> Tensor:
        x = to_core(tensor)
        u = operand(updates, x.dtype, "TensorScatter", weak=False)
        return wrap(_core.tensor_scatter(x, to_core(indices), u, mode))

    op.__doc__ = doc
    return op


tensor_scatter_nd_update = _tensor_scatter("set", "The tensor with the updates written at the indices.")
tensor_scatter_nd_add = _tensor_scatter("add", "The tensor with the updates added at the indices.")
tensor_scatter_nd_max = _tensor_scatter("max", "The tensor with the larger of element and update at the indices.")
tensor_scatter_nd_min = _tensor_scatter("min", "The tensor with the smaller of element and update at the indices.")


def one_hot(
    indices: ArrayLike,
    depth: int,
    on_value: float | None = None,
    off_value: float | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """1 (or on_value) at the index, 0 elsewhere, along a new last axis."""
    kind = dtypes.core_dtype(dtype or dtypes.float32)
    hot = _core.one_hot(to_core(indices), int(depth))
    on, off = 1 if on_value is None else on_value, 0 if off_value is None else off_value
    hot = (
        _core.astype(hot, kind)
        if (on, off) == (1, 0)
        else _core.where(_core.not_equal(hot, 0), _core.full((), on, dtype=kind), _core.full((), off, dtype=kind))
    )
    return wrap(hot if axis in (None, -1) else _core.moveaxis(hot, -1, axis))


def sort(values: ArrayLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements in order along an axis."""
    return wrap(_core.sort(to_core(values), axis=axis, descending=direction == "DESCENDING"))


def argsort(
    values: ArrayLike, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The int32 indices that sort along an axis."""
    order = _core.argsort(to_core(values), axis=axis, descending=direction == "DESCENDING")
    return wrap(_core.astype(order, _core.int32))


def shape(input: ArrayLike, out_type: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """The extents as an int32 vector."""
    x, dtype = to_core(input), dtypes.core_dtype(out_type)
    if None in x.shape:
        return wrap(_core.stack([_core.astype(_core.extent_of(x, axis), dtype) for axis in _range(x.ndim)]))
    return wrap(_core.asarray(list(x.shape) or _core.zeros((0,)), dtype))


def size(input: ArrayLike, out_type: DTypeLike = dtypes.int32, name: str | None = None) -> Tensor:
    """Number of elements."""
    x = to_core(input)
    if None in x.shape:
        return wrap(_core.prod(shape(input, out_type)._t))
    return wrap(_core.asarray(x.size, dtypes.core_dtype(out_type)))


def rank(input: ArrayLike, name: str | None = None) -> Tensor:
    """Number of axes."""
    return wrap(_core.asarray(to_core(input).ndim, _core.int32))


def bitcast(input: ArrayLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """The bits as another dtype."""
    return wrap(_core.bitcast(to_core(input), dtypes.core_dtype(type)))


def norm(
    tensor: ArrayLike,
    ord: float | str = "euclidean",
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Norm over axes: 'euclidean' (2), 1, numpy.inf or another number p."""
    x, keep = to_core(tensor), bool(keepdims)
    axis = axis if axis is None or isinstance(axis, int) else tuple(axis)
    if ord in ("euclidean", 2, "fro"):
        return wrap(_core.sqrt(_core.sum(_core.square(_core.abs(x)), axis, keepdims=keep)))
    if ord == 1:
        return wrap(_core.sum(_core.abs(x), axis, keepdims=keep))
    if ord == float("inf"):
        return wrap(_core.max(_core.abs(x), axis, keepdims=keep))
    return wrap(_core.sum(_core.abs(x) ** ord, axis, keepdims=keep) ** (1.0 / ord))


def clip_by_norm(t: ArrayLike, clip_norm: ArrayLike, axes: AxisLike | None = None, name: str | None = None) -> Tensor:
    """t, scaled down to the norm clip_norm over axes where it is longer."""
    x = to_core(t)
    total = _core.sum(_core.square(x), axes, keepdims=True)
    positive = total > 0
    length = _core.where(positive, _core.sqrt(_core.where(positive, total, _core.ones_like(total))), total)
    bound = operand(clip_norm, x.dtype, "ClipByNorm", weak=False)
    return wrap(x * bound / _core.maximum(length, bound))


def global_norm(t_list: Iterable[ArrayLike | None], name: str | None = None) -> Tensor | Any:
    """The norm of all tensors together; None entries count for nothing. None if all are None."""
    squares = [_core.sum(_core.square(to_core(t))) for t in t_list if t is not None]
    return wrap(_core.sqrt(_core.sum(_core.stack(squares)))) if squares else None


def clip_by_global_norm(
    t_list: Sequence[ArrayLike | None], clip_norm: ArrayLike, use_norm: ArrayLike | None = None, name: str | None = None
) -> tuple[list[Tensor | Any], Tensor | Any]:
    """(list, norm): the tensors scaled down together where their global norm is above clip_norm."""
    first = next((to_core(t) for t in t_list if t is not None), None)
    length = global_norm(t_list)
    if use_norm is not None and first is not None:
        length = wrap(operand(use_norm, first.dtype, "ClipByGlobalNorm", weak=False))
    if length is None:
        return list(t_list), None
    bound = operand(clip_norm, length._t.dtype, "ClipByGlobalNorm", weak=False)
    scale = bound / _core.maximum(length._t, bound)
    return [None if t is None else wrap(to_core(t) * scale) for t in t_list], length


def is_tensor(x: object) -> bool:
    """Whether it is a tf.Tensor or tf.Variable."""
    return isinstance(x, TensorLike)


def ensure_shape(x: ArrayLike, shape: Spec, name: str | None = None) -> Tensor:
    """x; InvalidArgumentError unless its shape fits."""
    x = convert_to_tensor(x)
    if not x.shape.is_compatible_with(shape):
        raise InvalidArgumentError(
            f"Shape of tensor {x.shape} is not compatible with expected shape {TensorShape(shape)}."
        )
    return x


def no_op(name: str | None = None) -> None:
    """Nothing."""
    return None


def print_v2(
    *inputs: object,
    output_stream: object = None,
    summarize: int = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> None:
    """Prints values, to stderr unless output_stream is another; traced tensors by their types."""
    import sys

    texts = [str(x._core_value()) if isinstance(x, TensorLike) else str(x) for x in inputs]
    stream = output_stream if hasattr(output_stream, "write") else sys.stderr
    stream.write(sep.join(texts) + end)


_all_in_graph(globals(), "ints", "is_tensor", "no_op", "print_v2")

__all__ = [
    "identity",
    "stop_gradient",
    "zeros",
    "ones",
    "fill",
    "zeros_like",
    "ones_like",
    "eye",
    "range",
    "linspace",
    "reshape",
    "transpose",
    "expand_dims",
    "squeeze",
    "broadcast_to",
    "reverse",
    "roll",
    "tile",
    "repeat",
    "pad",
    "stack",
    "unstack",
    "concat",
    "split",
    "meshgrid",
    "slice",
    "strided_slice",
    "where",
    "boolean_mask",
    "gather",
    "gather_nd",
    "scatter_nd",
    "tensor_scatter_nd_update",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "one_hot",
    "sort",
    "argsort",
    "shape",
    "size",
    "rank",
    "bitcast",
    "norm",
    "clip_by_norm",
    "global_norm",
    "clip_by_global_norm",
    "is_tensor",
    "ensure_shape",
    "no_op",
]
