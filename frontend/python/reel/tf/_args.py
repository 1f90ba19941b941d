"""Shapes, axes and sizes among the arguments of functions: Python numbers, arrays, tensors, and lists with tensors in them."""

from __future__ import annotations

import operator as _operator
import typing as _t

from .. import _core
from ._convert import to_core
from ._shape import TensorShape
from ._tensor import TensorLike
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from typing import Any

    from ._signatures import ShapeLike


def static(x: _core.Tensor, what: str) -> _core.Tensor:
    """The tensor with elements: in a trace what constants and known shapes make of it."""
    if not x.symbolic:
        return x
    value = _core._static_value(x)
    if value is None:
        raise _core.FailedPreconditionError(
            f"{what}: its elements depend on what is traced ({x}), and compiled code has fixed shapes; make it of constants "
            "and of the shapes of tensors, or pass it to the tf.function as a Python number"
        )
    return value


def extremes(x: _core.Tensor) -> tuple[int, int] | tuple[None, None]:
    """The smallest and the largest of integers; (0, -1) of none, and Nones of what is traced."""
    known = _core._static_value(x)
    if known is None:
        return None, None
    array = known.numpy()
    return (int(array.min()), int(array.max())) if known.size else (0, -1)


def _elements(x, what):
    t = static(x._core_value() if isinstance(x, TensorLike) else x, what)
    if t.dtype.kind not in "iu":
        raise _core.InvalidTypeError(f"{what}: integers are needed, not a tensor of {t.dtype.name}")
    return t.tolist()


def integer(x: Any, what: str = "axis") -> int:
    """An int from a number, a tensor or a list of one."""
    if x.__class__ is int:
        return x
    if isinstance(x, (TensorLike, _core.Tensor)):
        x = _elements(x, what)
    elif hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, (list, tuple)):
        if len(x) != 1:
            raise InvalidArgumentError(f"{what}: one number is needed, not {len(x)}")
        return integer(x[0], what)
    if isinstance(x, bool):
        raise _core.InvalidTypeError(f"{what}: an integer is needed, not {x}")
    try:
        return _operator.index(x)
    except TypeError:
        raise _core.InvalidTypeError(f"{what}: an integer is needed, not {x!r}") from None


def scalar(x: Any, what: str) -> int:
    """An int from a number or a tensor without axes. ValueError for lists, and for tensors that are no integers."""
    shape = getattr(x, "shape", ())
    kind = getattr(x, "dtype", None)
    if isinstance(x, (list, tuple)) or tuple(shape) or isinstance(x, TensorLike) and not kind.is_integer:
        raise ConversionError(f"{what}: a scalar integer is needed, not {x!r}")
    return integer(x, what)


def ints(shape: ShapeLike | Any, what: str = "shape") -> tuple[int, ...]:
    """A tuple of ints from a shape, an int, an array, an int tensor, or a list of ints and tensors."""
    if isinstance(shape, (list, tuple)):
        try:
            return tuple(map(_operator.index, shape))  # what nearly all are
        except (TypeError, _core.Error):
            pass  # told more exactly below
    if isinstance(shape, (TensorLike, _core.Tensor)):
        shape = _elements(shape, what)
    elif isinstance(shape, TensorShape):
        if not shape.is_fully_defined():
            raise ConversionError(f"Cannot convert a partially known TensorShape {shape} to a Tensor ({what})")
        return tuple(shape)
    elif hasattr(shape, "tolist"):
        shape = shape.tolist()
    if not isinstance(shape, (list, tuple)):
        return (integer(shape, what),)
    if any(d is None for d in shape):
        raise ConversionError(f"{what}: {list(shape)} has an extent that is not known; None cannot be made a number")
    return tuple(integer(d, what) for d in shape)


def vector(values: Any, count: int, op: str, what: str) -> tuple[int, ...]:
    """ints() of one dimension and this many elements."""
    if values.__class__ in (list, tuple) and len(values) == count:
        return ints(values, what)
    t = values.shape if hasattr(values, "shape") else None
    if (t is not None and len(t) != 1) or not (t is not None or isinstance(values, (list, tuple))):
        raise InvalidArgumentError(f"{op}: {what} must be a vector of {count} integers, not {values!r}")
    out = ints(values, what)
    if len(out) != count:
        raise InvalidArgumentError(
            f"{op}: Expected {what} to be a vector of length {count}, one for each axis, but got length {len(out)}"
        )
    return out


def pairs(values: Any, op: str, what: str) -> list[tuple[int, int]]:
    """A matrix of two columns."""
    if values.__class__ is list:
        try:
            return [(_operator.index(a), _operator.index(b)) for a, b in values]  # what nearly all are
        except (TypeError, ValueError, _core.Error):
            pass  # told more exactly below
    if isinstance(values, (TensorLike, _core.Tensor)):
        values = _elements(values, what)
    elif values.__class__ not in (list, tuple) and hasattr(values, "tolist"):
        values = values.tolist()
    rows = [ints(row, what) for row in values] if isinstance(values, (list, tuple)) else None
    if rows is None or any(len(row) != 2 for row in rows):
        raise InvalidArgumentError(f"{op}: {what} must be a matrix with 2 columns, got {values!r}")
    return rows


def axis_of(axis: Any, rank: int, op: str) -> int:
    """An axis counted from 0. InvalidArgumentError out of [-rank, rank)."""
    axis = integer(axis)
    if not -rank <= axis < rank:
        raise InvalidArgumentError(f"{op}: axis {axis} is out of range for rank {rank}: use [{-rank}, {rank})")
    return axis % rank


def axes_or_none(axis: Any) -> Any:
    """Axes as reductions of the core take them: None, an int or a tuple."""
    if axis is None or axis.__class__ is int:
        return axis
    if isinstance(axis, (TensorLike, _core.Tensor)):
        axis = _elements(axis, "axis")
    return integer(axis) if not isinstance(axis, (list, tuple)) else ints(axis, "axis")


def of_ints(x: Any, op: str, what: str = "indices") -> _core.Tensor:
    """Integer indices as a core tensor; TypeError for another dtype."""
    t = to_core(x)
    if t.dtype.kind not in "iu":
        raise InvalidArgumentError(f"{op}: {what} must be integers (int32 or int64), not {t.dtype.name}")
    return t
