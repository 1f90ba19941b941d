"""tf.math: elementwise functions, reductions, running sums and products of matrices.

Gradients are those of the same functions of reel; integers, comparisons and rounding have none.
"""

import operator as _operator

from .. import _core
from ..nn import log_softmax as _log_softmax
from ..nn import softmax as _softmax
from . import dtypes as _dtypes
from ._tensor import TensorLike as _TensorLike
from ._tensor import binary as _binary_op
from ._tensor import cast  # noqa: F401
from ._tensor import mismatch as _mismatch
from ._tensor import operand as _operand
from ._tensor import to_core as _to_core
from ._tensor import true_divide as _true_divide
from ._tensor import wrap as _wrap
from ._trace import all_in_graph as _all_in_graph

_UNARY = {
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "asin": "asin",
    "acos": "acos",
    "atan": "atan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "asinh": "asinh",
    "acosh": "acosh",
    "atanh": "atanh",
    "exp": "exp",
    "expm1": "expm1",
    "log": "log",
    "log1p": "log1p",
    "sqrt": "sqrt",
    "rsqrt": "rsqrt",
    "square": "square",
    "abs": "abs",
    "sign": "sign",
    "negative": "negative",
    "reciprocal": "reciprocal",
    "floor": "floor",
    "ceil": "ceil",
    "round": "round",
    "rint": "round",
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": "erfinv",
    "erfcinv": "erfcinv",
    "ndtri": "ndtri",
    "lgamma": "lgamma",
    "digamma": "digamma",
    "sigmoid": "sigmoid",
    "is_nan": "isnan",
    "is_inf": "isinf",
    "is_finite": "isfinite",
    "logical_not": "logical_not",
    "real": "real",
    "imag": "imag",
    "conj": "conj",
    "angle": "angle",
}


def _without_nan(f, a, b, zero):
    """f(a, b), but 0 with zero gradients where `zero`: there f and its gradient see harmless operands."""
    a, b = _both(a, b)
    return _core.where(zero, 0, f(_core.where(zero, 0, a), _core.where(zero, 1, b)))


def _both(a, b):
    """Two operands as tensors: a number in the other's dtype, which it would lose beside a second number."""
    is_a, is_b = (isinstance(v, (_core.Tensor, _core.Variable)) for v in (a, b))
    first = a if is_a else _core.asarray(a, b.dtype if is_b else None)
    return first, b if is_b else _core.asarray(b, first.dtype)


_BINARY = {
    "add": ("AddV2", _operator.add),
    "subtract": ("Sub", _operator.sub),
    "multiply": ("Mul", _operator.mul),
    "divide": ("RealDiv", _true_divide),
    "truediv": ("RealDiv", _true_divide),
    "floordiv": ("FloorDiv", _operator.floordiv),
    "mod": ("FloorMod", _operator.mod),
    "floormod": ("FloorMod", _operator.mod),
    "truncatemod": ("TruncateMod", _core.fmod),
    "maximum": ("Maximum", _core.maximum),
    "minimum": ("Minimum", _core.minimum),
    "pow": ("Pow", _operator.pow),
    "squared_difference": ("SquaredDifference", lambda a, b: _core.square(a - b)),
    "atan2": ("Atan2", _core.atan2),
    "divide_no_nan": ("DivNoNan", _core.divide_no_nan),
    "xlogy": ("Xlogy", _core.xlogy),
    "xlog1py": ("Xlog1py", _core.xlog1py),
    "xdivy": ("Xdivy", lambda a, b: _without_nan(_operator.truediv, a, b, _core.equal(a, 0))),
    "equal": ("Equal", _core.equal),
    "not_equal": ("NotEqual", _core.not_equal),
    "less": ("Less", _core.less),
    "less_equal": ("LessEqual", _core.less_equal),
    "greater": ("Greater", _core.greater),
    "greater_equal": ("GreaterEqual", _core.greater_equal),
    "logical_and": ("LogicalAnd", _operator.and_),
    "logical_or": ("LogicalOr", _operator.or_),
    "logical_xor": ("LogicalXor", _operator.xor),
    "igamma": ("Igamma", _core.igamma),
    "igammac": ("Igammac", _core.igammac),
    "polygamma": ("Polygamma", _core.polygamma),
    "zeta": ("Zeta", _core.zeta),
    "nextafter": ("NextAfter", _core.nextafter),
}


def _define_unary(name, f):
    def op(x, name=None):
        return _wrap(f(_to_core(x)))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


def _define_binary(name, op_name, f):
    def op(x, y, name=None):
        return _binary_op(op_name, x, y, f)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{op_name} of two tensors of one dtype, which broadcast; numbers take the other's dtype."
    return op


for _name, _target in _UNARY.items():
    globals()[_name] = _define_unary(_name, getattr(_core, _target))
for _name, (_op_name, _f) in _BINARY.items():
    globals()[_name] = _define_binary(_name, _op_name, _f)


def multiply_no_nan(x, y, name=None):
    """x y, but 0 where y is 0, even if x is infinite or NaN."""

    # By y the gradient is x where y is 0 too, as in TensorFlow; 0 if that is no finite number.
    def product(a, b):
        a, b = _both(a, b)
        return _core.where(_core.logical_and(b == 0, _core.logical_not(_core.isfinite(a))), 0, a) * b

    return _binary_op("MulNoNan", x, y, product)


def scalar_mul(scalar, x, name=None):
    """scalar x."""
    return multiply(x, scalar)  # noqa: F821


