"""Learning rates that depend on the number of the update: schedule(step)."""

from __future__ import annotations as _annotations

import math as _python_math
import typing as _t

from ... import _array
from ... import dtypes as _dtypes
from ... import math as _math
from ...errors import ConversionError
from .._common import Names as _Names
from .._common import public as _public
from .._common import tensor as _tensor

if _t.TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ....typing import TensorLike as ArrayLike
    from ..._tensor import Tensor as _Tensor


class LearningRateSchedule:
    """schedule(step) is the learning rate of a step, counted from 0. Subclasses define __call__ and get_config."""

    _options: tuple[str, ...] = ()

    def __call__(self, step: ArrayLike) -> Any:
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )

    def get_config(self) -> dict[str, Any]:
        """The options, for from_config."""
        if not self._options:
            raise NotImplementedError(f"Learning rate schedule '{type(self).__name__}' must override `get_config()`.")
        return {name: getattr(self, name) for name in self._options}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LearningRateSchedule:
        """A schedule of these options."""
        return cls(**config)


def _check_steps(name, value):
    if value <= 0:
        raise ConversionError(f"Argument `{name}` must be > 0. Received: {name}={value}")


def _numbers(first, *others):
    """The first number as a tensor, the others of its dtype."""
    first = _tensor(first)
    return first, *(_tensor(x, first.dtype) for x in others)


class ExponentialDecay(LearningRateSchedule):
    """initial decay_rate^(step / decay_steps); staircase: of whole quotients."""

    _options = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        decay_rate: float,
        staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        self.initial_learning_rate, self.decay_steps, self.decay_rate = initial_learning_rate, decay_steps, decay_rate
        self.staircase, self.name = staircase, name

    def __call__(self, step: ArrayLike) -> _Tensor:
        start, steps, rate, step = _numbers(self.initial_learning_rate, self.decay_steps, self.decay_rate, step)
        periods = step / steps
        return start * _math.pow(rate, _math.floor(periods) if self.staircase else periods)


class InverseTimeDecay(LearningRateSchedule):
    """initial / (1 + decay_rate step / decay_steps); staircase: of whole quotients."""

    _options = ExponentialDecay._options

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        decay_rate: float,
        staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        self.initial_learning_rate, self.decay_steps, self.decay_rate = initial_learning_rate, decay_steps, decay_rate
        self.staircase, self.name = staircase, name

    def __call__(self, step: ArrayLike) -> _Tensor:
        start, steps, rate, step = _numbers(self.initial_learning_rate, self.decay_steps, self.decay_rate, step)
        periods = step / steps
        return start / (1 + rate * (_math.floor(periods) if self.staircase else periods))


class PiecewiseConstantDecay(LearningRateSchedule):
    """values[0] up to boundaries[0], values[1] up to boundaries[1], ..., the last value then."""

    _options = ("boundaries", "values", "name")

    def __init__(self, boundaries: Sequence[float], values: Sequence[float], name: str = "PiecewiseConstant") -> None:
        if len(boundaries) != len(values) - 1:
            raise ConversionError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of length {len(values)}."
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: ArrayLike) -> _Tensor:
        step = _tensor(step)
        value, *later = _numbers(*self.values)
        for boundary, next_value in zip(self.boundaries, later):
            value = _array.where(step > _tensor(boundary, step.dtype), next_value, value)
        return value


class PolynomialDecay(LearningRateSchedule):
    """(initial - end) (1 - step / decay_steps)^power + end; cycle: decay_steps grows to the next multiple."""

    _options = ("initial_learning_rate", "decay_steps", "end_learning_rate", "power", "cycle", "name")

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        name: str = "PolynomialDecay",
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power, self.cycle, self.name = end_learning_rate, power, cycle, name

    def __call__(self, step: ArrayLike) -> _Tensor:
        start, end, power, steps, step = _numbers(
            self.initial_learning_rate, self.end_learning_rate, self.power, self.decay_steps, step
        )
        if self.cycle:
            steps = steps * _array.where(_math.equal(step, 0), _array.ones_like(step), _math.ceil(step / steps))
        else:
            step = _math.minimum(step, steps)
        return (start - end) * _math.pow(1 - step / steps, power) + end


class CosineDecay(LearningRateSchedule):
    """Down along half a cosine to alpha times its start in decay_steps; before that up to warmup_target in warmup_steps."""

    _options = ("initial_learning_rate", "decay_steps", "alpha", "name", "warmup_target", "warmup_steps")

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        alpha: float = 0.0,
        name: str = "CosineDecay",
        warmup_target: float | None = None,
        warmup_steps: float = 0,
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        self.initial_learning_rate, self.decay_steps, self.alpha, self.name = (
            initial_learning_rate,
            decay_steps,
            alpha,
            name,
        )
        self.warmup_target, self.warmup_steps = warmup_target, warmup_steps

    def __call__(self, step: ArrayLike) -> _Tensor:
        start, steps, step = _numbers(self.initial_learning_rate, self.decay_steps, step)
        if self.warmup_target is None:
            return self._decayed(_math.minimum(step, steps) / steps, start)
        target, warmup = _tensor(self.warmup_target, start.dtype), _tensor(self.warmup_steps, start.dtype)
        step = _math.minimum(step, steps + warmup)
        rising = (target - start) * (step / warmup) + start
        return _array.where(step < warmup, rising, self._decayed((step - warmup) / steps, target))

    def _decayed(self, done, start):
        return start * ((1 - self.alpha) * (0.5 * (1.0 + _math.cos(_python_math.pi * done))) + self.alpha)


class CosineDecayRestarts(LearningRateSchedule):
    """Halves of cosines one after the other: each t_mul times as long and m_mul times as high as the one before."""

    _options = ("initial_learning_rate", "first_decay_steps", "t_mul", "m_mul", "alpha", "name")

    def __init__(
        self,
        initial_learning_rate: float,
        first_decay_steps: float,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
        name: str = "SGDRDecay",
    ) -> None:
        _check_steps("first_decay_steps", first_decay_steps)
        self.initial_learning_rate, self.first_decay_steps = initial_learning_rate, first_decay_steps
        self.t_mul, self.m_mul, self.alpha, self.name = t_mul, m_mul, alpha, name

    def __call__(self, step: ArrayLike) -> _Tensor:
        start, steps, t, m, step = _numbers(
            self.initial_learning_rate, self.first_decay_steps, self.t_mul, self.m_mul, step
        )
        done = step / steps
        if self.t_mul == 1:
            restarts = _math.floor(done)
            done = done - restarts
        else:
            restarts = _math.floor(_math.log(1.0 - done * (1.0 - t)) / _math.log(t))
            before = (1.0 - _math.pow(t, restarts)) / (1.0 - t)
            done = (done - before) / _math.pow(t, restarts)
        cosine = 0.5 * _math.pow(m, restarts) * (1.0 + _math.cos(_python_math.pi * done))
        return start * ((1 - self.alpha) * cosine + self.alpha)


_NAMES = _Names("optimizers.schedules", "learning rate schedule", _public(globals(), LearningRateSchedule))


def serialize(learning_rate_schedule: LearningRateSchedule) -> dict[str, Any]:
    """Class name and options: what deserialize takes."""
    return _NAMES.serialize(learning_rate_schedule)


def deserialize(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """The schedule that serialize wrote."""
    return _NAMES.deserialize(config, custom_objects)
