"""keras.ops: making, joining and reshaping arrays."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _array, _dtypes
from ..._args import axes_or_none as _axes_or_none
from ..._args import axis_of as _axis_of
from ..._args import ints as _ints
from ..._tensor import wrap as _wrap
from ...errors import ConversionError as _ConversionError
from .._floatx import floatx as _floatx
from ._common import exported as _exported
from ._common import publish as _publish
from ._common import result_type as _result_type
from ._common import tensor as _tensor
from ._common import together as _together

if _t.TYPE_CHECKING:
    from typing import Any


def _dtype(dtype, default=None):
    return _dtypes.as_dtype(dtype or default or _floatx()).core


def array(x: Any, dtype: Any = None) -> Any:
    """A tensor of numbers, lists or arrays; a copy."""
    return _wrap(_core.asarray(_tensor(x, dtype)))


def convert_to_tensor(x: Any, dtype: Any = None, sparse: bool | None = None, ragged: bool | None = None) -> Any:
    """A tensor of numbers, lists, arrays or tensors, cast to a dtype."""
    if sparse or ragged:
        raise _core.UnimplementedError("convert_to_tensor: there are no sparse and no ragged tensors")
    return _wrap(_tensor(x, dtype))


def copy(x: Any) -> Any:
    """The same elements."""
    return _wrap(_tensor(x))


def cast(x: Any, dtype: Any) -> Any:
    """The elements converted to a dtype."""
    t = _tensor(x)
    kind = _dtype(dtype)
    return _wrap(_core.astype(_core.real(t) if t.dtype.is_complex and not kind.is_complex else t, kind))


def zeros(shape: Any, dtype: Any = None) -> Any:
    """Zeros of floatx, or of a dtype."""
    return _wrap(_core.zeros(_ints(shape), dtype=_dtype(dtype)))


def ones(shape: Any, dtype: Any = None) -> Any:
    """Ones of floatx, or of a dtype."""
    return _wrap(_core.ones(_ints(shape), dtype=_dtype(dtype)))


def empty(shape: Any, dtype: Any = None) -> Any:
    """Zeros."""
    return zeros(shape, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """One number everywhere, of floatx or of a dtype."""
    return _wrap(_core.broadcast_to(_tensor(fill_value, dtype or _floatx()), _ints(shape)))


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros in the shape of x."""
    t = _tensor(x)
    return _wrap(_core.zeros_like(t, dtype=_dtype(dtype, t.dtype.name)))


def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones in the shape of x."""
    t = _tensor(x)
    return _wrap(_core.ones_like(t, dtype=_dtype(dtype, t.dtype.name)))


def empty_like(x: Any, dtype: Any = None) -> Any:
    """Zeros in the shape of x."""
    return zeros_like(x, dtype)


def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """One number in the shape of x."""
    t = _tensor(x)
    return _wrap(_core.broadcast_to(_tensor(fill_value, dtype or t.dtype.name), t.shape))


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones on a diagonal, zeros elsewhere."""
    return _wrap(_core.eye(int(N), None if M is None else int(M), k=k, dtype=_dtype(dtype)))


