"""Shapes, axes and sizes among the arguments of functions: Python numbers, arrays, tensors, and lists with tensors in them."""

from __future__ import annotations

import operator as _operator
import typing as _t

from .. import _core
from ._convert import to_core
from ._dtypes import core_dtype
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
    t = x._core_value() if isinstance(x, TensorLike) else x
    if t.dtype.kind not in "iu" or t.ndim > 2:
        raise _core.InvalidTypeError(
            f"{what}: integers are needed, not a tensor of {t.dtype.name} and shape {tuple(t.shape)}"
        )
    return static(t, what).tolist()


def integer(x: Any, what: str = "axis") -> int:
    """An int from a number, or from an array or a tensor without axes; TypeError for all else, lists of one too."""
    if x.__class__ is int:
        return x
    if isinstance(x, (TensorLike, _core.Tensor)):
        x = _elements(x, what)
    elif hasattr(x, "tolist"):
        x = x.tolist()
    if not isinstance(x, bool):
        try:
            return _operator.index(x)
        except TypeError:
            pass
    raise _core.InvalidTypeError(f"{what}: a scalar integer is needed, not {x!r}")


def only(x: Any, op: str, what: str = "axis") -> int:
    """An int from a number, or from a list, an array or a tensor of one."""
    found = (x,) if x.__class__ is int else ints(x, what)
    if len(found) != 1:
        raise InvalidArgumentError(f"{op}: {what} must have one element, not {len(found)}: {x!r}")
    return found[0]


def number(x: Any, what: str) -> float:
    """A float from a number, or from an array or a tensor without axes; TypeError for all else."""
    if isinstance(x, (int, float)):
        return float(x)
    t = None if isinstance(x, (list, tuple)) else to_core(x)
    if t is None or t.ndim or t.dtype.is_complex:
        raise _core.InvalidTypeError(f"{what}: a number is needed, not {x!r}")
    return float(static(t, what).item())


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
        raise _core.InvalidTypeError(f"{op}: {what} must be a vector of {count} integers, not {values!r}")
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
    if rows is None:
        raise _core.InvalidTypeError(f"{op}: {what} must be a matrix with 2 columns, not {values!r}")
    if any(len(row) != 2 for row in rows):
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
    elif hasattr(axis, "tolist"):
        axis = axis.tolist()
    if isinstance(axis, bool):
        return int(axis)
    if not isinstance(axis, (list, tuple)):
        return integer(axis)
    flat = [a for row in axis for a in (row if isinstance(row, (list, tuple)) else (row,))]
    return ints(flat, "axis")


_INDICES = (_core.int32, _core.int64)


def index_dtype(dtype: Any, op: str, more: tuple[_core.DType, ...] = (), unless: Any = None) -> _core.DType:
    """The core's dtype of results that are indices: int32, int64 and `more`; `unless`, if it is None. Else a TypeError."""
    out = core_dtype(unless if dtype is None else dtype)
    if out is None or out not in (*_INDICES, *more):
        names = ", ".join(d.name for d in (*_INDICES, *more))
        raise _core.InvalidTypeError(f"{op}: the dtype of the result is one of {names}, not {dtype!r}")
    return out


def of_ints(x: Any, op: str, what: str = "indices") -> _core.Tensor:
    """Integer indices as a core tensor; TypeError for another dtype."""
    t = to_core(x, _core.int32 if x.__class__ is list and not x else None)
    if t.dtype.kind not in "iu":
        raise _core.InvalidTypeError(f"{op}: {what} must be integers (int32 or int64), not {t.dtype.name}")
    return t
