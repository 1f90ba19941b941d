"""tf.Graph of version 1: calls are kept as nodes, which Session.run evaluates.

On a thread that builds a graph, the public functions of reel.tf (in_graph of _trace) return a GraphTensor, whose type
is found by calling the function once on values of the argument's types.
"""

from __future__ import annotations

import functools as _functools
import operator as _operator
import typing as _t

from .. import _core
from . import _array, _tensor, autodiff, dtypes, nest
from ._shape import TensorShape
from ._tape import GradientTape, unconnected_name
from ._tensor import PythonOperators, TensorLike, convert_to_tensor, wrap
from ._trace import state
from ._variable import Variable
from .errors import ConversionError, FailedPreconditionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    from ..typing import DTypeLike

_convert = convert_to_tensor.__wrapped__  # at once, while a graph is built too


class Node:
    """One call: function, arguments with GraphTensors in them, what else must run before."""

    __slots__ = ("graph", "id", "name", "function", "args", "kwargs", "control", "special")
    graph: Graph
    name: str

    def __init__(self, graph, name, function, args=(), kwargs=None, special=None):
        self.graph, self.function, self.special = graph, function, special
        self.args, self.kwargs = tuple(args), kwargs or {}
        self.id = len(graph.nodes)
        self.name = graph.unique(name)
        self.control = [d for deps in graph.control for d in deps]
        graph.nodes.append(self)

    def inputs(self) -> list[Node]:
        """Nodes that must run before."""
        leaves = nest.flatten([list(self.args), self.kwargs])
        return [x.node for x in leaves if isinstance(x, GraphTensor)] + self.control

    def run(self, feed_dict: Any = None, session: Session | None = None) -> None:
        """Runs it in a session."""
        (session or default_session()).run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}'>"


class GraphTensor(PythonOperators):
    """The result of a node, or one of several."""

    __slots__ = ("node", "index", "_dtype", "_shape", "__weakref__")

    def __init__(self, node, index, dtype, shape):
        self.node, self.index, self._dtype, self._shape = node, index, dtype, TensorShape(shape)

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def name(self) -> str:
        return f"{self.node.name}:{self.index or 0}"

    @property
    def op(self) -> Node:
        return self.node

    @property
    def graph(self) -> Graph:
        return self.node.graph

    def _core_value(self):
        raise _core.InvalidTypeError(
            f"{self} has no value while its graph is built; fetch it with Session.run, and build with functions of tf"
        )

    def eval(self, feed_dict: Any = None, session: Session | None = None) -> Any:
        """Its value, by the default session."""
        return (session or default_session()).run(self, feed_dict)

    def __len__(self) -> int:
        return self._shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(self._shape[0])])

    def __bool__(self) -> bool:
        raise _core.InvalidTypeError("Using a `tf.Tensor` as a Python `bool` is not allowed in a graph; use tf.cond")

    def __getitem__(self, key: Any) -> Any:
        return self.graph.call(_operator.getitem, (self, key), name="strided_slice")

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self._shape} dtype={self._dtype.name}>"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __str__(self) -> str:
        return f'Tensor("{self.name}", shape={self._shape}, dtype={self._dtype.name})'

    __hash__ = object.__hash__


class GraphVariable(GraphTensor):
    """A variable as a tensor of a graph: what is read when a session runs."""

    __slots__ = ("variable", "initial", "initialized", "initializer")

    @property
    def trainable(self) -> bool:
        return self.variable.trainable

    @property
    def name(self) -> str:
        return self.variable.name

    def value(self) -> Any:
        return self.graph.call(_array_identity, (self,), name="read")

    read_value = value

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> GraphTensor:
        """A node that assigns."""
        return self._change("Assign", lambda v, x: v.assign(x), value, True)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> GraphTensor:
        return self._change("AssignAdd", lambda v, x: v.assign_add(x), delta)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> GraphTensor:
        return self._change("AssignSub", lambda v, x: v.assign_sub(x), delta)

    def _change(self, name, change, value, initializes=False):
        def run(value):
            self.initialized = self.initialized or initializes
            self.check()
            return change(self.variable, value).value()

        node = Node(self.graph, name, run, (value,), special="assign")
        return GraphTensor(node, None, self.dtype, self.shape)

    def check(self) -> None:
        if not self.initialized:
            raise FailedPreconditionError(
                f"Attempting to use uninitialized value {self.variable.name[:-2]}; run "
                "tf.compat.v1.global_variables_initializer() first"
            )

    def read(self) -> _tensor.Tensor:
        self.check()
        return self.variable.value()


