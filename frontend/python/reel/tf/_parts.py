"""Tensors joined, and parts of them."""

from __future__ import annotations

import typing as _t
from builtins import slice as _slice

from .. import _core
from ._args import axis_of, integer, ints, only, vector
from ._convert import to_core
from ._linked import dense
from ._operators import operand
from ._tensor import TensorLike, wrap
from ._trace import all_in_graph as _all_in_graph
from ._trace import executing_eagerly
from .errors import ConversionError, InvalidArgumentError, StateError

if _t.TYPE_CHECKING:
    from collections.abc import Iterable

    from ..typing import TensorLike as ArrayLike
    from ._signatures import ShapeLike
    from ._tensor import Tensor


def same_dtype(values: list[ArrayLike], op: str) -> list[_core.Tensor]:
    """Core tensors of one dtype: that of the first tensor, or of the first value."""
    tensors = [v for v in values if isinstance(v, TensorLike)]
    if not tensors:
        first = to_core(values[0])
        return [first] + [operand(v, first.dtype, op, weak=False) for v in values[1:]]
    first = tensors[0]._core_value()
    return [operand(v, first.dtype, op, weak=False) for v in values]


_NUMBERS = (int, float, bool, complex)  # together they say what dtype they are


def stack(values: Iterable[ArrayLike], axis: int = 0, name: str | None = "stack") -> Tensor:
    """Tensors of one shape along a new axis."""
    values = _core.unstack(to_core(values)) if isinstance(values, TensorLike) else list(values)
    if not values or values[0].__class__ in _NUMBERS and all(v.__class__ in _NUMBERS for v in values):
        if integer(axis) in (0, -1):
            return wrap(to_core(values))
    if integer(axis) == 0 and not any(isinstance(v, TensorLike) for v in values):
        return wrap(to_core(values))  # as a nested list, in which NumPy's int64 is Python's int
    return wrap(_core.stack(same_dtype(values, "Pack"), axis=integer(axis)))


def parallel_stack(values: Iterable[ArrayLike], name: str | None = "parallel_stack") -> Tensor:
    """stack along axis 0, inside of tf.function only."""
    if executing_eagerly():
        raise StateError("tf.parallel_stack() is not compatible with eager execution: use tf.stack")
    return wrap(_core.stop_gradient(_core.stack(same_dtype(list(values), "ParallelConcat"))))


def unstack(value: ArrayLike, num: int | None = None, axis: int = 0, name: str | None = "unstack") -> list[Tensor]:
    """The slices along an axis, a list."""
    x = to_core(value)
    if x.ndim == 0:
        raise ConversionError("unstack: the tensor has no axes")
    place = axis_of(axis, x.ndim, "unstack")
    if num is not None and x.shape[place] != integer(num, "num"):
        raise InvalidArgumentError(f"Unpack: Input shape axis {place} must equal {num}, got shape {tuple(x.shape)}")
    return [wrap(t) for t in _core.unstack(x, axis=place)]


def concat(values: ArrayLike, axis: int, name: str | None = "concat") -> Tensor:
    """Tensors joined along an axis that exists. Of one tensor or variable: itself."""
    if not isinstance(values, (list, tuple)):
        integer(axis, "concat: axis")
        return wrap(_core.identity(to_core(values)))
    place = only(axis, "ConcatV2")
    if not values:
        raise ConversionError("concat: there are no tensors; give at least one")
    if len(values) == 1:
        return wrap(_core.identity(to_core(values[0])))
    return wrap(_core.concat(same_dtype(list(values), "ConcatV2"), axis=place))


def split(
    value: ArrayLike, num_or_size_splits: ShapeLike, axis: int = 0, num: int | None = None, name: str | None = "split"
) -> list[Tensor]:
    """Parts of equal extent along an axis, or of these extents, one of which may be -1; a list."""
    x = to_core(value)
    if x.ndim == 0:
        raise InvalidArgumentError("Split: the tensor has no axes")
    of_sizes = hasattr(num_or_size_splits, "shape") or isinstance(num_or_size_splits, (list, tuple))
    place = axis_of(only(axis, "SplitV") if of_sizes else axis, x.ndim, "Split")
    if not of_sizes:
        return [wrap(t) for t in _core.split(x, integer(num_or_size_splits, "num_or_size_splits"), place)]
    if getattr(num_or_size_splits, "shape", None) == ():
        raise ConversionError("split: a tensor of rank 0 is not supported as num_or_size_splits; give a Python number")
    sizes = list(ints(num_or_size_splits, "num_or_size_splits"))
    if num is not None and integer(num, "num") != len(sizes):
        raise InvalidArgumentError(f"SplitV: num is {num}, but there are {len(sizes)} sizes: {sizes}")
    if sizes.count(-1) > 1:
        raise InvalidArgumentError(f"SplitV: only one of the sizes may be -1, got {sizes}")
    if -1 in sizes:
        sizes[sizes.index(-1)] = x.shape[place] - sum(s for s in sizes if s != -1)
    return [wrap(t) for t in _core.split(x, sizes, place)]


