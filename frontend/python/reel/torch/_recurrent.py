"""Recurrent layers that torch.compile meets, as one operator each: PyTorch itself would write out every step."""

from __future__ import annotations

import typing as _t

import torch as _torch
from torch import Tensor as _Tensor

from . import _run
from ._fx import shared

if _t.TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _by_reel(op: str, *args: Any) -> list[_Tensor]:
    """What the row of an operator gives, at once."""

    def own(x: Any) -> Any:
        return [own(y) for y in x] if isinstance(x, list) else shared(x) if isinstance(x, _Tensor) else x

    return [_torch.from_dlpack(y).clone() for y in _run.TABLE[op].function(*map(own, args))]


# A layer, in both directions if it has states of two: x [time, batch, features], states [directions, batch, units]. It
# gives outputs, last states and what the gradient reads of the steps, if Reel keeps that.
_INPUTS, _OPTIONS = "Tensor x, Tensor[] hx, Tensor[] params", "bool has_biases, bool bidirectional"


@_torch.library.custom_op("reel::recurrent", mutates_args=(), schema=f"(str kind, {_INPUTS}, {_OPTIONS}) -> Tensor[]")
def _layer(kind: str, *args: Any) -> Any:
    return _by_reel("reel.recurrent.default", kind, *args)


@_torch.library.custom_op(
    "reel::recurrent_backward",
    mutates_args=(),
    schema=f"(str kind, Tensor[] grads, {_INPUTS}, Tensor[] kept, {_OPTIONS}) -> Tensor[]",
)
def _gradients(kind: str, *args: Any) -> Any:
    return _by_reel("reel.recurrent_backward.default", kind, *args)


def _dense(x: _Tensor) -> _Tensor:
    return _torch.empty_like(x, memory_format=_torch.contiguous_format)


@_layer.register_fake
def _(kind: str, x: Any, hx: Any, params: Any, has_biases: bool, bidirectional: bool) -> list[_Tensor]:
    directions, units, kept = hx[0].shape[0], hx[0].shape[2], 0
    if kind == "lstm" and len(params) == directions * (4 if has_biases else 2):
        kept = 6 * directions
    steps = [x.new_empty([*x.shape[:2], units]) for _ in range(kept)]
    return [x.new_empty([*x.shape[:2], units * directions]), *map(_dense, hx), *steps]


@_gradients.register_fake
def _(kind: str, grads: Any, x: Any, hx: Any, params: Any, *rest: Any) -> list[_Tensor]:
    return [_dense(t) for t in (x, *hx, *params)]


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.kind, x, hx, params, *ctx.options = inputs
    ctx.ends = len(hx), len(hx) + len(params)
    ctx.save_for_backward(x, *hx, *params, *output[1 + len(hx) :])


def _backward(ctx: Any, grads: Any) -> Any:
    x, *rest = ctx.saved_tensors
    states, values = ctx.ends
    hx, params, kept = rest[:states], rest[states:values], rest[values:]
    own = [g.contiguous() for g in grads[: 1 + states]]
    dx, *found = _gradients(ctx.kind, own, x, hx, params, kept, *ctx.options)
    return None, dx, found[:states], found[states:], None, None


_layer.register_autograd(_backward, setup_context=_keep)


def _layers(kind: str) -> Callable[..., Any]:
    """PyTorch's function of that name as layers after each other."""

    def run(
        input: Any,
        hx: Any,
        params: Any,
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Any:
        x, states = input.transpose(0, 1) if batch_first else input, hx if kind == "lstm" else [hx]
        directions, each, ends = 1 + bidirectional, len(params) // num_layers, []
        for i in range(num_layers):
            state = [s[i * directions : (i + 1) * directions] for s in states]
            x, *rest = _layer(kind, x, state, list(params[i * each : (i + 1) * each]), has_biases, bidirectional)
            ends.append(rest[: len(states)])
            if dropout and train and i < num_layers - 1:
                x = _torch.nn.functional.dropout(x, dropout)
        return (x.transpose(0, 1) if batch_first else x, *(_torch.cat(s) for s in zip(*ends)))

    return run


_KINDS = {getattr(_torch, kind): _layers(kind) for kind in ("lstm", "gru", "rnn_tanh", "rnn_relu")}


def keep_whole(module: _torch.fx.GraphModule) -> None:
    """Makes recurrent layers of a graph of TorchDynamo's operators of their own; those of packed sequences stay."""
    for node in module.graph.nodes:
        if node.op == "call_function" and node.target in _KINDS and isinstance(node.args[3], bool):
            node.target = _KINDS[node.target]
    module.recompile()
