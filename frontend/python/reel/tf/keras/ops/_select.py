"""keras.ops: elements by place and by order: indexing, sorting, counting, quantiles and products of arrays."""

from __future__ import annotations as _annotations

import builtins as _builtins
import typing as _t

from .... import _core
from ... import _array, _dtypes, _gather, _numpy_rules, _sorting
from ..._args import axes_or_none as _axes_or_none
from ..._args import ints as _ints
from ..._tensor import wrap as _wrap
from ...errors import ConversionError as _ConversionError
from .._floatx import floatx as _floatx
from ._common import as_kind as _as_kind
from ._common import exported as _exported
from ._common import publish as _publish
from ._common import tensor as _tensor
from ._common import together as _together

if _t.TYPE_CHECKING:
    from typing import Any


def _extreme(name, x, axis, keepdims, initial):
    t, axes = _tensor(x), _axes_or_none(axis)
    if initial is None:
        return _wrap(getattr(_core, name)(t, axis=axes, keepdims=keepdims))
    low = _tensor(initial, t.dtype.name)
    if t.size == 0:
        return _wrap(low)
    found = getattr(_core, name)(t, axis=axes, keepdims=keepdims)
    return _wrap((_core.maximum if name == "max" else _core.minimum)(found, low))


def max(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """The largest along axes, and not less than `initial`."""
    return _extreme("max", x, axis, keepdims, initial)


def min(x: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """The smallest along axes, and not more than `initial`."""
    return _extreme("min", x, axis, keepdims, initial)


def prod(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """The product along axes, of all elements unless given."""
    t = _as_kind(x, "wide") if dtype is None else _tensor(x, dtype)
    return _wrap(_core.prod(t, axis=_axes_or_none(axis), keepdims=keepdims, dtype=t.dtype))


def _running(x, axis, dtype, f, nans=None):
    t = _tensor(x, dtype)
    if t.dtype.is_bool:
        t = _core.astype(t, _core.int32)
    if nans is not None and t.dtype.is_floating:
        t = _core.where(_core.not_equal(t, t), _core.full_like(t, nans), t)
    if axis is None:
        t, axis = _core.reshape(t, (-1,)), 0
    return _wrap(f(t, axis=axis, dtype=t.dtype))


def cumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Sums of all elements up to each, along an axis or in a row."""
    return _running(x, axis, dtype, _core.cumulative_sum)


def cumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Products of all elements up to each, along an axis or in a row."""
    return _running(x, axis, dtype, _core.cumulative_prod)


def nancumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """cumsum with NaN as 0."""
    return _running(x, axis, dtype, _core.cumulative_sum, 0)


def nancumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """cumprod with NaN as 1."""
    return _running(x, axis, dtype, _core.cumulative_prod, 1)


def _place(x, axis, keepdims, f):
    t = _tensor(x)
    if t.dtype.is_bool:
        t = _core.astype(t, _core.int32)
    if axis is None:
        out = f(_core.reshape(t, (-1,)), axis=0)
        return _wrap(_core.astype(_core.reshape(out, (1,) * t.ndim) if keepdims else out, _core.int32))
    return _wrap(_core.astype(f(t, axis=axis, keepdims=keepdims), _core.int32))


def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The place of the largest, int32: along an axis, or in the row of all elements."""
    return _place(x, axis, keepdims, _core.argmax)


def argmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The place of the smallest, int32."""
    return _place(x, axis, keepdims, _core.argmin)


def _nanplace(x, axis, keepdims, f, worst):
    t = _as_kind(x, "float")
    nan = _core.not_equal(t, t)
    found = _place(_wrap(_core.where(nan, _core.full_like(t, worst), t)), axis, keepdims, f)._t
    none = _core.all(nan, axis=axis, keepdims=keepdims)
    return _wrap(_core.where(none, _core.full_like(found, -1), found))


def nanargmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """argmax without NaN; -1 where all are."""
    return _nanplace(x, axis, keepdims, _core.argmax, float("-inf"))


def nanargmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """argmin without NaN; -1 where all are."""
    return _nanplace(x, axis, keepdims, _core.argmin, float("inf"))


def count_nonzero(x: Any, axis: Any = None) -> Any:
    """How many are not zero, int32."""
    return _wrap(
        _core.sum(
            _core.astype(_numpy_rules.truth(_tensor(x)), _core.int32), axis=_axes_or_none(axis), dtype=_core.int32
        )
    )


def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """The mean along axes, with weights."""
    t = _as_kind(x, "float")
    axes = _axes_or_none(axis)
    if weights is None:
        return _wrap(_core.mean(t, axis=axes))
    t, w = _together(_wrap(t), weights, kind="float")
    if w.ndim == 1 and t.ndim > 1:
        w = _core.reshape(w, tuple(n if a == axes % t.ndim else 1 for a, n in _builtins.enumerate(t.shape)))
    w = _core.broadcast_to(w, t.shape)
    return _wrap(_core.sum(t * w, axis=axes) / _core.sum(w, axis=axes))


def sort(x: Any, axis: int = -1) -> Any:
    """The elements along an axis, rising."""
    return _by_order(x, axis, _core.sort)


def argsort(x: Any, axis: int = -1) -> Any:
    """The places of the elements along an axis in rising order, int32."""
    return _wrap(_core.astype(_by_order(x, axis, _core.argsort)._t, _core.int32))


def _by_order(x, axis, f):
    t = _tensor(x)
    if axis is None:
        t, axis = _core.reshape(t, (-1,)), 0
    if not t.dtype.is_bool:
        return _wrap(f(t, axis=axis))
    out = f(_core.astype(t, _core.int32), axis=axis)
    return _wrap(_core.astype(out, _core.bool) if f is _core.sort else out)


def top_k(x: Any, k: int, sorted: bool = True) -> Any:
    """(values, indices) of the k largest along the last axis."""
    return _sorting.top_k(_wrap(_tensor(x)), k, sorted)


def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    """Whether the class of each row is among its k best."""
    return _sorting.in_top_k(_wrap(_tensor(targets)), _wrap(_tensor(predictions)), k)


def searchsorted(sorted_sequence: Any, values: Any, side: str = "left") -> Any:
    """Where values would go into a rising vector, int32."""
    t, v = _together(sorted_sequence, values)
    if t.ndim != 1:
        raise _ConversionError(f"`searchsorted` only supports 1-D sorted sequences. You can use `keras.ops.vectorized_map` to extend it to N-D sequences. Received: sorted_sequence.shape={tuple(t.shape)}")  # fmt: skip
    return _wrap(_core.astype(_core.searchsorted(t, v, side=side), _core.int32))


def digitize(x: Any, bins: Any) -> Any:
    """The number of bins that begin at or below each element, int32."""
    t, b = _together(x, bins)
    return _wrap(_core.astype(_core.searchsorted(b, t, side="right"), _core.int32))


def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    """How often each of 0, 1, ... is there, or the sum of its weights; of each row of a matrix."""
    if sparse:
        raise _core.UnimplementedError("bincount: there are no sparse tensors; leave out sparse")
    t = _wrap(_tensor(x))
    given = None if weights is None else _wrap(_tensor(weights))
    return _sorting.bincount(t, given, minlength=minlength, axis=-1 if len(t.shape) > 1 else 0)


def histogram(x: Any, bins: int = 10, range: Any = None) -> Any:
    """(counts, edges) of equal bins between the smallest and the largest, or in a range."""
    t = _as_kind(x, "float")
    low, high = (_core.min(t), _core.max(t)) if range is None else (_tensor(r, t.dtype.name) for r in range)
    edges = low + _core.arange(0, bins + 1, 1, dtype=t.dtype) * ((high - low) / bins)
    flat = _core.reshape(t, (-1,))
    place = _core.clip(_core.searchsorted(edges, flat, side="right") - 1, 0, bins - 1)
    inside = _core.logical_and(flat >= low, flat <= high)
    counts = _core.bincount(place, bins, weights=_core.astype(inside, t.dtype))
    return _wrap(_core.astype(counts, _core.int32)), _wrap(edges)


def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """The elements of these places along an axis, or of all in a row; negative ones count from the end."""
    t, i = _tensor(x), _tensor(indices)
    if axis is None:
        t, axis = _core.reshape(t, (-1,)), 0
    return _wrap(_core.take(t, _core.where(i < 0, i + t.shape[axis], i), axis=axis))


def take_along_axis(x: Any, indices: Any, axis: int | None = None) -> Any:
    """The elements whose places along an axis stand in an array of as many axes."""
    t, i = _tensor(x), _tensor(indices)
    if axis is None:
        t, i, axis = _core.reshape(t, (-1,)), _core.reshape(i, (-1,)), 0
    return _wrap(_core.take_along_axis(t, _core.where(i < 0, i + t.shape[axis], i), axis=axis))


def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """x1 where the condition holds, else x2; without them the places where it does."""
    c = _numpy_rules.truth(_tensor(condition))
    if x1 is None and x2 is None:
        return nonzero(_wrap(c))
    if x1 is None or x2 is None:
        raise _ConversionError("`x1` and `x2` either both should be `None` or both should have non-None value.")
    a, b = _together(x1, x2)
    return _wrap(_core.where(c, a, b))


def nonzero(x: Any) -> Any:
    """The places of elements that are not zero: a list of int32 vectors, one for each axis."""
    return [_wrap(_core.astype(i, _core.int32)) for i in _core.nonzero(_tensor(x))]


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Of the first condition that holds the choice, else the default."""
    *choices, out = _together(*choicelist, default)
    for c, choice in _builtins.reversed(_builtins.list(_builtins.zip(condlist, choices))):
        out = _core.where(_numpy_rules.truth(_tensor(c)), choice, out)
    return _wrap(out)


def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Elements within [x_min, x_max]."""
    t = _tensor(x)
    if t.dtype.is_bool:
        t = _core.astype(t, _core.int32)
    return _wrap(_core.clip(t, _tensor(x_min, t.dtype.name), _tensor(x_max, t.dtype.name)))


def nan_to_num(x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Any:
    """NaN and infinities as numbers: 0 and the largest of the dtype unless given."""
    t = _tensor(x)
    if not t.dtype.is_floating:
        return _wrap(t)
    limits = _dtypes.BY_CORE[t.dtype]
    t = _core.where(_core.not_equal(t, t), _core.full_like(t, nan), t)
    high = limits.max if posinf is None else posinf
    low = limits.min if neginf is None else neginf
    t = _core.where(_core.logical_and(_core.isinf(t), t > 0), _core.full_like(t, float(high)), t)
    return _wrap(_core.where(_core.logical_and(_core.isinf(t), t < 0), _core.full_like(t, float(low)), t))


def round(x: Any, decimals: int = 0) -> Any:
    """The nearest number of so many decimals; a half to the even one."""
    t = _tensor(x)
    if t.dtype.kind in "iu" and decimals >= 0:
        return _wrap(t)
    if decimals == 0:
        return _wrap(_core.round(t))
    work = _core.astype(t, _dtypes.as_dtype(_floatx()).core) if t.dtype.kind in "iu" else t
    return _wrap(_core.astype(_core.round(work * 10.0**decimals) / 10.0**decimals, t.dtype))


def isclose(x1: Any, x2: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether |x1 - x2| <= atol + rtol |x2|."""
    a, b = _together(x1, x2, kind="float")
    near = _core.logical_and(_core.abs(a - b) <= atol + rtol * _core.abs(b), _core.isfinite(b))
    near = _core.logical_or(near, _core.equal(a, b))
    both = _core.logical_and(_core.not_equal(a, a), _core.not_equal(b, b))
    return _wrap(_core.logical_or(near, both) if equal_nan else near)


def allclose(x1: Any, x2: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether isclose holds everywhere."""
    return _wrap(_core.all(isclose(x1, x2, rtol, atol, equal_nan)._t))


def isin(x1: Any, x2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Whether elements of x1 are in x2."""
    found = _core.isin(*_together(x1, x2))
    return _wrap(_core.logical_not(found) if invert else found)


def _along(t, axis, start, count):
    """So many elements of an axis from one on."""
    key = [_builtins.slice(None)] * t.ndim
    key[axis] = _builtins.slice(start, start + count)
    return t[_builtins.tuple(key)]


def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Differences of neighbours along an axis, n times."""
    t = _tensor(a)
    for _ in _builtins.range(n):
        length = t.shape[axis]
        high, low = (_along(t, axis, start, length - 1) for start in (1, 0))
        t = _core.not_equal(high, low) if t.dtype.is_bool else high - low
    return _wrap(t)


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """The integral along an axis by trapezoids."""
    t = _as_kind(y, "float")
    step = _core.asarray(float(dx), t.dtype) if x is None else diff(_wrap(_tensor(x, t.dtype.name)), axis=-1)._t
    rows = _core.moveaxis(t, axis, -1)
    return _wrap(_core.sum(step * (rows[..., 1:] + rows[..., :-1]) * 0.5, axis=-1))


def _at_quantile(t, q, axis, keepdims, method):
    """Quantiles q of the elements along an axis; those of q stand first."""
    axes = _builtins.tuple(_builtins.range(t.ndim)) if axis is None else _ints(axis)
    axes = _builtins.tuple(a % t.ndim for a in axes)
    rest = [a for a in _builtins.range(t.ndim) if a not in axes]
    rows = _core.reshape(_core.permute_dims(t, (*rest, *axes)), (*[t.shape[a] for a in rest], -1))
    rows, n = _core.sort(rows, axis=-1), rows.shape[-1]
    place = q * (n - 1)
    low, high = _core.floor(place), _core.ceil(place)
    if method == "nearest":
        low = high = _core.round(place)
    elif method in ("lower", "higher"):
        low = high = low if method == "lower" else high
    elif method not in ("linear", "midpoint"):
        raise _ConversionError(f"quantile: method must be linear, lower, higher, midpoint or nearest, not {method!r}")
    below, above = (_core.take(rows, _core.astype(i, _core.int32), axis=-1) for i in (low, high))
    share = _core.full_like(place, 0.5) if method == "midpoint" else place - low
    out = below + (above - below) * share
    if q.ndim:
        out = _core.moveaxis(out, -1, 0)
    if keepdims:
        kept = _builtins.tuple(1 if a in axes else n for a, n in _builtins.enumerate(t.shape))
        out = _core.reshape(out, (q.shape if q.ndim else ()) + kept)
    return _wrap(_core.where(_core.any(_core.not_equal(t, t)), _core.full_like(out, float("nan")), out))


def quantile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """The number below which a share q of the elements along axes is."""
    t = _as_kind(x, "float")
    return _at_quantile(t, _tensor(q, t.dtype.name), axis, keepdims, method)


def percentile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """quantile of q hundredths."""
    t = _as_kind(x, "float")
    return _at_quantile(t, _tensor(q, t.dtype.name) / 100, axis, keepdims, method)


def median(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """quantile of 0.5."""
    return quantile(x, 0.5, axis, "midpoint", keepdims)


def unravel_index(indices: Any, shape: Any) -> Any:
    """The places in a shape of numbers in a row: a list, one for each axis."""
    i = _tensor(indices)
    out = []
    for n in _builtins.reversed(_ints(shape)):
        out.append(_wrap(_core.remainder(i, n)))
        i = _core.floor_divide(i, n)
    return out[::-1]


def one_hot(x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False) -> Any:
    """Class numbers as rows of zeros with a one."""
    if sparse:
        raise _core.UnimplementedError("one_hot: there are no sparse tensors; leave out sparse")
    return _gather.one_hot(_wrap(_tensor(x)), num_classes, axis=axis, dtype=dtype or _floatx())


_publish(globals())
__all__ = _exported(globals())