def meshgrid(*args: ArrayLike, indexing: str = "xy", name: str | None = None) -> list[Tensor]:
    """The coordinates of a grid: one tensor per vector. indexing: 'xy' (the first two axes swapped) or 'ij'."""
    if indexing not in ("xy", "ij"):
        raise ConversionError(f"meshgrid: indexing must be 'xy' or 'ij', got {indexing!r}")
    if not args:
        return []
    first = to_core(args[0])
    others = [operand(x, first.dtype, "Mul", weak=False) for x in args[1:]]
    rows = [_core.reshape(x, (-1,)) for x in (first, *others)]
    return [wrap(t) for t in _core.meshgrid(*rows, indexing=indexing)]


def slice(input_: ArrayLike, begin: ShapeLike, size: ShapeLike, name: str | None = None) -> Tensor:
    """size elements from begin on along every axis; -1 means all that are left.

    A begin that is traced is checked when the function runs; size is known when it is traced.
    """
    x = to_core(input_)
    counts = vector(size, x.ndim, "Slice", "size")
    starts = _starts(begin, x.ndim)
    for axis, (first, count) in enumerate(zip(starts, counts)):
        n = x.shape[axis]
        if isinstance(first, int) and not 0 <= first <= n:
            raise InvalidArgumentError(f"Slice: Expected begin[{axis}] in [0, {n}], but got {first}")
        most = n - first if isinstance(first, int) else n
        if count == -1 and not isinstance(first, int):
            raise _core.FailedPreconditionError(
                f"Slice: size[{axis}] is -1 and begin[{axis}] is traced: how many elements there are must be known while the "
                "function is traced; give the number, or a begin of constants and shapes"
            )
        if not -1 <= count <= most:
            raise InvalidArgumentError(f"Slice: Expected size[{axis}] in [0, {most}], but got {count}")
    for axis, (first, count) in enumerate(zip(starts, counts)):
        if not isinstance(first, int):
            x = _core.take(dense(x), _core.astype(_core.arange(count), first.dtype) + first, axis=axis)
    whole = [(0, -1) if not isinstance(b, int) else (b, n) for b, n in zip(starts, counts)]
    return wrap(x[tuple(_slice(b, None if n == -1 else b + n) for b, n in whole)])


def _starts(begin, rank):
    """The numbers, and core scalars for those that are traced."""
    traced = isinstance(begin, TensorLike) and _core._static_value(begin._core_value()) is None
    if traced and begin.shape == (rank,):
        return _core.unstack(begin._core_value())
    if not isinstance(begin, (list, tuple)) or len(begin) != rank:
        return vector(begin, rank, "Slice", "begin")
    return [_start(b) for b in begin]


def _start(b):
    if isinstance(b, TensorLike) and _core._static_value(b._core_value()) is None:
        return b._core_value()
    return integer(b, "begin")


def strided_slice(
    input_: ArrayLike,
    begin: ShapeLike,
    end: ShapeLike,
    strides: ShapeLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: object = None,
    name: str | None = None,
) -> Tensor:
    """x[begin:end:strides] along the first axes.

    Bit i of a mask is about element i of begin: leave begin or end out, stand for `...`, for a new axis, or for an
    index that drops the axis.
    """
    if var is not None:
        raise _core.UnimplementedError("strided_slice: var is not supported; assign to the slice of the variable")
    starts, ends = ints(begin, "begin"), ints(end, "end")
    steps = (1,) * len(starts) if strides is None else ints(strides, "strides")
    if not len(starts) == len(ends) == len(steps):
        raise InvalidArgumentError("strided_slice: begin, end and strides must have one length")
    if bin(ellipsis_mask).count("1") > 1:
        raise InvalidArgumentError("StridedSlice: Multiple ellipses in slice spec not allowed")
    x, key = to_core(input_), []
    for i, (first, last, step) in enumerate(zip(starts, ends, steps)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(...)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(first)
        elif step == 0:
            raise InvalidArgumentError(f"StridedSlice: strides[{i}] must be non-zero")
        else:
            key.append(_slice(None if begin_mask & bit else first, None if end_mask & bit else last, step))
    return wrap(x[tuple(key)])


_all_in_graph(globals(), "same_dtype")
