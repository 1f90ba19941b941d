"""The losses of Keras as functions: one value per example."""

from __future__ import annotations as _annotations

import math as _python_math
import typing as _t
import warnings as _warnings

from .. import _array
from .. import dtypes as _dtypes
from .. import math as _math
from .. import nn as _nn
from .._trace import all_in_graph as _all_in_graph
from ..errors import ConversionError
from ._common import EPSILON as _EPSILON
from ._common import clip as _clip
from ._common import logits as _logits
from ._common import masked as _masked
from ._common import mean as _mean
from ._common import pair as _pair
from ._common import tensor as _tensor

if _t.TYPE_CHECKING:
    from ...typing import TensorLike as ArrayLike
    from .._signatures import Axes
    from .._tensor import Tensor as _Tensor


def mean_squared_error(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """Mean of squares of differences over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _mean(_math.square(y_true - y_pred), -1)


def mean_absolute_error(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """Mean of distances over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _mean(_math.abs(y_true - y_pred), -1)


def mean_absolute_percentage_error(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """100 times the mean of |y_true - y_pred| / max(|y_true|, 1e-7) over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return 100.0 * _mean(_math.abs((y_true - y_pred) / _math.maximum(_math.abs(y_true), _EPSILON)), -1)


def mean_squared_logarithmic_error(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """Mean of squares of differences of log(1 + max(y, 1e-7)) over the last axis, of 16 bits and integers as float32."""
    y_pred = _tensor(y_pred)
    if y_pred.dtype.name not in ("float32", "float64"):
        y_pred = _tensor(y_pred, _dtypes.float32)
    y_true, y_pred = _pair(y_true, y_pred)
    first, second = (_math.log(_math.maximum(y, _EPSILON) + 1.0) for y in (y_pred, y_true))
    return _mean(_math.square(first - second), -1)


def cosine_similarity(y_true: ArrayLike, y_pred: ArrayLike, axis: int = -1) -> _Tensor:
    """-cos of the angle between y_true and y_pred along an axis: -1 for the same direction."""
    y_true, y_pred = (unit(y, axis) for y in _pair(y_true, y_pred))
    return -_math.reduce_sum(y_true * y_pred, axis)


def unit(x: _Tensor, axis: int = -1) -> _Tensor:
    """x by its length along an axis, which is taken as at least 1e-7."""
    return x * _math.rsqrt(_math.maximum(_math.reduce_sum(_math.square(x), axis, True), _EPSILON**2))


def huber(y_true: ArrayLike, y_pred: ArrayLike, delta: float = 1.0) -> _Tensor:
    """Mean of e^2 / 2 where |e| <= delta and delta |e| - delta^2 / 2 elsewhere, e = y_pred - y_true."""
    y_true, y_pred = _pair(y_true, y_pred)
    error = y_pred - y_true
    distance = _math.abs(error)
    inside = 0.5 * _math.square(error)
    delta = _tensor(delta, error.dtype)
    return _mean(_array.where(distance <= delta, inside, delta * distance - 0.5 * _math.square(delta)), -1)


def log_cosh(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """Mean of log cosh(y_pred - y_true) over the last axis, without overflow."""
    y_true, y_pred = _pair(y_true, y_pred)
    error = y_pred - y_true
    return _mean(error + _math.softplus(error * -2.0) - _python_math.log(2.0), -1)


def kl_divergence(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """Sum of y_true log(y_true / y_pred) over the last axis, both within [1e-7, 1]."""
    y_true, y_pred = (_math.clip_by_value(y, _EPSILON, 1.0) for y in _pair(y_true, y_pred, same=False))
    return _math.reduce_sum(y_true * _math.log(y_true / y_pred), -1)


def poisson(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """Mean of y_pred - y_true log(y_pred + 1e-7) over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    return _mean(y_pred - y_true * _math.log(y_pred + _EPSILON), -1)


def _signs(y_true):
    """Labels 0 and 1 as -1 and 1, if there are no others."""
    binary = _math.reduce_all(_math.logical_or(_math.equal(y_true, 0), _math.equal(y_true, 1)))
    return _array.where(binary, 2.0 * y_true - 1.0, y_true)


def hinge(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """Mean of max(1 - y_true y_pred, 0) over the last axis; labels are -1 and 1, or 0 and 1."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    return _mean(_math.maximum(1.0 - _signs(y_true) * y_pred, 0.0), -1)


def squared_hinge(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """Mean of max(1 - y_true y_pred, 0)^2 over the last axis; labels are -1 and 1, or 0 and 1."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    return _mean(_math.square(_math.maximum(1.0 - _signs(y_true) * y_pred, 0.0)), -1)


def categorical_hinge(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """max(1 + max((1 - y_true) y_pred) - sum y_true y_pred, 0) along the last axis; labels are one-hot."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    right = _math.reduce_sum(y_true * y_pred, -1)
    wrong = _math.reduce_max((1.0 - y_true) * y_pred, -1)
    return _math.maximum(wrong - right + 1.0, 0.0)


# --- cross-entropies ---


def _check_same_shape(what, y_true, y_pred):
    if not y_true.shape:
        raise ConversionError(
            f"{what}: y_true and y_pred need at least one axis; shapes {y_true.shape}, {y_pred.shape}"
        )
    if not y_true.shape.is_compatible_with(y_pred.shape):
        raise ConversionError(
            f"{what}: y_true and y_pred must have the same shape, received {y_true.shape} and {y_pred.shape}"
        )


def _check_classes(what, y_pred, axis):
    if isinstance(axis, bool):
        raise ConversionError(f"{what}: `axis` must be of type `int`. Received: axis={axis}")
    if y_pred.shape and y_pred.shape[-1] == 1:
        _warnings.warn(
            f"In loss {what}, expected y_pred.shape to be (batch_size, num_classes) with num_classes > 1. Received: "
            f"y_pred.shape={y_pred.shape}. Consider using 'binary_crossentropy' if you only have 2 classes.",
            SyntaxWarning,
            stacklevel=3,
        )


def _smoothed(y_true, smoothing, classes):
    """Labels mixed with the same probability for every class."""
    return y_true * (1.0 - smoothing) + smoothing / classes if smoothing else y_true


def _known_logits(what, y_pred, from_logits, op):
    """Logits of y_pred if they are known, of an activation or, in a trace, of the op; whether they are."""
    known, made_by = _logits.get(y_pred) or (None, op)
    if known is None or made_by not in (None, op):
        return y_pred, from_logits
    if from_logits:
        _warnings.warn(
            f"`{what}` received `from_logits=True`, but y_pred was produced by a softmax or sigmoid activation and "
            "thus does not represent logits: its logits are taken.",
            stacklevel=3,
        )
    return known, True


def categorical_crossentropy(
    y_true: ArrayLike, y_pred: ArrayLike, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> _Tensor:
    """-sum y_true log p along an axis. Probabilities are scaled to the sum 1 and kept within [1e-7, 1 - 1e-7]."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    _check_classes("categorical_crossentropy", y_pred, axis)
    y_true = _smoothed(y_true, label_smoothing, y_true.shape[-1] if y_true.shape else 1)
    _check_same_shape("categorical_crossentropy", y_true, y_pred)
    y_pred, from_logits = _known_logits("categorical_crossentropy", y_pred, from_logits, "Softmax")
    if from_logits:
        return _nn.softmax_cross_entropy_with_logits(y_true, y_pred, axis)
    p = _clip(y_pred / _math.reduce_sum(y_pred, axis, True))
    return -_math.reduce_sum(y_true * _math.log(p), axis)


def categorical_focal_crossentropy(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    alpha: ArrayLike = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> _Tensor:
    """-sum alpha (1 - p)^gamma y_true log p along an axis; alpha is a number or one for each class."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    _check_classes("categorical_focal_crossentropy", y_pred, axis)
    y_true = _smoothed(y_true, label_smoothing, y_true.shape[-1])
    if from_logits:
        y_pred = _math.softmax(y_pred, axis)
    p = _clip(y_pred / _math.reduce_sum(y_pred, axis, True))
    weight = _math.pow(1.0 - p, gamma) * _tensor(alpha, p.dtype)
    return _math.reduce_sum(weight * (-y_true * _math.log(p)), axis)


def sparse_categorical_crossentropy(
    y_true: ArrayLike, y_pred: ArrayLike, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> _Tensor:
    """-log p of the class y_true; 0 where it is ignore_class. Probabilities are kept within [1e-7, 1 - 1e-7]."""
    y_pred, y_true = _tensor(y_pred), _tensor(y_true)
    if axis not in (-1, len(y_pred.shape) - 1):
        raise ConversionError(
            f"sparse_categorical_crossentropy: only the last axis is supported. Received: axis={axis}"
        )
    if not y_pred.shape:
        raise ConversionError("sparse_categorical_crossentropy: y_pred must have at least one axis, it is a scalar")
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1:
        y_true = _array.squeeze(y_true, -1)
    _check_labels(y_true, y_pred)
    valid = None
    y_pred, from_logits = _known_logits("sparse_categorical_crossentropy", y_pred, from_logits, "Softmax")
    if ignore_class is not None:
        valid = _math.not_equal(y_true, _tensor(ignore_class, y_true.dtype))
        y_true = _array.where(valid, y_true, _array.zeros_like(y_true))
        y_pred = _array.where(_array.expand_dims(valid, -1), y_pred, _array.zeros_like(y_pred))
    x = y_pred if from_logits else _math.log(_clip(y_pred))
    values = _nn.sparse_softmax_cross_entropy_with_logits(_tensor(y_true, _dtypes.int64), x)
    if valid is None:
        return values
    return _masked(_array.where(valid, values, _array.zeros_like(values)), valid)


def _check_labels(y_true, y_pred):
    if len(y_true.shape) != len(y_pred.shape) - 1 or not y_true.shape.is_compatible_with(y_pred.shape[:-1]):
        raise ConversionError(
            f"sparse_categorical_crossentropy: y_true of shape {y_true.shape} does not fit y_pred of shape "
            f"{y_pred.shape}: it needs the shape {y_pred.shape[:-1]}, a class for each row of y_pred"
        )


def _binary(what, y_true, y_pred, from_logits):
    """-y log p - (1 - y) log(1 - p), elementwise."""
    _check_same_shape(what, y_true, y_pred) if y_pred.shape or y_true.shape else None
    y_pred, from_logits = _known_logits(what, y_pred, from_logits, "Sigmoid")
    if from_logits:
        return _nn.sigmoid_cross_entropy_with_logits(y_true, y_pred)
    p = _clip(y_pred)
    return -(y_true * _math.log(p) + (1 - y_true) * _math.log(1 - p))


def binary_crossentropy(
    y_true: ArrayLike, y_pred: ArrayLike, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> _Tensor:
    """Mean of -y log p - (1 - y) log(1 - p) over an axis. Probabilities are kept within [1e-7, 1 - 1e-7]."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    y_true = _smoothed(y_true, label_smoothing, 2)
    return _mean(_binary("binary_crossentropy", y_true, y_pred, from_logits), axis)


def binary_focal_crossentropy(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> _Tensor:
    """binary_crossentropy weighted by (1 - probability of the label)^gamma, and by alpha for the label 1 (1 - alpha for
    0) if apply_class_balancing."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    y_true = _smoothed(y_true, label_smoothing, 2)
    if from_logits:
        y_pred = _math.sigmoid(y_pred)
    values = _binary("binary_focal_crossentropy", y_true, y_pred, False)
    of_label = y_true * y_pred + (1 - y_true) * (1 - y_pred)
    values = _math.pow(1.0 - of_label, gamma) * values
    if apply_class_balancing:
        values = (y_true * alpha + (1 - y_true) * (1 - alpha)) * values
    return _mean(values, axis)


def categorical_generalized_cross_entropy(y_true: ArrayLike, y_pred: ArrayLike, q: float) -> _Tensor:
    """(1 - p^q) / q for the probability p of the class y_true."""
    y_pred = _tensor(y_pred)
    hot = _array.one_hot(_tensor(y_true, _dtypes.int32), y_pred.shape[-1], dtype=y_pred.dtype)
    return (1 - _math.pow(_math.reduce_sum(y_pred * hot, -1), q)) / q


# --- overlaps, and pairs of embeddings ---


def dice(y_true: ArrayLike, y_pred: ArrayLike, axis: Axes | None = None) -> _Tensor:
    """1 - 2 sum y_true y_pred / (sum y_true + sum y_pred + 1e-7), sums over all axes unless given."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    common = _math.reduce_sum(y_true * y_pred, axis)
    return 1 - 2.0 * common / (_math.reduce_sum(y_true, axis) + _math.reduce_sum(y_pred, axis) + _EPSILON)


def tversky(
    y_true: ArrayLike, y_pred: ArrayLike, alpha: float = 0.5, beta: float = 0.5, axis: Axes | None = None
) -> _Tensor:
    """1 - common / (common + alpha (in y_true only) + beta (in y_pred only) + 1e-7), sums over all axes unless given."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    common = _math.reduce_sum(y_true * y_pred, axis)
    missed = _math.reduce_sum((1 - y_pred) * y_true, axis)
    extra = _math.reduce_sum(y_pred * (1 - y_true), axis)
    return 1 - common / (common + missed * alpha + extra * beta + _EPSILON)


def circle(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    ref_labels: ArrayLike | None = None,
    ref_embeddings: ArrayLike | None = None,
    remove_diagonal: bool = True,
    gamma: float = 80,
    margin: float = 0.4,
) -> _Tensor:
    """Circle loss of embeddings of length 1: similar ones (of one label) are pulled together, others pushed apart."""
    y_pred, y_true = _tensor(y_pred), _tensor(y_true, _dtypes.int32)
    labels = y_true if ref_labels is None else _tensor(ref_labels, _dtypes.int32)
    others = y_pred if ref_embeddings is None else _tensor(ref_embeddings, y_pred.dtype)
    distance = _math.maximum(1 - _math.matmul(y_pred, others, transpose_b=True), 0.0)
    similar, different = _pairs(y_true, labels, remove_diagonal)
    near = -gamma * (margin + distance) * (margin - distance)
    far = gamma * _math.maximum(1 + margin - distance, 0.0) * (1 - margin - distance)
    values = _math.softplus(_sum_exp(near, similar) + _sum_exp(far, different))
    return _masked(values, values > 0)


def _pairs(y_true, labels, remove_diagonal):
    """Which pairs have one label, and which have two."""
    column = _array.reshape(y_true, (-1, 1))
    same = _math.equal(column, _array.reshape(labels, (1, -1)))
    similar = same
    if remove_diagonal:
        rows, columns = same.shape
        similar = _math.logical_and(same, _math.logical_not(_dtypes.cast(_array.eye(rows, columns), _dtypes.bool)))
    return similar, _math.logical_not(same)


def _sum_exp(x, chosen):
    """log sum e^x of the chosen elements of each row."""
    return _math.reduce_logsumexp(_array.where(chosen, x, _tensor(float("-inf"), x.dtype)), 1)


KLD = kld = kullback_leibler_divergence = kl_divergence
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSE = mse = mean_squared_error
MSLE = msle = mean_squared_logarithmic_error
logcosh = log_cosh

_all_in_graph(globals(), "unit")
