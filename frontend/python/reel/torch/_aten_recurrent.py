"""PyTorch's recurrent layers, as loops over the steps: LSTM, GRU, RNN of tensors (not of packed sequences)."""

from __future__ import annotations

import typing as _t

from .. import _core
from .. import nn as _nn
from ._aten_random import dropout as _dropout
from ._gradients import gradients_of
from ._table import aten

if _t.TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .._core import Tensor

    # The next state of: x W + b [batch, gates units], h W' + b', and the present state.
    Cell = Callable[[Tensor, Tensor, Sequence[Tensor]], list[Tensor]]


def _gates(x: Tensor, count: int) -> list[Tensor]:
    units = x.shape[-1] // count
    return [x[:, i * units : (i + 1) * units] for i in range(count)]


def _lstm_cell(x: Tensor, own: Tensor, state: Sequence[Tensor]) -> list[Tensor]:
    i, f, g, o = _gates(x + own, 4)
    c = _nn.sigmoid(f) * state[1] + _nn.sigmoid(i) * _core.tanh(g)
    return [_nn.sigmoid(o) * _core.tanh(c), c]


def _gru_cell(x: Tensor, own: Tensor, state: Sequence[Tensor]) -> list[Tensor]:
    (xr, xz, xn), (hr, hz, hn) = _gates(x, 3), _gates(own, 3)
    n = _core.tanh(xn + _nn.sigmoid(xr + hr) * hn)
    return [(state[0] - n) * _nn.sigmoid(xz + hz) + n]


def _tanh_cell(x: Tensor, own: Tensor, state: Sequence[Tensor]) -> list[Tensor]:
    return [_core.tanh(x + own)]


def _relu_cell(x: Tensor, own: Tensor, state: Sequence[Tensor]) -> list[Tensor]:
    return [_nn.relu(x + own)]


def _along(cell: Cell, x: Tensor, state: list[Tensor], params: Sequence[Tensor], biases: bool, reverse: bool) -> Any:
    """One layer in one direction: the outputs [time, batch, ...] and the last state."""
    by_input, by_state, *more = (_core.swapaxes(w, 0, 1) if w.ndim == 2 else w for w in params)
    inputs = _core.matmul(x, by_input)
    inputs = inputs + more[0] if biases else inputs
    projection = more[2 * biases] if len(more) > 2 * biases else None

    def step(state: list[Tensor], row: Tensor) -> tuple[list[Tensor], Tensor]:
        own = _core.matmul(state[0], by_state)
        new = cell(row, own + more[1] if biases else own, state)
        if projection is not None:
            new[0] = _core.matmul(new[0], projection)
        return new, new[0]

    last, outputs = _core.scan_steps(step, state, inputs, reverse=reverse)
    return outputs, last


def _layers(
    cell: Cell,
    x: Tensor,
    states: Sequence[Tensor],
    params: Sequence[Tensor],
    biases: bool,
    layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, ...]:
    """All layers; `states` and what it gives after the outputs are [layers directions, batch, units]."""
    directions = 2 if bidirectional else 1
    each = len(params) // (layers * directions)
    x = _core.swapaxes(x, 0, 1) if batch_first else x
    ends: list[list[Tensor]] = []
    for layer in range(layers):
        outputs = []
        for direction in range(directions):
            at = layer * directions + direction
            state, own = [s[at] for s in states], params[at * each : (at + 1) * each]
            y, end = _along(cell, x, state, own, biases, direction == 1)
            outputs.append(y)
            ends.append(list(end))
        x = outputs[0] if directions == 1 else _core.concat(outputs, axis=-1)
        if dropout and train and layer < layers - 1:
            x = _dropout(x, dropout, True)[0]
    x = _core.swapaxes(x, 0, 1) if batch_first else x
    return (x, *(_core.stack(s) for s in zip(*ends)))


_CELLS: dict[str, Cell] = {"lstm": _lstm_cell, "gru": _gru_cell, "rnn_tanh": _tanh_cell, "rnn_relu": _relu_cell}


def _recurrent(kind: str) -> None:
    @aten(kind + ".input")
    def _(input: Tensor, hx: Any, params: Sequence[Tensor], *options: Any) -> tuple[Tensor, ...]:
        return _layers(_CELLS[kind], input, hx if kind == "lstm" else [hx], params, *options)


for _kind in _CELLS:
    _recurrent(_kind)


# --- what the backend makes of them: a layer in one or both directions ---


@aten("reel.recurrent.default")
def _one_layer(
    kind: str, x: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: bool, bidirectional: bool
) -> tuple[Tensor, ...]:
    """Outputs, last states and, of an LSTM without projections, what its gradient reads of each step."""
    if kind == "lstm" and len(params) == len(hx[0]) * (4 if has_biases else 2):
        return _lstm_layer(x, hx, params, has_biases)
    return _layers(_CELLS[kind], x, hx, params, has_biases, 1, 0.0, False, bidirectional, False)


