"""The four functions of tf.contrib.eager that differentiate functions, and make_vjp.

def loss(w, x):
    return tf.reduce_sum(tf.square(w * x))

tfe.gradients_function(loss, params=["w"])(2.0, 3.0)    # [tf.Tensor(36.0, ...)]
"""

from __future__ import annotations as _annotations

import functools as _functools
import inspect as _inspect
import typing as _t

from . import _core
from .tf import nest as _nest
from .tf._array import identity as _identity
from .tf._convert import convert_to_tensor as _convert
from .tf._tape import GradientTape as _GradientTape
from .tf._tensor import TensorLike as _TensorLike
from .tf._variable import Variable as Variable
from .tf.errors import ConversionError as _ConversionError
from .tf.errors import StateError as _StateError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .tf._tensor import Tensor as _Tensor

    P = _t.ParamSpec("P")
    R = _t.TypeVar("R")
    _Params = Sequence[str] | Sequence[int] | None

__all__ = [
    "gradients_function",
    "value_and_gradients_function",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "make_vjp",
    "Variable",
    "enable_eager_execution",
    "executing_eagerly",
]


def enable_eager_execution(config: object = None, device_policy: object = None, execution_mode: object = None) -> None:
    """Nothing: ops run at once anyway."""


def executing_eagerly() -> bool:
    """Whether ops run at once; False while tracing."""
    from .tf._trace import executing_eagerly as executing

    return executing()


def _value(result):
    """What a function returned; None is an error."""
    if result is None:
        raise _ConversionError(
            "Cannot differentiate a function that returns None; did you forget to return a value from fn?"
        )
    return result


def _positional_names(f):
    try:
        parameters = _inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        raise _ConversionError(
            "Either callable provided is not a function or could not inspect its arguments by name: "
            f"{f!r}; use positions"
        ) from None
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _positions(f, params, args):
    """Which arguments are differentiated by, as positions."""
    if params is None:
        return list(range(len(args)))
    params = list(params)
    if params and all(isinstance(p, str) for p in params):
        names = _positional_names(f)
        for p in params:
            if p not in names:
                raise _ConversionError(f"{p!r} is not in list: the positional parameters of the function are {names}")
        positions = [names.index(p) for p in params]
    elif all(isinstance(p, int) for p in params):
        positions = params
    else:
        raise _ConversionError(f"params must be all strings or all integers; got {params}.")
    for p in positions:
        if not -len(args) <= p < len(args):
            raise _ConversionError(
                f"params asks for the gradient of argument {p}, but {len(args)} were passed; pass "
                "it, or leave it out of params"
            )
    return positions


def _parameter(argument, position):
    """An argument as a tensor of its own, so that each parameter is independent."""
    if isinstance(argument, (int, bool)) or (isinstance(argument, (list, tuple)) and not _is_float(argument)):
        value = _convert(argument)
        if value.dtype.is_integer:
            raise _core.InvalidTypeError(
                f"argument {position} is an integer ({argument!r}), which has no gradient; "
                "pass a float, or leave it out of params"
            )
        return value
    return _identity(_convert(argument))


def _is_float(argument):
    return any(isinstance(x, (float, complex, _TensorLike)) for x in _nest.flatten(argument))


def _run(f, params, args, kwargs, persistent=False):
    """(tape, result, parameters) of f on arguments that a tape follows."""
    if kwargs:
        raise _ConversionError("Functions to be differentiated cannot receive keyword arguments.")
    positions = _positions(f, params, args)
    args = list(args)
    for p in positions:
        args[p] = _parameter(args[p], p)
    parameters = [args[p] for p in positions]
    tape = _GradientTape(persistent)
    with tape:
        tape.watch(parameters)
        result = _value(f(*args))
    return tape, result, parameters


def _targets(result):
    return _nest.map_structure(lambda y: y if isinstance(y, _TensorLike) else _convert(y), result)


def value_and_gradients_function(
    f: Callable[..., R], params: _Params = None
) -> Callable[..., tuple[R, list[_Tensor | Any]]]:
    """A function of f's arguments that returns (f(...), [gradients by params]).

    params: names or positions, all positional arguments if None. Further argument `dy`: seeds in the structure of
    the result. Results of any shape and number are summed. Errors: ValueError for None as the result, unknown names,
    keyword arguments; TypeError for integers to differentiate by.
    """

    def value_and_gradients(*args, dy=None, **kwargs):
        tape, result, parameters = _run(f, params, args, kwargs)
        return result, tape.gradient(_targets(result), parameters, output_gradients=dy)

    return _named(value_and_gradients, f)


def gradients_function(f: Callable[..., Any], params: _Params = None) -> Callable[..., list[_Tensor | Any]]:
    """A function of f's arguments that returns the list of gradients by params; see value_and_gradients_function."""
    both = value_and_gradients_function(f, params)

    def gradients(*args, **kwargs):
        return both(*args, **kwargs)[1]

    return _named(gradients, f)


def make_vjp(
    f: Callable[..., R], params: _Params = None, persistent: bool = True
) -> Callable[..., tuple[R, Callable[..., list[_Tensor | Any]]]]:
    """A function of f's arguments that returns (f(...), vjp): vjp(dy) is the list of gradients seeded by dy.

    vjp() takes ones. Without persistent, a second call of vjp is a RuntimeError.
    """

    def value_and_vjp(*args, **kwargs):
        if kwargs:
            raise AssertionError("The gradient function can't take keyword arguments.")
        tape, result, parameters = _run(f, params, args, {}, persistent)
        used = []

        def vjp(dy=None):
            if used and not persistent:
                raise _StateError("vjp was called a second time; use make_vjp(..., persistent=True) for that")
            used.append(True)
            return tape.gradient(_targets(result), parameters, output_gradients=dy)

        return result, vjp

    return _named(value_and_vjp, f)


def implicit_value_and_gradients(f: Callable[P, R]) -> Callable[P, tuple[R, list[tuple[_Tensor | Any, Variable]]]]:
    """A function of f's arguments that returns (f(...), [(gradient, variable), ...]).

    The variables are the trainable ones that f read, in the order of their creation; a gradient is None where the
    result does not depend on it. Errors: ValueError if none was read, or f returns None.
    """

    def value_and_gradients(*args, **kwargs):
        with _GradientTape() as tape:
            result = _value(f(*args, **kwargs))
        variables = tape.watched_variables()
        if not variables:
            raise _ConversionError("No trainable variables were accessed while the function was being computed.")
        return result, list(zip(tape.gradient(_targets(result), list(variables)), variables))

    return _named(value_and_gradients, f)


def implicit_gradients(f: Callable[P, Any]) -> Callable[P, list[tuple[_Tensor | Any, Variable]]]:
    """A function of f's arguments that returns [(gradient, variable), ...]; see implicit_value_and_gradients."""
    both = implicit_value_and_gradients(f)

    def gradients(*args, **kwargs):
        return both(*args, **kwargs)[1]

    return _named(gradients, f)


def _named(wrapper, f):
    try:
        return _functools.wraps(f)(wrapper)
    except AttributeError:
        return wrapper
