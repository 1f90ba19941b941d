"""Losses: classes whose calls return the mean of the batch, and functions that return one value per example."""

from .. import _array
from .. import math as _math
from .. import nn as _nn
from .._tensor import convert_to_tensor


def _pair(y_true, y_pred):
    y_pred = convert_to_tensor(y_pred)
    return convert_to_tensor(y_true, dtype_hint=y_pred.dtype), y_pred


def mean_squared_error(y_true, y_pred):
    """Mean of squares over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _math.reduce_mean(_math.square(y_pred - y_true), axis=-1)


def mean_absolute_error(y_true, y_pred):
    """Mean of distances over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _math.reduce_mean(_math.abs(y_pred - y_true), axis=-1)


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False):
    """-log probability of the class y_true."""
    y_pred = convert_to_tensor(y_pred)
    logits = y_pred if from_logits else _math.log(y_pred)
    labels = convert_to_tensor(y_true)
    if len(labels.shape) == len(logits.shape):
        labels = _array.squeeze(labels, -1)
    return _nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def categorical_crossentropy(y_true, y_pred, from_logits=False):
    """-sum y_true log probability over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    if from_logits:
        return _nn.softmax_cross_entropy_with_logits(y_true, y_pred)
    return -_math.reduce_sum(y_true * _math.log(y_pred), axis=-1)


def binary_crossentropy(y_true, y_pred, from_logits=False):
    """Mean of -y log p - (1 - y) log(1 - p) over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    if from_logits:
        return _math.reduce_mean(_nn.sigmoid_cross_entropy_with_logits(y_true, y_pred), axis=-1)
    return -_math.reduce_mean(y_true * _math.log(y_pred) + (1 - y_true) * _math.log(1 - y_pred), axis=-1)


class Loss:
    """loss(y_true, y_pred, sample_weight): the mean of function's values, their sum, or all of them."""

    function = None

    def __init__(self, reduction="sum_over_batch_size", name=None, **options):
        self.reduction, self.options = reduction, options

    def __call__(self, y_true, y_pred, sample_weight=None):
        values = type(self).function(y_true, y_pred, **self.options)
        if sample_weight is not None:
            values = values * convert_to_tensor(sample_weight, dtype_hint=values.dtype)
        if self.reduction in (None, "none"):
            return values
        return _math.reduce_sum(values) if self.reduction == "sum" else _math.reduce_mean(values)


class MeanSquaredError(Loss):
    function = staticmethod(mean_squared_error)


class MeanAbsoluteError(Loss):
    function = staticmethod(mean_absolute_error)


class SparseCategoricalCrossentropy(Loss):
    function = staticmethod(sparse_categorical_crossentropy)

    def __init__(self, from_logits=False, reduction="sum_over_batch_size", name=None):
        super().__init__(reduction, name, from_logits=from_logits)


class CategoricalCrossentropy(Loss):
    function = staticmethod(categorical_crossentropy)

    def __init__(self, from_logits=False, reduction="sum_over_batch_size", name=None):
        super().__init__(reduction, name, from_logits=from_logits)


class BinaryCrossentropy(Loss):
    function = staticmethod(binary_crossentropy)

    def __init__(self, from_logits=False, reduction="sum_over_batch_size", name=None):
        super().__init__(reduction, name, from_logits=from_logits)


mse, mae = mean_squared_error, mean_absolute_error
