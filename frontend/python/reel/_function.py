"""reel.function: Python functions compiled, one program for each combination of argument types."""

from __future__ import annotations

import copy as _copy
import functools as _functools
import html as _html
import itertools as _itertools
import typing as _t

from . import _calls, _core

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .typing import CompiledFunction

    P = _t.ParamSpec("P")
    R = _t.TypeVar("R")

_MANY = 8
_SHOWN = 4  # graphs in a notebook


class _Slices:
    """Where a structure has slices, by values and indices that are not known yet."""

    def __init__(self, values, indices, dense_shape):
        self.dense_shape = dense_shape


def _leaves(tree, out, split=False):
    """Appends the leaves of nested lists, tuples and dicts; returns what identifies the structure.

    `split`: values and indices of slices are leaves, not they themselves.
    """
    if isinstance(tree, dict):
        items = [(_calls.key_of_name(k), _leaves(tree[k], out, split)) for k in _calls.sorted_keys(tree)]
        return type(tree), *items
    if isinstance(tree, (list, tuple)):
        return (type(tree),) + tuple(_leaves(x, out, split) for x in tree)
    if split and isinstance(tree, _core.IndexedSlices):
        out += [tree.values, tree.indices]
        return _core.IndexedSlices, tree.dense_shape
    out.append(tree)
    return None


def _rebuild(tree, leaves, slices=None):
    """The structure with other leaves, an iterator; `slices` makes those that were split."""
    if isinstance(tree, dict):
        return _calls.like(tree, [_rebuild(tree[k], leaves, slices) for k in _calls.sorted_keys(tree)])
    if isinstance(tree, (list, tuple)):
        return _calls.like(tree, [_rebuild(x, leaves, slices) for x in tree])
    if slices and isinstance(tree, (_core.IndexedSlices, _Slices)):
        return slices(next(leaves), next(leaves), tree.dense_shape)
    return next(leaves)


def _is_array(x):
    return hasattr(x, "__array__") and not isinstance(x, (_core.Tensor, _core.Variable, _core.IndexedSlices))


def _fits(spec, x):
    def agree(extent, n):
        return extent is None or (extent.min <= n <= extent.max if isinstance(extent, _core.Dim) else extent == n)

    return spec.dtype == x.dtype and len(spec.shape) == len(x.shape) and all(map(agree, spec.shape, x.shape))


def _fitted(spec, x):
    """An argument as the tensors that a signature says: variables as they are now, numbers and lists of its dtype."""
    if not isinstance(spec, _core.TensorSpec):
        if isinstance(spec, dict) and isinstance(x, dict):
            return {k: _fitted(spec[k], v) if k in spec else v for k, v in x.items()}
        if isinstance(spec, (list, tuple)) and isinstance(x, (list, tuple)) and len(spec) == len(x):
            return type(spec)(map(_fitted, spec, x)) if not hasattr(x, "_fields") else type(x)(*map(_fitted, spec, x))
        return x
    if isinstance(x, _core.Variable):
        return x.value()
    if isinstance(x, _core.IndexedSlices):
        return x.dense()
    if not isinstance(x, (bool, int, float, complex, list, tuple)):
        return x
    t = _core.asarray(x)
    narrower = spec.dtype.is_bool < t.dtype.is_bool or _rank(t.dtype) > _rank(spec.dtype)
    return t if narrower else _core.asarray(x, spec.dtype)


def _rank(dtype):
    return 0 if dtype.is_bool else 1 if dtype.is_integer else 3 if dtype.is_complex else 2


def _difference(last, key):
    """Which argument of a call made it a new trace."""

    def text(k):
        return f"{k[0]}{list(k[1])}" if isinstance(k[0], _core.DType) else _calls.text_of(k)

    if last is not None and len(last) == len(key):
        for i, (a, b) in enumerate(zip(last[1:], key[1:])):
            if a != b:
                return f"argument {i} is {text(b)}, before it was {text(a)}"
    return "the structure of the arguments is new"


