"""tf.compat.v1.train: optimizers that work eagerly and in graphs."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _core
from .. import _graph
from .. import autodiff as _autodiff
from .._tape import GradientTape
from .._trace import state as _state
from .._variable import Variable
from ..errors import ConversionError, StateError
from ..keras import _updates as _keras

if _t.TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .._signatures import Gradient as _Gradient

    _Pairs = Iterable[tuple[_Gradient, Any]]


class Optimizer:
    """minimize(loss) = apply_gradients(compute_gradients(loss)). Gradients that are None are skipped."""

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, update: _keras.Optimizer, name: str) -> None:
        self._update, self._name = update, name

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = 1,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[_Gradient, Any]]:
        """Pairs (gradient, variable). Eager: the loss is a callable; var_list is what it reads unless given."""
        if gate_gradients not in (0, 1, 2):
            raise ConversionError(
                f"gate_gradients must be one of: Optimizer.GATE_NONE, GATE_OP, GATE_GRAPH. Not {gate_gradients}"
            )
        if callable(loss):
            with GradientTape() as tape:
                value = loss()
            variables = list(tape.watched_variables() if var_list is None else var_list)
            return list(zip(tape.gradient(value, variables, grad_loss), variables))
        if _state.graph is None:
            raise StateError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        variables = [v for v in _state.graph.variables if v.trainable] if var_list is None else list(var_list)
        if not variables:
            raise ConversionError("No variables to optimize.")
        return list(zip(_autodiff.gradients([loss], variables, None if grad_loss is None else [grad_loss]), variables))

    def apply_gradients(self, grads_and_vars: _Pairs, global_step: Any = None, name: str | None = None) -> Any:
        """One update; adds 1 to global_step. In a graph: the operation that does it."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ConversionError("No variables provided.")
        present = [(g, v) for g, v in pairs if g is not None]
        if not present:
            raise ConversionError(f"No gradients provided for any variable: {[v.name for _, v in pairs]}.")
        if _state.graph is None:
            self._apply([_keras._gradient(g) for g, _ in present], [v for _, v in present], global_step)
            return None
        variables = [v.variable for _, v in present]
        step = global_step.variable if isinstance(global_step, _graph.GraphVariable) else global_step
        for v in [v for _, v in present] + ([global_step] if step is not None else []):
            if not isinstance(v, _graph.GraphVariable):
                raise _core.InvalidTypeError(f"apply_gradients: {v!r} is no variable of the graph")

        def run(gradients):
            for _, v in present:
                v.check()
            self._apply(gradients, variables, step)

        return _graph.Node(_state.graph, name or self._name, run, ([g for g, _ in present],))

    def _apply(self, gradients, variables, global_step):
        self._update.apply_gradients(zip(gradients, variables))
        if global_step is not None:
            global_step.assign_add(1)

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = 1,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """One update that lowers the loss; ValueError if it depends on no variable."""
        pairs = self.compute_gradients(loss, var_list, gate_gradients, grad_loss=grad_loss)
        if not any(g is not None for g, _ in pairs):
            raise ConversionError(
                "No gradients provided for any variable, check your graph for ops that do not "
                f"support gradients, between variables {[v.name for _, v in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def variables(self) -> list[Variable]:
        """Slots."""
        return self._update.variables[1:]


class GradientDescentOptimizer(Optimizer):
    """v -= learning_rate g."""

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str | None = "GradientDescent") -> None:
        super().__init__(_keras.SGD(learning_rate), name)


class MomentumOptimizer(Optimizer):
    """a = momentum a + g, v -= learning_rate a."""

    def __init__(
        self,
        learning_rate: Any,
        momentum: float,
        use_locking: bool = False,
        name: str | None = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(_keras.SGD(learning_rate, momentum, use_nesterov), name)


class AdamOptimizer(Optimizer):
    """Adam, bias corrected."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        use_locking: bool = False,
        name: str | None = "Adam",
    ) -> None:
        super().__init__(_keras.Adam(learning_rate, beta1, beta2, epsilon), name)


class AdagradOptimizer(Optimizer):
    """v -= learning_rate g / sqrt(sum of g^2)."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str | None = "Adagrad",
    ) -> None:
        super().__init__(_keras.Adagrad(learning_rate, initial_accumulator_value, epsilon=0.0), name)


def get_or_create_global_step(graph: object = None) -> Variable:
    """An int64 variable that counts updates."""
    return Variable(0, trainable=False, name="global_step", dtype="int64")
