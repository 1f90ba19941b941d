"""tf.compat.v1.losses: means of weighted losses, which the graph's collection "losses" keeps."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _array
from ... import dtypes as _dtypes
from ... import math as _math
from ... import nn as _nn
from ..._convert import convert_to_tensor as _convert
from ..._trace import state as _state
from ...errors import ConversionError as _ConversionError
from ._arguments import renamed as _renamed
from ._table import shared as _shared

if _t.TYPE_CHECKING:
    from typing import Any


class Reduction:
    """How the losses of examples become one number."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key: Any) -> None:
        """ValueError for what is none."""
        if key not in cls.all():
            raise _ConversionError(f"Invalid Reduction Key {key}.")


_MEAN = Reduction.SUM_BY_NONZERO_WEIGHTS


def _check_weights(weights, values):
    """Weights are a scalar, or have the values' rank, and 1 or the same extent at each axis."""
    have, want = weights.shape, values.shape
    if have.rank in (0, None) or want.rank is None:
        return
    fits = len(have) == len(want) and all(a in (1, None) or b is None or a == b for a, b in zip(have, want))
    if not fits:
        text = (
            f"weights can not be broadcast to values. values.rank={len(want)}. weights.rank={len(have)}. values.shape="
            f"{want}. weights.shape={have}."
        )
        raise _ConversionError(text)


def compute_weighted_loss(
    losses: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = "losses", reduction: str = _MEAN
) -> Any:
    """The losses times the weights, reduced: by default their sum divided by the number of weights that are not 0."""
    Reduction.validate(reduction)
    losses = _convert(losses)
    kind = losses.dtype
    losses = _dtypes.cast(losses, _dtypes.float32)
    weights = _dtypes.cast(_convert(weights), _dtypes.float32)
    _check_weights(weights, losses)
    weighted = losses * weights
    if reduction == Reduction.NONE:
        loss = weighted
    else:
        loss = _math.reduce_sum(weighted)
        spread = _array.ones_like(losses) * weights
        if reduction == Reduction.MEAN:
            loss = _over(loss, _math.reduce_sum(spread))
        elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
            present = _dtypes.cast(_math.not_equal(spread, 0.0), _dtypes.float32)
            loss = _over(loss, _math.reduce_sum(present))
        elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
            loss = _over(loss, _dtypes.cast(_array.size(losses), _dtypes.float32))
    loss = _dtypes.cast(loss, kind)
    add_loss(loss, loss_collection)
    return loss


def _over(total, count):
    return _math.divide_no_nan(total, count)