def _array_identity(x):
    return wrap(_core.identity(x._core_value()))


def _reflected(f):
    def reflected(x, y):
        return f(_convert(x, dtype_hint=y.dtype), y)

    return reflected


def _operators():
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
        f = getattr(_operator, name, None) or getattr(_operator, name + "_")
        setattr(GraphTensor, f"__{name}__", lambda a, b, f=f: a.graph.call(f, (a, b)))
        setattr(GraphTensor, f"__r{name}__", lambda b, a, f=f: b.graph.call(_reflected(f), (a, b)))
    for name in ("lt", "le", "gt", "ge"):
        f = getattr(_operator, name)
        setattr(GraphTensor, f"__{name}__", lambda a, b, f=f: a.graph.call(f, (a, b)))
    for name in ("neg", "abs", "invert", "pos"):
        f = getattr(_operator, name)
        setattr(GraphTensor, f"__{name}__", lambda a, f=f: a.graph.call(f, (a,)))
    GraphTensor.__eq__ = lambda a, b: a is b  # as in version 1: tensors are keys of feed_dict
    GraphTensor.__ne__ = lambda a, b: a is not b


_operators()


class _Loop:
    """What a while_loop's node repeats: placeholders of its variables, and what test and body make of them."""

    def __init__(self, variables, test, results, limit):
        self.variables, self.test, self.results, self.limit = variables, test, results, limit


class _Building:
    """`with`: calls on this thread are nodes of the graph, or run at once if it is None."""

    def __init__(self, graph):
        self.graph = graph

    def __enter__(self):
        self.outer, state.graph = state.graph, self.graph
        return self.graph

    def __exit__(self, *error):
        state.graph = self.outer


