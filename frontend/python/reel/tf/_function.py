"""tf.function: Python functions compiled, one program for each combination of argument types."""

from __future__ import annotations

import copy as _copy
import functools as _functools
import inspect as _inspect
import typing as _t
import warnings as _warnings

from .. import _calls, _core
from . import _autograph_runtime, _callbacks, _config, _variable, autodiff, nest
from ._concrete import MOST as _MOST
from ._concrete import NUMBERS as _NUMBERS
from ._concrete import ConcreteFunction, Literal, VaryingFunction, check_options
from ._concrete import is_array as _is_array
from ._concrete import key_of as _literal_key
from ._concrete import misfit as _misfit
from ._concrete import opened as _opened
from ._concrete import outputs as _outputs
from ._convert import convert_to_tensor
from ._dtypes import string as _string
from ._shape import TensorSpec
from ._slices import IndexedSlices, from_core
from ._tensor import Tensor, wrap
from ._text import no_text
from ._trace import state
from .errors import ConversionError, StateError

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


def _flatten(tree):
    """The leaves of a structure, slices as their values and indices; what puts others in their place."""
    leaves = nest.flatten(tree)

    def pack(values):
        values = iter(values)
        return nest.pack_sequence_as(
            tree,
            [
                _slices(next(values), next(values), x.dense_shape) if isinstance(x, IndexedSlices) else next(values)
                for x in leaves
            ],
        )

    return [part for x in leaves for part in ((x.values, x.indices) if isinstance(x, IndexedSlices) else (x,))], pack


def _size(tree):
    return len(_flatten(tree)[0])


def _slices(values, indices, dense_shape):
    """Slices of tensors, or of the types of such."""
    if isinstance(values, Tensor):
        return IndexedSlices(values, indices, dense_shape)
    out = object.__new__(IndexedSlices)
    out.values, out.indices, out.dense_shape = values, indices, dense_shape
    return out


def _key_of(x, open_axes=None):
    """What of a leaf makes a trace its own; equal numbers of different types are different."""
    if isinstance(x, Tensor):
        shape = x._t.shape
        return x._t.dtype, _opened(shape, open_axes) if open_axes else shape
    return _literal_key(x)


