"""Gathers, scatters, masks and choices of elements."""

from __future__ import annotations

import math as _math
import typing as _t
from builtins import slice as _slice

from .. import _core
from . import dtypes
from ._args import axis_of, integer, ints, of_ints, static
from ._convert import to_core
from ._linked import dense
from ._operators import operand
from ._tensor import TensorLike, wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig
    from ._signatures import ShapeLike
    from ._tensor import Tensor


_PLACES = (_core.int32, _core.int64, _core.int16)
_CLASSES = (_core.int32, _core.int64, _core.uint8, _core.int8)


def _indices(x, op, kinds=_PLACES):
    t = to_core(x)
    if t.size == 0 and op == "OneHot" and x.__class__ is list:
        t = _core.astype(t, _core.int64)
    if t.dtype not in kinds:
        raise _core.InvalidTypeError(f"{op}: indices must be {' or '.join(d.name for d in kinds)}, not {t.dtype.name}")
    return _core.astype(t, _core.int32) if t.dtype is _core.int16 else t


def where(
    condition: ArrayLike, x: ArrayLike | None = None, y: ArrayLike | None = None, name: str | None = None
) -> Tensor:
    """x where the condition is true, else y; all broadcast. Without x and y: the places where it is true, [n, rank]."""
    c = to_core(condition)
    if x is None and y is None:
        if c.ndim == 0:
            raise InvalidArgumentError("Where: the condition has no axes; places are those of a vector or more")
        c = c if c.dtype is _core.bool else _core.not_equal(c, 0)
        return wrap(_places(c))
    if x is None or y is None:
        raise ConversionError("where: x and y must both be non-None or both be None.")
    if c.dtype is not _core.bool:
        raise _core.InvalidTypeError(
            f"cannot compute SelectV2 as input #0(zero-based) was expected to be a bool tensor but is a {c.dtype.name} "
            "tensor [Op:SelectV2]; compare the condition with tf.not_equal(condition, 0)"
        )
    if isinstance(x, TensorLike) or not isinstance(y, TensorLike):
        a = to_core(x)
        b = operand(y, a.dtype, "SelectV2", weak=False)
    else:
        b = to_core(y)
        a = operand(x, b.dtype, "SelectV2", weak=False)
    return wrap(_core.where(c, a, b))


def _places(condition):
    known = _core._static_value(condition)
    if condition.symbolic and known is not None:
        return _core.reshape(_core.asarray(known.numpy().nonzero(), _core.int64), (condition.ndim, -1)).mT
    return _core.astype(_core.stack(list(_core.nonzero(condition)), axis=-1), _core.int64)


def boolean_mask(
    tensor: ArrayLike, mask: ArrayLike, axis: int | None = None, name: str | None = "boolean_mask"
) -> Tensor:
    """The slices where the mask is true. Eager only."""
    x, m = to_core(tensor), to_core(mask)
    first = 0 if axis is None else integer(axis)
    if m.ndim == 0:
        raise ConversionError("boolean_mask: mask cannot be scalar.")
    if first < 0 or tuple(x.shape)[first : first + m.ndim] != tuple(m.shape):
        raise ConversionError(
            f"boolean_mask: shapes of the tensor, {tuple(x.shape)} from axis {first} on, and of the mask, "
            f"{tuple(m.shape)}, are incompatible; the axis is not negative"
        )
    m = m if m.dtype is _core.bool else _core.not_equal(m, 0)
    return wrap(dense(x)[(_slice(None),) * first + (m,)])


def _batch_places(indices, batch):
    """Indices [..., k] with the places of the first `batch` axes put before: [..., batch + k]."""
    shape = tuple(indices.shape)
    places = []
    for axis in range(batch):
        place = _core.astype(_core.arange(shape[axis]), indices.dtype)
        place = _core.reshape(place, [shape[axis] if k == axis else 1 for k in range(len(shape))])
        places.append(_core.broadcast_to(place, shape[:-1] + (1,)))
    return _core.concat([*places, indices], axis=-1)


def _check_batch(op, x, i, batch):
    if tuple(x.shape)[:batch] != tuple(i.shape)[:batch]:
        raise InvalidArgumentError(
            f"{op}: the first {batch} extents of params {tuple(x.shape)} should be equal to those of indices {tuple(i.shape)}"
        )