def softplus(features, name=None):
    """log(1 + e^x), without overflow."""
    from .. import nn

    return _wrap(nn.softplus(_to_core(features)))


def log_sigmoid(x, name=None):
    """log(sigmoid(x))."""
    from .. import nn

    return _wrap(nn.log_sigmoid(_to_core(x)))


def softmax(logits, axis=None, name=None):
    """e^x / sum e^x along axis, the last one unless given."""
    return _wrap(_softmax(_to_core(logits), -1 if axis is None else axis))


def log_softmax(logits, axis=None, name=None):
    """x - log sum e^x along axis, the last one unless given."""
    return _wrap(_log_softmax(_to_core(logits), -1 if axis is None else axis))


def add_n(inputs, name=None):
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


def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """t within bounds; the gradient goes to t inside the bounds and on them."""
    a = _to_core(t)
    return _wrap(
        _core.clip(
            a, _operand(clip_value_min, a.dtype, "ClipByValue"), _operand(clip_value_max, a.dtype, "ClipByValue")
        )
    )


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """The same as add_n."""
    return add_n(inputs)


def complex(real, imag, name=None):
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


def _define_reduction(name, f, wide=False):
    def op(input_tensor, axis=None, keepdims=False, name=None):
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


def reduce_mean(input_tensor, axis=None, keepdims=False, name=None):
    """The mean over axes, all of them unless given; of integers it is rounded towards zero."""
    x = _to_core(input_tensor)
    if x.dtype.kind in "iu":
        return _wrap(_core.astype(_core.mean(_core.astype(x, _core.float64), _axis(axis), keepdims), x.dtype))
    return _wrap(_core.mean(x, _axis(axis), keepdims))


def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None):
    """sqrt of the sum of squares."""
    return sqrt(reduce_sum(square(input_tensor), axis, keepdims))  # noqa: F821


def count_nonzero(input, axis=None, keepdims=None, dtype=_dtypes.int64, name=None):
    """Number of elements that are not 0."""
    return _wrap(
        _core.astype(_core.count_nonzero(_to_core(input), _axis(axis), bool(keepdims)), _dtypes.core_dtype(dtype))
    )


def _define_arg(name, f):
    def op(input, axis=None, output_type=_dtypes.int64, name=None):
        return _wrap(_core.astype(f(_to_core(input), 0 if axis is None else axis), _dtypes.core_dtype(output_type)))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1] + " Along axis 0 unless given."
    return op


argmax = _define_arg("argmax", _core.argmax)
argmin = _define_arg("argmin", _core.argmin)


def _define_running(name, f, wide):
    def op(x, axis=0, exclusive=False, reverse=False, name=None):
        t = _to_core(x)
        kind = {"dtype": t.dtype} if wide and t.dtype.kind in "iu" else {}
        return _wrap(f(t, axis=axis, exclusive=exclusive, reverse=reverse, **kind))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


cumsum = _define_running("cumsum", _core.cumulative_sum, True)
cumprod = _define_running("cumprod", _core.cumulative_prod, True)
cumulative_logsumexp = _define_running("cumulative_logsumexp", _core.cumulative_logsumexp, False)


def top_k(input, k=1, sorted=True, name=None):
    """The k largest elements along the last axis, and their int32 indices."""
    values, indices = _core.top_k(_to_core(input), int(k))
    return _wrap(values), _wrap(_core.astype(indices, _core.int32))


def in_top_k(targets, predictions, k, name=None):
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


def unsorted_segment_sum(data, segment_ids, num_segments, name=None):
    """Rows of data added up by segment_ids."""
    return _segment(data, segment_ids, num_segments, "add", 0)


def segment_sum(data, segment_ids, name=None):
    """Rows of data added up by sorted segment_ids, whose last one says how many there are. Eager only."""
    return unsorted_segment_sum(data, segment_ids, int(reduce_max(segment_ids)) + 1)


# --- products ---


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, name=None):
    """Matrix product [..., m, k] by [..., k, n]; leading axes broadcast. Gradients: dy b', a' dy."""
    x = _to_core(a)
    y = _operand(b, x.dtype, "MatMul", weak=False)
    if len(x.shape) < 2 or len(y.shape) < 2:
        raise _core.InvalidArgumentError(
            f"In[0] and In[1] ndims must be >= 2: {len(x.shape)}, {len(y.shape)} "
            f"[Op:MatMul]; shapes {tuple(x.shape)} and {tuple(y.shape)}, use tf.tensordot "
            "for vectors"
        )
    if adjoint_a:
        x = _core.conj(x)
    if adjoint_b:
        y = _core.conj(y)
    if transpose_a or adjoint_a:
        x = _core.matrix_transpose(x)
    if transpose_b or adjoint_b:
        y = _core.matrix_transpose(y)
    return _wrap(_core.matmul(x, y))


def tensordot(a, b, axes, name=None):
    """The sum over the last axes of a and the first of b (a number of them), or over pairs of axes."""
    x = _to_core(a)
    if not isinstance(axes, int):
        axes = tuple([i] if isinstance(i, int) else list(i) for i in axes)
    return _wrap(_core.tensordot(x, _operand(b, x.dtype, "Tensordot", weak=False), axes))


def einsum(equation, *inputs, name=None):
    """Einstein's notation: einsum('bij,bjk->bik', a, b)."""
    return _wrap(_core.einsum(equation, *[_to_core(x) for x in inputs]))


_all_in_graph(globals())
