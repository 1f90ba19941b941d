"""keras.ops: layers' functions: activations, convolutions, pools, normalizations, losses of elements, attention."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _dtypes, _nn_losses, _nn_pool
from ... import math as _math
from ..._args import axes_or_none as _axes_or_none
from ..._tensor import wrap as _wrap
from ...errors import ConversionError as _ConversionError
from .. import activations as _activations
from .._floatx import epsilon as _epsilon
from .._floatx import floatx as _floatx
from ..activations import celu as celu
from ..activations import elu as elu
from ..activations import glu as glu
from ..activations import hard_shrink as hard_shrink
from ..activations import leaky_relu as leaky_relu
from ..activations import log_softmax as log_softmax
from ..activations import soft_shrink as soft_shrink
from ..activations import softmax as softmax
from ..activations import sparsemax as sparsemax
from ..activations import squareplus as squareplus
from ..activations import threshold as threshold
from ._common import exported as _exported
from ._common import named as _named
from ._common import publish as _publish
from ._common import tensor as _tensor
from ._common import together as _together

if _t.TYPE_CHECKING:
    from typing import Any


def _activation(name):
    f = getattr(_activations, name)

    def op(x: Any) -> Any:
        return f(_wrap(_tensor(x)))

    return _named(op, name, f.__doc__)


for (
    _name
) in """relu relu6 selu silu swish softplus softsign sigmoid hard_sigmoid hard_silu hard_swish hard_tanh tanh_shrink
    sparse_plus sparse_sigmoid log_sigmoid""".split():
    globals()[_name] = _activation({"swish": "silu", "hard_swish": "hard_silu"}.get(_name, _name))
    globals()[_name].__name__ = _name


def gelu(x: Any, approximate: bool = True) -> Any:
    """x times the normal distribution function of x; approximate: by tanh."""
    return _activations.gelu(_wrap(_tensor(x)), approximate)


# --- windows ---


def _spatial(x):
    if not 3 <= x.ndim <= 5:
        raise _ConversionError(f"inputs with 1, 2 or 3 spatial axes are needed, not of shape {tuple(x.shape)}")
    return x.ndim - 2


def _options(data_format):
    return {"data_format": data_format or "channels_last"}


def conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """A convolution of 1, 2 or 3 spatial axes: kernel [*sizes, channels / groups, filters]."""
    x, k = _together(inputs, kernel)
    rank = _spatial(x)
    channels = x.shape[1 if data_format == "channels_first" else -1]
    f = (_core.nn.conv1d, _core.nn.conv2d, _core.nn.conv3d)[rank - 1]
    groups = channels // k.shape[-2]
    return _wrap(f(x, k, strides, padding.lower(), dilation_rate, groups, **_options(data_format)))


def depthwise_conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """Every channel by itself: kernel [*sizes, channels, multiplier]."""
    x, k = _together(inputs, kernel)
    groups = k.shape[-2]
    k = _core.reshape(k, (*k.shape[:-2], 1, groups * k.shape[-1]))
    f = (_core.nn.conv1d, _core.nn.conv2d, _core.nn.conv3d)[_spatial(x) - 1]
    return _wrap(f(x, k, strides, padding.lower(), dilation_rate, groups, **_options(data_format)))


def separable_conv(
    inputs: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """depthwise_conv, then a convolution of channels."""
    x = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(x, pointwise_kernel, 1, "valid", data_format, 1)


def conv_transpose(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    output_padding: Any = None,
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    """The transpose of a convolution: kernel [*sizes, filters, channels]."""
    x, k = _together(inputs, kernel)
    rank, padding = _spatial(x), padding.lower()

    def each(value):
        return (value,) * rank if isinstance(value, int) or value is None else tuple(value)

    steps, apart, more = each(strides), each(dilation_rate), each(output_padding)
    first = 2 if data_format == "channels_first" else 1
    sizes = []
    for i, n in enumerate(tuple(x.shape)[first : first + rank]):
        reach = (k.shape[i] - 1) * apart[i] + 1
        if more[i] is None:
            sizes.append(n * steps[i] + (max(reach - steps[i], 0) if padding == "valid" else 0))
        else:
            sizes.append((n - 1) * steps[i] + reach - (0 if padding == "valid" else 2 * (reach // 2)) + more[i])
    f = (_core.nn.conv1d_transpose, _core.nn.conv2d_transpose, _core.nn.conv3d_transpose)[rank - 1]
    return _wrap(f(x, k, list(steps), padding, list(apart), output_size=sizes, **_options(data_format)))


def _pool(kind, inputs, size, strides, padding, data_format):
    x = _tensor(inputs)
    f = getattr(_core.nn, f"{kind}_pool{_spatial(x)}d")
    return _wrap(f(x, size, strides, padding.lower(), **_options(data_format)))


def max_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Any:
    """The largest in each window of 1, 2 or 3 spatial axes."""
    return _pool("max", inputs, pool_size, strides, padding, data_format)


def average_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Any:
    """The mean of each window of 1, 2 or 3 spatial axes."""
    return _pool("avg", inputs, pool_size, strides, padding, data_format)


def _adaptive(inputs, output_size, data_format, f):
    x = _tensor(inputs)
    rank = _spatial(x)
    sizes = (output_size,) * rank if isinstance(output_size, int) else tuple(output_size)
    first = 2 if data_format == "channels_first" else 1
    for axis, n in enumerate(sizes, first):
        have = x.shape[axis]
        key = [slice(None)] * x.ndim
        parts = []
        for i in range(n):
            key[axis] = slice(i * have // n, -(-(i + 1) * have // n))
            parts.append(f(x[tuple(key)], axis=axis, keepdims=True))
        x = _core.concat(parts, axis=axis)
    return _wrap(x)


def adaptive_average_pool(inputs: Any, output_size: Any, data_format: str | None = None) -> Any:
    """Means of windows that give an output of this size."""
    return _adaptive(inputs, output_size, data_format, _core.mean)


def adaptive_max_pool(inputs: Any, output_size: Any, data_format: str | None = None) -> Any:
    """The largest of windows that give an output of this size."""
    return _adaptive(inputs, output_size, data_format, _core.max)


def _format(data_format):
    return "NCHW" if data_format == "channels_first" else "NHWC"


def depth_to_space(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """Channels as blocks of space."""
    return _nn_pool.depth_to_space(_wrap(_tensor(x)), block_size, _format(data_format))


def space_to_depth(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """Blocks of space as channels."""
    return _nn_pool.space_to_depth(_wrap(_tensor(x)), block_size, _format(data_format))


# --- normalizations ---


def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    """(mean, variance) over axes."""
    if synchronized:
        raise _core.UnimplementedError("moments: there is one replica; leave out synchronized")
    t, places = _tensor(x), _axes_or_none(axes)
    work = _core.astype(t, _core.float32) if t.dtype.itemsize == 2 else t
    out = _core.mean(work, axis=places, keepdims=keepdims), _core.var(work, axis=places, keepdims=keepdims)
    return tuple(_wrap(_core.astype(m, t.dtype)) for m in out)


def batch_normalization(
    x: Any, mean: Any, variance: Any, axis: int, offset: Any = None, scale: Any = None, epsilon: float = 1e-3
) -> Any:
    """(x - mean) / sqrt(variance + epsilon) scale + offset; the others are vectors along an axis."""
    t = _tensor(x)
    shape = [1] * t.ndim
    shape[axis] = t.shape[axis]

    def along(v):
        return None if v is None else _core.reshape(_tensor(v, t.dtype.name), shape)

    factor = _core.rsqrt(along(variance) + epsilon)
    if scale is not None:
        factor = factor * along(scale)
    out = t * factor - along(mean) * factor
    return _wrap(out if offset is None else out + along(offset))


def _stretched(v, t, axes):
    return None if v is None else _core.reshape(
        _tensor(v, t.dtype.name), tuple(n if i in axes else 1 for i, n in enumerate(t.shape))
    )  # fmt: skip


def layer_normalization(
    x: Any, gamma: Any = None, beta: Any = None, axis: Any = -1, epsilon: float | None = None, **kwargs: Any
) -> Any:
    """x with the mean 0 and the variance 1 along axes, times gamma, plus beta."""
    t = _tensor(x)
    axes = tuple(a % t.ndim for a in ((axis,) if isinstance(axis, int) else axis))
    apart = t - _core.mean(t, axis=axes, keepdims=True)
    out = apart * _core.rsqrt(_core.mean(_core.square(apart), axis=axes, keepdims=True) + _small(epsilon))
    out = out if gamma is None else out * _stretched(gamma, t, axes)
    return _wrap(out if beta is None else out + _stretched(beta, t, axes))


def rms_normalization(x: Any, scale: Any = None, axis: Any = -1, epsilon: float | None = None) -> Any:
    """x by the root of the mean of its squares along axes, times scale."""
    t = _tensor(x)
    axes = tuple(a % t.ndim for a in ((axis,) if isinstance(axis, int) else axis))
    out = t * _core.rsqrt(_core.mean(_core.square(t), axis=axes, keepdims=True) + _small(epsilon))
    return _wrap(out if scale is None else out * _tensor(scale, t.dtype.name))


def _small(epsilon):
    return _epsilon() if epsilon is None else epsilon


def normalize(x: Any, axis: Any = -1, order: Any = 2, epsilon: float | None = None) -> Any:
    """x by its norm along an axis, which is taken as at least epsilon."""
    t = _tensor(x)
    if not t.dtype.is_floating:
        t = _core.astype(t, _dtypes.as_dtype(_floatx()).core)
    axes = _axes_or_none(axis)
    if order == 2:
        squares = _core.sum(_core.square(t), axis=axes, keepdims=True)
        return _wrap(t * _core.rsqrt(_core.maximum(squares, _small(epsilon) ** 2)))
    from ... import _norms

    norm = _norms.norm(_wrap(t), ord=order, axis=axis, keepdims=True)._t
    return _wrap(t / _core.maximum(norm, _small(epsilon)))


# --- losses of elements ---


def _same(target, output, op):
    t, y = _tensor(target), _tensor(output)
    if tuple(t.shape) != tuple(y.shape):
        raise _ConversionError(
            f"{op}: Arguments `target` and `output` must have the same shape. Received: target.shape={tuple(t.shape)}, "
            f"output.shape={tuple(y.shape)}"
        )
    return _core.astype(t, y.dtype), y


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """-target ln(output) - (1 - target) ln(1 - output), element by element."""
    t, y = _same(target, output, "binary_crossentropy")
    if from_logits:
        return _nn_losses.sigmoid_cross_entropy_with_logits(_wrap(t), _wrap(y))
    y = _core.clip(y, _epsilon(), 1 - _epsilon())
    return _wrap(-(t * _core.log(y) + (1 - t) * _core.log(1 - y)))


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """-sum of target ln(output) along an axis; of softmax(output) if from_logits."""
    t, y = _same(target, output, "categorical_crossentropy")
    if from_logits:
        return _nn_losses.softmax_cross_entropy_with_logits(_wrap(t), _wrap(y), axis=axis)
    y = y / _core.sum(y, axis=axis, keepdims=True)
    return _wrap(-_core.sum(t * _core.log(_core.clip(y, _epsilon(), 1 - _epsilon())), axis=axis))


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Any:
    """categorical_crossentropy with class numbers as targets."""
    t, y = _tensor(target), _tensor(output)
    if t.ndim == y.ndim and t.shape[-1] == 1:
        t = _core.squeeze(t, -1)
    if axis % y.ndim != y.ndim - 1:
        raise _ConversionError(f"Only axis=-1 is currently supported. Received: axis={axis}")
    t = _core.astype(t, _core.int64)
    if not from_logits:
        y = _core.log(_core.clip(y, _epsilon(), 1 - _epsilon()))
    return _nn_losses.sparse_softmax_cross_entropy_with_logits(_wrap(t), _wrap(y))


def ctc_loss(target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int = 0) -> Any:
    """The CTC loss of each row: target [batch, labels], output [batch, time, classes]."""
    return _nn_losses.ctc_loss(
        _wrap(_tensor(target, "int32")), _wrap(_tensor(output)), _wrap(_tensor(target_length, "int32")),
        _wrap(_tensor(output_length, "int32")), logits_time_major=False, blank_index=mask_index,
    )  # fmt: skip


def psnr(x1: Any, x2: Any, max_val: float) -> Any:
    """The peak signal-to-noise ratio in decibels, of all elements."""
    a, b = _together(x1, x2, kind="float")
    return _math.subtract(
        _wrap(20 * _core.log10(_core.asarray(float(max_val), a.dtype))),
        _wrap(10 * _core.log10(_core.mean((a - b) ** 2))),
    )


def multi_hot(
    inputs: Any, num_classes: int | None = None, axis: int = -1, dtype: Any = None, sparse: bool = False, **kwargs: Any
) -> Any:
    """Lists of class numbers as zeros with ones."""
    if num_classes is None:
        num_classes = kwargs.pop("num_tokens", None)
    if num_classes is None or sparse:
        raise _ConversionError("multi_hot: argument `num_classes` must be given, and there are no sparse tensors")
    t = _tensor(inputs)
    rows = _core.one_hot(t, num_classes, axis=axis, dtype=_dtypes.as_dtype(dtype or _floatx()).core)
    over = 1 if t.ndim > 1 else 0
    return _wrap(_core.max(rows, axis=over))


def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: float | None = None,
    is_causal: bool = False,
    flash_attention: bool | None = None,
    attn_logits_soft_cap: float | None = None,
) -> Any:
    """softmax(query key / sqrt(size) + bias) value: [batch, length, heads, size] each; heads of key may be fewer."""
    if flash_attention:
        raise _core.UnimplementedError("dot_product_attention: there is no flash attention; leave it out")
    q, k, v = _together(query, key, value)
    groups = q.shape[2] // k.shape[2]
    if groups > 1:
        k, v = (_core.repeat(t, groups, axis=2) for t in (k, v))
    scores = _core.einsum("btnh,bsnh->bnts", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if bias is not None:
        scores = scores + _tensor(bias, scores.dtype.name)
    if attn_logits_soft_cap is not None:
        scores = attn_logits_soft_cap * _core.tanh(scores / attn_logits_soft_cap)
    seen = None if mask is None else _tensor(mask, "bool")
    if is_causal:
        below = _core.tril(_core.ones(tuple(scores.shape[-2:]), dtype=_core.int32)) > 0
        seen = below if seen is None else _core.logical_and(seen, below)
    if seen is not None:
        lowest = 0.7 * float(_dtypes.BY_CORE[scores.dtype].min)
        scores = _core.where(seen, scores, _core.full_like(scores, lowest))
    return _wrap(_core.einsum("bnts,bsnh->btnh", _core.nn.softmax(scores, axis=-1), v))


def _two(value):
    return (value, value) if isinstance(value, int) else tuple(value)


def unfold(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The windows of images [batch, channels, height, width] as columns [batch, channels * window, windows]."""
    t = _tensor(x)
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = map(_two, (kernel_size, dilation, padding, stride))
    t = _core.pad(t, [(0, 0), (0, 0), (ph, ph), (pw, pw)])
    rows, columns = (t.shape[2] - dh * (kh - 1) - 1) // sh + 1, (t.shape[3] - dw * (kw - 1) - 1) // sw + 1
    parts = [
        t[:, :, i * dh : i * dh + (rows - 1) * sh + 1 : sh, j * dw : j * dw + (columns - 1) * sw + 1 : sw]
        for i in range(kh)
        for j in range(kw)
    ]
    out = _core.stack(parts, axis=2)
    return _wrap(_core.reshape(out, (t.shape[0], t.shape[1] * kh * kw, rows * columns)))


