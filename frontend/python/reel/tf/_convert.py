"""Conversion to tensors: Python's numbers and sequences by TensorFlow's rules for their dtype, arrays, casts."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import _dtypes as dtypes
from . import nest
from ._shape import TensorShape
from ._tensor import Sparse, Tensor, TensorLike, wrap
from ._trace import as_method, in_graph
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike, ShapeLike
    from ..typing import TensorLike as ArrayLike

_Core = _core.Tensor
_CoreVariable = _core.Variable
_read = _core.Variable.value
_TENSORS = (TensorLike, _Core, _CoreVariable, Sparse)
_NUMBERS = frozenset((bool, int, float, complex))
_SEQUENCES = (list, tuple, range, bytearray, memoryview)
_LARGEST = 3.4028235677973366e38  # rounds to infinity as a float32, as all beyond


def _leaf_types(value, found):
    """Adds the types of what nested sequences hold to `found`."""
    here = set(map(type, value))
    if here <= _NUMBERS:
        found |= here
        return
    for v in value:
        if isinstance(v, _SEQUENCES):
            _leaf_types(v, found)
        else:
            found.add(type(v))


def _first_leaf(value):
    """The first element of nested sequences; None if there is none."""
    while isinstance(value, _SEQUENCES):
        if not len(value):
            return None
        value = value[0]
    return value


def _kind(value):
    """b, i, f or c of a number or an array."""
    if isinstance(value, bool):
        return "b"
    if hasattr(value, "dtype"):
        kind = getattr(value.dtype, "kind", "O")
        return "i" if kind == "u" else kind
    for kind, types in (("i", int), ("f", float), ("c", complex)):
        if isinstance(value, types):
            return kind
    return "O"


def _fits_int32(value):
    if isinstance(value, _SEQUENCES):
        return all(_fits_int32(v) for v in value)
    if hasattr(value, "dtype"):
        value = value.tolist()
        return _fits_int32(value)
    return -(2**31) <= value < 2**31


def _mixed(value):
    return ConversionError(f"Can't convert Python sequence with mixed types to Tensor: {value!r}")


def _inferred(value, first, kinds):
    """The core's dtype of sequences: that of the first element; ints are float32 where a float follows."""
    kind = _kind(first)
    if kind == "f":
        if "c" in kinds:
            raise _mixed(value)
        return dtypes.as_dtype(first.dtype).core if hasattr(first, "dtype") else _core.float32
    if kind == "c":
        return _core.complex64 if str(getattr(first, "dtype", "")) == "complex64" else _core.complex128
    if kind == "b" and kinds != {"b"} or "c" in kinds:
        raise _mixed(value)
    if kind == "b":
        return _core.bool
    if "f" in kinds:
        return _core.float32
    return _core.int32 if _fits_int32(value) else _core.int64


def _check_kinds(value, first, kinds, dtype):
    """Numbers of a sequence that a dtype cannot hold are errors, not rounded."""
    if (
        dtype.is_bool
        and kinds != {"b"}
        or "f" in kinds
        and dtype.is_integer
        or "c" in kinds
        and not dtype.is_complex
        or _kind(first) == "b"
        and not dtype.is_bool
        and dtype not in _HOLD_BOOLS
    ):
        raise _cannot(value, dtype)


_HOLD_BOOLS = (_core.int32, _core.int64, _core.float16, _core.float32, _core.float64)  # True is 1 there


def _cannot(value, dtype):
    return _core.InvalidTypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")


def check_number(value: complex, dtype: _core.DType) -> Any:
    """A Python number as a dtype can hold it: an int for True; TypeError if it would be rounded."""
    kind = type(value)
    if kind is bool:
        if dtype in _HOLD_BOOLS:
            return int(value)
        if dtype.is_bool:
            return value
    elif kind is int or isinstance(value, int):
        if not dtype.is_bool:
            return value
    elif isinstance(value, float):
        if not dtype.is_integer and not dtype.is_bool:
            return value
    elif dtype.is_complex:
        return value
    raise _cannot(value, dtype)


def _pack(value, dtype, cast):
    """Nested lists with tensors in them, stacked: gradients flow into each. `cast`: the dtype was asked for."""
    if isinstance(value, (list, tuple)):
        return _core.stack([_pack(v, dtype, cast) for v in value])
    if cast and isinstance(value, TensorLike):
        return _core.astype(value._core_value(), dtype)
    return to_core(value, dtype)


