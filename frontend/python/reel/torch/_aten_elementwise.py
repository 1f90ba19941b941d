"""PyTorch's operators of single elements."""

from __future__ import annotations

import math as _math
import typing as _t

from .. import _core
from .. import nn as _nn
from ._table import aten, cast, is_float, result_dtype, tensor

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .._core import Tensor
    from ._nodes import Type

# By PyTorch's name; integers are cast to the result's dtype first.
_UNARY: dict[str, Callable[..., Any]] = {
    "acos": _core.acos,
    "acosh": _core.acosh,
    "asin": _core.asin,
    "asinh": _core.asinh,
    "atan": _core.atan,
    "atanh": _core.atanh,
    "ceil": _core.ceil,
    "cos": _core.cos,
    "cosh": _core.cosh,
    "digamma": _core.digamma,
    "erf": _core.erf,
    "erfc": _core.erfc,
    "erfinv": _core.erfinv,
    "exp": _core.exp,
    "exp2": _core.exp2,
    "expm1": _core.expm1,
    "floor": _core.floor,
    "lgamma": _core.lgamma,
    "log": _core.log,
    "log10": _core.log10,
    "log1p": _core.log1p,
    "log2": _core.log2,
    "log_sigmoid": _nn.log_sigmoid,
    "mish": _nn.mish,
    "neg": _core.negative,
    "reciprocal": _core.reciprocal,
    "relu": _nn.relu,
    "rsqrt": _core.rsqrt,
    "sigmoid": _core.sigmoid,
    "silu": _nn.silu,
    "sin": _core.sin,
    "sinh": _core.sinh,
    "sqrt": _core.sqrt,
    "square": _core.square,
    "tan": _core.tan,
    "tanh": _core.tanh,
    "trunc": _core.trunc,
}
# These look at x as it is.
_OF_ANY: dict[str, Callable[..., Any]] = {
    "abs": _core.abs,
    "bitwise_not": _core.bitwise_invert,
    "isfinite": _core.isfinite,
    "isinf": _core.isinf,
    "isnan": _core.isnan,
    "logical_not": _core.logical_not,
}
for _name, _function in _UNARY.items():
    aten(_name + ".default", promote=True)(lambda self, _f=_function: _f(self))
for _name, _function in _OF_ANY.items():
    aten(_name + ".default")(lambda self, _f=_function: _f(self))


@aten("sign.default")
def _sign(self: Tensor) -> Tensor:
    if not is_float(self.dtype):
        return self if self.dtype.is_bool else _core.sign(self)
    return _core.where(_core.isnan(self), cast(0, self.dtype), _core.sign(self))  # PyTorch's sign of NaN is 0


@aten("round.default", "round.decimals")
def _round(self: Tensor, *, decimals: int = 0) -> Tensor:
    return self.round(decimals)


