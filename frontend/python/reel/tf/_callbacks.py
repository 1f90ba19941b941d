"""Python functions that compiled code calls: tf.py_function, tf.numpy_function, and what tf.print and assertions are.

A trace holds a `callback` op for each, in the order of the program: it reads and assigns one variable, which branches,
loops and calls carry as any other. Objects that are compiled ahead of time refuse them.
"""

from __future__ import annotations

import functools as _functools
import itertools as _itertools
import sys as _sys
import threading as _threading
import typing as _t
from collections import OrderedDict as _OrderedDict

from .. import _core
from . import _dtypes as dtypes
from ._convert import convert_to_tensor, to_core
from ._shape import TensorSpec
from ._tensor import TensorLike, wrap
from ._text import StringTensor
from ._trace import all_in_graph as _all_in_graph
from ._trace import state
from .errors import ConversionError, InvalidArgumentError, OutOfRangeError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..typing import TensorLike as ArrayLike

_KEPT = 8  # calls whose tapes a site keeps for gradients
_keys = _itertools.count(1)
_lock = _threading.Lock()


class ShapesUnknown(BaseException):
    """A trace met a py_function that has not run yet: the call runs eagerly first."""


# --- the op ---


def _parts(tensors):
    """Real tensors in the place of complex ones, and what makes these again of the parts."""
    complex_ones = [t.dtype.is_complex for t in tensors]

    def join(parts):
        rest = iter(parts)
        return [_core.complex(next(rest), next(rest)) if c else next(rest) for c in complex_ones]

    flat = [p for t, c in zip(tensors, complex_ones) for p in ((_core.real(t), _core.imag(t)) if c else (t,))]
    return flat, join


def _emit(run, of, effect, like, order, tensors, guarded=False):
    """One op that gives run(order, tensors), of the type of `like`."""
    parts, join = _parts(tensors)
    return _core._callback(lambda values: run(values[0], join(values[1:])), of, effect, guarded, like, [order, *parts])


def effect(
    run: Callable[[list[_core.Tensor]], None], of: str, tensors: Sequence[_core.Tensor], guarded: bool = False
) -> None:
    """In a trace: run(values of the core tensors) each time, in the order of the program. What it raises ends the call.

    `guarded`: the first tensor is of bool, and it runs where one of its elements is false.
    """
    order = _core._callback_order()
    now = order.value()
    order.assign(_emit(lambda _, values: run(values), of, True, now, now, list(tensors), guarded))


def require(ok: _core.Tensor, fail: Callable[[list[_core.Tensor], str], None], tensors: Sequence[_core.Tensor]) -> None:
    """In a trace: fail(values of the core tensors, ", at file:line"), which raises, unless all of `ok`, of bool, is true
    when it runs."""
    line = user_line()
    effect(lambda values: fail(values[1:], line), "assert", [ok, *tensors], True)


def passed(check: Callable[[_core.Tensor, str], None], of: str, x: _core.Tensor) -> _core.Tensor:
    """In a trace: x, which check(value, ", at file:line") has seen, where gradients are: their effects are not kept."""
    line, order = user_line(), _core._callback_order().value()

    def run(_, values):
        check(values[0], line)
        return values[0]

    return fetch(run, of, x, order, [x])


def user_line() -> str:
    """ ", at file:line" of who called this package."""
    frame, package = _sys._getframe(1), __name__.rpartition(".")[0].rpartition(".")[0]
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == package:
        frame = frame.f_back
    return "" if frame is None else f", at {frame.f_code.co_filename}:{frame.f_lineno}"


# --- values ---


