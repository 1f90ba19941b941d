"""tf.math: elementwise functions, reductions, running sums and products of matrices.

Gradients are those of the same functions of reel; integers, comparisons and rounding have none.
"""

from __future__ import annotations as _annotations

import operator as _operator
import typing as _t

from .. import _core
from ..nn import log_softmax as _log_softmax
from ..nn import softmax as _softmax
from . import _dtypes, _partial
from . import _special as special
from ._args import axes_or_none as _axis
from ._beside import logits as _logits
from ._complex import COMPLEX as _COMPLEX
from ._convert import cast as cast
from ._convert import to_core as _to_core
from ._operators import as_float as _as_float
from ._operators import binary as _binary_op
from ._operators import floor_divide as _floor_divide
from ._operators import floor_mod as _floor_mod
from ._operators import integer_division as _integer_division
from ._operators import mismatch as _mismatch
from ._operators import operand as _operand
from ._operators import power as _power
from ._operators import true_divide as _true_divide
from ._products import einsum as einsum
from ._products import matmul as matmul
from ._products import tensordot as tensordot
from ._reductions import argmax as argmax
from ._reductions import argmin as argmin
from ._reductions import count_nonzero as count_nonzero
from ._reductions import cumprod as cumprod
from ._reductions import cumsum as cumsum
from ._reductions import cumulative_logsumexp as cumulative_logsumexp
from ._reductions import reduce_all as reduce_all
from ._reductions import reduce_any as reduce_any
from ._reductions import reduce_euclidean_norm as reduce_euclidean_norm
from ._reductions import reduce_logsumexp as reduce_logsumexp
from ._reductions import reduce_max as reduce_max
from ._reductions import reduce_mean as reduce_mean
from ._reductions import reduce_min as reduce_min
from ._reductions import reduce_prod as reduce_prod
from ._reductions import reduce_std as reduce_std
from ._reductions import reduce_sum as reduce_sum
from ._reductions import reduce_variance as reduce_variance
from ._reductions import zero_fraction as zero_fraction
from ._segments import segment_max as segment_max
from ._segments import segment_mean as segment_mean
from ._segments import segment_min as segment_min
from ._segments import segment_prod as segment_prod
from ._segments import segment_sum as segment_sum
from ._segments import unsorted_segment_max as unsorted_segment_max
from ._segments import unsorted_segment_mean as unsorted_segment_mean
from ._segments import unsorted_segment_min as unsorted_segment_min
from ._segments import unsorted_segment_prod as unsorted_segment_prod
from ._segments import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from ._segments import unsorted_segment_sum as unsorted_segment_sum
from ._shape import TensorShape as _TensorShape
from ._sorting import bincount as bincount
from ._sorting import confusion_matrix as confusion_matrix
from ._sorting import in_top_k as in_top_k
from ._sorting import invert_permutation as invert_permutation
from ._sorting import is_non_decreasing as is_non_decreasing
from ._sorting import is_strictly_increasing as is_strictly_increasing
from ._sorting import top_k as top_k
from ._special import bessel_i0 as bessel_i0
from ._special import bessel_i0e as bessel_i0e
from ._special import bessel_i1 as bessel_i1
from ._special import bessel_i1e as bessel_i1e
from ._tensor import TensorLike as _TensorLike
from ._tensor import wrap as _wrap
from ._trace import all_in_graph as _all_in_graph
from ._trace import state as _state
from .errors import ConversionError as _ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig
    from ._signatures import Axes, ShapeLike
    from ._tensor import Tensor as _Tensor


def _of_nonzero(op, f):
    """f(a, b), but 0 with zero gradients where a is 0: there f and its gradient see harmless operands."""

    def of(a, b):
        a, b = _both(a, b)
        if a.dtype.is_integer or a.dtype.is_bool:
            raise _core.InvalidTypeError(
                f"{op}: the tensors must be floating or complex, not {a.dtype.name}; use tf.cast"
            )
        zero = _core.equal(a, 0)
        return _core.where(zero, 0, f(_core.where(zero, 0, a), _core.where(zero, 1, b)))

    return of


