"""Constants, shapes, joins and parts: what is directly in tf. Gathers are in _gather, blocks in _space, norms in _norms."""

from __future__ import annotations

import typing as _t
from builtins import range as _range

from .. import _core
from . import dtypes
from ._args import axis_of, index_dtype, integer, ints, only, pairs, vector
from ._convert import convert_to_tensor, to_core
from ._gather import (
    boolean_mask,
    dynamic_partition,
    dynamic_stitch,
    gather,
    gather_nd,
    one_hot,
    reverse_sequence,
    scatter_nd,
    sequence_mask,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    unravel_index,
    where,
)
from ._linked import dense
from ._norms import clip_by_global_norm, clip_by_norm, global_norm, norm
from ._operators import operand
from ._parts import concat, meshgrid, parallel_stack, same_dtype, slice, split, stack, strided_slice, unstack
from ._range import linspace as linspace
from ._range import range as range
from ._shape import TensorShape
from ._sorting import argsort as argsort
from ._sorting import sort as sort
from ._space import (
    batch_to_space,
    extract_volume_patches,
    required_space_to_batch_paddings,
    space_to_batch,
    space_to_batch_nd,
)
from ._tensor import TensorLike, wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._signatures import Axes, ShapeLike, Spec
    from ._tensor import Tensor

newaxis: None = None


def _no_layout(layout):
    if layout is not None:
        raise _core.UnimplementedError("layout: reel.tf runs on one CPU and has no DTensor layouts; leave it None")


def identity(input: ArrayLike, name: str | None = None) -> Tensor:
    """The value as a new tensor. Gradient: dy."""
    return wrap(_core.identity(to_core(input)))


def identity_n(input: Sequence[ArrayLike], name: str | None = None) -> list[Tensor]:
    """The values as new tensors, of any dtypes. Gradient: dy of each."""
    values = [wrap(_core.identity(to_core(x))) for x in input]
    if not values:
        raise InvalidArgumentError("IdentityN: there are no tensors; give at least one")
    return values


def guarantee_const(input: ArrayLike, name: str | None = None) -> Tensor:
    """The value as a new tensor: constants are found without being told."""
    return wrap(_core.stop_gradient(to_core(input)))


def stop_gradient(input: ArrayLike, name: str | None = None) -> Tensor:
    """The value as a new tensor; no gradient flows back."""
    return wrap(_core.stop_gradient(to_core(input)))


def zeros(
    shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: object = None
) -> Tensor:
    """Zeros of a shape."""
    _no_layout(layout)
    return wrap(_core.zeros(ints(shape), dtype=dtypes.core_dtype(dtype)))


def ones(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: object = None) -> Tensor:
    """Ones of a shape."""
    _no_layout(layout)
    return wrap(_core.ones(ints(shape), dtype=dtypes.core_dtype(dtype)))


def fill(dims: ShapeLike, value: ArrayLike, name: str | None = None, layout: object = None) -> Tensor:
    """One value everywhere."""
    _no_layout(layout)
    x = to_core(value)
    if x.ndim:
        raise InvalidArgumentError(f"fill: value must represent a scalar, got shape {tuple(x.shape)}")
    return wrap(_core.broadcast_to(x, ints(dims, "dims")))


def zeros_like(
    input: ArrayLike, dtype: DTypeLike | None = None, name: str | None = None, layout: object = None
) -> Tensor:
    """Zeros of the shape and dtype of a tensor."""
    _no_layout(layout)
    return wrap(_core.zeros_like(to_core(input), dtype=dtypes.core_dtype(dtype)))


def ones_like(
    input: ArrayLike, dtype: DTypeLike | None = None, name: str | None = None, layout: object = None
) -> Tensor:
    """Ones of the shape and dtype of a tensor."""
    _no_layout(layout)
    return wrap(_core.ones_like(to_core(input), dtype=dtypes.core_dtype(dtype)))


