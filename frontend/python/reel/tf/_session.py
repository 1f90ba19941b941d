"""Session of version 1: compiles what is fetched, and keeps the values of variables."""

from __future__ import annotations

import collections as _collections
import collections.abc
import typing as _t
import warnings as _warnings

import numpy as _np

from .. import _core
from . import _function_graph, _graph, _graph_probe, _graph_run, dtypes, nest
from ._callbacks import ShapesUnknown
from ._graph_tensor import GraphTensor, GraphVariable, Node
from ._shape import TensorShape
from ._slices import IndexedSlices
from ._tensor import TensorLike, wrap
from ._trace import state
from .errors import ConversionError, StateError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._graph import Graph

IndexedSlicesValue = _collections.namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])
_MOST_PLANS = 256  # of a session; beyond them the oldest goes


class _Plan:
    """What a session runs for fetches and types of feeds: a program, and what Python does after it."""

    def __init__(self, session, nodes, fetched, fed):
        self.session, self.fetched, self.fed = session, fetched, fed
        self.keep = nodes  # ids of fetches are keys
        needed = _graph_run.needed_by(nodes, set(fed))
        self.host = _host_nodes(needed)
        compiled = [n for n in needed if n not in self.host]
        inputs = {x for n in self.host for x in n.inputs if x.node not in self.host}
        self.outputs = [x for x in dict.fromkeys([*fetched, *inputs]) if x.node not in self.host and x not in fed]
        self.nodes = [n for n in compiled if n.role != "variable" or n.outputs[0] in self.outputs]
        self.program, self.needs, self.gives = None, frozenset(), frozenset()
        self.ready, self.reason, self.tries, self.unused = False, None, 0, []
        self.first = not fed and not any(n.type == "While" or n.role == "placeholder" for n in compiled)
        self.once = bool(compiled) and not fed and not fetched and all(_initializes(n) for n in nodes)
        if any(n.role == "gradients" for n in self.host):
            self.reason = "a gradient depends on what Python computes"
            self.host, self.nodes = set(), needed
            self.outputs = [x for x in fetched if x not in fed]

    def run(self, values):
        """Values of the fetches: core tensors, or what host nodes gave."""
        results = self.compute(values)
        self.session.initialized |= self.gives
        if not self.host:
            return [results[x] if x in results else values[x] for x in self.fetched]
        runner = _graph_run.Runner(self.session.graph, {**values, **results}, self.session)
        nodes = sorted(self.host, key=lambda n: n.id)
        return runner.run(nodes, lambda: [runner.pick(x, runner.done) for x in self.fetched])

    def compute(self, values):
        if not self.nodes:
            return {}
        if self.once or self.reason or self.first:
            self.first = False
            return self.eagerly(values)
        if self.program is None:
            try:
                self.compile(values)
            except _graph_run.NotFedError as error:
                self.compile_without(values, error)
            except _graph_run.UninitializedError:
                raise
            except ShapesUnknown:  # a py_function: its results have shapes when it has run
                self.tries += 1
                if self.tries > 2:
                    return self.instead(values, "the shapes of what tf.py_function returns are not known")
                return self.eagerly(values)
            except (_core.Error, TypeError, ValueError, IndexError) as error:
                return self.instead(values, error)
        if not self.ready:
            self.session.check(self.needs)
            self.ready = True
        out = self.program([values[x] for x in self.fed] + self.unused)
        return dict(zip(self.outputs, [wrap(x) for x in out]))

    def instead(self, values, error):
        """Runs op by op what could not be compiled, if it runs so."""
        results = self.eagerly(values)
        self.reason = str(error)
        _warnings.warn(
            "Session.run: these fetches run op by op from now on, since they could not be compiled: " + self.reason,
            RuntimeWarning,
            stacklevel=6,
        )
        return results

    def _runner(self, values):
        return _graph_run.Runner(self.session.graph, values, self.session)

    def eagerly(self, values):
        runner = self._runner(values)
        out = runner.run(self.nodes, lambda: {x: runner.pick(x, runner.done) for x in self.outputs})
        self.gives = frozenset(runner.given)
        return out

    def compile_without(self, values, error):
        """Compiles what needs no more than the shapes of placeholders that are not fed; the error if it needs values."""
        needed = _graph_run.needed_by(self.nodes, set(self.fed))
        open_ends = [x for n in needed if n.role == "placeholder" for x in n.outputs]
        if not all(x.shape.is_fully_defined() and x.dtype is not dtypes.string for x in open_ends):
            raise error
        self.compile(values, open_ends)
        if any(_used_parameters(self.program)[len(self.fed) :]):
            self.program = None
            raise error
        self.unused = [_core.zeros(tuple(x.shape), dtype=x.dtype.core) for x in open_ends]

    def compile(self, values, open_ends=()):
        found = []
        for n in _graph_run.needed_by(self.nodes):
            if n.role == "variable":
                self.session.live(n.outputs[0])

        def body(*symbolic):
            runner = self._runner(dict(zip([*self.fed, *open_ends], symbolic)))
            found.append(runner)

            def then():
                return [_core.identity(runner.pick(x, runner.done)._core_value()) for x in self.outputs]

            return runner.run(self.nodes, then)

        specs = [_core.TensorSpec(list(x.shape), x.dtype) for x in (values[x]._t for x in self.fed)]
        specs += [_core.TensorSpec(list(x.shape), x.dtype.core) for x in open_ends]
        self.program = _graph_probe.trace(body, specs, "session_run")
        self.needs, self.gives = frozenset(found[-1].needs), frozenset(found[-1].given)


