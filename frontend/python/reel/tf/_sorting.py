"""Order and counting: largest elements, unique ones, places in sorted rows, histograms, confusion."""

from __future__ import annotations as _annotations

import typing as _t
from builtins import sorted as _sorted
from operator import lt as _lt

from .. import _core
from . import _dtypes
from ._args import axis_of as _axis_of
from ._args import extremes as _extremes
from ._args import index_dtype as _index_dtype
from ._args import integer as _integer
from ._args import of_ints as _of_ints
from ._args import static as _static
from ._convert import to_core as _to_core
from ._linked import dense as _dense
from ._operators import operand as _operand
from ._tensor import wrap as _wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError as _ConversionError
from .errors import InvalidArgumentError as _InvalidArgumentError

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor as _Tensor


def _named(kind, *names):
    return _t.NamedTuple(kind, [(n, _t.Any) for n in names])


TopKV2 = _named("TopKV2", "values", "indices")
Unique = _named("Unique", "y", "idx")
UniqueWithCounts = _named("UniqueWithCounts", "y", "idx", "count")


def sort(values: ArrayLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> _Tensor:
    """The elements in order along an axis. direction: ASCENDING or DESCENDING."""
    x = _to_core(values)
    if x.dtype.is_bool or x.dtype.is_complex:
        raise _core.InvalidTypeError(f"sort: real numbers are needed, not {x.dtype.name}")
    return _wrap(_core.sort(_dense(x), axis=_axis_of(axis, x.ndim, "sort"), descending=_descending(direction)))


def argsort(
    values: ArrayLike, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> _Tensor:
    """The int32 indices that sort along an axis; of equal elements the first comes first."""
    x = _to_core(values)
    order = _core.argsort(x, axis=_axis_of(axis, x.ndim, "argsort"), descending=_descending(direction))
    return _wrap(_core.astype(order, _core.int32))


def _descending(direction):
    if direction not in ("ASCENDING", "DESCENDING"):
        raise _ConversionError(f"sort: direction should be ASCENDING or DESCENDING, got {direction!r}")
    return direction == "DESCENDING"


def top_k(
    input: ArrayLike, k: int = 1, sorted: bool = True, index_type: DTypeLike = _dtypes.int32, name: str | None = None
) -> Any:
    """(values, indices) of the k largest elements along the last axis; of equal ones the first. They come in order."""
    x, count, out = (
        _to_core(input),
        _integer(k, "top_k: k"),
        _index_dtype(index_type, "top_k", (_core.int16,), _dtypes.int32),
    )
    if x.ndim < 1:
        raise _ConversionError(f"top_k: input must have at least one axis, got shape {tuple(x.shape)}")
    if x.dtype.is_bool or x.dtype.is_complex:
        raise _core.InvalidTypeError(f"top_k: real numbers are needed, not {x.dtype.name}; use tf.cast")
    if not 0 <= count <= x.shape[-1]:
        raise _InvalidArgumentError(f"top_k: input must have at least k columns: had {x.shape[-1]}, needed {count}")
    values, indices = _core.top_k(_dense(x), count)
    return TopKV2(_wrap(values), _wrap(_core.astype(indices, out)))


def in_top_k(targets: ArrayLike, predictions: ArrayLike, k: int, name: str | None = None) -> _Tensor:
    """Whether the class targets[i] is among the k largest of predictions[i]; equal ones at the border are. False for a
    target that is no class, or where the prediction is not finite."""
    p, t = _to_core(predictions), _of_ints(targets, "in_top_k", "targets")
    if p.ndim != 2 or t.ndim != 1:
        raise _InvalidArgumentError(
            f"in_top_k: predictions must have two axes and targets one, got {tuple(p.shape)} and {tuple(t.shape)}"
        )
    known = _core.logical_and(t >= 0, t < p.shape[1])
    at = _core.take_along_axis(p, _core.expand_dims(_core.where(known, t, 0), -1), -1)
    above = _core.sum(_core.greater(p, at), -1)
    finite = _core.logical_and(
        _core.all(_core.isfinite(at), -1), _core.all(_core.isfinite(_core.where(p > at, p, 0)), -1)
    )
    return _wrap(_core.logical_and(_core.logical_and(above < _integer(k, "in_top_k: k"), known), finite))


def unique(x: ArrayLike, out_idx: DTypeLike = _dtypes.int32, name: str | None = None) -> Any:
    """(y, idx): the different elements of a vector in the order in which they come, and where each element is in y."""
    y, index, _ = _unique(x, "unique")
    return Unique(_wrap(y), _wrap(_core.astype(index, _index_dtype(out_idx, "unique", unless=_dtypes.int32))))


def unique_with_counts(x: ArrayLike, out_idx: DTypeLike = _dtypes.int32, name: str | None = None) -> Any:
    """(y, idx, count): the same as unique, and how often each of them comes."""
    y, index, count = _unique(x, "unique_with_counts")
    out = _index_dtype(out_idx, "unique_with_counts", unless=_dtypes.int32)
    return UniqueWithCounts(_wrap(y), _wrap(_core.astype(index, out)), _wrap(_core.astype(count, out)))


def _unique(x, op):
    """How many different elements there are is a shape, so that a traced vector must be known."""
    t = _static(_to_core(x), op)
    if t.ndim != 1:
        raise _InvalidArgumentError(f"{op} expects a 1D vector, got shape {tuple(t.shape)}")
    places, first, index = {}, [], []
    for i, value in enumerate(t.tolist()):
        if value not in places:
            places[value] = len(first)
            first.append(i)
        index.append(places[value])
    index = _core.asarray(index, _core.int64) if index else _core.zeros((0,), dtype=_core.int64)
    if not first:
        return t, index, index
    return _core.take(t, _core.asarray(first), axis=0), index, _core.bincount(index, len(first))


def searchsorted(
    sorted_sequence: ArrayLike,
    values: ArrayLike,
    side: str = "left",
    out_type: DTypeLike = _dtypes.int32,
    name: str | None = None,
) -> _Tensor:
    """Where values belong in rows that are sorted along the last axis; leading axes are equal. side: left or right."""
    rows = _to_core(sorted_sequence)
    v, out = (
        _operand(values, rows.dtype, "searchsorted", weak=False),
        _index_dtype(out_type, "searchsorted", unless=_dtypes.int32),
    )
    if side not in ("left", "right"):
        raise _ConversionError(f"searchsorted: side must be 'left' or 'right', got {side!r}")
    if rows.ndim == 1:
        return _wrap(_core.astype(_core.searchsorted(rows, v, side=side), out))
    if rows.ndim == 0 or rows.shape[:-1] != v.shape[:-1]:
        raise _InvalidArgumentError(
            f"searchsorted: leading axes of {tuple(rows.shape)} and {tuple(v.shape)} must be the same"
        )
    a, b = _core.expand_dims(rows, -2), _core.expand_dims(v, -1)
    before = _core.less(a, b) if side == "left" else _core.less_equal(a, b)
    return _wrap(_core.astype(_core.count_nonzero(before, -1), out))


def histogram_fixed_width_bins(
    values: ArrayLike,
    value_range: ArrayLike,
    nbins: int = 100,
    dtype: DTypeLike = _dtypes.int32,
    name: str | None = None,
) -> _Tensor:
    """The bin, 0 to nbins - 1, of each value, of equal bins over a range; values outside go to the first or last one."""
    x = _to_core(values)
    ends = _operand(value_range, x.dtype, "histogram_fixed_width", weak=False)
    count, out = _integer(nbins, "nbins"), _index_dtype(dtype, "histogram_fixed_width", unless=_dtypes.int32)
    if count <= 0:
        raise _InvalidArgumentError(f"histogram_fixed_width: nbins should be a positive number, but got {count}")
    if tuple(ends.shape) != (2,):
        raise _InvalidArgumentError(
            f"histogram_fixed_width: value_range has two elements, not shape {tuple(ends.shape)}"
        )
    known = _core._static_value(ends)
    if known is not None and not _lt(*known.tolist()):
        raise _InvalidArgumentError(f"histogram_fixed_width: value_range must grow, got {known.tolist()}")
    x, ends = _core.astype(x, _core.float64), _core.astype(ends, _core.float64)
    places = _core.floor((x - ends[0]) / (ends[1] - ends[0]) * count)
    places = _core.clip(_core.where(_core.isnan(places), 0.0, places), 0, count - 1)
    return _wrap(_core.astype(places, out))


def histogram_fixed_width(
    values: ArrayLike,
    value_range: ArrayLike,
    nbins: int = 100,
    dtype: DTypeLike = _dtypes.int32,
    name: str | None = None,
) -> _Tensor:
    """How many values fall into each of nbins equal bins over a range; those outside count in the first or last one."""
    places = histogram_fixed_width_bins(values, value_range, nbins)._t
    counts = _core.bincount(_core.reshape(places, (-1,)), _integer(nbins, "nbins"))
    return _wrap(_core.astype(counts, _index_dtype(dtype, "histogram_fixed_width", unless=_dtypes.int32)))


def bincount(
    arr: ArrayLike,
    weights: ArrayLike | None = None,
    minlength: int | None = None,
    maxlength: int | None = None,
    dtype: DTypeLike = _dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> _Tensor:
    """How often 0, 1, ... occur, up to the largest number; or the sums of their weights, in their dtype.

    minlength, maxlength: of the result; numbers from maxlength on do not count. axis: None or 0 counts all, -1 each row
    of a matrix. binary_output: 1 for what occurs. In a tf.function the length must be known: give both lengths.
    """
    x = _to_core(arr)
    x = x if x.dtype.is_integer else _core.astype(_core.real(x) if x.dtype.is_complex else x, _core.int32)
    if axis not in (None, 0, -1):
        raise _ConversionError(f"bincount: unsupported value for argument axis={axis}: only 0 and -1 are")
    if axis == -1 and x.ndim > 2:
        raise _InvalidArgumentError(f"bincount: with axis=-1 arr has one or two axes, not {x.ndim}")
    if binary_output and weights is not None:
        raise _InvalidArgumentError("bincount: binary_output and weights are mutually exclusive")
    w = None if weights is None else _to_core(weights)
    if w is not None and w.shape != x.shape:
        raise _InvalidArgumentError(f"bincount: weights {tuple(w.shape)} must have the shape of arr {tuple(x.shape)}")
    length = _count(x, minlength, maxlength)
    rows = x.shape[0] if axis == -1 and x.ndim == 2 else 1
    inside = _core.logical_and(x >= 0, x < length)
    place = _core.where(inside, x, length)  # one more place for those that do not count
    if rows > 1:
        place = place + _core.astype(_core.reshape(_core.arange(rows), (rows, 1)), place.dtype) * (length + 1)
    place = _core.reshape(place, (-1,))
    out = w.dtype if w is not None else _dtypes.core_dtype(dtype)
    ones = _core.ones(place.shape, dtype=out) if w is None else _core.reshape(w, (-1,))
    counts = _core.segment_sum(ones, place, rows * (length + 1))
    counts = _core.reshape(counts, (rows, length + 1))[:, :length]
    if binary_output:
        counts = _core.astype(counts > 0, out)
    return _wrap(counts if axis == -1 and x.ndim == 2 else _core.reshape(counts, (length,)))


def _count(x, least, most):
    """The length of bincount's result."""
    smallest, largest = _extremes(x)
    if smallest is None and (
        most is None or least is None or _integer(least, "minlength") < _integer(most, "maxlength")
    ):
        raise _core.FailedPreconditionError(
            "bincount: how long the result is depends on what is traced; give the same minlength and maxlength"
        )
    if smallest is not None and smallest < 0:
        raise _InvalidArgumentError(f"bincount: Input arr must be non-negative! It has {smallest}")
    length = 0 if largest is None else largest + 1
    if least is not None:
        length = max(length, _integer(least, "minlength"))
    if most is not None:
        length = min(length, _integer(most, "maxlength"))
    if length < 0:
        raise _InvalidArgumentError(f"bincount: minlength and maxlength must not be negative, got {least} and {most}")
    return length


def confusion_matrix(
    labels: ArrayLike,
    predictions: ArrayLike,
    num_classes: int | None = None,
    weights: ArrayLike | None = None,
    dtype: DTypeLike = _dtypes.int32,
    name: str | None = None,
) -> _Tensor:
    """[class, predicted class]: how often the one was taken for the other, or sums of weights.

    num_classes: one more than the largest unless given. InvalidArgumentError for classes that are negative or too large.
    """
    a, b = _squeezed(_to_core(labels), _to_core(predictions))
    a, b = (_core.astype(t, _core.int64) for t in (a, b))
    known = [_extremes(t) for t in (a, b)]
    if num_classes is None:
        if (None, None) in known:
            raise _core.FailedPreconditionError("confusion_matrix: give num_classes: the labels are traced")
        count = max(largest for _, largest in known) + 1
        if not count:
            raise _InvalidArgumentError("confusion_matrix: there are no labels; give num_classes")
    else:
        count = _integer(num_classes, "num_classes")
    for what, (smallest, largest) in zip(("labels", "predictions"), known):
        if smallest is not None and (smallest < 0 or largest >= count):
            raise _InvalidArgumentError(f"confusion_matrix: `{what}` out of bound: all are from 0 to {count - 1}")
    out = _dtypes.core_dtype(dtype)
    w = _core.ones(a.shape, dtype=out) if weights is None else _core.astype(_to_core(weights), out)
    if w.shape != a.shape:
        raise _ConversionError(
            f"confusion_matrix: shapes {tuple(w.shape)} and {tuple(a.shape)} are incompatible (weights)"
        )
    return _wrap(_core.reshape(_core.segment_sum(w, a * count + b, count * count), (count, count)))


def _squeezed(a, b):
    """Labels and predictions, of which one may have an axis of one element more."""
    if a.ndim == b.ndim + 1 and a.shape[-1] == 1:
        a = _core.squeeze(a, axis=-1)
    elif b.ndim == a.ndim + 1 and b.shape[-1] == 1:
        b = _core.squeeze(b, axis=-1)
    if a.shape != b.shape or a.ndim != 1:
        raise _InvalidArgumentError(
            f"confusion_matrix: labels {tuple(a.shape)} and predictions {tuple(b.shape)} are two vectors of one length"
        )
    return a, b


def invert_permutation(x: ArrayLike, name: str | None = None) -> _Tensor:
    """y with y[x[i]] = i, of a vector of the numbers 0, 1, ... in some order."""
    p = _of_ints(x, "invert_permutation", "x")
    if p.ndim != 1:
        raise _InvalidArgumentError(f"invert_permutation expects a 1D vector, got shape {tuple(p.shape)}")
    n, known = p.shape[0], _core._static_value(p)
    if known is not None and _sorted(known.tolist()) != list(range(n)):
        raise _InvalidArgumentError(
            f"invert_permutation: the numbers 0 to {n - 1} are wanted once each, got {known.tolist()}"
        )
    return _wrap(_core.scatter(_core.zeros((n,), dtype=p.dtype), p, _core.astype(_core.arange(n), p.dtype)))


def _steps(x):
    t = _core.reshape(_to_core(x), (-1,))
    return t[1:], t[:-1]


def is_non_decreasing(x: ArrayLike, name: str | None = None) -> _Tensor:
    """Whether no element is smaller than the one before it, row-major."""
    return _wrap(_core.all(_core.greater_equal(*_steps(x))))


def is_strictly_increasing(x: ArrayLike, name: str | None = None) -> _Tensor:
    """Whether each element is larger than the one before it, row-major."""
    return _wrap(_core.all(_core.greater(*_steps(x))))


_all_in_graph(globals())
