"""Metrics: sums over the batches of an epoch, in variables."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _array, dtypes
from ... import math as _math
from ..._module import Module
from ...errors import ConversionError
from .. import _common
from .. import initializers as _initializers
from .._common import tensor as _tensor
from .._masks import mask_of as _mask_of
from .._variable import Variable

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ....typing import DTypeLike
    from ....typing import TensorLike as ArrayLike
    from ..._tensor import Tensor as _Tensor


class Metric(Module):
    """update_state(...) counts a batch, result() is the figure so far, reset_state() begins again.

    Subclasses make their variables by add_variable or add_weight; dtype is float32 unless given.
    """

    _options: tuple[str, ...] = ()  # for get_config

    def __init__(self, dtype: DTypeLike | None = None, name: str | None = None) -> None:
        super().__init__(name=name or _common.auto_name(self))
        self._dtype = dtypes.as_dtype(dtype or dtypes.float32)
        self._own: list[Variable] = []

    @property
    def dtype(self) -> str:
        """The name of the dtype of what is computed."""
        return self._dtype.name

    def add_variable(
        self,
        shape: Sequence[int],
        initializer: Any,
        dtype: DTypeLike | None = None,
        aggregation: str = "sum",
        name: str | None = None,
    ) -> Variable:
        """A variable of the metric, float32 unless said otherwise."""
        dtype = dtypes.as_dtype(dtype or dtypes.float32)
        value = _initializers.get("zeros" if initializer is None else initializer)(tuple(shape), dtype)
        path = f"{self.name}/{name}" if name else None
        variable = Variable(value, dtype=dtype, trainable=False, name=name, path=path)
        self._own.append(variable)
        return variable

    def add_weight(
        self,
        shape: Sequence[int] = (),
        initializer: Any = None,
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Variable:
        """The same, a scalar 0 unless said otherwise."""
        return self.add_variable(shape, initializer, dtype, name=name)

    @property
    def variables(self) -> list[Variable]:
        """The variables in the order they were made, then those of metrics inside."""
        return self._own + [v for m in self.submodules if isinstance(m, Metric) for v in m._own]

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Counts a batch; for subclasses."""
        raise NotImplementedError(f"{type(self).__name__} does not define update_state")

    def result(self) -> Any:
        """The figure so far; for subclasses."""
        raise NotImplementedError(f"{type(self).__name__} does not define result")

    def reset_state(self) -> None:
        """Zeros in all variables."""
        for v in self.variables:
            v.assign(_array.zeros_like(v))

    def __call__(self, *args: Any, **kwargs: Any) -> _Tensor:
        self.update_state(*args, **kwargs)
        return self.result()

    def stateless_update_state(self, metric_variables: Sequence[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """The variables' values that update_state makes of these; the variables keep theirs."""
        return self._stateless(metric_variables, lambda: self.update_state(*args, **kwargs))[1]

    def stateless_result(self, metric_variables: Sequence[Any]) -> Any:
        """The result of these values of the variables, which keep theirs."""
        return self._stateless(metric_variables, self.result)[0]

    def stateless_reset_state(self) -> list[Any]:
        """The values that reset_state gives the variables, which keep theirs."""
        return self._stateless([v.value() for v in self.variables], self.reset_state)[1]

    def _stateless(self, values, run):
        """What `run` returns and the variables' values behind it, if they begin with these."""
        variables = self.variables
        check(
            len(values) == len(variables),
            f"Argument `metric_variables` must be a list of tensors corresponding 1:1 to {type(self).__name__}()"
            f".variables. Received list with length {len(values)}, but expected {len(variables)} variables.",
        )
        kept = [v.value() for v in variables]
        try:
            for v, value in zip(variables, values):
                v.assign(value)
            return run(), [v.value() for v in variables]
        finally:
            for v, value in zip(variables, kept):
                v.assign(value)

    def get_config(self) -> dict[str, Any]:
        """The options, for from_config."""
        return {"name": self.name, "dtype": self.dtype} | {o: getattr(self, o) for o in type(self)._options}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Metric:
        """A metric of these options."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _samples(values, sample_weight, reduce, dtype):
    """Values and weights with one axis, the examples; the other axes reduced."""
    mask = _mask_of(values)
    values = _tensor(values, dtype)
    if sample_weight is not None:
        sample_weight = _tensor(sample_weight, dtype)
        if mask is not None:
            mask, sample_weight = _common.same_rank(_tensor(mask, dtype), sample_weight)
            sample_weight = sample_weight * mask
        values, sample_weight = _common.same_rank(values, sample_weight)
        axes = len(sample_weight.shape)
        if len(values.shape) > axes:
            values = reduce(values, list(range(axes, len(values.shape))))
        sample_weight = _array.broadcast_to(sample_weight, values.shape)
        values = values * sample_weight
        if axes > 1:
            sample_weight = reduce(sample_weight, list(range(1, axes)))
    if len(values.shape) > 1:
        values = reduce(values, list(range(1, len(values.shape))))
    return values, sample_weight


class Sum(Metric):
    """The sum of values, or of values times weights."""

    def __init__(self, name: str | None = "sum", dtype: DTypeLike | None = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self._dtype, name="total")

    def update_state(self, values: ArrayLike, sample_weight: ArrayLike | None = None) -> None:
        values, _ = _samples(values, sample_weight, _math.reduce_sum, self._dtype)
        self.total.assign_add(_math.reduce_sum(values))

    def result(self) -> _Tensor:
        return self.total.value()


class Mean(Metric):
    """The mean of values over examples, or the weighted mean; 0 before anything was counted."""

    def __init__(self, name: str | None = "mean", dtype: DTypeLike | None = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self._dtype, name="total")
        self.count = self.add_variable((), "zeros", self._dtype, name="count")

    def update_state(self, values: ArrayLike, sample_weight: ArrayLike | None = None) -> None:
        values, sample_weight = _samples(values, sample_weight, _math.reduce_mean, self._dtype)
        self.total.assign_add(_math.reduce_sum(values))
        if sample_weight is not None:
            self.count.assign_add(_math.reduce_sum(sample_weight))
        else:
            self.count.assign_add(_tensor(_array.size(values), self._dtype))

    def result(self) -> _Tensor:
        total, count = self.total.value(), self.count.value()
        if not total.dtype.is_floating:
            total, count = _tensor(total, dtypes.float32), _tensor(count, dtypes.float32)
        return _math.divide_no_nan(total, count)


class MeanMetricWrapper(Mean):
    """The mean of fn(y_true, y_pred, **kwargs), one value for each example."""

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        super().__init__(name, dtype)
        self._fn, self._fn_kwargs = fn, kwargs

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: ArrayLike | None = None) -> None:
        mask = _mask_of(y_pred)
        values = self._fn(y_true, y_pred, **self._fn_kwargs)
        if mask is not None:
            mask = _tensor(mask, self._dtype)
            if sample_weight is not None:
                mask, sample_weight = _common.same_rank(mask, _tensor(sample_weight, self._dtype))
                mask = sample_weight * mask
            sample_weight = mask
        super().update_state(values, sample_weight)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        if type(self) is MeanMetricWrapper:
            config["fn"] = self._fn
        return config | self._fn_kwargs


class FunctionMean(MeanMetricWrapper):
    """The mean of a class's function, `_fn`, called with the other options."""

    _fn: Callable[..., Any]

    def __init__(self, name: str | None, dtype: DTypeLike | None, **options: Any) -> None:
        super().__init__(type(self)._fn, name, dtype, **options)


class RootMeanSquaredError(Mean):
    """The root of the mean of (y_true - y_pred)^2."""

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(name, dtype)

    def update_state(  # type: ignore[override]
        self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> None:
        y_true, y_pred = _common.same_rank(_tensor(y_true, self._dtype), _tensor(y_pred, self._dtype))
        super().update_state(_math.square(y_pred - y_true), sample_weight)

    def result(self) -> _Tensor:
        return _math.sqrt(super().result())


def check(good: object, what: str) -> None:
    """ValueError unless good."""
    if not good:
        raise ConversionError(what)
