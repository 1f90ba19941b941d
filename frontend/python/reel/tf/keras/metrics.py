"""tf.keras.metrics: sums over the batches of an epoch, in variables, so that tf.function can update them."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _array, dtypes, math
from .._module import Module
from .._tensor import convert_to_tensor
from .._variable import Variable

if _t.TYPE_CHECKING:
    from typing import Any

    from ...typing import DTypeLike
    from ...typing import TensorLike as ArrayLike
    from .._tensor import Tensor as _Tensor


class Metric(Module):
    """update_state(...) counts a batch, result() gives the mean so far, reset_state() begins again."""

    def __init__(self, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name or type(self).__name__.lower())
        self.total = Variable(0.0, trainable=False, name="total")
        self.count = Variable(0.0, trainable=False, name="count")

    def _add(self, values):
        values = dtypes.cast(convert_to_tensor(values), dtypes.float32)
        self.total.assign_add(math.reduce_sum(values))
        self.count.assign_add(dtypes.cast(_array.size(values), dtypes.float32))

    def update_state(self, *args: ArrayLike) -> None:
        self._add(self.call(*args))

    def result(self) -> _Tensor:
        """The mean; 0 before anything was counted."""
        return math.divide_no_nan(self.total.value(), self.count.value())

    def reset_state(self) -> None:
        self.total.assign(0.0)
        self.count.assign(0.0)

    reset_states = reset_state

    def __call__(self, *args: ArrayLike) -> _Tensor:
        self.update_state(*args)
        return self.result()


class Mean(Metric):
    """The mean of the values."""

    def call(self, values: ArrayLike) -> Any:
        return values


class MeanSquaredError(Metric):
    """The mean of (y_true - y_pred)^2."""

    def call(self, y_true: ArrayLike, y_pred: ArrayLike) -> Any:
        return math.squared_difference(convert_to_tensor(y_true, dtype_hint=y_pred.dtype), y_pred)


class SparseCategoricalAccuracy(Metric):
    """How often the largest of y_pred along the last axis is at y_true."""

    def call(self, y_true: ArrayLike, y_pred: ArrayLike) -> Any:
        chosen, labels = math.argmax(y_pred, axis=-1), convert_to_tensor(y_true)
        if len(labels.shape) > len(chosen.shape):
            labels = _array.squeeze(labels, -1)
        return math.equal(dtypes.cast(labels, chosen.dtype), chosen)


class Accuracy(Metric):
    """How often y_pred equals y_true."""

    def call(self, y_true: ArrayLike, y_pred: ArrayLike) -> Any:
        y_pred = convert_to_tensor(y_pred)
        return math.equal(dtypes.cast(convert_to_tensor(y_true), y_pred.dtype), y_pred)
