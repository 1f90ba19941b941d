"""Functions whose gradient the user states: custom_gradient, recompute_grad, grad_pass_through."""

from __future__ import annotations

import functools as _functools
import inspect as _inspect
import numbers as _numbers
import typing as _t

from . import _core
from ._function import _leaves, _rebuild, _Slices

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    P = _t.ParamSpec("P")
    R = _t.TypeVar("R")
    WithGradient = Callable[P, tuple[R, Callable[..., Any]]]


def _is_input(x):
    return isinstance(x, (_core.Tensor, _core.Variable, _numbers.Number)) or hasattr(x, "__array__")


def _split(arguments, slices=None):
    """The tensors, variables, arrays and numbers of a structure, and what puts others in their places.

    `slices` makes those of what was split; without it slices are one input.
    """
    leaves = []
    _leaves(arguments, leaves, split=slices is not None)
    places = [i for i, x in enumerate(leaves) if _is_input(x)]

    def rebuild(tensors):
        values = list(leaves)
        for i, x in zip(places, tensors):
            values[i] = x
        return _rebuild(arguments, iter(values), slices)

    return [leaves[i] for i in places], rebuild


def _takes_variables(grad):
    try:
        parameters = _inspect.signature(grad).parameters.values()
    except (TypeError, ValueError):  # a callable without a signature
        return False
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)


def _list_of(gradients, count, what):
    out = []
    _leaves(gradients, out)
    if len(out) != count:
        raise _core.InvalidArgumentError(
            f"custom_gradient function expected to return {count} gradients, but returned {len(out)} instead: "
            f"return one for each of the {what}, None for none"
        )
    return out


def _backward(grad, count):
    """grad(*dys, variables=None) with lists for what it takes and returns."""

    def backward(dys, variables):
        if not variables:
            return _list_of(grad(*dys), count, "inputs"), []
        made = grad(*dys, variables=list(variables))
        if not isinstance(made, (tuple, list)) or len(made) != 2:
            raise _core.InvalidTypeError(
                "custom_gradient: with variables the gradient function returns a pair: (input gradients, variable "
                "gradients)"
            )
        return _list_of(made[0], count, "inputs"), _list_of(made[1], len(variables), "variables")

    return backward


@_t.overload
def custom_gradient(f: WithGradient[P, R]) -> Callable[P, R]: ...
@_t.overload
def custom_gradient(f: None = None) -> Callable[[WithGradient[P, R]], Callable[P, R]]: ...
def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A decorator: f computes its results and the gradient that stands for its own.

        @reel.custom_gradient
        def log1pexp(x):
            e = reel.exp(x)

            def grad(dy):
                return dy * (1 - 1 / (1 + e))

            return reel.log(1 + e), grad

    f returns (results, grad); grad(*dys) takes one tensor per result and returns one gradient per argument, None for
    none. Arguments and results may be nested structures, which grad sees flattened. If f uses trainable variables that
    are not its arguments, grad takes them too, grad(*dys, variables=None), a list in the order of their creation, and
    returns a pair: the gradients of the arguments and those of the variables. Numbers and arrays become tensors;
    strings, None, other objects and keyword arguments go to f as they are and get no gradient. Errors: TypeError if f
    returns no such pair, ValueError for gradients of a wrong number or type.
    """
    if f is None:
        return custom_gradient

    @_functools.wraps(f)
    def call(*args, **kwargs):
        inputs, rebuild = _split(args)
        structure = None

        def forward(tensors):
            nonlocal structure
            made = f(*rebuild(tensors), **kwargs)
            if not isinstance(made, (tuple, list)) or len(made) != 2 or not callable(made[1]):
                raise _core.InvalidTypeError(
                    f"custom_gradient: {getattr(f, '__name__', 'the function')} must return a pair: its results, and "
                    "the function of their gradients"
                )
            structure, grad = made
            results = []
            _leaves(structure, results)
            return results, _backward(grad, len(inputs)), _takes_variables(grad)

        results = _core._call_custom(forward, inputs)
        return _rebuild(structure, iter(results))

    return call


def _through(core_call, f):
    """f, whose results come from a call of the core's on lists."""

    @_functools.wraps(f)
    def call(*args, **kwargs):
        inputs, rebuild = _split(args, _core.IndexedSlices)
        structure = None

        def forward(tensors):
            nonlocal structure
            made = f(*rebuild(tensors), **kwargs)
            results = []
            _leaves(made, results, split=True)
            structure = _rebuild(made, iter([None] * len(results)), _Slices)
            return results

        results = core_call(forward, inputs)
        return _rebuild(structure, iter(results), _core.IndexedSlices)

    return call


def recompute_grad(f: Callable[P, R]) -> Callable[P, R]:
    """f, whose intermediate values are not kept for its gradient but computed again: time for memory.

    Random numbers are drawn as the first time, and what f assigns stays as it is. Gradients by its arguments, by
    variables and by tensors that f takes from its surroundings equal those of f; arguments that it does not use get zeros.
    """
    return _through(_core._call_recompute, f)


def grad_pass_through(f: Callable[P, R]) -> Callable[P, R]:
    """f with the gradient of the identity; variables that it uses get none.

    f must return as many tensors, of the same types, as it takes.
    """
    return _through(_core._call_pass_through, f)
