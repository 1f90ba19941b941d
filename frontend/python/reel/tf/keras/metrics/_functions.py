"""Accuracies and correlations: one value for each example."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _array
from ... import dtypes as _dtypes
from ... import math as _math
from ..._trace import all_in_graph as _all_in_graph
from .. import _loss_functions as _losses
from .._common import EPSILON as _EPSILON
from .._common import mean as _mean
from .._common import pair as _pair
from .._common import same_rank as _same_rank
from .._common import tensor as _tensor

if _t.TYPE_CHECKING:
    from ....typing import TensorLike as ArrayLike
    from ..._tensor import Tensor as _Tensor


def _matches(a, b):
    return _dtypes.cast(_math.equal(a, b), _dtypes.float32)


def accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """1 where y_pred equals y_true, else 0."""
    return _matches(*_pair(y_true, y_pred))


def binary_accuracy(y_true: ArrayLike, y_pred: ArrayLike, threshold: float = 0.5) -> _Tensor:
    """1 where whether y_pred is above the threshold equals y_true, else 0."""
    y_true, y_pred = _same_rank(_tensor(y_true), _tensor(y_pred))
    return _matches(y_true, _dtypes.cast(y_pred > _tensor(threshold, y_pred.dtype), y_true.dtype))


def categorical_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """1 where the largest of y_true and of y_pred along the last axis are at one place, else 0."""
    return _matches(_math.argmax(_tensor(y_true), -1), _math.argmax(_tensor(y_pred), -1))


def sparse_categorical_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> _Tensor:
    """1 where the largest of y_pred along the last axis is at y_true, else 0."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1:
        y_true = _array.squeeze(y_true, -1)
    matches = _matches(y_true, _dtypes.cast(_math.argmax(y_pred, -1), y_true.dtype))
    if len(matches.shape) > 1 and matches.shape[-1] == 1:
        matches = _array.squeeze(matches, -1)
    return matches


def _in_top_k(y_true, y_pred, k):
    """For class indices of any shape: whether fewer than k classes are above theirs. Never where that is not finite."""
    if len(y_pred.shape) > 2:
        y_pred = _array.reshape(y_pred, (-1, y_pred.shape[-1]))
    found = _math.in_top_k(_array.reshape(y_true, (-1,)), y_pred, k)
    return _array.reshape(_dtypes.cast(found, _dtypes.float32), y_true.shape)


def top_k_categorical_accuracy(y_true: ArrayLike, y_pred: ArrayLike, k: int = 5) -> _Tensor:
    """1 where the largest of y_true is among the k largest of y_pred along the last axis, else 0."""
    y_true, y_pred = _pair(y_true, y_pred, same=False)
    return _in_top_k(_dtypes.cast(_math.argmax(y_true, -1), _dtypes.int32), y_pred, k)


def sparse_top_k_categorical_accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, k: int = 5, from_sorted_ids: bool = False
) -> _Tensor:
    """1 where y_true is among the k largest of y_pred along the last axis, else 0; from_sorted_ids: among its first k."""
    y_pred = _tensor(y_pred)
    y_true = _tensor(y_true, y_pred.dtype if from_sorted_ids else _dtypes.int32)
    if not from_sorted_ids:
        return _in_top_k(y_true, y_pred, k)
    flat = _array.reshape(y_true, (-1, 1))
    found = _math.reduce_any(_math.equal(flat, _array.reshape(y_pred, (-1, y_pred.shape[-1]))[:, :k]), 1)
    return _array.reshape(_dtypes.cast(found, _dtypes.float32), y_true.shape)


def pearson_correlation(y_true: ArrayLike, y_pred: ArrayLike, axis: int = -1) -> _Tensor:
    """The correlation of y_true and y_pred along an axis."""

    def standard(x):
        x = x - _mean(x, axis, True)
        return x / _math.reduce_std(x, axis, True)

    y_true, y_pred = _pair(y_true, y_pred)
    return _mean(standard(y_true) * standard(y_pred), axis)


def concordance_correlation(y_true: ArrayLike, y_pred: ArrayLike, axis: int = -1) -> _Tensor:
    """2 covariance / (sum of variances + (difference of means)^2 + 1e-7) along an axis."""
    y_true, y_pred = _pair(y_true, y_pred)
    true_mean, pred_mean = _mean(y_true, axis, True), _mean(y_pred, axis, True)
    spread = _math.reduce_variance(y_true, axis, True) + _math.reduce_variance(y_pred, axis, True)
    spread = spread + _math.square(true_mean - pred_mean) + _EPSILON
    return _mean(2 * ((y_true - pred_mean) * (y_pred - pred_mean)) / spread, axis)


def cosine_similarity(y_true: ArrayLike, y_pred: ArrayLike, axis: int = -1) -> _Tensor:
    """cos of the angle between y_true and y_pred along an axis: 1 for the same direction."""
    return -_losses.cosine_similarity(y_true, y_pred, axis)


_all_in_graph(globals())