def eye(
    num_rows: int,
    num_columns: int | None = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    rows = integer(num_rows, "num_rows")
    columns = rows if num_columns is None else integer(num_columns, "num_columns")
    m = _core.eye(rows, columns, dtype=dtypes.core_dtype(dtype))
    return wrap(m if batch_shape is None else _core.broadcast_to(m, ints(batch_shape, "batch_shape") + tuple(m.shape)))


def reshape(tensor: ArrayLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Row-major elements in another shape; one extent may be -1."""
    x, to = to_core(tensor), ints(shape)
    if -1 in to and 0 in to and 0 in x.shape and to.count(-1) == 1:
        to = _without_zeros(x, to)
    return wrap(_core.reshape(x, to))


def _without_zeros(x, to):
    """The extent of -1 beside a zero is what the others that are not zero leave."""
    left = 1
    for d in x.shape:
        left *= d or 1
    for d in to:
        left //= d if d > 0 else 1
    return tuple(left if d == -1 else d for d in to)


def transpose(
    a: ArrayLike, perm: ShapeLike | None = None, conjugate: bool = False, name: str | None = "transpose"
) -> Tensor:
    """Axes in another order; reversed by default."""
    x = to_core(a)
    x = _core.transpose(x, None if perm is None else ints(perm, "perm"))
    return wrap(_core.conj(x) if conjugate and x.dtype.is_complex else x)


def expand_dims(input: ArrayLike, axis: int, name: str | None = None) -> Tensor:
    """A new axis of extent 1 at a place."""
    return wrap(_core.expand_dims(to_core(input), only(axis, "ExpandDims")))


def squeeze(input: ArrayLike, axis: Axes | None = None, name: str | None = None) -> Tensor:
    """Without axes of extent 1: all of them, or those named."""
    x, axes = to_core(input), () if axis is None else ints(axis, "axis")
    if not axes and None in x.shape:
        raise _core.FailedPreconditionError(
            f"squeeze: which axes of {x} have extent 1 is not known while a function is traced; name them with axis="
        )
    return wrap(_core.squeeze(x, axes or None))


def broadcast_to(input: ArrayLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The tensor repeated to a shape by NumPy's rule."""
    return wrap(_core.broadcast_to(to_core(input), ints(shape)))


def broadcast_static_shape(shape_x: Spec, shape_y: Spec) -> TensorShape:
    """The shape that two known shapes broadcast to. ValueError if they do not."""
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    out = []
    for a, b in zip(_aligned(x, len(y)), _aligned(y, len(x))):
        if a != b and 1 not in (a, b) and None not in (a, b):
            raise ConversionError(f"Incompatible shapes for broadcasting: {x} and {y}; extents are equal, or one is 1")
        out.append(b if a == 1 else a if b in (1, None) else b)
    return TensorShape(out)


def _aligned(shape, rank):
    return [1] * max(rank - len(shape), 0) + list(shape)


def broadcast_dynamic_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> Tensor:
    """The shape, an int32 vector, that two shapes broadcast to."""
    shape = _core.broadcast_shapes(ints(shape_x), ints(shape_y))
    return wrap(_core.asarray(list(shape) or _core.zeros((0,)), _core.int32))


def reverse(tensor: ArrayLike, axis: Axes, name: str | None = None) -> Tensor:
    """Elements in the opposite order along axes, a list of them."""
    x = to_core(tensor)
    if not hasattr(axis, "shape") and not isinstance(axis, (list, tuple)) or getattr(axis, "shape", None) == ():
        raise InvalidArgumentError(f"reverse: 'dims' (axis) must be 1-dimension, a list of axes, not {axis!r}")
    axes = ints(axis, "axis")
    return wrap(_core.flip(x, axis=axes) if axes else _core.identity(x))


def roll(input: ArrayLike, shift: ShapeLike, axis: Axes, name: str | None = None) -> Tensor:
    """Elements moved along axes; what leaves the end enters at the start."""
    shifts, axes = ints(shift, "shift"), ints(axis, "axis")
    if len(shifts) != len(axes) or to_core(shift).ndim != to_core(axis).ndim:
        raise InvalidArgumentError(f"Roll: shift and axis must have the same size, got {list(shifts)} and {list(axes)}")
    return wrap(_core.roll(to_core(input), shifts, axis=axes))


def tile(input: ArrayLike, multiples: ShapeLike, name: str | None = None) -> Tensor:
    """The tensor repeated as a whole along each axis: a number of times for each."""
    x = to_core(input)
    return wrap(_core.tile(x, vector(multiples, x.ndim, "Tile", "multiples")))


def repeat(input: ArrayLike, repeats: int | Sequence[int], axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element repeated along an axis."""
    times = ints(repeats, "repeats")
    return wrap(_core.repeat(dense(to_core(input)), times, axis=None if axis is None else integer(axis)))


def pad(
    tensor: ArrayLike,
    paddings: Sequence[Sequence[int]] | Tensor,
    mode: str = "CONSTANT",
    constant_values: ArrayLike = 0,
    name: str | None = None,
) -> Tensor:
    """Elements before and after every axis: pairs of numbers. mode: CONSTANT, REFLECT or SYMMETRIC.

    Gradient: that of the part inside, and of mirrored elements; none for constant_values.
    """
    kind, x = mode.upper(), to_core(tensor)
    if kind not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ConversionError(f'pad: mode must be one of "CONSTANT", "REFLECT" and "SYMMETRIC", got {mode!r}')
    widths = pairs(paddings, "Pad", "paddings")
    if len(widths) != x.ndim:
        raise InvalidArgumentError(
            f"Pad: The first dimension of paddings must be the rank of inputs, {x.ndim}, got {len(widths)} pairs"
        )
    if kind != "CONSTANT":
        most = [n if n is None or kind == "SYMMETRIC" else n - 1 for n in x.shape]
        if any(n is not None and max(w) > n for n, w in zip(most, widths)):
            raise InvalidArgumentError(
                f"MirrorPad: paddings {widths} are more than a tensor of shape {tuple(x.shape)} mirrors: at most {most}"
            )
        return wrap(_core.pad(dense(x), widths, kind.lower()))
    if constant_values.__class__ is int and constant_values == 0:
        return wrap(_core.pad(x, widths, "constant", 0))
    value = operand(constant_values, x.dtype, "PadV2")
    if isinstance(value, _core.Tensor):
        value = _core.stop_gradient(value)
    return wrap(_core.pad(x, widths, "constant", value))


def _sized(x):
    """A core tensor of its shape: strings have one too."""
    return _core.zeros(tuple(x.shape)) if getattr(x, "dtype", None) is dtypes.string else to_core(x)


def shape(input: ArrayLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The extents as a vector, int32 unless out_type says int64."""
    x, dtype = _sized(input), index_dtype(out_type, "Shape", unless=dtypes.int32)
    if None in x.shape:
        return wrap(_core.stack([_core.astype(_core.extent_of(x, axis), dtype) for axis in _range(x.ndim)]))
    return wrap(_core.asarray(list(x.shape) or _core.zeros((0,)), dtype))


def shape_n(
    input: Sequence[ArrayLike], out_type: DTypeLike | None = dtypes.int32, name: str | None = None
) -> list[Tensor]:
    """The extents of each of several tensors of one dtype."""
    rows = _core.unstack(to_core(input)) if isinstance(input, TensorLike) else list(input)
    if not rows:
        raise InvalidArgumentError("ShapeN: at least one tensor is needed")
    return [shape(wrap(x), out_type) for x in same_dtype(rows, "ShapeN")]


def size(input: ArrayLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Number of elements, int32 unless out_type says int64."""
    x = _sized(input)
    dtype = _core.int32 if out_type is None else dtypes.core_dtype(out_type)
    if None in x.shape:
        return wrap(_core.astype(_core.prod(shape(input)._t), dtype))
    return wrap(_core.asarray(x.size, dtype))


def rank(input: ArrayLike, name: str | None = None) -> Tensor:
    """Number of axes."""
    return wrap(_core.asarray(_sized(input).ndim, _core.int32))


def bitcast(input: ArrayLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """The bits as another dtype. A smaller one makes a new last axis of the parts, a larger one takes that axis."""
    x, dtype = to_core(input), dtypes.as_dtype(type).core
    size, wanted = x.dtype.itemsize, dtype.itemsize
    if size == wanted:
        return wrap(_core.bitcast(x, dtype))
    if max(size, wanted) > 8 or x.dtype.is_complex or dtype.is_complex or "bool" in (x.dtype.name, dtype.name):
        raise _core.UnimplementedError(f"bitcast: from {x.dtype.name} to {dtype.name} is not supported")
    large, small = (getattr(_core, f"uint{8 * max(size, wanted)}"), getattr(_core, f"uint{8 * min(size, wanted)}"))
    parts, bits = large.itemsize // small.itemsize, 8 * small.itemsize
    shifts = _core.astype(_core.arange(parts) * bits, large)
    if size > wanted:
        words = _core.bitwise_right_shift(_core.expand_dims(_core.bitcast(x, large), -1), shifts)
        return wrap(_core.bitcast(_core.astype(words, small), dtype))
    if x.ndim == 0 or x.shape[-1] != parts:
        raise InvalidArgumentError(
            f"Bitcast: Cannot bitcast from {x.dtype.name} to {dtype.name}: the last axis of {tuple(x.shape)} must be {parts}"
        )
    words = _core.bitwise_left_shift(_core.astype(_core.bitcast(x, small), large), shifts)
    return wrap(_core.bitcast(_core.sum(words, -1, dtype=large), dtype))


def is_tensor(x: object) -> bool:
    """Whether it is a tf.Tensor or tf.Variable."""
    return isinstance(x, TensorLike)


def ensure_shape(x: ArrayLike, shape: Spec | None, name: str | None = None) -> Tensor:
    """x; InvalidArgumentError unless its shape fits."""
    x = convert_to_tensor(x)
    if shape is not None and not x.shape.is_compatible_with(shape):
        raise InvalidArgumentError(
            f"Shape of tensor {x.shape} is not compatible with expected shape {TensorShape(shape)}."
        )
    return x


def no_op(name: str | None = None) -> None:
    """Nothing."""
    return None


_all_in_graph(globals(), "broadcast_static_shape", "is_tensor", "no_op")

__all__ = [
    "identity",
    "identity_n",
    "guarantee_const",
    "stop_gradient",
    "zeros",
    "ones",
    "fill",
    "zeros_like",
    "ones_like",
    "eye",
    "reshape",
    "transpose",
    "expand_dims",
    "squeeze",
    "broadcast_to",
    "broadcast_static_shape",
    "broadcast_dynamic_shape",
    "reverse",
    "roll",
    "tile",
    "repeat",
    "pad",
    "stack",
    "parallel_stack",
    "unstack",
    "concat",
    "split",
    "meshgrid",
    "slice",
    "strided_slice",
    "shape",
    "shape_n",
    "size",
    "rank",
    "bitcast",
    "is_tensor",
    "ensure_shape",
    "no_op",
    # _gather
    "where",
    "boolean_mask",
    "gather",
    "gather_nd",
    "scatter_nd",
    "tensor_scatter_nd_update",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "one_hot",
    "sequence_mask",
    "reverse_sequence",
    "unravel_index",
    "dynamic_partition",
    "dynamic_stitch",
    # _norms
    "norm",
    "clip_by_norm",
    "global_norm",
    "clip_by_global_norm",
    # _space
    "space_to_batch",
    "space_to_batch_nd",
    "batch_to_space",
    "required_space_to_batch_paddings",
    "extract_volume_patches",
]
