"""tf.nn: activations, losses without reduction, normalisation and lookups."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from .. import nn as _nn
from . import dtypes
from ._array import gather
from ._tensor import operand, to_core, wrap
from ._trace import all_in_graph as _all_in_graph
from .errors import ConversionError
from .linalg import l2_normalize as l2_normalize
from .math import _axis
from .math import in_top_k as in_top_k
from .math import log_softmax as log_softmax
from .math import sigmoid as sigmoid
from .math import softmax as softmax
from .math import softplus as softplus
from .math import tanh as tanh
from .math import top_k as top_k

if _t.TYPE_CHECKING:
    from collections.abc import Sequence

    from ..typing import DTypeLike
    from ..typing import TensorLike as ArrayLike
    from . import _signatures as _sig
    from ._signatures import Axes, ShapeLike
    from ._tensor import Tensor as _Tensor

    _Window = int | Sequence[int]


def _define(name, f) -> _sig.Activation:
    def op(features: ArrayLike, name: str | None = None) -> _Tensor:
        return wrap(f(to_core(features)))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f.__doc__.split("\n")[-1]
    return op


relu = _define("relu", _nn.relu)
relu6 = _define("relu6", _nn.relu6)
elu = _define("elu", _nn.elu)
selu = _define("selu", _nn.selu)
softsign = _define("softsign", _nn.softsign)


def silu(features: ArrayLike, beta: float = 1.0) -> _Tensor:
    """x sigmoid(beta x)."""
    x = to_core(features)
    return wrap(_nn.silu(x) if beta == 1 else x * _core.sigmoid(x * beta))


swish = silu


def leaky_relu(features: ArrayLike, alpha: float = 0.2, name: str | None = None) -> _Tensor:
    """x above 0, else alpha x."""
    return wrap(_nn.leaky_relu(to_core(features), alpha))


def gelu(features: ArrayLike, approximate: bool = False, name: str | None = None) -> _Tensor:
    """x/2 (1 + erf(x / sqrt 2)), or its approximation by tanh."""
    return wrap(_nn.gelu(to_core(features), approximate))


def bias_add(value: ArrayLike, bias: ArrayLike, data_format: str | None = None, name: str | None = None) -> _Tensor:
    """value + bias along the last axis."""
    x = to_core(value)
    return wrap(x + operand(bias, x.dtype, "BiasAdd", weak=False))


def l2_loss(t: ArrayLike, name: str | None = None) -> _Tensor:
    """sum(t^2) / 2."""
    return wrap(_core.sum(_core.square(to_core(t))) / 2)


def softmax_cross_entropy_with_logits(
    labels: ArrayLike, logits: ArrayLike, axis: int = -1, name: str | None = None
) -> _Tensor:
    """-sum labels log softmax(logits) along axis; the labels are distributions. Gradients to both."""
    x = to_core(logits)
    p = operand(labels, x.dtype, "SoftmaxCrossEntropyWithLogits", weak=False)
    return wrap(-_core.sum(p * _nn.log_softmax(x, axis), axis))


def sparse_softmax_cross_entropy_with_logits(labels: ArrayLike, logits: ArrayLike, name: str | None = None) -> _Tensor:
    """-log softmax(logits)[label] along the last axis; the labels are class indices."""
    x, i = to_core(logits), to_core(labels)
    if i.dtype not in (_core.int32, _core.int64):
        raise ConversionError(
            f"sparse_softmax_cross_entropy_with_logits: labels are {i.dtype.name}, not class indices "
            "of int32 or int64; use tf.cast, or softmax_cross_entropy_with_logits for distributions"
        )
    if i.ndim != x.ndim - 1:
        raise ConversionError(
            f"Rank of labels (received {i.ndim}) should equal rank of logits minus 1 (received "
            f"{x.ndim}): `labels` must have shape {tuple(x.shape)[:-1]}, not {tuple(i.shape)}"
        )
    return wrap(_nn.softmax_cross_entropy(x, i, reduction="none"))


def sigmoid_cross_entropy_with_logits(
    labels: ArrayLike | None = None, logits: ArrayLike | None = None, name: str | None = None
) -> _Tensor:
    """-labels log sigmoid(x) - (1 - labels) log(1 - sigmoid(x)), without overflow."""
    x = to_core(logits)
    z = operand(labels, x.dtype, "SigmoidCrossEntropyWithLogits", weak=False)
    if tuple(z.shape) != tuple(x.shape):
        raise ConversionError(
            f"`logits` and `labels` must have the same shape, received ({tuple(x.shape)} vs {tuple(z.shape)})."
        )
    return wrap(_nn.sigmoid_cross_entropy(x, z, reduction="none"))


def moments(
    x: ArrayLike, axes: Axes, shift: object = None, keepdims: bool = False, name: str | None = None
) -> tuple[_Tensor, _Tensor]:
    """(mean, variance) over axes. The second derivative is right, unlike TensorFlow's."""
    mean, variance = _nn.moments(to_core(x), _axis(axes), keepdims)
    return wrap(mean), wrap(variance)


