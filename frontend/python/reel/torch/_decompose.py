"""Which of PyTorch's own decompositions run before Reel sees a graph."""

from __future__ import annotations

import typing as _t

import torch as _torch
from torch._decomp import core_aten_decompositions as _core_aten
from torch.export import default_decompositions as _default_decompositions

if _t.TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable
    from typing import Any

# Ops that have rows of their own, which are better than what PyTorch would make of them.
_KEPT = (
    "native_layer_norm_backward",
    "native_batch_norm_backward",
    "native_group_norm_backward",
    "_softmax_backward_data",
    "_log_softmax_backward_data",
    "embedding_dense_backward",
    "silu",
    "_native_batch_norm_legit_functional",
    "addcmul",
    "addcdiv",
    "lerp",
    "softplus",
    "native_dropout",
)


def for_training() -> dict[Any, Callable[..., Any]]:
    """The decompositions of AOTAutograd's graphs: to core ATen, but for ops that Reel has as they are."""
    table = _core_aten()
    return {op: f for op, f in table.items() if op.__name__.split(".")[0] not in _KEPT}


def for_import() -> Any:
    """The decompositions of an exported program: PyTorch's to core ATen, but attention and products stay one op.

    Recurrent layers stay loops, of which PyTorch would write out each step. Of x [s, b, k] times w [k, n] where x is no contiguous tensor PyTorch makes s products with copies of w, and of w's
    gradient s results that are summed.
    """
    table, aten = _default_decompositions(), _torch.ops.aten
    recurrent = (aten.lstm.input, aten.gru.input, aten.rnn_tanh.input, aten.rnn_relu.input)
    for op in (aten.scaled_dot_product_attention.default, aten.linear.default, aten.matmul.default, *recurrent):
        table.pop(op, None)
    return table


def attention_by_products() -> contextlib.AbstractContextManager[Any]:
    """While it is entered, attention is traced as products and a softmax, which Reel fuses itself."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    return _t.cast("contextlib.AbstractContextManager[Any]", sdpa_kernel(SDPBackend.MATH))