def add_loss(loss: Any, loss_collection: Any = "losses") -> None:
    """Keeps a loss in a collection of the graph."""
    if loss_collection and _state.graph is not None:
        _state.graph.add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: Any = "losses") -> list[Any]:
    """The losses of the graph."""
    return [] if _state.graph is None else _state.graph.get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The losses of regularizers of variables."""
    return get_losses(scope, "regularization_losses")


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Any:
    """Their sum."""
    found = get_regularization_losses(scope)
    return _math.add_n(found, name=name) if found else _convert(0.0)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None) -> Any:
    """The sum of all losses."""
    found = get_losses(scope) + (get_regularization_losses(scope) if add_regularization_losses else [])
    return _math.add_n(found, name=name)


def _pair(labels, predictions):
    if labels is None:
        raise _ConversionError("labels must not be None.")
    if predictions is None:
        raise _ConversionError("predictions must not be None.")
    predictions = _dtypes.cast(_convert(predictions), _dtypes.float32)
    labels = _dtypes.cast(_convert(labels), _dtypes.float32)
    if not predictions.shape.is_compatible_with(labels.shape):
        raise _ConversionError(f"Shapes {predictions.shape} and {labels.shape} are incompatible")
    return labels, predictions


def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = _MEAN,
) -> Any:
    """|predictions - labels|."""
    labels, predictions = _pair(labels, predictions)
    return compute_weighted_loss(_math.abs(predictions - labels), weights, scope, loss_collection, reduction)


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = _MEAN,
) -> Any:
    """(predictions - labels)^2."""
    labels, predictions = _pair(labels, predictions)
    losses = _math.squared_difference(predictions, labels)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: Any = None,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = _MEAN,
    dim: Any = None,
) -> Any:
    """1 - the sum of products over an axis; both are of unit length already."""
    axis = _renamed("axis", axis, "dim", dim)
    if axis is None:
        raise _ConversionError("You must specify 'axis'.")
    labels, predictions = _pair(labels, predictions)
    losses = 1.0 - _math.reduce_sum(predictions * labels, axis=axis, keepdims=True)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = _MEAN,
) -> Any:
    """relu(1 - labels logits), labels of 0 and 1 taken as -1 and 1."""
    labels, logits = _pair(labels, logits)
    signs = labels * 2.0 - 1.0
    return compute_weighted_loss(_nn.relu(1.0 - signs * logits), weights, scope, loss_collection, reduction)


def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = _MEAN,
) -> Any:
    """Half the square of the error up to delta, linear above."""
    labels, predictions = _pair(labels, predictions)
    error = _math.abs(predictions - labels)
    quadratic = _math.minimum(error, _convert(float(delta)))
    losses = quadratic * quadratic * 0.5 + (error - quadratic) * float(delta)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-07,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = _MEAN,
) -> Any:
    """Cross-entropy of probabilities."""
    labels, predictions = _pair(labels, predictions)
    losses = -(labels * _math.log(predictions + epsilon)) - (1.0 - labels) * _math.log(1.0 - predictions + epsilon)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = "losses"
) -> Any:
    """The mean over examples of the squared differences between the errors of all pairs of elements."""
    labels, predictions = _pair(labels, predictions)
    weights = _dtypes.cast(_convert(weights), _dtypes.float32)
    delta = predictions - labels
    axes = list(range(1, len(delta.shape)))
    per_example = _math.reduce_sum(_math.square(delta), axis=axes, keepdims=True)
    weight = weights
    _check_weights(weight, delta)
    spread = _array.ones_like(delta) * weight
    count = _math.reduce_sum(_dtypes.cast(_math.not_equal(spread, 0.0), _dtypes.float32), axis=axes, keepdims=True)
    first = 2.0 * _math.divide_no_nan(per_example, _math.maximum(count - 1.0, 0.0 * count))
    total = _math.reduce_sum(delta, axis=axes, keepdims=True)
    second = 2.0 * _math.divide_no_nan(_math.square(total), count * _math.maximum(count - 1.0, 0.0 * count))
    loss = _math.reduce_sum((first - second) * weight)
    some = _math.reduce_sum(count) > 0.0
    loss = _array.where(some, loss, 0.0 * loss)
    add_loss(loss, loss_collection)
    return loss


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = _MEAN,
) -> Any:
    """Cross-entropy of sigmoid(logits)."""
    logits = _convert(logits)
    labels = _dtypes.cast(_convert(multi_class_labels), logits.dtype)
    if not logits.shape.is_compatible_with(labels.shape):
        raise _ConversionError(f"Shapes {logits.shape} and {labels.shape} are incompatible")
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = _nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = _MEAN,
) -> Any:
    """Cross-entropy of softmax(logits) with a distribution; no gradient flows to it."""
    logits = _convert(logits)
    labels = _dtypes.cast(_convert(onehot_labels), logits.dtype)
    if not logits.shape.is_compatible_with(labels.shape):
        raise _ConversionError(f"Shapes {logits.shape} and {labels.shape} are incompatible")
    if label_smoothing > 0:
        classes = _dtypes.cast(_array.shape(labels)[1], logits.dtype)
        labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
    losses = _nn.softmax_cross_entropy_with_logits(labels=_array.stop_gradient(labels), logits=logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = _MEAN,
) -> Any:
    """Cross-entropy of softmax(logits) with classes; a last axis of one element of the labels goes away."""
    labels, logits, weights = _convert(labels), _convert(logits), _convert(weights)
    ranks = labels.shape.rank, logits.shape.rank
    if None not in ranks and ranks[0] == ranks[1] and labels.shape[-1] == 1:
        labels = _array.squeeze(labels, [-1])
    if None not in ranks and weights.shape.rank not in (0, None) and len(weights.shape) == ranks[1]:
        if weights.shape[-1] == 1:
            weights = _array.squeeze(weights, [-1])
    losses = _nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


__getattr__, __dir__ = _shared("losses", globals())
