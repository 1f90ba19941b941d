"""tf.compat.v1.nn."""

from __future__ import annotations

import typing as _t

from ... import _array
from ... import dtypes as _dtypes
from ... import math as _math
from ... import nn as _nn
from ..._convert import convert_to_tensor as _convert
from ...errors import ConversionError as _ConversionError
from ._arguments import flag as _flag
from ._arguments import renamed as _renamed
from ._functions import batch_to_space as batch_to_space
from ._functions import depth_to_space as depth_to_space
from ._functions import space_to_batch as space_to_batch
from ._functions import space_to_depth as space_to_depth
from ._table import shared as _shared

if _t.TYPE_CHECKING:
    from typing import Any


def _ensured(function, named):
    """TypeError for arguments that must be given by name and are not."""
    for name, value in named.items():
        if value is None:
            raise _ConversionError(f"{function}: both labels and logits must be provided; {name} is missing")


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Softmax of an axis, the last one unless given; dim is axis's old name."""
    axis = _renamed("axis", axis, "dim", dim)
    return _nn.softmax(logits, -1 if axis is None else axis, name=name)


def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """The logarithm of softmax; dim is axis's old name."""
    axis = _renamed("axis", axis, "dim", dim)
    return _nn.log_softmax(logits, -1 if axis is None else axis, name=name)


def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: Any = -1, name: str | None = None, axis: Any = None
) -> Any:
    """Cross-entropy of each row; no gradient flows to the labels."""
    _ensured("softmax_cross_entropy_with_logits", {"labels": labels, "logits": logits})
    axis = dim if axis is None else axis
    return _nn.softmax_cross_entropy_with_logits(_array.stop_gradient(labels), logits, axis=axis, name=name)


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Any:
    """Cross-entropy of each row; gradients flow to the labels too."""
    axis = _renamed("axis", axis, "dim", dim)
    return _nn.softmax_cross_entropy_with_logits(labels, logits, axis=-1 if axis is None else axis, name=name)


def sparse_softmax_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Any:
    """Cross-entropy of each row with the index of its class."""
    _ensured("sparse_softmax_cross_entropy_with_logits", {"labels": labels, "logits": logits})
    return _nn.sparse_softmax_cross_entropy_with_logits(labels, logits, name=name)


def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: str | None = None, targets: Any = None
) -> Any:
    """Sigmoid cross-entropy, positive labels weighted; targets is labels' old name."""
    labels = _renamed("labels", labels, "targets", targets)
    return _nn.weighted_cross_entropy_with_logits(labels, logits, pos_weight, name=name)


def dropout(
    x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: Any = None, name: str | None = None, rate: Any = None
) -> Any:
    """Zeros with probability rate, the rest larger; keep_prob, the old argument, is 1 - rate."""
    if keep_prob is not None and rate is not None:
        raise _ConversionError("Cannot specify both 'rate' and 'keep_prob'.")
    if keep_prob is not None:
        if isinstance(keep_prob, (int, float)) and not 0 < keep_prob <= 1:
            raise _ConversionError(
                f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={1 - keep_prob}"
            )
        rate = 1 - keep_prob
    if rate is None:
        raise _ConversionError("`rate` must be provided. Received: rate=None")
    return _nn.dropout(x, rate, noise_shape=noise_shape, seed=seed)


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Mean and variance over axes; shift does nothing."""
    return _nn.moments(x, axes, keepdims=_flag(keepdims, keep_dims))


def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Weighted mean and variance over axes."""
    return _nn.weighted_moments(x, axes, frequency_weights, keepdims=_flag(keepdims, keep_dims))


