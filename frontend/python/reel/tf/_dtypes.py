"""Element types: tf.float32 and so on, without what needs tensors."""

from __future__ import annotations

import typing as _t

from .. import _core

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike

_TYPE_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


class DType:
    """An element type, equal to NumPy's of the same name. There is one object of each."""

    __slots__ = ("name", "core", "is_floating", "is_complex", "is_integer", "is_bool", "size")

    def __init__(self, name: str) -> None:
        self.name = name
        self.core = getattr(_core, name)
        self.is_floating = self.core.is_floating
        self.is_complex = self.core.is_complex
        self.is_integer = self.core.is_integer
        self.is_bool = self.core.is_bool
        self.size = self.core.itemsize

    @property
    def as_numpy_dtype(self) -> Any:
        """NumPy's scalar type."""
        return self.core.as_numpy_dtype

    @property
    def base_dtype(self) -> DType:
        return self

    @property
    def itemsize(self) -> int:
        return self.size

    @property
    def is_unsigned(self) -> bool:
        return self.core.kind == "u"

    @property
    def is_numeric(self) -> bool:
        return not self.is_bool

    @property
    def real_dtype(self) -> DType:
        """The dtype of the parts of a complex one; itself of others."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def is_quantized(self) -> bool:
        """False: quantised dtypes are not here."""
        return False

    @property
    def is_numpy_compatible(self) -> bool:
        """True: NumPy has all dtypes, bfloat16 by ml_dtypes."""
        return True

    @property
    def min(self) -> Any:
        """The smallest number, of NumPy's type if it is floating; TypeError of bool and of complex dtypes."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The largest number, of NumPy's type if it is floating; TypeError of bool and of complex dtypes."""
        return self._limit("max")

    def _limit(self, which):
        from .. import finfo, iinfo

        if self.is_integer:
            return int(getattr(iinfo(self.core), which))
        if not self.is_floating:
            long = {"min": "minimum", "max": "maximum"}[which]
            raise _core.InvalidTypeError(f"Cannot find {long} value of {self} with type {self}.")
        number = getattr(finfo(self.core), which)
        return number if self.name == "bfloat16" else self.as_numpy_dtype(number)

    @property
    def limits(self) -> tuple[Any, Any]:
        """(0, the largest number): the range of intensities of images; floats end at 1."""
        if self.is_bool:
            return 0, True
        if self.is_integer:
            return 0, self.max
        if self.name not in ("float16", "float32", "float64"):
            raise _core.InvalidArgumentError(f"{self} does not have defined limits.")
        return 0, 1

    def is_compatible_with(self, other: DTypeLike) -> bool:
        """Whether it is the same dtype."""
        return as_dtype(other) is self

    def is_subtype_of(self, other: DTypeLike) -> bool:
        """Whether it is the same dtype."""
        return other is self

    def most_specific_common_supertype(self, types: Any) -> DType | None:
        """The dtype if all others are the same; None if not."""
        return self if all(t is self for t in types) else None

    @property
    def type_name(self) -> str:
        """The name in TensorFlow's error texts: 'float' for float32."""
        return _TYPE_NAMES.get(self.name, self.name)

    def __eq__(self, other: object) -> bool:
        if other is self:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return id(self) >> 4

    def __repr__(self) -> str:
        return "tf." + self.name

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __reduce__(self):
        return as_dtype, (self.name,)


_NAMES = [
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


class _StringType(DType):
    """tf.string: of tensors that live in Python (`_text`); compiled code has none."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name, self.size = "string", 0
        self.is_floating = self.is_complex = self.is_integer = self.is_bool = False

    def __getattr__(self, name: str) -> Any:
        if name == "core":
            raise _core.InvalidTypeError(
                "tf.string: strings are made by tf.constant and tf.strings; other functions take numbers"
            )
        raise AttributeError(f"tf.string has no attribute {name!r}")

    @property
    def as_numpy_dtype(self) -> Any:
        return object

    @property
    def is_unsigned(self) -> bool:
        return False

    @property
    def is_numeric(self) -> bool:
        return False


BY_NAME = {name: DType(name) for name in _NAMES}
string = _StringType()
BY_CORE = {d.core: d for d in BY_NAME.values()}
globals().update(BY_NAME)
half = BY_NAME["float16"]
double = BY_NAME["float64"]
float32, float64, int32, int64 = (BY_NAME[n] for n in ("float32", "float64", "int32", "int64"))
_ALIASES = {"float": "float32", "double": "float64", "half": "float16"}
_FROM_TYPE = {float: float32, int: int32, bool: BY_NAME["bool"], complex: BY_NAME["complex128"]}


def as_dtype(type_value: DTypeLike) -> DType:
    """The dtype of a tf.DType, a name, a NumPy dtype or scalar type, or float, int, bool."""
    if isinstance(type_value, DType):
        return type_value
    if isinstance(type_value, str):
        found = BY_NAME.get(type_value) or BY_NAME.get(_ALIASES.get(type_value, ""))
        if found:
            return found
    elif isinstance(type_value, type) and type_value in _FROM_TYPE:
        return _FROM_TYPE[type_value]
    elif isinstance(type_value, _core.DType):
        return BY_CORE[type_value]
    elif type_value is not None:
        try:
            import numpy

            return BY_NAME[numpy.dtype(type_value).name]
        except (KeyError, TypeError):
            pass
    raise _core.InvalidTypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.")


def core_dtype(dtype: DTypeLike | None) -> _core.DType | None:
    """The core's dtype of anything that names one; None stays None."""
    return None if dtype is None else as_dtype(dtype).core
