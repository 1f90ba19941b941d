"""tf.RegisterGradient and tf.no_gradient: gradients by the type of an op, for tf.Graph.gradient_override_map."""

from __future__ import annotations

import typing as _t

from .. import _core
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    F = _t.TypeVar("F", bound=Callable[..., Any])

_gradients: dict[str, Callable[..., Any] | None] = {}


class _Taken(ConversionError, KeyError):
    """A name that has a gradient already."""

    __str__ = ConversionError.__str__


class _Unknown(_core.NotFoundError, LookupError):
    """A name that has none."""


def _add(op_type, function):
    if op_type in _gradients:
        raise _Taken(f"Registering two gradient with name '{op_type}'! Take another name.")
    _gradients[op_type] = function


class RegisterGradient:
    """A decorator: the function f(op, *grads) is the gradient of the ops of a type, as gradient_override_map names it.

    Errors: TypeError for a type that is no string; KeyError, when it decorates, for one that has a gradient.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise _core.InvalidTypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: F) -> F:
        _add(self._op_type, f)
        return f


def no_gradient(op_type: str) -> None:
    """Says that ops of a type have no gradient. TypeError for a type that is no string, KeyError if it is known."""
    if not isinstance(op_type, str):
        raise _core.InvalidTypeError("op_type must be a string")
    _add(op_type, None)


def lookup(op_type: str) -> Callable[..., Any] | None:
    """The gradient registered for a type, None if it has none; LookupError for an unknown type."""
    if op_type not in _gradients:
        raise _Unknown(f"No gradient is registered for ops of type '{op_type}'; use tf.RegisterGradient('{op_type}')")
    return _gradients[op_type]
