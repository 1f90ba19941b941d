"""F scores, the coefficient of determination, and intersections over unions."""

from __future__ import annotations as _annotations

import typing as _t
import warnings as _warnings

from ... import _array, dtypes
from ... import math as _math
from .. import _common
from .._common import EPSILON as _EPSILON
from .._common import tensor as _tensor
from ._base import Metric, check

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ....typing import DTypeLike
    from ....typing import TensorLike as ArrayLike
    from ..._tensor import Tensor as _Tensor


def _check_two_axes(what, y_true, y_pred):
    check(
        len(y_pred.shape) == 2 and len(y_true.shape) == 2,
        f"{what} expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
        f"y_pred.shape={y_pred.shape} and y_true.shape={y_true.shape}.",
    )


class FBetaScore(Metric):
    """(1 + beta^2) precision recall / (beta^2 precision + recall), for each class of y_true [examples, classes].

    average: None, "macro" (the mean of the classes), "weighted" (by how often they are), "micro" (all classes as one).
    threshold: above it a class is predicted; without, the class of the largest value is.
    """

    _options = ("average", "beta", "threshold")

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = "fbeta_score",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(dtype, name)
        known = (None, "micro", "macro", "weighted")
        check(
            average in known, f"Invalid `average` argument value. Expected one of: {known}. Received: average={average}"
        )
        check(
            isinstance(beta, float) and beta > 0,
            f"Invalid `beta` argument value. It should be a Python float > 0. Received: beta={beta}",
        )
        check(
            threshold is None or isinstance(threshold, float) and 0 < threshold <= 1,
            f"Invalid `threshold` argument value. It should be a Python float, 0 < threshold <= 1. Received: {threshold}",
        )
        self.average, self.beta, self.threshold = average, beta, threshold
        self._axis = None if average == "micro" else 0
        self._built = False

    def _build(self, y_true, y_pred):
        _check_two_axes(type(self).__name__, y_true, y_pred)
        shape = () if self.average == "micro" else (y_pred.shape[-1],)
        names = ("true_positives", "false_positives", "false_negatives", "intermediate_weights")
        for name in names:
            setattr(self, name, self.add_variable(shape, "zeros", self._dtype, name=name))
        self._sums = names
        self._built = True

    def update_state(self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None) -> None:
        y_true, y_pred = _tensor(y_true, self._dtype), _tensor(y_pred, self._dtype)
        if not self._built:
            self._build(y_true, y_pred)
        if self.threshold is None:
            largest = _math.reduce_max(y_pred, -1, True)
            chosen = _math.logical_and(y_pred >= largest, _math.abs(y_pred) > 1e-9)
        else:
            chosen = y_pred > self.threshold
        y_pred = _tensor(chosen, self._dtype)
        weight = 1 if sample_weight is None else _array.expand_dims(_tensor(sample_weight, self._dtype), 1)
        values = (y_pred * y_true, y_pred * (1 - y_true), (1 - y_pred) * y_true, y_true)
        for name, value in zip(self._sums, values):
            getattr(self, name).assign_add(_math.reduce_sum(value * weight, self._axis))

    def result(self) -> _Tensor:
        if not self._built:
            raise AttributeError(f"'{type(self).__name__}' object has no counts yet: call update_state first")
        right, extra, missed, weights = (getattr(self, name).value() for name in self._sums)
        precision, recall = right / (right + extra + _EPSILON), right / (right + missed + _EPSILON)
        square = self.beta**2
        score = precision * recall / (square * precision + recall + _EPSILON) * (1 + square)
        if self.average == "weighted":
            return _math.reduce_sum(score * (weights / (_math.reduce_sum(weights) + _EPSILON)))
        return score if self.average is None else _math.reduce_mean(score)


class F1Score(FBetaScore):
    """FBetaScore with the beta 1."""

    _options = ("average", "threshold")

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str | None = "f1_score",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(average, 1.0, threshold, name, dtype)


class R2Score(Metric):
    """1 - (sum of squared errors) / (sum of squared distances from the mean), of targets [examples, outputs].

    class_aggregation: None (one score for each output), "uniform_average", "variance_weighted_average".
    num_regressors: the score is adjusted for so many predictors.
    """

    _options = ("class_aggregation", "num_regressors")

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        num_regressors: int = 0,
        name: str | None = "r2_score",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(dtype, name)
        known = (None, "uniform_average", "variance_weighted_average")
        check(
            class_aggregation in known,
            f"Invalid value for argument `class_aggregation`. Expected one of {known}. Received: {class_aggregation}",
        )
        check(
            num_regressors >= 0,
            "Invalid value for argument `num_regressors`. Expected a value >= 0. Received: "
            f"num_regressors={num_regressors}",
        )
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = self.add_variable((), "zeros", name="num_samples")
        self._built = False

    def _build(self, y_true, y_pred):
        _check_two_axes("R2Score", y_true, y_pred)
        shape = (y_pred.shape[-1],)
        self.squared_sum = self.add_variable(shape, "zeros", name="squared_sum")
        self.sum = self.add_variable(shape, "zeros", name="sum")
        self.total_mse = self.add_variable(shape, "zeros", name="residual")
        self.count = self.add_variable(shape, "zeros", name="count")
        self._built = True

    def update_state(self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None) -> None:
        y_true, y_pred = _common.same_rank(_tensor(y_true, self._dtype), _tensor(y_pred, self._dtype))
        if not self._built:
            self._build(y_true, y_pred)
        weight = _tensor(1.0 if sample_weight is None else sample_weight, self._dtype)
        if len(weight.shape) == 1:
            weight = _array.expand_dims(weight, 1)
        weight = _array.broadcast_to(weight, y_true.shape)
        weighted = y_true * weight
        squares = _math.square(y_true - y_pred) * weight
        sums = {"sum": weighted, "squared_sum": y_true * weighted, "total_mse": squares, "count": weight}
        for name, values in sums.items():
            getattr(self, name).assign_add(_tensor(_math.reduce_sum(values, 0), dtypes.float32))
        self.num_samples.assign_add(_tensor(_array.size(y_true), dtypes.float32))

    def result(self) -> _Tensor:
        total = self.squared_sum - self.sum * (self.sum / self.count)
        scores = 1 - self.total_mse / total
        scores = _array.where(_math.is_inf(scores), _array.zeros_like(scores), scores)
        if self.class_aggregation == "uniform_average":
            scores = _math.reduce_mean(scores)
        elif self.class_aggregation == "variance_weighted_average":
            scores = _math.reduce_sum(total * scores) / _math.reduce_sum(total)
        return self._adjusted(scores) if self.num_regressors else scores

    def _adjusted(self, scores):
        n, p = self.num_samples.value(), float(self.num_regressors)
        adjusted = 1.0 - (1.0 - scores) * (n - 1.0) / (n - p - 1.0)
        if not _common.is_symbolic(n) and float(n) <= p + 1:
            _warnings.warn(
                f"R2Score: {self.num_regressors} predictors are too many for {int(n)} values; the score is not adjusted",
                stacklevel=3,
            )
        return _array.where(n > p + 1.0, adjusted, scores)


