"""tf.range and tf.linspace, and the range of traced tensors."""

from __future__ import annotations

import math as _math
import struct as _struct
import typing as _t
from builtins import range as _builtin_range

from .. import _core
from . import _dtypes as dtypes
from ._args import axis_of, only
from ._convert import check_number, convert_to_tensor, to_core
from ._operators import operand
from ._tensor import TensorLike, wrap
from ._trace import all_in_graph as _all_in_graph
from ._trace import as_method
from .errors import InvalidArgumentError, OperatorNotAllowedInGraphError

if _t.TYPE_CHECKING:
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor

_ORDER = (_core.int32, _core.int64, _core.float32, _core.float64)  # the dtype is the last one that is given
_OTHERS = (_core.float16, _core.bfloat16)  # those that dtype= may name besides


class TracedRange:
    """range() of traced tensors, which only converted `for` loops can go through."""

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = (convert_to_tensor(x) for x in (start, stop, step))

    def __iter__(self):
        raise OperatorNotAllowedInGraphError(
            "a range of a traced tensor can only be the iterable of a `for` in a "
            "tf.function; elsewhere write tf.while_loop(cond, body, loop_vars)"
        )

    def _no_tensor(self, *others: Any, **options: Any) -> Any:
        raise _core.UnimplementedError(
            "tf.range of a traced number has a length that is not known while its function is traced, and compiled code "
            "has fixed shapes: it is what a `for` goes through, and no tensor. Take the range of the largest number and "
            "a mask, tf.range(most) < n, or pass the number to the tf.function as a Python int"
        )

    __array__ = __getitem__ = __len__ = _no_tensor
    for _name in "add sub mul truediv floordiv mod pow".split():
        vars()[f"__{_name}__"] = vars()[f"__r{_name}__"] = _no_tensor
    for _name in "lt le gt ge neg abs".split():
        vars()[f"__{_name}__"] = _no_tensor
    del _name

    @property
    def shape(self) -> Any:
        return self._no_tensor()


@as_method("range")
def range(
    start: ArrayLike,
    limit: ArrayLike | None = None,
    delta: ArrayLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = "range",
) -> Tensor | Any:
    """start, start + delta, ... before limit; range(n) counts from 0. int32, or float32 if a number is a float.

    The length is that of (limit - start) / delta in the dtype, rounded up. Errors: a delta of 0 or away from the limit.
    Of traced tensors it is what a `for` in a tf.function goes through, and no tensor.
    """
    if limit is None:
        start, limit = 0, start
    numbers = (start, limit, delta)
    if any(isinstance(x, TensorLike) and _core._static_value(x._core_value()) is None for x in numbers):
        return TracedRange(start, limit, delta)
    wanted = dtypes.core_dtype(dtype)
    parts = [_number(x, wanted) for x in numbers]
    if wanted is None:
        given = [dtype for _, dtype in parts]
        if any(d not in _ORDER for d in given):
            raise _core.InvalidTypeError(
                f"tf.range: start, limit and delta are int32, int64, float32 or float64, not {[d.name for d in given]}; "
                "say which with dtype="
            )
        wanted = _ORDER[max(map(_ORDER.index, given))]
    elif wanted not in _ORDER and wanted not in _OTHERS:
        raise _core.InvalidTypeError(f"tf.range: dtype is one of int32, int64 and the floating ones, not {wanted.name}")
    return wrap(_counted(*[number for number, _ in parts], wanted))


def _in_graph(graph: Any, start: Any, limit: Any, delta: Any, dtype: Any, name: str) -> Any:
    """range() as an operation of a tf.Graph, of unknown length if a number is not known while it is built."""
    if limit is None:
        start, limit = 0, start
    arguments = (start, limit, delta, dtype)
    if all(getattr(x, "static", x) is not None for x in arguments[:3]):
        return graph.call(range.__wrapped__, arguments, {"name": name})
    kinds = [x.dtype.core if hasattr(x, "dtype") else _number(x, None)[1] for x in arguments[:3]]
    wanted = dtypes.core_dtype(dtype) or _ORDER[max(map(_ORDER.index, kinds))]
    return graph.unsized(_numbers, arguments, name, "Range", dtypes.BY_CORE[wanted])


def _numbers(*arguments):
    out = range.__wrapped__(*arguments)
    return convert_to_tensor(out) if isinstance(out, TracedRange) else out


def _number(value, dtype):
    """(number, core's dtype) of a number, a tensor or an array with one element; in Python, also in a tf.function."""
    if value.__class__ is int or value.__class__ is float:
        own = _core.float32 if value.__class__ is float else _core.int32 if -(2**31) <= value < 2**31 else _core.int64
        return value if dtype is None else check_number(value, dtype), own
    if hasattr(value, "dtype") and not isinstance(value, TensorLike):
        own = dtypes.as_dtype(value.dtype).core
        return value.item(), own
    t = to_core(value, None if isinstance(value, TensorLike) else dtype)
    return _core._static_value(t).item(), t.dtype


def _rounded(number, dtype):
    """A number as a dtype holds it."""
    code = {"float32": "f", "float16": "e", "bfloat16": "f"}.get(dtype.name)
    return _struct.unpack(code, _struct.pack(code, number))[0] if code else number


def _counted(start, limit, delta, dtype):
    """The numbers; all of it in Python, so that it stays a constant in a tf.function."""
    if delta == 0:
        raise InvalidArgumentError("Requires delta != 0 [Op:Range]")
    if not (start <= limit if delta > 0 else start >= limit):
        raise InvalidArgumentError(
            f"Requires start {'<=' if delta > 0 else '>='} limit when delta {'>' if delta > 0 else '<'} 0: "
            f"{start}/{limit} [Op:Range]"
        )
    if dtype.is_integer:
        return _core.arange(int(start), int(limit), int(delta), dtype=dtype)
    start, limit, delta = (_rounded(x, dtype) for x in (start, limit, delta))
    count = abs(_rounded(_rounded(limit - start, dtype) / delta, dtype))
    if count == float("inf"):
        raise InvalidArgumentError(f"the range from {start} to {limit} has no end [Op:Range]")
    if count == 0:
        return _core.zeros((0,), dtype=dtype)
    return _core.arange(start, start + delta * (_math.ceil(count) - 0.5), delta, dtype=dtype)


def linspace(start: ArrayLike, stop: ArrayLike, num: int, name: str | None = None, axis: int = 0) -> Tensor:
    """num numbers from start to stop, evenly apart along a new axis; integers give float64."""
    a = to_core(start)
    b = operand(stop, a.dtype, "LinSpace", weak=False)
    if a.dtype.kind in "iu":
        a, b = _core.astype(a, _core.float64), _core.astype(b, _core.float64)
    n = only(num, "LinSpace", "num")
    if n < 0:
        raise InvalidArgumentError(f"linspace: num must not be negative, got {n}")
    a, b = _core.broadcast_arrays(a, b)
    place = axis_of(axis, a.ndim + 1, "linspace")
    a, b = _core.expand_dims(a, place), _core.expand_dims(b, place)
    if n < 2:
        return wrap(_core.split(_core.concat([a, b], axis=place), [n, 2 - n], place)[0])
    steps = _core.astype(_core.arange(1, n - 1), a.dtype)
    steps = _core.reshape(steps, [n - 2 if k == place else 1 for k in _builtin_range(a.ndim)])
    return wrap(_core.concat([a, a + (b - a) / (n - 1) * steps, b], axis=place))


_all_in_graph(globals(), "range")
