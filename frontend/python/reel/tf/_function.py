"""tf.function: Python functions compiled, one program for each combination of argument types."""

from __future__ import annotations

import copy as _copy
import functools as _functools
import typing as _t
import warnings as _warnings

from .. import _calls, _core
from . import _autograph_runtime, _config, _variable, nest
from ._shape import TensorSpec
from ._slices import IndexedSlices, from_core
from ._tensor import Tensor, TensorLike, convert_to_tensor, wrap
from ._trace import state
from ._variable import Variable
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Concatenate

    P = _t.ParamSpec("P")
    Q = _t.ParamSpec("Q")
    R = _t.TypeVar("R")
    R_co = _t.TypeVar("R_co", covariant=True)

    class PolymorphicFunction(_t.Protocol[P, R_co]):
        """What tf.function makes of a function, a Function: it is called as that is."""

        __name__: str
        __qualname__: str
        input_signature: tuple[Any, ...] | None

        @property
        def python_function(self) -> Callable[P, R_co]: ...
        @property
        def name(self) -> str: ...
        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
        @_t.overload
        def __get__(self, instance: None, owner: type | None = None, /) -> PolymorphicFunction[P, R_co]: ...
        @_t.overload
        def __get__(
            self: PolymorphicFunction[Concatenate[Any, Q], R], instance: object, owner: type | None = None, /
        ) -> PolymorphicFunction[Q, R]: ...
        def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction: ...
        def experimental_get_tracing_count(self) -> int: ...


_NUMBERS = (bool, int, float, complex)
_CAUSES = (
    "Tracing is expensive and the excessive number of tracings could be due to (1) creating @tf.function "
    "repeatedly in a loop, (2) passing tensors with different shapes, (3) passing Python objects instead of "
    "tensors."
)


class _VariableCreated(BaseException):
    """A variable was made while tracing: the call runs eagerly first."""


class _Uncompiled(BaseException):
    """What cannot be in a program was met while tracing: the function runs as it is, each time."""


def runs_as_it_is(dataset: Any) -> None:
    """Says that what is traced iterates over a dataset, whose elements are not known before it runs."""
    if state.depth:
        raise _Uncompiled
    raise _core.UnimplementedError(f"{dataset!r}: there is no iterating over datasets in a tf.Graph of version 1")


def _on_creation(variable):
    if state.depth:
        raise _VariableCreated


_variable._creation_hooks.append(_on_creation)


def _is_array(x):
    return hasattr(x, "__array__") and not isinstance(x, (TensorLike, IndexedSlices, _core.IndexedSlices))


def _flatten(tree):
    """The leaves of a structure, slices as their values and indices; what puts others in their place."""
    leaves = nest.flatten(tree)

    def pack(values):
        values = iter(values)
        return nest.pack_sequence_as(
            tree,
            [
                IndexedSlices(next(values), next(values), x.dense_shape)
                if isinstance(x, IndexedSlices)
                else next(values)
                for x in leaves
            ],
        )

    return [part for x in leaves for part in ((x.values, x.indices) if isinstance(x, IndexedSlices) else (x,))], pack


def _key_of(x, open_axes=None):
    """What of a leaf makes a trace its own; equal numbers of different types are different."""
    if isinstance(x, Tensor):
        shape = x._t.shape
        return x._t.dtype, _opened(shape, open_axes) if open_axes else shape
    try:
        return _calls.key_of(x)
    except TypeError:
        return _calls.identity_of(x)


_MOST = 1 << 20


def _opened(shape, open_axes):
    """The shape with the names of its open axes."""
    return tuple(open_axes.get(axis, n) for axis, n in enumerate(shape))


def _spec_of(t, open_axes):
    """The type that a trace is made for: a number of any size for each name."""
    shape = [_core.Dim(e, 1, _MOST) if isinstance(e, str) else e for e in _opened(t.shape, open_axes)]
    return _core.TensorSpec(shape, t.dtype)


