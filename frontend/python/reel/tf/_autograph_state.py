"""The values of a converted function's variables, and of attributes and items that traced branches and loops assign."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Undefined:
    """The value of a local variable that has none yet."""

    __slots__ = ("name", "why")

    def __init__(self, name, why=None):
        self.name, self.why = name, why

    def __repr__(self):
        return f"<undefined {self.name}>"


def _undefined_operator(self, *others):
    return ld(self)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
    for _form in ("__{}__", "__r{}__", "__i{}__"):
        setattr(Undefined, _form.format(_name), _undefined_operator)


class UndefinedVariable(_core.InvalidArgumentError, UnboundLocalError):
    """A variable was read that has a value on some paths only; a ValueError too."""


def ld(value: Any) -> Any:
    """A value that is read; an error if there is none."""
    if value.__class__ is Undefined:
        raise UndefinedVariable(
            value.why or f"cannot access local variable {value.name!r} where it is not associated with a value"
        )
    return value


NO_PLACE = (AttributeError, KeyError, IndexError, TypeError)  # of an attribute or item that is not there


def place(read: Callable[[], Any], name: str) -> Any:
    """What is at an attribute or item, such as self.total or d["a"]."""
    try:
        return read()
    except NO_PLACE:
        return Undefined(name)


def known(value: Any) -> bool:
    """Whether an attribute or item has a value to be set, not to be deleted; an error if it has one on some paths only."""
    if value.__class__ is Undefined and value.why:
        ld(value)
    return value.__class__ is not Undefined
