"""tf.math: elementwise functions, reductions, running sums and products of matrices.

Gradients are those of the same functions of reel; integers, comparisons and rounding have none.
"""

from __future__ import annotations as _annotations

import operator as _operator
import typing as _t

from .. import _core
from ..nn import log_softmax as _log_softmax
from ..nn import softmax as _softmax
from . import dtypes as _dtypes
from ._products import einsum as einsum
from ._products import matmul as matmul
from ._products import tensordot as tensordot
from ._tensor import TensorLike as _TensorLike
from ._tensor import binary as _binary_op
from ._tensor import cast as cast
from ._tensor import mismatch as _mismatch
from ._tensor import operand as _operand
from ._tensor import to_core as _to_core
from ._tensor import true_divide as _true_divide
from ._tensor import wrap as _wrap
from ._trace import all_in_graph as _all_in_graph

if _t.TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig
    from ._signatures import Axes, ShapeLike
    from ._tensor import Tensor as _Tensor


def _without_nan(f, a, b, zero):
    """f(a, b), but 0 with zero gradients where `zero`: there f and its gradient see harmless operands."""
    a, b = _both(a, b)
    return _core.where(zero, 0, f(_core.where(zero, 0, a), _core.where(zero, 1, b)))


def _both(a, b):
    """Two operands as tensors: a number in the other's dtype, which it would lose beside a second number."""
    is_a, is_b = (isinstance(v, (_core.Tensor, _core.Variable)) for v in (a, b))
    first = a if is_a else _core.asarray(a, b.dtype if is_b else None)
    return first, b if is_b else _core.asarray(b, first.dtype)


def _define_unary(name, f) -> _sig.Unary:
    def op(x: ArrayLike, name: str | None = None) -> _Tensor:
        return _wrap(f(_to_core(x)))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


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
abs = _define_unary("abs", _core.abs)
sign = _define_unary("sign", _core.sign)
negative = _define_unary("negative", _core.negative)
reciprocal = _define_unary("reciprocal", _core.reciprocal)
floor = _define_unary("floor", _core.floor)
ceil = _define_unary("ceil", _core.ceil)
round = _define_unary("round", _core.round)
rint = _define_unary("rint", _core.round)
erf = _define_unary("erf", _core.erf)
erfc = _define_unary("erfc", _core.erfc)
erfinv = _define_unary("erfinv", _core.erfinv)
erfcinv = _define_unary("erfcinv", _core.erfcinv)
ndtri = _define_unary("ndtri", _core.ndtri)
lgamma = _define_unary("lgamma", _core.lgamma)
digamma = _define_unary("digamma", _core.digamma)
sigmoid = _define_unary("sigmoid", _core.sigmoid)
is_nan = _define_unary("is_nan", _core.isnan)
is_inf = _define_unary("is_inf", _core.isinf)
is_finite = _define_unary("is_finite", _core.isfinite)
logical_not = _define_unary("logical_not", _core.logical_not)
real = _define_unary("real", _core.real)
imag = _define_unary("imag", _core.imag)
conj = _define_unary("conj", _core.conj)
angle = _define_unary("angle", _core.angle)

add = _define_binary("add", "AddV2", _operator.add)
subtract = _define_binary("subtract", "Sub", _operator.sub)
multiply = _define_binary("multiply", "Mul", _operator.mul)
divide = _define_binary("divide", "RealDiv", _true_divide)
truediv = _define_binary("truediv", "RealDiv", _true_divide)
floordiv = _define_binary("floordiv", "FloorDiv", _operator.floordiv)
mod = _define_binary("mod", "FloorMod", _operator.mod)
floormod = _define_binary("floormod", "FloorMod", _operator.mod)
truncatemod = _define_binary("truncatemod", "TruncateMod", _core.fmod)
maximum = _define_binary("maximum", "Maximum", _core.maximum)
minimum = _define_binary("minimum", "Minimum", _core.minimum)
pow = _define_binary("pow", "Pow", _operator.pow)
squared_difference = _define_binary("squared_difference", "SquaredDifference", lambda a, b: _core.square(a - b))
atan2 = _define_binary("atan2", "Atan2", _core.atan2)
divide_no_nan = _define_binary("divide_no_nan", "DivNoNan", _core.divide_no_nan)
xlogy = _define_binary("xlogy", "Xlogy", _core.xlogy)
xlog1py = _define_binary("xlog1py", "Xlog1py", _core.xlog1py)
xdivy = _define_binary("xdivy", "Xdivy", lambda a, b: _without_nan(_operator.truediv, a, b, _core.equal(a, 0)))
equal = _define_binary("equal", "Equal", _core.equal)
not_equal = _define_binary("not_equal", "NotEqual", _core.not_equal)
less = _define_binary("less", "Less", _core.less)
less_equal = _define_binary("less_equal", "LessEqual", _core.less_equal)
greater = _define_binary("greater", "Greater", _core.greater)
greater_equal = _define_binary("greater_equal", "GreaterEqual", _core.greater_equal)
logical_and = _define_binary("logical_and", "LogicalAnd", _operator.and_)
logical_or = _define_binary("logical_or", "LogicalOr", _operator.or_)
logical_xor = _define_binary("logical_xor", "LogicalXor", _operator.xor)
igamma = _define_binary("igamma", "Igamma", _core.igamma)
igammac = _define_binary("igammac", "Igammac", _core.igammac)
polygamma = _define_binary("polygamma", "Polygamma", _core.polygamma)
zeta = _define_binary("zeta", "Zeta", _core.zeta)
nextafter = _define_binary("nextafter", "NextAfter", _core.nextafter)