def to_core(value: Any, dtype: _core.DType | None = None) -> _core.Tensor:
    """The core tensor of anything that is one: tensors, variables, numbers, lists, arrays; `dtype` is the core's.

    Python floats are float32 and ints int32 unless said otherwise; a list takes the dtype of its first element. ValueError
    for None and other objects, TypeError for a number that the dtype cannot hold; a tensor of another dtype than asked for
    is an error too.
    """
    if isinstance(value, TensorLike):
        t = value._core_value()
    elif value.__class__ in _NUMBERS:
        return _from_number(value, dtype)
    elif isinstance(value, _Core):
        t = value
    elif isinstance(value, _CoreVariable):
        t = _read(value)
    elif isinstance(value, Sparse):
        t = value.dense()
    elif isinstance(value, _SEQUENCES):
        return _from_sequence(value, dtype)
    elif isinstance(value, (int, float, complex)) and not hasattr(value, "__array__"):
        return _from_number(value, dtype)
    else:
        return from_array(value, dtype)
    if dtype is not None and t.dtype is not dtype:
        raise ConversionError(
            f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {t.dtype.name}: {value!r}"
        )
    return t


def _from_number(value, dtype):
    if dtype is not None:
        value = check_number(value, dtype)
    elif isinstance(value, int) and not isinstance(value, bool):
        dtype = _core.int32 if -(2**31) <= value < 2**31 else _core.int64
    elif isinstance(value, complex):
        dtype = _core.complex128
    elif isinstance(value, float) and _LARGEST <= abs(value) < float("inf"):
        raise ConversionError(
            f"Can't convert {value!r} to Tensor: out of range for float32; say dtype=tf.float64, or write float('inf')"
        )
    try:
        return _core.asarray(value, dtype)
    except _core.Error as error:
        raise ConversionError(f"Can't convert {value!r} to Tensor: {error}") from None


def _from_sequence(value, dtype):
    if isinstance(value, TensorShape):
        if None in tuple(value):
            raise ConversionError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
        if dtype not in (None, _core.int32, _core.int64):
            raise _core.InvalidTypeError(f"Cannot convert a TensorShape to dtype {dtype.name}, only to int32 and int64")
    elif not isinstance(value, (list, tuple)):
        value = list(value)
    types = set()
    _leaf_types(value, types)
    if any(issubclass(t, _TENSORS) for t in types):
        own = next(to_core(v).dtype for v in nest.flatten(list(value)) if isinstance(v, _TENSORS))
        return _pack(value, dtype or own, dtype is not None)
    first = _first_leaf(value)
    try:
        if first is None and types and types <= _NUMBERS:
            raise _mixed(value)  # an empty list beside one that is not
        if types:
            kinds = {_KINDS[t] for t in types} if types <= _NUMBERS else {_kind(v) for v in nest.flatten(value)}
            if "O" in kinds:
                raise _no_tensor(next(v for v in nest.flatten(value) if _kind(v) == "O"))
            if dtype is None:
                dtype = _inferred(value, first, kinds)
            else:
                _check_kinds(value, first, kinds, dtype)
        if types <= _NUMBERS:
            return _core.asarray(value, dtype)
        import numpy

        return _core.asarray(numpy.array(value), dtype)
    except (ConversionError, _core.InvalidTypeError):
        raise
    except (_core.Error, ValueError) as error:
        raise ConversionError(f"Can't convert non-rectangular Python sequence to Tensor: {value!r}: {error}") from None


_KINDS = {bool: "b", int: "i", float: "f", complex: "c"}


class StringError(_core.InvalidTypeError):
    """There are strings where numbers are wanted."""


def _no_tensor(value):
    if isinstance(value, (str, bytes)):
        return StringError(
            f"Cannot convert {value!r} to a Tensor of numbers; tf.strings.to_number reads numbers in texts"
        )
    kind = f" with an unsupported type ({type(value)})" if value is None else f" of type {type(value).__name__}"
    return ConversionError(f"Attempt to convert a value ({value!r}){kind} to a Tensor.")


def from_array(value: Any, dtype: _core.DType | None) -> _core.Tensor:
    """The core tensor of NumPy arrays and scalars, and of what has __array__; copied, and cast to the core's dtype."""
    if (
        value is None
        or isinstance(value, (str, bytes))
        or not (hasattr(value, "__array__") or hasattr(value, "__dlpack__"))
    ):
        raise _no_tensor(value)
    if getattr(getattr(value, "dtype", None), "kind", "") in ("S", "U", "T"):
        raise _no_tensor(str(value))
    try:
        return _core.asarray(value, dtype)
    except _core.Error as error:
        raise ConversionError(f"Failed to convert a {type(value).__name__} to a Tensor: {error}") from None


