"""Graphs and sessions of tf.compat.v1: placeholders, gradients, what is the default, and options."""

from __future__ import annotations

import contextlib as _contextlib
import typing as _t

from .... import _core
from ... import _array, _graph
from ... import autodiff as _autodiff
from ..._graph_tensor import GraphTensor
from ..._shape import TensorShape
from ..._trace import state
from ...debugging import check_numerics
from ...errors import ConversionError, StateError
from ._variables import graph_now, graph_or_default, group

if _t.TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager
    from typing import Any


def placeholder(dtype: Any, shape: Iterable[int | None] | None = None, name: str | None = None) -> GraphTensor:
    """A value that is fed to Session.run; None in the shape stands for extents that are not known, or for all of it."""
    return graph_now("placeholder()").placeholder(dtype, shape, name)


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """The input, which another value may be fed for, of this shape."""
    if state.graph is None:
        return _array.identity(input)
    graph = state.graph
    value = graph.convert(input)
    if not TensorShape(shape).is_compatible_with(value.shape):
        raise ConversionError(f"placeholder_with_default: the input {value} does not have the shape {shape}")
    out = graph.call(
        _placeholder_with_default, (value,), name=name or "PlaceholderWithDefault", type="PlaceholderWithDefault"
    )
    out._shape = TensorShape(shape)
    out.static = None
    return out


def _placeholder_with_default(x):
    return _array.identity.__wrapped__(x)


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> list[Any]:
    """The list of d(sum of ys)/dx for each x, in a graph or a tf.function."""
    return _autodiff.gradients(
        ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients, unconnected_gradients
    )


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Any]:
    """For each x the second derivatives of sum(ys)."""
    return _autodiff.hessians(ys, xs, gate_gradients, aggregation_method, name)


# --- what is the default ---


def disable_eager_execution() -> None:
    """From now on this thread builds the default graph."""
    if state.graph is None:
        state.graph = _graph.default_graph()


def enable_eager_execution(config: object = None, device_policy: object = None, execution_mode: object = None) -> None:
    """From now on this thread runs ops at once."""
    state.graph = None


def executing_eagerly() -> bool:
    """Whether ops run at once."""
    return state.graph is None and state.depth == 0


def executing_eagerly_outside_functions() -> bool:
    """Whether ops outside of functions run at once."""
    return state.graph is None


def disable_v2_behavior() -> None:
    """Graphs instead of eager execution; all else stays as in version 2."""
    disable_eager_execution()


def enable_v2_behavior() -> None:
    """Eager execution."""
    enable_eager_execution()


def get_default_graph() -> Any:
    """The graph being built, or the process's own."""
    return graph_or_default()


def get_default_session() -> Any:
    """The innermost open session, None if there is none."""
    return state.sessions[-1] if state.sessions else None


def reset_default_graph() -> None:
    """Starts a new default graph. AssertionError inside of `with graph.as_default()`."""
    old = _graph._default[0] if _graph._default else None
    if state.graph is not None and state.graph is not old:
        raise AssertionError("Do not use tf.reset_default_graph() to clear nested graphs")
    _graph._default[:] = [_graph.Graph()]
    if state.graph is not None:
        state.graph = _graph._default[0]


def _switch(name, on):
    def switch() -> None:
        if not on:
            raise _core.UnimplementedError(f"{name}: reel.tf always works so, and cannot be switched")

    switch.__name__ = switch.__qualname__ = name
    switch.__doc__ = "Does nothing: it is always so." if on else "Not here: it is always the other way."
    return switch


enable_resource_variables, disable_resource_variables = (
    _switch("enable_resource_variables", True),
    _switch("disable_resource_variables", True),
)
enable_control_flow_v2, disable_control_flow_v2 = (
    _switch("enable_control_flow_v2", True),
    _switch("disable_control_flow_v2", True),
)
enable_v2_tensorshape, disable_v2_tensorshape = (
    _switch("enable_v2_tensorshape", True),
    _switch("disable_v2_tensorshape", False),
)
enable_tensor_equality, disable_tensor_equality = (
    _switch("enable_tensor_equality", True),
    _switch("disable_tensor_equality", False),
)


