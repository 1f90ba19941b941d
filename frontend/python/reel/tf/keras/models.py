"""Model and Sequential."""

from __future__ import annotations as _annotations

import typing as _t

from .layers import Layer

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class Model(Layer):
    """A layer made of layers: subclasses define call(inputs)."""

    @property
    def layers(self) -> list[Any]:
        """The layers inside, a list."""
        return [x for x in self._find(Layer)]

    def summary(self) -> None:
        """Prints the variables."""
        for v in self.variables:
            print(f"{v.name:40} {str(v.shape):20} {v.dtype.name}")


class Sequential(Model):
    """Layers one after the other."""

    def __init__(
        self, layers: Iterable[Callable[..., Any]] | None = None, name: str | None = None, trainable: bool = True
    ) -> None:
        super().__init__(name=name, trainable=trainable)
        self._layers = list(layers or [])

    @property
    def layers(self) -> list[Any]:
        return list(self._layers)

    def add(self, layer: Callable[..., Any]) -> None:
        """Appends a layer."""
        self._layers.append(layer)

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        for layer in self._layers:
            inputs = layer(inputs)
        return inputs
