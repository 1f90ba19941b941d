"""The optimizers of tf.compat.v1.train."""

from __future__ import annotations

import typing as _t

from ... import _array, math
from ..._trace import state
from ...errors import ConversionError
from ._optimizer import Optimizer as Optimizer

if _t.TYPE_CHECKING:
    from typing import Any


class GradientDescentOptimizer(Optimizer):
    """v -= learning_rate g."""

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _numbers(self):
        return [self._learning_rate]

    def _rule(self, variable, slots, numbers, gradient):
        return variable - numbers[0] * gradient, []


class MomentumOptimizer(Optimizer):
    """a = momentum a + g, v -= learning_rate a; with use_nesterov v -= learning_rate (g + momentum a)."""

    _slot_names = ("momentum",)

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum, self._use_nesterov = learning_rate, momentum, use_nesterov

    def _numbers(self):
        return [self._learning_rate, self._momentum]

    def _rule(self, variable, slots, numbers, gradient):
        rate, momentum = numbers
        a = slots[0] * momentum + gradient
        step = gradient * rate + a * momentum * rate if self._use_nesterov else a * rate
        return variable - step, [a]


class AdamOptimizer(Optimizer):
    """Adam, bias corrected: the rate is learning_rate sqrt(1 - beta2^t) / (1 - beta1^t)."""

    _slot_names = ("m", "v")
    _by_row = False

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-08,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon
        self._powers: dict[Any, Any] = {}

    def _prepare(self, variables):
        if state.graph not in self._powers:
            dtype = variables[0].dtype
            scope = state.graph.name_scope(None) if state.graph is not None else _Nothing()
            with scope:
                made = [
                    self._extra_variable(value() if callable(value) else value, name, dtype)
                    for value, name in ((self._beta1, "beta1_power"), (self._beta2, "beta2_power"))
                ]
            self._powers[state.graph] = made

    def _numbers(self):
        powers = [v.value() for v in self._powers[state.graph]]
        return [self._learning_rate, self._beta1, self._beta2, self._epsilon, *powers]

    def _rule(self, variable, slots, numbers, gradient):
        rate, beta1, beta2, epsilon, power1, power2 = numbers
        rate = rate * math.sqrt(1 - power2) / (1 - power1)
        m = slots[0] + (gradient - slots[0]) * (1 - beta1)
        v = slots[1] + (math.square(gradient) - slots[1]) * (1 - beta2)
        return variable - rate * m / (math.sqrt(v) + epsilon), [m, v]

    def _finish(self):
        betas = [b() if callable(b) else b for b in (self._beta1, self._beta2)]
        return [p.assign(p * b) for p, b in zip(self._powers[state.graph], betas)]


class _Nothing:
    def __enter__(self):
        return None

    def __exit__(self, *error):
        return None


class AdagradOptimizer(Optimizer):
    """a += g^2, v -= learning_rate g / sqrt(a)."""

    _slot_names = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ConversionError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._learning_rate, self._start = learning_rate, initial_accumulator_value

    def _numbers(self):
        return [self._learning_rate]

    def _initial(self, slot, shape, dtype):
        return _array.ones(shape, dtype) * self._start

    def _rule(self, variable, slots, numbers, gradient):
        a = slots[0] + math.square(gradient)
        return variable - numbers[0] * gradient * math.rsqrt(a), [a]


class AdadeltaOptimizer(Optimizer):
    """Steps of the size that earlier steps had."""

    _slot_names = ("accum", "accum_update")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-08,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _numbers(self):
        return [self._learning_rate, self._rho, self._epsilon]

    def _rule(self, variable, slots, numbers, gradient):
        rate, rho, epsilon = numbers
        squares = slots[0] * rho + math.square(gradient) * (1 - rho)
        step = math.sqrt(slots[1] + epsilon) * math.rsqrt(squares + epsilon) * gradient
        return variable - step * rate, [squares, slots[1] * rho + math.square(step) * (1 - rho)]


class RMSPropOptimizer(Optimizer):
    """Gradients divided by the root of their running mean square (centered: variance), with momentum."""

    _slot_names = ("rms", "momentum")

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum, self._epsilon = learning_rate, decay, momentum, epsilon
        self._centered = centered
        if centered:
            self._slot_names = ("rms", "mg", "momentum")

    def _numbers(self):
        return [self._learning_rate, self._decay, self._momentum, self._epsilon]

    def _initial(self, slot, shape, dtype):
        return (_array.ones if slot == "rms" else _array.zeros)(shape, dtype)

    def _rule(self, variable, slots, numbers, gradient):
        rate, decay, momentum, epsilon = numbers
        squares = slots[0] + (math.square(gradient) - slots[0]) * (1 - decay)
        below, others = squares + epsilon, []
        if self._centered:
            mean = slots[1] + (gradient - slots[1]) * (1 - decay)
            below, others = squares - math.square(mean) + epsilon, [mean]
        m = slots[-1] * momentum + rate * gradient * math.rsqrt(below)
        return variable - m, [squares, *others, m]