def identity(n: int, dtype: Any = None) -> Any:
    """Ones on the diagonal, zeros elsewhere."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Ones at and below a diagonal."""
    return _wrap(_core.tril(_core.ones((int(N), int(N if M is None else M)), dtype=_dtype(dtype)), k=k))


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """start, start + step, ... below stop: int32 of integers, floatx of floats."""
    given = [x for x in (start, stop, step) if x is not None]
    kind = dtype or _result_type(*given)
    numbers = [x.numpy().item() if hasattr(x, "numpy") else x for x in (start, stop, 1 if step is None else step)]
    return _wrap(_core.arange(numbers[0], numbers[1], numbers[2], dtype=_dtype(kind)))


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:
    """num numbers at equal distances, along a new axis; retstep: with the distance."""
    kind = dtype or _result_type(start, stop, float)
    work = kind if str(_dtypes.as_dtype(kind).name).startswith(("float", "bfloat")) else _floatx()
    a, b = _tensor(start, work), _tensor(stop, work)
    parts = num - 1 if endpoint else num
    step = (b - a) / max(parts, 1)
    i = _core.reshape(_core.arange(0, num, 1, dtype=step.dtype), (num,) + (1,) * step.ndim)
    out = a + i * step
    if endpoint and num > 1:
        last = _core.reshape(_core.arange(0, num, 1, dtype=_core.int32) == num - 1, i.shape)
        out = _core.where(last, _core.broadcast_to(b, out.shape), out)
    out = _wrap(_core.astype(_core.moveaxis(out, 0, axis), _dtype(kind)))
    return (out, _wrap(step)) if retstep else out


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10, dtype: Any = None, axis: int = 0
) -> Any:
    """base to the powers of linspace."""
    powers = linspace(start, stop, num, endpoint, axis=axis)._t
    out = _core.pow(_tensor(base, powers.dtype.name), powers)
    return _wrap(out if dtype is None else _core.astype(out, _dtype(dtype)))


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    """num numbers with equal ratios."""
    a, b = (_tensor(x, _result_type(start, stop, float)) for x in (start, stop))
    sign = _core.sign(a)
    powers = linspace(_wrap(_core.log10(_core.abs(a))), _wrap(_core.log10(_core.abs(b))), num, endpoint, axis=axis)._t
    out = sign * _core.pow(_core.asarray(10.0, powers.dtype), powers)
    return _wrap(out if dtype is None else _core.astype(out, _dtype(dtype)))


def _cosines(x, *weights):
    """weights[0] + weights[1] cos(2 pi i / (n - 1)) + ..., for i of 0 to n - 1."""
    import math

    n = int(x)
    if n == 1:
        return _wrap(_core.ones((1,), dtype=_dtype(None)))
    i = _core.arange(0, n, 1, dtype=_dtype(None))
    return _wrap(
        sum((w * _core.cos(i * (2 * math.pi * k / (n - 1))) for k, w in enumerate(weights, 1)), 1 - _rest(weights))
    )


def _rest(weights):
    """What is missing so that the middle of a window is 1."""
    return sum(w * (-1) ** k for k, w in enumerate(weights, 1))


def bartlett(x: Any) -> Any:
    """A triangle of x numbers."""
    n = int(x)
    return _wrap(1 - _core.abs(_core.arange(0, n, 1, dtype=_dtype(None)) * (2 / max(n - 1, 1)) - 1 + (n == 1)))


def blackman(x: Any) -> Any:
    """The Blackman window of x numbers."""
    return _cosines(x, -0.5, 0.08)


def hamming(x: Any) -> Any:
    """The Hamming window of x numbers."""
    return _cosines(x, -0.46)


def hanning(x: Any) -> Any:
    """The Hann window of x numbers."""
    return _cosines(x, -0.5)


def reshape(x: Any, newshape: Any) -> Any:
    """The elements in another shape; -1 stands for one extent."""
    return _array.reshape(_wrap(_tensor(x)), newshape)


def ravel(x: Any) -> Any:
    """The elements in a row."""
    return _wrap(_core.reshape(_tensor(x), (-1,)))