def resource_variables_enabled() -> bool:
    """True: variables are read when an operation gets there."""
    return True


def control_flow_v2_enabled() -> bool:
    """True: branches and loops are operations that have functions."""
    return True


def control_dependencies(control_inputs: Any) -> AbstractContextManager[Any]:
    """What is made inside runs after these operations and tensors."""
    if state.graph is None:
        for x in control_inputs or ():
            if callable(x) and not hasattr(x, "dtype"):
                x()
        return _contextlib.nullcontext()
    return state.graph.control_dependencies(control_inputs)


def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[Any]:
    """Means nothing on one CPU."""
    return _contextlib.nullcontext()


def container(container_name: str) -> AbstractContextManager[str]:
    """Means nothing in one process."""
    return _contextlib.nullcontext(container_name)


def device(device_name_or_function: Any) -> AbstractContextManager[Any]:
    """All runs on the one CPU; op.device says what was asked for."""
    if state.graph is None:
        if callable(device_name_or_function):
            raise StateError("tf.device does not support functions when eager execution is enabled.")
        return _contextlib.nullcontext()
    return state.graph.device(device_name_or_function)


def get_session_handle(data: Any, name: str | None = None) -> Any:
    """Not here."""
    raise _core.UnimplementedError("get_session_handle: tensors are not kept in sessions here; use a variable")


get_session_tensor = delete_session_tensor = get_session_handle


def add_check_numerics_ops() -> Any:
    """An operation that checks all floating tensors of the graph for NaN and infinity, in the order they were made."""
    graph, checks = graph_now("add_check_numerics_ops()"), []
    for op in graph.get_operations():
        for x in op.outputs:
            if x.dtype.is_floating and op.role not in ("variable", "assign"):
                with graph.control_dependencies(checks):
                    checks = [*checks, check_numerics(x, message=x.name)]
    return group(*checks)


class _Options:
    """Options that are kept and mean nothing on one CPU."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = _Options()
        return value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"


class ConfigProto(_Options):
    """Options of a session; they mean nothing on one CPU."""


class GPUOptions(_Options):
    """Options of GPUs, of which there are none."""


class GraphOptions(_Options):
    """Options of graphs; they mean nothing here."""


class OptimizerOptions(_Options):
    """Options of the graph optimizer; they mean nothing here."""

    L0, L1, DEFAULT, OFF, ON_1, ON_2 = -1, 0, 0, -1, 1, 2


class RunOptions(_Options):
    """Options of a run; they mean nothing here."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = 0, 1, 2, 3


class RunMetadata(_Options):
    """What a run says about itself: nothing here."""


__all__ = [
    "placeholder",
    "placeholder_with_default",
    "gradients",
    "hessians",
    "disable_eager_execution",
    "enable_eager_execution",
    "executing_eagerly",
    "executing_eagerly_outside_functions",
    "disable_v2_behavior",
    "enable_v2_behavior",
    "get_default_graph",
    "get_default_session",
    "reset_default_graph",
    "enable_resource_variables",
    "disable_resource_variables",
    "enable_control_flow_v2",
    "disable_control_flow_v2",
    "enable_v2_tensorshape",
    "disable_v2_tensorshape",
    "enable_tensor_equality",
    "disable_tensor_equality",
    "resource_variables_enabled",
    "control_flow_v2_enabled",
    "control_dependencies",
    "colocate_with",
    "container",
    "device",
    "get_session_handle",
    "get_session_tensor",
    "delete_session_tensor",
    "add_check_numerics_ops",
    "ConfigProto",
    "GPUOptions",
    "GraphOptions",
    "OptimizerOptions",
    "RunOptions",
    "RunMetadata",
]
