"""One step of recurrent layers."""

from __future__ import annotations as _annotations

import typing as _t

from ... import _array, math
from ..._convert import cast
from ...errors import ConversionError
from .. import activations as _activations
from .._common import given
from .._layer import Layer
from ._basic import Weighted, same_dtype

if _t.TYPE_CHECKING:
    from typing import Any

_KINDS = ("initializer", "regularizer", "constraint")


class _Cell(Weighted):
    """Kernels for the inputs and for the state before, for `_gates` gates next to each other."""

    _options = ("kernel", "recurrent", "bias")
    _gates = 1
    _config: tuple[str, ...] = ("units", "activation", "use_bias", "dropout", "recurrent_dropout", "seed")

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(units, int) or units <= 0:
            raise ConversionError(
                f"Received an invalid value for argument `units`, expected a positive integer, got {units}."
            )
        self.units, self.activation, self.use_bias = units, _activations.get(activation), use_bias
        self._take_options(given(locals()))
        self.dropout, self.recurrent_dropout = min(1.0, max(0.0, dropout)), min(1.0, max(0.0, recurrent_dropout))
        self.seed = seed
        self.state_size: Any = units
        self.output_size = units

    def get_config(self) -> dict[str, Any]:
        from .._serialize import serialize

        config = super().get_config()
        return config | {f"{n}_{k}": serialize(getattr(self, f"{n}_{k}")) for n in self._options for k in _KINDS}

    def _bias_shape(self):
        return (self._gates * self.units,)

    def build(self, input_shape: Any) -> None:
        width = self._gates * self.units
        self.kernel = self._weight("kernel", (input_shape[-1], width))
        self.recurrent_kernel = self._weight("recurrent_kernel", (self.units, width), "recurrent")
        self.bias = self._make_bias() if self.use_bias else None

    def _make_bias(self):
        return self._weight("bias", self._bias_shape())

    def get_initial_state(self, batch_size: int | None = None) -> list[Any]:
        """Zeros."""
        sizes = self.state_size if isinstance(self.state_size, (list, tuple)) else [self.state_size]
        return [_array.zeros((batch_size, n), self.dtype) for n in sizes]

    def drop_masks(self, inputs: Any, states: Any, training: Any) -> tuple[Any, Any]:
        """(of inputs, of the state): what they are multiplied by in all steps of a call; None without dropout."""
        from ._noise import Dropout

        def mask(like, rate):
            return Dropout(rate, seed=self.seed)(_array.ones_like(like), training=True) if training and rate else None

        return mask(inputs, self.dropout), mask(states[0], self.recurrent_dropout)

    def call(self, inputs: Any, states: Any, training: bool = False) -> Any:
        """(output, states after) of one step."""
        masks = self.drop_masks(inputs, states, training)
        return self.step(self.projected(_times(inputs, masks[0])), list(states), masks[1])

    def projected(self, inputs: Any) -> Any:
        """What the inputs contribute to the gates; of all steps at once, too."""
        inputs = same_dtype(inputs, self)
        x = math.matmul(inputs, self.kernel) if len(inputs.shape) == 2 else math.tensordot(inputs, self.kernel, 1)
        return x if self.bias is None else x + self._input_bias()

    def _input_bias(self):
        return self.bias

    def step(self, x: Any, states: list[Any], mask: Any = None) -> Any:
        """(output, states after) of what projected gave."""
        raise NotImplementedError


def _times(x, mask):
    return x if mask is None else x * mask


class SimpleRNNCell(_Cell):
    """h = activation(x kernel + h recurrent_kernel + bias)."""

    def step(self, x: Any, states: list[Any], mask: Any = None) -> Any:
        h = self.activation(x + math.matmul(_times(states[0], mask), self.recurrent_kernel))
        return h, [h]


class _Gated(_Cell):
    """A cell with an activation of its gates."""

    _config: tuple[str, ...] = ("recurrent_activation",)

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        **options: Any,
    ) -> None:
        super().__init__(
            units, activation, use_bias, kernel_initializer, recurrent_initializer, bias_initializer, **options
        )
        self.recurrent_activation = _activations.get(recurrent_activation)


