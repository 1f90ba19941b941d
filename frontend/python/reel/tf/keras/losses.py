"""Losses: classes whose calls return the mean of the batch, and functions that return one value per example."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _array
from .. import math as _math
from .. import nn as _nn
from .._tensor import convert_to_tensor

if _t.TYPE_CHECKING:
    from typing import Any

    from ...typing import TensorLike as ArrayLike
    from .._tensor import Tensor as _Tensor


def _pair(y_true, y_pred):
    y_pred = convert_to_tensor(y_pred)
    return convert_to_tensor(y_true, dtype_hint=y_pred.dtype), y_pred


def mean_squared_error(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """Mean of squares over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _math.reduce_mean(_math.square(y_pred - y_true), axis=-1)


def mean_absolute_error(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """Mean of distances over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    return _math.reduce_mean(_math.abs(y_pred - y_true), axis=-1)


def sparse_categorical_crossentropy(y_true: ArrayLike, y_pred: ArrayLike, from_logits: bool = False) -> _Tensor:
    """-log probability of the class y_true."""
    y_pred = convert_to_tensor(y_pred)
    logits = y_pred if from_logits else _math.log(y_pred)
    labels = convert_to_tensor(y_true)
    if len(labels.shape) == len(logits.shape):
        labels = _array.squeeze(labels, -1)
    return _nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def categorical_crossentropy(y_true: ArrayLike, y_pred: ArrayLike, from_logits: bool = False) -> _Tensor:
    """-sum y_true log probability over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    if from_logits:
        return _nn.softmax_cross_entropy_with_logits(y_true, y_pred)
    return -_math.reduce_sum(y_true * _math.log(y_pred), axis=-1)


def binary_crossentropy(y_true: ArrayLike, y_pred: ArrayLike, from_logits: bool = False) -> _Tensor:
    """Mean of -y log p - (1 - y) log(1 - p) over the last axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    if from_logits:
        return _math.reduce_mean(_nn.sigmoid_cross_entropy_with_logits(y_true, y_pred), axis=-1)
    return -_math.reduce_mean(y_true * _math.log(y_pred) + (1 - y_true) * _math.log(1 - y_pred), axis=-1)


class Loss:
    """loss(y_true, y_pred, sample_weight): the mean of function's values, their sum, or all of them."""

    function: Any = None

    def __init__(self, reduction: str | None = "sum_over_batch_size", name: str | None = None, **options: Any) -> None:
        self.reduction, self.options = reduction, options

    def __call__(self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None) -> _Tensor:
        values = type(self).function(y_true, y_pred, **self.options)
        if sample_weight is not None:
            values = values * convert_to_tensor(sample_weight, dtype_hint=values.dtype)
        if self.reduction in (None, "none"):
            return values
        return _math.reduce_sum(values) if self.reduction == "sum" else _math.reduce_mean(values)


class MeanSquaredError(Loss):
    """Of mean_squared_error."""

    function = staticmethod(mean_squared_error)


class MeanAbsoluteError(Loss):
    """Of mean_absolute_error."""

    function = staticmethod(mean_absolute_error)


class SparseCategoricalCrossentropy(Loss):
    """Of sparse_categorical_crossentropy."""

    function = staticmethod(sparse_categorical_crossentropy)

    def __init__(
        self, from_logits: bool = False, reduction: str = "sum_over_batch_size", name: str | None = None
    ) -> None:
        super().__init__(reduction, name, from_logits=from_logits)


class CategoricalCrossentropy(Loss):
    """Of categorical_crossentropy."""

    function = staticmethod(categorical_crossentropy)

    def __init__(
        self, from_logits: bool = False, reduction: str = "sum_over_batch_size", name: str | None = None
    ) -> None:
        super().__init__(reduction, name, from_logits=from_logits)


class BinaryCrossentropy(Loss):
    """Of binary_crossentropy."""

    function = staticmethod(binary_crossentropy)

    def __init__(
        self, from_logits: bool = False, reduction: str = "sum_over_batch_size", name: str | None = None
    ) -> None:
        super().__init__(reduction, name, from_logits=from_logits)


mse, mae = mean_squared_error, mean_absolute_error