class Graph:
    """Nodes in the order they were made; `with graph.as_default():` builds."""

    def __init__(self) -> None:
        self.nodes, self.variables, self.control, self.names = [], [], [], {}

    def as_default(self) -> AbstractContextManager[Graph]:
        """A context manager: functions of tf add nodes to this graph."""
        return _Building(self)

    def unique(self, name: str) -> str:
        count = self.names.get(name, 0)
        self.names[name] = count + 1
        return f"{name}_{count}" if count else name

    def call(self, function, args, kwargs=None, name=None) -> Any:
        """A node that calls a function; what it returns, as GraphTensors."""
        kwargs = kwargs or {}
        name = kwargs.get("name") or name or function.__name__.strip("_<>")
        result = self.probe(function, args, kwargs)
        node = Node(self, name if isinstance(name, str) else "node", function, args, kwargs)
        leaves = [GraphTensor(node, i, dtype, shape) for i, (dtype, shape) in enumerate(result[1])]
        if not nest.is_nested(result[0]) and leaves:
            leaves[0].index = None
            return leaves[0]
        return nest.pack_sequence_as(result[0], leaves) if leaves else node

    def probe(self, function: Any, args: Any, kwargs: Any) -> Any:
        """(structure, types) of what a function returns; extents that follow an unknown one are unknown."""

        def at(extent):
            def value(x):
                return dummy(x, extent) if isinstance(x, GraphTensor) else x

            with _Building(None):
                return function(*nest.map_structure(value, list(args)), **nest.map_structure(value, kwargs))

        result = at(2)
        leaves = [x for x in nest.flatten(result) if isinstance(x, TensorLike)]
        unknown = any(isinstance(x, GraphTensor) and None in tuple(x.shape) for x in nest.flatten([list(args), kwargs]))
        others = [x for x in nest.flatten(at(3)) if isinstance(x, TensorLike)] if unknown else leaves
        return result, [
            (a.dtype, [m if m == n else None for m, n in zip(a.shape, b.shape)]) for a, b in zip(leaves, others)
        ]

    def variable(self, initial_value=None, trainable=None, name=None, dtype=None, **options) -> GraphVariable:
        """A variable of the graph, with the value that its initializer will give it."""
        if callable(initial_value) and not isinstance(initial_value, TensorLike):
            initial_value = initial_value()
        if initial_value is None:
            raise ConversionError("The `initial_value` arg to `tf.Variable` must be specified.")
        with _Building(None):
            value = initial_value
            if isinstance(value, GraphTensor):
                value = wrap(_core.zeros(tuple(value.shape), dtype=value.dtype.core))
            variable = Variable(value, trainable=trainable, name=self.unique(name or "Variable"), dtype=dtype)
        node = Node(self, "VariableV2", None, special="read")
        out = GraphVariable(node, None, variable.dtype, variable.shape)
        out.variable, out.initial, out.initialized = variable, initial_value, False
        node.function = out.read
        self.variables.append(out)

        def initialize(value):
            out.initialized = True
            variable.assign(dtypes.cast(_convert(value), variable.dtype))

        out.initializer = Node(self, "Assign", initialize, (initial_value,), special="assign")
        return out

    def gradients(
        self,
        ys: Any,
        xs: Any,
        grad_ys: Any = None,
        name: str | None = "gradients",
        gate_gradients: bool = False,
        aggregation_method: int | None = None,
        stop_gradients: Any = None,
        unconnected_gradients: Any = "none",
    ) -> list[GraphTensor | None]:
        """Nodes of d(sum of ys)/dx for each x; None where no y depends on x."""
        ys, xs = autodiff._list(ys, "ys"), autodiff._list(xs, "xs")
        for x in ys + xs:
            if not isinstance(x, GraphTensor):
                raise ConversionError(
                    f"gradients: {x!r} is not of the graph; make it inside `with "
                    "graph.as_default():`, by a function of tf"
                )
        unconnected = unconnected_name(unconnected_gradients)
        if aggregation_method not in (None, 0, 1, 2):
            raise ConversionError(
                f"Invalid `aggregation_method` specified {aggregation_method}. Accepted values are [0, 1, 2]."
            )
        if not isinstance(grad_ys, (list, tuple)):
            grad_ys = [grad_ys] * (len(ys) if grad_ys is None else 1)
        seeds = list(grad_ys)
        if len(seeds) != len(ys):
            raise ConversionError(
                f"Length mismatch. Passed {len(seeds)} grad_ys for {len(ys)} ys; give one for each, None for ones"
            )
        stops = [] if stop_gradients is None else autodiff._list(stop_gradients, "stop_gradients")
        special = {"ys": ys, "xs": xs, "seeds": seeds, "stops": stops, "unconnected": unconnected}
        node = Node(self, name, None, (ys, xs, seeds), special=special)
        runner = Runner(self, {}, probing=True)
        connected = runner.run([node])[node]
        return [
            None if g is None else GraphTensor(node, i, x.dtype, x.shape) for i, (g, x) in enumerate(zip(connected, xs))
        ]

    def cond(self, pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = "cond") -> Any:
        """A node that evaluates one of two branches, whose nodes are made now."""
        if not isinstance(pred, GraphTensor):
            return true_fn() if bool(pred) else false_fn()
        yes, no = true_fn(), false_fn()
        nest.assert_same_structure(yes, no)
        node = Node(self, name or "cond", None, (pred,), special=(yes, no))
        leaves = [GraphTensor(node, i, _type_of(x)[0], _type_of(x)[1]) for i, x in enumerate(nest.flatten(yes))]
        if not nest.is_nested(yes):
            leaves[0].index = None
        return nest.pack_sequence_as(yes, leaves)

    def while_loop(
        self,
        cond: Any,
        body: Any,
        loop_vars: Any,
        shape_invariants: object = None,
        parallel_iterations: int = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        maximum_iterations: int | None = None,
        name: str | None = None,
    ) -> Any:
        """A node that repeats nodes, which are made now, as long as the test holds."""
        initial = [self.convert(x) for x in nest.flatten(loop_vars)]
        first = len(self.nodes)
        variables = [self.placeholder(x.dtype, x.shape, "loop_variable") for x in initial]
        packed = nest.pack_sequence_as(loop_vars, variables)
        test, out = self.convert(cond(*packed)), body(*packed)
        if not isinstance(out, (list, tuple)):
            out = [out]
        nest.assert_same_structure(list(loop_vars), list(out), check_types=False)
        results = [self.convert(x) for x in nest.flatten(out)]
        captured = [
            x
            for n in self.nodes[first:]
            for x in nest.flatten([list(n.args), n.kwargs])
            if isinstance(x, GraphTensor) and x.node.id < first
        ]
        node = Node(
            self,
            name or "while",
            None,
            (initial, captured),
            special=_Loop(variables, test, results, maximum_iterations),
        )
        return nest.pack_sequence_as(loop_vars, [GraphTensor(node, i, x.dtype, x.shape) for i, x in enumerate(initial)])

    def convert(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """tf.convert_to_tensor: what is of the graph stays."""
        return value if isinstance(value, GraphTensor) else self.call(_convert, (value, *args), kwargs)

    def no_scan(self, *args: Any, **kwargs: Any) -> Any:
        raise _core.UnimplementedError(
            "scans and maps are not in tf.compat.v1 graphs; use tf.while_loop, or a tf.function"
        )

    def placeholder(
        self, dtype: DTypeLike, shape: Iterable[int | None] | None = None, name: str | None = None
    ) -> GraphTensor:
        """A value that is fed to Session.run."""
        if shape is None:
            raise ConversionError("placeholder: give a shape, with None for extents that are not known")
        node = Node(self, name or "Placeholder", None, special="placeholder")
        out = GraphTensor(node, None, dtypes.as_dtype(dtype), shape)
        node.function = out
        return out


def _type_of(x):
    x = x if isinstance(x, GraphTensor) else _convert(x)
    return x.dtype, x.shape


def dummy(x, extent):
    """A tensor of a graph tensor's type: ones, or zeros of integers, which are indices for all."""
    shape = tuple(extent if d is None else d for d in x.shape)
    fill = _core.zeros if x.dtype.is_integer or x.dtype.is_bool else _core.ones
    return wrap(fill(shape, dtype=x.dtype.core))


class Runner:
    """Evaluates nodes, each once, under a tape that follows what gradients are asked by.

    probing: on values of the nodes' types, to see what depends on what; nothing is fed or assigned.
    """

    def __init__(self, graph, feed, probing=False):
        self.graph, self.feed, self.probing = graph, feed, probing
        self.sources = set()
        self.tape = GradientTape(persistent=True, watch_accessed_variables=False)

    def run(self, nodes):
        """What these nodes returned, by node."""
        done = {}
        with _Building(None), self.tape:
            self.evaluate_all(nodes, done)
        return done

    def evaluate_all(self, nodes, done, replaced=()):
        needed, todo = set(), list(nodes)
        while todo:
            n = todo.pop()
            if n in needed or n in done:
                continue
            needed.add(n)
            todo += n.inputs()
            if isinstance(n.special, dict):
                self.sources.update(n.special["xs"])
                todo += [x.node for x in n.special["stops"]]
        for n in sorted(needed, key=lambda n: n.id):
            result = self.evaluate(n, done)
            if n in replaced:
                result = nest.map_structure(_array.stop_gradient, result)
            done[n] = result
            for x in self.sources:
                if x.node is n:
                    self.tape.watch(self.pick(x, done))

    def pick(self, x, done):
        """The value of a graph tensor: what was fed, or what its node returned."""
        if x in self.feed:
            value = self.feed[x] = _fed(x, self.feed[x])
            return value
        result = done[x.node]
        return result if x.index is None else nest.flatten(result)[x.index]

    def evaluate(self, node, done):
        if node.special == "placeholder":
            x = node.function
            if self.probing:
                return dummy(x, 2)
            if x not in self.feed:
                raise InvalidArgumentError(
                    f"You must feed a value for placeholder tensor '{node.name}' with dtype "
                    f"{x.dtype.type_name} and shape {x.shape}"
                )
            return self.pick(x, done)
        if isinstance(node.special, dict):
            return self.differentiate(node.special, done)
        if isinstance(node.special, _Loop):
            return self.repeat(node.special, [self.pick(x, done) for x in node.args[0]], done)
        take = _functools.partial(self.take, done=done)
        args, kwargs = nest.map_structure(take, list(node.args)), nest.map_structure(take, node.kwargs)
        if isinstance(node.special, tuple):
            branch = node.special[0] if bool(args[0]) else node.special[1]
            self.evaluate_all([x.node for x in nest.flatten(branch) if isinstance(x, GraphTensor)], done)
            return nest.map_structure(take, branch)
        if self.probing and node.special == "read":
            return node.function.__self__.variable.value()
        if self.probing and node.special == "assign":
            return args[0]
        return node.function(*args, **kwargs)

    def repeat(self, loop, values, done):
        """A loop's variables at its end. Probing: as many steps as there are variables show what depends on what."""
        limit = len(values) if self.probing else loop.limit
        steps = 0
        while limit is None or steps < int(limit):
            inner = {**done, **{x.node: value for x, value in zip(loop.variables, values)}}
            self.evaluate_all([loop.test.node], inner)
            if not self.probing and not bool(self.pick(loop.test, inner)):
                break
            self.evaluate_all([x.node for x in loop.results], inner)
            values = [self.pick(x, inner) for x in loop.results]
            steps += 1
        return values

    def take(self, x, done):
        return self.pick(x, done) if isinstance(x, GraphTensor) else x

    def differentiate(self, what, done):
        """Gradients, by the tape; with stop_gradients, of what is computed again from the stopped values."""
        if what["stops"]:
            done = self.again(what, done)
        ys = [self.pick(y, done) for y in what["ys"]]
        xs = [self.pick(x, done) for x in what["xs"]]
        seeds = [None if g is None else self.take(g, done) for g in what["seeds"]]
        return self.tape.gradient(ys, xs, seeds, what["unconnected"])

    def again(self, what, done):
        stopped = {x.node for x in what["stops"]}
        changed = set(stopped)
        for n in self.graph.nodes:
            if n in done and any(i in changed for i in n.inputs()):
                changed.add(n)
        fresh = {n: v for n, v in done.items() if n not in changed}
        self.evaluate_all([y.node for y in what["ys"]] + [x.node for x in what["xs"]], fresh, stopped)
        return fresh


def _fed(x, value):
    value = _convert(value, x.dtype) if isinstance(value, TensorLike) else _tensor.constant(value, x.dtype)
    if not x.shape.is_compatible_with(value.shape):
        raise ConversionError(
            f"Cannot feed value of shape {value.shape} for Tensor {x.name}, which has shape {x.shape}"
        )
    return value


class Session:
    """run(fetches, feed_dict) evaluates what is fetched: tensors as NumPy arrays, operations as None, in their
    structure.
    """

    _open = []

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        self.graph = graph or state.graph or default_graph()

    def __enter__(self) -> Session:
        self._building = self.graph.as_default()
        self._building.__enter__()
        Session._open.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        Session._open.remove(self)
        self._building.__exit__(*error)

    def close(self) -> None:
        """Nothing: a session holds nothing."""

    def run(self, fetches: Any, feed_dict: Any = None, options: object = None, run_metadata: object = None) -> Any:
        """Values of the fetches; feed_dict gives those of placeholders, or replaces those of other tensors."""
        leaves = nest.flatten(fetches)
        for x in leaves:
            if not isinstance(x, (GraphTensor, Node)):
                raise _core.InvalidTypeError(
                    f"Fetch argument {x!r} has invalid type {type(x)}, must be a tensor or "
                    "operation of a graph. Can not convert it."
                )
        feed = {}
        for x, value in (feed_dict or {}).items():
            if not isinstance(x, GraphTensor):
                raise _core.InvalidTypeError(
                    f"Cannot interpret feed_dict key as Tensor: {x!r} is not one of the graph's"
                )
            feed[x] = value
        runner = Runner(self.graph, feed)
        done = runner.run([x.node if isinstance(x, GraphTensor) else x for x in leaves])
        return nest.pack_sequence_as(
            fetches, [runner.pick(x, done).numpy() if isinstance(x, GraphTensor) else None for x in leaves]
        )


_default = []


def default_graph() -> Graph:
    """The graph being built, or the process's own."""
    if state.graph is not None:
        return state.graph
    if not _default:
        _default.append(Graph())
    return _default[0]


def default_session() -> Session:
    if not Session._open:
        raise ConversionError(
            "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with sess:`"
        )
    return Session._open[-1]