def _used_parameters(program):
    """For each parameter of a program whether anything reads it."""
    graph = program.graph("session_run")
    nodes = _function_graph._functions(graph.to_text(), False)[graph.name]
    read = {i.partition(":")[0] for n in nodes for i in n.input}
    return [n.name in read for n in nodes if n.op == "Placeholder"]


def _initializes(node):
    """Whether an operation gives variables their first values: it runs once."""
    if node.type == "NoOp":
        return all(_initializes(n) for n in node.control)
    return node.first


def _host_nodes(needed):
    """What Python computes, and all that depends on it."""
    out = set()
    for n in needed:
        if n.role == "host" or any(m in out for m in n.before()):
            out.add(n)
    return out


class _Fetches:
    """The leaves of what is fetched, each once, and how values are put together."""

    def __init__(self, graph, fetches):
        self.graph, self.leaves = graph, []
        self.pack = self._of(fetches)

    def _of(self, x):
        """A function that makes the value of a fetch of those of the leaves."""
        if x is None:
            raise _core.InvalidTypeError('Argument `fetch` = None has invalid type "NoneType". Cannot be None')
        if isinstance(x, dict):
            parts = {key: self._of(value) for key, value in x.items()}
            kind = _collections.OrderedDict if isinstance(x, _collections.OrderedDict) else dict
            return lambda values: kind((key, part(values)) for key, part in parts.items())
        if isinstance(x, (list, tuple)) and not isinstance(x, TensorShape):
            made = [self._of(part) for part in x]
            if hasattr(x, "_fields"):
                return lambda values: type(x)(*[part(values) for part in made])
            if isinstance(x, list):
                return lambda values: [part(values) for part in made]
            return lambda values: tuple([part(values) for part in made])
        if isinstance(x, IndexedSlices):
            made = [self._of(part) for part in (x.values, x.indices) if part is not None]
            shape = None if x.dense_shape is None else self._of(x.dense_shape)
            return lambda values: IndexedSlicesValue(
                made[0](values), made[1](values), None if shape is None else shape(values)
            )
        return self._leaf(x)

    def _leaf(self, x):
        try:
            element = self.graph.as_graph_element(x)
        except (KeyError, ConversionError) as error:  # the latter is a TypeError, too
            text = str(error)
            raise ConversionError(f"Argument `fetch` = {x} cannot be interpreted as a Tensor. ({text})") from None
        except TypeError:
            raise _core.InvalidTypeError(
                f'Argument `fetch` = {x} has invalid type "{type(x).__name__}" must be a string or Tensor. (Can not '
                f"convert a {type(x).__name__} into a Tensor or Operation.)"
            ) from None
        node = element.node if isinstance(element, GraphTensor) else element
        if node.inside or not self.graph.is_fetchable(element):
            raise ConversionError(f"Operation {element} has been marked as not fetchable.")
        if isinstance(element, GraphVariable):
            element = element.reading
        index = len(self.leaves)
        self.leaves.append(element)
        return lambda values: values[index]


class _Open:
    """The open sessions of this thread, the innermost last: what foreign test suites ask for."""

    def __len__(self):
        return len(state.sessions)

    def __getitem__(self, place):
        return state.sessions[place]


