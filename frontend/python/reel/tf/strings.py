"""tf.strings: texts of numbers, and what is needed to join, measure and read them. Ragged results are refused.

In a tf.function strings are constants: a text of a traced number is an error that says so (tf.print prints one).
"""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from . import _dtypes
from ._convert import convert_to_tensor as _convert
from ._printing import tensor_text as _tensor_text
from ._tensor import TensorLike as _TensorLike
from ._tensor import wrap as _wrap
from ._text import StringTensor as _Strings
from ._text import array_of as _array_of
from ._text import element_text as _element_text
from ._text import made as _made
from .errors import ConversionError as _ConversionError
from .errors import InvalidArgumentError as _InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor as _Tensor


def _each(f, *values):
    """f of the elements of arrays of bytes, which broadcast."""
    import numpy

    arrays = numpy.broadcast_arrays(*(numpy.asarray(_array_of(v), object) for v in values))
    out = numpy.empty(arrays[0].shape, object)
    for place in numpy.ndindex(out.shape):
        out[place] = f(*(a[place] for a in arrays))
    return out


def _known(tensor, op):
    """A tensor of numbers whose elements are known now."""
    t = _convert(tensor)
    if _core._static_value(t._core_value()) is None:
        raise _core.UnimplementedError(
            f"tf.strings.{op}: a traced tensor has no text while its function is traced; use tf.print, or return the tensor"
        )
    return _core._static_value(t._core_value())


def as_string(
    input: ArrayLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Any:
    """The elements as texts: C's %d, %f, %e (scientific) or %g (shortest); 'true' and 'false'; '(re,im)' of complex ones.

    precision: digits after the point, floats only; width: the least length; fill: '0', ' ', '-' or '+', how it is reached.
    Errors: InvalidArgumentError for options that exclude each other.
    """
    if isinstance(input, (str, bytes, _Strings)):
        return _convert(input)
    t = _known(input, "as_string")
    if scientific and shortest:
        raise _InvalidArgumentError("as_string: Cannot select both scientific and shortest notation")
    if len(fill) > 1:
        raise _InvalidArgumentError(f"as_string: Fill string must be one or fewer characters, got {fill!r}")
    floating = t.dtype.is_floating or t.dtype.is_complex
    if not floating and (precision >= 0 or scientific or shortest):
        raise _InvalidArgumentError(
            f"as_string: precision, scientific and shortest are for floating-point types, not {t.dtype.name}"
        )
    kind = ("e" if scientific else "g" if shortest else "f") if floating else "d"
    spec = f"%{fill}{width if width >= 0 else ''}{f'.{precision}' if precision >= 0 else ''}{kind}"

    def text(x):
        if t.dtype.is_bool:
            return b"true" if x else b"false"
        if t.dtype.is_complex:
            return f"({spec % x.real},{spec % x.imag})".encode()
        return (spec % x).encode()

    import numpy

    values = (_core.astype(t, _core.float32) if t.dtype.name == "bfloat16" else t).numpy()
    array = numpy.empty(numpy.shape(values), object)
    for place in numpy.ndindex(array.shape):
        array[place] = text(values[place].item())
    return _Strings(array)


def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int | None = 3, name: str | None = None
) -> Any:
    """The template with a tensor's text, as tf.print writes it, in place of each placeholder. ValueError for other numbers
    of placeholders than of inputs.
    """
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    parts = template.split(placeholder)
    if len(parts) - 1 != len(inputs):
        raise _ConversionError(
            f"The template expects {len(parts) - 1} tensors, but the inputs only has {len(inputs)}. Please ensure the number "
            "of placeholders in template matches inputs length."
        )
    out = parts[0]
    for x, part in zip(inputs, parts[1:]):
        x = _convert(x)
        out += _element_text(x, summarize) if isinstance(x, _Strings) else _tensor_text(_known(x, "format"), summarize)
        out += part
    return _made(out.encode())


def join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> Any:
    """Texts one after the other, element by element; shapes broadcast from scalars."""
    return _Strings(_each(lambda *texts: separator.encode().join(texts), *inputs))


def length(input: Any, unit: str = "BYTE", name: str | None = None) -> _Tensor:
    """The number of bytes, or of characters with unit='UTF8_CHAR', of each text: int32."""
    import numpy

    if unit not in ("BYTE", "UTF8_CHAR"):
        raise _ConversionError(f"length: unit must be 'BYTE' or 'UTF8_CHAR', got {unit!r}")
    counts = _each(lambda b: len(b) if unit == "BYTE" else len(b.decode(errors="replace")), input)
    return _wrap(_core.asarray(counts.astype(numpy.int32)))


def _cased(input, encoding, of_text, of_bytes):
    if encoding not in ("", "utf-8"):
        raise _ConversionError(f"encoding must be '' or 'utf-8', got {encoding!r}")
    return _Strings(_each(lambda b: of_text(b.decode()).encode() if encoding else of_bytes(b), input))


def lower(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Small letters; of ASCII alone, or of all with encoding='utf-8'."""
    return _cased(input, encoding, str.lower, bytes.lower)


def upper(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Capital letters; of ASCII alone, or of all with encoding='utf-8'."""
    return _cased(input, encoding, str.upper, bytes.upper)


def strip(input: Any, name: str | None = None) -> Any:
    """Without white space at both ends."""
    return _Strings(_each(bytes.strip, input))


def split(input: Any, sep: str | None = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts of one text between separators, or white space. UnimplementedError for several texts: ragged."""
    array = _array_of(input)
    if array.ndim:
        raise _core.UnimplementedError(
            f"tf.strings.split: parts of texts of shape {array.shape} are a ragged tensor, which reel.tf does not have; "
            "split one text at a time"
        )
    return _Strings(_array_of(array.item().split(sep.encode() if sep else None, maxsplit)))


def to_number(input: Any, out_type: DTypeLike = _dtypes.float32, name: str | None = None) -> _Tensor:
    """The numbers that the texts are, of float32, float64, int32 or int64. InvalidArgumentError for others."""
    dtype = _dtypes.as_dtype(out_type)
    if dtype.name not in ("float32", "float64", "int32", "int64"):
        raise _core.InvalidTypeError(f"to_number: out_type is {dtype.name}, not float32, float64, int32 or int64")

    def number(b):
        try:
            return (float if dtype.is_floating else int)(b)
        except ValueError:
            raise _InvalidArgumentError(
                f"StringToNumberOp could not correctly convert string: {b.decode(errors='replace')}"
            ) from None

    return _wrap(_core.asarray(_each(number, input).astype(dtype.as_numpy_dtype)))


def reduce_join(
    inputs: Any, axis: int | None = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Any:
    """The texts along an axis, or of all, joined."""
    import numpy

    array = _array_of(inputs)
    if axis is None:
        joined = separator.encode().join(array.reshape(-1))
        return _Strings(numpy.full((1,) * array.ndim, joined, object)) if keepdims else _made(joined)
    if isinstance(axis, (list, tuple, _TensorLike)):
        raise _core.UnimplementedError("tf.strings.reduce_join: one axis, or None for all; call it once for each")
    if not -array.ndim <= axis < array.ndim:
        raise _InvalidArgumentError(f"reduce_join: axis {axis} is out of range for texts of shape {array.shape}")
    rows = numpy.moveaxis(array, axis, -1)
    out = numpy.empty(rows.shape[:-1], object)
    for place in numpy.ndindex(out.shape):
        out[place] = separator.encode().join(rows[place])
    return _Strings(numpy.expand_dims(out, axis) if keepdims else out)