def _log1p(b):
    return _core.log1p(b) if not b.dtype.is_complex else _COMPLEX["log1p"](b)


def _real_divide(a, b):
    if _both(a, b)[0].dtype.is_integer:
        raise _core.InvalidTypeError("realdiv: the tensors must be floating or complex; use tf.truediv")
    return _true_divide(a, b)


def _squared_difference(a, b):
    d = a - b
    return _core.conj(d) * d if d.dtype.is_complex else _core.square(d)


def _divide_no_nan(a, b):
    """a / b, but 0 where b is 0; integers divide as floats."""
    a, b = _both(a, b)
    return _core.divide_no_nan(_as_float(a), _as_float(b)) if a.dtype.is_integer else _core.divide_no_nan(a, b)


def _digamma(x):
    """The derivative of lgamma; NaN at 0."""
    return _core.where(_core.equal(x, 0), _core.asarray(float("nan"), x.dtype), _core.digamma(x))


def _truncated(a, b):
    """The quotient of integers without its fraction, which is rounded towards zero; of floats the same."""
    a, b = _both(a, b)
    down = _core.floor_divide(a, b)
    if a.dtype.is_floating:
        return _core.trunc(a / b)
    exact = _core.equal(down * b, a)
    negative = _core.logical_xor(_core.less(a, 0), _core.less(b, 0))
    return _core.where(_core.logical_and(negative, _core.logical_not(exact)), down + 1, down)


def _both(a, b):
    """Two operands as tensors: a number in the other's dtype, which it would lose beside a second number."""
    is_a, is_b = (isinstance(v, (_core.Tensor, _core.Variable)) for v in (a, b))
    first = a if is_a else _core.asarray(a, b.dtype if is_b else None)
    return first, b if is_b else _core.asarray(b, first.dtype)


def _numeric(x, op):
    t = _to_core(x)
    if t.dtype.is_bool:
        raise _core.InvalidTypeError(f"{op}: the tensor must be numeric, not bool; use tf.cast")
    return t


def _bools(op, f):
    """f of two bool tensors; TypeError for others."""

    def checked(a, b):
        t = b if isinstance(a, (bool, int)) else a
        if not t.dtype.is_bool:
            raise _core.InvalidTypeError(
                f"cannot compute {op} as input #0(zero-based) was expected to be a bool tensor but "
                f"is a {t.dtype.name} tensor [Op:{op}]; compare it, or use tf.cast"
            )
        return f(a, b)

    return checked


def _define_unary(name, f, allowed=None) -> _sig.Unary:
    """allowed: which dtypes TensorFlow's op takes: a test of the core's, and what it says of them."""
    of_complex = _COMPLEX.get(name)

    def op(x: ArrayLike, name: str | None = None) -> _Tensor:
        return _wrap(f(_to_core(x)))

    def checked(x: ArrayLike, name: str | None = None) -> _Tensor:
        t = _to_core(x)
        if of_complex and t.dtype.is_complex:
            return _wrap(of_complex(t))
        if allowed and not allowed[0](t.dtype):
            raise _core.InvalidTypeError(
                f"{checked.__name__}: the tensor must be {allowed[1]}, not {t.dtype.name} {tuple(t.shape)}; use tf.cast"
            )
        return _wrap(f(t))

    out = checked if allowed or of_complex else op
    out.__name__ = out.__qualname__ = name
    out.__doc__ = f.__doc__.split("\n")[-1]
    return out


_FLOATS = (lambda d: d.is_floating, "floating")
_NO_INTEGERS = (lambda d: d.is_floating or d.is_complex, "floating or complex")
_SIGNED = (lambda d: d.kind not in "ub", "a signed number")
_NUMBERS = (lambda d: not d.is_bool, "a number")
_BOOLS = (lambda d: d.is_bool, "bool")


def _define_binary(name, op_name, f) -> _sig.Binary:
    def op(x: ArrayLike, y: ArrayLike, name: str | None = None) -> _Tensor:
        return _binary_op(op_name, x, y, f)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{op_name} of two tensors of one dtype, which broadcast; numbers take the other's dtype."
    return op


