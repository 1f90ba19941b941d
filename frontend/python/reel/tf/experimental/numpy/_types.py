"""tf.experimental.numpy: dtypes as NumPy joins them: Python's numbers are int64 and float64 alone, and give way to arrays."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _dtypes, _numpy_rules
from ..._args import axes_or_none
from ..._convert import to_core
from ..._tensor import TensorLike, wrap
from ..._trace import in_graph

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

settings = {"prefer_float32": False}


def preferred(name: str) -> str:
    """A dtype that nobody asked for: float64, or float32 if experimental_enable_numpy_behavior said so."""
    return "float32" if name == "float64" and settings["prefer_float32"] else name


def _is_number(x):
    return isinstance(x, (bool, int, float, complex)) and not hasattr(x, "dtype")


def kind_of(x: Any) -> Any:
    """What NumPy's result_type takes for a value: its dtype, or a Python number itself."""
    import numpy

    if _is_number(x):
        return x
    if isinstance(x, type):
        return numpy.dtype(x)
    if hasattr(x, "dtype"):
        return _dtypes.as_dtype(x.dtype).as_numpy_dtype
    if isinstance(x, (list, tuple)):
        found = tensor(x).dtype
        if _holds_tensor(x) or found.is_bool:
            return _dtypes.BY_CORE[found].as_numpy_dtype
        return 1 if found.is_integer else 1j if found.is_complex else 1.0  # numbers in lists give way, too
    return _dtypes.as_dtype(x).as_numpy_dtype


def joined(*values: Any) -> str:
    """The name of the dtype that values have together."""
    import numpy

    name = numpy.result_type(*map(kind_of, values)).name
    free = all(_is_number(x) or isinstance(x, (list, tuple)) for x in values)
    return preferred(name) if free else name


def tensor(x: Any, dtype: Any = None) -> Any:
    """The core tensor of an argument."""
    if dtype is not None:
        kind = _dtypes.as_dtype(dtype).core
        t = tensor(x)
        return t if t.dtype is kind else _core.astype(t, kind)
    if isinstance(x, TensorLike):
        return x._core_value()
    if isinstance(x, (list, tuple)) and _holds_tensor(x):
        return _core.stack(together(*x))
    if hasattr(x, "dtype") and not isinstance(x, (list, tuple)):
        return to_core(x)
    import numpy

    array = numpy.asarray(x)
    return _core.asarray(array.astype(preferred(array.dtype.name)))


def _holds_tensor(x):
    return any(isinstance(v, TensorLike) or isinstance(v, (list, tuple)) and _holds_tensor(v) for v in x)


def together(*values: Any, kind: str = "same") -> list[Any]:
    """Core tensors of the dtype that values have together; kind "float": a float."""
    name = joined(*values)
    if kind == "float" and not name.startswith(("float", "bfloat", "complex")):
        name = preferred("float64")
    return [tensor(x, name) for x in values]


def as_kind(x: Any, kind: str) -> Any:
    """The core tensor of an argument of a function of a kind (see _numpy_rules)."""
    t = tensor(x)
    if kind == "float" and t.dtype.kind in "iub":
        return _core.astype(t, _dtypes.as_dtype(preferred("float64")).core)
    if kind == "wide" and t.dtype.kind in "iub":
        return _core.astype(t, _core.uint64 if t.dtype.kind == "u" else _core.int64)
    return t


def _unary(name):
    kind, f = _numpy_rules.UNARY[name]
    return lambda x: wrap(f(as_kind(x, kind)))


def _binary(name):
    kind, f = _numpy_rules.BINARY[name]
    return lambda x1, x2: wrap(f(*together(x1, x2, kind=kind)))


def _reduction(name):
    kind, f = _numpy_rules.REDUCE[name]
    return lambda a, axis=None, keepdims=None: wrap(
        f(as_kind(a, kind), axis=axes_or_none(axis), keepdims=bool(keepdims))
    )


def defined(module: dict[str, Any], name: str, f: Callable[..., Any], doc: str) -> None:
    """A function of the module, with its name and docstring."""
    f.__name__ = f.__qualname__ = name
    f.__doc__, f.__module__ = doc, module["__name__"]
    module[name] = in_graph(f)


def from_rules(module: dict[str, Any], unary: str, binary: str, reductions: str) -> None:
    """Functions of _numpy_rules by name, or by another=name."""
    for names, make, doc in (
        (unary, _unary, "NumPy's {} of each element."),
        (binary, _binary, "NumPy's {} of two arrays, element by element."),
        (reductions, _reduction, "NumPy's {} along axes, of all elements unless given."),
    ):
        for word in names.split():
            name, _, like = word.partition("=")
            defined(module, name, make(like or name), doc.format(name))
