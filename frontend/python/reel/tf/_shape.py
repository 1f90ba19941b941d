"""TensorShape and TensorSpec."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import _dtypes as dtypes

if _t.TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..typing import DTypeLike


class TensorShape(tuple):
    """Extents, outermost first; None where one is not known. Compares with lists and tuples."""

    __slots__ = ()
    _reel_leaf = True

    def __new__(cls, dims: Iterable[int | None] = ()) -> TensorShape:
        if isinstance(dims, TensorShape):
            return dims
        return tuple.__new__(cls, [None if d is None or d == -1 else int(d) for d in dims])

    @property
    def rank(self) -> int:
        return len(self)

    ndims = rank

    @property
    def dims(self) -> list[int | None]:
        return list(self)

    def as_list(self) -> list[int | None]:
        """Extents as a list of ints and Nones."""
        return list(self)

    def num_elements(self) -> int | None:
        """The product of the extents; None if one is not known."""
        if not self.is_fully_defined():
            return None
        out = 1
        for d in self:
            out *= d
        return out

    def is_fully_defined(self) -> bool:
        return None not in tuple(self)

    def is_compatible_with(self, other: Iterable[int | None]) -> bool:
        """Whether some shape is an instance of both."""
        other = TensorShape(other)
        return len(self) == len(other) and all(a is None or b is None or a == b for a, b in zip(self, other))

    def assert_is_compatible_with(self, other: Iterable[int | None]) -> None:
        if not self.is_compatible_with(other):
            raise _core.InvalidArgumentError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def concatenate(self, other: Iterable[int | None]) -> TensorShape:
        return TensorShape(tuple(self) + tuple(other))

    def __getitem__(self, key: Any) -> Any:
        out = tuple.__getitem__(self, key)
        return TensorShape(out) if isinstance(key, slice) else out

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(tuple(other) + tuple(self))

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other)) if isinstance(other, (list, tuple)) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return f"TensorShape({list(self)!r})"

    def __str__(self) -> str:
        return tuple.__repr__(self)


class TensorSpec:
    """Shape (None where unknown) and dtype of an argument of tf.function."""

    __slots__ = ("shape", "dtype", "name")
    shape: TensorShape | None
    dtype: dtypes.DType
    name: str | None

    def __init__(
        self, shape: Iterable[int | None] | None, dtype: DTypeLike = dtypes.float32, name: str | None = None
    ) -> None:
        self.shape = None if shape is None else TensorShape(shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, other: Any) -> bool:
        return self.dtype is other.dtype and (self.shape is None or self.shape.is_compatible_with(other.shape))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TensorSpec)
            and self.shape == other.shape
            and self.dtype is other.dtype
            and self.name == other.name
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.name))

    def __repr__(self) -> str:
        shape = "<unknown>" if self.shape is None else str(self.shape)
        return f"TensorSpec(shape={shape}, dtype={self.dtype!r}, name={self.name!r})"