class _Site:
    """A function in a trace: its calls, and their results, which further ops take one by one."""

    def __init__(self, of, run, results, differentiable):
        self.of, self.run, self.results, self.differentiable = of, run, results, differentiable
        self._calls, self._lock = _OrderedDict(), _threading.Lock()  # by key: inputs, outputs, tape

    def _called(self, inputs):
        """(inputs, outputs, tape) of a call that happens now."""
        if not self.differentiable:
            return inputs, self._checked(self.run(inputs)), None
        with _core.GradientTape(persistent=True) as tape:
            for x in inputs:
                tape.watch(x)
            outputs = self.run(inputs)
        return inputs, self._checked(outputs), tape

    def _checked(self, outputs):
        for i, (y, like) in enumerate(zip(outputs, self.results)):
            if (y.dtype, tuple(y.shape)) != (like.dtype, tuple(like.shape)):
                raise InvalidArgumentError(
                    f"{self.of}: result {i} is {y.dtype.name}{list(y.shape)}, the trace that calls it was made for "
                    f"{like.dtype.name}{list(like.shape)}; return one shape for arguments of one shape, or call it "
                    "outside of the tf.function"
                )
        return outputs

    def begin(self, _, inputs):
        """Calls the function; the key of its results."""
        called = self._called(inputs)
        key = next(_keys) % 2**31
        with self._lock:
            self._calls[key] = called
            while len(self._calls) > _KEPT:
                self._calls.popitem(last=False)
        return _core.asarray(key, _core.int32)

    def found(self, key, inputs):
        """What was called with these inputs; where a gradient runs a loop again, it is called again."""
        key = int(key.item())
        with self._lock:
            called = self._calls.get(key)
        if called is None or not all(map(_same, called[0], inputs)):
            called = self._called(inputs)
            with self._lock:
                self._calls[key] = called
        return called

    def result(self, k):
        return lambda key, inputs: self.found(key, inputs)[1][k]

    def gradient(self, key, values, n, seeded):
        """Of n inputs and the cotangents of the results that have one: the gradients, one for each input."""
        inputs, outputs, tape = self.found(key, values[:n])
        targets = [y for y, s in zip(outputs, seeded) if s]
        found = tape.gradient(targets, inputs, values[n:])
        return [_core.zeros_like(x) if d is None else _dense(d) for x, d in zip(inputs, found)]


def _dense(d):
    return d.dense() if isinstance(d, _core.IndexedSlices) else d


def _same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.numpy().tobytes() == b.numpy().tobytes()


def _values(of, run, inputs, results, differentiable):
    """In a trace: run(inputs), core tensors of the types of `results`; its gradient is that of its own tape."""
    site = _Site(of, run, results, differentiable)
    order = _core._callback_order()
    followed = differentiable and any(x.dtype.is_floating or x.dtype.is_complex for x in inputs)
    made = _with_gradient(site, order.value(), inputs) if followed else _call(site, order.value(), inputs)
    order.assign(made[0])
    return made[1:]


def _call(site, now, inputs):
    after = _emit(site.begin, site.of, True, now, now, inputs)
    return [after, *(fetch(site.result(k), site.of, y, after, inputs) for k, y in enumerate(site.results))]


def fetch(
    run: Callable[[_core.Tensor, list[_core.Tensor]], _core.Tensor],
    of: str,
    like: _core.Tensor,
    order: _core.Tensor,
    tensors: Sequence[_core.Tensor],
) -> _core.Tensor:
    """In a trace: an op that gives run(order, tensors), of the type of `like`; two of real numbers for a complex one."""
    if not like.dtype.is_complex:
        return _emit(run, of, False, like, order, tensors)
    part = _core.zeros(tuple(like.shape), dtype=_core.float32 if like.dtype.itemsize == 8 else _core.float64)
    parts = (
        _emit(lambda key, values, f=f: f(run(key, values)), of, False, part, order, tensors)
        for f in (_core.real, _core.imag)
    )
    return _core.complex(*parts)


def _with_gradient(site, now, inputs):
    def forward(operands):
        after, *outputs = _call(site, operands[0], operands[1:])

        def backward(dys, _variables):
            seeded = [dy is not None for dy in dys[1:]]
            values = [*operands[1:], *(dy for dy in dys[1:] if dy is not None)]
            n = len(inputs)

            def run(k):
                return lambda key, given: site.gradient(key, given, n, seeded)[k]

            return [None] + [
                fetch(run(k), f"gradient of {site.of}", x, after, values)
                if x.dtype.is_floating or x.dtype.is_complex
                else None
                for k, x in enumerate(operands[1:])
            ], []

        return [after, *outputs], backward, False

    return _core._call_custom(forward, [now, *inputs])


