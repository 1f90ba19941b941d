"""What is in a layer: its variables, the layers in it, and all of theirs, found once for as long as nothing changes."""

from __future__ import annotations as _annotations

import operator as _operator
import typing as _t

from .._module import Module, parts_of
from ._specs import KINDS as _KINDS
from ._specs import kind_of as _kind_of
from ._specs import metric_class as _metric_class
from ._variable import Variable
from ._variable import changes as _changes

if _t.TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .._variable import Variable as _TfVariable

UNTRACKED = frozenset(
    ("_weights", "_losses", "_reel_methods", "_reel_deferred", "_name", "_made", "_inbound", "_gathered", "_states")
)
_FINDERS = ("variables", "trainable_variables", "trainable", "_own_variables", "_own_layers", "_tracked")


def _kind(value):
    cls = value.__class__
    kind = _KINDS.get(cls)
    if kind is None:
        kind = _KINDS[cls] = _kind_of(cls)
    return kind


def _same(container, known):
    """Whether a list or dict holds what it held."""
    values = container.values() if isinstance(container, dict) else container
    return len(container) == len(known) and all(map(_operator.is_, values, known))


def _containers_in(value, found):
    """Adds (list or dict, what it holds now) of nested ones to a list."""
    values = tuple(value.values() if isinstance(value, dict) else value)
    if not isinstance(value, tuple):
        found.append((value, values))
    for x in values:
        if isinstance(x, (list, tuple, dict)):
            _containers_in(x, found)


class _Gathered:
    """What was found in a layer, and what must not have changed for it to hold: attributes, lists and dicts in it."""

    def __init__(self, layer):
        self.state, self.containers, self.found = _changes.state, [], {}
        self.lasts = True
        for x in layer._flatten_modules():
            if not isinstance(x, Tracked) or not x._is_plain():
                self.lasts = False  # it may say something else each time
                return
            for key, value in x.__dict__.items():
                if key not in UNTRACKED and _kind(value) == "nested":
                    _containers_in(value, self.containers)

    def holds(self):
        """Whether nothing has changed since."""
        return self.lasts and self.state is _changes.state and all(_same(c, known) for c, known in self.containers)


class Tracked(Module):
    """A module whose variables and layers are those in its attributes, and in lists, tuples and dicts there."""

    def __setattr__(self, name: str, value: Any) -> None:
        held = self.__dict__
        if _kind(value) != "nothing" or name == "_trainable" or _kind(held.get(name)) != "nothing":
            _changes.add()
            if isinstance(value, Variable) and all(v is not value for v in held.get("_weights", ())):
                held.setdefault("_weights", []).append(value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        _changes.add()
        value = self.__dict__.get(name)
        if isinstance(value, Variable):
            self.__dict__["_weights"] = [v for v in self.__dict__.get("_weights", ()) if v is not value]
        super().__delattr__(name)

    @classmethod
    def _is_plain(cls):
        """Whether variables and layers are found as here, not by what a user's subclass says."""
        if "_plain" not in cls.__dict__:
            of = [next(c for c in cls.__mro__ if name in c.__dict__) for name in _FINDERS]
            cls._plain = all(c.__module__.startswith(__package__) for c in of)
        return cls._plain

    def _tracked(self) -> Iterator[tuple[str, Any]]:
        """(name, object) in attributes and in lists, tuples and dicts there, in the order of the attributes."""
        for key, value in list(self.__dict__.items()):
            kind = _kind(value)
            if kind == "leaf" and key not in UNTRACKED:
                yield key, value
            elif kind == "nested" and key not in UNTRACKED:
                for _, leaf in parts_of(value):
                    yield key, leaf

    def _own_variables(self):
        """Its own, trainable ones first. A tf.Variable in an attribute is none of them, as in Keras."""
        found = {id(v): v for v in self.__dict__.get("_weights", ())}
        for _, x in self._tracked():
            if isinstance(x, Variable):
                found.setdefault(id(x), x)
        return sorted(found.values(), key=lambda v: not v.__dict__.get("_of_trainable", v.trainable))

    def _own_layers(self):
        """The layers in it that are no layer's in it; other modules too."""
        metric, found = _metric_class(), {}
        for _, x in self._tracked():
            if isinstance(x, Module) and not isinstance(x, metric) and x is not self:
                found.setdefault(id(x), x)
        return list(found.values())

    def _flatten_modules(self):
        """Itself and all layers and other modules in it, each after the one that it is in."""
        found: dict[int, Any] = {}

        def walk(x):
            if id(x) not in found:
                found[id(x)] = x
                for inner in x._own_layers() if isinstance(x, Tracked) else ():
                    walk(inner)

        walk(self)
        return list(found.values())

    def _flatten_layers(self, include_self: bool = True, recursive: bool = True) -> list[Any]:
        """Layers in it, each after the one that it is in."""
        modules = self._flatten_modules() if recursive else [self, *self._own_layers()]
        return [x for x in modules if isinstance(x, Tracked) and (include_self or x is not self)]

    def _gather(self, what, find):
        """A new list of what find() gives, which is called again when something has changed."""
        held = self.__dict__.get("_gathered")
        if held is None or not held.holds():
            held = self.__dict__["_gathered"] = _Gathered(self)
        if what not in held.found:
            held.found[what] = find()
        return list(held.found[what])

    @property
    def variables(self) -> list[_TfVariable]:
        """All variables: its own, then those of the layers in it."""
        return self._gather("variables", lambda: self._with_inner(self._own_variables(), "variables"))

    @property
    def trainable_variables(self) -> list[_TfVariable]:
        """The trainable ones, a list; none if `trainable` is False."""

        def find():
            if not self.trainable:
                return []
            return self._with_inner([v for v in self._own_variables() if v.trainable], "trainable_variables")

        return self._gather("trainable_variables", find)

    def _with_inner(self, own, what):
        """Its own variables, and those of layers in it that are no others."""
        found = {id(v): v for v in own}
        for layer in self._own_layers():
            for v in getattr(layer, what):
                found.setdefault(id(v), v)
        return list(found.values())

    @property
    def non_trainable_variables(self) -> list[_TfVariable]:
        """The others."""
        trainable = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trainable]
