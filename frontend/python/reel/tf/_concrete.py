"""What tf.function's get_concrete_function gives: one compiled combination of argument types, and how it reads."""

from __future__ import annotations

import functools as _functools
import inspect as _inspect
import itertools as _itertools
import typing as _t
from collections.abc import Mapping as _Mapping

from .. import _calls, _core
from . import _autograph_runtime, nest
from ._convert import convert_to_tensor
from ._shape import TensorShape, TensorSpec
from ._slices import IndexedSlices, from_core
from ._tensor import Tensor, TensorLike, wrap
from ._tensor_array import TensorArray
from ._text import StringTensor
from ._trace import state
from .dtypes import BY_CORE
from .errors import ConversionError, InvalidArgumentError, StateError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._function_graph import FunctionGraph

NUMBERS = (bool, int, float, complex)
MOST = 1 << 20  # elements along an axis that is open


def is_array(x: object) -> bool:
    """Whether it is an array of another package."""
    return hasattr(x, "__array__") and not isinstance(x, (TensorLike, IndexedSlices, _core.IndexedSlices))


def outputs(result: Any) -> Any:
    """What a function returns: numbers, shapes and variables as tensors, the core's slices as tf's. TypeError for others."""

    def output(x):
        if x is None or isinstance(x, (Tensor, IndexedSlices, StringTensor)):
            return x
        if isinstance(x, _core.IndexedSlices):
            return from_core(x)
        if isinstance(x, TensorArray):
            return x.stack()
        if isinstance(x, TensorShape):
            return convert_to_tensor(list(x), "int32")
        if isinstance(x, (*NUMBERS, str, bytes, list, TensorLike)) or is_array(x):
            return convert_to_tensor(x)
        raise _core.InvalidTypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or None values; found a "
            f"return value of type {type(x).__name__}, which is not a Tensor: {x!r}. Return it from a function around."
        )

    return nest.map_structure(output, result)


def misfit(spec: Any, x: Any) -> str | None:
    """How an argument does not nest as a signature says; None if it does."""
    if isinstance(spec, dict):
        if not isinstance(x, _Mapping) or set(x) != set(spec):
            return f"{x!r} is no dict with the keys {list(spec)}"
        parts = [(spec[k], x[k]) for k in spec]
    elif nest.is_nested(spec):
        kind = type(spec) if hasattr(spec, "_fields") else list if isinstance(spec, list) else tuple
        if not isinstance(x, kind) or len(x) != len(spec):
            return f"can not cast {x!r} to a {kind.__name__} of {len(spec)}"
        parts = list(zip(spec, x))
    else:
        return None
    return next(filter(None, (misfit(inner, value) for inner, value in parts)), None)


def opened(shape: Sequence[int], open_axes: dict[int, str]) -> tuple[int | str, ...]:
    """The shape with the names of its open axes."""
    return tuple(open_axes.get(axis, n) for axis, n in enumerate(shape))


def _spec_of(t, open_axes):
    """The type that a trace is made for: a number of any size for each name."""
    shape = [_core.Dim(e, 1, MOST) if isinstance(e, str) else e for e in opened(t.shape, open_axes)]
    return _core.TensorSpec(shape, t.dtype)


def _tensors_of(x):
    """The core tensors that a result is made of."""
    if isinstance(x, IndexedSlices):
        return [x.values._t, x.indices._t]
    return [x._t] if isinstance(x, Tensor) else []


def _place_of(x, numbers):
    """Where a result's core tensors, numbered on, will stand; x itself if it has none."""
    own = tuple(next(numbers) for _ in _tensors_of(x))
    if isinstance(x, IndexedSlices):
        return _calls.Place(own, _functools.partial(IndexedSlices, dense_shape=x.shape))
    return _calls.Place(own) if own else x


class _Inaccessible(StateError, _core.InvalidTypeError):
    """A tensor of a trace was used where it has no value."""


class Literal:
    """An argument that is no tensor, by its key: a trace keeps no argument alive."""

    __slots__ = ("key",)

    def __init__(self, key: Any) -> None:
        self.key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"Literal[{_calls.text_of(self.key)}]"


def key_of(x: object) -> tuple[Any, Any]:
    """The key of an argument that is no tensor, or one of strings."""
    if isinstance(x, StringTensor):
        return x.key()
    try:
        return _calls.key_of(x)
    except TypeError:
        return _calls.identity_of(x)


