"""Types of what a function returns, when it becomes a node: it is traced on arguments of the given types."""

from __future__ import annotations

import math
import re as _re
import typing as _t

from .. import _core
from . import dtypes
from ._callbacks import ShapesUnknown
from ._graph_tensor import GraphTensor, GraphVariable, Ref, Slot, leaves_of, rebuild, slots_of
from ._shape import TensorShape
from ._tensor import wrap
from ._trace import state
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from typing import Any


EXTENTS = (2, 3, 1, 4, 8, 12, 32, 48, 784)  # tried for extents that are not known, until two work
_LARGE = 37  # tried besides: windows of pools and strides give small extents the same result
_RANKS = (2, 1, 0, 3, 4)
# What fails on shapes that are values: the result is of unknown shape and of the dtype of this argument.
_BY_VALUE = {"reshape": 0, "broadcast_to": 0, "tile": 0, "fill": 1, "slice": 0, "pad": 0, "getitem": 0, "gather": 0}
# Errors whose remedy is a cast: a dtype that does not fit, which is a TypeError where a graph is built.
_OF_DTYPES = _re.compile(
    r"; use tf\.cast|; cast |; convert one|do not mix|(integers|real numbers|floats) are needed|"
    r"(must be|is one of) (\w+, |\w+ or )*(int|float|complex)\d+"
)
_MOST_STATIC = 1 << 12  # elements of a value that is remembered


class Probed:
    """structure: of the result, its tensors marked; types: (dtype, shape, value if it is known) of each; captured:
    tensors that the function took from outside.
    """

    def __init__(self, structure: Any, types: list[Any], captured: list[GraphTensor]) -> None:
        self.structure, self.types, self.captured = structure, types, captured


class _Captured(BaseException):
    """The function asks for a tensor that is not one of its arguments."""

    def __init__(self, tensor):
        self.tensor = tensor


class _Values:
    """What stands for graph tensors while a function is traced."""

    def __init__(self, values):
        self.values = values

    def value_of(self, x):
        if x not in self.values:
            raise _Captured(x)
        return self.values[x]

    def live(self, variable):
        return prototype(variable)


class Running:
    """`with`: graph tensors have the values of this runner."""

    def __init__(self, runner: Any) -> None:
        self.runner = runner

    def __enter__(self) -> None:
        self.outer = state.graph, state.runner
        state.graph, state.runner = None, self.runner

    def __exit__(self, *error: Any) -> None:
        state.graph, state.runner = self.outer


def identity(x: Any) -> Any:
    """The value of a variable."""
    return wrap(_core.identity(x._core_value()))


def prototype(variable: GraphVariable) -> Any:
    """A variable of this type, for probes."""
    if variable._store is None:
        variable._store = new_variable(variable)
    return variable._store


def new_variable(variable: GraphVariable) -> Any:
    """A live variable of zeros, of the type of one of a graph. Not in a trace, where zeros are no values."""
    from ._variable import Variable

    outer, state.graph = state.graph, None
    try:
        zeros = _core.zeros(concrete(variable.shape, 2, 2), dtype=variable.dtype.core)
        return Variable(wrap(zeros), trainable=variable.trainable, name=variable.node.name)
    finally:
        state.graph = outer


def concrete(shape: TensorShape, extent: int, rank: int, other: tuple[int, int] | None = None) -> list[int]:
    """The shape with numbers where it is not known; other: an axis and its extent, if it is not known."""
    known = [None] * rank if shape.rank is None else list(shape)
    out = [extent if d is None else d for d in known]
    if other is not None and -len(out) <= other[0] < len(out) and known[other[0]] is None:
        out[other[0]] = other[1]
    return out


def trace(function: Any, specs: list[Any], name: str = "probe") -> Any:
    """Traces a function of tf's tensors, that gives a list of core tensors or None: the program, not compiled yet."""

    def body(*symbolic):
        state.depth += 1  # as in a tf.function
        try:
            return function(*[wrap(x) for x in symbolic]) or [_core.zeros(())]
        finally:
            state.depth -= 1

    return _core._trace_program(body, specs, name)