def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Count, sum, sum of squares and shift."""
    return _nn.sufficient_statistics(x, axes, shift=shift, keepdims=_flag(keepdims, keep_dims))


def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Any:
    """Convolution of images; filter is the old name of filters."""
    filters = _renamed("filters", filters, "filter", filter)
    if padding is None:
        raise _ConversionError(
            "Value for attr 'padding' of None is not in the list of allowed values: SAME, VALID, EXPLICIT"
        )
    return _nn.conv2d(input, filters, strides, padding, data_format=data_format, dilations=list(dilations), name=name)


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Any:
    """Convolution of sequences; value is input's old name."""
    value = _renamed("input", input, "value", value)
    return _nn.conv1d(value, filters, stride, padding, data_format=data_format or "NWC", dilations=dilations, name=name)


def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Any:
    """Convolution of volumes; filter is the old name of filters."""
    filters = _renamed("filters", filters, "filter", filter)
    return _nn.conv3d(input, filters, strides, padding, data_format=data_format, dilations=list(dilations), name=name)


def convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """Convolution of one to three axes of space."""
    filters = _renamed("filters", filters, "filter", filter)
    dilations = _renamed("dilations", dilations, "dilation_rate", dilation_rate)
    return _nn.convolution(input, filters, strides, padding, data_format, dilations, name=name)


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: str = "SAME",
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """The transpose of conv2d: its gradient for the images."""
    value, filters = _renamed("input", input, "value", value), _renamed("filters", filters, "filter", filter)
    return _nn.conv2d_transpose(value, filters, output_shape, strides, padding, data_format, dilations, name=name)


