"""tf.debugging: assertions on tensors, and the check of all that ops give. They raise InvalidArgumentError; while
tracing, assertions look at types and shapes alone.
"""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from .._debugging import check_numerics as _check_ops
from . import dtypes, nest
from ._tensor import convert_to_tensor, operand, to_core
from .errors import ConversionError, InvalidArgumentError

if _t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig
    from ._tensor import Tensor as _Tensor


def _check(condition, what, message, values):
    """Raises unless every element of a bool core tensor is true."""
    if condition.symbolic or bool(_core.all(condition)):
        return
    shown = ", ".join(f"{name} = {v.tolist()}" for name, v in values.items())
    raise InvalidArgumentError(f"{message + ': ' if message else ''}Condition {what} did not hold. {shown}")


def _comparison(name, f, text) -> _sig.Comparison:
    def check(
        x: ArrayLike, y: ArrayLike, message: str | None = None, summarize: int | None = None, name: str | None = None
    ) -> None:
        a = to_core(x)
        b = operand(y, a.dtype, text, weak=False)
        _check(f(a, b), f"x {text} y element-wise", message, {"x": a, "y": b})

    check.__name__ = name
    check.__doc__ = f"InvalidArgumentError unless x {text} y in every element."
    return check


assert_equal = _comparison("assert_equal", _core.equal, "==")
assert_none_equal = _comparison("assert_none_equal", _core.not_equal, "!=")
assert_less = _comparison("assert_less", _core.less, "<")
assert_less_equal = _comparison("assert_less_equal", _core.less_equal, "<=")
assert_greater = _comparison("assert_greater", _core.greater, ">")
assert_greater_equal = _comparison("assert_greater_equal", _core.greater_equal, ">=")


def _sign_check(name, f, text) -> _sig.SignCheck:
    def check(x: ArrayLike, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:
        a = to_core(x)
        _check(f(a, 0), f"x {text} 0 element-wise", message, {"x": a})

    check.__name__ = name
    check.__doc__ = f"InvalidArgumentError unless x {text} 0 in every element."
    return check


assert_positive = _sign_check("assert_positive", _core.greater, ">")
assert_negative = _sign_check("assert_negative", _core.less, "<")
assert_non_negative = _sign_check("assert_non_negative", _core.greater_equal, ">=")
assert_non_positive = _sign_check("assert_non_positive", _core.less_equal, "<=")


def assert_near(
    x: ArrayLike,
    y: ArrayLike,
    rtol: float | None = None,
    atol: float | None = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """InvalidArgumentError unless |x - y| <= atol + rtol |y|; both are 10 eps of the dtype unless given."""
    a = to_core(x)
    b = operand(y, a.dtype, "assert_near", weak=False)
    eps = 10 * _finfo(a.dtype).eps
    bound = _core.abs(b) * (eps if rtol is None else rtol) + (eps if atol is None else atol)
    _check(_core.abs(a - b) <= bound, "|x - y| <= atol + rtol |y|", message, {"x": a, "y": b})


def _finfo(dtype):
    from .. import finfo

    return finfo(dtype)


def assert_rank(x: ArrayLike, rank: int, message: str | None = None, name: str | None = None) -> None:
    """ValueError unless x has this many axes."""
    x = convert_to_tensor(x)
    if len(x.shape) != rank:
        raise ConversionError(
            f"{message or ''} Tensor must have rank {rank}. Received rank {len(x.shape)}, shape {x.shape}"
        )


def assert_rank_at_least(x: ArrayLike, rank: int, message: str | None = None, name: str | None = None) -> None:
    """ValueError unless x has at least this many axes."""
    x = convert_to_tensor(x)
    if len(x.shape) < rank:
        raise ConversionError(
            f"{message or ''} Tensor must have rank at least {rank}. Received rank {len(x.shape)}, shape {x.shape}"
        )


def assert_shapes(
    shapes: Mapping[Any, Any] | Iterable[tuple[ArrayLike, Any]],
    data: object = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """ValueError unless tensors have these shapes: pairs (x, ('N', 3)); the same letter stands for the same extent."""
    known = {}
    for x, wanted in shapes.items() if isinstance(shapes, dict) else shapes:
        shape = convert_to_tensor(x).shape
        if len(shape) != len(wanted):
            raise ConversionError(
                f"{message or ''} shape {shape} does not have the {len(wanted)} axes of {tuple(wanted)}"
            )
        for extent, symbol in zip(shape, wanted):
            expected = known.setdefault(symbol, extent) if isinstance(symbol, str) else symbol
            if expected is not None and extent != expected:
                raise ConversionError(
                    f"{message or ''} shape {shape} does not fit {tuple(wanted)}: {symbol} is {expected}"
                )


def assert_type(tensor: ArrayLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None) -> None:
    """TypeError unless the tensor is of this dtype."""
    tensor = convert_to_tensor(tensor)
    if tensor.dtype is not dtypes.as_dtype(tf_type):
        raise _core.InvalidTypeError(f"{message or ''} tensor must be of type {tf_type!r}, not {tensor.dtype!r}")


def assert_scalar(tensor: ArrayLike, name: str | None = None, message: str | None = None) -> _Tensor:
    """ValueError unless there are no axes; returns the tensor."""
    assert_rank(tensor, 0, message)
    return convert_to_tensor(tensor)


def assert_all_finite(x: ArrayLike, message: str, name: str | None = None) -> _Tensor:
    """InvalidArgumentError if an element is NaN or infinite; returns x."""
    x = convert_to_tensor(x)
    _check(_core.isfinite(x._t), "x is finite", message, {"x": x._t})
    return x


def check_numerics(tensor: ArrayLike, message: str, name: str | None = None) -> _Tensor:
    """The tensor; InvalidArgumentError if an element is NaN or infinite."""
    x = convert_to_tensor(tensor)
    if not x._t.symbolic:
        for kind, found in (("NaN", _core.isnan(x._t)), ("Inf", _core.isinf(x._t))):
            if bool(_core.any(found)):
                raise InvalidArgumentError(f"{message} : Tensor had {kind} values [Op:CheckNumerics]")
    return x


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From now on the first op that gives a NaN or an infinity raises InvalidArgumentError, naming op, index and line;
    in tf.functions and gradients too. Of the whole process, where TensorFlow's is of the calling thread."""
    _check_ops("all")


def disable_check_numerics() -> None:
    """Ends what enable_check_numerics began."""
    _check_ops("off")


def Assert(condition: ArrayLike, data: object, summarize: int | None = None, name: str | None = None) -> None:
    """InvalidArgumentError with `data` unless the condition holds."""
    c = to_core(condition)
    if not c.symbolic and not bool(_core.all(c)):
        raise InvalidArgumentError(
            f"Expected '{condition}' to be true. Summarized data: " + ", ".join(str(v) for v in nest.flatten(data))
        )