class GRUCell(_Gated):
    """h = z h + (1 - z) activation(x W + r (h U)); reset_after=False: (r h) U."""

    _gates = 3
    _config = ("reset_after",)

    def __init__(self, units: int, *args: Any, reset_after: bool = True, **options: Any) -> None:
        super().__init__(units, *args, **options)
        self.reset_after = reset_after

    def _bias_shape(self):
        n = self._gates * self.units
        return (2, n) if self.reset_after else (n,)

    def _input_bias(self):
        return self.bias[0] if self.reset_after else self.bias

    def step(self, x: Any, states: list[Any], mask: Any = None) -> Any:
        h, n = states[0], self.units
        dropped = _times(h, mask)
        if self.reset_after:
            inner = math.matmul(dropped, self.recurrent_kernel)
            inner = inner if self.bias is None else inner + self.bias[1]
            z = self.recurrent_activation(x[:, :n] + inner[:, :n])
            r = self.recurrent_activation(x[:, n : 2 * n] + inner[:, n : 2 * n])
            candidate = self.activation(x[:, 2 * n :] + r * inner[:, 2 * n :])
        else:
            kernel = self.recurrent_kernel
            inner = math.matmul(dropped, kernel[:, : 2 * n])
            z = self.recurrent_activation(x[:, :n] + inner[:, :n])
            r = self.recurrent_activation(x[:, n : 2 * n] + inner[:, n:])
            candidate = self.activation(x[:, 2 * n :] + math.matmul(r * dropped, kernel[:, 2 * n :]))
        out = z * h + (1 - z) * candidate
        return out, [out]


class LSTMCell(_Gated):
    """c = f c + i activation(candidate); h = o activation(c): gates i, f, candidate, o next to each other."""

    _gates = 4
    _config = ("unit_forget_bias",)

    def __init__(self, units: int, *args: Any, unit_forget_bias: bool = True, **options: Any) -> None:
        if len(args) > 6:
            unit_forget_bias, args = args[6], args[:6]
        super().__init__(units, *args, **options)
        self.unit_forget_bias = unit_forget_bias
        self.state_size = [units, units]

    def _make_bias(self):
        if not self.unit_forget_bias:
            return super()._make_bias()
        first = self.bias_initializer

        def initializer(shape, dtype=None):
            n = self.units
            parts = [first((n,), dtype=dtype), _array.ones((n,), dtype), first((2 * n,), dtype=dtype)]
            return _array.concat([cast(p, dtype) for p in parts], 0)

        return self.add_weight(
            self._bias_shape(),
            initializer,
            name="bias",
            regularizer=self.bias_regularizer,
            constraint=self.bias_constraint,
        )

    def step(self, x: Any, states: list[Any], mask: Any = None) -> Any:
        h, c = states
        n = self.units
        gates = x + math.matmul(_times(h, mask), self.recurrent_kernel)
        i = self.recurrent_activation(gates[:, :n])
        f = self.recurrent_activation(gates[:, n : 2 * n])
        c = f * c + i * self.activation(gates[:, 2 * n : 3 * n])
        h = self.recurrent_activation(gates[:, 3 * n :]) * self.activation(c)
        return h, [h, c]


class StackedRNNCells(Layer):
    """Cells one after the other in each step."""

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for cell in cells:
            if not hasattr(cell, "call") or not hasattr(cell, "state_size"):
                raise ConversionError(
                    f"All cells must have a `call` method and a `state_size`. Received cell without: {cell}"
                )
        self.cells = list(cells)

    @property
    def state_size(self) -> Any:
        """Those of the cells, a list."""
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self) -> Any:
        """That of the last cell."""
        return self.cells[-1].output_size

    def build(self, input_shape: Any) -> None:
        for cell in self.cells:
            if not cell.built:
                cell.build(input_shape)
                cell.built = True
            size = getattr(cell, "output_size", cell.state_size)
            input_shape = (input_shape[0], size[0] if isinstance(size, (list, tuple)) else size)

    def get_initial_state(self, batch_size: int | None = None) -> list[Any]:
        """Those of the cells, a list."""
        return [
            cell.get_initial_state(batch_size=batch_size)
            if hasattr(cell, "get_initial_state")
            else zeros_of(cell, batch_size)
            for cell in self.cells
        ]

    def call(self, inputs: Any, states: Any, training: bool = False, **kwargs: Any) -> Any:
        """(output of the last, states of all)."""
        import inspect

        after = []
        for cell, state in zip(self.cells, states):
            state = list(state) if isinstance(state, (list, tuple)) else [state]
            takes = "training" in inspect.signature(cell.call).parameters
            inputs, now = cell(inputs, state, training=training) if takes else cell(inputs, state)
            after.append(list(now) if isinstance(now, (list, tuple)) else [now])
        return inputs, after

    def get_config(self) -> dict[str, Any]:
        from .._serialize import serialize

        return {**super().get_config(), "cells": [serialize(c) for c in self.cells]}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        from .._serialize import deserialize

        config = dict(config)
        return cls(
            [deserialize(c, custom_objects) for c in config.pop("cells")],
            **{k: deserialize(v) for k, v in config.items()},
        )


def zeros_of(cell: Any, batch_size: int | None) -> Any:
    """Zeros of a cell's state_size."""
    sizes = cell.state_size
    dtype = getattr(cell, "dtype", "float32")

    def zeros(n):
        return _array.zeros((batch_size, *n) if isinstance(n, (list, tuple)) else (batch_size, n), dtype)

    return [zeros(n) for n in sizes] if isinstance(sizes, (list, tuple)) else [zeros(sizes)]
