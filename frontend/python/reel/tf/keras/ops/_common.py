"""What functions of keras.ops share: the dtypes of Keras, symbols of functional models, names in tables."""

from __future__ import annotations as _annotations

import functools as _functools
import types as _types
import typing as _t

from .... import _core
from ... import _dtypes, _numpy_rules
from ..._args import axes_or_none
from ..._convert import to_core
from ..._tensor import TensorLike, wrap
from ..._trace import in_graph
from .. import _symbolic
from .._floatx import floatx

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_INTS = ["int8", "int16", "int32", "int64"]
_UINTS = ["uint8", "uint16", "uint32"]
_FLOATS = ["float16", "float32", "float64"]


def joined(a: str, b: str) -> str:
    """The dtype of two that meet: the larger; floats before integers, integers before bools."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    for kind in ("complex", "float", "bfloat"):
        if a.startswith(kind) != b.startswith(kind) and not {a, b} & {"bfloat16"}:
            return a if a.startswith(kind) else b
    if "bfloat16" in (a, b):
        other = b if a == "bfloat16" else a
        return "bfloat16" if "int" in other else "float32" if other == "float16" else other
    if a.startswith("complex"):
        return "complex128"
    for order in (_FLOATS, _INTS, _UINTS):
        if a in order and b in order:
            return max(a, b, key=order.index)
    signed, unsigned = (a, b) if a in _INTS else (b, a)
    enough = _INTS[min(_UINTS.index(unsigned) + 1, 3)] if unsigned in _UINTS else "int64"
    return max(signed, enough, key=_INTS.index)


def _weak(x):
    return isinstance(x, (bool, int, float)) and not hasattr(x, "dtype")


def result_type(*values: Any) -> str:
    """The dtype of values that meet: of tensors, arrays, names of dtypes and the classes int and float, which give way."""
    found = None
    weak = [x for x in values if x is int or x is float or _weak(x)]
    for x in values:
        if isinstance(x, str):
            found = x if found is None else joined(found, x)
        elif hasattr(x, "dtype"):
            name = _dtypes.as_dtype(x.dtype).name
            found = name if found is None else joined(found, name)
        elif isinstance(x, (list, tuple)):
            name = to_core(x).dtype.name
            found = name if found is None else joined(found, name)
    if any(x is float or isinstance(x, float) for x in weak):
        if found is None or not found.startswith(("float", "bfloat", "complex")):
            return floatx()
    elif any(x is int or isinstance(x, int) and not isinstance(x, bool) for x in weak):
        if found in (None, "bool"):
            return "int32"
    return found or "bool"


def tensor(x: Any, dtype: Any = None) -> Any:
    """The core tensor of an argument; lists with floats in them are of floatx."""
    if dtype is not None:
        kind = _dtypes.as_dtype(dtype).core
        t = x._core_value() if isinstance(x, TensorLike) else to_core(x) if hasattr(x, "dtype") else to_core(x, None)
        return t if t.dtype is kind else _core.astype(t, kind)
    if isinstance(x, float) and not hasattr(x, "dtype"):
        return to_core(x, _dtypes.as_dtype(floatx()).core)
    return to_core(x)


def together(*values: Any, kind: str = "same") -> list[Any]:
    """Core tensors of the dtype that they have together; kind "float": a float."""
    name = result_type(*values, *([float] if kind == "float" else []))
    return [tensor(x, name) for x in values]


_WIDE = {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}


def as_kind(x: Any, kind: str) -> Any:
    """The core tensor of an argument of a function of a kind (see _numpy_rules)."""
    t = tensor(x)
    if kind == "float" and t.dtype.kind in "iub":
        return _core.astype(t, _dtypes.as_dtype(floatx()).core)
    if kind == "wide" and t.dtype.name in _WIDE:
        return _core.astype(t, _dtypes.as_dtype(_WIDE[t.dtype.name]).core)
    return t


def unary(name: str, doc: str, like: str | None = None) -> Callable[..., Any]:
    """The function of a name of _numpy_rules.UNARY."""
    kind, f = _numpy_rules.UNARY[like or name]

    def op(x: Any) -> Any:
        return wrap(f(as_kind(x, kind)))

    return named(op, name, doc)


def binary(name: str, doc: str, like: str | None = None, names: str = "x1") -> Callable[..., Any]:
    """The function of a name of _numpy_rules.BINARY."""
    kind, f = _numpy_rules.BINARY[like or name]
    if names == "x1":

        def op(x1: Any, x2: Any) -> Any:
            return wrap(f(*together(x1, x2, kind=kind)))

        return named(op, name, doc)

    def of_bits(x: Any, y: Any) -> Any:
        return wrap(f(*together(x, y, kind=kind)))

    return named(of_bits, name, doc)


def reduction(name: str, doc: str, like: str | None = None) -> Callable[..., Any]:
    """The function of a name of _numpy_rules.REDUCE."""
    kind, f = _numpy_rules.REDUCE[like or name]

    def op(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return wrap(f(as_kind(x, kind), axis=axes_or_none(axis), keepdims=keepdims))

    return named(op, name, doc)


def named(f: Callable[..., Any], name: str, doc: str) -> Callable[..., Any]:
    """A function with its name and docstring."""
    f.__name__ = f.__qualname__ = name
    f.__doc__ = doc
    return f


def _symbolic_too(f):
    @_functools.wraps(f)
    def op(*args, **kwargs):
        if _symbolic.holds_symbol(args, kwargs):
            return _symbolic.apply(f, f.__name__, args, kwargs)
        return f(*args, **kwargs)

    return in_graph(op)


def publish(module: dict[str, Any], *plain: str) -> None:
    """Makes the public functions of a module take symbols and tensors of graphs; not those that are `plain`."""
    made: dict[Any, Any] = {}
    for name, f in list(module.items()):
        if isinstance(f, _types.FunctionType) and not name.startswith("_") and name not in plain:
            if f.__module__ in (module["__name__"], __name__):
                if f not in made:
                    made[f] = _symbolic_too(f)
                module[name] = made[f]


def exported(module: dict[str, Any]) -> list[str]:
    """The public functions of a module, for __all__."""
    return sorted(n for n, f in module.items() if not n.startswith("_") and callable(f) and not isinstance(f, type))