def batch_normalization(
    x: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    offset: ArrayLike | None,
    scale: ArrayLike | None,
    variance_epsilon: float,
    name: str | None = None,
) -> _Tensor:
    """(x - mean) / sqrt(variance + epsilon) scale + offset; offset and scale may be None."""
    t = to_core(x)

    def like(y):
        return operand(y, t.dtype, "BatchNorm", weak=False)

    inverse = _core.rsqrt(like(variance) + variance_epsilon)
    if scale is not None:
        inverse = inverse * like(scale)
    y = (t - like(mean)) * inverse
    return wrap(y if offset is None else y + like(offset))


def dropout(
    x: ArrayLike, rate: float, noise_shape: ShapeLike | None = None, seed: int | None = None, name: str | None = None
) -> _Tensor:
    """Elements set to 0 with probability rate, the others scaled by 1 / (1 - rate)."""
    from .random import uniform

    t = to_core(x)
    if not 0 <= rate < 1:
        raise ConversionError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    kept = uniform(noise_shape or tuple(t.shape), dtype=dtypes.BY_CORE[t.dtype], seed=seed)._t >= rate
    return wrap(_core.where(kept, t / (1 - rate), _core.zeros_like(t)))


def embedding_lookup(
    params: ArrayLike, ids: ArrayLike, max_norm: float | None = None, name: str | None = None
) -> _Tensor:
    """Rows of a table at integer ids."""
    return gather(params, ids)


def zero_fraction(value: ArrayLike, dtype: DTypeLike = dtypes.float32, name: str | None = None) -> _Tensor:
    """The share of elements that are 0."""
    x = to_core(value)
    return wrap(_core.mean(_core.astype(_core.equal(x, 0), dtypes.core_dtype(dtype))))


def _window(value):
    """An option per axis of a window: n, [n], [h, w] or [1, h, w, 1]."""
    values = [int(v) for v in value] if isinstance(value, (list, tuple)) else [int(value)]
    if len(values) == 4:
        values = values[1:3]
    return values * 2 if len(values) == 1 else values


def _spatial(data_format, padding):
    if data_format not in (None, "NHWC"):
        raise ConversionError(f"data_format must be 'NHWC', not {data_format!r}: transpose first")
    if not isinstance(padding, str):
        raise ConversionError("padding must be 'VALID' or 'SAME'; use tf.pad for explicit paddings")
    return padding.lower()


def conv2d(
    input: ArrayLike,
    filters: ArrayLike,
    strides: _Window,
    padding: str,
    data_format: str | None = "NHWC",
    dilations: _Window | None = None,
    name: str | None = None,
) -> _Tensor:
    """input [b, h, w, c] with filters [h, w, c, outputs], as a cross-correlation."""
    x = to_core(input)
    return wrap(
        _nn.conv2d(
            x,
            operand(filters, x.dtype, "Conv2D", weak=False),
            _window(strides),
            _spatial(data_format, padding),
            _window(dilations or 1),
        )
    )


def depthwise_conv2d(
    input: ArrayLike,
    filter: ArrayLike,
    strides: _Window,
    padding: str,
    data_format: str | None = None,
    dilations: _Window | None = None,
    name: str | None = None,
) -> _Tensor:
    """Every channel by itself: filter [h, w, c, multiplier]."""
    x = to_core(input)
    return wrap(
        _nn.depthwise_conv2d(
            x,
            operand(filter, x.dtype, "DepthwiseConv2dNative", weak=False),
            _window(strides),
            _spatial(data_format, padding),
            _window(dilations or 1),
        )
    )


def max_pool2d(
    input: ArrayLike,
    ksize: _Window,
    strides: _Window,
    padding: str,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> _Tensor:
    """The maximum of every window; the gradient of a tie goes to the first."""
    return wrap(_nn.max_pool2d(to_core(input), _window(ksize), _window(strides), _spatial(data_format, padding)))


def avg_pool2d(
    input: ArrayLike,
    ksize: _Window,
    strides: _Window,
    padding: str,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> _Tensor:
    """The mean of every window."""
    return wrap(_nn.avg_pool2d(to_core(input), _window(ksize), _window(strides), _spatial(data_format, padding)))


max_pool, avg_pool = max_pool2d, avg_pool2d


_all_in_graph(globals())
