"""Learning rates of tf.compat.v1.train that fall with the global step: tensors in a graph, callables when eager."""

from __future__ import annotations

import math as _python_math
import typing as _t

from ... import _array, dtypes, math, random
from ..._convert import convert_to_tensor
from ..._trace import executing_eagerly
from ...errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def _made(decayed):
    return decayed if executing_eagerly() else decayed()


def _needed(step, what):
    if step is None:
        raise ConversionError(f"global_step is required for {what}.")


def _fraction(rate, step, steps, staircase):
    """The rate as a tensor, and step / steps, rounded down if it is a staircase."""
    rate = convert_to_tensor(rate)
    p = dtypes.cast(step, rate.dtype) / dtypes.cast(steps, rate.dtype)
    return rate, math.floor(p) if staircase else p


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate decay_rate^(step / decay_steps); by whole steps if it is a staircase."""
    _needed(global_step, "exponential_decay")

    def decayed():
        rate, p = _fraction(learning_rate, global_step, decay_steps, staircase)
        return rate * math.pow(dtypes.cast(decay_rate, rate.dtype), p)

    return _made(decayed)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate exp(-decay_rate step / decay_steps)."""
    return exponential_decay(
        learning_rate, global_step, decay_steps, math.exp(math.negative(convert_to_tensor(decay_rate))), staircase
    )


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """learning_rate / (1 + decay_rate step / decay_steps)."""
    _needed(global_step, "inverse_time_decay")

    def decayed():
        rate, p = _fraction(learning_rate, global_step, decay_steps, staircase)
        return rate / (dtypes.cast(decay_rate, rate.dtype) * p + 1.0)

    return _made(decayed)


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """From learning_rate to end_learning_rate in decay_steps by (1 - step / decay_steps)^power; cycle: again and again."""
    _needed(global_step, "polynomial_decay")

    def decayed():
        rate = convert_to_tensor(learning_rate)
        end, power_ = dtypes.cast(end_learning_rate, rate.dtype), dtypes.cast(power, rate.dtype)
        step, steps = dtypes.cast(global_step, rate.dtype), dtypes.cast(decay_steps, rate.dtype)
        if cycle:
            times = math.ceil(step / steps)
            steps = steps * _array.where(math.equal(step, _array.zeros_like(step)), _array.ones_like(times), times)
        else:
            step = math.minimum(step, steps)
        return (rate - end) * math.pow(1.0 - step / steps, power_) + end

    return _made(decayed)


def piecewise_constant(x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None) -> Any:
    """values[0] for x <= boundaries[0], values[1] for x above it up to boundaries[1], ..."""
    boundaries, values = list(boundaries), list(values)
    if len(boundaries) != len(values) - 1:
        raise ConversionError("The length of boundaries should be 1 less than the length of values")

    def decayed():
        at = convert_to_tensor(x)
        out = convert_to_tensor(values[-1])
        for bound, value in reversed(list(zip(boundaries, values))):
            bound = dtypes.cast(bound, at.dtype) if not isinstance(bound, (int, float)) else bound
            out = _array.where(at <= bound, convert_to_tensor(value, dtype_hint=out.dtype), out)
        return out

    return _made(decayed)


piecewise_constant_decay = piecewise_constant


def _cosine(learning_rate, global_step, decay_steps, factor):
    rate = convert_to_tensor(learning_rate)
    step, steps = dtypes.cast(global_step, rate.dtype), dtypes.cast(decay_steps, rate.dtype)
    return rate * factor(math.minimum(step, steps) / steps)


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: Any = 0.0, name: str | None = None
) -> Any:
    """Half a period of a cosine from learning_rate to alpha learning_rate."""
    _needed(global_step, "cosine_decay")

    def factor(p):
        return 0.5 * (1.0 + math.cos(p * _python_math.pi)) * (1 - alpha) + alpha

    return _made(lambda: _cosine(learning_rate, global_step, decay_steps, factor))


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Any:
    """learning_rate ((alpha + linear) cosine + beta)."""
    _needed(global_step, "linear_cosine_decay")

    def factor(p):
        return (1.0 - p + alpha) * (0.5 * (1.0 + math.cos(p * (2.0 * num_periods * _python_math.pi)))) + beta

    return _made(lambda: _cosine(learning_rate, global_step, decay_steps, factor))


def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Any:
    """linear_cosine_decay with noise of variance initial_variance / (1 + step)^variance_decay."""
    _needed(global_step, "noisy_linear_cosine_decay")

    def decayed():
        def factor(p):
            step = p * dtypes.cast(decay_steps, p.dtype)
            deviation = math.sqrt(initial_variance / math.pow(step + 1.0, variance_decay))
            noise = random.normal([], dtype=p.dtype) * deviation
            wave = 0.5 * (1.0 + math.cos(p * (2.0 * num_periods * _python_math.pi)))
            return (1.0 - p + noise + alpha) * wave + beta

        return _cosine(learning_rate, global_step, decay_steps, factor)

    return _made(decayed)


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Any:
    """cosine_decay again and again: each period t_mul times as long, from m_mul times the rate."""
    _needed(global_step, "cosine_decay_restarts")

    def decayed():
        rate = convert_to_tensor(learning_rate)
        done = dtypes.cast(global_step, rate.dtype) / dtypes.cast(first_decay_steps, rate.dtype)
        if t_mul == 1.0:
            restarts = math.floor(done)
            done = done - restarts
        else:
            ratio = 1.0 - done * (1.0 - t_mul)
            restarts = math.floor(math.log(ratio) / _python_math.log(t_mul))
            power = math.pow(convert_to_tensor(t_mul, rate.dtype), restarts)
            done = (done - (1.0 - power) / (1.0 - t_mul)) / power
        scale = math.pow(convert_to_tensor(m_mul, rate.dtype), restarts)
        wave = 0.5 * scale * (1.0 + math.cos(done * _python_math.pi))
        return rate * (wave * (1 - alpha) + alpha)

    return _made(decayed)