class _Program:
    """One compiled combination of argument types."""

    def __init__(self, function, name, leaves, args, kwargs, specs=None):
        inside = _core._in_trace()  # then tensors that have values are constants
        self._tensors = [i for i, x in enumerate(leaves) if isinstance(x, _core.Tensor) and (x.symbolic or not inside)]
        self._name = name if name.isidentifier() else "function"

        def traced(*symbolic):
            values = list(leaves)
            for i, x in zip(self._tensors, symbolic):
                values[i] = x
            new_args, new_kwargs = _rebuild((args, kwargs), iter(values), _core.IndexedSlices)
            result = function(*new_args, **new_kwargs)
            _calls.refuse_leaks(name, result)
            parts = []
            _leaves(result, parts, split=True)
            tensors = [x for x in parts if _is_result(x)]
            numbers = _itertools.count()
            places = [_calls.Place((next(numbers),)) if _is_result(x) else x for x in parts]
            self.packing = _calls.packing_of(_rebuild(result, iter(places), _place_of_slices), _core.Tensor)
            return tensors

        self.program = _core._trace_program(traced, specs or [leaves[i] for i in self._tensors], self._name)

    @property
    def graph(self):
        return self.program.graph(self._name)

    def __call__(self, leaves):
        return self.program([leaves[i] for i in self._tensors], self.packing)


def _is_result(x):
    return isinstance(x, (_core.Tensor, _core.Variable))


def _place_of_slices(values, indices, dense_shape):
    make = _functools.partial(_core.IndexedSlices, dense_shape=dense_shape)
    return _calls.Place(values.numbers + indices.numbers, make)


class _CompiledFunction(_core._Callable):
    """What reel.function makes: calls run compiled code, bound to the live variables.

    To a tape a call is one op, whose gradient is compiled too. A trace calls the function, a recording has the ops of its
    graph; under an accumulator the Python function itself runs.
    """

    def __init__(self, python_function, input_signature=None, tune=0, check_bounds=True):
        super().__init__()
        _functools.update_wrapper(self, python_function)
        self.__name__ = _calls.name_of(python_function)
        self.python_function = python_function
        self.input_signature, self._tune, self._check_bounds = input_signature, tune, check_bounds
        self._programs, self._newest = {}, None  # by key, and the key of the last one
        self._traces, self._lock = 0, _calls.new_lock()  # held while a program is looked for and traced
        self._specs = []
        if input_signature is not None:
            _leaves(input_signature, self._specs)

    def __get__(self, instance, owner=None):
        if instance is None or not hasattr(self.python_function, "__get__"):
            return self
        return _calls.bind(self, instance, lambda: self._of(self.python_function.__get__(instance, owner)))

    def __deepcopy__(self, memo):
        function = _copy.deepcopy(self.python_function, memo)  # a method's is that of the copied instance
        return self if function is self.python_function else self._of(function)

    def _of(self, function):
        """Another function with the same options."""
        return _CompiledFunction(function, self.input_signature, self._tune, self._check_bounds)

    def _program(self, *arguments):
        """Traces the function: _Program's arguments after the name."""
        if self._check_bounds:
            return _Program(self.python_function, self.__name__, *arguments)
        return _core._without_bounds(_Program, self.python_function, self.__name__, *arguments)

    def __reduce__(self):
        return getattr(self, "__qualname__", self.__name__)  # pickled by name, as functions are

    def _slow_call(self, *args, **kwargs):
        """A call whose program has to be looked for."""
        if _core._tangents_followed():
            return self.python_function(*args, **kwargs)
        if _core._in_trace():
            return self._call_in_trace(args, kwargs)
        with self._lock:
            program, leaves = self._find(args, kwargs)
        results = self._tuned(program, leaves) if self._tune else program(leaves)
        self._remember(args, kwargs, leaves, program.program, program.packing)
        return results

    def _tuned(self, program, leaves):
        """A call that may be the first one, which compiles."""
        before = _core._set_tune(self._tune)
        try:
            return program(leaves)
        finally:
            _core._set_tune(before)

    def _call_in_trace(self, args, kwargs):
        """A function of the trace that is in progress, which calls it: to tapes it is one op there, too."""
        leaves = []
        _leaves((args, kwargs), leaves, split=True)
        return self._program(leaves, args, kwargs)(leaves)

    def _find(self, args, kwargs):
        args = tuple(map(_fitted, self.input_signature or (), args)) + args[len(self.input_signature or ()) :]
        leaves = []
        structure = _leaves((args, kwargs), leaves, split=True)
        _calls.refuse_traced(self.__name__, leaves)
        key = [structure]
        for i, x in enumerate(leaves):
            if _is_array(x):
                leaves[i] = _core.asarray(x)
        open_shapes = self._fit_signature(leaves)
        for x in leaves:
            if isinstance(x, _core.Tensor):
                key.append((x.dtype, next(open_shapes) if self._specs else x.shape))
            else:
                key.append(self._key_of(x))
        key = tuple(key)
        program = self._programs.get(key)
        if program is None:
            newest = _core.Variable(0.0)._id
            program = self._program(leaves, args, kwargs, self._specs)
            made = [v.name for v in program.program.variables if v._id > newest]
            if made and self._traces:
                raise _core.InvalidArgumentError(
                    f"function: {self.__name__} made the variables {made} in a trace that is not its first, so each "
                    "would have its own; make them outside, or once: `if self.w is None: self.w = reel.Variable(...)`"
                )
            _calls.keep(self._programs, key, program, leaves, key[1:])
            last, self._newest = self._newest, key
            self._traces += 1
            if self._traces == _MANY:
                import warnings

                warnings.warn(
                    f"reel.function: {self.__name__} was compiled {_MANY} times, the last time because "
                    f"{_difference(last, key)}; pass numbers that change as tensors, and keep shapes alike or leave "
                    "them open: input_signature=[reel.TensorSpec((None, 3))]",
                    stacklevel=3,
                )
        return program, leaves

    def _key_of(self, x):
        try:
            return _calls.key_of(x)
        except TypeError:
            raise _core.InvalidTypeError(
                f"function: an argument of {self.__name__} can be neither hashed nor made a tensor; "
                "pass tensors, numbers, strings, or nested lists of them"
            ) from None

    def _fit_signature(self, leaves):
        """Checks the tensors; an iterator of their shapes with what the signature leaves open."""
        specs = self._specs
        if not specs:
            return iter(())
        tensors = [x for x in leaves if isinstance(x, _core.Tensor)]
        for i, (spec, x) in enumerate(zip(specs, tensors)):
            if not _fits(spec, x):
                raise _core.InvalidArgumentError(
                    f"function: argument {i} of {self.__name__} is {x.dtype}{list(x.shape)}, its signature says {spec}"
                    "; convert it, or leave the extent open with None"
                )
        if len(specs) != len(tensors):
            raise _core.InvalidArgumentError(
                f"function: {self.__name__} got {len(tensors)} tensors, its signature has {len(specs)}; pass as many"
            )
        return iter([tuple(map(str, spec.shape)) for spec in specs])

    def get_graph(self, *args, **kwargs):
        """The Function that a call with these arguments (tensors or TensorSpecs) runs."""

        def concrete(x):
            if not isinstance(x, _core.TensorSpec):
                return x
            return _core.zeros([n if isinstance(n, int) else 1 if n is None else n.min for n in x.shape], dtype=x.dtype)

        leaves = []
        _leaves((args, kwargs), leaves)
        args, kwargs = _rebuild((args, kwargs), iter([concrete(x) for x in leaves]))
        with self._lock:
            return self._find(args, kwargs)[0].graph

    def __repr__(self):
        return f"<reel.function {self.__name__}{_calls.signature_of(self.python_function)}>"

    def _repr_html_(self):
        with self._lock:
            graphs = [program.graph for program in self._programs.values()]
        shown = "".join(graph._repr_html_() for graph in graphs[-_SHOWN:])
        return f"<div><code>{_html.escape(repr(self))}</code>: {len(graphs)} graphs{shown}</div>"


