"""tf.device, name_scope, init_scope, control_dependencies, group and others that say where and when ops run."""

from __future__ import annotations

import contextlib as _contextlib
import threading as _threading
import time as _time
import typing as _t

from .. import _core
from ._array import no_op as _no_op
from ._device_spec import DeviceSpec
from ._tensor import Tensor, TensorLike, wrap
from ._trace import in_graph, state
from .errors import ConversionError, StateError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from logging import Logger
    from typing import Any


class _Names(_threading.local):
    prefix = ""  # of variables that are made now, with a slash at its end


_names = _Names()


def scoped(name: str) -> str:
    """A name inside the name scopes around."""
    return _names.prefix + name


def device(device_name: object) -> AbstractContextManager[None]:
    """A context manager: ops inside run on the device. All run on the one CPU, as TensorFlow's do without another.

    device_name: a text as "CPU:0" or "/job:localhost/device:CPU:0", a DeviceSpec or None. Errors: ValueError for a
    text that names no device, RuntimeError for a function.
    """
    if callable(device_name):
        raise StateError("tf.device does not support functions; pass a name such as 'CPU:0'")
    if not isinstance(device_name, (str, DeviceSpec, type(None))):
        raise ConversionError(f"Expecting a string device name. Got {type(device_name)}({device_name!r})")
    if isinstance(device_name, str):
        DeviceSpec.from_string(device_name)
    graph = state.graph
    if graph is not None and hasattr(graph, "device"):
        return graph.device(device_name)
    return _contextlib.nullcontext()


class name_scope:
    """A context manager: names of variables and graph nodes made inside begin with the name and a slash.

    `with` gives the full prefix. Errors: ValueError for a name that is no string.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ConversionError("name for name_scope must be a string.")
        self._name = name
        self._exits: list[Callable[[], Any]] = []

    @property
    def name(self) -> str:
        return self._name

    def __enter__(self) -> str:
        graph = state.graph
        if graph is not None and hasattr(graph, "name_scope"):
            scope = graph.name_scope(self._name)
            self._exits.append(lambda: scope.__exit__(None, None, None))
            return scope.__enter__()
        outer = _names.prefix
        self._exits.append(lambda: setattr(_names, "prefix", outer))
        if self._name.endswith("/"):
            _names.prefix = self._name
        else:
            _names.prefix = outer + self._name + "/" if self._name else ""
        return _names.prefix

    def __exit__(self, *error: Any) -> None:
        self._exits.pop()()


def get_current_name_scope() -> str:
    """The name scopes around, with slashes between them; empty outside of all."""
    graph = state.graph
    if graph is not None and hasattr(graph, "get_name_scope"):
        return graph.get_name_scope()
    return _names.prefix.rstrip("/")


def get_logger() -> Logger:
    """The logger called "tensorflow", on which scripts set a level; Reel itself logs nothing there."""
    from logging import getLogger

    return getLogger("tensorflow")


@_contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """What runs inside runs at once, outside the tf.function that is traced; no tape sees it.

    Errors: a traced tensor used inside is an error.
    """
    depth, convert, graph = state.depth, state.convert, state.graph
    state.depth, state.convert = 0, None
    if graph is not None and depth:
        state.graph = None
    try:
        with _core._Suspended():
            yield
    finally:
        state.depth, state.convert = depth, convert
        if graph is not None and depth:
            state.graph = graph


def control_dependencies(control_inputs: Any) -> AbstractContextManager[Any]:
    """A context manager: what is made inside runs after these.

    Eager ops and those of a tf.function run in the order of the program anyway; functions among the inputs are called.
    """
    graph = state.graph
    if graph is not None:
        if hasattr(graph, "control_dependencies"):
            return graph.control_dependencies(control_inputs)
        from .compat import v1

        return v1.control_dependencies(control_inputs or [])
    for x in control_inputs or ():
        if callable(x) and not isinstance(x, TensorLike):
            x()
    return _contextlib.nullcontext()


def group(*inputs: Any, **kwargs: Any) -> Any:
    """An operation that is done when all inputs are: nothing, but in a tf.Graph, where it is a node."""
    name = kwargs.pop("name", None)
    if state.graph is None:
        return None
    if kwargs:
        raise ConversionError(f"Unknown keyword arguments: {', '.join(kwargs)}; tf.group takes inputs and a name")
    from .compat import v1

    return v1.group(*inputs, name=name or "group_deps")


def no_op(name: str | None = None) -> Any:
    """Nothing; in a tf.Graph a node that does nothing."""
    if state.graph is None:
        return _no_op(name)
    from .compat import v1

    return v1.no_op(name=name or "NoOp")


def is_symbolic_tensor(tensor: object) -> bool:
    """Whether it is a tensor of a trace or of a tf.Graph, which has no value yet."""
    if isinstance(tensor, Tensor):
        return tensor._t.symbolic
    return isinstance(tensor, TensorLike) and type(tensor).__name__ == "GraphTensor"


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor as a NumPy array if it is known now, else None; variables have none."""
    if isinstance(tensor, Tensor):
        value = _core._static_value(tensor._t)
        return None if value is None else value.numpy()
    if not isinstance(tensor, TensorLike):
        raise _core.InvalidTypeError(f"get_static_value takes a tensor, not {type(tensor).__name__}: {tensor!r}")
    return None


@in_graph
def timestamp(name: str | None = None) -> Tensor:
    """Seconds since 1970 as float64. In a tf.function it would be that of the trace, so it raises there."""
    if state.depth:
        raise _core.UnimplementedError(
            "timestamp: compiled functions have no clock; call tf.timestamp() outside and pass its value"
        )
    return wrap(_core.asarray(_time.time(), _core.float64))
