"""Tensors of strings: what tf.constant makes of texts. They live in Python; in a tf.function they are constants of a trace."""

from __future__ import annotations

import typing as _t

from .. import _calls, _core
from . import _dtypes
from ._shape import TensorShape
from ._tensor import Tensor, TensorLike, wrap
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class StringTensor(TensorLike):
    """Texts as bytes, in an array. `+` joins them, `==` compares them; tf.strings has the functions of them.

    Functions of numbers raise InvalidArgumentError.
    """

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array  # NumPy's, of bytes

    def _core_value(self):
        raise InvalidArgumentError(
            "a tensor of strings is no operand of this op: it takes numbers; tf.strings.to_number makes them of texts, and "
            "tf.strings has what there is for strings"
        )

    @property
    def _t(self):
        return self._core_value()

    @property
    def dtype(self) -> _dtypes.DType:
        return _dtypes.string

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self._array.shape)

    def numpy(self) -> Any:
        """The bytes, or an array of them."""
        return self._array.item() if self._array.ndim == 0 else self._array.copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._array.copy() if dtype is None else self._array.astype(dtype)

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise _core.InvalidTypeError("Scalar tensor has no `len()`")
        return len(self._array)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __iter__(self) -> Iterator[Any]:
        if self._array.ndim == 0:
            raise _core.InvalidTypeError("Cannot iterate over a scalar tensor")
        return (made(part) for part in self._array)

    def __bool__(self) -> bool:
        return len(self.numpy()) > 0

    def __float__(self) -> float:
        raise ConversionError(f"could not convert string to float: {self.numpy()!r}; use tf.strings.to_number")

    def __getitem__(self, key: Any) -> Any:
        return made(self._array[key])

    def __add__(self, other: Any) -> StringTensor:
        return made(self._array + array_of(other))

    def __radd__(self, other: Any) -> StringTensor:
        return made(array_of(other) + self._array)

    def __eq__(self, other: object) -> Any:
        return self._equal(other, True)

    def __ne__(self, other: object) -> Any:
        return self._equal(other, False)

    def _equal(self, other, wanted):
        try:
            same = self._array == array_of(other)
        except (ConversionError, _core.InvalidTypeError, ValueError):
            return not wanted
        import numpy

        return wrap(_core.asarray(numpy.equal(same.astype(bool), wanted)))

    __hash__ = None

    def key(self) -> Any:
        """What tells it from others among the arguments of a tf.function."""
        return StringTensor, _calls._Parts((self._array.shape, tuple(self._array.reshape(-1))), self)

    def __repr__(self) -> str:
        text = repr(self.numpy())
        return f"<tf.Tensor: shape={self.shape}, dtype=string, numpy={chr(10) * (chr(10) in text)}{text}>"

    def __str__(self) -> str:
        text = str(self.numpy())
        return f"tf.Tensor({chr(10) * (chr(10) in text)}{text}, shape={self.shape}, dtype=string)"


def made(value: Any) -> StringTensor:
    """The tensor of bytes, or of an array of them."""
    import numpy

    if isinstance(value, numpy.ndarray):
        return StringTensor(value)
    array = numpy.empty((), object)
    array[()] = value
    return StringTensor(array)


def no_text(shape: Any) -> StringTensor:
    """A tensor of empty texts, for a TensorSpec; one element along axes that are open."""
    import numpy

    return StringTensor(numpy.full([1 if n is None else n for n in shape], b"", object))


def array_of(value: Any) -> Any:
    """The array of bytes of a text, an array or nested lists of them, or a tensor. ConversionError for other elements."""
    if isinstance(value, StringTensor):
        return value._array
    if isinstance(value, (Tensor, TensorLike, bool, int, float, complex)):
        raise _mixed(value)
    import numpy

    if isinstance(value, (list, tuple)):
        parts = [array_of(v) for v in value]
        if len({p.shape for p in parts}) > 1:
            raise ConversionError(f"Can't convert non-rectangular Python sequence to Tensor: {value!r}")
        out = numpy.empty((len(parts), *(parts[0].shape if parts else ())), object)
        for i, part in enumerate(parts):
            out[i] = part[()]
        return out
    source = numpy.asarray(value, object)
    out = numpy.empty(source.shape, object)
    for place, element in numpy.ndenumerate(source):
        if not isinstance(element, (str, bytes)):
            raise _mixed(value)
        out[place] = element.encode() if isinstance(element, str) else bytes(element)
    return out


def _mixed(value):
    return ConversionError(f"Can't convert Python sequence with mixed types to Tensor: {value!r} beside strings")


def element_text(t: StringTensor, summarize: int | None = 3) -> str:
    """The texts in quotes and brackets, as tf.print shows them; a text alone as it is."""
    most = -1 if summarize is None else summarize

    def text(x):
        if x.ndim == 0:
            return '"' + x.item().decode(errors="replace") + '"'
        cut = 0 <= most and len(x) > 2 * most
        parts = [
            text(y if hasattr(y, "ndim") else made(y)._array) for y in ([*x[:most], *x[len(x) - most :]] if cut else x)
        ]
        return "[" + " ".join(parts[:most] + ["..."] + parts[most:] if cut else parts) + "]"

    return text(t._array)