sin = _define_unary("sin", _core.sin)
cos = _define_unary("cos", _core.cos)
tan = _define_unary("tan", _core.tan)
asin = _define_unary("asin", _core.asin)
acos = _define_unary("acos", _core.acos)
atan = _define_unary("atan", _core.atan)
sinh = _define_unary("sinh", _core.sinh)
cosh = _define_unary("cosh", _core.cosh)
tanh = _define_unary("tanh", _core.tanh)
asinh = _define_unary("asinh", _core.asinh)
acosh = _define_unary("acosh", _core.acosh)
atanh = _define_unary("atanh", _core.atanh)
exp = _define_unary("exp", _core.exp)
expm1 = _define_unary("expm1", _core.expm1)
log = _define_unary("log", _core.log)
log1p = _define_unary("log1p", _core.log1p)
sqrt = _define_unary("sqrt", _core.sqrt)
rsqrt = _define_unary("rsqrt", _core.rsqrt)
square = _define_unary("square", _core.square)
abs = _define_unary("abs", _core.abs, _SIGNED)
sign = _define_unary("sign", _core.sign, _SIGNED)
negative = _define_unary("negative", _core.negative, _SIGNED)
reciprocal = _define_unary("reciprocal", _core.reciprocal, _NO_INTEGERS)
floor = _define_unary("floor", _core.floor, _FLOATS)
ceil = _define_unary("ceil", _core.ceil, _FLOATS)
round = _define_unary("round", _core.round, _NUMBERS)
rint = _define_unary("rint", _core.round, _FLOATS)
erf = _define_unary("erf", _core.erf)
erfc = _define_unary("erfc", _core.erfc)
erfinv = _define_unary("erfinv", _core.erfinv)
erfcinv = _define_unary("erfcinv", _core.erfcinv, _FLOATS)
ndtri = _define_unary("ndtri", _core.ndtri, _FLOATS)
lgamma = _define_unary("lgamma", _core.lgamma)
digamma = _define_unary("digamma", _digamma)
_sigmoid = _define_unary("sigmoid", _core.sigmoid)
is_nan = _define_unary("is_nan", _core.isnan, _FLOATS)
is_inf = _define_unary("is_inf", _core.isinf, _FLOATS)
is_finite = _define_unary("is_finite", _core.isfinite, _FLOATS)
logical_not = _define_unary("logical_not", _core.logical_not, _BOOLS)


def conj(x: ArrayLike, name: str | None = None) -> _Tensor:
    """The complex conjugate; the same tensor if it is real."""
    return _wrap(_core.conj(_numeric(x, "conj")))


add = _define_binary("add", "AddV2", _operator.add)
subtract = _define_binary("subtract", "Sub", _operator.sub)
multiply = _define_binary("multiply", "Mul", _operator.mul)
divide = _define_binary("divide", "RealDiv", _true_divide)
truediv = _define_binary("truediv", "RealDiv", _true_divide)
realdiv = _define_binary("realdiv", "RealDiv", _real_divide)
floordiv = _define_binary("floordiv", "FloorDiv", _floor_divide)
mod = _define_binary("mod", "FloorMod", _floor_mod)
floormod = _define_binary("floormod", "FloorMod", _floor_mod)
truncatemod = _define_binary("truncatemod", "TruncateMod", _integer_division("TruncateMod", _core.fmod))
truncatediv = _define_binary("truncatediv", "TruncateDiv", _integer_division("TruncateDiv", _truncated))
maximum = _define_binary("maximum", "Maximum", _core.maximum)
minimum = _define_binary("minimum", "Minimum", _core.minimum)
pow = _define_binary("pow", "Pow", _power)
squared_difference = _define_binary("squared_difference", "SquaredDifference", _squared_difference)
divide_no_nan = _define_binary("divide_no_nan", "DivNoNan", _divide_no_nan)
xlogy = _define_binary("xlogy", "Xlogy", _of_nonzero("xlogy", lambda a, b: a * _core.log(b)))
xlog1py = _define_binary("xlog1py", "Xlog1py", _of_nonzero("xlog1py", lambda a, b: a * _log1p(b)))
xdivy = _define_binary("xdivy", "Xdivy", _of_nonzero("xdivy", _operator.truediv))
equal = _define_binary("equal", "Equal", _core.equal)
not_equal = _define_binary("not_equal", "NotEqual", _core.not_equal)
less = _define_binary("less", "Less", _core.less)
less_equal = _define_binary("less_equal", "LessEqual", _core.less_equal)
greater = _define_binary("greater", "Greater", _core.greater)
greater_equal = _define_binary("greater_equal", "GreaterEqual", _core.greater_equal)
logical_and = _define_binary("logical_and", "LogicalAnd", _bools("LogicalAnd", _operator.and_))
logical_or = _define_binary("logical_or", "LogicalOr", _bools("LogicalOr", _operator.or_))