def transpose(x: Any, axes: Any = None) -> Any:
    """The axes in another order, in reverse unless given."""
    t = _tensor(x)
    return _wrap(_core.permute_dims(t, tuple(reversed(range(t.ndim))) if axes is None else _ints(axes)))


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Two axes in each other's place."""
    return _wrap(_core.swapaxes(_tensor(x), axis1, axis2))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Axes in other places."""
    return _wrap(_core.moveaxis(_tensor(x), source, destination))


def expand_dims(x: Any, axis: Any) -> Any:
    """With new axes of one element."""
    t = _tensor(x)
    places = [axis] if isinstance(axis, int) else list(axis)
    rank = t.ndim + len(places)
    for a in sorted(_axis_of(p, rank, "expand_dims") for p in places):
        t = _core.expand_dims(t, axis=a)
    return _wrap(t)


def squeeze(x: Any, axis: Any = None) -> Any:
    """Without axes of one element."""
    return _array.squeeze(_wrap(_tensor(x)), axis)


def broadcast_to(x: Any, shape: Any) -> Any:
    """The elements repeated to a shape."""
    return _array.broadcast_to(_wrap(_tensor(x)), shape)


def flip(x: Any, axis: Any = None) -> Any:
    """The elements in reverse along axes, along all unless given."""
    return _wrap(_core.flip(_tensor(x), axis=_axes_or_none(axis)))


def fliplr(x: Any) -> Any:
    """In reverse along the second axis."""
    return flip(x, 1)


def flipud(x: Any) -> Any:
    """In reverse along the first axis."""
    return flip(x, 0)


def rot90(array: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Turned k times by a right angle, from the first of two axes to the second."""
    t = _tensor(array)
    first, second = (_axis_of(a, t.ndim, "rot90") for a in axes)
    if t.ndim < 2 or first == second:
        raise _ConversionError(f"Invalid axes: {axes}. Axes must be a tuple of two different dimensions.")
    k %= 4
    if k == 2:
        return _wrap(_core.flip(t, axis=(first, second)))
    if k % 2:
        t = _core.swapaxes(_core.flip(t, axis=second if k == 1 else first), first, second)
    return _wrap(t)


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved along axes; what goes out at the end comes in again."""
    return _wrap(_core.roll(_tensor(x), shift if isinstance(shift, int) else _ints(shift), axis=_axes_or_none(axis)))


def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each element so many times."""
    return _array.repeat(_wrap(_tensor(x)), repeats, axis)


def tile(x: Any, repeats: Any) -> Any:
    """The array so many times along each axis."""
    return _wrap(_core.tile(_tensor(x), (repeats,) if isinstance(repeats, int) else _ints(repeats)))


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Any:
    """With elements before and after those along each axis: of one number, 'reflect'ed or 'symmetric'."""
    t = _tensor(x)
    if constant_values is not None and mode != "constant":
        raise _ConversionError(
            f"Argument `constant_values` can only be provided when `mode == 'constant'`. Received: mode={mode}"
        )
    pairs = _pairs(pad_width, t.ndim)
    return _array.pad(_wrap(t), pairs, mode.upper(), 0 if constant_values is None else constant_values)


def _pairs(widths, rank):
    if isinstance(widths, int):
        return [(widths, widths)] * rank
    rows = [tuple(w) if isinstance(w, (list, tuple)) else w for w in widths]
    if all(isinstance(w, int) for w in rows):
        rows = [tuple(rows) if len(rows) == 2 else (rows[0], rows[0])]
    return rows * rank if len(rows) == 1 else rows


def concatenate(xs: Any, axis: int | None = 0) -> Any:
    """Arrays one after the other along an axis."""
    return _wrap(_core.concat(_together(*xs), axis=axis))


def append(x1: Any, x2: Any, axis: int | None = None) -> Any:
    """x2 after x1 along an axis; both in a row unless it is given."""
    parts = _together(x1, x2)
    return _wrap(_core.concat([_core.reshape(p, (-1,)) for p in parts] if axis is None else parts, axis=axis or 0))


def stack(x: Any, axis: int = 0) -> Any:
    """Arrays along a new axis."""
    return _wrap(_core.stack(_together(*x), axis=axis))


def unstack(x: Any, num: int | None = None, axis: int = 0) -> Any:
    """The parts along an axis, a list."""
    return [_wrap(p) for p in _core.unstack(_tensor(x), axis=axis)]


def _at_least(t, rank):
    if t.ndim == 0:
        t = _core.reshape(t, (1,))
    if rank >= 2 and t.ndim == 1:
        t = _core.expand_dims(t, axis=0)
    return _core.expand_dims(t, axis=-1) if rank == 3 and t.ndim == 2 else t


def hstack(xs: Any) -> Any:
    """Arrays side by side: along the second axis, vectors along the first."""
    parts = [_at_least(t, 1) for t in _together(*xs)]
    return _wrap(_core.concat(parts, axis=0 if parts[0].ndim == 1 else 1))


