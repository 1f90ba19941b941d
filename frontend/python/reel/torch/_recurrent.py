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


# A layer, in both directions if it has states of two: x [time, batch, features], states [directions, batch, units].
_ARGUMENTS = "Tensor x, Tensor[] hx, Tensor[] params, bool has_biases, bool bidirectional"


@_torch.library.custom_op("reel::recurrent", mutates_args=(), schema=f"(str kind, {_ARGUMENTS}) -> Tensor[]")
def _layer(kind: str, x: Any, hx: Any, params: Any, has_biases: bool, bidirectional: bool) -> Any:
    return _by_reel("reel.recurrent.default", kind, x, hx, params, has_biases, bidirectional)


@_torch.library.custom_op(
    "reel::recurrent_backward", mutates_args=(), schema=f"(str kind, Tensor[] grads, {_ARGUMENTS}) -> Tensor[]"
)
def _gradients(kind: str, grads: Any, x: Any, hx: Any, params: Any, has_biases: bool, bidirectional: bool) -> Any:
    return _by_reel("reel.recurrent_backward.default", kind, grads, x, hx, params, has_biases, bidirectional)


@_layer.register_fake
def _(kind: str, x: Any, hx: Any, params: Any, has_biases: bool, bidirectional: bool) -> list[_Tensor]:
    y = x.new_empty([*x.shape[:2], hx[0].shape[2] * (1 + bidirectional)])
    return [y, *(_torch.empty_like(h, memory_format=_torch.contiguous_format) for h in hx)]


@_gradients.register_fake
def _(kind: str, grads: Any, x: Any, hx: Any, params: Any, has_biases: bool, bidirectional: bool) -> list[_Tensor]:
    return [_torch.empty_like(t, memory_format=_torch.contiguous_format) for t in (x, *hx, *params)]


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.kind, x, hx, params, *ctx.options = inputs
    ctx.states = len(hx)
    ctx.save_for_backward(x, *hx, *params)


def _backward(ctx: Any, grads: Any) -> Any:
    x, *rest = ctx.saved_tensors
    hx, params = rest[: ctx.states], rest[ctx.states :]
    dx, *found = _gradients(ctx.kind, [g.contiguous() for g in grads], x, hx, params, *ctx.options)
    return None, dx, found[: ctx.states], found[ctx.states :], None, None


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
            x, *end = _layer(kind, x, state, list(params[i * each : (i + 1) * each]), has_biases, bidirectional)
            ends.append(end)
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
