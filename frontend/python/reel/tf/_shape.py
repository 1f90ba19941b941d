"""TensorShape and TensorSpec."""

from __future__ import annotations

import math as _math
import operator as _operator
import typing as _t

from .. import _core
from . import _dtypes as dtypes

if _t.TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..typing import DTypeLike


def _extent(value):
    """An extent: a number from 0 on, or None where it is not known."""
    if value is None:
        return None
    try:
        number = _operator.index(getattr(value, "value", value))
    except TypeError:
        raise _core.InvalidTypeError(
            f"Dimension value must be integer or None or have an __index__ method, got value {value!r} with type {type(value)}"
        ) from None
    if number < 0:
        raise _core.InvalidArgumentError(f"Dimension {number} must be >= 0; None stands for one that is not known")
    return number


class TensorShape(tuple):
    """Extents, outermost first; None where one is not known. TensorShape(None) is one whose rank is not known.

    Compares with lists and tuples. Errors: TypeError for extents that are no integers, ValueError for negative ones.
    """

    __slots__ = ()
    _reel_leaf = True

    def __new__(cls, dims: Iterable[int | None] | int | None) -> TensorShape:
        if isinstance(dims, TensorShape):
            return dims
        if dims is None:
            return _UNKNOWN
        if isinstance(dims, (str, bytes)):
            raise _core.InvalidTypeError(
                f"Failed to convert {dims!r} to a shape: it is an extent, or a list of extents"
            )
        if not hasattr(dims, "__iter__") or getattr(dims, "shape", None) == ():
            dims = [dims]
        return tuple.__new__(cls, [d if d.__class__ is int and d >= 0 else _extent(d) for d in dims])

    @property
    def rank(self) -> int | None:
        """How many axes there are; None if that is not known."""
        return len(self)

    @property
    def ndims(self) -> int | None:
        """The same as rank."""
        return self.rank

    @property
    def dims(self) -> list[int | None] | None:
        """The extents as a list; None if the rank is not known."""
        return list(self)

    def as_list(self) -> list[int | None]:
        """Extents as a list of ints and Nones; ValueError if the rank is not known."""
        return list(self)

    def num_elements(self) -> int | None:
        """The product of the extents; None if one is not known."""
        return _math.prod(self) if self.is_fully_defined() else None  # type: ignore[arg-type]

    def is_fully_defined(self) -> bool:
        """Whether all extents are known."""
        return None not in tuple(self)

    def is_compatible_with(self, other: Iterable[int | None] | None) -> bool:
        """Whether some shape is an instance of both."""
        other = TensorShape(other)
        if self.rank is None or other.rank is None:
            return True
        return len(self) == len(other) and all(a is None or b is None or a == b for a, b in zip(self, other))

    def assert_is_compatible_with(self, other: Iterable[int | None] | None) -> None:
        """ValueError if no shape is an instance of both."""
        if not self.is_compatible_with(other):
            raise _core.InvalidArgumentError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """ValueError if an extent is not known."""
        if not self.is_fully_defined():
            raise _core.InvalidArgumentError(f"Shape {self} is not fully defined")

    def assert_has_rank(self, rank: int) -> None:
        """ValueError if the rank is another one."""
        if self.rank not in (None, rank):
            raise _core.InvalidArgumentError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Iterable[int | None] | None) -> None:
        """ValueError if the ranks are known and differ."""
        other = TensorShape(other)
        if self.rank is not None and other.rank is not None and self.rank != other.rank:
            raise _core.InvalidArgumentError(f"Shapes {self} and {other} must have the same rank")

    def with_rank(self, rank: int) -> TensorShape:
        """The shape; of open extents if the rank is not known. ValueError for another rank."""
        self.assert_has_rank(rank)
        return TensorShape([None] * rank) if self.rank is None else self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """The shape; ValueError for a smaller rank."""
        if self.rank is not None and self.rank < rank:
            raise _core.InvalidArgumentError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """The shape; ValueError for a larger rank."""
        if self.rank is not None and self.rank > rank:
            raise _core.InvalidArgumentError(f"Shape {self} must have rank at most {rank}")
        return self

    def merge_with(self, other: Iterable[int | None] | None) -> TensorShape:
        """What is known by either; ValueError if they do not fit."""
        other = TensorShape(other)
        if self.rank is None or other.rank is None:
            return other if self.rank is None else self
        if not self.is_compatible_with(other):
            raise _core.InvalidArgumentError(f"Shapes {self} and {other} are not compatible")
        return TensorShape([b if a is None else a for a, b in zip(self, other)])

    def most_specific_compatible_shape(self, other: Iterable[int | None] | None) -> TensorShape:
        """The shape of which both are instances: None where they differ."""
        other = TensorShape(other)
        if self.rank is None or self.rank != other.rank:
            return _UNKNOWN
        return TensorShape([a if a == b else None for a, b in zip(self, other)])

    def is_subtype_of(self, other: Iterable[int | None] | None) -> bool:
        """Whether each instance of this shape is one of the other."""
        other = TensorShape(other)
        if self.rank is None or other.rank is None:
            return other.rank is None
        return len(self) == len(other) and all(b is None or a == b for a, b in zip(self, other))

    def most_specific_common_supertype(self, others: Iterable[Iterable[int | None] | None]) -> TensorShape:
        """The shape of which this one and all others are instances."""
        out = self
        for other in others:
            out = out.most_specific_compatible_shape(other)
        return out

    def concatenate(self, other: Iterable[int | None] | int | None) -> TensorShape:
        """The extents of both, one after the other."""
        other = TensorShape(other)
        if self.rank is None or other.rank is None:
            return _UNKNOWN
        return TensorShape(tuple(self) + tuple(other))

    def __getitem__(self, key: Any) -> Any:
        out = tuple.__getitem__(self, key)
        return TensorShape(out) if isinstance(key, slice) else out

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return other.rank == self.rank and tuple.__eq__(self, other)
        if isinstance(other, (list, tuple)):
            return tuple.__eq__(self, tuple(other))
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __reduce__(self):
        return TensorShape, (None if self.rank is None else list(self),)

    def __repr__(self) -> str:
        return f"TensorShape({list(self)!r})"

    def __str__(self) -> str:
        return tuple.__repr__(self)