@aten("reel.recurrent_backward.default")
def _one_layer_backward(
    kind: str,
    grads: Sequence[Tensor],
    x: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    kept: Sequence[Tensor],
    has_biases: bool,
    bidirectional: bool,
) -> list[Tensor | None]:
    """Gradients by x, states and parameters; where nothing is kept, steps are computed again."""
    if kept:
        return _lstm_gradients(grads, x, hx, params, kept, has_biases)

    def forward(x: Tensor, *rest: Tensor) -> list[Tensor]:
        return list(_one_layer(kind, x, rest[: len(hx)], rest[len(hx) :], has_biases, bidirectional))

    return gradients_of(forward, [x, *hx, *params], list(grads))


def _lstm_layer(x: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], biases: bool) -> tuple[Tensor, ...]:
    directions = hx[0].shape[0]
    each = len(params) // directions
    found = []
    for d in range(directions):
        by_input, by_state, *bias = params[d * each : (d + 1) * each]
        inputs = _core.matmul(x, _core.swapaxes(by_input, 0, 1))
        inputs = inputs + (bias[0] + bias[1]) if biases else inputs

        def step(state: list[Tensor], row: Tensor, weight: Tensor = by_state) -> tuple[list[Tensor], list[Tensor]]:
            z = row + _core.matmul(state[0], _core.swapaxes(weight, 0, 1))
            i, f, g, o = (_core.tanh(t) if n == 2 else _nn.sigmoid(t) for n, t in enumerate(_gates(z, 4)))
            c = f * state[1] + i * g
            h = o * _core.tanh(c)
            return [h, c], [h, i, f, g, o, c]

        found.append(_core.scan_steps(step, [h[d] for h in hx], inputs, reverse=d == 1))
    outputs = [steps[0] for _, steps in found]
    y = outputs[0] if directions == 1 else _core.concat(outputs, axis=-1)
    ends = [_core.stack([last[k] for last, _ in found]) for k in range(2)]
    return (y, *ends, *(t for _, steps in found for t in steps))


def _before(steps: Tensor, start: Tensor, reverse: bool) -> Tensor:
    """Of each step the state before it."""
    first = _core.expand_dims(start, 0)
    return _core.concat([steps[1:], first] if reverse else [first, steps[:-1]], axis=0)


def _lstm_gradients(
    grads: Sequence[Tensor],
    x: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    kept: Sequence[Tensor],
    biases: bool,
) -> list[Tensor | None]:
    """A loop against the steps' order for the gates' gradients; products of all steps for the parameters'."""
    directions, units = hx[0].shape[0], hx[0].shape[2]
    each, rows = len(params) // directions, x.shape[0] * x.shape[1]
    flat_x = _core.reshape(x, [rows, -1])
    dx, starts, of_params = None, [], []
    for d in range(directions):
        by_input, by_state = params[d * each : d * each + 2]
        h, i, f, g, o, c = kept[6 * d : 6 * d + 6]
        c_before, h_before = (_before(t, s[d], d == 1) for t, s in ((c, hx[1]), (h, hx[0])))

        def step(state: list[Tensor], row: list[Tensor], weight: Tensor = by_state) -> tuple[list[Tensor], Tensor]:
            dy, i, f, g, o, c, before = row
            dh, tanh_c = state[0] + dy, _core.tanh(c)
            dc = state[1] + dh * o * (1 - tanh_c * tanh_c)
            dz = [dc * g * i * (1 - i), dc * before * f * (1 - f), dc * i * (1 - g * g), dh * tanh_c * o * (1 - o)]
            gates = _core.concat(dz, axis=-1)
            return [_core.matmul(gates, weight), dc * f], gates

        dy = grads[0][:, :, d * units : (d + 1) * units]
        start, gates = _core.scan_steps(step, [grads[1][d], grads[2][d]], [dy, i, f, g, o, c, c_before], reverse=d == 0)
        flat = _core.reshape(gates, [rows, 4 * units])
        across = _core.swapaxes(flat, 0, 1)
        own = _core.matmul(flat, by_input)
        dx = own if dx is None else dx + own
        starts.append(start)
        of_params += [_core.matmul(across, flat_x), _core.matmul(across, _core.reshape(h_before, [rows, units]))]
        of_params += [_core.sum(flat, 0)] * 2 if biases else []
    states = [_core.stack([s[k] for s in starts]) for k in range(2)]
    return [_core.reshape(_t.cast("Tensor", dx), x.shape), *states, *of_params]
