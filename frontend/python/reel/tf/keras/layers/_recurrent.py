"""Recurrent layers: a cell along the steps of [batch, steps, features]."""

from __future__ import annotations as _annotations

import typing as _t

from .... import _core
from ... import _array
from ... import nest as _nest
from ..._convert import cast, to_core
from ..._tensor import wrap
from ...errors import ConversionError
from .._layer import InputSpec, Layer, info_of
from .._variable import Variable
from ._basic import Wrapper
from ._cells import GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells, _Cell, zeros_of

if _t.TYPE_CHECKING:
    from typing import Any


class RNN(Layer):
    """A cell, or cells, along the steps: the last output, or all; with return_state the states too."""

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        cell = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        if not hasattr(cell, "call") or not hasattr(cell, "state_size"):
            raise ConversionError(
                f"Argument `cell` should have a `call` method and a `state_size`. Received: cell={cell}"
            )
        self.cell = cell
        self.return_sequences, self.return_state, self.go_backwards = return_sequences, return_state, go_backwards
        self.stateful, self.unroll, self.zero_output_for_mask = stateful, unroll, zero_output_for_mask
        self.__dict__["_states"] = None  # not among the weights, as in Keras
        self.supports_masking = True
        self.input_spec = None

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build((sequences_shape[0], *sequences_shape[2:]))
            self.cell.built = True
        if self.stateful:
            if sequences_shape[0] is None:
                raise ConversionError(
                    "When using `stateful=True` in a RNN, the batch size must be static. Found dynamic batch size: "
                    f"sequence.shape={tuple(sequences_shape)}"
                )
            self.__dict__["_states"] = [
                Variable(_array.zeros(s.shape, self.dtype), trainable=False, path=f"{self.name}/rnn_state")
                for s in _nest.flatten(self._initial(sequences_shape[0]))
            ]

    @property
    def states(self) -> Any:
        """The states that a stateful layer begins with, variables; None of others."""
        return self._states

    def _initial(self, n):
        cell = self.cell
        return cell.get_initial_state(batch_size=n) if hasattr(cell, "get_initial_state") else zeros_of(cell, n)

    def get_initial_state(self, batch_size: int) -> Any:
        """The states before the first step."""
        return self._initial(batch_size)

    def reset_states(self) -> None:
        """Zeros in the states of a stateful layer."""
        for v in self.states or ():
            v.assign(_array.zeros_like(v))

    reset_state = reset_states

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool = False) -> Any:
        """The outputs."""
        if isinstance(mask, (list, tuple)):
            mask = mask[0]
        n = sequences.shape[0]
        state = self._initial(n)
        if initial_state is not None:
            given = initial_state if isinstance(initial_state, (list, tuple)) else [initial_state]
            state = _nest.pack_sequence_as(state, [cast(s, self.dtype) for s in _nest.flatten(list(given))])
        elif self.stateful:
            state = _nest.pack_sequence_as(state, [v.value() for v in self.states])
        last, outputs, state = self._run(sequences, state, mask, training)
        if self.stateful:
            for v, s in zip(self.states, _nest.flatten(state)):
                v.assign(s)
        out = outputs if self.return_sequences else last
        return (out, *state) if self.return_state else out

    def _run(self, sequences, state, mask, training):
        """(last output, all outputs, states after)."""
        steps = _array.transpose(sequences, [1, 0, *range(2, len(sequences.shape))])
        masks = None if mask is None else _array.transpose(cast(mask, "bool"), [1, 0])
        if steps.shape[0] == 0:
            raise ConversionError(f"{type(self).__name__}: there is no step in inputs {tuple(sequences.shape)}")
        if self.go_backwards:
            steps, masks = _array.reverse(steps, [0]), None if masks is None else _array.reverse(masks, [0])
        advance, steps = self._advance(steps, state, training)
        flat = _nest.flatten(state)
        if masks is not None:
            first = advance(steps[0], state)[0]
            flat = [*flat, _array.zeros_like(first)]

        def step(carry, row):
            values = [wrap(c) for c in carry]
            x = wrap(row[0])
            now = _nest.pack_sequence_as(state, values[: len(_nest.flatten(state))])
            y, after = advance(x, now)
            after = _nest.flatten(after)
            if masks is not None:
                kept = wrap(row[1])
                after = [_chosen(kept, a, b) for a, b in zip(after, values)]
                before = _array.zeros_like(y) if self.zero_output_for_mask else values[-1]
                y = _chosen(kept, y, before)
                after = [*after, y]
            return [to_core(a) for a in after], to_core(y)

        rows = [to_core(steps)] + ([] if masks is None else [to_core(masks)])
        carry, outputs = _core.scan_steps(step, [to_core(s) for s in flat], rows)
        outputs = wrap(outputs)
        last = outputs[-1]
        states = [wrap(c) for c in carry][: len(_nest.flatten(state))]
        order = [1, 0, *range(2, len(outputs.shape))]
        state = _nest.pack_sequence_as(state, states)
        return last, _array.transpose(outputs, order), state if isinstance(state, list) else [state]

    def _advance(self, steps, state, training):
        """A function (x, states) -> (output, states), and what its x is of each step."""
        cell = self.cell
        if isinstance(cell, _Cell):
            masks = cell.drop_masks(steps[0], state, training)
            rows = cell.projected(steps if masks[0] is None else steps * masks[0])
            return (lambda x, states: cell.step(x, list(states), masks[1])), rows
        takes = isinstance(cell, Layer) and info_of(cell).training

        def advance(x, states):
            out, after = cell(x, states, training=training) if takes else cell(x, states)
            return out, after if isinstance(after, (list, tuple)) else [after]

        return advance, steps

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        mask = previous_mask[0] if isinstance(previous_mask, (list, tuple)) else previous_mask
        out = mask if self.return_sequences else None
        return [out, *([None] * len(_nest.flatten(self.cell.state_size)))] if self.return_state else out

    def get_config(self) -> dict[str, Any]:
        from .._serialize import serialize

        own = {n: getattr(self, n) for n in _RNN_OPTIONS}
        return {**super().get_config(), **own, "cell": serialize(self.cell)}