class _UnknownShape(TensorShape):
    """The shape of which not even the rank is known."""

    __slots__ = ()

    rank = dims = None  # type: ignore[assignment]

    def _refuse(self, what):
        raise _core.InvalidArgumentError(f"{what} a shape with unknown rank")

    def as_list(self) -> list[int | None]:
        return self._refuse("as_list() is not defined on")

    def is_fully_defined(self) -> bool:
        return False

    def __len__(self) -> int:
        return self._refuse("Cannot take the length of")

    def __iter__(self):
        return self._refuse("Cannot iterate over")

    def __bool__(self) -> bool:
        return False

    def __getitem__(self, key: Any) -> Any:
        return self if isinstance(key, slice) else None

    def __eq__(self, other: object) -> bool:
        return other is None or other is self

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "TensorShape(None)"

    def __str__(self) -> str:
        return "<unknown>"


_UNKNOWN = tuple.__new__(_UnknownShape, ())


class TensorSpec:
    """Shape (None where unknown) and dtype of an argument of tf.function."""

    __slots__ = ("shape", "dtype", "name")
    shape: TensorShape | None
    dtype: dtypes.DType
    name: str | None

    def __init__(
        self, shape: Iterable[int | None] | None, dtype: DTypeLike = dtypes.float32, name: str | None = None
    ) -> None:
        shape = TensorShape(shape)
        self.shape = None if shape.rank is None else shape
        self.dtype = dtypes.as_dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor; ValueError for what is none."""
        if isinstance(tensor, _core.Variable) or not hasattr(tensor, "dtype"):
            raise _core.InvalidArgumentError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """The same spec, with a name of its own if one is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Whether a tensor, or some tensor of another spec, is of this spec."""
        other = spec_or_tensor
        if not isinstance(other, (TensorSpec, _core.Tensor, _core.Variable)):
            return False
        return self.dtype is other.dtype and TensorShape(self.shape).is_compatible_with(other.shape)

    def is_subtype_of(self, other: TensorSpec) -> bool:
        """Whether each tensor of this spec is of the other one."""
        return (
            isinstance(other, TensorSpec)
            and self.dtype is other.dtype
            and other.name in (None, self.name)
            and TensorShape(self.shape).is_subtype_of(other.shape)
        )

    def most_specific_compatible_type(self, other: TensorSpec) -> TensorSpec:
        """The spec of which tensors of both are; ValueError if their dtypes differ."""
        if not isinstance(other, TensorSpec) or self.dtype is not other.dtype:
            raise _core.InvalidArgumentError(f"Types are not compatible: {self!r} vs {other!r}")
        shape = TensorShape(self.shape).most_specific_compatible_shape(other.shape)
        return TensorSpec(
            None if shape.rank is None else shape, self.dtype, self.name if self.name == other.name else None
        )

    def most_specific_common_supertype(self, others: Iterable[TensorSpec]) -> TensorSpec | None:
        """The spec of which tensors of all are; None if their dtypes differ."""
        out = self
        for other in others:
            if not isinstance(other, TensorSpec) or other.dtype is not self.dtype:
                return None
            out = out.most_specific_compatible_type(other)
        return out

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