def conv3d_transpose(
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """The transpose of conv3d."""
    value, filters = _renamed("input", input, "value", value), _renamed("filters", filters, "filter", filter)
    return _nn.conv3d_transpose(value, filters, output_shape, strides, padding, data_format, dilations, name=name)


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Any:
    """A convolution for each channel; rate is the old name of dilations."""
    dilations = _renamed("dilations", dilations, "rate", rate)
    return _nn.depthwise_conv2d(input, filter, strides, padding, data_format, dilations, name=name)


def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """depthwise_conv2d with four dilations."""
    spatial = list(dilations)[1:3] if data_format == "NHWC" else list(dilations)[2:]
    return _nn.depthwise_conv2d(input, filter, strides, padding, data_format, spatial, name=name)


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Any:
    """A convolution for each channel, then one of 1 x 1."""
    dilations = _renamed("dilations", dilations, "rate", rate)
    return _nn.separable_conv2d(
        input, depthwise_filter, pointwise_filter, strides, padding, data_format, dilations, name=name
    )


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Any:
    """The largest of each window of images."""
    value = _renamed("input", input, "value", value)
    return _nn.max_pool2d(value, ksize, strides, padding, data_format, name=name)


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Any:
    """The mean of each window of images."""
    value = _renamed("input", input, "value", value)
    return _nn.avg_pool2d(value, ksize, strides, padding, data_format, name=name)


avg_pool2d = avg_pool


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    padding: Any,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Any:
    """Pooling of one to three axes of space."""
    dilations = _renamed("dilations", dilations, "dilation_rate", dilation_rate)
    return _nn.pool(input, window_shape, pooling_type, strides, padding, data_format, dilations, name=name)


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> Any:
    """The largest of each window and where it is."""
    kind = _renamed("output_dtype", output_dtype, "Targmax", Targmax)
    kind = _dtypes.int64 if kind is None else kind
    return _nn.max_pool_with_argmax(
        input, ksize, strides, padding, data_format, kind, include_batch_in_index, name=name
    )


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Any:
    """relu of the features and of their negatives, side by side."""
    return _nn.crelu(features, axis=axis)


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Any:
    """Whether each target is among the k largest predictions."""
    return _nn.in_top_k(targets, predictions, k)


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Any:
    """Rows of a table, or of the parts of one, which are dealt out by partition_strategy ("mod" or "div")."""
    if params is None or (isinstance(params, (list, tuple)) and not params):
        raise _ConversionError("params must be specified")
    parts = list(params) if isinstance(params, (list, tuple)) else [params]
    if len(parts) > 1:
        parts = [_assembled(parts, partition_strategy)]
    return _nn.embedding_lookup(parts[0], ids, max_norm=max_norm)


def _assembled(parts, strategy):
    """The table that parts are of: row i is in part i % n (mod), or parts follow one another (div)."""
    if strategy == "div":
        return _array.concat([_convert(p) for p in parts], 0)
    if strategy != "mod":
        raise _ConversionError(f"Unrecognized partition strategy: {strategy}")
    parts = [_convert(p) for p in parts]
    counts = [p.shape[0] for p in parts]
    starts = [sum(counts[:i]) for i in range(len(counts))]
    order = [starts[i % len(parts)] + i // len(parts) for i in range(sum(counts))]
    return _array.gather(_array.concat(parts, 0), order)


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> Any:
    """(normalised, mean, variance): by the batch's own statistics in training, else by the given ones.

    In training the variance that is returned is the unbiased one, mixed with the given one by exponential_avg_factor. Only
    the first result has a gradient.
    """
    if data_format not in ("NHWC", "NCHW"):
        raise _ConversionError(f"fused_batch_norm: data_format must be NHWC or NCHW, not {data_format!r}")
    x = _convert(x)
    if data_format == "NCHW":
        x = _array.transpose(x, [0, 2, 3, 1])
    scale, offset = _convert(scale, _dtypes.float32), _convert(offset, _dtypes.float32)
    epsilon = max(epsilon, 1.001e-5)
    wide = _dtypes.cast(x, _dtypes.float32)
    if is_training:
        found, spread = _nn.moments(wide, [0, 1, 2])
        count = _dtypes.cast(_array.size(x), _dtypes.float32) / _dtypes.cast(_array.shape(x)[3], _dtypes.float32)
        unbiased = spread * (count / _math.maximum(count - 1.0, 1.0))
        y = _nn.batch_normalization(wide, found, spread, offset, scale, epsilon)
        new, f = (found, unbiased), exponential_avg_factor
        if f != 1.0:
            new = tuple(_convert(old) * (1.0 - f) + x * f for old, x in zip((mean, variance), new))
    else:
        new = _convert(mean), _convert(variance)
        y = _nn.batch_normalization(wide, *[_array.stop_gradient(x) for x in new], offset, scale, epsilon)
    y = _dtypes.cast(y, x.dtype)
    if data_format == "NCHW":
        y = _array.transpose(y, [0, 3, 1, 2])
    return (y, *[_array.stop_gradient(x) for x in new])


def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: str | None = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Any:
    """batch_normalization with old names of its arguments."""
    t, m, v = _renamed("input", input, "t", t), _renamed("mean", mean, "m", m), _renamed("variance", variance, "v", v)
    gamma = gamma if scale_after_normalization else None
    return _nn.batch_normalization(t, m, v, beta, gamma, variance_epsilon)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """x @ weights + biases."""
    return _nn.bias_add(_math.matmul(x, weights), biases, name=name)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """relu(x @ weights + biases)."""
    return _nn.relu(xw_plus_b(x, weights, biases), name=name)


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Any:
    """The gradient of conv2d for its images."""
    filters = _renamed("filters", filters, "filter", filter)
    return _nn.conv2d_transpose(
        out_backprop, filters, input_sizes, strides, padding, data_format, list(dilations), name=name
    )


def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Any:
    """Greyscale dilation of images; filter and rates are old names of filters and dilations."""
    filters, rates = _renamed("filters", filters, "filter", filter), _renamed("dilations", dilations, "rates", rates)
    return _nn.dilation2d(input, filters, strides, padding, "NHWC", rates, name=name)


def erosion2d(value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Any:
    """Greyscale erosion of images."""
    return _nn.erosion2d(value, kernel, strides, padding, "NHWC", rates, name=name)


def ctc_loss(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Any:
    """Not here: its labels are sparse tensors. ctc_loss_v2 takes dense ones."""
    raise _ConversionError(
        "tf.compat.v1.nn.ctc_loss takes sparse labels, which are not here: use tf.compat.v1.nn.ctc_loss_v2"
    )


__getattr__, __dir__ = _shared("nn", globals())
