"""Python's functions on traced tensors, as converted functions call them; `assert` and range among them."""

from __future__ import annotations

import typing as _t

from .. import _core
from . import _array, _control, debugging, dtypes, math
from ._convert import convert_to_tensor
from ._operators import PythonOperators
from ._range import TracedRange
from ._tensor_array import TensorArray
from .errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def traced(x: object) -> bool:
    """Whether it is a tensor of a trace or of a tf.Graph."""
    return isinstance(x, _core.Tensor) and x.symbolic or _control.symbolic(x) or isinstance(x, PythonOperators)


def _len(x):
    if isinstance(x, TensorArray):
        return x.size()
    if not traced(x) or not x.shape:
        return len(x)
    return x.shape[0] if x.shape[0] is not None else _array.shape(x)[0]


def _int(*args, **kwargs):
    return _cast(args[0], "int32") if args and traced(args[0]) else int(*args, **kwargs)


def _float(*args):
    return _cast(args[0], "float32") if args and traced(args[0]) else float(*args)


def _cast(x, dtype):
    return dtypes.cast(convert_to_tensor(x), dtype)


def _extreme(python, reduce, name):
    def extreme(*args, **kwargs):
        if not any(map(traced, args)):
            return python(*args, **kwargs)
        if kwargs or any(len(x.shape) != (1 if len(args) == 1 else 0) for x in map(convert_to_tensor, args)):
            raise ConversionError(f"{name}() of traced tensors takes one vector, or scalars; use tf.reduce_{name}")
        return reduce(args[0] if len(args) == 1 else _array.stack(list(args)), axis=0)

    return extreme


def _sum(iterable, /, start=0):
    return math.reduce_sum(iterable, axis=0) + start if traced(iterable) else sum(iterable, start)


def _sorted(iterable, /, *, key=None, reverse=False):
    if not traced(iterable):
        return sorted(iterable, key=key, reverse=reverse)
    if key is not None or len(iterable.shape) != 1:
        raise ConversionError("sorted() of a traced tensor takes a vector, and no key; use tf.sort or tf.argsort")
    return _array.sort(iterable, direction="DESCENDING" if reverse else "ASCENDING")


def assert_(test: Any, message: Callable[[], Any]) -> None:
    """assert test, message"""
    if traced(test):
        text = message()
        debugging.Assert(test, [] if text is None else [text])
    elif not test:
        text = message()
        raise AssertionError(*([] if text is None else [text]))


def range_(*args: Any) -> Any:
    """range(), of traced tensors too."""
    if not any(traced(x) for x in args):
        return range(*args)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return TracedRange(start, stop, step)


BUILTINS = {
    id(range): range_,
    id(len): _len,
    id(int): _int,
    id(float): _float,
    id(max): _extreme(max, math.reduce_max, "max"),
    id(min): _extreme(min, math.reduce_min, "min"),
    id(sum): _sum,
    id(sorted): _sorted,
}
