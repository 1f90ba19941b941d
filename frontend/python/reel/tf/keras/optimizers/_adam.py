"""Adam and its variants."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _array
from ... import dtypes as _dtypes
from ... import math as _math
from ...errors import ConversionError
from .._common import given
from ._base import Optimizer

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..._variable import Variable
    from ._base import Rate


class _Moments(Optimizer):
    """What keeps running means of gradients and of their squares."""

    beta_1: float
    beta_2: float

    def build(self, variables: Sequence[Variable]) -> None:
        if not self.built:
            super().build(variables)
            self._momentums, self._velocities = self.add_optimizer_variables(variables, ["momentum", "velocity"])

    def _moments(self, gradient, variable):
        """Both means, with this gradient."""
        i = self._get_variable_index(variable)
        m, n = self._momentums[i], self._velocities[i]
        m.assign_add((gradient - m) * (1 - self.beta_1))
        n.assign_add((self._of_values(_math.square, gradient) - n) * (1 - self.beta_2))
        return m, n


def _as(number, dtype):
    return _dtypes.cast(number, dtype)


class Adam(_Moments):
    """v -= rate m / (sqrt(n) + epsilon) for the means m of g and n of g^2, bias corrected; amsgrad: the largest n so far."""

    _options = ("beta_1", "beta_2", "epsilon", "amsgrad")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        amsgrad: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**given(locals()))

    def build(self, variables: Sequence[Variable]) -> None:
        if not self.built:
            super().build(variables)
            if self.amsgrad:
                self._velocity_hats = self.add_optimizer_variables(variables, "velocity_hat")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        m, n = self._moments(gradient, variable)
        if self.amsgrad:
            largest = self._velocity_hats[self._get_variable_index(variable)]
            largest.assign(_math.maximum(largest, n))
            n = largest
        rate = self._once(("alpha", variable.dtype.name), lambda: self._alpha(variable.dtype, learning_rate))
        variable.assign_sub(m * rate / (_math.sqrt(n) + self.epsilon))

    def _alpha(self, dtype, learning_rate):
        """The learning rate with both corrections."""
        first, second = self._power(self.beta_1, dtype), self._power(self.beta_2, dtype)
        return self._rate(dtype, learning_rate) * _math.sqrt(1 - second) / (1 - first)


class AdamW(Adam):
    """Adam with weight_decay, 0.004 unless given."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        amsgrad: bool = False,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if weight_decay is None:
            raise ConversionError(
                f"AdamW: Argument `weight_decay` must be a float. Received: weight_decay={weight_decay}"
            )
        super().__init__(**given(locals()))


class Adamax(Optimizer):
    """Adam with the largest |g| so far, which decays by beta_2, in place of the root of the mean of g^2."""

    _options = ("beta_1", "beta_2", "epsilon")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**given(locals()))

    def build(self, variables: Sequence[Variable]) -> None:
        if not self.built:
            super().build(variables)
            self._m, self._u = self.add_optimizer_variables(variables, ["momentum", "norm"])

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        i, dtype = self._get_variable_index(variable), variable.dtype
        m, u = self._m[i], self._u[i]
        m.assign_add((gradient - m) * (1 - self.beta_1))
        u.assign(_math.maximum(u * self.beta_2, self._of_values(_math.abs, gradient)))
        left = 1 - self._power(self.beta_1, dtype)
        variable.assign_sub(m * self._rate(dtype, learning_rate) / ((u + self.epsilon) * left))