def real(input: ArrayLike, name: str | None = None) -> _Tensor:
    """The real part; the same tensor if it is real."""
    return _wrap(_core.real(_numeric(input, "real")))


def imag(input: ArrayLike, name: str | None = None) -> _Tensor:
    """The imaginary part; zeros if it is real."""
    return _wrap(_core.imag(_to_core(input)))


def angle(input: ArrayLike, name: str | None = None) -> _Tensor:
    """The argument of a complex number; of real ones 0, or pi if they are negative, without a gradient."""
    t = _to_core(input)
    if t.dtype.is_complex:
        return _wrap(_core.angle(t))
    if not t.dtype.is_floating:
        raise _core.InvalidTypeError(f"angle: the tensor must be floating or complex, not {t.dtype.name}; use tf.cast")
    t = _core.stop_gradient(t)
    return _wrap(_core.where(t < 0, _core.asarray(_PI, t.dtype), _core.asarray(0.0, t.dtype)))


_PI = 3.141592653589793


def atan2(y: ArrayLike, x: ArrayLike, name: str | None = None) -> _Tensor:
    """The angle of the point (x, y) from the x axis, -pi to pi."""
    return _binary_op("Atan2", y, x, _core.atan2)


def igamma(a: ArrayLike, x: ArrayLike, name: str | None = None) -> _Tensor:
    """The lower regularised incomplete gamma function P(a, x)."""
    return _binary_op("Igamma", a, x, _core.igamma)


def igammac(a: ArrayLike, x: ArrayLike, name: str | None = None) -> _Tensor:
    """The upper regularised incomplete gamma function Q(a, x)."""
    return _binary_op("Igammac", a, x, _core.igammac)


def polygamma(a: ArrayLike, x: ArrayLike, name: str | None = None) -> _Tensor:
    """The a-th derivative of digamma at x; gradient by x alone."""
    return _binary_op("Polygamma", a, x, lambda n, t: _core.polygamma(_core.stop_gradient(n), t))


def zeta(x: ArrayLike, q: ArrayLike, name: str | None = None) -> _Tensor:
    """The Hurwitz zeta function: the sum of (q + n)^-x; gradient by q alone."""
    return _binary_op("Zeta", x, q, _partial.zeta)


def nextafter(x1: ArrayLike, x2: ArrayLike, name: str | None = None) -> _Tensor:
    """The next number after x1 in the direction of x2."""
    return _binary_op("NextAfter", x1, x2, _core.nextafter)


def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike, name: str | None = None) -> _Tensor:
    """The regularised incomplete beta function I_x(a, b); gradient by x alone, whose own is by a and b, too."""
    p = _to_core(a)
    q, t = (_operand(v, p.dtype, "Betainc", weak=False) for v in (b, x))
    return _wrap(_partial.betainc(p, q, t))


def lbeta(x: ArrayLike, name: str | None = None) -> _Tensor:
    """log |B(x)| along the last axis: the sum of lgamma(x_i) less lgamma of the sum."""
    t = _to_core(x)
    return _wrap(_core.sum(_core.lgamma(t), -1) - _core.lgamma(_core.sum(t, -1)))