@as_method("convert")
def convert_to_tensor(
    value: ArrayLike, dtype: DTypeLike | None = None, dtype_hint: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """A tensor of a tensor, variable, number, nested list or array.

    dtype: must be the tensor's, if it is one; dtype_hint: taken if it can be. Errors: TypeError for a float as an
    integer, ValueError for other conversions.
    """
    if value.__class__ is Tensor and dtype is None:
        return value
    if getattr(value, "dtype", None) is dtypes.string and dtype in (None, "string"):
        return value
    if dtype is None and dtype_hint is not None:
        try:
            return wrap(to_core(value, dtypes.as_dtype(dtype_hint).core))
        except _core.Error:
            pass
    if dtype is not None and dtypes.as_dtype(dtype) is dtypes.string:
        return _text(value)
    try:
        return wrap(to_core(value, dtypes.core_dtype(dtype)))
    except StringError:
        if dtype is not None:
            raise
        return _text(value)


def _text(value):
    """The tensor of strings of texts in any nesting."""
    from . import _text as text

    if isinstance(value, _NUMBERS_ALONE):
        raise _core.InvalidTypeError(
            f"Cannot convert {value!r} to EagerTensor of dtype string; tf.strings.as_string does"
        )
    return value if isinstance(value, text.StringTensor) else text.StringTensor(text.array_of(value))


_NUMBERS_ALONE = (bool, int, float, complex)


@in_graph
def cast(x: ArrayLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """The elements converted to a dtype; the same tensor if they have it. Gradient: the cast of dy, floats only.

    A complex tensor loses its imaginary part if the dtype is real.
    """
    x = convert_to_tensor(x)
    wanted = dtypes.as_dtype(dtype)
    if x.dtype is wanted:
        return x
    t = x._t
    return wrap(_core.astype(_core.real(t) if t.dtype.is_complex and not wanted.is_complex else t, wanted.core))


@in_graph
def saturate_cast(value: ArrayLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """cast, with numbers that the dtype does not hold made its smallest or largest one; complex ones lose their imaginary
    part if the dtype is real."""
    x, wanted = to_core(value), dtypes.as_dtype(dtype)
    if x.dtype.is_complex and not wanted.is_complex:
        x = _core.real(x)
    if x.dtype.is_complex:
        parts = [_saturated(part, wanted.real_dtype) for part in (_core.real(x), _core.imag(x))]
        return wrap(_core.astype(_core.complex(*parts), wanted.core))
    return wrap(_core.astype(_saturated(x, wanted.real_dtype), wanted.core))


def _saturated(x, wanted):
    """Real numbers within what a real dtype holds, in their own dtype."""
    own = dtypes.BY_CORE[x.dtype]
    if wanted.is_bool or own.is_bool or own is wanted:
        return x
    low, high = max(own.min, wanted.min), min(own.max, wanted.max)
    return _core.clip(x, _limit(low, own, True), _limit(high, own, False))


def _limit(number, dtype, is_low):
    """A limit in a dtype; of floats one that an integer dtype holds, rounded towards zero."""
    if dtype.is_integer:
        return int(number)
    import numpy

    short = dtype.name == "bfloat16"
    limit = numpy.float32(number) if short else dtype.as_numpy_dtype(number)
    if abs(float(limit)) > abs(number):
        limit = numpy.nextafter(limit, limit.dtype.type(0))
    if short:  # the upper half of a float32
        limit = (limit.view(numpy.uint32) & numpy.uint32(0xFFFF0000)).view(numpy.float32)
    return float(limit)


@in_graph
def constant(
    value: ArrayLike, dtype: DTypeLike | None = None, shape: ShapeLike | None = None, name: str | None = "Const"
) -> Tensor:
    """A tensor of numbers, nested lists or an array; float32 and int32 unless the array or dtype says otherwise.

    shape: the elements in it, row-major; one element fills it. TypeError if there are others than it has.
    """
    if value.__class__ is Tensor:
        out = value if dtype is None else cast(value, dtype)
    else:
        out = convert_to_tensor.__wrapped__(value, dtype)
    if shape is not None and out.dtype is dtypes.string:
        raise _core.UnimplementedError("tf.constant: strings take no shape; nest them in lists")
    if shape is not None:
        t, shape = _core.stop_gradient(out._t), tuple(TensorShape(shape))  # a constant has no gradient
        if t.size != 1 and t.size != TensorShape(shape).num_elements():
            raise _core.InvalidTypeError(
                f"tf.constant with unsupported shape: the value has {t.size} elements, but `shape` is {shape}"
            )
        out = wrap(_core.broadcast_to(_core.reshape(t, ()), shape) if t.size == 1 else _core.reshape(t, shape))
    return out
