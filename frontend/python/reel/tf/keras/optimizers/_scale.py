"""LossScaleOptimizer: for gradients in float16."""

from __future__ import annotations as _annotations

import typing as _t

from ... import math as _math
from ..._control import cond as _cond
from ...errors import ConversionError
from ._base import Optimizer

if _t.TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..._signatures import Gradient as _Gradient
    from ..._variable import Variable


class LossScaleOptimizer(Optimizer):
    """Another optimizer, whose loss is scaled (scale_loss) and whose gradients are divided by the scale again.

    A gradient that is not finite halves the scale and updates nothing; dynamic_growth_steps good ones double it.
    """

    def __init__(
        self,
        inner_optimizer: Optimizer,
        initial_scale: float = 32768.0,
        dynamic_growth_steps: int = 2000,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if not kwargs.pop("dynamic", True):
            raise ConversionError(
                "LossScaleOptimizer: `dynamic=False` is not supported; set `loss_scale_factor` of the inner optimizer"
            )
        if given := {k: v for k, v in kwargs.items() if v not in (None, False) and (k, v) != ("ema_momentum", 0.99)}:
            raise ConversionError(
                f"LossScaleOptimizer does not support {sorted(given)}: give them to the inner optimizer"
            )
        super().__init__(0.0, name=name)
        self.inner_optimizer = inner_optimizer
        self.initial_scale, self.dynamic_growth_steps = initial_scale, dynamic_growth_steps
        self.inner_optimizer.loss_scale_factor = None

    def build(self, variables: Sequence[Variable]) -> None:
        from .. import initializers

        self.step_counter = self.add_variable((), dtype="int64", name="step_counter")
        self.dynamic_scale = self.add_variable((), initializers.Constant(self.initial_scale), name="dynamic_scale")
        self.inner_optimizer._build_whole(variables)
        super().build(variables)

    @property
    def variables(self) -> list[Variable]:
        return self._variables + self.inner_optimizer.variables

    @property
    def learning_rate(self) -> Any:
        """The inner optimizer's."""
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self.inner_optimizer.learning_rate = value

    @property
    def iterations(self) -> Any:
        return self.inner_optimizer.iterations

    def apply(self, grads: Iterable[_Gradient], trainable_variables: Iterable[Variable] | None = None) -> None:
        grads = list(grads)
        variables = self._variables_for(grads, trainable_variables)
        present = self._present(grads, variables)
        finite = [_math.reduce_all(_math.is_finite(g)) for g, _ in present]
        all_finite = finite[0]
        for f in finite[1:]:
            all_finite = _math.logical_and(all_finite, f)
        _cond(all_finite, lambda: self._grow(present), self._shrink)

    def _grow(self, present):
        scale = self.dynamic_scale
        self.inner_optimizer.apply([g / _cast(scale, g) for g, _ in present], [v for _, v in present])

        def double():
            self.step_counter.assign(0)
            scale.assign(scale * 2.0)

        _cond(_math.equal(self.step_counter, self.dynamic_growth_steps - 1), double, lambda: _next(self.step_counter))

    def _shrink(self):
        self.step_counter.assign(0)
        self.dynamic_scale.assign(self.dynamic_scale * 0.5)

    def scale_loss(self, loss: Any) -> Any:
        """The loss times the scale."""
        return loss * (_cast(self.dynamic_scale, loss) if self.built else self.initial_scale)

    def finalize_variable_values(self, var_list: Sequence[Variable]) -> None:
        self.inner_optimizer.finalize_variable_values(var_list)

    def get_config(self) -> dict[str, Any]:
        from . import serialize

        return {
            "name": self.name,
            "inner_optimizer": serialize(self.inner_optimizer),
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> LossScaleOptimizer:
        from . import deserialize

        config = dict(config)
        return cls(deserialize(config.pop("inner_optimizer"), custom_objects), **config)


def _cast(scale, like):
    from ... import dtypes

    return dtypes.cast(scale, like.dtype)


def _next(counter):
    counter.assign_add(1)
