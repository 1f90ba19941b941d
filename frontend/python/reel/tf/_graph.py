"""tf.Graph of version 1: calls are kept as nodes, which Session.run evaluates.

On a thread that builds a graph, the public functions of reel.tf (in_graph of _trace) return a GraphTensor, whose type
is found by tracing the function on arguments of the given types (_graph_probe).
"""

from __future__ import annotations

import typing as _t
from contextlib import contextmanager as _contextmanager

from .. import _core
from . import _graph_control, _graph_operators, _graph_probe, dtypes
from ._convert import convert_to_tensor
from ._graph_names import default_names
from ._graph_tensor import GraphTensor, GraphVariable, Node, Ref, leaves_of, slots_of
from ._tensor import TensorLike
from ._trace import state
from .errors import ConversionError, NotFoundError, StateError

if _t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    from ..typing import DTypeLike

_convert = convert_to_tensor.__wrapped__  # at once, while a graph is built too


class _Lookup(NotFoundError, KeyError):
    """A name that the graph does not have; a KeyError."""

    __str__ = Exception.__str__


class Building:
    """`with`: calls on this thread are nodes of the graph, or run at once if it is None."""

    def __init__(self, graph: Graph | None) -> None:
        self.graph = graph

    def __enter__(self) -> Graph | None:
        self.outer, state.graph = state.graph, self.graph
        return self.graph

    def __exit__(self, *error: Any) -> None:
        state.graph = self.outer


class _OnHost:
    """A function of strings, which compiled code does not have, as what a session calls."""

    def __init__(self, function, kwargs):
        self.function, self.kwargs = function, kwargs

    def __call__(self, session, *args):
        return slots_of(self.function(*args, **self.kwargs))[1]