def polyval(coeffs: Sequence[ArrayLike], x: ArrayLike, name: str | None = None) -> _Tensor:
    """The polynomial of a list of coefficients, the one of the highest power first, at x."""
    if not isinstance(coeffs, (list, tuple)):
        raise _ConversionError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    t = _to_core(x)
    out = _core.zeros_like(t)
    for i, c in enumerate(coeffs):
        c = _to_core(c, t.dtype)
        out = c + _core.zeros_like(t) if i == 0 else out * t + c
    return _wrap(out)


def logical_xor(x: ArrayLike, y: ArrayLike, name: str | None = "LogicalXor") -> _Tensor:
    """Whether one is true and the other is not."""
    return _binary_op("LogicalXor", x, y, _bools("LogicalXor", _operator.xor))


def softsign(features: ArrayLike, name: str | None = None) -> _Tensor:
    """x / (1 + |x|)."""
    t = _to_core(features)
    if not t.dtype.is_floating:
        raise _core.InvalidTypeError(f"softsign: the tensor must be floating, not {t.dtype.name}; use tf.cast")
    return _wrap(t / (1 + _core.abs(t)))


def reciprocal_no_nan(x: ArrayLike, name: str | None = None) -> _Tensor:
    """1 / x, but 0 where x is 0."""
    t = _to_core(x)
    return _wrap(_core.divide_no_nan(_core.ones_like(t), t))


def l2_normalize(
    x: ArrayLike, axis: Axes | None = None, epsilon: float = 1e-12, name: str | None = None, dim: Axes | None = None
) -> _Tensor:
    """x by the root of the sum of its squares over axes, which is not taken smaller than that of epsilon."""
    t, axes = _to_core(x), _axis(axis if dim is None else dim)
    if t.dtype.is_complex:
        squares = _core.square(_core.real(t)) + _core.square(_core.imag(t))
        scale = _core.rsqrt(_core.maximum(_core.sum(squares, axes, keepdims=True), epsilon))
        return _wrap(_core.complex(_core.real(t) * scale, _core.imag(t) * scale))
    return _wrap(t * _core.rsqrt(_core.maximum(_core.sum(_core.square(t), axes, keepdims=True), epsilon)))


def multiply_no_nan(x: ArrayLike, y: ArrayLike, name: str | None = None) -> _Tensor:
    """x y, but 0 where y is 0, even if x is infinite or NaN."""

    # By y the gradient is x where y is 0 too, as in TensorFlow; 0 if that is no finite number.
    def product(a, b):
        a, b = _both(a, b)
        if a.dtype.is_integer:
            raise _core.InvalidTypeError(
                f"multiply_no_nan: the tensors must be floating or complex, not {a.dtype.name}; use tf.cast"
            )
        return _core.where(_core.logical_and(b == 0, _core.logical_not(_core.isfinite(a))), 0, a) * b

    return _binary_op("MulNoNan", x, y, product)


def scalar_mul(scalar: ArrayLike, x: ArrayLike, name: str | None = None) -> _Tensor:
    """scalar x; the scalar takes the dtype of x, and ValueError if it has axes."""
    t = _to_core(x)
    factor = _operand(scalar, t.dtype, "Mul", weak=False)
    if factor.ndim:
        raise _ConversionError(f"The input scalar must be a 0-D value. Received shape {tuple(factor.shape)}.")
    return _wrap(factor * t)


def softplus(features: ArrayLike, name: str | None = None) -> _Tensor:
    """log(1 + e^x), without overflow."""
    from .. import nn

    return _wrap(nn.softplus(_to_core(features)))


def log_sigmoid(x: ArrayLike, name: str | None = None) -> _Tensor:
    """log(sigmoid(x))."""
    from .. import nn

    return _wrap(nn.log_sigmoid(_to_core(x)))


def sigmoid(x: ArrayLike, name: str | None = None) -> _Tensor:
    """1 / (1 + e^-x)."""
    y = _sigmoid(x)
    if _state.depth:
        _logits.set(y, (_wrap(_to_core(x)), "Sigmoid"))
    return y


