"""tf.Module: a class whose attributes hold variables."""

from __future__ import annotations

import functools as _functools
import re as _re
import typing as _t

from . import nest
from ._variable import Variable
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    F = _t.TypeVar("F")


def snake_case(name: str) -> str:
    """MyDense as my_dense."""
    name = _re.sub(r"((?<=[a-z0-9])[A-Z]|(?!^)(?<!_)[A-Z](?=[a-z]))", r"_\1", name)
    return name.lower()


def parts_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """(path, leaf) of nested lists, tuples and dicts; the keys of dicts in their order."""
    if not nest.is_nested(value):
        yield path, value
        return
    keys = sorted(value, key=lambda k: (str(type(k)), k)) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield from parts_of(value[key], (*path, key))


class Module:
    """Holds variables and other modules as attributes: `variables` finds them, its own first, by names of attributes."""

    _ignored: tuple[str, ...] = ()  # attributes that are not looked into

    def __init__(self, name: str | None = None) -> None:
        if name is not None and not _re.fullmatch(r"[A-Za-z_]\w*", str(name)):
            raise ConversionError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid "
                "class name)."
            )
        self._name = name

    @property
    def name(self) -> str:
        """The name that was given; else that of the class, my_dense of MyDense."""
        return self.__dict__.get("_name") or snake_case(type(self).__name__)

    @property
    def name_scope(self) -> Any:
        """A context: the names of variables made in it begin with the module's."""
        from ._scopes import name_scope

        return name_scope(self.name)

    def __setattr__(self, name: str, value: Any) -> None:
        if "_reel_deferred" not in self.__dict__:
            object.__setattr__(self, name, value)
            return
        from . import _checkpoint

        value = _checkpoint.tracked(self, name, value)
        object.__setattr__(self, name, value)
        _checkpoint.attribute_was_set(self, name, value)

    def _attributes(self):
        """(name, value) of the attributes that are looked into."""
        hidden = ("_name", "_reel_methods", "_reel_deferred", *self._ignored)
        return [(k, v) for k, v in sorted(self.__dict__.items()) if k not in hidden]

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """The values in attributes and in lists, tuples and dicts there, each once: its own, then those of modules in it.

        predicate: which ones; with_path: (path, value) of each.
        """
        seen = {id(self)}

        def walk(module, path):
            inner = []
            attributes = module._attributes()
            if attribute_traversal_key is not None:
                attributes = sorted(attributes, key=lambda item: attribute_traversal_key(item[0]))
            for key, value in attributes:
                for place, leaf in parts_of(value):
                    if leaf is None or isinstance(leaf, (str, int, float)) or id(leaf) in seen:
                        continue
                    seen.add(id(leaf))
                    here = (*path, key, *place)
                    if predicate is None or predicate(leaf):
                        yield (here, leaf) if with_path else leaf
                    if recursive and isinstance(leaf, Module):
                        inner.append((leaf, here))
            for leaf, here in inner:
                yield from walk(leaf, here)

        return walk(self, ())

    @property
    def variables(self) -> Sequence[Variable]:
        """All variables, a tuple."""
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Variable)))

    @property
    def trainable_variables(self) -> Sequence[Variable]:
        """The trainable ones."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> Sequence[Variable]:
        """The others."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules inside, a tuple."""
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Module)))

    @classmethod
    def with_name_scope(cls, method: F) -> F:
        """The method, which runs in the module's name_scope."""

        @_functools.wraps(method)
        def scoped(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped
