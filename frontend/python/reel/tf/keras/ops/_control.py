"""keras.ops: loops and branches, segments and scatters, Fourier transforms, and what keeps gradients away."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _array, _gather, _segments, _sorting, nest
from ... import _control as _loops
from ... import math as _math
from ... import signal as _signal
from ..._args import ints as _ints
from ..._convert import saturate_cast as _saturate_cast
from ..._custom import custom_gradient as custom_gradient
from ..._custom import vectorized_map as vectorized_map
from ..._tensor import TensorLike as _TensorLike
from ..._tensor import wrap as _wrap
from ...errors import ConversionError as _ConversionError
from .._variable import Variable as _Variable
from ._common import as_kind as _as_kind
from ._common import exported as _exported
from ._common import publish as _publish
from ._common import tensor as _tensor
from ._common import together as _together

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def is_tensor(x: Any) -> bool:
    """Whether it is a tensor."""
    return isinstance(x, _TensorLike) and not isinstance(x, _Variable)


def dtype(x: Any) -> str:
    """The name of the dtype."""
    return getattr(x.dtype, "name", str(x.dtype)) if hasattr(x, "dtype") else _tensor(x).dtype.name


def convert_to_numpy(x: Any) -> Any:
    """A NumPy array of a tensor that has values."""
    import numpy

    return numpy.asarray(x.numpy() if hasattr(x, "numpy") else x)


def stop_gradient(variable: Any) -> Any:
    """The same elements without a gradient."""
    return _array.stop_gradient(_wrap(_tensor(variable)))


def saturate_cast(x: Any, dtype: Any) -> Any:
    """cast, with numbers that the dtype does not hold made its smallest or largest one."""
    return _saturate_cast(_wrap(_tensor(x)), dtype)


def slice(inputs: Any, start_indices: Any, shape: Any) -> Any:
    """The part of this shape that begins at start_indices."""
    return _array.slice(_wrap(_tensor(inputs)), start_indices, shape)


def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    """The inputs with updates from start_indices on."""
    x, u = _together(inputs, updates)
    starts = _ints(start_indices, "start_indices")
    rows = _core.meshgrid(
        *(_core.arange(s, s + n, 1, dtype=_core.int32) for s, n in zip(starts, u.shape)), indexing="ij"
    )
    places = _core.stack([_core.reshape(r, (-1,)) for r in rows], axis=-1)
    return _wrap(_core.tensor_scatter(x, places, _core.reshape(u, (-1,)), "set"))


def scatter(indices: Any, values: Any, shape: Any) -> Any:
    """Zeros of a shape with values added at places."""
    return _gather.scatter_nd(_wrap(_tensor(indices)), _wrap(_tensor(values)), shape)


def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: str | None = None) -> Any:
    """The inputs with updates at places: set, or 'add'ed, 'max', 'min', 'mul'tiplied."""
    if reduction not in (None, "add", "max", "min", "mul"):
        raise _ConversionError(f"Invalid reduction: {reduction}. Supported: None, 'add', 'max', 'min', 'mul'.")
    x, u = _together(inputs, updates)
    if reduction == "mul":
        factors = _core.ones_like(x)
        for row, one in zip(_core.unstack(_tensor(indices)), _core.unstack(u)):
            row = _core.expand_dims(row, axis=0)
            old = _core.gather_nd(factors, row)
            factors = _core.tensor_scatter(factors, row, old * _core.expand_dims(one, axis=0), "set")
        return _wrap(x * factors)
    return _wrap(_core.tensor_scatter(x, _tensor(indices), u, reduction or "set"))


# --- loops and branches ---


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """true_fn() if pred is true, else false_fn()."""
    if isinstance(pred, _Variable):
        pred = pred.value()
    return (true_fn() if pred else false_fn()) if isinstance(pred, bool) else _loops.cond(pred, true_fn, false_fn)


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """branches[index](*operands), the index within bounds."""
    i = _core.clip(
        _tensor(index, "int32"), _core.asarray(0, _core.int32), _core.asarray(len(branches) - 1, _core.int32)
    )
    return _loops.switch_case(_wrap(i), [lambda f=f: f(*operands) for f in branches])


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum_iterations: int | None = None
) -> Any:
    """loop_vars = body(*loop_vars) while cond(*loop_vars) holds; loop_vars may be one value."""
    many = isinstance(loop_vars, (tuple, list))

    def step(*values):
        out = body(*values)
        return tuple(out) if many and isinstance(out, (tuple, list)) else (out,)

    start = tuple(loop_vars) if many else (loop_vars,)
    start = nest.map_structure(lambda x: _wrap(_tensor(x)), start)
    out = _loops.while_loop(cond, step, start, maximum_iterations=maximum_iterations)
    return tuple(out) if many else out[0]


def fori_loop(lower: Any, upper: Any, body_fun: Callable[..., Any], init_val: Any) -> Any:
    """value = body_fun(i, value) for i from lower up to upper."""
    end = _wrap(_tensor(upper))
    many = isinstance(init_val, (tuple, list, dict))

    def step(i, value):
        return i + 1, body_fun(i, value)

    start = nest.map_structure(lambda x: _wrap(_tensor(x)), init_val) if many else _wrap(_tensor(init_val))
    return while_loop(lambda i, value: i < end, step, (_wrap(_tensor(lower)), start))[1]


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """f of each row, stacked."""

    def rows(x):
        return _wrap(_tensor(x))

    given = nest.map_structure(rows, xs)
    parts = [f(nest.map_structure(lambda x, i=i: x[i], given)) for i in range(nest.flatten(given)[0].shape[0])]
    return nest.map_structure(lambda *each: _wrap(_core.stack([_tensor(x) for x in each])), *parts)


def scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: Any = 1,
) -> Any:
    """(the last carry, the stacked outputs) of carry, y = f(carry, x) for each row x of xs."""
    if xs is None and length is None:
        raise _ConversionError("Got no `xs` to scan over and `length` not provided.")
    given = None if xs is None else nest.map_structure(lambda x: _wrap(_tensor(x)), xs)
    count = int(length) if xs is None else nest.flatten(given)[0].shape[0]
    carry, outputs = nest.map_structure(lambda x: _wrap(_tensor(x)), init), []
    for i in reversed(range(count)) if reverse else range(count):
        carry, y = f(carry, None if given is None else nest.map_structure(lambda x, i=i: x[i], given))
        outputs.append(y)
    if reverse:
        outputs.reverse()
    if not outputs or outputs[0] is None:
        return carry, None
    return carry, nest.map_structure(lambda *each: _wrap(_core.stack([_tensor(x) for x in each])), *outputs)


# --- segments and transforms ---


def _segments_of(name, doc):
    of_sorted = getattr(_segments, f"segment_{name}")
    of_any = getattr(_segments, f"unsorted_segment_{name}")

    def op(data: Any, segment_ids: Any, num_segments: int | None = None, sorted: bool = False) -> Any:
        x, i = _wrap(_tensor(data)), _wrap(_tensor(segment_ids, "int32"))
        if sorted and num_segments is None:
            return of_sorted(x, i)
        if num_segments is None:
            num_segments = int(_sorting.unique(i)[0].shape[0])
        return of_any(x, i, num_segments)

    op.__name__ = op.__qualname__ = f"segment_{name}"
    op.__doc__ = doc
    return op


segment_sum = _segments_of("sum", "Sums of the rows of each number in segment_ids.")
segment_max = _segments_of("max", "The largest of the rows of each number in segment_ids.")
segment_min = _segments_of("min", "The smallest of the rows of each number in segment_ids.")
segment_prod = _segments_of("prod", "Products of the rows of each number in segment_ids.")


def _pair(t):
    return _wrap(_core.real(t)), _wrap(_core.imag(t))


def _complex(x):
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise _ConversionError(f"Input `x` should be a tuple of two tensors - real and imaginary. Received: x={x}")
    real, imag = (_as_kind(part, "float") for part in x)
    return _core.complex(real, imag)


def fft(x: Any) -> Any:
    """The Fourier transform of (real, imaginary) along the last axis, as such a pair."""
    return _pair(_core.fft.fft(_complex(x)))


def fft2(x: Any) -> Any:
    """The Fourier transform of (real, imaginary) along the last two axes."""
    return _pair(_core.fft.fft(_core.fft.fft(_complex(x)), axis=-2))


def ifft2(x: Any) -> Any:
    """The inverse of fft2."""
    return _pair(_core.fft.ifft(_core.fft.ifft(_complex(x)), axis=-2))


def rfft(x: Any, fft_length: int | None = None) -> Any:
    """The first half of the transform of a real signal, as (real, imaginary)."""
    return _pair(_core.fft.rfft(_as_kind(x, "float"), n=fft_length))


def irfft(x: Any, fft_length: int | None = None) -> Any:
    """The inverse of rfft."""
    return _wrap(_core.fft.irfft(_complex(x), n=fft_length))


def extract_sequences(x: Any, sequence_length: int, sequence_stride: int) -> Any:
    """Windows of sequence_length along the last axis, sequence_stride apart."""
    return _signal.frame(_wrap(_as_kind(x, "float")), sequence_length, sequence_stride)


# --- functions of elements that are in no table ---


def angle(x: Any) -> Any:
    """The angles of complex numbers; 0 or pi of real ones."""
    return _wrap(_core.angle(_as_kind(x, "float")))


def erf(x: Any) -> Any:
    """The error function."""
    return _math.erf(_wrap(_tensor(x)))


def erfc(x: Any) -> Any:
    """1 - erf(x)."""
    return _math.erfc(_wrap(_tensor(x)))


def erfinv(x: Any) -> Any:
    """The inverse of erf."""
    return _math.erfinv(_wrap(_tensor(x)))


def rsqrt(x: Any) -> Any:
    """1 / sqrt(x)."""
    return _math.rsqrt(_wrap(_tensor(x)))


def i0(x: Any) -> Any:
    """The modified Bessel function of order 0."""
    return _math.bessel_i0(_wrap(_as_kind(x, "float")))


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """ln of the sum of e^x along axes."""
    return _math.reduce_logsumexp(_wrap(_tensor(x)), axis, keepdims)


def fmax(x1: Any, x2: Any) -> Any:
    """The larger; of a NaN the other."""
    a, b = _together(x1, x2)
    return _wrap(_core.where(_core.not_equal(a, a), b, _core.where(_core.not_equal(b, b), a, _core.maximum(a, b))))


def fmin(x1: Any, x2: Any) -> Any:
    """The smaller; of a NaN the other."""
    a, b = _together(x1, x2)
    return _wrap(_core.where(_core.not_equal(a, a), b, _core.where(_core.not_equal(b, b), a, _core.minimum(a, b))))


def cdist(x: Any, y: Any) -> Any:
    """The distances of all rows of x and of y."""
    a, b = _together(x, y, kind="float")
    apart = _core.expand_dims(a, axis=-2) - _core.expand_dims(b, axis=-3)
    return _wrap(_core.sqrt(_core.sum(_core.square(apart), axis=-1)))


def unique(
    x: Any,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """Each element once, rising: with the place of the first, those that make x again, and how often, if asked for. Eager."""
    import numpy

    t = _tensor(x)
    if t.symbolic or size is not None:
        raise _core.UnimplementedError("unique: the number of results depends on values; call it eagerly, without size")
    found = numpy.unique(t.numpy(), return_index, return_inverse, return_counts, axis)
    values, *others = found if isinstance(found, tuple) else (found,)
    out = [_wrap(_core.asarray(values)), *(_wrap(_core.asarray(o.astype(numpy.int32))) for o in others)]
    return tuple(out) if others else out[0]


_publish(globals(), "is_tensor", "dtype", "convert_to_numpy", "vectorized_map", "cond", "scan", "map", "fori_loop")
__all__ = _exported(globals())
