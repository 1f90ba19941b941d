"""Types of functions that are made by loops and tables, and of arguments; for checkers alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, Union

from ..typing import AxisLike, DTypeLike, TensorLike
from ._tensor import Tensor
from ._variable import Variable

ShapeLike: TypeAlias = int | Sequence[int] | Tensor  # of a tensor that has values
Axes: TypeAlias = AxisLike | Tensor
Spec: TypeAlias = Sequence[int | None]  # extents, None where one is not known
Source: TypeAlias = Tensor | Variable
SourceT = TypeVar("SourceT", bound=Source)
KeyT = TypeVar("KeyT")
# What gradients are: a Tensor, which may be None or IndexedSlices; checkers let it be used as a tensor.
Gradient: TypeAlias = Tensor | Any


class Unary(Protocol):
    def __call__(self, x: TensorLike, name: str | None = None) -> Tensor: ...


class Activation(Protocol):
    def __call__(self, features: TensorLike, name: str | None = None) -> Tensor: ...


class OfMatrix(Protocol):
    def __call__(self, input: TensorLike, name: str | None = None) -> Tensor: ...


class Binary(Protocol):
    def __call__(self, x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...


class Reduction(Protocol):
    def __call__(
        self, input_tensor: TensorLike, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
    ) -> Tensor: ...


class ArgReduction(Protocol):
    def __call__(
        self, input: TensorLike, axis: int | None = None, output_type: DTypeLike = ..., name: str | None = None
    ) -> Tensor: ...


class Running(Protocol):
    def __call__(
        self, x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
    ) -> Tensor: ...


class TensorScatter(Protocol):
    def __call__(
        self, tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Tensor: ...


class Comparison(Protocol):
    def __call__(
        self,
        x: TensorLike,
        y: TensorLike,
        message: str | None = None,
        summarize: int | None = None,
        name: str | None = None,
    ) -> None: ...


class SignCheck(Protocol):
    def __call__(
        self, x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
    ) -> None: ...
