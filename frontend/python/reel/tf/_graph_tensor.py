"""What a tf.Graph is made of: operations, tensors, variables."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import dtypes, nest
from ._operators import PythonOperators
from ._shape import TensorShape
from ._slices import IndexedSlices
from ._tensor import TensorLike, wrap
from ._trace import state
from .errors import ConversionError, OperatorNotAllowedInGraphError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Ref:
    """An argument that is the live variable of a session, not its value."""

    __slots__ = ("variable",)

    def __init__(self, variable: GraphVariable) -> None:
        self.variable = variable

    @property
    def node(self) -> Node:
        return self.variable.node


class Sub:
    """A function made of nodes, the body of a branch or loop: parameters, and results in a structure.

    captured: tensors from outside that its nodes take.
    """

    def __init__(self, parameters: list[GraphTensor], structure: Any, results: list[Any], first: int) -> None:
        self.parameters, self.structure, self.results = parameters, structure, results
        seen, todo, self.captured = set(), [x.node if isinstance(x, GraphTensor) else x for x in results], []
        inside = {x.node for x in parameters}
        for node in todo:
            if node in seen or node in inside:
                continue
            seen.add(node)
            if node.id < first:
                self.captured.append(node)
            else:
                todo += node.before()


_NESTED = (list, tuple, dict, slice, IndexedSlices)


def rebuild(f: Callable[[Any], Any], x: Any) -> Any:
    """The structure with f of what is of a graph; what is not stays."""
    if isinstance(x, (GraphTensor, Ref, Sub)):
        return f(x)
    if not isinstance(x, _NESTED) or isinstance(x, TensorShape):
        return x
    if isinstance(x, dict):
        return {key: rebuild(f, value) for key, value in x.items()}
    if isinstance(x, slice):
        return slice(rebuild(f, x.start), rebuild(f, x.stop), rebuild(f, x.step))
    if isinstance(x, IndexedSlices):
        if not isinstance(x.values, GraphTensor) and not isinstance(x.indices, GraphTensor):
            return x
        out = IndexedSlices.__new__(IndexedSlices)
        out.values, out.indices = rebuild(f, x.values), rebuild(f, x.indices)
        out.dense_shape = rebuild(f, x.dense_shape)
        return out
    parts = [rebuild(f, part) for part in x]
    if hasattr(x, "_fields"):
        return type(x)(*parts)
    return parts if isinstance(x, list) else tuple(parts)


def leaves_of(x: Any) -> list[Any]:
    """What is of a graph in a structure of arguments."""
    if isinstance(x, (GraphTensor, Ref, Sub)):
        return [x]
    if not isinstance(x, _NESTED) or isinstance(x, TensorShape):
        return []
    if isinstance(x, dict):
        x = x.values()
    elif isinstance(x, slice):
        x = (x.start, x.stop, x.step)
    elif isinstance(x, IndexedSlices):
        x = (x.values, x.indices, x.dense_shape)
    return [leaf for part in x for leaf in leaves_of(part)]


class Node:
    """An operation: one call of a function, arguments with GraphTensors in them, what else must run before.

    role: call; placeholder, variable; assign: it changes the variables of its Refs; gradients; host: its result is made
    by Python when the rest has run.
    """

    __slots__ = (
        "graph",
        "id",
        "name",
        "type",
        "function",
        "args",
        "kwargs",
        "control",
        "role",
        "captured",
        "outputs",
        "structure",
        "types",
        "depth",
        "inside",
        "override",
        "device",
        "first",
        "special",
        "__weakref__",
    )
    graph: Any
    name: str
    type: str

    def __init__(self, graph, name, type, function=None, args=(), kwargs=None, role="call"):
        graph.check_open()
        self.graph, self.type, self.function, self.role = graph, type, function, role
        self.args, self.kwargs = tuple(args), kwargs or {}
        self.id, self.depth, self.inside = len(graph.nodes), graph.depth, graph.inside
        self.name = name[:-1] if name.endswith("/") else graph.unique_name(name)
        self.control, self.captured, self.outputs = list(graph.control), [], []
        self.structure, self.types, self.first, self.special = None, [], False, None
        self.override = graph.override_of(type)
        device = graph.devices[-1] if graph.devices else None
        self.device = (device(self) if callable(device) else device) or ""
        graph.nodes.append(self)
        graph.by_name[self.name] = self

    def make_outputs(self, structure: Any, types: list[tuple[Any, Any, Any]]) -> Any:
        """Its results as GraphTensors in a structure whose leaves they are; itself if there are none."""
        for dtype, shape, static in types:
            self.add_output(dtype, shape).static = static
        self.structure = structure
        if not types:
            return self
        tensors = iter(self.outputs)
        return rebuild_structure(structure, lambda: next(tensors))

    def add_output(self, dtype: dtypes.DType, shape: Any) -> GraphTensor:
        out = GraphTensor(self, len(self.outputs), dtype, shape)
        self.outputs.append(out)
        return out

    @property
    def known(self) -> bool:
        """Whether its results are known without its inputs' values: tf.shape and zeros_like of known shapes."""
        return (
            self.role == "call"
            and bool(self.outputs)
            and all(x.static is not None for x in self.outputs)
            and any(x.static is None for x in self.inputs)
        )

    def before(self) -> list[Node]:
        """Nodes that must run before."""
        out = list(self.control) + [x.node for x in self.captured]
        if self.known:
            return list(self.control)
        for x in leaves_of([list(self.args), self.kwargs]):
            out += x.captured if isinstance(x, Sub) else [x.node]
        return out

    @property
    def inputs(self) -> tuple[GraphTensor, ...]:
        """The tensors that it takes."""
        return tuple(x for x in leaves_of([list(self.args), self.kwargs]) if isinstance(x, GraphTensor))

    @property
    def control_inputs(self) -> list[Node]:
        return list(self.control)

    @property
    def op_def(self) -> Node:
        return self

    @property
    def node_def(self) -> Node:
        return self

    @property
    def op(self) -> str:
        """The type, as node_def.op."""
        return self.type

    @property
    def input(self) -> list[str]:
        """Names of the inputs, as node_def.input."""
        return [x.name.removesuffix(":0") for x in self.inputs] + ["^" + n.name for n in self.control]

    @property
    def traceback(self) -> list[Any]:
        return []

    def get_attr(self, name: str) -> Any:
        """dtype, T, shape, value and the keyword arguments of the call; ValueError for others."""
        if name in ("dtype", "T", "DstT", "out_type") and self.outputs:
            return self.outputs[0].dtype
        if name == "shape" and self.outputs:
            return self.outputs[0].shape
        if name in self.kwargs and not isinstance(self.kwargs[name], GraphTensor):
            return self.kwargs[name]
        raise ConversionError(f"Operation '{self.name}' has no attr named '{name}'.")

    def values(self) -> tuple[GraphTensor, ...]:
        return tuple(self.outputs)

    def colocation_groups(self) -> list[bytes]:
        return [b"loc:@" + self.name.encode()]

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs it in a session."""
        default_session("Cannot execute operation using `run()`", session).run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self) -> str:
        inputs = "".join(f'\ninput: "{name}"' for name in self.input)
        return f'name: "{self.name}"\nop: "{self.type}"{inputs}\n'


def rebuild_structure(structure: Any, next_tensor: Callable[[], Any]) -> Any:
    """The structure with tensors in the places that Slot marks."""
    if structure is Slot:
        return next_tensor()
    if isinstance(structure, _Slices):
        return IndexedSlices(next_tensor(), next_tensor(), structure.shape)
    if nest.is_nested(structure):
        return nest.map_structure(lambda x: rebuild_structure(x, next_tensor), structure)
    return structure


class Slot:
    """Marks the place of a tensor in the structure of a result."""


class _Slices:
    """Marks the place of IndexedSlices."""

    def __init__(self, shape):
        self.shape = shape


def slots_of(result: Any) -> tuple[Any, list[Any]]:
    """The structure of a result, its tensors marked, and the tensors."""
    tensors = []

    def mark(x):
        if isinstance(x, IndexedSlices):
            tensors.extend([x.values, x.indices])
            return _Slices(tuple(x.shape))
        if isinstance(x, _core.Variable) and isinstance(x, TensorLike):
            x = x.value()
        if isinstance(x, TensorLike):
            tensors.append(x)
            return Slot
        return x

    return nest.map_structure(mark, result), tensors


class GraphTensor(PythonOperators):
    """One of the results of an operation."""

    __slots__ = ("node", "index", "_dtype", "_shape", "static", "__weakref__")

    def __init__(self, node, index, dtype, shape):
        self.node, self.index, self._dtype, self.static = node, index, dtype, None
        self._shape = TensorShape(shape)

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def ndim(self) -> int | None:
        return self._shape.rank

    @property
    def name(self) -> str:
        return f"{self.node.name}:{self.index or 0}"

    @property
    def op(self) -> Node:
        return self.node

    @property
    def value_index(self) -> int:
        return self.index or 0

    @property
    def graph(self) -> Any:
        return self.node.graph

    @property
    def device(self) -> str:
        return self.node.device

    def consumers(self) -> list[Node]:
        """The operations that take it."""
        return [n for n in self.graph.get_operations() if any(x is self for x in n.inputs)]

    def set_shape(self, shape: Any) -> None:
        """Says more about the shape; ValueError if it does not fit."""
        new, old = shape if isinstance(shape, TensorShape) else TensorShape(shape), self._shape
        if new.rank is None:
            return
        if old.rank is None:
            self._shape = new
            return
        if len(new) != len(old):
            raise ConversionError(f"Shapes must be equal rank, but are {len(old)} and {len(new)}: {old} and {new}")
        for axis, (a, b) in enumerate(zip(old, new)):
            if a is not None and b is not None and a != b:
                raise ConversionError(
                    f"Dimension {axis} in both shapes must be equal, but are {a} and {b}. Shapes are {list(old)} and "
                    f"{list(new)}."
                )
        self._shape = TensorShape([b if a is None else a for a, b in zip(old, new)])

    def _core_value(self):
        if state.runner is not None:
            return state.runner.value_of(self)._core_value()
        raise _core.InvalidTypeError(
            f"{self} has no value while its graph is built; fetch it with Session.run, and build with functions of tf"
        )

    def numpy(self) -> Any:
        if state.runner is not None:
            return self._core_value().numpy()
        raise AttributeError(f"'{self.name}' is of a graph and has no numpy(): fetch it with Session.run")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise _core.UnimplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that you're "
            "trying to pass a Tensor to a NumPy call, which is not supported."
        )

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Its value, by the default session."""
        return default_session("Cannot evaluate tensor using `eval()`", session).run(self, feed_dict)

    def __len__(self) -> int:
        raise _core.InvalidTypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than `len(x)` for "
            "shape information."
        )

    def __iter__(self):
        raise OperatorNotAllowedInGraphError(
            "Iterating over a symbolic `tf.Tensor` is not allowed: its value is not known while the graph is built; use "
            "tf.unstack, or tf.while_loop"
        )

    def __bool__(self) -> bool:
        if state.runner is not None:
            return bool(wrap(self._core_value()))
        raise OperatorNotAllowedInGraphError(
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed in a graph: its value is not known while the "
            "graph is built. Use tf.cond(pred, true_fn, false_fn) or tf.while_loop(cond, body, loop_vars)"
        )

    def __getitem__(self, key: Any) -> Any:
        if state.graph is None and state.runner is not None:
            return wrap(self._core_value())[key]
        return self.graph.call(_getitem, (self, key))

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self._shape} dtype={self._dtype.name}>"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __str__(self) -> str:
        shape = "" if self._shape.rank is None else f", shape={self._shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name})'

    __hash__ = object.__hash__


