"""What the array API standard has that is made of other functions, and its constants."""

import math as _math
import typing as _typing
from typing import NamedTuple as _NamedTuple

from . import _core
from ._core import DType as _DType
from ._core import Tensor as _Tensor

if _typing.TYPE_CHECKING:
    from .typing import DTypeLike, TensorLike

e = _math.e
pi = _math.pi
inf = _math.inf
nan = _math.nan
newaxis: None = None

# Other names for the same functions.
acos, acosh, asin, asinh = _core.acos, _core.acosh, _core.asin, _core.asinh
arccos, arccosh, arcsin, arcsinh = acos, acosh, asin, asinh
arctan, arctan2, arctanh = _core.atan, _core.atan2, _core.atanh
concatenate = _core.concat
absolute = _core.abs
cumsum, cumprod = _core.cumulative_sum, _core.cumulative_prod
power = _core.pow


class UniqueAll(_NamedTuple):
    """What unique_all gives."""

    values: _Tensor
    indices: _Tensor
    inverse_indices: _Tensor
    counts: _Tensor


class UniqueCounts(_NamedTuple):
    """What unique_counts gives."""

    values: _Tensor
    counts: _Tensor


class UniqueInverse(_NamedTuple):
    """What unique_inverse gives."""

    values: _Tensor
    inverse_indices: _Tensor


def unique_all(x: "TensorLike") -> UniqueAll:
    """The distinct elements in order, where each is first, which each element is, and how many of each."""
    return UniqueAll(*_core._unique(x))


def unique_counts(x: "TensorLike") -> UniqueCounts:
    """The distinct elements in order, and how many of each."""
    values, _, _, counts = _core._unique(x)
    return UniqueCounts(values, counts)


def unique_inverse(x: "TensorLike") -> UniqueInverse:
    """The distinct elements in order, and which of them each element of x is."""
    values, _, inverse, _ = _core._unique(x)
    return UniqueInverse(values, inverse)


def unique_values(x: "TensorLike") -> _Tensor:
    """The distinct elements in order."""
    return _core._unique(x)[0]


class FInfo(_NamedTuple):
    """What finfo says of a dtype of floats: its width, the distance from 1 to the next number, and its limits."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: _DType


class IInfo(_NamedTuple):
    """What iinfo says of a dtype of integers: its width and limits."""

    bits: int
    max: int
    min: int
    dtype: _DType


# Exponent bits, fraction bits.
_FORMATS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}


def _dtype_of(x):
    return x.dtype if isinstance(x, (_Tensor, _core.Variable)) else _core.result_type(x)


def finfo(type: "DTypeLike | TensorLike", /) -> FInfo:
    """Limits of a float dtype (of the parts of a complex one)."""
    name = {"complex64": "float32", "complex128": "float64"}.get(_dtype_of(type).name, _dtype_of(type).name)
    if name not in _FORMATS:
        raise _core.InvalidTypeError(f"finfo: {name} is no float dtype; use iinfo")
    exponent, fraction = _FORMATS[name]
    bias = 2 ** (exponent - 1) - 1
    largest = (2 - 2.0**-fraction) * 2.0**bias
    return FInfo(exponent + fraction + 1, 2.0**-fraction, largest, -largest, 2.0 ** (1 - bias), getattr(_core, name))


def iinfo(type: "DTypeLike | TensorLike", /) -> IInfo:
    """Limits of an integer dtype."""
    dtype = _dtype_of(type)
    if not dtype.is_integer:
        raise _core.InvalidTypeError(f"iinfo: {dtype} is no integer dtype; use finfo")
    bits = 8 * dtype.itemsize
    if dtype.kind == "u":
        return IInfo(bits, 2**bits - 1, 0, dtype)
    return IInfo(bits, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), dtype)


_ORDER = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def can_cast(from_: "DTypeLike | TensorLike", to: "DTypeLike", /) -> bool:
    """Whether a dtype becomes another by promotion."""
    try:
        return _core.result_type(_dtype_of(from_), to) == to
    except _core.Error:
        return False


class _Info:
    """What __array_namespace_info__ returns."""

    def capabilities(self) -> "dict[str, bool | int]":
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 10}

    def default_device(self) -> str:
        return "cpu"

    def devices(self) -> "list[str]":
        return ["cpu"]

    def default_dtypes(self, *, device: "str | None" = None) -> "dict[str, _DType]":
        return {
            "real floating": _core.float32,
            "complex floating": _core.complex64,
            "integral": _core.int64,
            "indexing": _core.int64,
        }

    def dtypes(
        self, *, device: "str | None" = None, kind: "str | tuple[str, ...] | None" = None
    ) -> "dict[str, _DType]":
        names = [n for n in _ORDER if n not in ("float16", "bfloat16")]
        kinds = kind if isinstance(kind, tuple) else (kind,)
        return {
            n: getattr(_core, n)
            for n in names
            if kind is None or any(_core.isdtype(getattr(_core, n), k) for k in kinds)
        }


def __array_namespace_info__() -> _Info:
    """The array API standard's description of this implementation."""
    return _Info()


__all__ = [
    "FInfo",
    "IInfo",
    "UniqueAll",
    "UniqueCounts",
    "UniqueInverse",
    "absolute",
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "can_cast",
    "concatenate",
    "cumprod",
    "cumsum",
    "e",
    "finfo",
    "iinfo",
    "inf",
    "nan",
    "newaxis",
    "pi",
    "power",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "__array_namespace_info__",
]