def _shape_key(tree):
    """What identifies a structure."""
    if isinstance(tree, dict):
        return type(tree), tuple((_calls.key_of_name(k), _shape_key(tree[k])) for k in nest._keys(tree))
    if nest.is_nested(tree):
        return type(tree), tuple(_shape_key(x) for x in tree)
    if isinstance(tree, IndexedSlices):
        return IndexedSlices, None if tree.dense_shape is None else tuple(tree.shape)
    return None


def _outputs(result):
    """What a function returns: numbers and variables as tensors, the core's slices as tf's."""

    def output(x):
        if isinstance(x, _core.IndexedSlices):
            return from_core(x)
        return convert_to_tensor(x) if isinstance(x, _NUMBERS + (Variable,)) or _is_array(x) else x

    return nest.map_structure(output, result)


def _tensors_of(x):
    """The core tensors that a result is made of."""
    if isinstance(x, IndexedSlices):
        return [x.values._t, x.indices._t]
    return [x._t] if isinstance(x, Tensor) else []


class ConcreteFunction:
    """One compiled combination of argument types."""

    def __init__(self, function, leaves, pack, name, autograph, open_axes=None):
        self._autograph = autograph
        self._inputs = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]
        self._function, self._leaves, self._pack = function, leaves, pack
        specs = [_spec_of(leaves[i]._t, (open_axes or {}).get(i, {})) for i in self._inputs]
        self._name = name if name.isidentifier() else "function"
        self.program = _core._trace_program(self._traced, specs, self._name)
        self._function = self._leaves = self._pack = None
        self.packed = Tensor if self._structure is None and self._results == [1] else self._packed

    @property
    def variables(self) -> tuple[_core.Variable, ...]:
        return self.program.variables

    @property
    def graph(self) -> _core.Function:
        return self.program.graph(self._name)

    def _traced(self, *symbolic):
        values = list(self._leaves)
        for i, x in zip(self._inputs, symbolic):
            values[i] = wrap(x)
        args, kwargs = self._pack(values)
        outer = state.convert
        state.depth, state.convert = state.depth + 1, self._autograph and _autograph_runtime.convert
        try:
            result = _outputs(self._function(*args, **kwargs))
            _calls.refuse_leaks(self._name, result)
        finally:
            state.depth, state.convert = state.depth - 1, outer
        flat = nest.flatten(result)
        self._results = [_tensors_of(x) for x in flat]
        self._shapes = [x.shape if isinstance(x, IndexedSlices) else None for x in flat]
        self._structure = nest.pack_sequence_as(result, [None if r else x for x, r in zip(flat, self._results)])
        out = [_core.identity(t) for r in self._results for t in r]
        self._results = [len(r) for r in self._results]
        return out

    def bound_to(self, function: Any, args: Any, kwargs: Any) -> ConcreteFunction:
        """Itself, which can be called now: the arguments are those that it was traced for."""
        self._owner, self._traced_for = function, function._signature.bind(*args, **kwargs).arguments
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it on tensors of its types; what is not a tensor need not be given again."""
        bound = self._owner._signature.bind_partial(*args, **kwargs)
        for name, value in self._traced_for.items():
            if not any(isinstance(x, TensorLike) for x in nest.flatten(value)):
                bound.arguments.setdefault(name, value)
        leaves = self._owner._bind(bound.args, bound.kwargs)[2]
        return self.call_flat([convert_to_tensor(x) if i in self._inputs else x for i, x in enumerate(leaves)])

    def call_flat(self, leaves: Sequence[Any]) -> Any:
        """Runs the program on the leaves of its arguments; variables are read and updated in place."""
        results = self.program([leaves[i] for i in self._inputs])
        return wrap(results[0]) if self.packed is Tensor else self._packed(results)

    def _packed(self, results):
        tensors = iter(results)
        flat = [
            self._result(x, n, shape, tensors)
            for x, n, shape in zip(nest.flatten(self._structure), self._results, self._shapes)
        ]
        return nest.pack_sequence_as(self._structure, flat)

    @staticmethod
    def _result(x, n, shape, tensors):
        """A result of n core tensors, the next ones; x itself of none."""
        if n == 0:
            return x
        first = wrap(next(tensors))
        return first if n == 1 else IndexedSlices(first, wrap(next(tensors)), shape)


class Function(_core._Callable):
    """What tf.function makes: calls run compiled code on the live variables.

    To a tape a call is one op, whose gradient is compiled too; gradients of lookups in it are dense. Inside another
    trace, and beside a ForwardAccumulator, the Python function itself runs, so that these see its ops.
    """

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Any = None,
        autograph: bool = True,
        name: str | None = None,
    ) -> None:
        super().__init__()
        _functools.update_wrapper(self, python_function)
        self.python_function = python_function
        self._name = self.__name__ = name or _calls.name_of(python_function)
        self._autograph = autograph
        self.input_signature = _checked_signature(input_signature)
        self._signature = _calls.signature_of(python_function)
        self._programs, self._traces = {}, 0
        self._lock = _calls.new_lock()  # held while a program is looked for and traced
        self._calls, self._recent, self._warnings, self._created, self._last = 0, [], 0, False, None
        self._as_it_is = False  # it iterates over a dataset
        self._symbolic = True  # axes of the signature that are None are traced once for all extents

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None or not hasattr(self.python_function, "__get__"):
            return self
        return _calls.bind(
            self,
            instance,
            lambda: Function(
                self.python_function.__get__(instance, owner), self.input_signature, self._autograph, self._name
            ),
        )

    def __deepcopy__(self, memo: Any) -> Function:
        function = _copy.deepcopy(self.python_function, memo)  # a method's is that of the copied instance
        return (
            self
            if function is self.python_function
            else Function(function, self.input_signature, self._autograph, self._name)
        )

    def __reduce__(self):
        return getattr(self, "__qualname__", self.__name__)  # pickled by name, as functions are

    @property
    def name(self) -> str:
        return self._name

    def _converted(self):
        if not self._autograph:
            return self.python_function
        return _autograph_runtime.call(self.python_function)

    def _slow_call(self, *args, **kwargs):
        """A call whose program has to be looked for."""
        if _config.functions_run_eagerly() or self._as_it_is:
            return self.python_function(*args, **kwargs)
        given = args if not kwargs else None
        args, kwargs, leaves, pack = self._bind(args, kwargs)
        if _core._ops_observed() or state.graph is not None:
            args, kwargs = pack(leaves)
            return _outputs(self._converted()(*args, **kwargs))
        _calls.refuse_traced(self._name, leaves)
        with self._lock:
            key = self._key(args, kwargs, leaves)
            program = self._programs.get(key)
            self._note(program is None, key)
            if program is None:
                program = self._trace(key, leaves, pack)
                if program is None:
                    args, kwargs = pack(leaves)
                    return _outputs(self._converted()(*args, **kwargs))
            self._calls += 1
        results = program.call_flat(leaves)
        if given is not None:
            self._remember(given, {}, leaves, program.program, program.packed)
        return results

    def _bind(self, args, kwargs):
        """Arguments by the function's signature, arrays as tensors: (args, kwargs, leaves, what puts leaves back)."""
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise _core.InvalidTypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: "
                f"{args} and kwargs: {kwargs} for signature: {self._signature}; pass what "
                "the function takes."
            ) from None
        bound.apply_defaults()
        args, kwargs = list(bound.args), dict(bound.kwargs)
        if self.input_signature is not None:
            args = self._fit_signature(args)
        args, kwargs = nest.map_structure(
            lambda x: from_core(x) if isinstance(x, _core.IndexedSlices) else x, (args, kwargs)
        )
        leaves, pack = _flatten((args, kwargs))
        return args, kwargs, [convert_to_tensor(x) if _is_array(x) else x for x in leaves], pack

    def _key(self, args, kwargs, leaves):
        return _shape_key((args, kwargs)), self._leaf_keys(leaves)

    def _leaf_keys(self, leaves):
        axes = self._open_axes(leaves)
        return tuple(_key_of(x, axes.get(i)) for i, x in enumerate(leaves))

    def _open_axes(self, leaves):
        """For each leaf the names of the axes that the signature leaves open: those of equal extents are one number."""
        names, out = {}, {}
        for i, spec in enumerate(nest.flatten(self.input_signature or ())):
            extents = () if spec.shape is None else enumerate(spec.shape)
            axes = [axis for axis, n in extents if n is None and 1 <= leaves[i].shape[axis] <= _MOST]
            if axes:
                out[i] = {axis: names.setdefault(leaves[i].shape[axis], f"n{len(names)}") for axis in axes}
        return out if self._symbolic else {}

    def _fit_signature(self, args):
        specs = self.input_signature
        if len(args) < len(specs):
            raise self._binding_error(f"{len(specs)} arguments are wanted, {len(args)} given", args)
        out = []
        for spec, argument in zip(specs, args):
            leaves = nest.flatten(argument) if nest.is_nested(spec) else [argument]
            fitted = [self._fit(s, x, args) for s, x in zip(nest.flatten(spec), leaves)]
            out.append(nest.pack_sequence_as(spec, fitted))
        return out + args[len(specs) :]

    def _fit(self, spec, x, args):
        if isinstance(x, _NUMBERS) and spec.shape is not None and len(spec.shape) > 0:
            raise self._binding_error(f"can not cast {x!r} to {spec}", args)
        try:
            tensor = convert_to_tensor(x, dtype_hint=spec.dtype)
        except ValueError:
            tensor = None
        if tensor is None or not spec.is_compatible_with(tensor):
            raise self._binding_error(f"can not cast {x!r} to {spec}", args)
        return tensor

    def _binding_error(self, why, args):
        return _core.InvalidTypeError(
            f"Binding inputs to tf.function failed due to `{why}`. Received args: "
            f"{tuple(args)} for signature: {self._name}{self.input_signature}. Convert "
            "them with tf.cast or tf.reshape, or widen the input_signature with None."
        )

    def _trace(self, key, leaves, pack):
        """The program of a key; None if the first call makes variables and must run eagerly."""
        try:
            program = self._traced(leaves, pack)
        except _Uncompiled:
            self._as_it_is = True
            return None
        except _VariableCreated:
            if self._created:
                raise ConversionError(
                    "tf.function only supports singleton tf.Variables created on the first call. "
                    "Make sure the tf.Variable is only created once or created outside "
                    "tf.function."
                ) from None
            if self._calls:
                raise ConversionError(
                    "Creating variables on a non-first call to a function decorated with tf.function."
                ) from None
            self._created = True
            return None
        self._keep((key[0], self._leaf_keys(leaves)), program, leaves)
        return program

    def _keep(self, key, program, leaves):
        _calls.keep(self._programs, key, program, leaves, key[1])
        self._traces += 1

    def _traced(self, leaves, pack):
        """The program of these arguments, of any extent of the open axes where all ops allow that."""
        make = _functools.partial(ConcreteFunction, self._converted(), leaves, pack, self._name, self._autograph)
        open_axes = self._open_axes(leaves)
        if open_axes:
            try:
                return make(open_axes)
            except (_core.Error, TypeError):  # an op needs a number, or the function is wrong: then it is so again
                program, self._symbolic = make(), False
                return program
        return make()

    def _note(self, traced, key):
        """Warns of many traces among the last calls, with what changed."""
        last, self._last = self._last, key if traced else self._last
        hits = self._take_hits()
        self._calls += hits
        self._recent = (self._recent + [False] * min(hits, 10) + [traced])[-10:]
        if sum(self._recent) < 5 or not traced or self._warnings == 2:
            return
        self._warnings += 1
        _warnings.warn(
            f"{sum(self._recent)} out of the last {len(self._recent)} calls to {self!r} triggered "
            f"tf.function retracing. {_CAUSES} The last one: {_difference(last, key)}.",
            stacklevel=3,
        )

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The program that a call with these arguments (tensors or TensorSpecs) runs."""
        with self._lock:
            return self._concrete_function(args, kwargs)

    def _concrete_function(self, args, kwargs):
        opened = {}  # axes of tensors that stand for specs, by their ids

        def concrete(x):
            if not isinstance(x, TensorSpec):
                return x
            if x.shape is None:
                raise ConversionError(f"get_concrete_function: {x} has no rank; give its shape, with None where open")
            t = wrap(_core.zeros([2 if n is None else n for n in x.shape], dtype=x.dtype.core))
            axes = [axis for axis, n in enumerate(x.shape) if n is None]
            if axes and self.input_signature is None:
                opened[id(t)] = {axis: f"n{len(opened)}_{axis}" for axis in axes}
            return t

        if not args and not kwargs and self.input_signature is not None:
            args = self.input_signature
        args, kwargs = nest.map_structure(concrete, (tuple(args), kwargs))
        args, kwargs, leaves, pack = self._bind(args, kwargs)
        if opened:
            open_axes = {i: opened[id(x)] for i, x in enumerate(leaves) if id(x) in opened}
            key = _shape_key((args, kwargs)), tuple(_key_of(x, open_axes.get(i)) for i, x in enumerate(leaves))
            program = self._programs.get(key)
            if program is None:
                program = ConcreteFunction(self._converted(), leaves, pack, self._name, self._autograph, open_axes)
                self._keep(key, program, leaves)
            return program.bound_to(self, args, kwargs)
        key = self._key(args, kwargs, leaves)
        program = self._programs.get(key) or self._trace(key, leaves, pack)
        if program is None:
            self._converted()(*args, **kwargs)
            program = self._trace(key, leaves, pack)
        return program.bound_to(self, args, kwargs)

    def experimental_get_tracing_count(self) -> int:
        """How many times the function was traced."""
        return self._traces

    def __repr__(self) -> str:
        return f"<tf.function {self._name}{self._signature}>"


def _difference(last, key):
    """Which argument of a call made it a new trace."""

    def text(k):
        return f"{k[0].name}{list(k[1])}" if isinstance(k[0], _core.DType) else _calls.text_of(k)

    if last is not None and len(last[1]) == len(key[1]):
        for i, (a, b) in enumerate(zip(last[1], key[1])):
            if a != b:
                return f"argument {i} is {text(b)}, in the trace before it was {text(a)}"
    return "the structure of the arguments is new"


def _checked_signature(signature):
    if signature is None:
        return None
    if not isinstance(signature, (list, tuple)):
        raise _core.InvalidTypeError(f"input_signature must be either a tuple or a list, got {type(signature)}.")
    for spec in nest.flatten(signature):
        if not isinstance(spec, TensorSpec):
            raise _core.InvalidTypeError(
                f"input_signature must be a possibly nested sequence of TensorSpec objects, got {spec!r}"
            )
    return tuple(signature)


@_t.overload
def function(
    func: Callable[P, R],
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: object = None,
    experimental_autograph_options: object = None,
    experimental_attributes: object = None,
    experimental_relax_shapes: object = None,
    experimental_compile: object = None,
    experimental_follow_type_hints: object = None,
) -> PolymorphicFunction[P, R]: ...
@_t.overload
def function(
    func: None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: object = None,
    experimental_autograph_options: object = None,
    experimental_attributes: object = None,
    experimental_relax_shapes: object = None,
    experimental_compile: object = None,
    experimental_follow_type_hints: object = None,
) -> Callable[[Callable[P, R]], PolymorphicFunction[P, R]]: ...
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: object = None,
    experimental_autograph_options: object = None,
    experimental_attributes: object = None,
    experimental_relax_shapes: object = None,
    experimental_compile: object = None,
    experimental_follow_type_hints: object = None,
) -> Callable[..., Any]:
    """Compiles a Python function: traced once for each combination of dtypes, shapes and Python values.

    Python code runs while tracing only; variables are read and updated in place, and may be made in the first call.
    With autograph, `if`, `while`, `for`, `and`, `or`, `not` on traced tensors become branches and loops of the graph.
    """
    if func is None:
        return lambda f: Function(f, input_signature, autograph)
    return Function(func, input_signature, autograph)