@_t.overload
def function(
    func: Callable[P, R], *, input_signature: Any = None, tune: float = 0, check_bounds: bool = True
) -> CompiledFunction[P, R]: ...
@_t.overload
def function(
    func: None = None, *, input_signature: Any = None, tune: float = 0, check_bounds: bool = True
) -> Callable[[Callable[P, R]], CompiledFunction[P, R]]: ...
def function(
    func: Callable[..., Any] | None = None, *, input_signature: Any = None, tune: float = 0, check_bounds: bool = True
) -> Callable[..., Any]:
    """Compiles a Python function: traced once for each combination of dtypes, shapes and Python values.

        @reel.function
        def train(x, labels):
            with reel.GradientTape() as tape:
                loss = reel.nn.softmax_cross_entropy(model(x), labels)
            optimizer.apply(tape.gradient(loss, model.variables), model.variables)
            return loss

    Variables are read and updated in place. Python code runs while tracing only; `if` and `while` on a
    traced tensor raise an error: use reel.cond and reel.while_loop. With an input_signature all calls have its types;
    extents that it leaves open, by None or a reel.Dim, are traced once for all numbers.

    `tune`: seconds that the first call of each combination searches for faster schedules, on random arguments. The bits
    of results do not change. `check_bounds`: calls raise where an index or a label is out of range; False leaves that
    out: such reads give 0, such writes do nothing.
    """
    if func is None:
        return lambda f: _CompiledFunction(f, input_signature, tune, check_bounds)
    return _CompiledFunction(func, input_signature, tune, check_bounds)