_RNN_OPTIONS = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll", "zero_output_for_mask")


def _chosen(kept, a, b):
    kept = _array.reshape(kept, [-1, *(1,) * (len(a.shape) - 1)])
    return _array.where(kept, a, b)


class _OfCell(RNN):
    """A recurrent layer of one of the cells here, whose options are its own."""

    _cell: Any = None
    _unsaved: tuple[str, ...] = ()  # options that Keras's configs do not have
    _cell_options: tuple[str, ...] = (
        "activation", "use_bias", "kernel_initializer", "recurrent_initializer", "bias_initializer",
        "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "kernel_constraint", "recurrent_constraint",
        "bias_constraint", "dropout", "recurrent_dropout", "seed",
    )  # fmt: skip

    def _start(self, units, options, kwargs):
        of_cell = {n: options[n] for n in self._cell_options}
        cell = self._cell(units, dtype=kwargs.get("dtype"), trainable=kwargs.get("trainable", True),
                          name=f"{_cell_name(self._cell)}", **of_cell)  # fmt: skip
        RNN.__init__(
            self, cell, activity_regularizer=options["activity_regularizer"],
            **{n: options[n] for n in _RNN_OPTIONS if n in options}, **kwargs,
        )  # fmt: skip
        self.input_spec = InputSpec(ndim=3)

    def __getattr__(self, name: str) -> Any:
        if name == "units" or name in type(self)._cell_options and "cell" in self.__dict__:
            return getattr(self.cell, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def get_config(self) -> dict[str, Any]:
        from .._serialize import serialize

        config = Layer.get_config(self) | {
            n: serialize(getattr(self, n)) for n in (*_RNN_OPTIONS, "activity_regularizer")
        }
        config["units"] = self.cell.units
        return config | {n: serialize(getattr(self.cell, n)) for n in self._cell_options if n not in self._unsaved}


def _cell_name(cls):
    return {"SimpleRNNCell": "simple_rnn_cell", "GRUCell": "gru_cell", "LSTMCell": "lstm_cell"}[cls.__name__]


class SimpleRNN(_OfCell):
    """h = activation(x kernel + h recurrent_kernel + bias) along the steps."""

    _cell = SimpleRNNCell
    _unsaved = ("seed",)

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
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        options = {k: v for k, v in locals().items() if k not in ("self", "units", "kwargs", "__class__")}
        self._start(units, options, kwargs)


class GRU(_OfCell):
    """Gated recurrent units along the steps."""

    _cell = GRUCell
    _cell_options = (*_OfCell._cell_options, "recurrent_activation", "reset_after")

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        reset_after: bool = True,
        use_cudnn: Any = "auto",
        **kwargs: Any,
    ) -> None:
        options = {k: v for k, v in locals().items() if k not in ("self", "units", "kwargs", "use_cudnn", "__class__")}
        self._start(units, options, kwargs)


