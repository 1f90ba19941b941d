"""Optimizers with Keras 3's and, where marked, version 1's names."""

from __future__ import annotations as _annotations

import typing as _t
import warnings as _warnings

from ... import _core
from .. import _array
from .. import math as _math
from .._tensor import Tensor, convert_to_tensor, to_core
from .._variable import Variable
from ..errors import ConversionError

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from .._signatures import Gradient as _Gradient

    _Rate = float | Variable | Callable[..., Any]


class Optimizer:
    """Updates variables by their gradients: apply_gradients(zip(gradients, variables)).

    Gradients that are None are skipped with a warning; ValueError if all are. Slots are made at the first update.
    """

    def __init__(self, learning_rate: _Rate = 0.01, name: str | None = None) -> None:
        self._learning_rate = (
            learning_rate if isinstance(learning_rate, Variable) or callable(learning_rate) else float(learning_rate)
        )
        self._slots = {}
        self._iterations = None

    @property
    def learning_rate(self) -> Any:
        return self._learning_rate

    @learning_rate.setter
    def learning_rate(self, value: _Rate) -> None:
        self._learning_rate = value

    lr = learning_rate

    @property
    def iterations(self) -> Variable:
        """Number of updates, an int64 variable."""
        if self._iterations is None:
            self._iterations = Variable(0, trainable=False, name="iteration", dtype="int64")
        return self._iterations

    @property
    def variables(self) -> list[Variable]:
        """Iterations and slots."""
        return [self.iterations] + [s for slots in self._slots.values() for s in slots.values()]

    def build(self, variables: Iterable[Variable]) -> None:
        """Makes the slots of variables."""
        _ = self.iterations
        for v in variables:
            self._slots_of(v)

    def _slots_of(self, v):
        key = v.ref()
        if key not in self._slots:
            self._slots[key] = {
                name: Variable(_array.zeros_like(v), trainable=False, name=f"{name}/{v.name[:-2]}")
                for name in self._slot_names()
            }
        return self._slots[key]

    def _slot_names(self):
        return ()

    def _rate(self, dtype):
        rate = self._learning_rate
        if callable(rate) and not isinstance(rate, Variable):
            rate = rate(self.iterations) if not isinstance(rate, Tensor) else rate
        if isinstance(rate, (int, float)):
            return rate
        return _array.identity(_cast(convert_to_tensor(rate), dtype))

    def apply_gradients(self, grads_and_vars: Iterable[tuple[_Gradient, Variable]]) -> Variable:
        """One update of each variable by its gradient."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ConversionError("No variables provided: the list of (gradient, variable) pairs is empty.")
        present = [(_gradient(g), v) for g, v in pairs if g is not None]
        if not present:
            raise ConversionError(
                f"No gradients provided for any variable: {[v.name for _, v in pairs]}. Compute the "
                "loss from them inside the tape; tape.explain_none(loss, variable) says what is "
                "wrong."
            )
        missing = [v.name for g, v in pairs if g is None]
        if missing:
            self._warn_missing(missing)
        for g, v in present:
            if isinstance(g, Tensor) and g.shape != v.shape:
                raise ConversionError(
                    f"apply_gradients: the gradient of variable '{v.name}' has the shape {g.shape}, "
                    f"the variable {v.shape}; pass gradients in the order of their variables"
                )
        iterations = self.iterations
        for _, v in present:
            self._slots_of(v)
        for g, v in present:
            self._update(g, v, self._slots_of(v), self._rate(v.dtype))
        iterations.assign_add(1)
        return iterations

    def _warn_missing(self, names):
        _warnings.warn(
            f"Gradients do not exist for variables {names} when minimizing the loss. If you're using "
            "`model.compile()`, did you forget to provide a `loss` argument?",
            stacklevel=4,
        )

    def apply(self, grads: Iterable[_Gradient], trainable_variables: Iterable[Variable] | None = None) -> None:
        """The same, with gradients and variables as lists."""
        self.apply_gradients(zip(grads, trainable_variables, strict=True))

    def minimize(self, loss: Callable[[], Any], var_list: Sequence[Variable], tape: object = None) -> None:
        """One update that lowers loss(), a callable."""
        from .._tape import GradientTape

        with GradientTape() as tape:
            value = loss()
        self.apply_gradients(zip(tape.gradient(value, var_list), var_list, strict=True))

    def _update(self, g, v, slots, rate):
        raise _core.UnimplementedError(f"{type(self).__name__} does not define _update")


def _cast(x, dtype):
    from ..dtypes import cast

    return cast(x, dtype)


def _gradient(g):
    if isinstance(g, str) or not hasattr(g, "__array__") and not isinstance(g, (int, float, list, tuple)):
        raise _core.InvalidTypeError(f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {g!r}")
    return convert_to_tensor(to_core(g))


class SGD(Optimizer):
    """v -= rate g; with momentum m = momentum m - rate g, v += m."""

    def __init__(
        self, learning_rate: _Rate = 0.01, momentum: float = 0.0, nesterov: bool = False, name: str | None = None
    ) -> None:
        super().__init__(learning_rate, name)
        self.momentum, self.nesterov = momentum, nesterov

    def _slot_names(self):
        return ("momentum",) if self.momentum else ()

    def _update(self, g, v, slots, rate):
        if not self.momentum:
            v.assign_sub(g * rate)
            return
        m = slots["momentum"]
        m.assign(m * self.momentum - g * rate)
        v.assign_add(m * self.momentum - g * rate if self.nesterov else m)


class Adam(Optimizer):
    """Adam, bias corrected."""

    def __init__(
        self,
        learning_rate: _Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-07,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, name)
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon

    def _slot_names(self):
        return ("m", "v")

    def _update(self, g, v, slots, rate):
        step = _cast(self.iterations, v.dtype) + 1
        scale = _math.sqrt(1 - self.beta_2**step) / (1 - self.beta_1**step) * rate
        m, n = slots["m"], slots["v"]
        m.assign_add((g - m) * (1 - self.beta_1))
        n.assign_add((_math.square(g) - n) * (1 - self.beta_2))
        v.assign_sub(m * scale / (_math.sqrt(n) + self.epsilon))


class Adagrad(Optimizer):
    """v -= rate g / sqrt(sum of g^2 + epsilon)."""

    def __init__(
        self,
        learning_rate: _Rate = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-07,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, name)
        self.initial, self.epsilon = initial_accumulator_value, epsilon

    def _slots_of(self, v):
        key = v.ref()
        if key not in self._slots:
            start = _array.zeros_like(v) + self.initial
            self._slots[key] = {"accumulator": Variable(start, trainable=False, name=f"accumulator/{v.name[:-2]}")}
        return self._slots[key]

    def _update(self, g, v, slots, rate):
        a = slots["accumulator"]
        a.assign_add(_math.square(g))
        v.assign_sub(g * rate / _math.sqrt(a + self.epsilon))


class RMSprop(Optimizer):
    """v -= rate g / sqrt(mean of g^2 + epsilon)."""

    def __init__(
        self, learning_rate: _Rate = 0.001, rho: float = 0.9, epsilon: float = 1e-07, name: str | None = None
    ) -> None:
        super().__init__(learning_rate, name)
        self.rho, self.epsilon = rho, epsilon

    def _slot_names(self):
        return ("velocity",)

    def _update(self, g, v, slots, rate):
        n = slots["velocity"]
        n.assign(n * self.rho + _math.square(g) * (1 - self.rho))
        v.assign_sub(g * rate / _math.sqrt(n + self.epsilon))
