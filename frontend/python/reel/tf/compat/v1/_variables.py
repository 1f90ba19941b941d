"""Variables of version 1: tf.compat.v1.Variable, assign and scatter functions, initialisation, collections."""

from __future__ import annotations

import typing as _t

from .... import _core
from ... import _array, _variable, dtypes, math
from ..._convert import convert_to_tensor
from ..._graph_tensor import GraphVariable, Node
from ..._trace import executing_eagerly, state
from ...errors import ConversionError, StateError

if _t.TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class GraphKeys:
    """Names of collections."""

    GLOBAL_VARIABLES = VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    TRAIN_OP = "train_op"
    EVAL_STEP = "eval_step"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


class Variable(_variable.Variable):
    """A variable: of the graph that is built, or a tf.Variable when eager."""

    def __new__(
        cls,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: object = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: Any = None,
        expected_shape: object = None,
        import_scope: object = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: object = None,
        aggregation: object = None,
        shape: Any = None,
        **options: Any,
    ) -> Any:
        if options:
            raise _core.InvalidTypeError(f"Variable: there is no option {next(iter(options))!r}")
        if not validate_shape and shape is None:
            raise ConversionError("Variable: validate_shape=False is not here: the shape of a variable is fixed")
        graph = state.graph
        if graph is None:
            return _variable.Variable(initial_value, trainable=trainable, name=name, dtype=dtype, constraint=constraint)
        given = {"collections": collections, "constraint": constraint, "shape": shape}
        return graph.variable(initial_value, trainable, name, dtype, **given)


def graph_now(what: str) -> Any:
    """The graph that is built; RuntimeError when eager."""
    if state.graph is None:
        raise _Eager(
            f"tf.{what} is not compatible with eager execution: use it inside `with tf.Graph().as_default():`, or call "
            "tf.compat.v1.disable_eager_execution() first"
        )
    return state.graph


class _Eager(StateError, ValueError):
    """What needs a graph."""


def _collection(key):
    def listing(scope: str | None = None) -> list[Any]:
        return [] if state.graph is None else state.graph.get_collection(key, scope)

    listing.__doc__ = f"The collection {key!r} of the graph: those whose names match the scope, or all."
    return listing


global_variables, local_variables = _collection("variables"), _collection("local_variables")
trainable_variables, model_variables = _collection("trainable_variables"), _collection("model_variables")
moving_average_variables = _collection("moving_average_variables")
all_variables = _collection("variables")


def group(*inputs: Any, **kwargs: Any) -> Any:
    """An operation that is done when all inputs are; None when eager."""
    name = kwargs.pop("name", None)
    if kwargs:
        raise ConversionError(f"Unknown keyword arguments: {', '.join(kwargs)}")
    if state.graph is None:
        return None
    graph = state.graph
    flat = []
    todo = list(inputs)
    while todo:
        x = todo.pop(0)
        if isinstance(x, (list, tuple)):
            todo = list(x) + todo
        elif x is not None:
            flat.append(x)
    with graph.control_dependencies(flat):
        return Node(graph, name or "group_deps", "NoOp")


def no_op(name: str | None = None) -> Any:
    """An operation that does nothing; None when eager."""
    return None if state.graph is None else Node(state.graph, name or "NoOp", "NoOp")


def variables_initializer(var_list: Iterable[Any], name: str = "init") -> Any:
    """An operation that gives variables their first values."""
    if state.graph is None or not var_list:
        return no_op(name)
    return group(*[v.initializer for v in var_list], name=name)


def global_variables_initializer() -> Any:
    """An operation that gives all variables their first values; nothing when eager."""
    return no_op("init") if executing_eagerly() else variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """An operation that gives local variables their first values."""
    return no_op("init") if executing_eagerly() else variables_initializer(local_variables())


def tables_initializer(name: str = "init_all_tables") -> Any:
    """An operation that does nothing: there are no tables."""
    return no_op(name)


initialize_variables, initialize_all_variables = variables_initializer, global_variables_initializer
initialize_local_variables, initialize_all_tables = local_variables_initializer, tables_initializer


def is_variable_initialized(variable: Any) -> Any:
    """Whether a variable has a value."""
    return variable.is_initialized() if isinstance(variable, GraphVariable) else convert_to_tensor(True)


def report_uninitialized_variables(var_list: Any = None, name: str = "report_uninitialized_variables") -> Any:
    """The names of variables that have no value, when a session gets there."""
    import numpy as np

    graph = graph_now("report_uninitialized_variables")
    listed = global_variables() + local_variables() if var_list is None else list(var_list)

    def run(session):
        names = [v.node.name.encode() for v in listed if v not in session.initialized]
        return [np.array(names, dtype=object)]

    node = Node(graph, name, "ReportUninitialized", run, role="host")
    return node.add_output(dtypes.float32, [None])