class LSTM(_OfCell):
    """Long short-term memory along the steps."""

    _cell = LSTMCell
    _cell_options = (*_OfCell._cell_options, "recurrent_activation", "unit_forget_bias")

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        use_cudnn: Any = "auto",
        **kwargs: Any,
    ) -> None:
        options = {k: v for k, v in locals().items() if k not in ("self", "units", "kwargs", "use_cudnn", "__class__")}
        self._start(units, options, kwargs)


class TimeDistributed(Wrapper):
    """A layer on each step of [batch, steps, ...]."""

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any = None) -> None:
        if len(input_shape) < 3:
            raise ConversionError(
                "`TimeDistributed` Layer should be passed an `input_shape` with at least 3 dimensions, received: "
                f"{tuple(input_shape)}"
            )
        super().build((input_shape[0], *input_shape[2:]))

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        """The layer's outputs, along the steps."""
        shape = inputs.shape
        flat = _array.reshape(inputs, (shape[0] * shape[1], *shape[2:]))
        info = info_of(self.layer)
        options = {"training": training} if info.training and training is not None else {}
        if mask is not None and "mask" in info.masks:
            options["mask"] = _array.reshape(mask, (shape[0] * shape[1], *mask.shape[2:]))
        out = self.layer(flat, **options)
        return _nest.map_structure(lambda y: _array.reshape(y, (shape[0], shape[1], *y.shape[1:])), out)


class Bidirectional(Layer):
    """A recurrent layer forwards and one backwards; what they give joined by merge_mode."""

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Any = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(layer, Layer):
            raise ConversionError(
                f"Please initialize `Bidirectional` layer with a `keras.layers.Layer` instance. Received: {layer}"
            )
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ConversionError(
                f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of {{'sum', 'mul', 'ave', 'concat', None}}"
            )
        if backward_layer is not None and backward_layer.go_backwards == layer.go_backwards:
            raise ConversionError("Forward layer and backward layer should have different `go_backwards` value.")
        super().__init__(**kwargs)
        self.merge_mode = merge_mode
        config = layer.get_config()
        if layer.return_sequences:
            config["zero_output_for_mask"] = True  # else the reversed outputs would begin with repeated ones
        name = layer.name.removeprefix("forward_")
        self.forward_layer = type(layer).from_config(config | {"name": f"forward_{name}"})
        if backward_layer is None:
            other = config | {"name": f"backward_{name}", "go_backwards": not layer.go_backwards}
            self.backward_layer = type(layer).from_config(other)
        else:
            self.backward_layer = backward_layer
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state
        self.stateful, self.layer_given = layer.stateful, None
        self.supports_masking = True
        self._first_weights = weights

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        for layer in (self.forward_layer, self.backward_layer):
            if not layer.built:
                layer.build(sequences_shape)
                layer.built = True
        if self._first_weights is not None:
            self.set_weights(self._first_weights)
            self._first_weights = None

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool | None = None) -> Any:
        """The outputs of both."""
        options = {} if training is None else {"training": training}
        if mask is not None:
            options["mask"] = mask
        first = second = {}
        if initial_state is not None:
            half = len(initial_state) // 2
            first, second = {"initial_state": list(initial_state[:half])}, {"initial_state": list(initial_state[half:])}
        y = self.forward_layer(sequences, **first, **options)
        y_back = self.backward_layer(sequences, **second, **options)
        states: tuple[Any, ...] = ()
        if self.return_state:
            states = (*y[1:], *y_back[1:])
            y, y_back = y[0], y_back[0]
        if self.return_sequences:
            y_back = _array.reverse(y_back, [1])
        out = self._merged(y, y_back)
        if not self.return_state:
            return out
        return (*out, *states) if self.merge_mode is None else (out, *states)

    def _merged(self, a, b):
        if self.merge_mode == "concat":
            return _array.concat([a, b], -1)
        if self.merge_mode == "sum":
            return a + b
        if self.merge_mode == "ave":
            return (a + b) / 2
        return a * b if self.merge_mode == "mul" else (a, b)

    def reset_states(self) -> None:
        """Zeros in the states of stateful layers."""
        self.forward_layer.reset_states()
        self.backward_layer.reset_states()

    reset_state = reset_states

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        mask = previous_mask[0] if isinstance(previous_mask, (list, tuple)) else previous_mask
        out = (mask if self.merge_mode is not None else [mask, mask]) if self.return_sequences else None
        return out

    def get_config(self) -> dict[str, Any]:
        from .._serialize import serialize

        layers = {"layer": serialize(self.forward_layer), "backward_layer": serialize(self.backward_layer)}
        return {**super().get_config(), "merge_mode": self.merge_mode, **layers}