def vstack(xs: Any) -> Any:
    """Arrays one below the other; vectors are rows."""
    return _wrap(_core.concat([_at_least(t, 2) for t in _together(*xs)], axis=0))


def dstack(xs: Any) -> Any:
    """Arrays along the third axis."""
    return _wrap(_core.concat([_at_least(t, 3) for t in _together(*xs)], axis=2))


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Equal parts, or the parts between indices, a list."""
    t = _tensor(x)
    if isinstance(indices_or_sections, int):
        return [_wrap(p) for p in _core.split(t, indices_or_sections, axis=axis)]
    ends = [0, *(min(i, t.shape[axis]) for i in _ints(indices_or_sections)), t.shape[axis]]
    return [_wrap(p) for p in _core.split(t, [max(b - a, 0) for a, b in zip(ends, ends[1:])], axis=axis)]


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """split; the first parts are larger by one where they cannot be equal."""
    if not isinstance(indices_or_sections, int):
        return split(x, indices_or_sections, axis)
    size, more = divmod(_tensor(x).shape[axis], indices_or_sections)
    lengths = [size + (i < more) for i in range(indices_or_sections)]
    return split(x, [sum(lengths[: i + 1]) for i in range(indices_or_sections - 1)], axis)


def hsplit(x: Any, indices_or_sections: Any) -> Any:
    """split along the second axis; of a vector along the first."""
    return split(x, indices_or_sections, 0 if _tensor(x).ndim == 1 else 1)


def vsplit(x: Any, indices_or_sections: Any) -> Any:
    """split along the first axis."""
    return split(x, indices_or_sections, 0)


def dsplit(x: Any, indices_or_sections: Any) -> Any:
    """split along the third axis."""
    return split(x, indices_or_sections, 2)


def meshgrid(*x: Any, indexing: str = "xy") -> Any:
    """Coordinates of a grid, of vectors: a list."""
    return [_wrap(p) for p in _core.meshgrid(*map(_tensor, x), indexing=indexing)]


def tril(x: Any, k: int = 0) -> Any:
    """Zeros above a diagonal."""
    return _wrap(_core.tril(_tensor(x), k=k))


def triu(x: Any, k: int = 0) -> Any:
    """Zeros below a diagonal."""
    return _wrap(_core.triu(_tensor(x), k=k))


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The powers of a vector as columns, falling unless `increasing`."""
    t = _tensor(x)
    n = t.shape[0] if N is None else N
    powers = _core.arange(0, n, 1, dtype=t.dtype)
    out = _core.pow(_core.expand_dims(t, axis=1), powers if increasing else _core.flip(powers, axis=0))
    return _wrap(out)


def shape(x: Any) -> Any:
    """The extents, a tuple."""
    return tuple(x.shape) if hasattr(x, "shape") else tuple(_tensor(x).shape)


def size(x: Any) -> Any:
    """The number of elements, an int32 scalar."""
    return _wrap(_core.asarray(_tensor(x).size, _core.int32))


def ndim(x: Any) -> Any:
    """The number of axes."""
    return len(x.shape) if hasattr(x, "shape") else _tensor(x).ndim


def view_as_complex(x: Any) -> Any:
    """Pairs along the last axis as complex numbers."""
    t = _tensor(x)
    return _wrap(_core.complex(t[..., 0], t[..., 1]))


def view_as_real(x: Any) -> Any:
    """Complex numbers as pairs along a new last axis."""
    t = _tensor(x)
    return _wrap(_core.stack([_core.real(t), _core.imag(t)], axis=-1))


def view(x: Any, dtype: Any = None) -> Any:
    """The same bits as another dtype of the same size."""
    return _wrap(_tensor(x)) if dtype is None else _array.bitcast(_wrap(_tensor(x)), dtype)


def get_item(x: Any, key: Any) -> Any:
    """x[key]."""
    return x[key]


_publish(globals(), "shape", "ndim")
__all__ = _exported(globals())