def _beside(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands of a comparison in one dtype: tensors without axes and numbers take that of the other's kind."""
    if not (isinstance(a, _core.Tensor) and isinstance(b, _core.Tensor)) or a.dtype == b.dtype:
        return a, b

    def kind(x: Tensor) -> int:
        return 0 if x.dtype.is_bool else 1 if x.dtype.is_integer else 2 if is_float(x.dtype) else 3

    if kind(a) == kind(b) and (a.ndim == 0) != (b.ndim == 0):
        return (cast(a, b.dtype), b) if a.ndim == 0 else (a, cast(b, a.dtype))
    dtype = _core.result_type(a, b)
    return cast(a, dtype), cast(b, dtype)


for _name, _function in {
    "eq": _core.equal,
    "ne": _core.not_equal,
    "lt": _core.less,
    "le": _core.less_equal,
    "gt": _core.greater,
    "ge": _core.greater_equal,
}.items():
    aten(_name + ".Tensor", _name + ".Scalar")(lambda self, other, _f=_function: _f(*_beside(self, other)))
for _name, _function in {
    "logical_and": _core.logical_and,
    "logical_or": _core.logical_or,
    "logical_xor": _core.logical_xor,
}.items():
    aten(_name + ".default")(lambda self, other, _f=_function: _f(self, other))
for _name, _function in {
    "bitwise_and": _core.bitwise_and,
    "bitwise_or": _core.bitwise_or,
    "bitwise_xor": _core.bitwise_xor,
    "bitwise_left_shift": _core.bitwise_left_shift,
    "bitwise_right_shift": _core.bitwise_right_shift,
}.items():
    aten(*(f"{_name}.{_o}" for _o in ("Tensor", "Scalar", "Tensor_Scalar", "Scalar_Tensor")), promote=True)(
        lambda self, other, _f=_function: _f(self, other)
    )
for _name, _function in {"maximum": _core.maximum, "minimum": _core.minimum}.items():
    aten(_name + ".default", promote=True)(lambda self, other, _f=_function: _f(self, other))
for _name, _function in {"atan2": _core.atan2, "hypot": _core.hypot, "copysign": _core.copysign}.items():
    aten(_name + ".default", _name + ".Tensor", _name + ".Scalar", promote=True)(
        lambda self, other, _f=_function: _f(self, other)
    )
for _name, _function in {"fmod": _core.fmod, "remainder": _core.remainder}.items():
    aten(*(f"{_name}.{_o}" for _o in ("Tensor", "Scalar", "Scalar_Tensor")), promote=True)(
        lambda self, other, _f=_function: _f(self, other)
    )


def _is_bool(x: Any) -> bool:
    return x.dtype.is_bool if isinstance(x, _core.Tensor) else isinstance(x, bool)


def _scaled(x: Any, alpha: Any) -> Any:
    return x if alpha == 1 else x * alpha


@aten("add.Tensor", "add.Scalar", promote=True)
def _add(self: Any, other: Any, alpha: Any = 1) -> Tensor:
    if _is_bool(self) and _is_bool(other):
        return _core.logical_or(self, other)
    return _core.add(self, _scaled(other, alpha))


@aten("sub.Tensor", "sub.Scalar", promote=True)
def _sub(self: Any, other: Any, alpha: Any = 1) -> Tensor:
    return _core.subtract(self, _scaled(other, alpha))


@aten("rsub.Tensor", "rsub.Scalar", promote=True)
def _rsub(self: Any, other: Any, alpha: Any = 1) -> Tensor:
    return _core.subtract(other, _scaled(self, alpha))


@aten("mul.Tensor", "mul.Scalar", promote=True)
def _mul(self: Any, other: Any) -> Tensor:
    if _is_bool(self) and _is_bool(other):
        return _core.logical_and(self, other)
    return _core.multiply(self, other)


@aten("div.Tensor", "div.Scalar", "true_divide.Tensor", promote=True)
def _div(self: Any, other: Any) -> Tensor:
    return _core.divide(self, other)


@aten("div.Tensor_mode", "div.Scalar_mode", promote=True)
def _div_mode(self: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    if rounding_mode is None:
        return _core.divide(self, other)
    if rounding_mode == "floor":
        return _core.floor_divide(self, other)
    x = tensor(self)
    if is_float(x.dtype):
        return _core.trunc(_core.divide(x, other))
    rest = _core.fmod(x, other)
    return _core.floor_divide(_core.subtract(x, rest), other)


@aten("floor_divide.default", promote=True)
def _floor_divide(self: Any, other: Any) -> Tensor:
    return _core.floor_divide(self, other)


# Of a number as exponent PyTorch computes these, at a tenth of what the general function takes.
_PRODUCTS: dict[float, Callable[[Tensor], Tensor]] = {
    1: lambda x: x,
    2: _core.square,
    3: lambda x: _core.multiply(_core.square(x), x),
}
_ROOTS: dict[float, Callable[[Tensor], Tensor]] = {
    0.5: _core.sqrt,
    -0.5: _core.rsqrt,
    -1: _core.reciprocal,
    -2: lambda x: _core.reciprocal(_core.square(x)),
}


@aten("pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar", promote=True)
def _pow(self: Any, exponent: Any) -> Tensor:
    if isinstance(self, _core.Tensor) and isinstance(exponent, (int, float)):
        known = _PRODUCTS.get(exponent) or (_ROOTS.get(exponent) if is_float(self.dtype) else None)
        if known is not None:
            return known(self)
    return _core.pow(self, exponent)


@aten("where.self", "where.ScalarSelf", "where.ScalarOther", "where.Scalar")
def _where(condition: Tensor, self: Any, other: Any, results: Sequence[Type | None] = ()) -> Tensor:
    dtype = result_dtype(results, self)
    return _core.where(condition, cast(self, dtype), cast(other, dtype))


@aten("clamp.default", "clamp.Tensor", promote=True)
def _clamp(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    if isinstance(min, _core.Tensor) and max is not None:
        min = _core.minimum(min, max)  # where bounds cross, PyTorch takes the upper one
    return _core.clip(self, min, max)


@aten("clamp_min.default", "clamp_min.Tensor", promote=True)
def _clamp_min(self: Tensor, min: Any) -> Tensor:
    return _core.clip(self, min)


@aten("clamp_max.default", "clamp_max.Tensor", promote=True)
def _clamp_max(self: Tensor, max: Any) -> Tensor:
    return _core.clip(self, None, max)


@aten("hardtanh.default")
def _hardtanh(self: Tensor, min_val: float = -1, max_val: float = 1) -> Tensor:
    return _core.clip(self, min_val, max_val)


@aten("leaky_relu.default")
def _leaky_relu(self: Tensor, negative_slope: float = 0.01) -> Tensor:
    return _nn.leaky_relu(self, negative_slope)


@aten("elu.default")
def _elu(self: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    negative = alpha * _core.expm1(_core.minimum(self, 0) * input_scale)
    return _scaled(_core.where(_core.greater(self, 0), self, negative), scale)


@aten("gelu.default")
def _gelu(self: Tensor, *, approximate: str = "none") -> Tensor:
    return _nn.gelu(self, approximate=approximate == "tanh")


@aten("softplus.default")
def _softplus(self: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    x = self * beta
    return _core.where(_core.greater(x, threshold), self, _nn.softplus(x) / beta)


@aten("lerp.Scalar", "lerp.Tensor")
def _lerp(self: Tensor, end: Tensor, weight: Any) -> Tensor:
    return _core.lerp(self, end, weight)


@aten("addcmul.default")
def _addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    return self + _scaled(tensor1 * tensor2, value)


@aten("addcdiv.default")
def _addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    return self + _scaled(_core.divide(tensor1, tensor2), value)


@aten("prims.fma.default")
def _fma(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    return a * b + c  # rounded twice; PyTorch's own engines differ here, too


@aten("prims.convert_element_type.default")
def _convert(self: Tensor, dtype: Any) -> Tensor:
    return cast(self, dtype)


@aten("_to_copy.default")
def _to_copy(self: Tensor, *, dtype: Any = None) -> Tensor:
    return self if dtype is None else cast(self, dtype)


# Arithmetic on extents, which are Python's numbers.
for _name, _function in {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "truediv": lambda a, b: a / b,
    "mod": lambda a, b: a % b,
    "pow": lambda a, b: a**b,
    "neg": lambda a: -a,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "and_": lambda a, b: a & b,
    "or_": lambda a, b: a | b,
    "not_": lambda a: not a,
    "sym_max": max,
    "sym_min": min,
    "sym_float": float,
    "sym_int": int,
    "sym_not": lambda a: not a,
    "sym_ite": lambda c, a, b: a if c else b,
    "ceil": _math.ceil,
    "floor": _math.floor,
    "trunc": _math.trunc,
    "round": round,
    "_sym_sqrt": _math.sqrt,
}.items():
    aten("python." + _name)(_function)


@aten("getitem")
def _getitem(values: Any, key: Any) -> Any:
    return values[key]