class Session:
    """run(fetches, feed_dict) computes what is fetched: tensors as NumPy arrays, operations as None, in their structure.

    The values of variables are the session's own. What is fetched is compiled once for each combination of fetches and
    types of feeds; what cannot be (a RuntimeWarning says why) runs op by op. So does initialization, and, the first time,
    what is fetched without feeds: it may never run again.
    """

    _open = _Open()

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        if target:
            raise ConversionError(f"Session: there are no servers; target {target!r} must be empty")
        if graph is not None and not isinstance(graph, _graph.Graph):
            raise _core.InvalidTypeError(f"Argument `graph` must be a tf.Graph, but got {type(graph)}")
        self._graph = graph or _graph.default_graph()
        self._config, self._closed = config, False
        self._values, self.initialized, self._plans, self._recent = {}, set(), {}, {}
        self._entered = []

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def graph_def(self) -> Any:
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> bytes:
        return b""

    def __enter__(self) -> Session:
        building = self.graph.as_default()
        building.__enter__()
        state.sessions.append(self)
        self._entered.append(building)
        return self

    def __exit__(self, *error: Any) -> None:
        self._leave(error)
        self.close()

    def _leave(self, error):
        state.sessions.remove(self)
        self._entered.pop().__exit__(*error)

    def as_default(self) -> Any:
        """A context manager: eval() and run() use this session; it stays open."""
        return _AsDefault(self)

    def close(self) -> None:
        """Forgets programs and values of variables."""
        self._closed = True
        self._plans, self._values, self._recent = {}, {}, {}

    def list_devices(self) -> list[str]:
        return ["/job:localhost/replica:0/task:0/device:CPU:0"]

    # Variables.
    def live(self, variable: GraphVariable) -> Any:
        """The variable that holds the value in this session."""
        found = self._values.get(variable)
        if found is None:
            if not variable.shape.is_fully_defined():
                raise ConversionError(f"variable {variable.name}: its shape {variable.shape} must be known")
            found = self._values[variable] = _graph_probe.new_variable(variable)
        return found

    def is_initialized(self, variable: GraphVariable) -> list[Any]:
        return [wrap(_core.asarray(variable in self.initialized))]

    def check(self, variables: Any) -> None:
        """FailedPreconditionError for a variable that has no value yet."""
        for v in variables:
            if v not in self.initialized:
                raise _graph_run.uninitialized(v)

    def load(self, variable: GraphVariable, value: Any) -> None:
        """Gives a variable a value."""
        with _graph.Building(None):
            self.live(variable).assign(_np.asarray(value, _numpy_dtype(variable.dtype)))
        self.initialized.add(variable)

    # Running.
    def run(self, fetches: Any, feed_dict: Any = None, options: object = None, run_metadata: object = None) -> Any:
        """Values of the fetches; feed_dict gives those of placeholders, or replaces those of other tensors.

        Errors: InvalidArgumentError for a placeholder that is not fed, FailedPreconditionError for a variable without a
        value, ValueError for a feed of another shape and for names and tensors that are not the graph's, TypeError for
        fetches and keys that are none.
        """
        if self._closed:
            raise StateError("Attempted to use a closed Session.")
        if feed_dict is not None and not isinstance(feed_dict, collections.abc.Mapping):
            raise _core.InvalidTypeError(f"feed_dict must be a dictionary, not a {type(feed_dict).__name__}")
        if self._graph.version == 0:
            raise StateError("The Session graph is empty. Add operations to the graph before calling run().")
        with _graph.Building(None):
            fed = self._fed(feed_dict) if feed_dict else {}
            found = _Fetches(self._graph, fetches)
            return found.pack(self._run(found.leaves, fed))

    def _run(self, leaves, fed):
        key = (tuple(map(id, leaves)), tuple([(id(x), t._t.dtype, t._t.shape) for x, t in fed.items()]))
        plan = self._plans.get(key)
        if plan is None:
            nodes = [x.node if isinstance(x, GraphTensor) else x for x in leaves]
            tensors = [x for x in leaves if isinstance(x, GraphTensor)]
            plan = _Plan(self, nodes, list(dict.fromkeys(tensors)), list(fed))
            if len(self._plans) >= _MOST_PLANS:
                self._plans.pop(next(iter(self._plans)))
            self._plans[key] = plan
        values = dict(zip(plan.fetched, plan.run(fed)))
        return [_array_of(values[x]) if isinstance(x, GraphTensor) else None for x in leaves]

    def _fed(self, feed_dict):
        out = {}
        for key, value in feed_dict.items():
            keys, values = self._feed_pairs(key, value)
            for x, v in zip(keys, values):
                out[x] = self._feed_value(x, v)
        return out

    def _feed_pairs(self, key, value):
        if isinstance(key, IndexedSlices):
            parts = [key.values, key.indices, key.dense_shape]
            return zip(*[(k, v) for k, v in zip(parts, value) if k is not None])
        if isinstance(key, tuple):  # nested keys
            flat = nest.flatten(key)
            return [self._feed_key(k) for k in flat], nest.flatten(value)
        return [self._feed_key(key)], [value]

    def _feed_key(self, key):
        try:
            element = key if isinstance(key, GraphTensor) else None
            if element is None or element.node.graph is not self._graph:
                element = self._graph.as_graph_element(key, allow_operation=False)
            return element.reading if isinstance(element, GraphVariable) else element
        except (TypeError, ValueError, KeyError) as error:
            text = str(error)
            raise _core.InvalidTypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None

    def _feed_value(self, x, value):
        if isinstance(value, TensorLike):
            raise _core.InvalidTypeError(
                "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
                f"lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was {value} which was passed "
                f"to the argument `feed_dict` with key {x}."
            )
        if not self._graph.is_feedable(x):
            raise ConversionError(f"Tensor {x} may not be fed.")
        dtype = _numpy_dtype(x.dtype)
        if type(value) is int and dtype is not None and dtype(value) != value:
            raise _core.InvalidTypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type {dtype}. Try "
                "explicitly setting the type of the feed tensor to a larger type (e.g. int64)."
            )
        array = value if isinstance(value, _np.ndarray) and value.dtype == dtype else _np.asarray(value, dtype)
        if array.dtype.kind in "OUS":
            raise _core.InvalidTypeError(f"Session.run: strings cannot be fed here: {value!r} for {x.name}")
        shape = x.shape
        if not shape.is_compatible_with(array.shape):
            raise ConversionError(
                f"Cannot feed value of shape {array.shape} for Tensor {x.name}, which has shape {shape}"
            )
        return wrap(_core.asarray(array, x.dtype.core))

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Callable[..., Any]:
        """A function of the feeds in feed_list that gives the fetches."""
        feeds = list(feed_list or [])

        def call(*args, **kwargs):
            if kwargs and not accept_options:
                raise _core.InvalidTypeError(f"make_callable: there is no option {next(iter(kwargs))!r}")
            if len(args) != len(feeds):
                raise ConversionError(f"make_callable: {len(feeds)} feeds are wanted, {len(args)} given")
            return self.run(fetches, dict(zip(feeds, args)))

        return call

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        raise _core.UnimplementedError("partial_run is not here: run all fetches at once with Session.run")

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        raise _core.UnimplementedError("partial_run is not here: run all fetches at once with Session.run")