def _shape_key(tree):
    """What identifies a structure."""
    if isinstance(tree, dict):
        return type(tree), tuple((_calls.key_of_name(k), _shape_key(tree[k])) for k in nest._keys(tree))
    if nest.is_nested(tree):
        return type(tree), tuple(_shape_key(x) for x in tree)
    if isinstance(tree, IndexedSlices):
        return IndexedSlices, None if tree.dense_shape is None else tuple(tree.shape)
    return None


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
        reduce_retracing: bool = False,
        jit_compile: bool | None = None,
    ) -> None:
        super().__init__()
        if not callable(python_function):
            raise _core.InvalidTypeError(f"{python_function!r} is not a callable object")
        _functools.update_wrapper(self, python_function)
        self.python_function = python_function
        self._name = self.__name__ = name or _calls.name_of(python_function)
        self._autograph = autograph
        self.input_signature = _checked_signature(input_signature)
        self._signature = _calls.signature_of(python_function)
        if self.input_signature is not None:
            _check_signature(self.input_signature, self._signature)
        self._reduce, self._jit = bool(reduce_retracing), jit_compile
        self._programs, self._traces = {}, 0
        self._lock = _calls.new_lock()  # held while a program is looked for and traced
        self._calls, self._recent, self._warnings, self._created, self._last = 0, [], 0, False, None
        self._as_it_is = False  # it iterates over a dataset
        self._wide: list[Any] = []  # (structure, program) of programs for open extents
        self._symbolic = True  # axes of the signature that are None are traced once for all extents

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None or not hasattr(self.python_function, "__get__"):
            return self
        return _calls.bind(self, instance, lambda: self._of(self.python_function.__get__(instance, owner)))

    def _of(self, python_function):
        """The same of another Python function."""
        return Function(python_function, self.input_signature, self._autograph, self._name, self._reduce, self._jit)

    def __deepcopy__(self, memo: Any) -> Function:
        function = _copy.deepcopy(self.python_function, memo)  # a method's is that of the copied instance
        return self if function is self.python_function else self._of(function)

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
        given = args, kwargs
        args, kwargs, leaves, pack = self._bind(args, kwargs)
        if _core._ops_observed() or state.graph is not None:
            args, kwargs = pack(leaves)
            out = _outputs(self._converted()(*args, **kwargs))
            if not _core._tangents_followed():
                return out
            return autodiff._moves_with(out, leaves, lambda: self._concrete_function(args, kwargs).depends())
        _calls.refuse_traced(self._name, leaves)
        with self._lock:
            key = self._key(args, kwargs, leaves)
            program = self._programs.get(key)
            if program is None:
                program = self._covering(key, leaves)
            self._note(program is None, key)
            if program is None:
                program = self._trace(key, leaves, pack)
                if program is None:
                    args, kwargs = pack(leaves)
                    out = _outputs(self._converted()(*args, **kwargs))
                    if not self._as_it_is:
                        self._trace(key, leaves, pack)  # which makes no variables again
                    return out
            self._calls += 1
        results = program.call_flat(leaves)
        if not given[1]:
            self._remember(*given, leaves, program.program, program.packing)
        elif own := _calls.given_leaves(self._signature, given, (args, kwargs), leaves, _size, Tensor):
            self._remember(*given, own[0], program.program, program.packing, own[1])
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
        unknown = set(kwargs) - set(self._signature.parameters) if self.input_signature is not None else ()
        if unknown:
            raise self._binding_error(f"got an unexpected keyword argument '{min(unknown)}'", args)
        if self.input_signature is not None:
            args = self._fit_signature(args)
        args, kwargs = nest.map_structure(
            lambda x: from_core(x) if isinstance(x, _core.IndexedSlices) else x, (args, kwargs)
        )
        leaves, pack = _flatten((args, kwargs))
        return args, kwargs, [convert_to_tensor(x) if _is_array(x) else x for x in leaves], pack

    def _leaves_of(self, args, kwargs):
        """The leaves of arguments, slices as their parts."""
        return _flatten((list(args), dict(kwargs)))[0]

    @staticmethod
    def _split_types(types):
        """The types of leaves, slices as their parts."""
        return _flatten(types)[0]

    def _covering(self, key, leaves):
        """A program that was traced for a wider type, kept for this key too; None if there is none."""
        if not self._wide:
            return None
        types = [TensorSpec(x.shape, x.dtype) if isinstance(x, Tensor) else Literal(_literal_key(x)) for x in leaves]
        for structure, program in self._wide:
            if structure == key[0] and program.covers(leaves, types):
                self._programs[key] = program
                return program
        return None

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
            if wrong := _misfit(spec, argument):
                raise self._binding_error(wrong, args)
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
            program = self._traced(key, leaves, pack)
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
        except _callbacks.ShapesUnknown:
            return None
        self._keep((key[0], self._leaf_keys(leaves)), program, leaves)
        return program

    def _keep(self, key, program, leaves):
        _calls.keep(self._programs, key, program, leaves, key[1])
        self._traces += 1

    def _traced(self, key, leaves, pack):
        """The program of these arguments, of any extent of the open axes where all ops allow that."""
        make = _functools.partial(ConcreteFunction, self, self._converted(), leaves, pack)
        open_axes = self._open_axes(leaves) if self.input_signature is not None else self._relaxed(key, leaves)
        if open_axes:
            try:
                program = make(open_axes)
            except (_core.Error, TypeError):  # an op needs a number, or the function is wrong: then it is so again
                program, self._symbolic = make(), False
                return program
            if self.input_signature is None:
                self._wide.append((key[0], program))
            return program
        return make()

    def _relaxed(self, key, leaves):
        """With reduce_retracing: the axes in which these arguments differ from those of the trace before."""
        before = [k for k in self._programs if k[0] == key[0] and len(k[1]) == len(leaves)]
        if not self._reduce or not self._symbolic or not before:
            return {}
        names, out = {}, {}
        for i, (x, old) in enumerate(zip(leaves, before[-1][1])):
            if not isinstance(x, Tensor) or not isinstance(old[0], _core.DType):
                if old != key[1][i]:
                    return {}
                continue
            shape = x._t.shape
            if old[0] is not x._t.dtype or len(old[1]) != len(shape):
                return {}
            axes = [axis for axis, (m, n) in enumerate(zip(old[1], shape)) if m != n and 1 <= n <= _MOST]
            if axes:
                out[i] = {a: names.setdefault((old[1][a], shape[a]), f"n{len(names)}") for a in axes}
        return out

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
        opened, specs, unknown = {}, {}, False  # by the ids of tensors that stand for specs

        def concrete(x):
            nonlocal unknown
            if not isinstance(x, TensorSpec):
                return x
            shape = () if x.shape is None or getattr(x.shape, "rank", 0) is None else tuple(x.shape)
            if x.dtype is _string:
                return no_text(shape)
            unknown = unknown or x.shape is None or getattr(x.shape, "rank", 0) is None
            t = wrap(_core.zeros([2 if n is None else n for n in shape], dtype=x.dtype.core))
            axes = [axis for axis, n in enumerate(shape) if n is None]
            if axes and self.input_signature is None:
                opened[id(t)] = {axis: f"n{len(opened)}_{axis}" for axis in axes}
            specs[id(t)] = x
            return t

        if not args and not kwargs and self.input_signature is not None:
            args = self.input_signature
        args, kwargs = nest.map_structure(concrete, (tuple(args), kwargs))
        args, kwargs, leaves, pack = self._bind(args, kwargs)
        of_leaves = {i: specs[id(x)] for i, x in enumerate(leaves) if id(x) in specs}
        open_axes = {i: opened[id(x)] for i, x in enumerate(leaves) if id(x) in opened}
        if open_axes or unknown:
            structure = _shape_key((args, kwargs))
            key = structure, tuple(_key_of(x, open_axes.get(i)) for i, x in enumerate(leaves)), unknown
            program = self._programs.get(key)
            if program is None:
                program = self._open_function(leaves, pack, open_axes, of_leaves, unknown)
                self._keep(key, program, leaves)
                self._wide.append((structure, program))
            return program
        key = self._key(args, kwargs, leaves)
        program = self._programs.get(key) or self._covering(key, leaves) or self._trace(key, leaves, pack)
        if program is None and self._as_it_is:
            raise _core.UnimplementedError(
                f"get_concrete_function: {self._name} iterates over a dataset, which no program can; call it as it is"
            )
        if program is None:
            with _variable.restored(), _core._Suspended():
                self._converted()(*pack(leaves)[0], **pack(leaves)[1])
            program = self._trace(key, leaves, pack)
        if of_leaves and self.input_signature is not None:
            program._types = pack([of_leaves.get(i, Literal(_literal_key(x))) for i, x in enumerate(leaves)])
        return program

    def _open_function(self, leaves, pack, open_axes, specs, unknown):
        """A program for any extents, or one that is traced for each shape, where an op needs a number."""
        if not unknown:
            try:
                return ConcreteFunction(self, self._converted(), leaves, pack, open_axes, specs)
            except (_core.Error, TypeError):
                pass
        return VaryingFunction(self, self._converted(), leaves, pack, specs)

    @property
    def function_spec(self) -> _inspect.Signature:
        """The signature of the Python function."""
        return self._signature

    @property
    def function_type(self) -> str:
        """The signature as text, with the types that input_signature says."""
        return str(self._signature)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """What its traces take and return, in the order they were made."""
        programs = list(dict.fromkeys(self._programs.values()))
        return "\n\n".join(p.pretty_printed_signature(verbose) for p in programs)

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: it is of XLA. get_concrete_function(...).graph.function.to_text() has Reel's own."""
        raise ConversionError(
            "experimental_get_compiler_ir: there is no XLA here; get_concrete_function(...).graph.function.to_text() is "
            "what Reel compiles"
        )

    def get_initialization_function(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: variables are made by the first call."""
        raise StateError(
            "get_initialization_function: variables are made when the function is called for the first time"
        )

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


def _check_signature(specs, signature):
    """TypeError unless there is a type for every parameter without a default, and none too many."""
    kinds = (_inspect.Parameter.POSITIONAL_ONLY, _inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [p for p in signature.parameters.values() if p.kind in kinds]
    parameters = parameters[1:] if parameters and parameters[0].name == "self" else parameters
    variadic = any(p.kind is _inspect.Parameter.VAR_POSITIONAL for p in signature.parameters.values())
    if len(specs) > len(parameters) and not variadic:
        raise _core.InvalidTypeError(
            f"input_signature contains {len(specs) - len(parameters)} extra type constraints; the function takes {signature}"
        )
    missing = [p.name for p in parameters[len(specs) :] if p.default is p.empty]
    if missing:
        raise _core.InvalidTypeError(f"input_signature missing type constraint for {', '.join(missing)}")


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
    reduce_retracing: after the second shape of an argument the axes that differ are traced for any extent. jit_compile and
    experimental_implements, _compile, _relax_shapes, _follow_type_hints change no result: all is compiled.
    With autograph, `if`, `while`, `for`, `and`, `or`, `not` on traced tensors become branches and loops of the graph.
    """
    check_options(experimental_autograph_options, experimental_attributes)
    reduce = bool(reduce_retracing or experimental_relax_shapes)
    jit = experimental_compile if jit_compile is None else jit_compile

    def decorated(f):
        if isinstance(f, Function):  # tf.function of a tf.function
            f = f.python_function
        return Function(f, input_signature, autograph, None, reduce, jit)

    return decorated if func is None else decorated(func)