def gather(
    params: ArrayLike,
    indices: ArrayLike,
    validate_indices: bool | None = None,
    axis: int | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Slices of params along axis at integer indices; of the same batch where the first batch_dims axes are batches.

    params [B..., M..., n, T...], indices [B..., I...] -> [B..., M..., I..., T...]. axis: batch_dims unless given.
    """
    x, i = to_core(params), _indices(indices, "GatherV2")
    if batch_dims.__class__ is int and batch_dims == 0 and axis is None and x.ndim:
        return wrap(_core.take(x, i, axis=0))
    batch = integer(batch_dims, "batch_dims")
    batch = batch + i.ndim if batch < 0 else batch
    if not 0 <= batch <= min(i.ndim, x.ndim - 1):
        raise InvalidArgumentError(
            f"GatherV2: batch_dims {batch_dims} and indices {tuple(i.shape)} need params of more axes than {tuple(x.shape)}"
        )
    place = axis_of(batch if axis is None else axis, x.ndim, "GatherV2")
    if batch == 0:
        return wrap(_core.take(x, i, axis=place))
    if place < batch:
        raise InvalidArgumentError(f"GatherV2: batch_dims ({batch}) must be less than or equal to axis ({place})")
    _check_batch("GatherV2", x, i, batch)
    out = _core.gather_nd(_core.moveaxis(x, place, batch), _batch_places(_core.expand_dims(i, -1), batch))
    middle, inner = place - batch, i.ndim - batch
    order = [*range(batch), *(batch + inner + k for k in range(middle)), *(batch + k for k in range(inner))]
    return wrap(_core.transpose(out, (*order, *range(len(order), out.ndim))))


def gather_nd(
    params: ArrayLike, indices: ArrayLike, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """params[indices[i, 0], ..., indices[i, k - 1]]; of the same batch where the first batch_dims axes are batches."""
    _no_policy(bad_indices_policy)
    x, i = to_core(params), _indices(indices, "GatherNd")
    batch = integer(batch_dims, "batch_dims")
    if not 0 <= batch < max(i.ndim, 1):
        raise ConversionError(f"gather_nd: batch_dims {batch} must be in [0, {i.ndim}), the rank of indices")
    if batch:
        _check_batch("GatherNd", x, i, batch)
        i = _batch_places(i, batch)
    return wrap(_core.gather_nd(x, i))


def _no_policy(policy):
    if not isinstance(policy, str):
        raise _core.InvalidTypeError(f"bad_indices_policy must be a text, not {policy!r}")
    if policy not in ("", "DEFAULT", "ERROR"):
        raise _core.UnimplementedError(
            f"bad_indices_policy {policy!r} is not supported: indices out of range are errors"
        )


def scatter_nd(
    indices: ArrayLike, updates: ArrayLike, shape: ShapeLike, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Zeros with the updates added at the indices."""
    _no_policy(bad_indices_policy)
    i, u = _indices(indices, "ScatterNd"), to_core(updates)
    if isinstance(shape, int):
        raise InvalidArgumentError(f"ScatterNd: shape must be a vector, got {shape}; write [{shape}]")
    extents = ints(shape)
    if 0 in extents and u.size:
        raise InvalidArgumentError(f"ScatterNd: Indices and updates specified for empty output shape {list(extents)}")
    if u.dtype is _core.bool:  # the sum of bools is whether one is true
        return wrap(_core.scatter_nd(i, _core.astype(u, _core.int32), extents) > 0)
    return wrap(_core.scatter_nd(i, u, extents))


def _scatter(mode, tensor, indices, updates, policy=""):
    _no_policy(policy)
    x = to_core(tensor)
    u = operand(updates, x.dtype, "TensorScatter", weak=False)
    return wrap(_core.tensor_scatter(x, _indices(indices, "TensorScatter"), u, mode))


def tensor_scatter_nd_update(
    tensor: ArrayLike, indices: ArrayLike, updates: ArrayLike, name: str | None = None
) -> Tensor:
    """The tensor with the updates written at the indices."""
    return _scatter("set", tensor, indices, updates)


def _tensor_scatter(mode, doc) -> _sig.TensorScatter:
    def op(
        tensor: ArrayLike, indices: ArrayLike, updates: ArrayLike, bad_indices_policy: str = "", name: str | None = None
    ) -> Tensor:
        if mode == "sub":
            mode_, updates = "add", -operand(updates, to_core(tensor).dtype, "TensorScatterSub", False)
            return _scatter(mode_, tensor, indices, updates, bad_indices_policy)
        return _scatter(mode, tensor, indices, updates, bad_indices_policy)

    op.__name__ = op.__qualname__ = f"tensor_scatter_nd_{mode}"
    op.__doc__ = doc
    return op


tensor_scatter_nd_add = _tensor_scatter("add", "The tensor with the updates added at the indices.")
tensor_scatter_nd_sub = _tensor_scatter("sub", "The tensor with the updates subtracted at the indices.")
tensor_scatter_nd_max = _tensor_scatter("max", "The tensor with the larger of element and update at the indices.")
tensor_scatter_nd_min = _tensor_scatter("min", "The tensor with the smaller of element and update at the indices.")


def one_hot(
    indices: ArrayLike,
    depth: int,
    on_value: ArrayLike | None = None,
    off_value: ArrayLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """1 (or on_value) at the index, 0 (or off_value) elsewhere, along a new axis of extent depth, the last unless given."""
    i = _indices(indices, "OneHot", _CLASSES)
    n = integer(depth, "depth")
    place = -1 if axis is None else integer(axis)
    if n < 0:
        raise InvalidArgumentError(f"OneHot: depth must be non-negative, got: {n}")
    if not -1 <= place <= i.ndim:
        raise InvalidArgumentError(
            f"OneHot: Expected axis to be -1 or between [0, {i.ndim + 1}). But received: {place}"
        )
    kind = _value_dtype(on_value, off_value, dtypes.core_dtype(dtype))
    if kind is _core.bool and (on_value is None or off_value is None):
        raise _core.InvalidTypeError("one_hot: on_value and off_value of dtype bool are True and False: give both")
    on, off = (v if v is None else _core.stop_gradient(to_core(v, kind)) for v in (on_value, off_value))
    i = i if i.dtype in _PLACES else _core.astype(i, _core.int32)
    return wrap(_core.one_hot(i, n, on, off, place, kind))


def _value_dtype(on, off, dtype):
    """The dtype of one_hot's values, which must be that of all that are given."""
    for what, value in (("on_value", on), ("off_value", off)):
        if value is None:
            continue
        given = to_core(value).dtype
        if dtype is not None and given is not dtype:
            raise _core.InvalidTypeError(
                f"one_hot: dtype {given.name} of {what} does not match {dtype.name}, the dtype parameter or that of on_value"
            )
        dtype = given
    return dtype or _core.float32


def sequence_mask(
    lengths: ArrayLike, maxlen: ArrayLike | None = None, dtype: DTypeLike = dtypes.bool, name: str | None = None
) -> Tensor:
    """[..., maxlen]: true (1) at the first lengths[...] places. maxlen: the largest length unless given."""
    n = to_core(lengths)
    none = maxlen is None and 0 in tuple(n.shape)
    most = _core.zeros((), dtype=n.dtype) if none else _core.max(n) if maxlen is None else to_core(maxlen)
    if most.ndim:
        raise ConversionError(f"sequence_mask: maxlen must be a scalar, got shape {tuple(most.shape)}")
    count = _math.ceil(static(most, "maxlen").item())
    if count < 0 and maxlen is not None:
        raise InvalidArgumentError(f"sequence_mask: maxlen must not be negative, got {count}")
    places = _core.astype(_core.arange(max(count, 0)), most.dtype)
    mask = _core.less(places, _core.expand_dims(_core.astype(n, most.dtype), -1))
    return wrap(mask if dtype is None else _core.astype(mask, dtypes.core_dtype(dtype)))


def reverse_sequence(
    input: ArrayLike,
    seq_lengths: ArrayLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The first seq_lengths[b] elements along seq_axis in the opposite order, for each b of batch_axis (0 unless given)."""
    x, lengths = to_core(input), of_ints(seq_lengths, "ReverseSequence", "seq_lengths")
    if seq_axis is None:
        raise ConversionError("reverse_sequence: give seq_axis")
    seq = axis_of(seq_axis, x.ndim, "ReverseSequence")
    batch = axis_of(0 if batch_axis is None else batch_axis, x.ndim, "ReverseSequence")
    if seq == batch:
        raise InvalidArgumentError(f"ReverseSequence: batch_dim == seq_dim == {seq}")
    if tuple(lengths.shape) != (x.shape[batch],):
        raise InvalidArgumentError(
            f"ReverseSequence: Length of seq_lengths {tuple(lengths.shape)} != input.dims({batch}), {x.shape[batch]}"
        )
    place, n = _core.astype(_core.arange(x.shape[seq]), lengths.dtype), _core.expand_dims(lengths, -1)
    source = _core.where(_core.less(place, n), n - 1 - place, place)  # past the end for lengths that are too large
    ordered = _core.moveaxis(x, (batch, seq), (0, 1))
    out = _core.gather_nd(ordered, _batch_places(_core.expand_dims(source, -1), 1))
    return wrap(_core.moveaxis(out, (0, 1), (batch, seq)))


def unravel_index(indices: ArrayLike, dims: ShapeLike, name: str | None = None) -> Tensor:
    """[rank, ...]: the places of row-major indices in an array of shape dims."""
    i, places, total = of_ints(indices, "UnravelIndex"), [], 1
    if i.ndim > 1 or isinstance(dims, int):
        raise InvalidArgumentError(
            f"UnravelIndex: indices are a scalar or a vector, dims a vector, got {tuple(i.shape)} and {dims!r}"
        )
    extents = ints(dims, "dims")
    if not extents:
        return wrap(_core.zeros((0, *i.shape), dtype=i.dtype))
    for n in extents:
        total *= n
    if total >= 2 ** (8 * i.dtype.itemsize - 1):
        raise InvalidArgumentError(
            f"UnravelIndex: Input dims product is causing integer overflow: {total} in {i.dtype.name}"
        )
    # The only index of one element is 0: others are found out of range, in compiled code too.
    outside = _core.logical_or(_core.less(i, 0), _core.greater_equal(i, total))
    i = i + _core.take(_core.astype(_core.arange(1), i.dtype), _core.astype(outside, _core.int32))
    for n in reversed(extents):
        places.append(i % n)
        i = i // n
    return wrap(_core.stack(places[::-1]))


def dynamic_partition(
    data: ArrayLike, partitions: ArrayLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """num_partitions tensors: slices of data where partitions is 0, 1, ... Eager only: the sizes depend on values."""
    x, p = to_core(data), of_ints(partitions, "DynamicPartition", "partitions")
    if tuple(x.shape)[: p.ndim] != tuple(p.shape):
        raise InvalidArgumentError(
            f"DynamicPartition: data.shape must start with partitions.shape, got {tuple(x.shape)} and {tuple(p.shape)}"
        )
    n = integer(num_partitions, "num_partitions")
    if not p.symbolic and p.size and not (0 <= int(_core.min(p)) and int(_core.max(p)) < n):
        raise InvalidArgumentError(f"DynamicPartition: partitions are not in [0, {n})")
    x = dense(x)
    return [wrap(x[_core.equal(p, k)]) if p.ndim else _scalar_part(x, p, k) for k in range(n)]


def _scalar_part(x, p, k):
    return wrap(_core.expand_dims(x, 0)[_core.equal(_core.reshape(p, (1,)), k)])


def dynamic_stitch(indices: Sequence[ArrayLike], data: Sequence[ArrayLike], name: str | None = None) -> Tensor:
    """Slices of data written at the indices, later ones over earlier ones; zeros where there is none.

    The indices are known when a function is traced. Gradient: dy at each index that was not written over.
    """
    if len(indices) != len(data):
        raise ConversionError(
            f"dynamic_stitch: {len(indices)} indices and {len(data)} tensors of data; give one for each"
        )
    if not data:
        raise ConversionError("dynamic_stitch: give at least one tensor")
    places = [of_ints(i, "DynamicStitch") for i in indices]
    first = to_core(data[0])
    tensors = [first] + [operand(x, first.dtype, "DynamicStitch", weak=False) for x in data[1:]]
    rest = tuple(first.shape)[places[0].ndim :]
    known = [_flat_ints(i) for i in places]
    rows = max((max(k) + 1 for k in known if k), default=0)
    if any(min(k) < 0 for k in known if k):
        raise InvalidArgumentError("DynamicStitch: indices must not be negative")
    for i, x in zip(places, tensors):
        if tuple(x.shape) != tuple(i.shape) + rest:
            raise InvalidArgumentError(
                f"DynamicStitch: data of shape {tuple(x.shape)} for indices {tuple(i.shape)}: {tuple(i.shape) + rest} is needed"
            )
    all_rows = _core.concat([_core.reshape(x, (-1, *rest)) for x in tensors], axis=0)
    where_from = {place: row for row, place in enumerate(k for each in known for k in each)}
    out = _core.zeros((rows, *rest), dtype=first.dtype)
    at = _core.asarray(list(where_from), _core.int64)
    return wrap(
        _core.scatter(out, at, _core.take(all_rows, _core.asarray(list(where_from.values())), axis=0), 0, "set")
    )


def _flat_ints(i):
    return ints(wrap(_core.reshape(i, (-1,))), "indices")


_all_in_graph(globals())
