"""Python's operators on tensors of a tf.Graph."""

from __future__ import annotations

import operator as _operator

from .. import _core
from . import _graph_names
from ._convert import convert_to_tensor
from ._graph_tensor import GraphTensor
from ._tensor import TensorLike, wrap
from ._trace import state

_convert = convert_to_tensor.__wrapped__  # at once, while a graph is built too


def _as_operand(a, b, name):
    """A number beside a graph tensor as a Const of its dtype, named as TensorFlow names it; all else as it is."""
    if isinstance(b, (bool, int, float, complex)) and state.graph is not None:
        try:
            _convert(b, dtype=a.dtype)
        except _core.Error:
            return b
        return a.graph.convert(b, a.dtype, name=name)
    return b


def _binary(name, method):
    f = getattr(_operator, name, None) or getattr(_operator, name + "_")
    kind = _graph_names.OPERATORS[name]
    default = kind if name in _graph_names.NAMED_BY_TYPE else name

    def operator(a, b):
        if state.graph is None and state.runner is not None:
            return f(wrap(a._core_value()), b)
        if b is None or isinstance(b, (str, dict)):
            return NotImplemented
        with a.graph.name_scope(default) as scope:
            b = _as_operand(a, b, "y")
        return a.graph.call(f, (a, b), name=scope, type=kind)

    def reflected(b, a):
        if state.graph is None and state.runner is not None:
            return f(a, wrap(b._core_value()))
        if a is None or isinstance(a, (str, dict)):
            return NotImplemented
        with b.graph.name_scope(default) as scope:
            a = _as_operand(b, a, "x")
        return b.graph.call(_Reflected(f), (a, b), name=scope, type=kind)

    setattr(GraphTensor, f"__{name}__", operator)
    if method:
        setattr(GraphTensor, f"__r{name}__", reflected)


class _Reflected:
    """f of a value that is no tensor and a tensor."""

    def __init__(self, f):
        self.f, self.__name__ = f, f.__name__

    def __call__(self, a, b):
        return self.f(a if isinstance(a, TensorLike) else _convert(a, dtype_hint=b.dtype), b)


def _unary(name):
    f, kind = getattr(_operator, name), _graph_names.OPERATORS[name]

    def operator(a):
        if state.graph is None and state.runner is not None:
            return f(wrap(a._core_value()))
        return a.graph.call(f, (a,), name=kind, type=kind)

    setattr(GraphTensor, f"__{name}__", operator)


def install() -> None:
    """Gives GraphTensor its operators."""
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
        _binary(name, True)
    for name in ("lt", "le", "gt", "ge"):
        _binary(name, False)
    for name in ("neg", "abs", "invert", "pos"):
        _unary(name)
    GraphTensor.__eq__ = lambda a, b: a is b  # as in version 1: tensors are keys of feed_dict
    GraphTensor.__ne__ = lambda a, b: a is not b