class _AsDefault:
    def __init__(self, session):
        self.session = session

    def __enter__(self):
        self.building = self.session.graph.as_default()
        self.building.__enter__()
        state.sessions.append(self.session)
        return self.session

    def __exit__(self, *error):
        state.sessions.remove(self.session)
        self.building.__exit__(*error)


class InteractiveSession(Session):
    """A session that is the default one from the beginning, until close()."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: object = None) -> None:
        super().__init__(target, graph, config)
        self._installed = self.as_default()
        if graph is not None:
            self._installed.__enter__()
        else:
            self._installed = None
            state.sessions.append(self)

    def close(self) -> None:
        super().close()
        if self in state.sessions:
            if self._installed is not None:
                self._installed.__exit__(None, None, None)
            else:
                state.sessions.remove(self)
        self._installed = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


def _numpy_dtype(dtype):
    """NumPy's scalar type, None for dtypes that NumPy has not."""
    return None if dtype.name == "bfloat16" else getattr(_np, "bool_" if dtype.is_bool else dtype.name)


def _array_of(value):
    """A NumPy array of one's own, a NumPy scalar if there are no axes; what is no tensor stays."""
    if not isinstance(value, TensorLike):
        return value
    out = value.numpy()
    return out.copy() if isinstance(out, _np.ndarray) else out