class Nadam(_Moments):
    """Adam with Nesterov's momentum, whose decay grows with the steps."""

    _options = ("beta_1", "beta_2", "epsilon")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**given(locals()))

    def build(self, variables: Sequence[Variable]) -> None:
        if not self.built:
            super().build(variables)
            dtype = variables[0].dtype if variables else None
            self._u_product = self.add_variable((), "ones", dtype, name="u_product")

    def _update_variables(self, grads, variables):
        dtype = self._u_product.dtype
        self._u_product.assign(self._u_product * self._momentum_at(dtype, 0))
        super()._update_variables(grads, variables)

    def _momentum_at(self, dtype, ahead):
        """The decay of momentum at this step, or some steps ahead."""
        step = self._step(dtype) + ahead
        return self._once(
            ("momentum", ahead, dtype.name), lambda: self.beta_1 * (1.0 - 0.5 * _math.pow(_as(0.96, dtype), step))
        )

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        dtype = variable.dtype
        m, n = self._moments(gradient, variable)
        now, next_one = self._momentum_at(dtype, 0), self._momentum_at(dtype, 1)
        product = _dtypes.cast(self._u_product, dtype)
        mean = m * (next_one / (1 - product * next_one)) + gradient * ((1 - now) / (1 - product))
        square = n / (1 - self._power(self.beta_2, dtype))
        variable.assign_sub(mean * self._rate(dtype, learning_rate) / (_math.sqrt(square) + self.epsilon))


class Lamb(_Moments):
    """Adam's step, scaled for each variable by the norm of the variable over that of the step."""

    _options = ("beta_1", "beta_2", "epsilon")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**given(locals()))

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        dtype = variable.dtype
        m, n = self._moments(gradient, variable)
        m, n = m / (1.0 - self._power(self.beta_1, dtype)), n / (1.0 - self._power(self.beta_2, dtype))
        step = m / (_math.sqrt(n) + self.epsilon)
        ours, its = (_math.sqrt(_math.reduce_sum(_math.square(x))) for x in (variable, step))
        known = _math.logical_and(ours > 0, its > 0)
        ratio = _array.where(known, ours / its, _array.ones_like(ours))
        variable.assign_sub(step * (ratio * self._rate(dtype, learning_rate)))


class Adafactor(Optimizer):
    """Steps of g / sqrt(mean of g^2), the means of matrices kept by rows and columns only; relative_step: rate at most 1 / sqrt(step)."""

    _options = ("beta_2_decay", "epsilon_1", "epsilon_2", "clip_threshold", "relative_step")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 0.001,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**given(locals()))

    def build(self, variables: Sequence[Variable]) -> None:
        if not self.built:
            super().build(variables)
            self._kept = [self._keep(v) for v in variables]

    def _keep(self, v):
        """Means of rows, of columns, and of all, which is what vectors have only."""
        shape = tuple(v.shape)
        matrix = len(shape) > 1
        extents = [shape[:-1], shape[:-2] + shape[-1:]] if matrix else [(), ()]
        rows, columns = (
            self.add_variable(e, dtype=v.dtype if matrix else _dtypes.int32, name=v.name.partition(":")[0])
            for e in extents
        )
        return rows, columns, self.add_variable_from_reference(v, "velocity")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        dtype = variable.dtype
        rate, step = self._rate(dtype, learning_rate), self._step(dtype)
        # Keras bounds the rate so whatever relative_step is.
        rate = _math.minimum(rate, _math.rsqrt(step))
        rate = _math.maximum(_rms(variable), self.epsilon_2) * rate
        square = self._of_values(_math.square, gradient) + self.epsilon_1
        decay = 1 - _math.pow(step, _as(self.beta_2_decay, dtype))
        rows, columns, n = self._kept[self._get_variable_index(variable)]
        if len(variable.shape) > 1:
            rows.assign(rows * decay + _math.reduce_mean(square, -1) * (1 - decay))
            columns.assign(columns * decay + _math.reduce_mean(square, -2) * (1 - decay))
            share = rows / _math.reduce_mean(rows, -1, True)
            n.assign(_array.expand_dims(share, -1) * _array.expand_dims(columns, -2))
        else:
            n.assign(n * decay + square * (1 - decay))
        update = gradient / _math.sqrt(n)
        bounded = update / _math.maximum(_rms(update) / self.clip_threshold, 1.0)
        variable.assign_sub(bounded * rate)


def _rms(x):
    return _math.sqrt(_math.reduce_mean(_math.square(x)))