def _getitem(x, key):
    return x[key]


class GraphVariable(GraphTensor):
    """A variable of a graph: each use reads what it is when a session gets there."""

    __slots__ = ("initial", "initializer", "reading", "_trainable", "constraint", "_store", "scoped")

    def setup(self, initial: Any, trainable: bool, options: dict[str, Any]) -> None:
        self.initial, self._trainable, self._store = initial, trainable, None
        self.constraint, self.scoped = options.get("constraint"), None

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def initial_value(self) -> Any:
        return self.initial

    @property
    def handle(self) -> GraphVariable:
        return self

    @property
    def create(self) -> Node:
        return self.initializer

    def value(self) -> Any:
        return self.graph.call(_graph_identity, (self,), name="ReadVariableOp", type="ReadVariableOp")

    def read_value(self) -> Any:
        """What it is now, in the order of control dependencies."""
        return self.graph.call(_graph_identity, (self,), name="Identity", type="Identity")

    def initialized_value(self) -> Any:
        """The initial value."""
        return self.initial

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """An operation that assigns, as a tensor: the value then."""
        return self._result(self.assignment(value, name or "AssignVariableOp"), read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        return self._result(
            self._changed(lambda v, x: v.assign_add(x), delta, name or "AssignAddVariableOp"), read_value
        )

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        return self._result(
            self._changed(lambda v, x: v.assign_sub(x), delta, name or "AssignSubVariableOp"), read_value
        )

    def _result(self, tensor, read_value):
        return tensor if read_value else tensor.node

    def assignment(self, value: Any, name: str, first: bool = False) -> GraphTensor:
        """An operation that gives it a value, its first one or another."""
        value = self._operand(value)
        if not self.shape.is_compatible_with(value.shape):
            raise ConversionError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable shape {self.shape}, and the "
                f"assigned value shape {value.shape} are incompatible."
            )
        return self.change(lambda v, x: v.assign(x), [value], name, "AssignVariableOp", first=True)

    def _changed(self, function, delta, name):
        return self.change(function, [self._operand(delta)], name, "AssignAddVariableOp")

    def _operand(self, value):
        if isinstance(value, IndexedSlices) and isinstance(value.values, GraphTensor):
            return value
        return self.graph.convert(value, self.dtype)

    def change(
        self, function: Callable[..., Any], args: list[Any], name: str, type: str, first: bool = False
    ) -> GraphTensor:
        """An operation that runs function(live variable, *args); first: it needs no value before."""
        node = Node(self.graph, name, type, function, [Ref(self), *args], role="assign")
        node.first = first
        return node.add_output(self.dtype, self._shape if self._shape.rank is not None else None)

    def scatter(self, method: str, indices: Any, updates: Any, name: str | None = None) -> GraphTensor:
        """An operation that calls a method of the variable with IndexedSlices."""
        convert = self.graph.convert
        args = [convert(indices, dtype_hint="int32"), convert(updates, self.dtype)]
        return self.change(
            lambda v, i, u: getattr(v, method)(IndexedSlices(u, i)), args, name or method, "ResourceScatterUpdate"
        )

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """The rows at some indices."""
        return self.graph.call(_rows, (self, indices), name=name or "Gather", type="ResourceGather")

    def gather_nd(self, indices: Any, name: str | None = None) -> Any:
        """What is at tuples of indices."""
        return self.graph.call(_places, (self, indices), name=name or "GatherNd", type="ResourceGatherNd")

    def eval(self, session: Any = None) -> Any:
        """Its value in a session, the default one if none is given."""
        return default_session("Cannot evaluate variable using `eval()`", session).run(self)

    def load(self, value: Any, session: Any = None) -> None:
        """Gives it a value in a session, without an operation."""
        default_session("Cannot load a variable", session).load(self, value)

    def is_initialized(self, name: str | None = None) -> GraphTensor:
        """Whether it has a value when a session gets there."""
        node = Node(self.graph, name or "VarIsInitializedOp", "VarIsInitializedOp", None, [Ref(self)], role="host")
        node.function = lambda session, variable: session.is_initialized(variable)
        return node.add_output(dtypes.as_dtype("bool"), ())

    def count_up_to(self, limit: int) -> GraphTensor:
        raise _core.UnimplementedError("count_up_to is deprecated and not here; use assign_add and tf.less")

    @property
    def live(self) -> Any:
        """The variable of the session that runs."""
        return state.runner.live(self)

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self._shape} dtype={self._dtype.name}>"

    __str__ = __repr__
    __hash__ = object.__hash__


def _rows(x, indices):
    from . import _array

    return _array.gather(wrap(x._core_value()), indices)


def _places(x, indices):
    from . import _array

    return _array.gather_nd(wrap(x._core_value()), indices)


def _graph_identity(x):
    return wrap(_core.identity(x._core_value()))


def default_session(what: str, session: Any = None) -> Any:
    """The session given, or the innermost one that is open on this thread."""
    session = session or (state.sessions[-1] if state.sessions else None)
    if session is None:
        raise ConversionError(
            f"{what}: No default session is registered. Use `with sess.as_default()` or pass an explicit session to "
            "`eval(session=sess)` or `run(session=sess)`"
        )
    return session
