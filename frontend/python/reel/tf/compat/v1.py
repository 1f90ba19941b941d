"""TensorFlow 1's names for building graphs, running sessions and training; all else is reel.tf's.

graph = tf.compat.v1.Graph()
with graph.as_default(), tf.compat.v1.Session() as session:
    x = tf.compat.v1.placeholder(tf.float32, [])
    y, = tf.compat.v1.gradients(x * x, [x])
    session.run(y, {x: 3.0})        # 6.0
"""

from __future__ import annotations as _annotations

import typing as _t
from contextlib import contextmanager as _contextmanager

from .. import _array, _graph
from .. import autodiff as _autodiff
from .. import dtypes as _dtypes
from .. import random as _random
from .._graph import Graph as Graph
from .._graph import Session as Session
from .._trace import executing_eagerly as executing_eagerly
from .._trace import state as _state
from .._variable import Variable as Variable
from ..errors import ConversionError as _ConversionError
from ..keras import initializers as _initializers
from . import _v1_layers, _v1_train

if _t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ...typing import DTypeLike

InteractiveSession = Session
Tensor = _graph.GraphTensor
Operation = _graph.Node
get_default_graph = _graph.default_graph
layers = _v1_layers
train = _v1_train
float32, float64, int32, int64 = (_dtypes.BY_NAME[n] for n in ("float32", "float64", "int32", "int64"))
random_normal, random_uniform, truncated_normal = _random.normal, _random.uniform, _random.truncated_normal
set_random_seed = _random.set_seed
zeros_initializer, ones_initializer = _initializers.Zeros, _initializers.Ones
constant_initializer, random_normal_initializer = _initializers.Constant, _initializers.RandomNormal
glorot_uniform_initializer = _initializers.GlorotUniform
gradients, hessians = _autodiff.gradients, _autodiff.hessians


def __getattr__(name: str) -> Any:
    import importlib

    return getattr(importlib.import_module("reel.tf"), name)


def disable_eager_execution() -> None:
    """From now on this thread builds the default graph."""
    _state.graph = get_default_graph()


def enable_eager_execution(config: object = None, device_policy: object = None, execution_mode: object = None) -> None:
    """From now on this thread runs ops at once."""
    _state.graph = None


def _graph_now(what):
    if _state.graph is None:
        raise _ConversionError(
            f"tf.{what} is not compatible with eager execution: use it inside `with "
            "tf.Graph().as_default():`, or call tf.compat.v1.disable_eager_execution() first"
        )
    return _state.graph


def placeholder(dtype: DTypeLike, shape: Iterable[int | None] | None = None, name: str | None = None) -> Tensor:
    """A value that is fed to Session.run; None in the shape stands for extents that are not known."""
    return _graph_now("placeholder").placeholder(dtype, shape, name)


def get_variable(
    name: str, shape: Any = None, dtype: DTypeLike = _dtypes.float32, initializer: Any = None, trainable: bool = True
) -> Any:
    """A new variable of this name; the initializer is a value or a callable of shape and dtype."""
    if initializer is None or callable(initializer):
        initializer = _initializers.get(initializer or "glorot_uniform")(shape, _dtypes.as_dtype(dtype))
    return Variable(initializer, trainable=trainable, name=name, dtype=dtype)


def group(*inputs: Tensor | Operation, name: str | None = "group") -> Operation:
    """An operation that runs others."""
    graph = _graph_now("group")
    node = _graph.Node(graph, name or "group", lambda: None)
    node.control += [x.node if isinstance(x, Tensor) else x for x in inputs]
    return node


def no_op(name: str | None = "NoOp") -> Operation:
    """An operation that does nothing."""
    return group(name=name)


@_contextmanager
def control_dependencies(control_inputs: Iterable[Tensor | Operation]) -> Iterator[None]:
    """What is made inside runs after these operations and tensors."""
    graph = _graph_now("control_dependencies")
    graph.control.append([x.node if isinstance(x, Tensor) else x for x in control_inputs])
    try:
        yield
    finally:
        graph.control.pop()


def global_variables() -> list[Any]:
    """All variables of the graph."""
    return list(_graph_now("global_variables").variables)


def trainable_variables(scope: object = None) -> list[Any]:
    """Its trainable variables."""
    return [v for v in _graph_now("trainable_variables").variables if v.trainable]


def variables_initializer(var_list: Iterable[Any], name: str | None = "init") -> Operation:
    """An operation that gives variables their first values."""
    return group(*[v.initializer for v in var_list], name=name)


def global_variables_initializer() -> Any:
    """An operation that gives all variables their first values; nothing when eager."""
    return None if executing_eagerly() else variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """An operation that does nothing."""
    return no_op("init_local")


def reset_default_graph() -> None:
    """Starts a new default graph."""
    _graph._default[:] = [Graph()]
    if _state.graph is not None:
        _state.graph = _graph._default[0]


def assign(ref: Any, value: Any) -> Any:
    """ref.assign(value)."""
    return ref.assign(value)


def assign_add(ref: Any, value: Any) -> Any:
    """ref.assign_add(value)."""
    return ref.assign_add(value)


def assign_sub(ref: Any, value: Any) -> Any:
    """ref.assign_sub(value)."""
    return ref.assign_sub(value)


identity = _array.identity