def type_text(x: Any) -> str:
    """A structure of TensorSpecs and literals as a signature shows it."""
    if isinstance(x, dict):
        return f"Dict[{', '.join(f'[{k!r}, {type_text(v)}]' for k, v in x.items())}]"
    if nest.is_nested(x):
        return f"{'List' if isinstance(x, list) else 'Tuple'}[{', '.join(map(type_text, x))}]"
    if isinstance(x, IndexedSlices):
        return f"IndexedSlices[{type_text(x.values)}, {type_text(x.indices)}]"
    if isinstance(x, Literal):
        x = getattr(x.key[1], "_value", None) if isinstance(getattr(x.key[1], "_value", None), StringTensor) else x
    return (
        repr(TensorSpec(x.shape, x.dtype))
        if isinstance(x, (TensorSpec, StringTensor))
        else "Literal[None]"
        if x is None
        else repr(x)
    )


def named(tree: Any, name: str) -> Any:
    """The structure with names for its TensorSpecs that have none: the argument's, and the way to it."""
    if isinstance(tree, TensorSpec):
        return TensorSpec(tree.shape, tree.dtype, tree.name or name)
    if not nest.is_nested(tree):
        return tree
    keys = nest._keys(tree) if isinstance(tree, dict) else range(len(tree))
    return nest._like(tree, [named(x, f"{name}_{k}") for k, x in zip(keys, nest._children(tree))])


