"""SGD, RMSprop, Adagrad, Adadelta, Ftrl and Lion."""

from __future__ import annotations as _annotations

import typing as _t

from ... import math as _math
from ...errors import ConversionError
from .. import initializers as _initializers
from .._common import given
from ._base import Optimizer

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..._variable import Variable
    from ._base import Rate


class SGD(Optimizer):
    """v -= rate g; with momentum m = momentum m - rate g, v += m, or, with nesterov, v += momentum m - rate g."""

    _options = ("momentum", "nesterov")

    def __init__(
        self,
        learning_rate: Rate = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
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
        if not isinstance(momentum, float) or not 0 <= momentum <= 1:
            raise ConversionError(f"SGD: `momentum` must be a float between [0, 1]. Received: momentum={momentum}")
        super().__init__(**given(locals()))

    def build(self, variables: Sequence[Variable]) -> None:
        if not self.built:
            super().build(variables)
            self.momentums = self.add_optimizer_variables(variables, "momentum") if self.momentum else []

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        rate = self._rate(variable.dtype, learning_rate)
        if not self.momentum:
            part = self._part(gradient, variable)
            part.assign(variable, part.of(variable) - part.gradient * rate)
            return
        m = self.momentums[self._get_variable_index(variable)]
        m.assign(m * self.momentum - gradient * rate)
        variable.assign_add(m * self.momentum - gradient * rate if self.nesterov else m)


class RMSprop(Optimizer):
    """v -= rate g / sqrt(n + epsilon) for the mean n of g^2, less the mean of g squared if centered; with momentum as a sum."""

    _options = ("rho", "momentum", "epsilon", "centered")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-07,
        centered: bool = False,
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
            self._velocities = self.add_optimizer_variables(variables, "velocity")
            if self.momentum > 0:
                self._momentums = self.add_optimizer_variables(variables, "momentum")
            if self.centered:
                self._averages_of_gradients = self.add_optimizer_variables(variables, "average_gradient")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        i, rho = self._get_variable_index(variable), self.rho
        n = self._velocities[i]
        n.assign(n * rho + self._of_values(_math.square, gradient) * (1 - rho))
        spread = n
        if self.centered:
            mean = self._averages_of_gradients[i]
            mean.assign(mean * rho + gradient * (1 - rho))
            spread = n - _math.square(mean)
        step = gradient * self._rate(variable.dtype, learning_rate) / _math.sqrt(spread + self.epsilon)
        if self.momentum > 0:
            m = self._momentums[i]
            m.assign(m * self.momentum + step)
            step = m
        variable.assign_sub(step)


class Adagrad(Optimizer):
    """v -= rate g / sqrt(sum of g^2 + epsilon), the sum from initial_accumulator_value on."""

    _options = ("initial_accumulator_value", "epsilon")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        initial_accumulator_value: float = 0.1,
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
            start = _initializers.Constant(self.initial_accumulator_value)
            self._accumulators = self.add_optimizer_variables(variables, "accumulator", start)

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        part, a = self._part(gradient, variable), self._accumulators[self._get_variable_index(variable)]
        squares = part.of(a) + part.sums(_math.square)
        part.assign(a, squares)
        step = part.gradient * self._rate(variable.dtype, learning_rate) / _math.sqrt(squares + self.epsilon)
        part.assign(variable, part.of(variable) - step)


class Adadelta(Optimizer):
    """v -= rate g rms(updates) / rms(gradients), root mean squares with the decay rho."""

    _options = ("rho", "epsilon")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: float = 0.95,
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
            self._gradients, self._updates = self.add_optimizer_variables(
                variables, ["accumulated_grad", "accumulated_delta_var"]
            )

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        i, rho = self._get_variable_index(variable), self.rho
        gradients, updates = self._gradients[i], self._updates[i]
        squares = self._of_values(_math.square, gradient)
        gradients.assign(gradients * rho + squares * (1 - rho))
        ratio = (updates + self.epsilon) / (gradients + self.epsilon)
        step = gradient * _math.sqrt(updates + self.epsilon) / _math.sqrt(gradients + self.epsilon)
        updates.assign(updates * rho + squares * ratio * (1 - rho))
        variable.assign_sub(step * self._rate(variable.dtype, learning_rate))


class Ftrl(Optimizer):
    """Follow the regularised leader, with penalties on |v| and v^2."""

    _options = (
        "learning_rate_power",
        "initial_accumulator_value",
        "l1_regularization_strength",
        "l2_regularization_strength",
        "l2_shrinkage_regularization_strength",
        "beta",
    )

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
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
        _check_ftrl(
            learning_rate_power=-learning_rate_power,
            initial_accumulator_value=initial_accumulator_value,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
            l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength,
        )
        super().__init__(**given(locals()))

    def build(self, variables: Sequence[Variable]) -> None:
        if not self.built:
            super().build(variables)
            start = _initializers.Constant(self.initial_accumulator_value)
            self._accumulators, self._linears = self.add_optimizer_variables(
                variables, ["accumulator", "linear"], [start, "zeros"]
            )

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        i, power = self._get_variable_index(variable), -self.learning_rate_power
        rate = self._rate(variable.dtype, learning_rate)
        accumulator, linear = self._accumulators[i], self._linears[i]
        total = accumulator + self._of_values(_math.square, gradient)
        powered = _math.pow(total, power)
        shrunk = gradient + variable * (2 * self.l2_shrinkage_regularization_strength)
        linear.assign_add(shrunk - (powered - _math.pow(accumulator, power)) / rate * variable)
        quadratic = powered / rate + 2 * (self.l2_regularization_strength + self.beta / (2.0 * rate))
        bound = self.l1_regularization_strength
        variable.assign((_math.clip_by_value(linear, -bound, bound) - linear) / quadratic)
        accumulator.assign(total)


def _check_ftrl(**options):
    for name, value in options.items():
        if value < 0:
            sign, value = ("negative", -value) if name == "learning_rate_power" else ("positive", value)
            raise ConversionError(f"Ftrl: `{name}` needs to be {sign} or zero. Received: {name}={value}.")


class Lion(Optimizer):
    """v -= rate sign(beta_1 m + (1 - beta_1) g), then m = beta_2 m + (1 - beta_2) g."""

    _options = ("beta_1", "beta_2")

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.99,
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
        if not 0 < beta_1 <= 1:
            raise ConversionError(
                "Lion: argument `beta_1` must be in the [0, 1] range. Otherwise, the optimizer degenerates to SignSGD. "
                f"Received: beta_1={beta_1}."
            )
        super().__init__(**given(locals()))

    def build(self, variables: Sequence[Variable]) -> None:
        if not self.built:
            super().build(variables)
            self._momentums = self.add_optimizer_variables(variables, "momentum")

    def update_step(self, gradient: Any, variable: Variable, learning_rate: Any) -> None:
        m = self._momentums[self._get_variable_index(variable)]
        direction = _math.sign(m * self.beta_1 + gradient * (1.0 - self.beta_1))
        variable.assign_sub(direction * self._rate(variable.dtype, learning_rate))
        m.assign(m * self.beta_2 + gradient * (1.0 - self.beta_2))
