"""tf.Module: a class whose attributes hold variables."""

from __future__ import annotations

import typing as _t

from ._variable import Variable

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    F = _t.TypeVar("F")


def collect(value: Any, kinds: Any, out: list[Any], seen: set[int]) -> None:
    """Appends the objects of `kinds` found in attributes, lists, tuples and dicts, each once."""
    if id(value) in seen:
        return
    if isinstance(value, kinds):
        seen.add(id(value))
        out.append(value)
    if isinstance(value, Module):
        seen.add(id(value))
        for child in value._children():
            collect(child, kinds, out, seen)
    elif isinstance(value, (list, tuple)):
        for child in value:
            collect(child, kinds, out, seen)
    elif isinstance(value, dict):
        for key in sorted(value, key=str):
            collect(value[key], kinds, out, seen)


class Module:
    """Holds variables and other modules as attributes; `variables` finds them, in the order of their names."""

    def __init__(self, name: str | None = None) -> None:
        self._name = name

    @property
    def name(self) -> str:
        return getattr(self, "_name", None) or type(self).__name__.lower()

    def _children(self):
        return [v for k, v in sorted(vars(self).items())]

    def _find(self, kinds):
        out = []
        for child in self._children():
            collect(child, kinds, out, {id(self)})
        unique, seen = [], set()
        for x in out:
            if id(x) not in seen:
                seen.add(id(x))
                unique.append(x)
        return unique

    @property
    def variables(self) -> Sequence[Variable]:
        """All variables, a tuple."""
        return tuple(self._find(Variable))

    @property
    def trainable_variables(self) -> Sequence[Variable]:
        """The trainable ones."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> Sequence[Variable]:
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules inside, a tuple."""
        return tuple(self._find(Module))

    @staticmethod
    def with_name_scope(method: F) -> F:
        """The method itself."""
        return method