class Graph(_graph_control.ControlFlow):
    """Nodes in the order they were made; `with graph.as_default():` builds."""

    building_function = differentiated = False

    def __init__(self) -> None:
        self.nodes, self.by_name, self.names, self.stack = [], {}, {}, ""
        self.control, self.depth, self.inside, self.seed, self.sources = [], 0, (), None, set()
        self.collections, self.finalized, self.overrides, self.devices, self.scope = {}, False, [], [], None

    # Building.
    def as_default(self) -> AbstractContextManager[Graph]:
        """A context manager: functions of tf add nodes to this graph."""
        return Building(self)

    def finalize(self) -> None:
        """From now on nothing can be added."""
        self.finalized = True

    def check_open(self) -> None:
        if self.finalized:
            raise StateError("Graph is finalized and cannot be modified.")

    def call(self, function: Any, args: Any, kwargs: Any = None, name: str | None = None, type: str | None = None):
        """A node that calls a function; what it returns, as GraphTensors."""
        kwargs = kwargs or {}
        default, kind = default_names(function)
        given = kwargs.get("name")
        probed = _graph_probe.probe(self, function, args, kwargs)
        node = Node(self, given if isinstance(given, str) else name or default, type or kind, function, args, kwargs)
        node.captured = probed.captured
        if any(dtype is dtypes.string for dtype, _, _ in probed.types):
            node.role, node.function = "host", _OnHost(function, node.kwargs)
        return node.make_outputs(probed.structure, probed.types)

    def convert(self, value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Any:
        """tf.convert_to_tensor: what is of the graph stays."""
        if isinstance(value, GraphTensor):
            value = value.value() if isinstance(value, GraphVariable) else value
            if dtype is not None and value.dtype is not dtypes.as_dtype(dtype):
                raise ConversionError(
                    f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for Tensor with dtype "
                    f"{value.dtype.name}: {value!r}"
                )
            return value
        return self.call(_convert, (value, dtype, dtype_hint), {"name": name} if name else {})

    def placeholder(
        self, dtype: DTypeLike, shape: Iterable[int | None] | None = None, name: str | None = None
    ) -> GraphTensor:
        """A value that is fed to Session.run; without a shape of any rank."""
        node = Node(self, name or "Placeholder", "Placeholder", role="placeholder")
        shape = (shape,) if isinstance(shape, int) else shape
        return node.add_output(dtypes.as_dtype(dtype), shape)

    def variable(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **options,
    ) -> GraphVariable:
        """A variable of the graph, with the value that its initializer will give it."""
        self.check_open()
        if initial_value is None:
            raise ConversionError("The `initial_value` arg to `tf.Variable` must be specified.")
        with self.name_scope(name or "Variable") as scope:
            full = scope[:-1]
            with self.name_scope("Initializer"):
                if callable(initial_value) and not isinstance(initial_value, TensorLike):
                    initial_value = initial_value()
                if isinstance(initial_value, GraphVariable):
                    initial_value = initial_value.read_value()
                if not isinstance(initial_value, GraphTensor):
                    initial_value = self.convert(initial_value, dtype, name="initial_value")
                elif dtype is not None and initial_value.dtype is not dtypes.as_dtype(dtype):
                    raise ConversionError(
                        f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for Tensor with dtype "
                        f"{initial_value.dtype.name}: {initial_value!r}"
                    )
        node = Node(self, full + "/", "VarHandleOp", role="variable")
        out = GraphVariable(node, None, initial_value.dtype, options.get("shape") or initial_value.shape)
        out.setup(initial_value, trainable is not False, options)
        node.outputs = [out]
        with self.name_scope(full + "/"):
            Node(self, "IsInitialized/VarIsInitializedOp", "VarIsInitializedOp", lambda: True)
            out.initializer = out.assignment(initial_value, "Assign", first=True).node
            out.reading = self.call(_graph_probe.identity, (out,), name="Read/ReadVariableOp", type="ReadVariableOp")
        keys = options.get("collections")
        keys = ["variables"] if keys is None else list(keys)
        if out.trainable and "trainable_variables" not in keys:
            keys.append("trainable_variables")
        self.add_to_collections(keys, out)
        return out

    @property
    def variables(self) -> list[GraphVariable]:
        return self.get_collection("variables")

    # Names.
    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """The name in the scope that is open, with a number behind it if it is taken."""
        full = f"{self.stack}/{name}" if self.stack else name
        key = full.lower()
        count = self.names.get(key, 0)
        if mark_as_used:
            self.names[key] = count + 1
        if count:
            base = key
            while key in self.names:
                key = f"{base}_{count}"
                count += 1
            if mark_as_used:
                self.names[key] = 1
            full = f"{full}_{count - 1}"
        return full

    @_contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """What is made inside has names that begin with this one; name/ enters a scope again, None leaves all."""
        outer = self.stack
        if not name:
            self.stack = ""
        else:
            self.stack = name[:-1] if name.endswith("/") else self.unique_name(name)
        try:
            yield self.stack + "/" if self.stack else ""
        finally:
            self.stack = outer

    def get_name_scope(self) -> str:
        return self.stack

    def get_operations(self) -> list[Node]:
        """The operations in the order they were made; those of branches and loops are not among them."""
        return [n for n in self.nodes if n.depth == 0]

    def get_operation_by_name(self, name: str) -> Node:
        """KeyError for a name that is not there."""
        if not isinstance(name, str):
            raise _core.InvalidTypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False)

    def get_tensor_by_name(self, name: str) -> GraphTensor:
        """The tensor "operation:index"; KeyError if there is none."""
        if not isinstance(name, str):
            raise _core.InvalidTypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_operation=False)

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The tensor or operation that an object or a name stands for."""
        if isinstance(obj, str):
            return self._named(obj, allow_tensor, allow_operation)
        if isinstance(obj, GraphTensor) and allow_tensor or isinstance(obj, Node) and allow_operation:
            if obj.graph is not self:
                kind = "Tensor" if isinstance(obj, GraphTensor) else "Operation"
                raise ConversionError(f"{kind} {obj} is not an element of this graph.")
            return obj
        wanted = " or ".join(["Tensor"] * allow_tensor + ["Operation"] * allow_operation)
        raise _core.InvalidTypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")

    def _named(self, name, allow_tensor, allow_operation):
        operation, colon, index = name.partition(":")
        if colon and allow_tensor:
            node = self.by_name.get(operation)
            if node is None or not index.isdigit():
                raise _Lookup(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, {operation!r}, does not "
                    "exist in the graph."
                )
            if int(index) >= len(node.outputs):
                raise _Lookup(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, {operation!r}, exists but "
                    f"only has {len(node.outputs)} outputs."
                )
            return node.outputs[int(index)]
        if not colon and allow_operation:
            if name not in self.by_name:
                raise _Lookup(f"The name {name!r} refers to an Operation not in the graph.")
            return self.by_name[name]
        if colon:
            raise ConversionError(f"The name {name!r} appears to refer to a Tensor, not an Operation.")
        raise ConversionError(
            f"The name {name!r} refers to an Operation, not a Tensor. Tensor names must be of the form "
            '"<op_name>:<output_index>".'
        )

    @property
    def version(self) -> int:
        """Grows with every operation."""
        return len(self.nodes)

    # Collections.
    def add_to_collection(self, name: Any, value: Any) -> None:
        self.check_open()
        self.collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        for name in dict.fromkeys([names] if isinstance(names, str) else names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        return self.collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """The values, those only whose names match the scope."""
        import re

        values = list(self.collections.get(name, []))
        if scope is None:
            return values
        return [x for x in values if hasattr(x, "name") and re.match(scope, x.name)]

    def get_all_collection_keys(self) -> list[Any]:
        return [key for key in self.collections if isinstance(key, str)]

    def clear_collection(self, name: Any) -> None:
        self.check_open()
        self.collections.pop(name, None)

    # What is made inside.
    @_contextmanager
    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Iterator[None]:
        """What is made inside runs after these operations and tensors; None: after none of those outside either."""
        outer = self.control
        self.control = [] if control_inputs is None else outer + [self._operation(x) for x in control_inputs]
        try:
            yield
        finally:
            self.control = outer

    def _operation(self, x):
        if isinstance(x, (GraphTensor, Ref)):
            return x.node
        if isinstance(x, Node):
            return x
        if hasattr(x, "indices") and hasattr(x, "values"):
            return self._operation(x.values)
        if isinstance(x, TensorLike):
            return self.convert(x).node
        raise _core.InvalidTypeError(f"control_dependencies: {x!r} is no tensor or operation of the graph")

    @_contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """All runs on the CPU; op.device says what was asked for."""
        self.devices.append(device_name_or_function)
        try:
            yield
        finally:
            self.devices.pop()

    @_contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Means nothing on one CPU."""
        yield

    @_contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Means nothing in one process."""
        yield container_name

    @_contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Operations of these types, made inside, have the registered gradients (tf.RegisterGradient) of these names."""
        if not isinstance(op_type_map, dict):
            raise _core.InvalidTypeError("`op_type_map` must be a dictionary mapping strings to strings")
        if not all(isinstance(x, str) for pair in op_type_map.items() for x in pair):
            raise _core.InvalidTypeError("Keys and values of `op_type_map` must be strings")
        self.overrides.append(op_type_map)
        try:
            yield
        finally:
            self.overrides.pop()

    def override_of(self, kind: str) -> str | None:
        for overrides in reversed(self.overrides):
            if kind in overrides:
                return overrides[kind]
        return None

    # Feeding and fetching.
    def prevent_feeding(self, tensor: GraphTensor) -> None:
        self.get_collection_ref(("unfeedable",)).append(tensor)

    def is_feedable(self, tensor: GraphTensor) -> bool:
        return not any(x is tensor for x in self.collections.get(("unfeedable",), []))

    def prevent_fetching(self, op: Node) -> None:
        self.get_collection_ref(("unfetchable",)).append(op)

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        node = tensor_or_op.node if isinstance(tensor_or_op, GraphTensor) else tensor_or_op
        return not any(x is node for x in self.collections.get(("unfetchable",), []))

    def as_graph_def(self, *args: Any, **kwargs: Any) -> Any:
        raise _core.UnimplementedError(
            "as_graph_def: graphs of tf.compat.v1 have no GraphDef here; list graph.get_operations(), or export a "
            "tf.function"
        )


_default = []
_graph_operators.install()


def default_graph() -> Graph:
    """The graph being built, or the process's own."""
    if state.graph is not None:
        return state.graph
    if not _default:
        _default.append(Graph())
    return _default[0]


def check_same_graph(graph: Graph, args: Any, kwargs: Any) -> None:
    """ValueError for a tensor of another graph."""
    first = None
    for x in leaves_of([list(args), kwargs]):
        if isinstance(x, GraphTensor):
            first = first or x
            if x.graph is not first.graph or x.graph is not graph:
                raise ConversionError(
                    f"{x} must be from the same graph as {first if x is not first else graph} (graphs are {x.graph} and "
                    f"{first.graph if x is not first else graph})."
                )


def __getattr__(name: str) -> Any:
    """Session, which foreign test suites look for here."""
    if name != "Session":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ._session import Session

    return Session