class _Matrix(Metric):
    """What keeps a confusion matrix: how often class i (row) was predicted as class j (column)."""

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__("int64" if dtype is None else dtype, name)
        self.num_classes, self.ignore_class = num_classes, ignore_class
        self.sparse_y_true, self.sparse_y_pred, self.axis = sparse_y_true, sparse_y_pred, axis
        shape = (num_classes, num_classes)
        self.total_cm = self.add_variable(shape, "zeros", self._dtype, name="total_confusion_matrix")

    def update_state(self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        classes = []
        for y, sparse in ((y_true, self.sparse_y_true), (y_pred, self.sparse_y_pred)):
            y = _tensor(y) if sparse else _math.argmax(_tensor(y), self.axis)
            classes.append(_array.reshape(_tensor(y, self._dtype), (-1,)))
        actual, predicted = classes
        weight = _tensor(1 if sample_weight is None else sample_weight, self._dtype)
        if len(weight.shape) > 1:
            weight = _array.reshape(weight, (-1,))
        weight = _array.broadcast_to(weight, actual.shape)
        counts = _math.logical_and(self._known(actual), self._known(predicted))
        if self.ignore_class is not None:
            counts = _math.logical_and(counts, _math.not_equal(actual, _tensor(self.ignore_class, actual.dtype)))
        weight = _array.where(counts, weight, _array.zeros_like(weight))
        rows, columns = (_array.where(counts, c, _array.zeros_like(c)) for c in (actual, predicted))
        at = _tensor(_array.stack([rows, columns], 1), dtypes.int32)
        self.total_cm.assign_add(_array.scatter_nd(at, weight, (self.num_classes, self.num_classes)))
        return self.total_cm.value()

    def _known(self, classes):
        return _math.logical_and(classes >= 0, classes < self.num_classes)


class IoU(_Matrix):
    """The mean over classes of: right / (predicted or actual), for the classes target_class_ids.

    sparse_y_true, sparse_y_pred: class indices, otherwise the class of the largest along the axis.
    """

    _options = ("num_classes", "target_class_ids", "ignore_class", "sparse_y_true", "sparse_y_pred", "axis")

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: DTypeLike | None = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis)
        check(
            max(target_class_ids) < num_classes,
            f"Target class id {max(target_class_ids)} is out of range, which is [0, {num_classes}).",
        )
        self.target_class_ids = list(target_class_ids)

    def result(self) -> _Tensor:
        matrix = dtypes.cast(self.total_cm.value(), dtypes.float32)
        right = _math.reduce_sum(matrix * _array.eye(self.num_classes), 0)
        union = _math.reduce_sum(matrix, 0) + _math.reduce_sum(matrix, 1) - right
        right, union = (_array.gather(x, self.target_class_ids) for x in (right, union))
        seen = dtypes.cast(union > 1e-9, dtypes.float32)
        shares = right / (union + _EPSILON) * seen
        return _math.reduce_sum(shares) / (_math.reduce_sum(seen) + _EPSILON)


class BinaryIoU(IoU):
    """IoU of the classes 0 and 1, where 1 is predicted from a threshold on."""

    _options = ("target_class_ids", "threshold")

    def __init__(
        self,
        target_class_ids: Sequence[int] = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None) -> None:
        above = _tensor(y_pred, dtypes.float32) >= self.threshold
        super().update_state(_tensor(y_true, self._dtype), above, sample_weight)


class MeanIoU(IoU):
    """IoU of all classes."""

    _options = ("num_classes", "ignore_class", "sparse_y_true", "sparse_y_pred", "axis")

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        classes = range(num_classes)
        super().__init__(num_classes, classes, name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis)


class OneHotIoU(IoU):
    """IoU of one-hot targets."""

    _options = ("num_classes", "target_class_ids", "ignore_class", "sparse_y_pred", "axis")

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: DTypeLike | None = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, target_class_ids, name, dtype, ignore_class, False, sparse_y_pred, axis)


class OneHotMeanIoU(MeanIoU):
    """IoU of one-hot targets, of all classes."""

    _options = ("num_classes", "ignore_class", "sparse_y_pred", "axis")

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, name, dtype, ignore_class, False, sparse_y_pred, axis)