def fold(x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The sum of windows, the columns that unfold makes, at their places in images of output_size."""
    t = _tensor(x)
    (kh, kw), (dh, dw), (ph, pw), (sh, sw), (h, w) = map(_two, (kernel_size, dilation, padding, stride, output_size))
    channels = t.shape[1] // (kh * kw)
    rows, columns = (h + 2 * ph - dh * (kh - 1) - 1) // sh + 1, (w + 2 * pw - dw * (kw - 1) - 1) // sw + 1
    place = _core.reshape(
        _core.arange(0, (h + 2 * ph) * (w + 2 * pw), 1, dtype=_core.float32), (1, 1, h + 2 * ph, w + 2 * pw)
    )
    where = unfold(_wrap(place), (kh, kw), (dh, dw), 0, (sh, sw))._t
    where = _core.astype(_core.reshape(where, (-1,)), _core.int32)
    parts = _core.reshape(t, (t.shape[0] * channels, kh * kw * rows * columns))
    flat = _core.segment_sum(_core.transpose(parts), where, (h + 2 * ph) * (w + 2 * pw))
    out = _core.reshape(_core.transpose(flat), (t.shape[0], channels, h + 2 * ph, w + 2 * pw))
    return _wrap(out[:, :, ph : ph + h, pw : pw + w])


def polar(abs_: Any, angle: Any) -> Any:
    """Complex numbers of these lengths and angles."""
    r, a = _together(abs_, angle, kind="float")
    return _wrap(_core.complex(r * _core.cos(a), r * _core.sin(a)))


_publish(globals())
__all__ = _exported(globals())
