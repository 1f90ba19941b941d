"""Names of layers and models that nobody named, and the path of what is being built."""

from __future__ import annotations as _annotations

import re as _re
import threading as _threading
import typing as _t

if _t.TYPE_CHECKING:
    from typing import Any

_counts: dict[str, int] = {}


class _Path(_threading.local):
    """The layers that are being built or called on this thread, outermost first."""

    def __init__(self) -> None:
        self.layers: list[Any] = []


path = _Path()


def unique_name(prefix: str) -> str:
    """dense, then dense_1, ..."""
    n = _counts.get(prefix, 0)
    _counts[prefix] = n + 1
    return f"{prefix}_{n}" if n else prefix


def snake_class(cls: type) -> str:
    """max_pooling2d of MaxPooling2D."""
    parts = _re.sub(r"(?<=[^_])([A-Z][a-z])", r"_\1", cls.__name__)
    return _re.sub(r"(?<=[a-z])([A-Z])", r"_\1", parts).lower()


def name_of_class(cls: type) -> str:
    """A unique name made of that of the class."""
    return unique_name(snake_class(cls))


def forget_names() -> None:
    """Names start again."""
    _counts.clear()


def path_of(name: str) -> str:
    """The path of something of this name that is made now."""
    return "/".join([*(layer.name for layer in path.layers), name])


class entered:
    """A context in which a layer is the innermost."""

    __slots__ = ("_layer", "_is_new")

    def __init__(self, layer: Any) -> None:
        self._layer = layer

    def __enter__(self) -> None:
        self._is_new = not path.layers or path.layers[-1] is not self._layer
        if self._is_new:
            path.layers.append(self._layer)

    def __exit__(self, *error: object) -> None:
        if self._is_new:
            path.layers.pop()