def multiply_no_nan(x: ArrayLike, y: ArrayLike, name: str | None = None) -> _Tensor:
    """x y, but 0 where y is 0, even if x is infinite or NaN."""

    # By y the gradient is x where y is 0 too, as in TensorFlow; 0 if that is no finite number.
    def product(a, b):
        a, b = _both(a, b)
        return _core.where(_core.logical_and(b == 0, _core.logical_not(_core.isfinite(a))), 0, a) * b

    return _binary_op("MulNoNan", x, y, product)


def scalar_mul(scalar: ArrayLike, x: ArrayLike, name: str | None = None) -> _Tensor:
    """scalar x."""
    return multiply(x, scalar)


def softplus(features: ArrayLike, name: str | None = None) -> _Tensor:
    """log(1 + e^x), without overflow."""
    from .. import nn

    return _wrap(nn.softplus(_to_core(features)))


def log_sigmoid(x: ArrayLike, name: str | None = None) -> _Tensor:
    """log(sigmoid(x))."""
    from .. import nn

    return _wrap(nn.log_sigmoid(_to_core(x)))


def softmax(logits: ArrayLike, axis: int | None = None, name: str | None = None) -> _Tensor:
    """e^x / sum e^x along axis, the last one unless given."""
    return _wrap(_softmax(_to_core(logits), -1 if axis is None else axis))


def log_softmax(logits: ArrayLike, axis: int | None = None, name: str | None = None) -> _Tensor:
    """x - log sum e^x along axis, the last one unless given."""
    return _wrap(_log_softmax(_to_core(logits), -1 if axis is None else axis))


def add_n(inputs: Sequence[ArrayLike], name: str | None = None) -> _Tensor:
    """The sum of tensors of one shape and dtype."""
    tensors = [_to_core(x) for x in inputs]
    if not tensors:
        raise _core.InvalidArgumentError(
            "add_n: Inputs must be an iterable of at least one Tensor with the same dtype and shape."
        )
    out = _core.identity(tensors[0])
    for t in tensors[1:]:
        if t.dtype is not out.dtype:
            raise _mismatch("AddN", out, t)
        out = out + t
    return _wrap(out)


def clip_by_value(
    t: ArrayLike, clip_value_min: ArrayLike, clip_value_max: ArrayLike, name: str | None = None
) -> _Tensor:
    """t within bounds; the gradient goes to t inside the bounds and on them."""
    a = _to_core(t)
    return _wrap(
        _core.clip(
            a, _operand(clip_value_min, a.dtype, "ClipByValue"), _operand(clip_value_max, a.dtype, "ClipByValue")
        )
    )