# --- tf.py_function ---

_known, _wanted = {}, set()  # shapes of results that calls have had, and those that traces want, by _site_key


def _site_key(function, inputs, kinds):
    code = getattr(function, "__code__", function)
    return code, tuple((x.dtype, tuple(x.shape)) for x in inputs), tuple(kinds)


def _specs(of, function, inputs, kinds, shapes):
    """Tensors of the types of the results."""
    if None in shapes:
        if any(not isinstance(n, int) for x in inputs for n in x.shape):
            raise _core.UnimplementedError(f"{of}: its arguments must have known shapes; trace for each shape")
        key = _site_key(function, inputs, kinds)
        with _lock:
            found = _known.get(key)
            if found is None:
                _wanted.add(key)
        if found is None and state.depth:
            raise ShapesUnknown
        if found is None:
            raise _core.UnimplementedError(
                f"{of}: the shapes of its results are not known in this trace; give Tout as tf.TensorSpec(shape, dtype)"
            )
        shapes = [known if given is None else given for given, known in zip(shapes, found)]
    return [_core.zeros(shape, dtype=kind) for shape, kind in zip(shapes, kinds)]


def _call_function(of, function, run, inputs, out_types, differentiable):
    """run(core tensors) -> core tensors, at once or in the trace; a result for one type, else a list."""
    single = not isinstance(out_types, (list, tuple))
    types = [out_types] if single else list(out_types)
    kinds = [_kind(t.dtype if isinstance(t, TensorSpec) else t) for t in types]
    shapes = [tuple(t.shape) if isinstance(t, TensorSpec) and t.shape is not None else None for t in types]
    shapes = [None if s is None or None in s else s for s in shapes]
    inputs = [convert_to_tensor(x) for x in inputs]
    texts = {i: x for i, x in enumerate(inputs) if isinstance(x, StringTensor)}  # constants, in a trace too
    tensors = [x._core_value() for i, x in enumerate(inputs) if i not in texts]
    run = _with_texts(run, texts) if texts else run
    if _core._in_trace():
        if None in kinds:
            raise _core.UnimplementedError(f"{of}: compiled code has no strings; return numbers, or call it eagerly")
        likes = _specs(of, function, tensors, kinds, shapes)
        outputs = _values(of, lambda values: run(values, kinds), tensors, likes, differentiable)
    else:
        outputs = run(tensors, kinds)
        with _lock:
            key = _site_key(function, tensors, kinds) if _wanted else None
            if key in _wanted:
                _known[key] = [tuple(y.shape) for y in outputs]
    outputs = [y if isinstance(y, StringTensor) else wrap(y) for y in outputs]
    return outputs[0] if single else outputs


def _kind(dtype):
    """The core's dtype; None for strings."""
    return None if dtypes.as_dtype(dtype) is dtypes.string else dtypes.core_dtype(dtype)


def _with_texts(run, texts):
    """run, which gets tensors of strings in their places among the others."""

    def call(tensors, kinds):
        rest = iter(tensors)
        n = len(tensors) + len(texts)
        return run([texts[i] if i in texts else next(rest) for i in range(n)], kinds)

    return call


def _outputs(of, made, kinds, convert):
    made = list(made) if isinstance(made, (list, tuple)) and len(kinds) != 1 else [made]
    if isinstance(made[0], (list, tuple)) and len(kinds) == len(made[0]) == 1:
        made = list(made[0])
    if not kinds:
        return []
    if len(made) != len(kinds):
        raise InvalidArgumentError(f"{of}: the function returns {len(made)} values, Tout has {len(kinds)} types")
    return [convert(y, kind) for y, kind in zip(made, kinds)]