def _once(function, args, kwargs, inputs, extent, rank, other=None):
    """(structure, [(dtype, shape, value)]) for these extents, as concrete()."""
    found = []

    def body(*symbolic):
        values = {x: x.static for x in inputs if x.static is not None}
        values |= dict(zip([x for x in inputs if x.static is None], symbolic))
        runner = _Values(values)

        def take(x):
            return runner.live(x.variable) if isinstance(x, Ref) else runner.value_of(x)

        with Running(runner):
            structure, tensors = slots_of(function(*rebuild(take, list(args)), **rebuild(take, kwargs)))
            found.append((structure, [_type_of(x) for x in tensors]))

    unknown = [x for x in inputs if x.static is None]
    trace(body, [_core.TensorSpec(concrete(x.shape, extent, rank, other), x.dtype.core) for x in unknown])
    return found[0]


def _type_of(x):
    if x.dtype is dtypes.string:  # a value of Python
        return dtypes.string, list(x.shape), x
    t = x._core_value()
    value = _core._static_value(t) if t.size <= _MOST_STATIC else None
    return dtypes.BY_CORE[t.dtype], list(t.shape), None if value is None else wrap(value)


def probe(graph: Any, function: Any, args: Any, kwargs: Any) -> Probed:
    """What a function returns; extents that follow an unknown one are unknown.

    ValueError for arguments that the function refuses.
    """
    graph.check_open()
    inputs = _inputs(graph, args, kwargs)
    first, captured = len(inputs), []
    while True:
        try:
            structure, types = _types(graph, function, args, kwargs, inputs)
            return Probed(structure, types, inputs[first:])
        except _Captured as needed:
            _check_graph(graph, [*inputs, needed.tensor])
            inputs.append(needed.tensor)
            captured.append(needed.tensor)


def _inputs(graph, args, kwargs):
    out = list(dict.fromkeys(x for x in leaves_of([list(args), kwargs]) if isinstance(x, GraphTensor)))
    _check_graph(graph, out)
    return out


def _check_graph(graph, tensors):
    for x in tensors:
        if x.graph is not graph:
            other = next((y for y in tensors if y.graph is not x.graph), None)
            beside = f"{other}" if other is not None else "what is made"
            raise ConversionError(f"{x} must be from the same graph as {beside} (graphs are {x.graph} and {graph}).")
        if graph.inside[: len(x.node.inside)] != x.node.inside and not isinstance(x, GraphVariable):
            raise ConversionError(f"{x} is out of scope: it was made in a branch or loop; return it from there")


def _types(graph, function, args, kwargs, inputs):
    traced = [x for x in inputs if x.static is None]
    open_rank = any(x.shape.rank is None for x in traced)
    open_extents = open_rank or any(not x.shape.is_fully_defined() for x in traced)
    results, first_error = [], None

    def tried(*made_up):
        nonlocal first_error
        try:
            return [_once(function, args, kwargs, inputs, *made_up)]
        except (_core.Error, TypeError, ValueError, IndexError) as error:
            first_error = first_error or error
            return []

    try:
        for rank in _RANKS if open_rank else (0,):
            results += _of_rank(tried, traced, rank) if open_extents else tried(2, rank)
            if len({str([len(shape) for _, shape, _ in types]) for _, types in results}) > 1:
                break  # of all ranks
    except ShapesUnknown:  # Python has to run before its results have shapes
        return _of_python(args, kwargs)
    if not results:
        results = _by_ancestors(graph, function, args, kwargs, inputs)
    if not results:
        results = _by_dummies(function, args, kwargs, inputs)
    if not results:
        return _by_value(function, args, kwargs, inputs, first_error)
    if len({len(types) for _, types in results}) > 1:
        raise ConversionError(
            "the number of results depends on an extent that is not known while the graph is built; give it as a number, "
            "such as num= of tf.unstack"
        )
    structure, types = results[0]
    return structure, [_merged(column) for column in zip(*(types for _, types in results))]


def _of_rank(tried, traced, rank):
    """Results for several extents of one rank; where only one fits, for others of one axis at a time."""
    results, first = [], None
    for extent in EXTENTS:
        if found := tried(extent, rank):
            results += found
            first = first or extent
        if len(results) == 2:
            return results + tried(_LARGE, rank)
    if results:
        axes = range(max(rank if x.shape.rank is None else x.shape.rank for x in traced))
        for axis in (*axes, *(axis - len(axes) for axis in axes)):
            results += tried(first, rank, (axis, first + 1)) or tried(first, rank, (axis, 2 * first))
    return results