class ConcreteFunction:
    """One compiled combination of argument types.

    Called with all arguments of the function, of which those that are no tensors must be what it was traced for, or with
    the tensors alone, in their order or by their names. Errors: TypeError for other arguments, InvalidArgumentError for
    tensors of other dtypes and shapes.
    """

    def __init__(
        self, owner: Any, function: Any, leaves: Any, pack: Any, open_axes: Any = None, specs: Any = None
    ) -> None:
        self._owner, self._autograph = owner, owner._autograph
        self._inputs = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]
        self._function, self._leaves, self._pack = function, leaves, pack
        core_specs = [_spec_of(leaves[i]._t, (open_axes or {}).get(i, {})) for i in self._inputs]
        self._name = owner._name if owner._name.isidentifier() else "function"
        self.program = _core._trace_program(self._traced, core_specs, self._name)
        self._function = self._leaves = self._pack = None
        self._open_axes = open_axes or {}
        self._types = pack([(specs or {}).get(i) or self._type_of(i, x) for i, x in enumerate(leaves)])

    def _type_of(self, i, x):
        if not isinstance(x, Tensor):
            return Literal(key_of(x))
        axes = self._open_axes.get(i, {})
        return TensorSpec([None if axis in axes else n for axis, n in enumerate(x._t.shape)], x.dtype)

    def _traced(self, *symbolic):
        values = list(self._leaves)
        for i, x in zip(self._inputs, symbolic):
            values[i] = wrap(x)
        args, kwargs = self._pack(values)
        outer = state.convert
        state.depth, state.convert = state.depth + 1, self._autograph and _autograph_runtime.convert
        try:
            result = self._function(*args, **kwargs)
            _calls.refuse_leaks(self._name, result)
            result = outputs(result)
        except _core.FailedPreconditionError as error:
            if "outside the trace that made it" not in str(error) or isinstance(error, _Inaccessible):
                raise
            raise _Inaccessible(
                f"{self._owner._name}: a tensor that was made inside a traced loop or branch is used outside of it: what a "
                "loop collects goes into a tf.TensorArray, not into a Python list; what a branch makes is its result, or a "
                f"local variable that both branches assign. {error}"
            ) from error
        finally:
            state.depth, state.convert = state.depth - 1, outer
        flat = nest.flatten(result)
        self._results = [len(_tensors_of(x)) for x in flat]
        numbers = _itertools.count()
        self.packing = _calls.packing_of(nest.pack_sequence_as(result, [_place_of(x, numbers) for x in flat]), Tensor)
        self._out = nest.pack_sequence_as(result, [_result_type(x) for x in flat])
        out = [t for x in flat for t in _tensors_of(x)]
        own = _core._connected if _core._gradients_read_trace(out) else _core.identity
        return [(own if t.dtype.is_floating or t.dtype.is_complex else _core.identity)(t) for t in out]

    # --- calls ---

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            leaves, why = self._bound(args, kwargs)
        except _OtherText as text:
            if text.args:
                raise InvalidArgumentError(f"{self._owner._name}: {text}") from None
            return self._owner(
                *nest.map_structure(_text_as_tensor, args), **nest.map_structure(_text_as_tensor, kwargs)
            )
        if leaves is None:
            leaves, flat_why = self._flat(args, kwargs)
            if leaves is None:
                raise _core.InvalidTypeError(
                    f"Binding inputs to tf.function failed due to `{why}`. Received args: {args} and kwargs: {kwargs} for "
                    f"signature: {self._signature_text()}.\nFallback to flat signature also failed due to: {flat_why}."
                )
        self._check(leaves)
        return self.call_flat(leaves)

    def _bound(self, args, kwargs):
        """(leaves, "") of arguments that are all there, or (None, why they do not fit)."""
        known = self._arguments()
        parameters = [
            p.replace(default=p.empty) if p.name in known else p for p in self._owner._signature.parameters.values()
        ]
        try:
            bound = self._owner._signature.replace(parameters=parameters).bind(*args, **kwargs)
        except TypeError as error:
            return None, str(error)
        given = {}
        for name, wanted in known.items():
            try:
                value = bound.arguments[name] if name in bound.arguments else wanted
                nest.assert_same_structure(wanted, value, check_types=False)
                given[name] = nest.map_structure(_cast, wanted, value, check_types=False)
            except (TypeError, ValueError) as error:
                return None, str(error)
        for name in bound.arguments:
            if name not in known:
                return None, f"there was no argument {name!r} when it was traced"
        bound.arguments.update(given)
        return self._owner._leaves_of(bound.args, bound.kwargs), ""

    def _flat(self, args, kwargs):
        """The same of tensors alone."""
        names = [spec.name for spec in self._input_specs()]
        who = f"{self._owner._name}({', '.join(names)})"
        if len(args) > len(names):
            return None, f"{who} takes {len(names)} positional arguments, got {len(args)}"
        given = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in names:
                name = self._flat_name(name) or name
            if name not in names:
                return None, f"{who} got unexpected keyword arguments: {name}"
            if name in given:
                return None, f"{who} got two values for {name!r}"
            given[name] = value
        missing = [name for name in names if name not in given]
        if missing:
            return None, f"{who} missing required arguments: {', '.join(missing)}"
        for i, name in enumerate(names):
            if not isinstance(given[name], TensorLike) and not is_array(given[name]):
                return None, (
                    f"{who}: expected argument #{i}(zero-based) to be a Tensor; got {type(given[name]).__name__} "
                    f"({given[name]!r})"
                )
        leaves = {i: convert_to_tensor(given[name]) for i, name in zip(self._inputs, names)}
        return [leaves.get(i) for i in range(len(nest.flatten(self._types)))], ""

    def _flat_name(self, argument):
        """The name of the only tensor in an argument."""
        for spec in nest.flatten(named(self._arguments().get(argument), argument)):
            if isinstance(spec, TensorSpec):
                return spec.name
        return None

    def _check(self, leaves):
        """InvalidArgumentError unless the tensors are of the types that it was traced for."""
        sizes: dict[str, int] = {}
        types = self._owner._split_types(self._types)
        for i in self._inputs:
            x, spec = leaves[i], types[i]
            if x.dtype is not spec.dtype:
                raise InvalidArgumentError(
                    f"cannot compute {self._owner._name} as input #{self._inputs.index(i)}(zero-based) was expected to be a "
                    f"{spec.dtype.name} tensor but is a {x.dtype.name} tensor; convert it with tf.cast"
                )
            fits = spec.is_compatible_with(x)
            for axis, name in self._open_axes.get(i, {}).items() if fits else ():
                fits = fits and sizes.setdefault(name, x.shape[axis]) == x.shape[axis]
            if not fits:
                raise InvalidArgumentError(
                    f"{self._owner._name}: input #{self._inputs.index(i)}(zero-based) is of shape {x.shape}, but this "
                    f"concrete function was traced for {spec.shape}; trace another one, or give None for open extents"
                )

    def covers(self, leaves: Sequence[Any], types: Sequence[Any]) -> bool:
        """Whether it can run on the leaves of other arguments; `types`: their types."""
        sizes: dict[str, int] = {}
        for i, (mine, spec) in enumerate(zip(self._owner._split_types(self._types), types)):
            if not isinstance(mine, TensorSpec) or not isinstance(spec, TensorSpec):
                if mine != spec:
                    return False
                continue
            if not mine.is_compatible_with(spec) or 0 in spec.shape:
                return False
            for axis, name in self._open_axes.get(i, {}).items():
                if sizes.setdefault(name, spec.shape[axis]) != spec.shape[axis] or spec.shape[axis] > MOST:
                    return False
        return True

    def call_flat(self, leaves: Sequence[Any]) -> Any:
        """Runs the program on the leaves of its arguments; variables are read and updated in place."""
        return self.program([leaves[i] for i in self._inputs], self.packing)

    # --- what it is ---

    @property
    def name(self) -> bytes:
        return f"__inference_{self._owner._name}".encode()

    @property
    def variables(self) -> tuple[Any, ...]:
        return self.program.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return tuple(v for v in self.program.variables if v.trainable)

    @property
    def captured_inputs(self) -> list[Any]:
        """What it takes beside its arguments: the variables."""
        return list(self.program.variables)

    @property
    def graph(self) -> FunctionGraph:
        """Its ops; `graph.function` is it as a reel.Function."""
        from ._function_graph import FunctionGraph

        return FunctionGraph(self)

    def depends(self) -> list[bool]:
        """For each leaf of what it returns, whether that depends on an argument; no leaf of slices is asked for."""
        nodes = self.graph.as_graph_def().node
        reached = {n.name for n in nodes if n.op == "Placeholder"}
        for n in nodes:
            if any(i.partition(":")[0] in reached for i in n.input):
                reached.add(n.name)
        tensors = iter([n.name in reached for n in nodes if n.op == "Return"])
        return [any([next(tensors) for _ in range(count)]) for count in self._results]

    @property
    def inference_fn(self) -> ConcreteFunction:
        """Itself: forward and gradient are made of one function."""
        return self

    @property
    def function_type(self) -> str:
        """The signature, as text."""
        return self._signature_text()

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs) with TensorSpecs for tensors and the values of other arguments, keyword-only ones in kwargs."""
        kinds = self._owner._signature.parameters
        args, kwargs = [], {}
        for name, tree in self._arguments().items():
            tree = _values(named(tree, name))
            kind = kinds[name].kind
            if kind is _inspect.Parameter.VAR_POSITIONAL:
                args += tree
            elif kind is _inspect.Parameter.VAR_KEYWORD:
                kwargs.update(tree)
            elif kind is _inspect.Parameter.KEYWORD_ONLY:
                kwargs[name] = tree
            else:
                args.append(tree)
        return tuple(args), kwargs

    @property
    def structured_outputs(self) -> Any:
        """TensorSpecs in the structure of what it returns."""
        return self._out

    @property
    def inputs(self) -> list[Any]:
        """TensorSpecs of the tensors among its arguments, and its variables."""
        return [*self._input_specs(), *self.program.variables]

    @property
    def outputs(self) -> list[Any]:
        """TensorSpecs of what it returns, as a list."""
        return [x for x in nest.flatten(self._out) if x is not None]

    @property
    def output_dtypes(self) -> Any:
        return nest.map_structure(lambda x: getattr(x, "dtype", None), self._out)

    @property
    def output_shapes(self) -> Any:
        return nest.map_structure(lambda x: getattr(x, "shape", None), self._out)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """What it takes and returns, a line for each argument, or all in one line."""
        if not verbose:
            return self._signature_text()
        kinds = self._owner._signature.parameters
        lines = [f"  {n} ({kinds[n].kind.name}): {type_text(tree)}" for n, tree in self._arguments().items()]
        captures = [f"  {v.name}: {TensorSpec(v.shape, v.dtype)!r}" for v in self.program.variables]
        return "\n".join(
            ["Input Parameters:", *(lines or ["  None"]), "Output Type:", f"  {type_text(self._out)}", "Captures:"]
            + (captures or ["  None"])
        )

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self._signature_text()} at 0x{id(self):X}>"

    def _signature_text(self):
        kinds, parts = self._owner._signature.parameters, []
        for name, tree in self._arguments().items():
            if kinds[name].kind is _inspect.Parameter.KEYWORD_ONLY and "*" not in parts:
                parts.append("*")
            parts.append(f"{name}: {type_text(tree)}")
        return f"({', '.join(parts)}) -> {type_text(self._out)}"

    def _arguments(self):
        """The types of its arguments by their names."""
        args, kwargs = self._types
        return self._owner._signature.bind(*args, **kwargs).arguments

    def _input_specs(self):
        specs = []
        for name, tree in self._arguments().items():
            for x in nest.flatten(named(tree, name)):
                slices = isinstance(x, IndexedSlices)
                specs += [x.values, x.indices] if slices else [x] if isinstance(x, TensorSpec) else []
        return specs


class _OtherText(Exception):
    """Strings that are not those of the trace: the function is called as it is, which traces them."""


def _check_text(key, x):
    """Strings of one shape stand for each other in a concrete function; InvalidArgumentError, past `except`, for numbers."""
    wanted = getattr(key, "_value", None)
    if not isinstance(wanted, StringTensor):
        return
    given = convert_to_tensor(x)
    if given.dtype is not wanted.dtype or given.shape != wanted.shape:
        raise _OtherText(f"strings of shape {wanted.shape} are wanted, got {given!r}")
    if StringTensor.key(given) != StringTensor.key(wanted):
        raise _OtherText()


def _text_as_tensor(x):
    return convert_to_tensor(x) if isinstance(x, (str, bytes)) else x


def _cast(wanted, x):
    """An argument as what a concrete function was traced for; ValueError if it is not."""
    if isinstance(x, Literal) or wanted is x or isinstance(wanted, IndexedSlices):
        return x
    if isinstance(wanted, Literal):
        _check_text(wanted.key[1], x)
        if Literal(key_of(x)) != wanted:
            raise InvalidArgumentError(f"Can not cast {x!r} to {wanted!r}")
        return x
    if isinstance(x, TensorLike):
        return convert_to_tensor(x)
    return convert_to_tensor(x, dtype_hint=wanted.dtype)


def _values(tree):
    """Literals as their values."""
    return nest.map_structure(lambda x: getattr(x.key[1], "_value", x.key[1]) if isinstance(x, Literal) else x, tree)


def _result_type(x):
    """The TensorSpec of a traced result; None and others as they are."""
    if isinstance(x, IndexedSlices):
        x = x.values
    if not isinstance(x, Tensor):
        return x
    shape = [n if isinstance(n, int) else None for n in x._t.shape]
    return TensorSpec(shape, BY_CORE[x._t.dtype])


class VaryingFunction(ConcreteFunction):
    """A concrete function of tensors whose rank or extents are open, and whose ops need numbers: traced for each shape."""

    def __init__(self, owner: Any, function: Any, leaves: Any, pack: Any, specs: Any) -> None:
        super().__init__(owner, function, leaves, pack, specs=specs)
        self._again = function, leaves, pack
        self._of_shapes: dict[Any, ConcreteFunction] = {tuple(leaves[i].shape for i in self._inputs): self}

        def unknown(x):
            return TensorSpec(None, x.dtype) if isinstance(x, TensorSpec) else x

        self._out = nest.map_structure(unknown, self._out)

    def call_flat(self, leaves: Sequence[Any]) -> Any:
        """Runs the program for these shapes, traced now if they are new."""
        shapes = tuple(leaves[i].shape for i in self._inputs)
        program = self._of_shapes.get(shapes)
        if program is None:
            function, values, pack = self._again
            values = list(values)
            for i in self._inputs:
                values[i] = leaves[i]
            program = self._of_shapes[shapes] = ConcreteFunction(self._owner, function, values, pack)
        return ConcreteFunction.call_flat(program, leaves)


def check_options(options: Any, attributes: Any) -> None:
    """Errors for what tf.function does not take as experimental_autograph_options and experimental_attributes."""
    if attributes:
        raise ConversionError(
            f"{next(iter(attributes))} is not supported by tf.function as an attribute; leave experimental_attributes out"
        )
    if options is not None:
        from .autograph import experimental

        for option in options if isinstance(options, (list, tuple, set)) else [options]:
            if not isinstance(option, experimental.Feature):
                raise _core.InvalidTypeError(f"{option!r} is no tf.autograph.experimental.Feature")