class FtrlOptimizer(Optimizer):
    """Follow the regularized leader."""

    _slot_names = ("accum", "linear")

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: Any = None,
    ) -> None:
        if initial_accumulator_value < 0.0:
            raise ConversionError(
                f"initial_accumulator_value {initial_accumulator_value} needs to be be positive or zero"
            )
        if learning_rate_power > 0.0:
            raise ConversionError(f"learning_rate_power {learning_rate_power} needs to be negative or zero")
        for what, value in (
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ConversionError(f"{what} {value} needs to be positive or zero")
        super().__init__(use_locking, name)
        self._learning_rate, self._power, self._start = learning_rate, learning_rate_power, initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._shrinkage, self._beta = l2_shrinkage_regularization_strength, 0.0 if beta is None else beta

    def _numbers(self):
        return [self._learning_rate]

    def _initial(self, slot, shape, dtype):
        return _array.ones(shape, dtype) * self._start if slot == "accum" else _array.zeros(shape, dtype)

    def _rule(self, variable, slots, numbers, gradient):
        rate, (before, linear) = numbers[0], slots
        l2 = self._beta / (2.0 * rate) + self._l2
        after = before + math.square(gradient)
        shrunk = gradient + variable * (2.0 * self._shrinkage) if self._shrinkage > 0 else gradient
        linear = linear + shrunk - (after**-self._power - before**-self._power) / rate * variable
        quadratic = after**-self._power / rate + 2.0 * l2
        l1 = _array.ones_like(linear) * self._l1
        new = _array.where(math.abs(linear) > l1, (math.sign(linear) * l1 - linear) / quadratic, linear * 0.0)
        return new, [after, linear]


def _shrink(prox, rate, l1, l2):
    """The proximal step of both penalties."""
    if l1 > 0:
        prox = math.sign(prox) * math.maximum(math.abs(prox) - rate * l1, _array.zeros_like(prox))
    return prox / (rate * l2 + 1.0)


class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent, then the proximal step of the penalties l1 and l2."""

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._l1, self._l2 = learning_rate, l1_regularization_strength, l2_regularization_strength

    def _numbers(self):
        return [self._learning_rate]

    def _rule(self, variable, slots, numbers, gradient):
        return _shrink(variable - numbers[0] * gradient, numbers[0], self._l1, self._l2), []


class ProximalAdagradOptimizer(Optimizer):
    """Adagrad, then the proximal step of the penalties l1 and l2."""

    _slot_names = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ConversionError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._learning_rate, self._start = learning_rate, initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _numbers(self):
        return [self._learning_rate]

    def _initial(self, slot, shape, dtype):
        return _array.ones(shape, dtype) * self._start

    def _rule(self, variable, slots, numbers, gradient):
        a = slots[0] + math.square(gradient)
        rate = numbers[0] * math.rsqrt(a)
        return _shrink(variable - rate * gradient, rate, self._l1, self._l2), [a]


class AdagradDAOptimizer(Optimizer):
    """Adagrad's dual averaging: the variable is made of the sums of gradients and of their squares."""

    _slot_names = ("gradient_accumulator", "gradient_squared_accumulator")

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ConversionError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._step, self._start = (
            learning_rate,
            global_step,
            initial_gradient_squared_accumulator_value,
        )
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _numbers(self):
        from ... import dtypes

        return [self._learning_rate, dtypes.cast(self._step, dtypes.float32) + 1.0]

    def _initial(self, slot, shape, dtype):
        ones = _array.ones(shape, dtype)
        return ones * self._start if slot == "gradient_squared_accumulator" else ones * 0.0

    def _rule(self, variable, slots, numbers, gradient):
        rate, step = numbers
        total, squares = slots[0] + gradient, slots[1] + math.square(gradient)
        kept = total
        if self._l1 > 0:
            kept = math.sign(total) * math.maximum(math.abs(total) - step * self._l1, _array.zeros_like(total))
        return -rate * kept / (rate * step * self._l2 + math.sqrt(squares)), [total, squares]