def softmax(logits: ArrayLike, axis: int | None = None, name: str | None = None) -> _Tensor:
    """e^x / sum e^x along axis, the last one unless given."""
    x = _to_core(logits)
    y = _wrap(_softmax(x, -1 if axis is None else axis))
    if _state.depth and (axis is None or axis in (-1, x.ndim - 1)):
        _logits.set(y, (_wrap(x), "Softmax"))  # as TensorFlow's graphs, where Keras's losses look for them
    return y


def log_softmax(logits: ArrayLike, axis: int | None = None, name: str | None = None) -> _Tensor:
    """x - log sum e^x along axis, the last one unless given."""
    return _wrap(_log_softmax(_to_core(logits), -1 if axis is None else axis))


def add_n(inputs: Sequence[ArrayLike], name: str | None = None) -> _Tensor:
    """The sum of tensors of one shape and dtype."""
    rows = _core.unstack(_to_core(inputs)) if isinstance(inputs, _TensorLike) else inputs
    tensors = [_to_core(x) for x in rows]
    if not tensors:
        raise _core.InvalidArgumentError(
            "add_n: Inputs must be an iterable of at least one Tensor with the same dtype and shape."
        )
    out = _core.identity(tensors[0])
    for t in tensors[1:]:
        if t.dtype is not out.dtype:
            raise _mismatch("AddN", out, t)
        if tuple(t.shape) != tuple(out.shape):
            raise _ConversionError(
                f"add_n: inputs must have the same size and shape, got {tuple(out.shape)} and {tuple(t.shape)}"
            )
        out = out + t
    return _wrap(out)


def clip_by_value(
    t: ArrayLike, clip_value_min: ArrayLike, clip_value_max: ArrayLike, name: str | None = None
) -> _Tensor:
    """t within bounds, which broadcast to its shape; the gradient goes to t inside the bounds and on them."""
    a = _to_core(t)
    low = _operand(clip_value_min, a.dtype, "ClipByValue")
    high = _operand(clip_value_max, a.dtype, "ClipByValue")
    out = _core.clip(a, low, high)
    if out.shape != a.shape:
        raise _ConversionError(
            f"clip_by_value: Shapes {tuple(a.shape)} and {tuple(out.shape)} are incompatible: the bounds"
        )
    return _wrap(out)


def accumulate_n(
    inputs: Sequence[ArrayLike],
    shape: ShapeLike | None = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """add_n of a list or tuple, whose shape and dtype may be said. TypeError if the dtype is another one."""
    if not isinstance(inputs, (list, tuple)):
        raise _ConversionError("accumulate_n: inputs must be a list of at least one Tensor/IndexedSlices")
    out = add_n(inputs)
    if tensor_dtype is not None and _dtypes.core_dtype(tensor_dtype) is not out._t.dtype:
        raise _core.InvalidTypeError(
            f"accumulate_n: tensor_dtype is {tensor_dtype}, but the inputs are {out.dtype.name}"
        )
    if shape is not None and not _TensorShape(shape).is_compatible_with(out.shape):
        raise _ConversionError(f"accumulate_n: shape is {shape}, but the inputs have {tuple(out.shape)}")
    return out


def complex(real: ArrayLike, imag: ArrayLike, name: str | None = None) -> _Tensor:
    """real + i imag, of float32 or float64. TypeError for other dtypes."""
    a = _to_core(real)
    b = _operand(imag, a.dtype, "Complex", weak=False) if a.dtype in _PARTS else _to_core(imag)
    if a.dtype not in _PARTS or b.dtype is not a.dtype:
        raise _core.InvalidTypeError(
            f"The `real` and `imag` components have incorrect types: {a.dtype.name} {b.dtype.name}. They must be consistent, "
            "and one of float32 and float64"
        )
    return _wrap(_core.complex(a, b))


_PARTS = (_core.float32, _core.float64)


_all_in_graph(globals())