def _to_type(of):
    def convert(y, kind):
        if kind is None:
            return convert_to_tensor(y, dtypes.string)
        t = to_core(y) if isinstance(y, TensorLike) else convert_to_tensor(y, kind)._t
        if t.dtype != kind:
            raise InvalidArgumentError(
                f"{of}: the function returns {t.dtype.name}, Tout says {kind.name}; tf.cast it, or say so in Tout"
            )
        return t

    return convert


def _mapped(of, function, arguments):
    """function(*arguments), with TensorFlow's classes of what it raises."""
    try:
        return function(*arguments)
    except _core.Error:
        raise
    except ValueError as error:
        raise ConversionError(f"{of}: ValueError: {error}") from error
    except TypeError as error:
        raise CallbackTypeError(f"{of}: TypeError: {error}") from error
    except NotImplementedError as error:
        raise _core.UnimplementedError(f"{of}: NotImplementedError: {error}") from error
    except StopIteration as error:
        raise OutOfRangeError(f"{of}: StopIteration: {error}") from error


class CallbackTypeError(InvalidArgumentError, TypeError):
    """A function that compiled code calls raised a TypeError."""


def py_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[ArrayLike] | None = None,
    Tout: Any = None,
    name: str | None = None,
) -> Any:
    """func(*inp), a Python function of eager tensors, also when compiled code runs: a result of type Tout, or a list.

    Tapes differentiate through it, by a tape of its own in a tf.function. There the shapes of results are those of its
    first call, which runs the tf.function eagerly, or those of Tout as tf.TensorSpec; others raise. Where a gradient
    runs a loop again, it is called again. Without func: a decorator.
    """
    if Tout is None:
        raise _core.InvalidTypeError("py_function: missing required argument 'Tout'; give the dtype of the result")
    if func is None:
        return lambda f: lambda *args: py_function(f, args, Tout, name)
    of = f"py_function {getattr(func, '__name__', 'func')}"

    def run(tensors, kinds):
        made = _mapped(of, func, [t if isinstance(t, StringTensor) else wrap(t) for t in tensors])
        return _outputs(of, made, kinds, _to_type(of))

    return _call_function(of, func, run, inp or [], Tout, True)


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Sequence[ArrayLike] | None = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """func(*inp) of NumPy arrays, also when compiled code runs: a result of type Tout, or a list. No gradient.

    Shapes of results are as of py_function. Without func: a decorator.
    """
    if Tout is None:
        raise _core.InvalidTypeError("numpy_function: missing required argument 'Tout'; give the dtype of the result")
    if func is None:
        return lambda f: lambda *args: numpy_function(f, args, Tout, stateful, name)
    of = f"numpy_function {getattr(func, '__name__', 'func')}"

    def convert(y, kind):
        import numpy

        if kind is None:
            return convert_to_tensor(y, dtypes.string)
        t = _core.asarray(numpy.asarray(y))
        if t.dtype == kind:
            return t
        raise InvalidArgumentError(
            f"{of}: the function returns {t.dtype.name}, Tout says {kind.name}; convert it with .astype"
        )

    def run(tensors, kinds):
        made = _mapped(of, func, [t.numpy() if isinstance(t, StringTensor) else wrap(t).numpy() for t in tensors])
        return _outputs(of, made, kinds, convert)

    return _call_function(of, func, run, inp or [], Tout, False)


def _numpy_node(func=None, inp=None, Tout=None, stateful=True, name=None):
    """numpy_function in a tf.Graph, where shapes of results need not be known."""
    from .compat.v1 import py_func

    if func is None:
        return lambda f: lambda *args: numpy_function(f, args, Tout, stateful, name)
    return py_func(func, inp or [], Tout, stateful, name)


numpy_function = _functools.update_wrapper(_core._GraphAware(numpy_function, _numpy_node), numpy_function)
_all_in_graph(globals(), "effect", "fetch", "require", "passed", "user_line")
