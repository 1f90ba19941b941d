"""tf.print: values as TensorFlow writes them, in compiled code when it runs."""

from __future__ import annotations

import sys as _sys
import typing as _t

from .. import _core
from . import nest
from ._callbacks import effect
from ._slices import IndexedSlices
from ._tensor import TensorLike
from ._text import StringTensor
from ._text import element_text as _quoted
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any


class _Text(str):
    """A text that reprs as it is."""

    def __repr__(self):
        return str(self)


def _float_text(x, of_double):
    """The fewest of the usual digits that give x again."""
    import numpy

    digits, most = (15, 17) if of_double else (6, 9)
    text = f"%.{digits}g" % x
    kind = numpy.float64 if of_double else numpy.float32
    return text if kind(text) == kind(x) or x != x else f"%.{most}g" % x


def element_text(x: Any, dtype: _core.DType) -> str:
    """A number as tf.print writes it."""
    if dtype.is_bool or dtype.is_integer:
        return str(int(x))
    of_double = dtype.name in ("float64", "complex128")
    if dtype.is_complex:
        return f"({_float_text(x.real, of_double)},{_float_text(x.imag, of_double)})"
    return _float_text(float(x), of_double)


def tensor_text(t: _core.Tensor, summarize: int | None = 3) -> str:
    """The elements of a core tensor in brackets; of each axis the first and last `summarize`, all if that is -1."""
    most = -1 if summarize is None else summarize
    values = (_core.astype(t, _core.float32) if t.dtype.name == "bfloat16" else t).tolist()

    def text(x, depth):
        if depth == t.ndim:
            return element_text(x, t.dtype)
        shown = list(x)
        cut = 0 <= most and len(shown) > 2 * most
        parts = [text(y, depth + 1) for y in (shown[:most] + shown[len(shown) - most :] if cut else shown)]
        if cut:
            parts.insert(most, "...")
        last = depth == t.ndim - 1
        return "[" + (" " if last else "\n" * (t.ndim - 1 - depth) + " " * (depth + 1)).join(parts) + "]"

    return text(values, 0)


def text_of(x: StringTensor, summarize: int | None = 3) -> str:
    """Texts in quotes and brackets; one alone as it is."""
    return x.numpy().decode(errors="replace") if x.shape.rank == 0 else _quoted(x, summarize)


def _write(stream, text):
    if stream is None:
        stream = _sys.stderr
    if isinstance(stream, str):
        with open(stream[len("file://") :], "a", encoding="utf-8") as file:
            file.write(text)
    elif hasattr(stream, "write"):
        stream.write(text)
        if hasattr(stream, "flush"):
            stream.flush()
    else:
        stream(text[:-1] if text.endswith("\n") else text)


def _checked_stream(stream):
    path = isinstance(stream, str) and stream.startswith("file://")
    if stream is not None and not path and not hasattr(stream, "write") and not callable(stream):
        raise ConversionError(
            f"Unknown output stream, logging level, or file. {stream!r}: give sys.stdout, sys.stderr, a function of "
            "a text, or 'file://' and a path"
        )


def print_v2(
    *inputs: object,
    output_stream: object = None,
    summarize: int | None = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> None:
    """Prints values, to stderr unless output_stream is another; in a tf.function each time it runs, in order.

    Tensors show the first and last `summarize` elements of each axis, all if that is -1; they may stand in lists, tuples
    and dicts. output_stream: a file, a function of a text, or "file://" and a path, to append to.
    """
    _checked_stream(output_stream)
    if len(inputs) == 1 and isinstance(inputs[0], StringTensor):  # alone it stands without quotes
        inputs = (text_of(inputs[0], summarize),)
    leaves = [
        _Text(_quoted(x, summarize)) if isinstance(x, StringTensor) else x for v in inputs for x in nest.flatten([v])
    ]
    places = [i for i, x in enumerate(leaves) if isinstance(x, (TensorLike, IndexedSlices))]
    tensors = [leaves[i].dense() if isinstance(leaves[i], IndexedSlices) else leaves[i]._core_value() for i in places]

    def write(values):
        texts = list(leaves)
        for i, t in zip(places, values):
            texts[i] = _Text(tensor_text(t, summarize))
        rest = iter(texts)
        out = [nest.pack_sequence_as([value], [next(rest) for _ in nest.flatten([value])])[0] for value in inputs]
        _write(output_stream, sep.join(x if isinstance(x, str) else repr(x) for x in out) + end)

    if _core._in_trace():
        effect(write, "tf.print", tensors)
    else:
        write(tensors)


_all_in_graph(globals(), "element_text", "tensor_text", "text_of")