def accumulate_n(
    inputs: Sequence[ArrayLike],
    shape: ShapeLike | None = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """The same as add_n."""
    return add_n(inputs)


def complex(real: ArrayLike, imag: ArrayLike, name: str | None = None) -> _Tensor:
    """real + i imag."""
    return _binary_op("Complex", real, imag, _core.complex)


# --- reductions ---


def _axis(axis):
    if axis is None or isinstance(axis, int):
        return axis
    if isinstance(axis, _TensorLike):
        axis = axis._core_value().tolist()
        return axis if isinstance(axis, int) else tuple(axis)
    return tuple(int(a) for a in axis)


def _define_reduction(name, f, wide=False) -> _sig.Reduction:
    def op(
        input_tensor: ArrayLike, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
    ) -> _Tensor:
        x = _to_core(input_tensor)
        if wide and x.dtype.kind in "iu":
            return _wrap(f(x, _axis(axis), keepdims=keepdims, dtype=x.dtype))
        return _wrap(f(x, _axis(axis), keepdims=keepdims))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


reduce_sum = _define_reduction("reduce_sum", _core.sum, True)
reduce_prod = _define_reduction("reduce_prod", _core.prod, True)
reduce_max = _define_reduction("reduce_max", _core.max)
reduce_min = _define_reduction("reduce_min", _core.min)
reduce_all = _define_reduction("reduce_all", _core.all)
reduce_any = _define_reduction("reduce_any", _core.any)
reduce_logsumexp = _define_reduction("reduce_logsumexp", _core.logsumexp)
reduce_variance = _define_reduction("reduce_variance", _core.var)
reduce_std = _define_reduction("reduce_std", _core.std)


def reduce_mean(
    input_tensor: ArrayLike, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """The mean over axes, all of them unless given; of integers it is rounded towards zero."""
    x = _to_core(input_tensor)
    if x.dtype.kind in "iu":
        return _wrap(_core.astype(_core.mean(_core.astype(x, _core.float64), _axis(axis), keepdims), x.dtype))
    return _wrap(_core.mean(x, _axis(axis), keepdims))


def reduce_euclidean_norm(
    input_tensor: ArrayLike, axis: Axes | None = None, keepdims: bool = False, name: str | None = None
) -> _Tensor:
    """sqrt of the sum of squares."""
    return sqrt(reduce_sum(square(input_tensor), axis, keepdims))


def count_nonzero(
    input: ArrayLike,
    axis: Axes | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = _dtypes.int64,
    name: str | None = None,
) -> _Tensor:
    """Number of elements that are not 0."""
    return _wrap(
        _core.astype(_core.count_nonzero(_to_core(input), _axis(axis), bool(keepdims)), _dtypes.core_dtype(dtype))
    )


def _define_arg(name, f) -> _sig.ArgReduction:
    def op(
        input: ArrayLike, axis: int | None = None, output_type: DTypeLike = _dtypes.int64, name: str | None = None
    ) -> _Tensor:
        return _wrap(_core.astype(f(_to_core(input), 0 if axis is None else axis), _dtypes.core_dtype(output_type)))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1] + " Along axis 0 unless given."
    return op


argmax = _define_arg("argmax", _core.argmax)
argmin = _define_arg("argmin", _core.argmin)


def _define_running(name, f, wide) -> _sig.Running:
    def op(
        x: ArrayLike, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
    ) -> _Tensor:
        t = _to_core(x)
        kind = {"dtype": t.dtype} if wide and t.dtype.kind in "iu" else {}
        return _wrap(f(t, axis=axis, exclusive=exclusive, reverse=reverse, **kind))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


cumsum = _define_running("cumsum", _core.cumulative_sum, True)
cumprod = _define_running("cumprod", _core.cumulative_prod, True)
cumulative_logsumexp = _define_running("cumulative_logsumexp", _core.cumulative_logsumexp, False)


def top_k(input: ArrayLike, k: int = 1, sorted: bool = True, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """The k largest elements along the last axis, and their int32 indices."""
    values, indices = _core.top_k(_to_core(input), int(k))
    return _wrap(values), _wrap(_core.astype(indices, _core.int32))


def in_top_k(targets: ArrayLike, predictions: ArrayLike, k: int, name: str | None = None) -> _Tensor:
    """Whether the class targets[i] is among the k largest of predictions[i]."""
    p, t = _to_core(predictions), _to_core(targets)
    at = _core.take_along_axis(p, _core.expand_dims(t, -1), -1)
    return _wrap(_core.sum(_core.greater(p, at), -1) < k)


# --- segments ---


def _segment(data, segment_ids, num_segments, mode, start):
    x, ids = _to_core(data), _to_core(segment_ids)
    out = _core.full((int(num_segments),) + tuple(x.shape)[ids.ndim :], start, dtype=x.dtype)
    if ids.ndim > 1:
        x = _core.reshape(x, (ids.size,) + tuple(x.shape)[ids.ndim :])
    return _wrap(_core.scatter(out, _core.reshape(ids, (-1,)), x, 0, mode))


def unsorted_segment_sum(
    data: ArrayLike, segment_ids: ArrayLike, num_segments: int, name: str | None = None
) -> _Tensor:
    """Rows of data added up by segment_ids."""
    return _segment(data, segment_ids, num_segments, "add", 0)


def segment_sum(data: ArrayLike, segment_ids: ArrayLike, name: str | None = None) -> _Tensor:
    """Rows of data added up by sorted segment_ids, whose last one says how many there are. Eager only."""
    return unsorted_segment_sum(data, segment_ids, int(reduce_max(segment_ids)) + 1)


_all_in_graph(globals())