def assert_variables_initialized(var_list: Any = None) -> Any:
    """An operation that fails for variables without a value."""
    graph = graph_now("assert_variables_initialized")
    listed = global_variables() + local_variables() if var_list is None else list(var_list)

    def run(session):
        session.check(listed)
        return []

    return Node(graph, "assert_variables_initialized", "Assert", run, role="host")


def assign(
    ref: Any, value: Any, validate_shape: bool | None = None, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """ref.assign(value)."""
    if validate_shape is False:
        raise ConversionError("assign: validate_shape=False is not here: the shape of a variable is fixed")
    return ref.assign(value, name=name)


def assign_add(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """ref.assign_add(value)."""
    return ref.assign_add(value, name=name)


def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """ref.assign_sub(value)."""
    return ref.assign_sub(value, name=name)


def _scatter(kind, row_op, nd):
    """A function that changes rows (or elements, nd) of a variable by an op of tensors."""

    def change(v, indices, updates):
        x = v.value()
        if not nd:
            indices = _array.expand_dims(indices, -1)
        return v.assign(row_op(x, indices, updates))

    def scatter(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
        if isinstance(ref, GraphVariable):
            convert = ref.graph.convert
            indices = convert(indices, dtype_hint=dtypes.int32)
            updates = convert(updates, ref.dtype)
            return ref.change(change, [indices, updates], name or kind, "ResourceScatterUpdate")
        change(ref, convert_to_tensor(indices, dtype_hint=dtypes.int32), convert_to_tensor(updates, ref.dtype))
        return ref

    scatter.__name__ = scatter.__qualname__ = kind
    scatter.__doc__ = f"{kind} of tensors, on a variable."
    return scatter


def _broadcast(op):
    def call(x, indices, updates):
        wanted = list(indices.shape)[:-1] + list(x.shape)[indices.shape[-1] :]
        return op(x, indices, updates if list(updates.shape) == wanted else _array.broadcast_to(updates, wanted))

    return call


def _negated(x, indices, updates):
    return _array.tensor_scatter_nd_add(x, indices, -updates)


def _product(x, indices, updates):
    """For each row the product of its updates, ones for rows without."""
    return math.unsorted_segment_prod(updates, _array.reshape(indices, [-1]), x.shape[0])


def _multiplied(x, indices, updates):
    return x * _product(x, indices, updates)


def _divided(x, indices, updates):
    return x / _product(x, indices, updates)


_OPS = {
    "update": _array.tensor_scatter_nd_update,
    "add": _array.tensor_scatter_nd_add,
    "sub": _negated,
    "max": _array.tensor_scatter_nd_max,
    "min": _array.tensor_scatter_nd_min,
    "mul": _multiplied,
    "div": _divided,
}
scatter_update, scatter_add, scatter_sub, scatter_max, scatter_min, scatter_mul, scatter_div = [
    _scatter("scatter_" + kind, _broadcast(op), False) for kind, op in _OPS.items()
]
scatter_nd_update, scatter_nd_add, scatter_nd_sub = [
    _scatter("scatter_nd_" + kind, _OPS[kind], True) for kind in ("update", "add", "sub")
]


def add_to_collection(name: Any, value: Any) -> None:
    """Puts a value in a collection of the graph."""
    graph_or_default().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Puts a value in several collections."""
    graph_or_default().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """The values of a collection, those whose names match the scope, or all."""
    return graph_or_default().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """The list that a collection is."""
    return graph_or_default().get_collection_ref(key)


def graph_or_default() -> Any:
    """The graph that is built, or the process's own."""
    from ..._graph import default_graph

    return default_graph()


__all__ = [
    "GraphKeys",
    "Variable",
    "global_variables",
    "local_variables",
    "trainable_variables",
    "model_variables",
    "moving_average_variables",
    "all_variables",
    "group",
    "no_op",
    "variables_initializer",
    "global_variables_initializer",
    "local_variables_initializer",
    "tables_initializer",
    "initialize_variables",
    "initialize_all_variables",
    "initialize_local_variables",
    "initialize_all_tables",
    "is_variable_initialized",
    "report_uninitialized_variables",
    "assert_variables_initialized",
    "assign",
    "assign_add",
    "assign_sub",
    "scatter_update",
    "scatter_add",
    "scatter_sub",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_div",
    "scatter_nd_update",
    "scatter_nd_add",
    "scatter_nd_sub",
    "add_to_collection",
    "add_to_collections",
    "get_collection",
    "get_collection_ref",
]