def _of_python(args, kwargs):
    """What py_function and numpy_function return, whose dtypes are their third argument."""
    given = kwargs["Tout"] if "Tout" in kwargs else args[2]
    listed = isinstance(given, (list, tuple))
    types = [(dtypes.as_dtype(getattr(t, "dtype", t)), None, None) for t in (given if listed else [given])]
    return [Slot] * len(types) if listed else Slot, types


def _merged(column):
    """One type of those that a result has for several extents and ranks."""
    dtype, shape, value = column[0]
    if any(len(other) != len(shape) for _, other, _ in column):
        return dtype, None, None
    merged = [a if all(a == b for b in extents) else None for a, *extents in zip(*(other for _, other, _ in column))]
    same = all(v is value or v is not None is not value and _equal(v, value) for _, _, v in column)
    return dtype, merged, value if same and merged == list(shape) else None


def _equal(a, b):
    if a.dtype is dtypes.bfloat16:  # which NumPy has not
        a, b = (wrap(_core.astype(x._core_value(), _core.float32)) for x in (a, b))
    return a.shape == b.shape and bool((a.numpy() == b.numpy()).all())


def made_up(tensors: Any) -> Any:
    """(extent, rank) to try for what is not known of the shapes of tensors."""
    ranks = _RANKS if any(x.shape.rank is None for x in tensors) else (2,)
    return ((extent, rank) for rank in ranks for extent in EXTENTS)


def _by_ancestors(graph, function, args, kwargs, inputs):
    """The same through all that the inputs depend on, for what needs the numbers of a shape."""
    if all(x.node.role == "placeholder" for x in inputs) or not inputs:
        return []
    results = []
    for attempt in made_up(graph.ends([x.node for x in inputs])):
        try:
            results.append(graph.probe_call(function, args, kwargs, inputs, attempt))
        except (_core.Error, TypeError, ValueError, IndexError):
            continue
        if len(results) == 2:
            break
    return results


def _by_dummies(function, args, kwargs, inputs):
    """Types for ones, zeros and different numbers: of what has a shape that depends on values. Empty if it fails."""
    results = []
    for fill in (_core.ones, _core.zeros, _counted):
        for extent in EXTENTS:
            made = {x: wrap(fill(tuple(concrete(x.shape, extent, 1)), dtype=x.dtype.core)) for x in inputs}
            runner = _Values({x: value if x.static is None else x.static for x, value in made.items()})

            def take(x, runner=runner):
                return runner.live(x.variable) if isinstance(x, Ref) else runner.value_of(x)

            try:
                with Running(runner):
                    structure, tensors = slots_of(function(*rebuild(take, list(args)), **rebuild(take, kwargs)))
                    results.append((structure, [_type_of(x)[:2] + (None,) for x in tensors]))
                break
            except (_core.Error, TypeError, ValueError, IndexError):
                continue
    return results if len({len(types) for _, types in results}) == 1 else []


def _counted(shape, dtype):
    """0, 1, ... of twice the first extent, or true and false."""
    shape = (2 * shape[0], *shape[1:]) if shape else shape
    return _core.astype(_core.reshape(_core.arange(math.prod(shape)), shape), dtype)


def _by_value(function, args, kwargs, inputs, error):
    name = getattr(function, "__name__", "").strip("_")
    if name == "reshape" and (wanted := _static_ints(args[1:2] or [kwargs.get("shape")])):
        return Slot, [(args[0].dtype, [None if d < 0 else d for d in wanted], None)]
    values = [x for x in inputs if x.dtype.is_integer and x.static is None]
    if name in _BY_VALUE and values and len(args) > _BY_VALUE[name] and "traced" in str(error):
        subject = args[_BY_VALUE[name]]
        if isinstance(subject, GraphTensor):
            return slots_of(wrap(_core.zeros((), dtype=subject.dtype.core)))[0], [(subject.dtype, None, None)]
    if isinstance(error, _core.Error) and _OF_DTYPES.search(str(error)):
        raise _core.InvalidTypeError(str(error)) from error
    if isinstance(error, (TypeError, ValueError)) or not isinstance(error, _core.Error):
        raise error
    raise ConversionError(str(error)) from error


def _static_ints(values):
    """Numbers of a shape; None if some are not known, or an argument is no graph tensor's."""
    value = values[0]
    value = value.static if isinstance(value, GraphTensor) else value
    try:
        return [int(d) for d in (value.numpy() if hasattr(value, "numpy") else value)]
    except (TypeError, ValueError, _core.Error):
        return None
