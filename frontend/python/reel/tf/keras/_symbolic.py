"""Symbolic inputs: what layers called on keras.Input remember, and models that run it."""

from __future__ import annotations as _annotations

import operator as _operator
import typing as _t

from ... import _core
from .. import dtypes as _dtypes
from .. import nest as _nest
from .._convert import convert_to_tensor
from .._function import _VariableCreated
from .._shape import TensorShape
from .._tensor import Tensor, TensorLike, wrap
from .._trace import state as _state
from ..errors import ConversionError
from ._naming import path, unique_name
from ._serialize import dtype_of

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class Node:
    """One call of a layer, or of an operator, on symbols."""

    __slots__ = ("operation", "args", "kwargs", "outputs", "_inputs")

    def __init__(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.operation, self.args, self.kwargs = operation, args, kwargs
        self._inputs = [x for x in _nest.flatten((args, kwargs)) if isinstance(x, KerasTensor)]
        self.outputs: Any = None

    @property
    def inputs(self) -> list[KerasTensor]:
        """The symbols among the arguments."""
        return self._inputs

    def first_input(self) -> Any:
        """The first argument; the output itself of keras.Input."""
        return self.args[0] if self.args else self.outputs

    def run(self, values: dict[int, Any]) -> Any:
        """The outputs for values of the inputs, by their ids."""

        def put(x):
            return values[id(x)] if isinstance(x, KerasTensor) else x

        args, kwargs = _nest.map_structure(put, (self.args, self.kwargs))
        return self.operation(*args, **kwargs)


class Operation:
    """A function of tensors as a node: operators and indexing of symbols."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function, self.name = function, unique_name(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


class KerasTensor:
    """A symbol: shape (None where it is not known) and dtype of what will be given. Layers and operators take it."""

    __array_priority__ = 200
    __array_ufunc__ = None

    def __init__(
        self,
        shape: Iterable[int | None],
        dtype: Any = "float32",
        sparse: bool = False,
        ragged: bool = False,
        record_history: bool = True,
        name: str | None = None,
    ) -> None:
        if sparse or ragged:
            raise _core.UnimplementedError("KerasTensor: there are no sparse and no ragged tensors")
        self.shape, self.dtype = tuple(TensorShape(shape)), dtype_of(dtype)
        self.name = name or unique_name("keras_tensor")
        self._node: Node | None = None

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<KerasTensor shape={self.shape}, dtype={self.dtype}, sparse=False, ragged=False, name={self.name}>"

    def _refuse(self, what):
        return ConversionError(
            f"A KerasTensor is symbolic: it's a placeholder for a shape and a dtype. It doesn't have any actual numerical "
            f"value, and {what}. Use layers (a Lambda layer for functions of tf) and operators on it."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self._refuse("cannot be converted to an array, or be the input of a TensorFlow function")

    def __bool__(self) -> bool:
        raise _core.InvalidTypeError("A symbolic KerasTensor cannot be used as a boolean.")

    def __iter__(self) -> Any:
        raise _core.InvalidTypeError("Iterating over a symbolic KerasTensor is not supported.")

    def __float__(self) -> float:
        raise self._refuse("cannot be converted to a number")

    def __getitem__(self, key: Any) -> Any:
        return apply(lambda x: x[key], "get_item", (self,), {})


def _define_operators() -> None:
    def binary(name, f):
        def method(self, other):
            return apply(lambda a, b: f(a, _like(b, a)), name, (self, other), {})

        def reflected(self, other):
            return apply(lambda a, b: f(_like(b, a), a), name, (self, other), {})

        return method, reflected

    named = {
        "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
        "mod": "mod", "pow": "power", "matmul": "matmul",
    }  # fmt: skip
    for name, said in named.items():
        method, reflected = binary(said, getattr(_operator, name))
        setattr(KerasTensor, f"__{name}__", method)
        setattr(KerasTensor, f"__r{name}__", reflected)
    for name, said in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}.items():
        setattr(KerasTensor, f"__{name}__", binary(said, getattr(_operator, name))[0])
    for name, f in {"neg": _operator.neg, "abs": abs}.items():
        setattr(KerasTensor, f"__{name}__", lambda self, f=f, name=name: apply(f, name, (self,), {}))


def _like(x, other):
    """An operand as a tensor of the other's dtype, where it is a number or an array."""
    if isinstance(x, TensorLike):
        return x
    if isinstance(x, (bool, int, float)):
        return x
    return convert_to_tensor(x, dtype=other.dtype)


_define_operators()


def holds_symbol(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether there is a symbol among the arguments."""
    for x in args if not kwargs else (*args, *kwargs.values()):
        if x.__class__ is Tensor:
            continue
        if isinstance(x, KerasTensor):
            return True
        if isinstance(x, (list, tuple, dict)) and any(isinstance(v, KerasTensor) for v in _nest.flatten(x)):
            return True
    return False


def input_tensor(
    shape: Any = None,
    batch_size: int | None = None,
    dtype: Any = None,
    sparse: bool | None = None,
    ragged: bool | None = None,
    batch_shape: Any = None,
    name: str | None = None,
    tensor: Any = None,
    optional: bool = False,
) -> Any:
    """A symbol for inputs of this shape, without the axis of the batch (batch_shape: with it)."""
    from .layers import InputLayer

    if tensor is not None or optional or sparse or ragged:
        raise _core.UnimplementedError("Input: there are no tensor=, optional=, sparse= and ragged= inputs")
    if shape is None and batch_shape is None:
        raise ConversionError("You must pass a `shape` argument.")
    if shape is not None and batch_shape is not None:
        raise ConversionError("You cannot pass both `shape` and `batch_shape` at the same time.")
    if batch_shape is None:
        batch_shape = (batch_size, *((shape,) if isinstance(shape, int) else shape))
    return InputLayer(batch_shape=tuple(batch_shape), dtype=dtype, name=name).output


def apply(operation: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The symbol of a function of symbols."""
    return record(Operation(operation, name), args, kwargs)


def call_symbolically(layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a layer gives for symbols; it is built for their shapes."""
    layer._check_made()
    if not layer.built:
        layer._build_for(args, kwargs)
    if layer.input_spec is not None and args:
        layer._check_input(args[0])
    out = record(layer, args, kwargs)
    return out


def record(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The node of an operation on symbols: its symbolic outputs."""
    node = Node(operation, args, kwargs)
    specs = infer(operation, args, kwargs)

    def symbol(spec):
        if not isinstance(spec, Spec):
            return spec
        out = KerasTensor(spec.shape, spec.dtype)
        out._node = node
        return out

    node.outputs = _nest.map_structure(symbol, specs)
    if hasattr(operation, "__dict__"):
        operation.__dict__.setdefault("_inbound", []).append(node)
    return node.outputs


class Spec:
    """Shape and dtype of an output."""

    __slots__ = ("shape", "dtype")

    def __init__(self, shape: tuple[int | None, ...], dtype: str) -> None:
        self.shape, self.dtype = shape, dtype


_EXTENTS = ((2, 64), (3, 96))  # of axes that are not known: of the first axis, of others


def infer(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The structure of Specs that an operation gives: of two traces, the extents that differ are not known."""
    first, second = (_traced(operation, args, kwargs, extents) for extents in _EXTENTS)

    def both(a, b):
        if not isinstance(a, Spec):
            return a
        return Spec(tuple(m if m == n else None for m, n in zip(a.shape, b.shape)), a.dtype)

    return _nest.map_structure(both, first, second)


def _traced(operation, args, kwargs, extents):
    """The outputs' Specs, with these extents where an axis is not known."""
    symbols = [x for x in _nest.flatten((args, kwargs)) if isinstance(x, KerasTensor)]
    shapes = [tuple(extents[axis > 0] if n is None else n for axis, n in enumerate(x.shape)) for x in symbols]
    kinds = [_dtypes.as_dtype(x.dtype).core for x in symbols]
    found = []

    def run(*values):
        by_id = {id(x): wrap(v) for x, v in zip(symbols, values)}
        out = _nest.map_structure(lambda x: by_id.get(id(x), x), (args, kwargs))
        result = operation(*out[0], **out[1])
        found.append(
            _nest.map_structure(
                lambda x: Spec(tuple(x.shape), x.dtype.name) if isinstance(x, TensorLike) else x, result
            )
        )
        return [x._core_value() for x in _nest.flatten(result) if isinstance(x, TensorLike)]

    depth, outer, layers = _state.depth, _state.graph, path.layers
    path.layers = list(layers)
    _state.depth = 1
    try:
        _core.trace(run, [_core.TensorSpec(shape, kind) for shape, kind in zip(shapes, kinds)])
    except _VariableCreated:  # layers in it that are not built: they are, after a call
        _state.depth, path.layers = depth, list(layers)
        run(*(_core.zeros(shape, dtype=kind) for shape, kind in zip(shapes, kinds)))
    finally:
        _state.depth, path.layers = depth, layers
        assert _state.graph is outer
    return found[-1]


def symbols_of(shapes: Any, dtype: Any = "float32") -> Any:
    """Symbols of a structure of shapes."""
    if isinstance(shapes, (tuple, list)) and all(n is None or isinstance(n, int) for n in shapes):
        return KerasTensor(shapes, dtype)
    if isinstance(shapes, dict):
        return {k: symbols_of(v, dtype) for k, v in shapes.items()}
    return [symbols_of(v, dtype) for v in shapes] if isinstance(shapes, (list, tuple)) else shapes


def output_shape(layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What compute_output_shape gives: a copy of the layer is built if it is not yet."""
    import copy

    if not layer.built:
        layer = copy.deepcopy(layer)
    given = tuple(symbols_of(x, layer.dtype) for x in args)
    if kwargs:
        given += tuple(symbols_of(x, layer.dtype) for x in kwargs.values())
    if not layer.built:
        layer._build_for(given, {})
    specs = infer(layer, given, {})
    return _nest.map_structure(lambda s: tuple(s.shape) if isinstance(s, Spec) else s, specs)


class Graph:
    """The nodes between symbolic inputs and outputs, in an order in which they can run."""

    def __init__(self, inputs: Any, outputs: Any) -> None:
        self.inputs, self.outputs = inputs, outputs
        self.flat_inputs = _nest.flatten(inputs)
        for x in (*self.flat_inputs, *_nest.flatten(outputs)):
            if not isinstance(x, KerasTensor):
                raise ConversionError(
                    "All `inputs` and `outputs` values must be KerasTensors. Received: "
                    f"{x!r} of type {type(x).__name__}"
                )
        self.nodes = self._ordered()

    def _ordered(self):
        given, done, out = {id(x) for x in self.flat_inputs}, set(), []
        self._entered: dict[int, int] = {}  # operations, as they are met on the way from the outputs

        def visit(x):
            stack = [(x, False)]
            while stack:
                symbol, ready = stack.pop()
                node = symbol._node
                if node is not None and not ready:
                    self._entered.setdefault(id(node.operation), len(self._entered))
                if id(symbol) in given or node is None or id(node) in done:
                    if node is None and id(symbol) not in given:
                        raise _unreachable(symbol)
                    continue
                if not node.inputs:
                    raise _unreachable(symbol)
                if ready:
                    done.add(id(node))
                    out.append(node)
                else:
                    stack.append((symbol, True))
                    stack.extend((i, False) for i in reversed(node.inputs))

        for x in _nest.flatten(self.outputs):
            visit(x)
        return out

    def layers(self) -> list[Any]:
        """Inputs and layers, the farthest from the outputs first, each once: the order in which Keras counts them."""
        from ._layer import Layer

        of_node: dict[int, int] = {}
        found: dict[int, tuple[int, int, Any]] = {}
        starts = [x._node for x in self.flat_inputs if x._node is not None]
        for node in (*reversed(self.nodes), *starts):
            key = id(node.operation)
            depth = max(of_node.get(id(node), 0), -found[key][0] if key in found else 0)
            of_node[id(node)] = depth
            found[key] = (-depth, self._entered.get(key, -1), node.operation)
            for x in node.inputs:
                if x._node is not None:
                    of_node[id(x._node)] = max(depth + 1, of_node.get(id(x._node), 0))
        return [x for _, _, x in sorted(found.values(), key=lambda item: item[:2]) if isinstance(x, Layer)]

    def run(self, values: list[Any]) -> Any:
        """The outputs for these inputs, flat as `flat_inputs`."""
        by_id = {id(x): v for x, v in zip(self.flat_inputs, values)}
        for node in self.nodes:
            result = node.run(by_id)
            for symbol, value in zip(_nest.flatten(node.outputs), _nest.flatten(result)):
                by_id[id(symbol)] = value
        return _nest.map_structure(lambda x: by_id[id(x)], self.outputs)


def _unreachable(symbol):
    return ConversionError(
        f"`inputs` not connected to `outputs`: {symbol!r} cannot be computed from them; the inputs must be those keras.Input "
        "symbols that the outputs were made of"
    )
