"""tf.train.ExponentialMovingAverage."""

from __future__ import annotations

import typing as _t

from .... import _core
from ... import _array, dtypes, math
from ..._convert import convert_to_tensor
from ..._graph_tensor import GraphTensor, GraphVariable
from ..._tensor import TensorLike
from ..._trace import state
from ..._variable import Variable
from ...errors import ConversionError
from ._variables import global_variables, group, moving_average_variables, trainable_variables

if _t.TYPE_CHECKING:
    from typing import Any


class ExponentialMovingAverage:
    """Shadows of variables: shadow = decay shadow + (1 - decay) variable.

    num_updates: the decay is at most (1 + num_updates) / (10 + num_updates). Averages of tensors begin with zero and are
    corrected for it; those of variables begin with their values, unless zero_debias.
    """

    def __init__(
        self, decay: Any, num_updates: Any = None, zero_debias: bool = False, name: str = "ExponentialMovingAverage"
    ) -> None:
        self._decay, self._updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._averages: dict[Any, Any] = {}
        self._biased: dict[Any, tuple[Any, Any]] = {}

    @property
    def name(self) -> str:
        return self._name

    def apply(self, var_list: Any = None) -> Any:
        """Updates the shadows; makes them in the first call. In a graph: the operation that does it."""
        listed = trainable_variables() if var_list is None else list(var_list)
        updates = []
        for x in listed:
            if not x.dtype.is_floating:
                raise _core.InvalidTypeError(f"The variables must be half, float, or double: {x.name}")
            if _key(x) not in self._averages:
                self._make(x)
        decay = self._rate()
        for x in listed:
            updates.append(self._update(x, decay))
        return group(*updates, name=self._name)

    def _rate(self):
        if self._updates is None:
            return convert_to_tensor(self._decay, dtypes.float32)
        n = dtypes.cast(self._updates, dtypes.float32)
        return math.minimum(convert_to_tensor(self._decay, dtypes.float32), (n + 1.0) / (n + 10.0))

    def _make(self, x):
        name = self.average_name(x)
        debias = self._zero_debias or not isinstance(x, (Variable, GraphVariable))
        if not debias:
            initial = x.initial if isinstance(x, GraphVariable) else x.value()
        else:
            initial = _array.zeros(x.shape, x.dtype)
        made = _variable(initial, name)
        self._averages[_key(x)] = made
        if debias:
            zeros = _array.zeros(x.shape, x.dtype)
            self._biased[_key(x)] = (
                _variable(zeros, name + "/biased"),
                _variable(_array.zeros([], x.dtype), name + "/local_step"),
            )
        if state.graph is not None:
            state.graph.add_to_collection("moving_average_variables", x if isinstance(x, GraphVariable) else made)

    def _update(self, x, decay):
        average = self._averages[_key(x)]
        value = x.value() if isinstance(x, (Variable, GraphVariable)) else x
        left = 1.0 - dtypes.cast(decay, x.dtype)
        if _key(x) not in self._biased:
            return average.assign_sub((average.value() - value) * left)
        biased, steps = self._biased[_key(x)]
        new = biased.value() - (biased.value() - value) * left
        count = steps.value() + 1.0
        assigned = average.assign(new / (1.0 - math.pow(1.0 - left, count)))
        return group(assigned, biased.assign(new), steps.assign(count))

    def average(self, var: Any) -> Any:
        """The shadow of a variable, None if there is none."""
        return self._averages.get(_key(var))

    def average_name(self, var: Any) -> str:
        """The name of the shadow."""
        return f"{var.op.name if isinstance(var, GraphTensor) else var.name.removesuffix(':0')}/{self._name}"

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Names to variables, shadows' names for what has one: what a Saver restores for use."""
        averaged = (
            moving_average_variables() + trainable_variables() if moving_avg_variables is None else moving_avg_variables
        )
        out = {self.average_name(v): v for v in averaged}
        names = {v.name for v in averaged}
        return {**out, **{v.op.name: v for v in global_variables() if v.name not in names}}


def _key(x):
    if not isinstance(x, TensorLike):
        raise ConversionError(f"ExponentialMovingAverage: {x!r} is no tensor or variable")
    return x if isinstance(x, GraphTensor) else x.ref()


def _variable(initial, name):
    if state.graph is None:
        return Variable(initial, trainable=False, name=name)
    with state.graph.name_scope(None), state.graph.control_dependencies(None):
        return state.graph.variable(initial, False, name)
